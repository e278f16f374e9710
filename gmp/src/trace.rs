//! The table at exit: calls, sizes and time, by function and by who served them.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::function::Count;
use crate::{log, start};

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Whether calls are counted.
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Counts calls from now on, and writes the table when the process ends.
pub(crate) fn set(is_on: bool) {
    IS_ON.store(is_on, Ordering::Relaxed);
    if is_on {
        // SAFETY: `write` takes no argument and may run at any time.
        unsafe { libc::atexit(write) };
    }
}

extern "C" fn write() {
    let mut text = format!(
        "bezout-gmp: calls of process {}; the time of a call contains that of the calls it makes\n\
         bezout-gmp: {:<24} {:<8} {:>12} {:>21} {:>12}\n",
        std::process::id(),
        "function",
        "by",
        "calls",
        "limbs",
        "seconds"
    );
    for function in start::functions() {
        row(&mut text, function.name(), "bezout", &function.by_bezout);
        row(
            &mut text,
            function.name(),
            "original",
            &function.by_original,
        );
    }
    log::write(&text);
}

fn row(text: &mut String, name: &str, by: &str, count: &Count) {
    let calls = count.calls.load(Ordering::Relaxed);
    if calls == 0 {
        return;
    }
    let limbs = format!(
        "{}..{}",
        count.shortest.load(Ordering::Relaxed),
        count.longest.load(Ordering::Relaxed)
    );
    let seconds = count.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9;
    let _ = writeln!(
        text,
        "bezout-gmp: {name:<24} {by:<8} {calls:>12} {limbs:>21} {seconds:>12.6}"
    );
}
