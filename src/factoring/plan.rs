//! Curves for numbers of at most 128 bits: the steps of each curve on both engines, and the number
//! of curves of each kind.
//!
//! A curve is in Montgomery's form with Suyama's parameter σ, so its order is a multiple of 12.
//! Stage 1 multiplies a point by every prime power up to B1 along Lucas chains (Montgomery,
//! *Evaluating recurrences of form X(m+n) = f(Xm, Xn, Xm−n)*, 1992): for each prime the cheapest
//! chain that its rules 3, 4, 5 and 9 give from any start. Stage 2 covers the primes q = 210k ± j
//! up to B2 with the 24 points jQ, 0 < j < 105 prime to 210, and the points 210kQ: all are made
//! affine by one inversion, after which a pair (k, j) costs one product. The sizes follow Buhrow's
//! microecm.

use std::sync::OnceLock;

use crate::fork::PerProcess;
use crate::modp::words;

/// A step of stage 1. A, B and C = ±(A − B) are points; each step keeps that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    /// A = 2A.
    Double = 0,
    /// A new chain: B = C = A, A = 2A.
    Start = 1,
    /// A and B change places.
    Swap = 2,
    /// Rule 3: C = B, B = A + B.
    Add = 3,
    /// Rule 4: B = A + B, A = 2A.
    AddDouble = 4,
    /// Rule 5: C = C + A, A = 2A.
    DoubleFirst = 5,
    /// Rule 9: C = C + B, B = 2B.
    DoubleSecond = 6,
    /// The end of a chain: A = A + B.
    End = 7,
}

/// Products of a doubling and of a differential addition.
const DOUBLE: u32 = 5;
const ADD: u32 = 6;

/// Distance of the giant steps, and the baby steps that reach every number prime to it.
pub(crate) const GIANT: u32 = 210;
pub(crate) const BABIES: usize = 24;

/// One kind of curve.
pub(crate) struct CurvePlan {
    pub(crate) b1: u32,
    pub(crate) b2: u32,
    pub(crate) steps: Vec<Step>,
    /// Of each giant step from 210 on, the baby steps that pair with it, by bits.
    pub(crate) pairs: Vec<u32>,
}

/// The numbers below 105 that are prime to 210.
pub(crate) fn babies() -> impl Iterator<Item = u32> {
    (1..GIANT / 2).filter(|j| [2, 3, 5, 7].iter().all(|p| j % p != 0))
}

impl CurvePlan {
    pub(crate) fn new(b1: u32, b2: u32) -> CurvePlan {
        let sieved: Vec<u32> = words::up_to(b2.into())
            .into_iter()
            .map(|p| p as u32)
            .collect();
        let mut steps = Vec::new();
        for p in sieved.iter().copied().take_while(|p| *p <= b1) {
            let mut power = p;
            let chain = chain(p);
            while power <= b1 {
                steps.extend(&chain);
                match power.checked_mul(p) {
                    Some(next) => power = next,
                    None => break,
                }
            }
        }
        let giants = (b2 + GIANT / 2) / GIANT;
        let mut pairs = vec![0u32; giants as usize];
        for q in sieved.into_iter().filter(|q| *q > b1.max(GIANT / 2)) {
            let k = (q + GIANT / 2) / GIANT;
            let distance = q.abs_diff(k * GIANT);
            let bit = babies().position(|j| j == distance);
            if let (Some(bit), Some(pairs)) = (bit, pairs.get_mut(k as usize - 1)) {
                *pairs |= 1 << bit;
            }
        }
        CurvePlan {
            b1,
            b2,
            steps,
            pairs,
        }
    }
}

/// The cheapest chain for the prime p.
fn chain(p: u32) -> Vec<Step> {
    if p == 2 {
        return vec![Step::Double];
    }
    // Good chains start near the golden section.
    let (from, to) = (p / 2 + 1, (p * 7 / 10).max(p / 2 + 2));
    (from..=to.min(p - 1))
        .filter_map(|r| chain_from(p, r))
        .min_by_key(|(cost, _)| *cost)
        .map_or_else(Vec::new, |(_, steps)| steps)
}

/// The chain for p that starts with r, if it ends at 1, and its cost: pA = d·A + e·B throughout.
fn chain_from(p: u32, r: u32) -> Option<(u32, Vec<Step>)> {
    let (mut d, mut e) = (p - r, (2 * r).checked_sub(p)?);
    let mut steps = vec![Step::Start];
    let mut cost = DOUBLE + ADD;
    while d != e {
        if d < e {
            (d, e) = (e, d);
            steps.push(Step::Swap);
        }
        if e == 0 {
            return None;
        }
        if d.div_ceil(4) <= e {
            d -= e;
            steps.push(Step::Add);
            cost += ADD;
            continue;
        }
        cost += ADD + DOUBLE;
        if (d + e).is_multiple_of(2) {
            d = (d - e) / 2;
            steps.push(Step::AddDouble);
        } else if d.is_multiple_of(2) {
            d /= 2;
            steps.push(Step::DoubleFirst);
        } else {
            e /= 2;
            steps.push(Step::DoubleSecond);
        }
    }
    steps.push(Step::End);
    (d == 1).then_some((cost, steps))
}

/// Bits of factors, and the B1 and B2 of curves for factors of at most these bits. Measured on
/// balanced semiprimes on one core (Xeon, Sapphire Rapids) and on an H200.
pub(crate) const LEVELS: [(u32, u32, u32); 10] = [
    (16, 16, 640),
    (20, 30, 1300),
    (24, 70, 3000),
    (28, 140, 5000),
    (32, 200, 9000),
    (36, 500, 20_000),
    (40, 800, 40_000),
    (48, 1400, 70_000),
    (56, 2500, 120_000),
    (64, 4500, 200_000),
];

/// The level of the `curve`th curve of a number of `bits` bits. A long number may have a short
/// factor, so a few cheap curves come first.
pub(crate) fn level(bits: u32, curve: u64) -> usize {
    let needed = |bits: u32| LEVELS.iter().position(|level| bits <= 2 * level.0);
    let last = needed(bits).unwrap_or(LEVELS.len() - 1);
    let first = match (bits, curve) {
        (80.., 0..3) => 5,
        (104.., 3..10) => 7,
        _ => last,
    };
    first.min(last)
}

/// The plan of a level.
pub(crate) fn plan(level: usize) -> &'static CurvePlan {
    static PLANS: [PerProcess<OnceLock<CurvePlan>>; LEVELS.len()] =
        [const { PerProcess::new(OnceLock::new()) }; LEVELS.len()];
    let (_, b1, b2) = LEVELS[level];
    PLANS[level].get_or_init(|| CurvePlan::new(b1, b2))
}
