//! Numbers prepared for many products, many divisions, or many remainders.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use bezout::tree::{self, ProductTree};
use bezout::{Divisor, Int, Prepared};

use crate::border::{
    Handle, OutPointer, bezout_int, call, give, given, guard, handles, many, places, put_all, take,
};
use crate::status::{Failure, bezout_status};

/// A number prepared for many products: its transform is kept. Made by bezout_prepared_new, freed
/// by bezout_prepared_free.
pub struct bezout_prepared {
    value: Prepared,
}

/// A number prepared for many divisions by it: its reciprocal is kept. Made by bezout_divisor_new,
/// freed by bezout_divisor_free.
pub struct bezout_divisor {
    value: Divisor,
}

/// Many numbers, the products of neighbours, and so on up to the product of all. Made by
/// bezout_tree_new, freed by bezout_tree_free.
pub struct bezout_tree {
    value: ProductTree,
    count: usize,
}

impl Handle for bezout_tree {
    type Value = ProductTree;

    fn value(&self) -> &ProductTree {
        &self.value
    }
}

handles! {
    bezout_prepared: Prepared;
    bezout_divisor: Divisor;
}

/// Stores a number prepared for many products, to be freed by bezout_prepared_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_prepared_new(
    out: *mut *mut bezout_prepared,
    a: *const bezout_int,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_prepared>(given(a, "a")?.try_prepare()?)) };
        Ok(())
    })
}

/// Frees a prepared number. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_prepared_free(prepared: *mut bezout_prepared) {
    // SAFETY: by the contract of all functions.
    unsafe { take(prepared) };
}

/// Stores a divisor prepared for many divisions, to be freed by bezout_divisor_free. An error if it
/// is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_divisor_new(
    out: *mut *mut bezout_divisor,
    a: *const bezout_int,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_divisor>(Divisor::new(given(a, "a")?)?)) };
        Ok(())
    })
}

/// Frees a divisor. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_divisor_free(divisor: *mut bezout_divisor) {
    // SAFETY: by the contract of all functions.
    unsafe { take(divisor) };
}

/// Stores the product tree of `count` numbers, to be freed by bezout_tree_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_tree_new(
    out: *mut *mut bezout_tree,
    numbers: *const *const bezout_int,
    count: usize,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        let numbers = unsafe { many(numbers, count, "numbers") }?;
        let value = ProductTree::new(&numbers)?;
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_tree>(bezout_tree { value, count })) };
        Ok(())
    })
}

/// Frees a tree. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_tree_free(tree: *mut bezout_tree) {
    // SAFETY: by the contract of all functions.
    unsafe { take(tree) };
}

/// x modulo each of the numbers of the tree, from 0 to |number| - 1, in `count` handles of the
/// caller's, which are as many as the tree has numbers. An error if one of them is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_tree_remainders(
    out: *const *mut bezout_int,
    count: usize,
    tree: *const bezout_tree,
    x: *const bezout_int,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions. The operands are not used after the results
        // are stored.
        unsafe {
            let out = places(out, count, "out")?;
            let tree = tree.as_ref().ok_or(Failure::Null("tree"))?;
            let x = given(x, "x")?;
            if count != tree.count {
                return Err(Failure::Argument(format!(
                    "{count} handles for the remainders of {} numbers",
                    tree.count
                )));
            }
            put_all(out, tree.value.try_remainders(x)?);
            Ok(())
        }
    })
}

/// x modulo each of `count` moduli, from 0 to |modulus| - 1, in as many handles of the caller's. An
/// error if a modulus is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_remainders(
    out: *const *mut bezout_int,
    x: *const bezout_int,
    moduli: *const *const bezout_int,
    count: usize,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions. The operands are not used after the results
        // are stored.
        unsafe {
            let out = places(out, count, "out")?;
            let rests = tree::remainders(given(x, "x")?, &many(moduli, count, "moduli")?)?;
            put_all(out, rests);
            Ok(())
        }
    })
}

/// The product of `count` numbers; 1 if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_product(
    out: *mut bezout_int,
    numbers: *const *const bezout_int,
    count: usize,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        tree::product(&unsafe { many(numbers, count, "numbers") }?)
    })
}

/// The sum of the products of `count` pairs; 0 if there are none. Cheaper than the products by
/// themselves where they are long and of about the same length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_sum_of_products(
    out: *mut bezout_int,
    a: *const *const bezout_int,
    b: *const *const bezout_int,
    count: usize,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let (a, b) = unsafe { (many(a, count, "a")?, many(b, count, "b")?) };
        let pairs: Vec<(&Int, &Int)> = a.iter().zip(&b).collect();
        Int::try_sum_of_products(&pairs)
    })
}

/// out = the prepared number times b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_prepared_mul(
    out: *mut bezout_int,
    prepared: *const bezout_prepared,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = prepared, b; prepared.try_mul(b))
}

/// The prepared number itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_prepared_value(
    out: *mut bezout_int,
    prepared: *const bezout_prepared,
) -> bezout_status {
    call!(out = prepared; Ok::<_, Failure>(prepared.value()))
}

/// Quotient of a by the divisor, rounded towards zero, and the remainder, which has the sign of
/// a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_divisor_div_rem(
    quotient: *mut bezout_int,
    remainder: *mut bezout_int,
    divisor: *const bezout_divisor,
    a: *const bezout_int,
) -> bezout_status {
    call!((quotient, remainder) = divisor, a; divisor.try_div_rem(a))
}

/// The remainder of a by the divisor, with the sign of a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_divisor_rem(
    out: *mut bezout_int,
    divisor: *const bezout_divisor,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = divisor, a; divisor.try_rem(a))
}

/// The remainder of a from 0 to |divisor| - 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_divisor_rem_euclid(
    out: *mut bezout_int,
    divisor: *const bezout_divisor,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = divisor, a; divisor.try_rem_euclid(a))
}

/// Stores whether the divisor divides a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_divisor_divides(
    out: *mut bool,
    divisor: *const bezout_divisor,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = divisor, a; divisor.try_divides(a))
}

/// The divisor itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_divisor_value(
    out: *mut bezout_int,
    divisor: *const bezout_divisor,
) -> bezout_status {
    call!(out = divisor; Ok::<_, Failure>(divisor.value()))
}

/// The product of all the numbers of the tree; 1 if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_tree_product(
    out: *mut bezout_int,
    tree: *const bezout_tree,
) -> bezout_status {
    call!(out = tree; Ok::<_, Failure>(tree.product()))
}
