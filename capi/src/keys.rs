//! Keys that share a prime: among many RSA moduli, those that have a factor in common.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use bezout::keys::{self, Shared};

use crate::border::{OutPointer, bezout_int, call, give, guard, handles, many, take};
use crate::status::{Failure, bezout_status};

/// The factors that moduli share, or the places of equal moduli. Freed by bezout_shared_free.
pub struct bezout_shared {
    value: Vec<Group>,
}

/// A factor, and the places of the moduli that it divides.
pub(crate) struct Group {
    factor: bezout::Int,
    places: Vec<usize>,
}

handles! {
    bezout_shared: Vec<Group>;
}

/// Stores the factors that different ones of `count` moduli have in common, each with the places of
/// the moduli it divides; any two of them are coprime. Equal moduli count as one: bezout_duplicates
/// lists them. To be freed by bezout_shared_free. An error if a modulus is not positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_shared_factors(
    out: *mut *mut bezout_shared,
    moduli: *const *const bezout_int,
    count: usize,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        let moduli = unsafe { many(moduli, count, "moduli") }?;
        let group = |Shared { factor, moduli, .. }| Group {
            factor,
            places: moduli,
        };
        let groups: Vec<Group> = keys::shared_factors(&moduli)?
            .into_iter()
            .map(group)
            .collect();
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_shared>(groups)) };
        Ok(())
    })
}

/// Stores the places of moduli that are there more than once, equal ones together; the factor of
/// each group is the modulus. To be freed by bezout_shared_free. An error if a modulus is not
/// positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_duplicates(
    out: *mut *mut bezout_shared,
    moduli: *const *const bezout_int,
    count: usize,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        let moduli = unsafe { many(moduli, count, "moduli") }?;
        let group = |places: Vec<usize>| Group {
            factor: moduli[places[0]].clone(),
            places,
        };
        let groups: Vec<Group> = keys::duplicates(&moduli)?.into_iter().map(group).collect();
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_shared>(groups)) };
        Ok(())
    })
}

/// Frees what bezout_shared_factors or bezout_duplicates stored. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_shared_free(shared: *mut bezout_shared) {
    // SAFETY: by the contract of all functions.
    unsafe { take(shared) };
}

/// Stores how many factors, or groups of equal moduli, there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_shared_count(
    out: *mut usize,
    shared: *const bezout_shared,
) -> bezout_status {
    call!(out = shared; Ok::<_, Failure>(shared.len()))
}

fn at(shared: &[Group], index: usize) -> Result<&Group, Failure> {
    let refuse = || Failure::Argument(format!("shared factor {index} of {}", shared.len()));
    shared.get(index).ok_or_else(refuse)
}

/// Factor `index`, from 0 on: a prime, unless the same primes are always shared together.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_shared_factor(
    out: *mut bezout_int,
    shared: *const bezout_shared,
    index: usize,
) -> bezout_status {
    call!(out = shared; at(shared, index).map(|group| group.factor.clone()))
}

/// The places, from 0 on and in order, of all moduli that factor `index` divides. They stay valid
/// until `shared` is freed, and must not be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_shared_moduli(
    places: *mut *const usize,
    count: *mut usize,
    shared: *const bezout_shared,
    index: usize,
) -> bezout_status {
    call!((places, count) = shared;
        at(shared, index).map(|group| (group.places.as_ptr(), group.places.len())))
}
