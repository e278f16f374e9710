//! Ctrl-C, for commands that go on after it.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::output;

static LISTENING: AtomicBool = AtomicBool::new(false);
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt stops the work that [`output::watch`] runs. A second one before the
/// work has stopped ends the process.
pub fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
        output::report("stopping; Ctrl-C once more ends the program");
    })
    .map_err(|error| Failure::failed(format!("cannot handle interrupts: {error}")))?;
    LISTENING.store(true, Ordering::Relaxed);
    Ok(())
}

/// Whether interrupts are listened for.
pub fn is_listened_for() -> bool {
    LISTENING.load(Ordering::Relaxed)
}

/// Whether there was an interrupt since the last call.
pub fn take() -> bool {
    REQUESTED.swap(false, Ordering::Relaxed)
}

/// Whether work may go on.
pub fn verdict() -> ControlFlow<()> {
    if REQUESTED.load(Ordering::Relaxed) {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
