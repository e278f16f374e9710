//! The leading coefficients a = q1·…·qs, and the parts of the values of b that belong to each.
//!
//! b = ±B1 ± … ± Bs with Bi = (a/qi)·γi and γi² ≡ kn·(a/qi)^−2 (mod qi), so that b² ≡ kn (mod a).
//! Modulo a prime p that does not divide a, Bi/a ≡ γi/qi: the inverses of the primes qi modulo p
//! are all that the roots need.
//!
//! Where kn is 1 modulo 8, X² − kn is odd or a multiple of 8. The sieve of a thread then takes odd
//! X only: X = 2ax + b with an odd b, which is the sum above or a more, and X² − kn = 4a(ax² + bx +
//! c). In the places of one interval these are twice as many values of use, of half the size.

use std::collections::HashSet;
use std::sync::Arc;

use super::inner_loops;
use super::plan::SievePlan;
use super::wide::Wide;
use crate::modp::words::pow_mod;

/// Maximum primes of one a.
pub(super) const MOST_FACTORS: usize = 20;
/// Primes of the base that a is chosen from, but for its last one.
const POOL: usize = 30;
/// Choices that gave no new coefficient before the pool grows.
const PATIENCE: usize = 50;

/// One leading coefficient.
pub(super) struct Leading {
    pub(super) a: Wide,
    /// The places of its primes in the factor base.
    pub(super) factors: Vec<usize>,
    /// Bi and γi for each.
    pub(super) parts: Vec<(Wide, u32)>,
    /// The inverses of each modulo all primes of the base, where the coefficients keep them.
    pub(super) inverses: Vec<Arc<[i32]>>,
    /// As in the plan.
    pub(super) doubles: bool,
}

/// Leading coefficients near the best one, each at most once.
pub(super) struct Coefficients<'a> {
    plan: &'a SievePlan,
    count: usize,
    middle: usize,
    pool: usize,
    used: HashSet<Vec<usize>>,
    /// The state of the generator that chooses.
    state: u64,
    /// Whether leading coefficients have inverses: a device makes its own.
    keeps_inverses: bool,
    /// For each place in the base that some a has used: the inverses of its prime modulo all primes
    /// of the base.
    inverses: Vec<Option<Arc<[i32]>>>,
}

impl<'a> Coefficients<'a> {
    /// Other seeds give other coefficients first.
    pub(super) fn new(plan: &'a SievePlan, seed: u64) -> Coefficients<'a> {
        let base = &plan.base;
        let wanted = f64::from(plan.sizes.factor_bits) / 8.0;
        // The primes must be in the base, and larger ones than the average must be too.
        let most = base.real[base.p.len() * 2 / 3].log2();
        let count = (plan.leading / wanted)
            .round()
            .max((plan.leading / most).ceil());
        let count = count.clamp(2.0, MOST_FACTORS as f64);
        let ideal = (plan.leading / count).exp2();
        let middle = base.real.partition_point(|p| *p < ideal);
        Coefficients {
            plan,
            count: count as usize,
            middle,
            pool: POOL,
            used: HashSet::new(),
            // Odd, so not 0.
            state: 0x9e37_79b9_7f4a_7c15 ^ (seed << 1).wrapping_mul(0xbf58_476d_1ce4_e5b9),
            keeps_inverses: true,
            inverses: vec![None; base.p.len()],
        }
    }

    /// From now on, leading coefficients come without the inverses of their primes.
    pub(super) fn leave_out_inverses(&mut self) {
        self.keeps_inverses = false;
    }

    /// Primes of each leading coefficient.
    pub(super) fn factors(&self) -> usize {
        self.count
    }

    /// The next leading coefficient; none if no more is found.
    pub(super) fn next(&mut self) -> Option<Leading> {
        for misses in 1..=40 * PATIENCE {
            let factors = self.choice();
            if let Some(factors) = factors
                && self.used.insert(factors.clone())
            {
                return Some(self.leading(factors));
            }
            if misses % PATIENCE == 0 {
                self.pool = (self.pool + self.pool / 2).min(self.plan.base.p.len());
            }
        }
        None
    }

    /// Xorshift (Marsaglia, *Xorshift RNGs*, J. Stat. Softw. 8 (2003)).
    fn random(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((u128::from(self.state) * below as u128) >> 64) as usize
    }

    /// Places of different primes, ascending: random ones from the pool, and the one that fits best
    /// beside them.
    fn choice(&mut self) -> Option<Vec<usize>> {
        let base = &self.plan.base;
        // Primes that divide the multiplier have no two roots, and small ones miss in too many
        // values.
        let least = base.p.partition_point(|p| *p < 64).min(base.p.len() / 4);
        let end = (self.middle + self.pool / 2).clamp(self.pool.min(base.p.len()), base.p.len());
        let start = end.saturating_sub(self.pool).max(least);
        let mut factors: Vec<usize> = Vec::with_capacity(self.count);
        let mut left = self.plan.leading;
        while factors.len() + 1 < self.count {
            let place = start + self.random(end - start);
            if !factors.contains(&place) && base.root[place] != 0.0 {
                left -= base.real[place].log2();
                factors.push(place);
            }
        }
        let best = left.exp2();
        let above = base.real.partition_point(|p| *p < best).max(least);
        let is_free = |place: &usize| {
            *place < base.p.len() && !factors.contains(place) && base.root[*place] != 0.0
        };
        let spread = 2 + self.random(4);
        let last = (above.saturating_sub(spread / 2)..above + spread).find(is_free)?;
        let ratio = base.real[last].log2() - left;
        if ratio.abs() > 1.0 {
            return None;
        }
        factors.push(last);
        factors.sort_unstable();
        Some(factors)
    }

    fn leading(&mut self, factors: Vec<usize>) -> Leading {
        let base = &self.plan.base;
        let kept = if self.keeps_inverses {
            factors.as_slice()
        } else {
            &[]
        };
        let inverses: Vec<Arc<[i32]>> = kept
            .iter()
            .map(|place| {
                let inverses = || inner_loops::inverses(base.p[*place], base).into();
                self.inverses[*place].get_or_insert_with(inverses).clone()
            })
            .collect();
        let product = |places: &mut dyn Iterator<Item = &usize>| {
            places.fold(Wide::from(1), |product, place| {
                product.times(base.p[*place].into())
            })
        };
        let part = |place: &usize| {
            let q = u64::from(base.p[*place]);
            let others = || factors.iter().filter(|other| *other != place);
            let rest = others().fold(1, |rest, other| rest * u64::from(base.p[*other]) % q);
            // The inverse, by Fermat's little theorem.
            let gamma = pow_mod(rest, q - 2, q) * base.root[*place] as u64 % q;
            let gamma = gamma.min(q - gamma);
            (product(&mut others()).times(gamma), gamma as u32)
        };
        Leading {
            a: product(&mut factors.iter()),
            parts: factors.iter().map(part).collect(),
            inverses,
            factors,
            doubles: self.plan.doubles,
        }
    }
}
