//! Pollard's rho on many threads as Beránek published it (*Basic Pollard Rho Algorithm
//! Implementation On CUDA Device*, 2017), on real arithmetic: for comparison, not for speed. Every
//! runner squares and adds its own c, and takes a GCD after every step.
//!
//! - Variant 1 (his section 3.1): all runners take a step, then the result is checked, and so on;
//!   x, y and c are the number of the thread, from 1 on. His launch does one step of all runners. A
//!   launch here does [`RunnerGrid::steps`] steps. The earliest factor wins, so this changes only
//!   the time.
//! - Variant 2 (section 3.3): runners are independent, and check every 100 steps whether another
//!   runner has a factor; x is 7, y is x² + c, and c is the number of the thread.
//!
//! Runners of both variants can begin either way, or at random ([`Start`]), which his section 4
//! asks about.
//!
//! If there are several factors, the one of the earliest step is the result, and among those the
//! one of the first thread. A runner stops only if another runner found a factor at an earlier step
//! than its own. So both variants give the same factor on every machine. His second kernel also
//! ends if a runner has entered a cycle modulo n, with n as the result. Here such a runner pauses,
//! and if all runners have paused, there is no factor.

pub(crate) mod cuda;
#[cfg(test)]
mod tests;
mod word;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::number::Natural;

use crate::engine::{self, ChosenPlace, Engine, Residence, Work};
use crate::error::{Error, Result};
use crate::threads;

/// The longest numbers.
pub(crate) const MOST_BITS: u64 = 2048;
/// Steps between two checks of the other runners' results in the second variant.
const LOOK: u32 = 100;
/// Runners that a thread of the CPU takes through their steps together.
const CHUNK: usize = 32;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Runners in step.
    First,
    /// Independent runners.
    Second,
}

/// The start of runner i, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// x = y = c = i, as in the first variant.
    Numbered,
    /// x = 7, c = i, and y = x² + c one step ahead of x, as in the second variant (his Fig. 10).
    Ahead,
    /// x = y and c are random words of this seed.
    Random(u64),
}

/// How many runners, and how a device runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunnerGrid {
    /// Blocks.
    pub blocks: u32,
    /// Threads per block, at most 1024.
    pub threads: u32,
    /// Steps of a launch of the first variant; the paper's has 1. Results do not depend on it.
    pub steps: u32,
    /// The start of the runners; None for that of the variant.
    pub start: Option<Start>,
    /// Whether multiprocessors are asked for more first-level cache and less shared memory (his
    /// Fig. 6).
    pub prefers_l1: bool,
}

impl RunnerGrid {
    /// Default steps of a launch of the first variant.
    pub const STEPS: u32 = 16;

    /// A grid of `blocks` blocks of `threads` threads.
    pub const fn new(blocks: u32, threads: u32) -> RunnerGrid {
        RunnerGrid {
            blocks,
            threads,
            steps: RunnerGrid::STEPS,
            start: None,
            prefers_l1: false,
        }
    }

    /// A grid of at least `runners` runners, and at most a few more.
    pub(crate) fn of(runners: usize) -> RunnerGrid {
        const THREADS: u32 = 128;
        let blocks = (runners.div_ceil(THREADS as usize) as u32).max(1);
        RunnerGrid::new(blocks, THREADS)
    }

    fn start_of(self, variant: Variant) -> Start {
        self.start.unwrap_or(match variant {
            Variant::First => Start::Numbered,
            Variant::Second => Start::Ahead,
        })
    }

    fn runners(self) -> u32 {
        self.blocks * self.threads
    }
}

/// A factor, and who came to it when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunnerFound {
    pub(crate) factor: Natural,
    /// Steps of the runner that came first.
    pub(crate) iterations: u64,
    /// Its number, from 1 on.
    pub(crate) runner: u64,
}

impl RunnerFound {
    /// For a step and a runner counted from 0.
    fn new(factor: Natural, step: u32, runner: u32) -> RunnerFound {
        RunnerFound {
            factor,
            iterations: u64::from(step) + 1,
            runner: u64::from(runner) + 1,
        }
    }
}

/// The activity of the warps of a device in a run: in each round of a loop, a warp of 32 lanes
/// works for the lanes that have not left the loop yet. His Figs. 8, 9 and 12 show this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Steps of all warps, a step of its slowest lane each.
    pub warp_steps: u64,
    /// Lanes with work in them.
    pub step_lanes: u64,
    /// Rounds of the warps' GCDs.
    pub gcd_rounds: u64,
    /// Lanes with work in them.
    pub gcd_lanes: u64,
    /// Runners that are resident on the device at once.
    pub resident_runners: u64,
}

impl Activity {
    /// The part of the lanes that works in the GCDs: 1 without divergence.
    pub fn gcd_efficiency(&self) -> f64 {
        self.gcd_lanes as f64 / (32 * self.gcd_rounds.max(1)) as f64
    }

    /// The part of the lanes that still runs, step by step.
    pub fn step_efficiency(&self) -> f64 {
        self.step_lanes as f64 / (32 * self.warp_steps.max(1)) as f64
    }
}

/// A factor of n, neither 1 nor n, that one of `runners` runners finds. None if all runners have
/// entered a cycle, or if `keep_going` stops the work. n is above 1 and has at most 2048 bits.
pub(crate) fn rho(
    n: &Natural,
    variant: Variant,
    runners: usize,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Natural>> {
    let found = rho_in_shape(n, variant, RunnerGrid::of(runners), keep_going)?;
    Ok(found.map(|found| found.factor))
}

/// The active lanes of such a run on the current device, for odd n > 2 of one limb. None on the
/// CPU.
pub(crate) fn activity(
    n: &Natural,
    variant: Variant,
    shape: RunnerGrid,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Activity>> {
    if n.is_even() || *n <= 2 {
        return Err(Error::Domain(format!(
            "{n}: lanes are counted for odd numbers above 2"
        )));
    }
    match engine::place(Work::IN_PLACE, [Residence::Host])? {
        ChosenPlace::Cuda(device) => {
            cuda::activity(&device, n, variant, shape, keep_going).map(Some)
        }
        ChosenPlace::Cpu => Ok(None),
    }
}

/// A factor of n, neither 1 nor n, that one of the runners of this grid finds. None if all runners
/// have entered a cycle, or if `keep_going` stops the work. n has 2 to `MOST_BITS` bits.
pub(crate) fn rho_in_shape(
    n: &Natural,
    variant: Variant,
    shape: RunnerGrid,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<RunnerFound>> {
    let bits = n.bit_length();
    if !(2..=MOST_BITS).contains(&bits) {
        let what = format!("a number of {bits} bits: rho as published takes 2 to {MOST_BITS} bits");
        return Err(Error::Domain(what));
    }
    if n.is_even() {
        return Ok((*n > 2).then(|| RunnerFound::new(Natural::from(2u32), 0, 0)));
    }
    let found = match engine::place(Work::IN_PLACE, [Residence::Host])? {
        ChosenPlace::Cuda(device) => {
            Engine::Cuda(device.info().ordinal).note_used();
            cuda::run(&device, n, variant, shape, keep_going)?
        }
        ChosenPlace::Cpu => {
            Engine::Cpu.note_used();
            match u64::try_from(n) {
                Ok(word) => on_cpu(&word::Word::new(word), variant, shape, keep_going),
                Err(_) => on_cpu(&Wide { n }, variant, shape, keep_going),
            }
        }
    };
    match found {
        Some(RunnerFound { factor, .. })
            if factor == Natural::ONE || factor == *n || !n.is_multiple_of(&factor) =>
        {
            Err(Error::Verification(format!("{factor} is no factor of {n}")))
        }
        found => Ok(found),
    }
}

/// The result of a runner's step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Factor,
    All,
}

/// Arithmetic modulo an odd n.
trait Ring: Sync {
    type Value: Clone + Send;
    fn number(&self, x: u64) -> Self::Value;
    /// x² + c.
    fn next(&self, x: &Self::Value, c: &Self::Value) -> Self::Value;
    /// gcd(x − y, n).
    fn common(&self, x: &Self::Value, y: &Self::Value) -> Natural;
    fn kind(&self, x: &Self::Value, y: &Self::Value) -> Kind;
}

/// Any n.
struct Wide<'a> {
    n: &'a Natural,
}

impl Ring for Wide<'_> {
    type Value = Natural;
    fn number(&self, x: u64) -> Natural {
        Natural::from(x) % self.n
    }
    fn next(&self, x: &Natural, c: &Natural) -> Natural {
        (x * x + c) % self.n
    }
    fn common(&self, x: &Natural, y: &Natural) -> Natural {
        let difference = if x > y { x - y } else { y - x };
        difference.gcd(self.n)
    }
    fn kind(&self, x: &Natural, y: &Natural) -> Kind {
        match self.common(x, y) {
            one if one == Natural::ONE => Kind::Nothing,
            all if all == *self.n => Kind::All,
            _ => Kind::Factor,
        }
    }
}

struct Runner<V> {
    x: V,
    y: V,
    c: V,
    met: bool,
}

/// The shared result of all runners: the smallest step·2^32 + thread with a factor.
struct Earliest(AtomicU64);

impl Earliest {
    fn least(&self) -> Option<(u32, u32)> {
        match self.0.load(Ordering::Relaxed) {
            u64::MAX => None,
            found => Some(((found >> 32) as u32, found as u32)),
        }
    }
}

/// Word i of the random words of a seed: SplitMix64, as in `runners.cu`.
fn random_word(seed: u64, i: u64) -> u64 {
    let z = seed.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Runner i, counted from 1, at its start.
fn runner_at<R: Ring>(ring: &R, start: Start, i: u64) -> Runner<R::Value> {
    let (x, y, c) = match start {
        Start::Numbered => {
            let c = ring.number(i);
            (c.clone(), c.clone(), c)
        }
        Start::Ahead => {
            let (x, c) = (ring.number(7), ring.number(i));
            (x.clone(), ring.next(&x, &c), c)
        }
        Start::Random(seed) => {
            let word = |of: u64| ring.number(random_word(seed, 2 * (i - 1) + of));
            (word(0), word(0), word(1))
        }
    };
    Runner {
        x,
        y,
        c,
        met: false,
    }
}

fn on_cpu<R: Ring>(
    ring: &R,
    variant: Variant,
    shape: RunnerGrid,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Option<RunnerFound> {
    let start = shape.start_of(variant);
    let mut runners: Vec<Runner<R::Value>> = (1..=u64::from(shape.runners()))
        .map(|i| runner_at(ring, start, i))
        .collect();
    let found = Earliest(AtomicU64::new(u64::MAX));
    let steps = match variant {
        Variant::First => 1,
        Variant::Second => LOOK,
    };
    let mut done = 0;
    while keep_going() {
        threads::chunks_mut(&mut runners, CHUNK, 1, |chunk, runners| {
            for (i, runner) in runners.iter_mut().enumerate() {
                let thread = (chunk * CHUNK + i) as u32;
                go(ring, runner, thread, done..done + steps, &found);
            }
        });
        if let Some((step, thread)) = found.least() {
            let winner = &runners[thread as usize];
            let factor = ring.common(&winner.x, &winner.y);
            return Some(RunnerFound::new(factor, step, thread));
        }
        if runners.iter().all(|runner| runner.met) {
            return None;
        }
        done += steps;
    }
    None
}

/// Some steps of a runner.
fn go<R: Ring>(
    ring: &R,
    runner: &mut Runner<R::Value>,
    thread: u32,
    steps: std::ops::Range<u32>,
    found: &Earliest,
) {
    if runner.met || found.least().is_some_and(|(step, _)| step < steps.start) {
        return;
    }
    for step in steps {
        runner.x = ring.next(&runner.x, &runner.c);
        runner.y = ring.next(&ring.next(&runner.y, &runner.c), &runner.c);
        match ring.kind(&runner.x, &runner.y) {
            Kind::Nothing => continue,
            Kind::All => runner.met = true,
            Kind::Factor => {
                let key = u64::from(step) << 32 | u64::from(thread);
                found.0.fetch_min(key, Ordering::Relaxed);
            }
        }
        return;
    }
}
