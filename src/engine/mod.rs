//! Where operations run. An engine is a value: the process has a default one, and a scope on one
//! thread can override it. `place.rs` decides what an engine means for one piece of work.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::cuda;
pub use crate::device::EXECUTOR;
use crate::error::{Error, Result};
use crate::tuning::{Scoped, Tuning};
use crate::{progress, threads};

mod place;

pub(crate) use crate::cuda::Residence;
pub(crate) use place::{
    ChosenPlace, KernelList, RowCost, Work, check, device_bytes, device_for, for_part, place, run,
    wake_ahead, wholly,
};
#[doc(hidden)]
pub use place::{Decision, decision, send_to};

/// Where an operation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Engine {
    /// Where the operands are, or where it is fastest. May choose the CPU, never after a kernel has
    /// started.
    #[default]
    Auto,
    /// The host's cores.
    Cpu,
    /// One CUDA device by number; an error if it cannot be used.
    Cuda(u32),
}

/// The process default: 0 auto, 1 CPU, 2 + n for CUDA device n. Read by every operation, so not
/// behind a lock.
static DEFAULT: AtomicU64 = AtomicU64::new(0);

/// Scopes, on all threads, that name a device which is not there, and the process default where it
/// does. While there is none, operations on small numbers need not look at their thread's engine.
static MISSING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SCOPED: Cell<Option<Engine>> = const { Cell::new(None) };
    static USED: Cell<Option<Engine>> = const { Cell::new(None) };
}

impl Engine {
    /// Makes this the engine of every thread that is not inside a [`Engine::scope`].
    pub fn set_default(self) {
        let code = match self {
            Engine::Auto => 0,
            Engine::Cpu => 1,
            Engine::Cuda(n) => 2 + u64::from(n),
        };
        static WAS_MISSING: AtomicBool = AtomicBool::new(false);
        let is_missing = self.is_missing();
        if is_missing {
            MISSING.fetch_add(1, Ordering::Relaxed);
        }
        DEFAULT.store(code, Ordering::Relaxed);
        if WAS_MISSING.swap(is_missing, Ordering::Relaxed) {
            MISSING.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The engine in force on this thread.
    pub fn current() -> Engine {
        SCOPED
            .get()
            .unwrap_or_else(|| match DEFAULT.load(Ordering::Relaxed) {
                0 => Engine::Auto,
                1 => Engine::Cpu,
                code => Engine::Cuda((code - 2) as u32),
            })
    }

    /// Runs `work` with this engine in force on this thread; scopes nest. Threads that `work`
    /// starts have the default engine, and so have tasks that it hands to a pool.
    pub fn scope<T>(self, work: impl FnOnce() -> T) -> T {
        struct Restore(bool, Option<Engine>);
        impl Drop for Restore {
            fn drop(&mut self) {
                SCOPED.set(self.1);
                if self.0 {
                    MISSING.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
        let is_missing = self.is_missing();
        if is_missing {
            MISSING.fetch_add(1, Ordering::Relaxed);
        }
        let _restore = Restore(is_missing, SCOPED.replace(Some(self)));
        work()
    }

    /// Whether this is a device that cannot be used, so that every operation under it must fail.
    fn is_missing(self) -> bool {
        matches!(self, Engine::Cuda(ordinal) if cuda::device(ordinal).is_err())
    }

    /// The engine that the last operation on this thread ran on, never `Auto`. Operators and plain
    /// names do not count for numbers of a few limbs, which are the CPU's.
    pub fn last_used() -> Option<Engine> {
        USED.get()
    }

    /// Every engine that can run here: the CPU, the executor where a C++ compiler is found, and
    /// each GPU.
    pub fn usable() -> Vec<Engine> {
        let devices = std::iter::once(EXECUTOR).chain(0..cuda::device_count());
        std::iter::once(Engine::Cpu)
            .chain(
                devices
                    .filter(|n| cuda::device(*n).is_ok())
                    .map(Engine::Cuda),
            )
            .collect()
    }

    /// Remembers that an operation ran here.
    pub(crate) fn note_used(self) {
        USED.set(Some(self));
    }
}

/// Whether a device that is not there may be in force on this thread by name.
#[inline]
pub(crate) fn is_device_missing() -> bool {
    MISSING.load(Ordering::Relaxed) > 0 && matches!(Engine::current(), Engine::Cuda(_))
}

/// Runs work on numbers of this many bits: under the engine in force, but on the CPU where that is
/// a device and they have fewer than `least_limbs` limbs.
pub(crate) fn on_cpu_if_short<T>(bits: u64, least_limbs: usize, work: impl FnOnce() -> T) -> T {
    match Engine::current() {
        Engine::Cuda(_) if bits < 64 * least_limbs as u64 => Engine::Cpu.scope(work),
        _ => work(),
    }
}

/// `work` on each item, on as many threads as are free, each under this thread's engine and tuning;
/// the first error wins.
pub(crate) fn map<T: Sync, U: Send>(
    items: &[T],
    work: &(impl Fn(&T) -> Result<U> + Sync),
) -> Result<Vec<U>> {
    match items {
        [] => Ok(Vec::new()),
        [item] => Ok(vec![work(item)?]),
        _ => {
            let (left, right) = items.split_at(items.len() / 2);
            let (left, right) = join(|| map(left, work), || map(right, work));
            let mut all = left?;
            all.extend(right?);
            Ok(all)
        }
    }
}

/// Both pieces of work, on two threads where one is free, each under this thread's engine, tuning
/// and observer.
pub(crate) fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (engine, tuning) = (Engine::current(), Scoped::current());
    let stream = cuda::stream_of_thread();
    let (watch, watch_too) = (progress::shared(), progress::shared());
    threads::join(
        || progress::inherit(watch, || tuning.enter(|| on(engine, stream, first))),
        || progress::inherit(watch_too, || tuning.enter(|| on(engine, stream, second))),
    )
}

/// `work` under an engine, with a stream of its device.
fn on<T>(engine: Engine, stream: usize, work: impl FnOnce() -> T) -> T {
    cuda::on_stream(stream, || engine.scope(work))
}

/// Runs `work` with this thread on stream `number` of whichever device it uses: for programs that
/// have threads of their own. Threads without one share stream 0. There are 16 more, and numbers
/// beyond them share those.
pub fn on_stream<T>(number: usize, work: impl FnOnce() -> T) -> T {
    cuda::on_stream(number, work)
}

/// `work` on each item, several items at once; the first error wins.
///
/// Where a device works, each of a few threads has a stream of it to itself, so that kernels of
/// independent operations can run side by side. On an H200 that saves up to a fifth of the time of
/// products of 2^19 to 2^23 bits; shorter and longer products, and all sums, take longer than one
/// after the other. On the CPU as many items are in work as there are threads.
///
/// ```
/// use bezout::{Int, engine};
///
/// let pairs: Vec<(Int, Int)> = (1..=8).map(|i| (Int::from(3).pow(100 * i), Int::from(i))).collect();
/// let products = engine::concurrently(&pairs, |(a, b)| a.try_mul(b))?;
/// assert_eq!(products[7], Int::from(3).pow(800) * Int::from(8));
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn concurrently<T: Sync, U: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<U> + Sync,
) -> Result<Vec<U>> {
    let has_device = match Engine::current() {
        Engine::Cpu => false,
        Engine::Auto => cuda::opened(0).is_some(),
        Engine::Cuda(_) => true,
    };
    if !has_device {
        return map(items, &work);
    }
    let streams: Vec<usize> = (1..=Tuning::in_force().device_streams.min(items.len())).collect();
    let next = AtomicUsize::new(0);
    let parts = map(&streams, &|stream| {
        cuda::on_stream(*stream, || {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(number) else {
                    return Ok(done);
                };
                done.push((number, work(item)?));
            }
        })
    })?;
    let mut all: Vec<(usize, U)> = parts.into_iter().flatten().collect();
    all.sort_unstable_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, value)| value).collect())
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Auto => f.write_str("auto"),
            Engine::Cpu => f.write_str("cpu"),
            Engine::Cuda(EXECUTOR) => f.write_str("cuda:executor"),
            Engine::Cuda(n) => write!(f, "cuda:{n}"),
        }
    }
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Engine> {
        match text {
            "auto" => Ok(Engine::Auto),
            "cpu" => Ok(Engine::Cpu),
            "cuda" => Ok(Engine::Cuda(0)),
            "cuda:executor" => Ok(Engine::Cuda(EXECUTOR)),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|n| n.parse().ok())
                .filter(|n| *n != EXECUTOR)
                .map(Engine::Cuda)
                .ok_or_else(|| {
                    Error::Domain(format!(
                        "unknown engine '{text}': use auto, cpu, cuda or cuda:N"
                    ))
                }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["auto", "cpu", "cuda:0", "cuda:7", "cuda:executor"] {
            assert_eq!(name.parse::<Engine>().unwrap().to_string(), name);
        }
        assert_eq!("cuda".parse::<Engine>().unwrap(), Engine::Cuda(0));
        for bad in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:4294967295"] {
            assert!(bad.parse::<Engine>().is_err(), "{bad}");
        }
    }

    #[test]
    fn scopes_nest_and_unwind() {
        Engine::Cpu.scope(|| {
            assert_eq!(Engine::current(), Engine::Cpu);
            Engine::Cuda(3).scope(|| assert_eq!(Engine::current(), Engine::Cuda(3)));
            let _ = std::panic::catch_unwind(|| Engine::Cuda(4).scope(|| panic!("unwind")));
            assert_eq!(Engine::current(), Engine::Cpu);
        });
    }
}
