//! Ctrl-C: the first stops the search, the second ends the process.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use bezout::progress;

use crate::failure::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first interrupt stops the search, and what is known is printed and saved; the second ends the process.
pub fn listen_for_interrupts() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
}

pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Runs work that an interrupt ends with an error.
pub fn until_interrupt<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let observer = |_| {
        if is_interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    progress::scope(observer, work)
}

/// Why work ended before it was done.
pub fn why_stopped() -> &'static str {
    if is_interrupted() {
        "interrupted"
    } else {
        "the time is up"
    }
}
