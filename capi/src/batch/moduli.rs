//! Moduli prepared for many products, in Montgomery's form.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use bezout::Moduli;

use crate::border::{OutPointer, bezout_batch, call, give, given, guard, handles, take};
use crate::status::{Failure, bezout_status};

/// Odd moduli, one for each row of a batch, prepared for many products. Made by bezout_moduli_new,
/// freed by bezout_moduli_free.
pub struct bezout_moduli {
    value: Moduli,
}

handles! {
    bezout_moduli: Moduli;
}

/// Stores new moduli, to be freed by bezout_moduli_free. An error where one is even.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_new(
    out: *mut *mut bezout_moduli,
    moduli: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        let moduli = Moduli::new(unsafe { given(moduli, "moduli") }?.clone())?;
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_moduli>(moduli)) };
        Ok(())
    })
}

/// Frees moduli. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_free(moduli: *mut bezout_moduli) {
    // SAFETY: by the contract of all functions.
    unsafe { take(moduli) };
}

/// One in Montgomery's form: R mod n in each row, R = 2^(64 * width).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_one(
    out: *mut bezout_batch,
    moduli: *const bezout_moduli,
) -> bezout_status {
    call!(out = moduli; Ok::<_, Failure>(moduli.one().clone()))
}

/// a * R mod n in each row, for any a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_to_form(
    out: *mut bezout_batch,
    moduli: *const bezout_moduli,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = moduli, a; moduli.try_to_form(&a.all()))
}

/// a / R mod n in each row: the number of which a is the form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_from_form(
    out: *mut bezout_batch,
    moduli: *const bezout_moduli,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = moduli, a; moduli.try_from_form(&a.all()))
}

/// a * b / R mod n in each row, for b < n: the form of the product of the numbers of which a and
/// b are the forms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_mul(
    out: *mut bezout_batch,
    moduli: *const bezout_moduli,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = moduli, a, b; moduli.try_mul(&a.all(), &b.all()))
}

/// a * a / R mod n in each row, for a < n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_square(
    out: *mut bezout_batch,
    moduli: *const bezout_moduli,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = moduli, a; moduli.try_square(&a.all()))
}

/// a + b mod n in each row, for a, b < n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_add(
    out: *mut bezout_batch,
    moduli: *const bezout_moduli,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = moduli, a, b; moduli.try_add(&a.all(), &b.all()))
}

/// a - b mod n in each row, for a, b < n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_moduli_sub(
    out: *mut bezout_batch,
    moduli: *const bezout_moduli,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = moduli, a, b; moduli.try_sub(&a.all(), &b.all()))
}
