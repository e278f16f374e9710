//! Where operations run. An engine is a value: the process has a default one, and a scope on one thread can override it.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// The ordinal of the executor: the kernels' own sources compiled for the host CPU. It is for tests and for debugging
/// kernels under sanitizers, never chosen by `Auto`, and written `cuda:executor`.
pub const EXECUTOR: u32 = u32::MAX;

/// Where an operation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Engine {
    /// Where the operands are, or where it is fastest. May choose the CPU, never after a kernel has started.
    #[default]
    Auto,
    /// The host's cores.
    Cpu,
    /// One CUDA device by number; an error if it cannot be used.
    Cuda(u32),
}

/// The process default: 0 auto, 1 CPU, 2 + n for CUDA device n. Read by every operation, so not behind a lock.
static DEFAULT: AtomicU64 = AtomicU64::new(0);

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
        DEFAULT.store(code, Ordering::Relaxed);
    }

    /// The engine in force on this thread.
    pub fn current() -> Engine {
        SCOPED.get().unwrap_or_else(|| match DEFAULT.load(Ordering::Relaxed) {
            0 => Engine::Auto,
            1 => Engine::Cpu,
            code => Engine::Cuda((code - 2) as u32),
        })
    }

    /// Runs `work` with this engine in force on this thread; scopes nest.
    pub fn scope<T>(self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<Engine>);
        impl Drop for Restore {
            fn drop(&mut self) {
                SCOPED.set(self.0);
            }
        }
        let _restore = Restore(SCOPED.replace(Some(self)));
        work()
    }

    /// The engine that the last operation on this thread ran on, never `Auto`.
    pub fn last_used() -> Option<Engine> {
        USED.get()
    }

    /// Remembers that an operation ran here.
    pub(crate) fn note_used(self) {
        USED.set(Some(self));
    }
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
