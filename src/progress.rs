//! Progress of long work, and the way to stop it.
//!
//! [`scope`] runs work under an observer. The observer is called from time to time with the
//! progress of the work, and may stop it: the operation then ends with [`Error::Cancelled`], and
//! its operands are unchanged. The observer also applies to the threads that share the work.
//! Without an observer, the cost is one read of a thread-local variable.
//!
//! Inside the library a long operation is a `stage` of n units. The outermost stage is reported. A
//! stage inside a `step` of it fills that step's share and names the current part. Stages that run
//! at the same time on several threads are silent, because their shares cannot be separated. Every
//! operation that chooses an engine checks whether to stop, so a stage need not.
//!
//! ```
//! use std::ops::ControlFlow;
//! use bezout::{Error, Int, progress};
//!
//! let printed = progress::scope(
//!     |progress| match progress.fraction {
//!         Some(fraction) if fraction > 0.5 => ControlFlow::Break(()),
//!         _ => ControlFlow::Continue(()),
//!     },
//!     || Int::try_ones(1 << 20)?.try_to_string_radix(10),
//! );
//! assert_eq!(printed, Err(Error::Cancelled));
//! # Ok::<(), Error>(())
//! ```

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::memory;

/// How far the work in progress is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The name of the current stage; empty before the first stage.
    pub stage: &'static str,
    /// Which part of the stage is being done; empty where its parts have no names.
    pub part: &'static str,
    /// From 0 to 1, never falling within a stage. None if it is not known.
    pub fraction: Option<f64>,
}

/// The interval at which [`while_going`] checks whether to go on.
const INTERVAL: Duration = Duration::from_millis(20);

type Observer = dyn FnMut(Progress) -> ControlFlow<()> + Send;

/// One scope's observer, and the last progress that it received.
struct Watch {
    state: Mutex<(Box<Observer>, Progress)>,
    cancelled: AtomicBool,
}

/// The progress state of a thread: a watch, and the share of the outermost stage that a stage
/// started now fills. None if such a stage is silent.
#[derive(Clone)]
pub(crate) struct ProgressScope {
    watch: Arc<Watch>,
    share: Option<Share>,
}

#[derive(Clone, Copy)]
struct Share {
    start: f64,
    length: f64,
    /// The whole share: the stage that fills it is the outermost one.
    whole: bool,
}

const WHOLE: Share = Share {
    start: 0.0,
    length: 1.0,
    whole: true,
};

/// The progress before the first stage.
const NOTHING: Progress = Progress {
    stage: "",
    part: "",
    fraction: None,
};

thread_local! {
    static PLACE: RefCell<Option<ProgressScope>> = const { RefCell::new(None) };
}

/// Runs `work` with this observer on this thread and on those it shares the work with; an inner
/// scope takes the outer one's place.
///
/// Calls of the observer never overlap. Its own calls of the library are not observed.
pub fn scope<T>(
    observer: impl FnMut(Progress) -> ControlFlow<()> + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let watch = Watch {
        state: Mutex::new((Box::new(observer), NOTHING)),
        cancelled: AtomicBool::new(false),
    };
    with_place(
        Some(ProgressScope {
            watch: Arc::new(watch),
            share: Some(WHOLE),
        }),
        work,
    )
}

/// Runs `work`. After `keep_going` returns false, every operation inside `work` ends with
/// [`Error::Cancelled`]. A separate scoped thread calls `keep_going`, so `keep_going` may borrow.
/// An enclosing observer still receives all progress, and can still cancel.
pub(crate) fn while_going<T>(
    keep_going: &(dyn Fn() -> bool + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let outer = PLACE.with_borrow(|place| place.clone());
    let observer = move |progress| {
        let goes_on = match &outer {
            None => Ok(()),
            Some(ProgressScope { watch, share }) if share.is_some_and(|share| share.whole) => {
                watch.report(|_| progress)
            }
            Some(place) => place.watch.poll(),
        };
        goes_on.map_or(ControlFlow::Break(()), ControlFlow::Continue)
    };
    let watch = Arc::new(Watch {
        state: Mutex::new((Box::new(observer), NOTHING)),
        cancelled: AtomicBool::new(!keep_going()),
    });
    let place = ProgressScope {
        watch: watch.clone(),
        share: Some(WHOLE),
    };
    thread::scope(|threads| {
        let (done, waiting) = mpsc::channel::<()>();
        threads.spawn(move || {
            while waiting.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if !keep_going() {
                    watch.cancelled.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
        let result = with_place(Some(place), work);
        drop(done);
        result
    })
}

/// Runs `work` with this place in force on this thread.
fn with_place<T>(place: Option<ProgressScope>, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<ProgressScope>);
    impl Drop for Restore {
        fn drop(&mut self) {
            PLACE.set(self.0.take());
        }
    }
    let _restore = Restore(PLACE.replace(place));
    work()
}

/// Where this thread is, for a thread that takes a part of its work.
pub(crate) fn shared() -> Option<ProgressScope> {
    PLACE.with_borrow(|place| {
        place.as_ref().map(|place| ProgressScope {
            watch: place.watch.clone(),
            share: None,
        })
    })
}

/// A thread's observer, for threads that take parts of its work and cannot give an error.
pub(crate) struct Pulse(Option<ProgressScope>);

impl Pulse {
    /// That of this thread.
    pub(crate) fn of_thread() -> Pulse {
        Pulse(shared())
    }

    /// Whether the work may go on. After the observer has stopped it, [`check`] on the thread that
    /// distributes the work is an error.
    pub(crate) fn goes_on(&self) -> bool {
        self.0
            .as_ref()
            .is_none_or(|place| place.watch.poll().is_ok())
    }
}

/// Runs a part of another thread's work. Where that thread has no observer, neither has the part: a
/// thread of the pool that waits inside one piece of work may take up a piece of another, whose
/// observer must not stop it.
pub(crate) fn inherit<T>(place: Option<ProgressScope>, work: impl FnOnce() -> T) -> T {
    with_place(place, work)
}

/// An error if the observer wants the work to stop.
pub(crate) fn check() -> Result<()> {
    match PLACE.with_borrow(|place| place.as_ref().map(|place| place.watch.clone())) {
        None => Ok(()),
        Some(watch) => watch.poll(),
    }
}

/// Runs a short operation to its end, even if the observer stops the work: for an operation that
/// cannot report that it was cancelled.
pub(crate) fn unobserved<T>(work: impl FnOnce() -> T) -> T {
    if is_observed() {
        with_place(None, work)
    } else {
        work()
    }
}

/// Whether someone hears of this thread's progress, and may want the work to stop.
pub(crate) fn is_observed() -> bool {
    PLACE.with_borrow(Option::is_some)
}

/// Whether the work has been cancelled already. Unlike [`check`] this does not call the observer,
/// so it is cheap enough for an inner loop.
pub(crate) fn is_cancelled() -> bool {
    PLACE.with_borrow(|place| {
        place
            .as_ref()
            .is_some_and(|place| place.watch.cancelled.load(Ordering::Relaxed))
    })
}

/// Runs `work`, which is `total` units in all.
#[doc(hidden)]
pub fn stage<T>(
    name: &'static str,
    total: u64,
    work: impl FnOnce(&Stage) -> Result<T>,
) -> Result<T> {
    let place = PLACE.with_borrow(|place| place.clone());
    let stage = Stage {
        place,
        total: total.max(1),
        done: AtomicU64::new(0),
    };
    let Some(place) = &stage.place else {
        return work(&stage);
    };
    match place.share {
        Some(share) if share.whole => place.watch.report(|_| Progress {
            stage: name,
            part: "",
            fraction: Some(0.0),
        })?,
        Some(_) => place.watch.report(|last| Progress { part: name, ..last })?,
        None => {}
    }
    let silent = ProgressScope {
        watch: place.watch.clone(),
        share: None,
    };
    let result = with_place(Some(silent), || work(&stage))?;
    if let Some(share) = place.share {
        place.watch.reached(share.start + share.length)?;
    }
    Ok(result)
}

/// Work of a known number of units, on one thread or several.
#[doc(hidden)]
pub struct Stage {
    place: Option<ProgressScope>,
    total: u64,
    done: AtomicU64,
}

impl Stage {
    /// Records that `units` more units are finished. An error if the observer stops the work, or if
    /// there is too little memory left for the next units.
    pub fn advance(&self, units: u64) -> Result<()> {
        memory::check_reserve()?;
        let Some(place) = &self.place else {
            return Ok(());
        };
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        match place.share {
            None => place.watch.poll(),
            Some(share) => place.watch.reached(self.at(share, done)),
        }
    }

    /// Runs `work`, which counts as `units` units. Stages inside it fill their share. Not for work
    /// that runs at the same time as other work of this stage.
    pub fn step<T>(&self, units: u64, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let Some(place) = &self.place else {
            return work();
        };
        let before = self.done.load(Ordering::Relaxed);
        let share = place.share.map(|share| {
            let start = self.at(share, before);
            Share {
                start,
                length: self.at(share, before + units) - start,
                whole: false,
            }
        });
        let inner = ProgressScope {
            watch: place.watch.clone(),
            share,
        };
        let result = with_place(Some(inner), work)?;
        self.advance(units)?;
        Ok(result)
    }

    fn at(&self, share: Share, done: u64) -> f64 {
        share.start + share.length * (done as f64 / self.total as f64).min(1.0)
    }
}

impl Watch {
    /// The work has come this far.
    fn reached(&self, fraction: f64) -> Result<()> {
        self.report(|last| Progress {
            fraction: Some(fraction.clamp(last.fraction.unwrap_or(0.0), 1.0)),
            ..last
        })
    }

    fn report(&self, change: impl FnOnce(Progress) -> Progress) -> Result<()> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.tell(state, change)
    }

    /// Calls the observer, unless another thread is calling it.
    fn poll(&self) -> Result<()> {
        match self.state.try_lock() {
            Ok(state) => self.tell(state, |last| last),
            Err(TryLockError::Poisoned(state)) => self.tell(state.into_inner(), |last| last),
            Err(TryLockError::WouldBlock) => self.verdict(),
        }
    }

    fn tell(
        &self,
        mut state: MutexGuard<'_, (Box<Observer>, Progress)>,
        change: impl FnOnce(Progress) -> Progress,
    ) -> Result<()> {
        self.verdict()?;
        let (observer, progress) = &mut *state;
        *progress = change(*progress);
        // The observer's own work must not wait for the lock that this thread holds.
        if with_place(None, || observer(*progress)).is_break() {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        drop(state);
        self.verdict()
    }

    fn verdict(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }
}
