//! Things a user should hear of that are not errors: the engine `Auto` fell back to, a cache that
//! cannot be written.
//!
//! A library does not write to stderr by itself: without a listener notices are dropped.

// The listener may be called by one thread at a time alone.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::fork::PerProcess;

type Listener = Box<dyn Fn(&str) + Send>;

/// Leaked, as another thread may be calling it; null before there is one. A forked process keeps
/// its parent's.
static LISTENER: AtomicPtr<Listener> = AtomicPtr::new(ptr::null_mut());
/// Whose turn it is to call the listener.
static TURN: PerProcess<Mutex<()>> = PerProcess::new(Mutex::new(()));
static SAID: PerProcess<Mutex<Option<HashSet<String>>>> = PerProcess::new(Mutex::new(None));

/// Sends every later notice to `listener`, which stays in memory for the life of the process.
pub fn set_listener(listener: impl Fn(&str) + Send + 'static) {
    let listener: Listener = Box::new(listener);
    LISTENER.store(Box::into_raw(Box::new(listener)), Ordering::Release);
}

/// Says `text`.
pub(crate) fn say(text: &str) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: what is stored is null or leaked. It is `Send`, and each process calls it under one
    // lock.
    if let Some(listener) = unsafe { LISTENER.load(Ordering::Acquire).as_ref() } {
        listener(text);
    }
}

/// Prints the notice `text`, unless this process has already printed it.
pub(crate) fn say_once(text: &str) {
    let fresh = SAID
        .lock()
        .unwrap_or_else(|e| e.into_inner())
        .get_or_insert_default()
        .insert(text.to_string());
    if fresh {
        say(text);
    }
}
