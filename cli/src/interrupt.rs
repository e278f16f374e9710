//! Ctrl-C, for commands that go on after the first one. A second one before the command has asked
//! for the first ([`take`]) ends the process.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use bezout::progress;

use crate::failure::Failure;
use crate::output;

static LISTENING: AtomicBool = AtomicBool::new(false);
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt stops the work that [`output::watch`] and [`until_interrupt`] run. The
/// first one prints `notice` where there is one. Only the first call has an effect.
pub fn listen(notice: Option<&'static str>) -> Result<(), Failure> {
    if LISTENING.load(Ordering::Relaxed) {
        return Ok(());
    }
    ctrlc::set_handler(move || {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
        if let Some(notice) = notice {
            output::report(notice);
        }
    })
    .map_err(|error| Failure::failed(format!("cannot handle interrupts: {error}")))?;
    LISTENING.store(true, Ordering::Relaxed);
    Ok(())
}

/// Whether interrupts are listened for.
pub fn is_listened_for() -> bool {
    LISTENING.load(Ordering::Relaxed)
}

/// Whether there was an interrupt since the last call of [`take`].
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Whether there was an interrupt since the last call of [`take`]. It is forgotten.
pub fn take() -> bool {
    REQUESTED.swap(false, Ordering::Relaxed)
}

/// Whether work may go on.
pub fn verdict() -> ControlFlow<()> {
    if is_requested() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Runs work that an interrupt ends with an error.
pub fn until_interrupt<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    progress::scope(|_| verdict(), work)
}
