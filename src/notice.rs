//! Things a user should hear of that are not errors: the engine `Auto` fell back to, a cache that
//! cannot be written.
//!
//! A library does not write to stderr by itself: without a listener notices are dropped.

use std::collections::HashSet;
use std::sync::Mutex;

type Listener = Box<dyn Fn(&str) + Send>;

static LISTENER: Mutex<Option<Listener>> = Mutex::new(None);
static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Sends every later notice to `listener`.
pub fn set_listener(listener: impl Fn(&str) + Send + 'static) {
    *LISTENER.lock().unwrap_or_else(|e| e.into_inner()) = Some(Box::new(listener));
}

/// Says `text`.
pub(crate) fn say(text: &str) {
    if let Some(listener) = &*LISTENER.lock().unwrap_or_else(|e| e.into_inner()) {
        listener(text);
    }
}

/// Says `text` unless the same text was said before in this process.
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
