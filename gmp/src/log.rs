//! Messages, to the file that `BEZOUT_GMP_LOG` names or to stderr.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Mutex;

/// Writes one message. A failure to write has nowhere to go and is dropped.
pub(crate) fn say(text: &str) {
    write(&format!("bezout-gmp: {text}\n"));
}

/// Writes a message unless it was written before.
pub(crate) fn say_once(text: &str) {
    static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(|broken| broken.into_inner());
    if said.get_or_insert_default().insert(text.to_string()) {
        drop(said);
        say(text);
    }
}

/// Writes text in one piece, so that lines of several processes do not mix.
pub(crate) fn write(text: &str) {
    let file = std::env::var_os("BEZOUT_GMP_LOG").filter(|name| !name.is_empty());
    if let Some(name) = file.filter(|name| name != "stderr") {
        let opened = OpenOptions::new().create(true).append(true).open(name);
        if let Ok(mut file) = opened {
            let _ = file.write_all(text.as_bytes());
            return;
        }
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}
