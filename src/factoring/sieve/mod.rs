//! A self-initialising quadratic sieve on the host (Contini, *Factoring integers with the
//! self-initializing quadratic sieve*, 1997), with one or two large primes per relation.
//!
//! A relation is X² ≡ Π p^e (mod n) with every p in the factor base, except for at most two larger
//! primes. Enough relations have a product in which all exponents are even: X² ≡ Y². Then gcd(X −
//! Y, n) is a proper divisor of n for at least half of these products.
//!
//! | file | what |
//! |---|---|
//! | `plan.rs`, `base.rs` | the sizes; the multiplier and the factor base |
//! | `polynomial.rs` | the leading coefficients a, and the values of b that belong to each |
//! | `worker.rs` | the polynomials of one a: roots, sieving, relations from candidates |
//! | `candidate.rs` | the relation at a position that sieving has found |
//! | `cuda.rs`, `sieve.cu` | the polynomials on a device |
//! | `mark.rs`, `bucket.rs` | sieving by primes below the interval, and above it |
//! | `inner_loops.rs`, `wide.rs` | loops over the factor base; integers of 256 bits |
//! | `sieving.rs` | the distribution of the polynomials over threads |
//! | `relation.rs` | the relations that sieving finds |
//! | `journal/` | relations on disk |
//! | `filter/` | sets of relations whose large primes are squared; elimination of light columns |
//! | `matrix/` | products of sets in which all exponents are even |
//! | `square.rs` | the divisor that such a product gives |
//!
//! With P(x) = (ax + b)² − kn and b² ≡ kn (mod a), P(x)/a = ax² + 2bx + c is the value that must be
//! smooth. The coefficient a is a product of primes of the factor base.

mod base;
mod bucket;
mod candidate;
pub(crate) mod cuda;
mod filter;
mod inner_loops;
mod journal;
mod mark;
pub(crate) mod matrix;
mod plan;
mod polynomial;
mod relation;
mod sieving;
mod square;
#[cfg(test)]
mod tests;
mod wide;
mod worker;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cuda::Device;
use crate::engine::{self, Engine, Work};
use crate::error::{Error, Result};
use crate::number::Natural;
use crate::{notice, progress, threads};

use journal::{Base, Journal, record};
use plan::{SievePlan, Sizes};
use relation::Relation;
use sieving::{Elsewhere, Known, Sieving};

/// Numbers of more bits are not taken. Coefficients and values of the polynomials, below
/// 2^14·√(61n/2), must fit 255 bits, and longer numbers would take months.
pub(crate) const MOST_BITS: u64 = 400;
/// Numbers of fewer bits are not taken: their factor base has too few primes to choose a from.
pub(crate) const LEAST_BITS: u64 = 60;
/// Relations of numbers of fewer bits do not justify a file, or other processes: their sieve takes
/// at most a second.
pub(crate) const LEAST_KEPT_BITS: u64 = 180;
/// From this size on, several threads sieve one number.
const PARALLEL_BITS: u64 = 120;
/// Relations beyond the number of primes: each doubles the number of products that may split n.
const SURPLUS: usize = 12;
/// Block Lanczos wants more of them.
const LONG_SURPLUS: usize = 100;
/// Columns of the smallest factor base.
const LEAST_COLUMNS: usize = 30;
/// Rounds without a divisor, of at least SURPLUS products each, before the sieve gives up.
const ROUNDS: usize = 6;

/// A helper sends its relations when they have this many bytes, or after this time.
const SENT_BYTES: usize = 1 << 18;
const SENT_EVERY: Duration = Duration::from_millis(500);

/// Whether to go on. May be called from any thread.
type KeepGoing<'a> = &'a (dyn Fn() -> bool + Sync);

/// A rough estimate of the seconds that the sieve of a number of `bits` bits takes on all threads.
pub(crate) fn expected_seconds(bits: u64) -> f64 {
    Work::sieve(bits).cpu_micros() as f64 / 1e6
}

/// The work of the sieve of a number of `bits` bits, and of its matrix.
fn work_of(bits: u64) -> Work {
    let list: engine::KernelList = |_, tuning| {
        let mut all = cuda::units(tuning);
        all.extend(matrix::cuda::units(tuning));
        all
    };
    Work::sieve(bits).needing(list, (0, 0))
}

/// Wakes the device if [`run_placed`] will need it for a number of `bits` bits.
pub(crate) fn wake_ahead(bits: u64) {
    engine::wake_ahead(Work::sieve(bits));
}

/// A proper divisor of n, which is odd, composite, not a perfect power, and of LEAST_BITS to
/// MOST_BITS bits. None if `keep_going` stops the work, or if the sieve gives up, which it does on
/// a prime or a power.
pub(crate) fn run(n: &Natural, keep_going: KeepGoing<'_>) -> Option<Natural> {
    match plan(n, &Sizes::for_bits(n.bit_length()))? {
        // The caller that stopped it knows.
        Ok(plan) => sieve(&plan, None, &mut Known::default(), keep_going).ok()?,
        Err(divisor) => Some(divisor),
    }
}

/// [`run`] on the best engine, with relations on disk if there is a `path`: the sieve resumes from
/// the relations in that file, and appends new ones. If there are `others`, they sieve too. An
/// error states why the file is refused, or how a device that was requested by name failed.
pub(crate) fn run_placed(
    n: &Natural,
    path: Option<&Path>,
    others: Option<Others<'_>>,
    keep_going: KeepGoing<'_>,
) -> Result<Option<Natural>> {
    let bits = n.bit_length();
    let device = engine::device_for(work_of(bits))?;
    let mut journal = path.map(|path| Journal::open(path, n)).transpose()?;
    let mut sizes = sizes_for(bits, device.as_ref());
    if let Some(base) = journal.as_ref().and_then(Journal::base) {
        sizes.primes = (base.columns as usize).max(LEAST_COLUMNS) - 2;
    }
    let plan = match plan(n, &sizes) {
        None => return Ok(None),
        Some(Ok(plan)) => plan,
        Some(Err(divisor)) => return Ok(Some(divisor)),
    };
    let mut known = Known::default();
    if let Some(journal) = &mut journal {
        let base = Base {
            multiplier: plan.multiplier,
            columns: plan.columns() as u32,
            largest: plan.base.p.last().copied().unwrap_or(2),
        };
        known.extend(journal.relations(base, &plan.primes())?);
    }
    known.journal = journal;
    let columns = plan.columns() as u32;
    let take = || {
        let bytes = others.map_or(Ok(Vec::new()), |others| (others.take)())?;
        let relations = record::read_all(&bytes);
        let are_known = |relation: &Relation| relation.factors.iter().all(|c| *c < columns);
        relations
            .filter(|relations| relations.iter().all(are_known))
            .ok_or_else(|| Error::Cluster("another process sent what are no relations".into()))
    };
    if let Some(others) = others {
        (others.begin)(plan.base.p.len());
        known.elsewhere = Elsewhere::Helpers(&take);
    }
    let Some(device) = device else {
        return sieve(&plan, None, &mut known, keep_going);
    };
    match sieve(&plan, Some(&device), &mut known, keep_going) {
        Err(error) if Engine::current() == Engine::Auto && !progress::is_cancelled() => {
            notice::say(&format!("the sieve goes on on the CPU: {error}"));
            sizes = Sizes {
                primes: plan.base.p.len(),
                ..Sizes::for_bits(bits)
            };
            let plan = SievePlan::new(n, &sizes).map_err(|divisor| {
                Error::Verification(format!("{divisor} divides the number after all"))
            })?;
            sieve(&plan, None, &mut known, keep_going)
        }
        other => {
            // The host has had the last word, on a few numbers.
            Engine::Cuda(device.info().ordinal).note_used();
            other
        }
    }
}

/// Other processes, which sieve the same number in [`sieve_for_other`].
#[derive(Clone, Copy)]
pub(crate) struct Others<'a> {
    /// Starts them, with a factor base of this many odd primes.
    pub(crate) begin: &'a dyn Fn(usize),
    /// Returns what they have sent since the last call.
    pub(crate) take: &'a dyn Fn() -> Result<Vec<u8>>,
}

/// Sieves n for another process, with a factor base of `primes` odd primes, on the best engine of
/// this process. Helpers have different numbers, from 1 on. Sends relations from time to time. Ends
/// if `keep_going` stops it.
pub(crate) fn sieve_for_other(
    n: &Natural,
    primes: usize,
    helper: usize,
    send: &dyn Fn(&[u8]),
    keep_going: KeepGoing<'_>,
) -> Result<()> {
    let bits = n.bit_length();
    let device = engine::device_for(work_of(bits))?;
    let sizes = Sizes {
        primes,
        ..sizes_for(bits, device.as_ref())
    };
    let Some(Ok(plan)) = plan(n, &sizes) else {
        return Ok(());
    };
    let unsent = RefCell::new((Vec::new(), Instant::now()));
    let collect = |found: &[Relation]| {
        let (bytes, sent) = &mut *unsent.borrow_mut();
        found
            .iter()
            .for_each(|relation| record::write(relation, bytes));
        if bytes.len() >= SENT_BYTES || !bytes.is_empty() && sent.elapsed() >= SENT_EVERY {
            send(bytes);
            bytes.clear();
            *sent = Instant::now();
        }
    };
    let mut known = Known::default();
    known.elsewhere = Elsewhere::Leader {
        helper,
        send: &collect,
    };
    let threads = threads::count();
    let mut sieving = Sieving::new(&plan, &mut known);
    sieving.run(usize::MAX, device.as_ref(), threads, keep_going)?;
    Ok(())
}

/// The sizes for a number of `bits` bits on a device, or on the CPU.
fn sizes_for(bits: u64, device: Option<&Arc<Device>>) -> Sizes {
    match device {
        Some(device) => Sizes::on_device(bits, device.info().shared_bytes_per_block),
        None => Sizes::for_bits(bits),
    }
}

/// The plan for n, or a divisor of n; none if n has too few or too many bits.
fn plan(n: &Natural, sizes: &Sizes) -> Option<std::result::Result<SievePlan, Natural>> {
    let has_size = (LEAST_BITS..=MOST_BITS).contains(&n.bit_length());
    has_size.then(|| SievePlan::new(n, sizes))
}

/// Sieves and solves, on a device if there is one. `known` has the relations known before, and gets
/// the new ones.
fn sieve(
    plan: &SievePlan,
    device: Option<&Arc<Device>>,
    known: &mut Known<'_>,
    keep_going: KeepGoing<'_>,
) -> Result<Option<Natural>> {
    let is_alone = plan.n.bit_length() < PARALLEL_BITS || threads::is_of_pool();
    // A worker of a pool has one number of many: the other threads have theirs.
    let threads = if is_alone { 1 } else { threads::count() };
    let primes = plan.primes();
    let surplus = if primes.len() < 1000 {
        SURPLUS
    } else {
        LONG_SURPLUS
    };
    let mut wanted = plan.columns() + surplus;
    let mut sieving = Sieving::new(plan, known);
    for _ in 0..ROUNDS {
        if !sieving.run(wanted, device, threads, keep_going)? {
            break;
        }
        let collection = sieving.collection();
        let found = square::divisor(&plan.n, &primes, collection, device, keep_going)?;
        if found.is_some() {
            return Ok(found);
        }
        wanted = collection.cycles() + surplus;
    }
    Ok(None)
}
