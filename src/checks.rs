//! Whether products are checked by residues. The checks are in `src/verify.rs`.

use std::sync::atomic::{AtomicBool, Ordering};

static ON: AtomicBool = AtomicBool::new(cfg!(debug_assertions));

/// Turns the checks on or off for the whole process. They cost a pass over operands and result on
/// the host.
pub fn set(on: bool) {
    ON.store(on, Ordering::Relaxed);
}

/// Whether products are checked.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}
