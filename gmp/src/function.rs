//! The functions that are taken over. Each has a static that every call of it reads.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::serve::{self, Decline};
use crate::{loader, log, start, trace};

/// Which library has the original of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Gmp,
    Flint,
}

/// One function that is taken over.
pub(crate) struct Function {
    /// Calls of fewer limbs than this go straight to the original. 0 until the first call, and
    /// while calls are traced, so that every call comes to [`Function::call`].
    pub(crate) gate: AtomicUsize,
    /// The original's address; null until it is known.
    pub(crate) original: AtomicPtr<c_void>,
    /// Calls of fewer limbs than this are the original's.
    pub(crate) least: AtomicUsize,
    /// Its name in the library.
    pub(crate) symbol: &'static CStr,
    /// Its name in settings, such as `gcd`. Several functions may have one name.
    pub(crate) family: &'static str,
    /// The least limbs from which bezout's CPU engine is faster than GMP with bezout's products, as
    /// `tests/thresholds.c` measured it on one core of a Xeon with AVX2 against GMP 6.2.1.
    pub(crate) tuned: usize,
    pub(crate) home: Home,
    pub(crate) by_bezout: Count,
    pub(crate) by_original: Count,
}

/// What a trace says about a function and who served it.
pub(crate) struct Count {
    pub(crate) calls: AtomicU64,
    pub(crate) nanoseconds: AtomicU64,
    pub(crate) shortest: AtomicUsize,
    pub(crate) longest: AtomicUsize,
}

impl Count {
    const fn new() -> Count {
        Count {
            calls: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
            shortest: AtomicUsize::new(usize::MAX),
            longest: AtomicUsize::new(0),
        }
    }

    fn add(&self, limbs: usize, time: Duration) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.nanoseconds
            .fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        self.shortest.fetch_min(limbs, Ordering::Relaxed);
        self.longest.fetch_max(limbs, Ordering::Relaxed);
    }

    pub(crate) fn clear(&self) {
        self.calls.store(0, Ordering::Relaxed);
        self.nanoseconds.store(0, Ordering::Relaxed);
        self.shortest.store(usize::MAX, Ordering::Relaxed);
        self.longest.store(0, Ordering::Relaxed);
    }
}

impl Function {
    pub(crate) const fn new(
        symbol: &'static CStr,
        family: &'static str,
        tuned: usize,
        home: Home,
    ) -> Function {
        Function {
            gate: AtomicUsize::new(0),
            original: AtomicPtr::new(std::ptr::null_mut()),
            least: AtomicUsize::new(usize::MAX),
            symbol,
            family,
            tuned,
            home,
            by_bezout: Count::new(),
            by_original: Count::new(),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.symbol.to_str().unwrap_or("?")
    }

    /// The original's address. Ends the process where no library has the function: the program
    /// would not have started without this library.
    pub(crate) fn address(&self) -> *mut c_void {
        let known = self.original.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let found = match self.home {
            Home::Gmp => start::gmp().and_then(|gmp| gmp.symbol(self.symbol)),
            Home::Flint => loader::loaded_with(self.symbol).and_then(|lib| lib.symbol(self.symbol)),
        };
        let Some(found) = found else {
            log::say(&format!(
                "{} was called and no loaded library has it; set BEZOUT_GMP_LIB to a GMP's path",
                self.name()
            ));
            std::process::abort();
        };
        self.original.store(found, Ordering::Relaxed);
        if !trace::is_on() {
            let least = self.least.load(Ordering::Relaxed);
            self.gate.store(least, Ordering::Release);
        }
        found
    }

    /// A call that passed the gate: by bezout if it is long enough, by the original if not, or if
    /// bezout declines or fails. Nothing with a destructor lives while `original` or `deliver` run,
    /// because the program's allocator may leave them by `longjmp`.
    pub(crate) fn call<T: Send, R>(
        &'static self,
        limbs: usize,
        original: impl FnOnce() -> R,
        compute: impl FnOnce() -> Result<T, Decline> + Send,
        deliver: impl FnOnce(T) -> R,
    ) -> R {
        // An operand of no limbs is a special case of GMP's, such as a division by zero.
        if limbs > 0 && limbs >= self.least.load(Ordering::Relaxed) {
            let begin = trace::is_on().then(Instant::now);
            if let Some(computed) = serve::by_bezout(self, compute) {
                let result = deliver(computed);
                if let Some(begin) = begin {
                    self.by_bezout.add(limbs, begin.elapsed());
                }
                return result;
            }
        }
        let begin = trace::is_on().then(Instant::now);
        let result = original();
        if let Some(begin) = begin {
            self.by_original.add(limbs, begin.elapsed());
        }
        result
    }
}
