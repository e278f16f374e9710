//! A factorisation that can be stopped, written down, and taken up again.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use bezout::Error;
use bezout::factor::Search;

use super::{bezout_factor_options, bezout_factors, chosen, fetched};
use crate::border::{OutPointer, bezout_int, changed, give, given, guard, handles, take, text};
use crate::status::{Failure, bezout_status};
use crate::text::give_text;

/// A factorisation in progress. Made by bezout_search_new, freed by bezout_search_free.
pub struct bezout_search {
    value: Search,
}

handles! {
    bezout_search: Search;
}

/// Says by 0 that a search is to go on, and by anything else that it is to stop. It may be called
/// from another thread, never from two at once, and must return: no exception and no longjmp may
/// leave it.
pub type bezout_stop = Option<unsafe extern "C" fn(user: *mut c_void) -> c_int>;

/// A callback and the pointer that it gets. The lock keeps calls apart.
struct Stop {
    callback: unsafe extern "C" fn(*mut c_void) -> c_int,
    user: Mutex<*mut c_void>,
}

// SAFETY: the pointer is not followed here, and the contract of `bezout_stop` says that the
// callback may be called from another thread. The lock keeps two calls apart.
unsafe impl Sync for Stop {}

impl Stop {
    fn keep_going(&self) -> bool {
        let user = self.user.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the callback was given for this.
        unsafe { (self.callback)(*user) == 0 }
    }
}

/// Stores a search for the factors of a number from 1 on, to be freed by bezout_search_free.
/// `options` may be NULL for the usual ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_search_new(
    out: *mut *mut bezout_search,
    a: *const bezout_int,
    options: *const bezout_factor_options,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        unsafe {
            let search = Search::new(fetched(a)?, &chosen(options))?;
            out.put(give::<bezout_search>(search));
        }
        Ok(())
    })
}

/// Frees a search. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_search_free(search: *mut bezout_search) {
    // SAFETY: by the contract of all functions.
    unsafe { take(search) };
}

/// Goes on with a search until nothing is left to do, and `done` is true, or until `stop(user)` is
/// not 0, and `done` is false. `stop` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_search_run(
    done: *mut bool,
    search: *mut bezout_search,
    stop: bezout_stop,
    user: *mut c_void,
) -> bezout_status {
    guard(|| {
        let done = OutPointer::new(done, "done")?;
        // SAFETY: by the contract of all functions.
        let search = unsafe { changed(search, "search") }?;
        let stop = stop.map(|callback| Stop {
            callback,
            user: Mutex::new(user),
        });
        let keep_going = || stop.as_ref().is_none_or(Stop::keep_going);
        let ended = search.value.run(&keep_going, &mut |_| Ok(()))?;
        // SAFETY: by the contract of all functions.
        unsafe { done.put(ended) };
        Ok(())
    })
}

/// Stores what a search knows now: primes, and numbers that are not split yet. To be freed by
/// bezout_factors_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_search_result(
    out: *mut *mut bezout_factors,
    search: *const bezout_search,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_factors>(given(search, "search")?.result()?)) };
        Ok(())
    })
}

/// A new string that bezout_search_load makes the search of again, in JSON. To be freed by
/// bezout_string_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_search_save(
    out: *mut *mut c_char,
    search: *const bezout_search,
) -> bezout_status {
    guard(|| {
        let place = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        let search = unsafe { given(search, "search") }?;
        let json = serde_json::to_string(search).map_err(|error| malformed(&error))?;
        // SAFETY: by the contract of all functions.
        unsafe { give_text(place, json) }
    })
}

/// Stores the search that bezout_search_save wrote, to be freed by bezout_search_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_search_load(
    out: *mut *mut bezout_search,
    json: *const c_char,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        let json = unsafe { text(json, "json") }?;
        let search: Search = serde_json::from_str(json).map_err(|error| malformed(&error))?;
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_search>(search)) };
        Ok(())
    })
}

fn malformed(error: &serde_json::Error) -> Failure {
    Failure::Library(Error::Format {
        format: "search",
        reason: error.to_string(),
    })
}
