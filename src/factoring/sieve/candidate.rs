//! A place of a polynomial that may have a relation.

use super::plan::SievePlan;
use super::polynomial::Leading;
use super::relation::Relation;
use super::wide::{Cofactor, Wide};
use crate::word::gcd::gcd_words;
use crate::word::montgomery::Word64;

/// The value of a polynomial at one place.
pub(super) struct Candidate<'a> {
    leading: &'a Leading,
    /// X: ax + b, or 2ax + b.
    linear: Wide,
    /// Q: ax² + 2bx + c, or ax² + bx + c.
    value: Wide,
}

/// Primes of the factor base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Those that are too small to be sieved.
    Unsieved,
    Sieved,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(leading: &'a Leading, b: Wide, c: Wide, x: i64) -> Candidate<'a> {
        let linear = leading.a.times_signed(x);
        let (linear, sum) = if leading.doubles {
            (linear + linear + b, linear + b)
        } else {
            (linear + b, linear + b + b)
        };
        Candidate {
            leading,
            linear,
            value: sum.times_signed(x) + c,
        }
    }

    /// The relation, if there is one. `sum` is what sieving has added up here. `meets` adds the
    /// places in the base of primes that divide the value, for one part of the base; it may add
    /// others. A prime that it leaves out loses the relation but cannot make a wrong one. `met` is
    /// scratch.
    pub(super) fn relation(
        &self,
        plan: &SievePlan,
        sum: u8,
        met: &mut Vec<usize>,
        mut meets: impl FnMut(Part, &mut Vec<usize>),
    ) -> Option<Relation> {
        if self.value == Wide::default() {
            return None;
        }
        let base = &plan.base;
        let mut factors: Vec<u32> = Vec::with_capacity(32);
        if self.value.is_negative() {
            factors.push(0);
        }
        let mut rest = Cofactor::new(self.value.magnitude());
        let twos = rest.divide_by_twos();
        let more = if self.leading.doubles { 2 } else { 0 };
        factors.extend((0..twos + more).map(|_| 1));
        let divide = |place: usize, rest: &mut Cofactor, factors: &mut Vec<u32>| {
            while rest.divide(base.p[place], base.inverse[place]) {
                factors.push(place as u32 + 2);
            }
        };
        meets(Part::Unsieved, met);
        for place in met.drain(..) {
            divide(place, &mut rest, &mut factors);
        }
        // Where the small primes are fewer than the threshold allows for, this is the end.
        if f64::from(rest.bits()) - f64::from(sum) * plan.unit > plan.rest {
            return None;
        }
        meets(Part::Sieved, met);
        for place in met.drain(..) {
            divide(place, &mut rest, &mut factors);
        }
        for place in &self.leading.factors {
            factors.push(*place as u32 + 2);
            divide(*place, &mut rest, &mut factors);
        }
        let large = large(plan, rest.word()?)?;
        let x = self.linear.magnitude().to_natural() % &plan.n;
        Some(Relation { x, factors, large })
    }
}

/// The large primes whose product is `rest`, if they are small enough.
fn large(plan: &SievePlan, rest: u64) -> Option<[u64; 2]> {
    if rest < plan.large {
        return Some([1, rest]);
    }
    if !plan.products.contains(&rest) || is_probable_prime(rest) {
        return None;
    }
    let divisor = divisor(rest)?;
    let other = rest / divisor;
    let large = [divisor.min(other), divisor.max(other)];
    (large[1] < plan.large).then_some(large)
}

/// Fermat's test of an odd number to the base 2.
fn is_probable_prime(n: u64) -> bool {
    let ring = Word64::new(n);
    ring.power(ring.enter(2), n - 1) == ring.one()
}

/// Differences multiplied up before a greatest common divisor is taken.
const BATCH: u64 = 128;
/// Steps after which a number is given up: a relation is lost and no more.
const MOST_STEPS: u64 = 1 << 18;

/// A proper divisor of an odd composite number, by Pollard's rho as Brent has it (*An improved
/// Monte Carlo factorization algorithm*, BIT 20 (1980)). Large primes are below 2^32 and the
/// smaller of two is far below that: a few thousand steps find it, which is less than a curve
/// takes.
fn divisor(n: u64) -> Option<u64> {
    let ring = Word64::new(n);
    for constant in 1..4 {
        let c = ring.enter(constant);
        let step = |y: u64| ring.add(ring.mul(y, y), c);
        let mut y = ring.enter(2);
        let mut span = 1;
        'walk: while span < MOST_STEPS {
            let x = y;
            for _ in 0..span {
                y = step(y);
            }
            for done in (0..span).step_by(BATCH as usize) {
                let (start, batch) = (y, BATCH.min(span - done));
                let mut product = ring.one();
                for _ in 0..batch {
                    y = step(y);
                    product = ring.mul(product, ring.sub(x, y));
                }
                if gcd_words(product, n) == 1 {
                    continue;
                }
                // One of these differences has a prime of n; where all have both primes, another
                // sequence is tried.
                y = start;
                for _ in 0..batch {
                    y = step(y);
                    let common = gcd_words(ring.sub(x, y), n);
                    if common > 1 && common < n {
                        return Some(common);
                    }
                }
                break 'walk;
            }
            span *= 2;
        }
    }
    None
}
