//! Ctrl-C and SIGTERM, for commands that go on after the first one. A second one before the command
//! has asked for the first ([`take`]) ends the process, unless it comes within [`SAME`] of the
//! first.

use std::ops::ControlFlow;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bezout::progress;

use crate::failure::Failure;
use crate::output;

/// Signals that come so soon after one another are one request. `timeout` sends SIGTERM to its
/// child, and then to the group that the child is in; a program that runs another may pass on the
/// Ctrl-C that the terminal has sent to both.
const SAME: Duration = Duration::from_millis(250);

static LISTENING: AtomicBool = AtomicBool::new(false);
static REQUESTED: AtomicBool = AtomicBool::new(false);
static DEADLINE: OnceLock<Instant> = OnceLock::new();

/// From now on an interrupt stops the work that [`output::watch`] and [`until_interrupt`] run. The
/// first one prints `notice` where there is one; without a notice SIGTERM is an interrupt too. Only
/// the first call has an effect.
pub fn listen(notice: Option<&'static str>) -> Result<(), Failure> {
    if LISTENING.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut last: Option<Instant> = None;
    ctrlc::set_handler(move || {
        let is_same = last.is_some_and(|time| time.elapsed() < SAME);
        last = Some(Instant::now());
        if is_same {
            return;
        }
        if REQUESTED.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
        if let Some(notice) = notice {
            output::report(notice);
        }
    })
    .map_err(|error| Failure::failed(format!("cannot handle interrupts: {error}")))?;
    LISTENING.store(true, Ordering::Relaxed);
    // A session goes on after an interrupt, and says so. SIGTERM is there to end the session.
    if notice.is_none() {
        listen_for_termination();
    }
    Ok(())
}

/// From now on SIGTERM is an interrupt. SIGHUP is not, because `nohup` ignores SIGHUP.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system's interface to signals")]
fn listen_for_termination() {
    // SAFETY: all zeros are a valid `sigaction`. Both pointers to it are valid during the calls,
    // and a null pointer asks for nothing. The handler of SIGINT is that of `ctrlc`, which ignores
    // the number of the signal.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGINT, std::ptr::null(), &mut action) == 0 {
            libc::sigaction(libc::SIGTERM, &action, std::ptr::null_mut());
        }
    }
}

#[cfg(not(unix))]
fn listen_for_termination() {}

/// After this time, work that [`verdict`] is asked about stops as after an interrupt. Only the
/// first call has an effect.
pub fn stop_after(time: Duration) {
    DEADLINE.get_or_init(|| Instant::now() + time);
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
    let is_late = || DEADLINE.get().is_some_and(|end| Instant::now() >= *end);
    if is_requested() || is_late() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// What stopped work that [`verdict`] said may not go on, in words: an interrupt, or the end of a
/// time that was given.
pub fn failure(time: Option<Duration>, has_checkpoint: bool) -> Failure {
    let failure = match time {
        Some(time) if !is_requested() => {
            Failure::failed(format!("not done after {} s", time.as_secs_f64()))
        }
        _ => Failure::failed("interrupted"),
    };
    if has_checkpoint {
        failure.hint("the same command goes on where its checkpoint ends")
    } else {
        failure
    }
}

/// The failure of work that [`verdict`] may have stopped: that it was interrupted, or `failure`.
pub fn or_interrupted(failure: Failure) -> Failure {
    if is_listened_for() && is_requested() {
        self::failure(None, false)
    } else {
        failure
    }
}

/// Runs work that an interrupt ends with an error.
pub fn until_interrupt<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    progress::scope(|_| verdict(), work)
}
