//! Opening a device on another thread, while the CPU goes on with the work.
//!
//! The driver takes some tenths of a second to start. A process that ends meanwhile waits for that: the
//! driver must not be torn down while it starts.

use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::thread;
use std::time::Duration;

/// The process that is opening a device, if one is.
static OPENING: Mutex<Option<u32>> = Mutex::new(None);
static OPENED: Condvar = Condvar::new();

/// Longest wait at the end of a process. A driver that takes longer hangs.
const MOST_WAIT: Duration = Duration::from_secs(10);

/// Opens device `ordinal` on another thread. Once in a process: a device that is not there does not come.
pub(crate) fn wake(ordinal: u32) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        *OPENING.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::process::id());
        let open = move || {
            if super::device_count() > 0 {
                // Work that needs it meets the error itself.
                let _ = super::device(ordinal);
            }
            finish();
        };
        match thread::Builder::new()
            .name("bezout-wake".into())
            .spawn(open)
        {
            Ok(_) => wait_at_exit(),
            // Without room for a thread there is no device either.
            Err(_) => finish(),
        }
    });
}

fn finish() {
    *OPENING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    OPENED.notify_all();
}

/// Waits until no device is being opened. A child of the process has no thread that opens one.
#[cfg(target_os = "linux")]
extern "C" fn wait() {
    let opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let is_ours = |opening: &mut Option<u32>| *opening == Some(std::process::id());
    let _ = OPENED.wait_timeout_while(opening, MOST_WAIT, is_ours);
}

#[cfg(target_os = "linux")]
fn wait_at_exit() {
    // SAFETY: the function takes and gives nothing, and lives as long as the process.
    unsafe { libc::atexit(wait) };
}

#[cfg(not(target_os = "linux"))]
fn wait_at_exit() {}
