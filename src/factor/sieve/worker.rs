//! The polynomials of one leading coefficient: their roots modulo the primes of the base, the
//! places that the sieve finds, and the relations at these places.

use super::bucket::{BATCH, Buckets, Roots, Step};
use super::lanes;
use super::mark::{Classes, Marked};
use super::plan::Plan;
use super::polynomial::{Leading, MOST_FACTORS};
use super::relation::Relation;
use super::wide::{Cofactor, Wide};
use crate::factor::small;
use crate::word::montgomery::Word64;

/// The arrays that one thread needs.
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    /// Twice as long as the interval: marks beyond the interval do not count.
    sieve: Vec<u8>,
    classes: Classes,
    /// Both roots modulo each prime, as places in the sieve.
    first: Vec<u32>,
    second: Vec<u32>,
    /// How the roots change with the sign of each part of b.
    deltas: Vec<Vec<u32>>,
    /// Logarithms, 0 at the primes of a.
    logs: Vec<u8>,
    flags: Vec<u8>,
    sum: Vec<f64>,
    inverse: Vec<f64>,
    candidates: Vec<u32>,
    buckets: Option<Buckets>,
    met: Vec<usize>,
}

/// One polynomial: x → ax² + 2bx + c.
struct Polynomial<'a> {
    leading: &'a Leading,
    b: Wide,
    c: Wide,
    /// Its place in the batch.
    index: usize,
}

impl<'a> Worker<'a> {
    pub(super) fn new(plan: &'a Plan) -> Worker<'a> {
        let p = &plan.base.p;
        let len = p.len();
        let interval = plan.sizes.interval;
        Worker {
            plan,
            sieve: vec![0; 2 * interval],
            classes: Classes::new(&p[plan.first..plan.buckets], interval),
            first: vec![0; len],
            second: vec![0; len],
            deltas: vec![vec![0; len]; MOST_FACTORS],
            logs: plan.base.log.clone(),
            flags: vec![0; plan.buckets],
            sum: vec![0.0; len],
            inverse: vec![0.0; len],
            candidates: Vec::new(),
            buckets: (plan.buckets < len).then(|| Buckets::new(plan)),
            met: Vec::new(),
        }
    }

    /// The relations that the polynomials with this leading coefficient have; those so far where
    /// `keep_going` says no between two batches of polynomials.
    pub(super) fn relations(
        &mut self,
        leading: &Leading,
        keep_going: &dyn Fn() -> bool,
    ) -> Vec<Relation> {
        self.begin(leading);
        let inverse = leading.a.inverse();
        let mut b = leading
            .parts
            .iter()
            .fold(Wide::default(), |b, (part, _)| b + *part);
        let mut found = Vec::new();
        let count = 1u32 << (leading.factors.len() - 1);
        for start in (0..count).step_by(BATCH) {
            if !keep_going() {
                break;
            }
            // The next b differs in the sign of one part (Gray's code). The last part keeps its
            // sign but after the last polynomial, whose step leads to no other one.
            let steps: Vec<Step> = (start + 1..=count.min(start + BATCH as u32))
                .map(|index| {
                    let part = index.trailing_zeros();
                    Step {
                        part: part as usize,
                        lower: index >> (part + 1) & 1 == 1,
                    }
                })
                .collect();
            if let Some(buckets) = &mut self.buckets {
                let roots = Roots {
                    p: &self.plan.base.p,
                    first: &mut self.first,
                    second: &mut self.second,
                    deltas: &self.deltas,
                };
                buckets.fill(roots, &steps);
            }
            for (index, step) in steps.iter().enumerate() {
                // The division is exact, and the quotient fits: it may be made modulo 2^256.
                let c = (b.product(b) - self.plan.kn).product(inverse);
                let polynomial = Polynomial {
                    leading,
                    b,
                    c,
                    index,
                };
                self.polynomial(&polynomial, &mut found);
                b = self.step(leading, b, *step);
            }
        }
        for place in &leading.factors {
            self.logs[*place] = self.plan.base.log[*place];
        }
        found
    }

    /// Computes the roots of the first polynomial, and the differences.
    fn begin(&mut self, leading: &Leading) {
        let base = &self.plan.base;
        self.inverse.fill(1.0);
        self.sum.fill(0.0);
        for (i, place) in leading.factors.iter().enumerate() {
            let inverse = &leading.inverses[i];
            let gamma = leading.parts[i].1;
            lanes::multiply(&mut self.inverse, inverse, base);
            lanes::part(gamma, inverse, base, &mut self.deltas[i], &mut self.sum);
            self.logs[*place] = 0;
        }
        lanes::roots(
            &self.inverse,
            &self.sum,
            self.plan.half,
            base,
            &mut self.first,
            &mut self.second,
        );
    }

    /// Changes the roots of primes that are in no bucket to those of the next polynomial, and gives
    /// its b.
    fn step(&mut self, leading: &Leading, b: Wide, step: Step) -> Wide {
        let end = self.plan.buckets;
        let p = &self.plan.base.p[..end];
        let delta = &self.deltas[step.part][..end];
        let (first, second) = (&mut self.first[..end], &mut self.second[..end]);
        let part = leading.parts[step.part].0;
        if step.lower {
            lanes::lower_roots(delta, p, first, second);
            b + part + part
        } else {
            lanes::raise_roots(delta, p, first, second);
            b - part - part
        }
    }

    /// Sieves a polynomial and adds its relations.
    fn polynomial(&mut self, polynomial: &Polynomial, found: &mut Vec<Relation>) {
        self.sieve(polynomial.index);
        let candidates = std::mem::take(&mut self.candidates);
        found.extend(
            candidates
                .iter()
                .filter_map(|place| self.relation(polynomial, *place)),
        );
        self.candidates = candidates;
    }

    /// Adds up logarithms and collects candidates.
    fn sieve(&mut self, index: usize) {
        let plan = self.plan;
        let interval = plan.sizes.interval;
        self.sieve[..interval].fill(plan.start);
        let range = plan.first..plan.buckets;
        let marked = Marked {
            p: &plan.base.p[range.clone()],
            logs: &self.logs[range.clone()],
            first: &self.first[range.clone()],
            second: &self.second[range],
        };
        marked.mark(&mut self.sieve, interval, &self.classes);
        if let Some(buckets) = &self.buckets {
            buckets.mark(index, &mut self.sieve);
        }
        self.candidates.clear();
        lanes::candidates(&self.sieve[..interval], &mut self.candidates);
    }

    /// The relation of a candidate, if there is one.
    fn relation(&mut self, polynomial: &Polynomial, place: u32) -> Option<Relation> {
        let plan = self.plan;
        let base = &plan.base;
        let x = i64::from(place) - plan.half as i64;
        let linear = polynomial.leading.a.times_signed(x) + polynomial.b;
        let value = (linear + polynomial.b).times_signed(x) + polynomial.c;
        if value == Wide::default() {
            return None;
        }
        let mut factors: Vec<u32> = Vec::with_capacity(32);
        if value.is_negative() {
            factors.push(0);
        }
        let mut rest = Cofactor::new(value.magnitude());
        let twos = rest.divide_by_twos();
        factors.extend((0..twos).map(|_| 1));
        let divide = |places: &mut dyn Iterator<Item = usize>,
                      rest: &mut Cofactor,
                      factors: &mut Vec<u32>| {
            for place in places {
                while rest.divide(base.p[place], base.inverse[place]) {
                    factors.push(place as u32 + 2);
                }
            }
        };
        self.meets(place, 0..plan.first);
        divide(&mut self.met.drain(..), &mut rest, &mut factors);
        // Where the small primes are fewer than the threshold allows for, this is the end.
        let logs = f64::from(self.sieve[place as usize] - plan.start) * plan.unit;
        if f64::from(rest.bits()) - logs > plan.rest {
            return None;
        }
        self.meets(place, plan.first..plan.buckets);
        if let Some(buckets) = &self.buckets {
            buckets.meets(polynomial.index, place, &mut self.met);
        }
        divide(&mut self.met.drain(..), &mut rest, &mut factors);
        let of_a = polynomial.leading.factors.iter().copied();
        factors.extend(of_a.clone().map(|place| place as u32 + 2));
        divide(&mut of_a.clone(), &mut rest, &mut factors);
        let large = self.large(rest.word()?)?;
        let x = linear.magnitude().to_natural() % &plan.n;
        Some(Relation { x, factors, large })
    }

    /// Notes the primes of a range of the base that have a root at this place of the interval.
    fn meets(&mut self, place: u32, range: std::ops::Range<usize>) {
        let base = &self.plan.base;
        let flags = &mut self.flags[range.clone()];
        lanes::meets(
            place,
            &base.p[range.clone()],
            &base.scaled[range.clone()],
            &self.first[range.clone()],
            &self.second[range.clone()],
            flags,
        );
        for (at, chunk) in flags.chunks(8).enumerate() {
            if chunk.iter().fold(0, |any, flag| any | flag) == 0 {
                continue;
            }
            let here = chunk.iter().enumerate().filter(|(_, flag)| **flag != 0);
            self.met.extend(here.map(|(i, _)| range.start + 8 * at + i));
        }
    }

    /// The large primes whose product is `rest`, if they are small enough.
    fn large(&self, rest: u64) -> Option<[u64; 2]> {
        if rest < self.plan.large {
            return Some([1, rest]);
        }
        if !self.plan.products.contains(&rest) || is_probable_prime(rest) {
            return None;
        }
        let divisor = small::split(rest.into()).divisor as u64;
        let other = rest / divisor;
        let large = [divisor.min(other), divisor.max(other)];
        (large[1] < self.plan.large).then_some(large)
    }
}

/// Fermat's test of an odd number to the base 2.
fn is_probable_prime(n: u64) -> bool {
    let ring = Word64::new(n);
    ring.power(ring.enter(2), n - 1) == ring.one()
}
