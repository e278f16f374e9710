//! Pollard's rho on many threads as Beránek published it (*Basic Pollard Rho Algorithm
//! Implementation On CUDA Device*, 2017), on real arithmetic: for comparison, not for speed. Every
//! runner squares and adds its own c, and takes a GCD after every step.
//!
//! - Variant 1 (his section 3.1): all runners take a step, then the result is looked at, and so on;
//!   x, y and c are the number of the thread, from 1 on. A launch does some steps of all runners;
//!   as the factor that came first wins, that changes nothing but the time.
//! - Variant 2 (section 3.3): runners go on by themselves and look every 100 steps whether another
//!   one has a factor; x is 7, y is x² + c, c the number of the thread.
//!
//! Of several factors the one of the earliest step counts, and of those the one of the first
//! thread: a runner only stops if another one's factor came at an earlier step than it has reached.
//! So both variants give the same factor on every machine. His second kernel also ends where a
//! runner has met itself modulo n, with n as the result; here such a runner rests, and there is no
//! factor when all do.

pub(crate) mod cuda;
#[cfg(test)]
mod tests;
mod word;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::number::Natural;

use crate::engine::{self, Engine, Place, Residence, Work};
use crate::error::{Error, Result};
use crate::threads;

/// The longest numbers.
pub(crate) const MOST_BITS: u64 = 2048;
/// Steps after which runners of the second variant look at each other's results.
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

/// How many runners: blocks, and threads of each on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub blocks: u32,
    /// Threads a block, 1024 at most.
    pub threads: u32,
}

impl Shape {
    /// So many runners, or a few more.
    pub(crate) fn of(runners: usize) -> Shape {
        const THREADS: u32 = 128;
        Shape {
            blocks: (runners.div_ceil(THREADS as usize) as u32).max(1),
            threads: THREADS,
        }
    }

    fn runners(self) -> u32 {
        self.blocks * self.threads
    }
}

/// A factor of n that some of so many runners find, neither 1 nor n; none where all have met
/// themselves, or once `keep_going` says no. Numbers of at most 2048 bits, above 1.
pub(crate) fn rho(
    n: &Natural,
    variant: Variant,
    runners: usize,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Natural>> {
    rho_in_shape(n, variant, Shape::of(runners), keep_going)
}

/// The same with runners in this shape.
pub(crate) fn rho_in_shape(
    n: &Natural,
    variant: Variant,
    shape: Shape,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Natural>> {
    let bits = n.bit_length();
    if !(2..=MOST_BITS).contains(&bits) {
        let what = format!("a number of {bits} bits: rho as published takes 2 to {MOST_BITS} bits");
        return Err(Error::Domain(what));
    }
    if n.is_even() {
        return Ok((*n > 2).then(|| Natural::from(2u32)));
    }
    let factor = match engine::place(Work::IN_PLACE, [Residence::Host])? {
        Place::Cuda(device) => {
            Engine::Cuda(device.info().ordinal).note_used();
            cuda::run(&device, n, variant, shape, keep_going)?
        }
        Place::Cpu => {
            Engine::Cpu.note_used();
            match u64::try_from(n) {
                Ok(word) => on_cpu(&word::Word::new(word), variant, shape, keep_going),
                Err(_) => on_cpu(&Wide { n }, variant, shape, keep_going),
            }
        }
    };
    match factor {
        Some(factor) if factor == Natural::ONE || factor == *n || !n.is_multiple_of(&factor) => {
            Err(Error::Verification(format!("{factor} is no factor of {n}")))
        }
        factor => Ok(factor),
    }
}

/// What a runner has after a step.
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

/// What all runners know of each other: the least step·2^32 + thread with a factor.
struct Found(AtomicU64);

impl Found {
    fn least(&self) -> Option<(u32, u32)> {
        match self.0.load(Ordering::Relaxed) {
            u64::MAX => None,
            found => Some(((found >> 32) as u32, found as u32)),
        }
    }
}

fn on_cpu<R: Ring>(
    ring: &R,
    variant: Variant,
    shape: Shape,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Option<Natural> {
    let mut runners: Vec<Runner<R::Value>> = (1..=u64::from(shape.runners()))
        .map(|number| {
            let c = ring.number(number);
            let (x, y) = match variant {
                Variant::First => (c.clone(), c.clone()),
                Variant::Second => {
                    let x = ring.number(7);
                    (x.clone(), ring.next(&x, &c))
                }
            };
            Runner {
                x,
                y,
                c,
                met: false,
            }
        })
        .collect();
    let found = Found(AtomicU64::new(u64::MAX));
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
        if let Some((_, thread)) = found.least() {
            let winner = &runners[thread as usize];
            return Some(ring.common(&winner.x, &winner.y));
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
    found: &Found,
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
