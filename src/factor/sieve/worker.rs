//! The polynomials of one leading coefficient: their roots modulo the primes of the base, the
//! places that the sieve finds, and the relations at these places.

use super::lanes;
use super::plan::{Base, Plan};
use super::polynomial::{Inverses, Leading, MOST_FACTORS};
use super::relation::Relation;
use crate::number::Natural;
use crate::word::inverse_two_words;

/// The arrays that one thread needs.
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    /// Twice as long as a block: marks beyond the block do not count.
    sieve: Vec<u8>,
    classes: lanes::Classes,
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
}

/// One polynomial: x → ax² + 2bx + c.
struct Polynomial<'a> {
    leading: &'a Leading,
    b: i128,
    c: i128,
}

impl<'a> Worker<'a> {
    pub(super) fn new(plan: &'a Plan) -> Worker<'a> {
        let len = plan.base.p.len();
        Worker {
            plan,
            sieve: vec![0; 2 * plan.sizes.block],
            classes: lanes::Classes::new(&plan.base.p[plan.first..], plan.sizes.block),
            first: vec![0; len],
            second: vec![0; len],
            deltas: vec![vec![0; len]; MOST_FACTORS],
            logs: plan.base.log.clone(),
            flags: vec![0; len],
            sum: vec![0.0; len],
            inverse: vec![0.0; len],
            candidates: Vec::new(),
        }
    }

    /// The relations that the polynomials with this leading coefficient have.
    pub(super) fn relations(&mut self, leading: &Leading, inverses: &Inverses) -> Vec<Relation> {
        let plan = self.plan;
        let base = &plan.base;
        self.inverse.fill(1.0);
        self.sum.fill(0.0);
        let parts = leading.factors.iter().zip(&leading.parts);
        for ((place, (_, gamma)), delta) in parts.zip(&mut self.deltas) {
            let inverse = inverses.of(*place);
            lanes::multiply(&mut self.inverse, inverse, base);
            lanes::part(*gamma, inverse, base, delta, &mut self.sum);
            self.logs[*place] = 0;
        }
        lanes::roots(
            &self.inverse,
            &self.sum,
            plan.half,
            base,
            &mut self.first,
            &mut self.second,
        );
        let inverse = inverse_two_words(leading.a);
        let mut b: i128 = leading.parts.iter().map(|(part, _)| *part as i128).sum();
        let mut found = Vec::new();
        let count = leading.factors.len();
        for index in 1..=1u32 << (count - 1) {
            // The division is exact, and the quotient fits: it may be made modulo 2^128.
            let square = (b as u128).wrapping_mul(b as u128);
            let c = square.wrapping_sub(plan.kn).wrapping_mul(inverse) as i128;
            let polynomial = Polynomial { leading, b, c };
            self.polynomial(&polynomial, &mut found);
            // The next b differs in the sign of one part (Gray's code); the last part keeps its
            // sign.
            let changed = index.trailing_zeros() as usize;
            if changed + 1 >= count {
                break;
            }
            let part = leading.parts[changed].0 as i128;
            let delta = &self.deltas[changed];
            if index >> (changed + 1) & 1 == 0 {
                b -= 2 * part;
                lanes::raise_roots(delta, &base.p, &mut self.first, &mut self.second);
            } else {
                b += 2 * part;
                lanes::lower_roots(delta, &base.p, &mut self.first, &mut self.second);
            }
        }
        for place in &leading.factors {
            self.logs[*place] = base.log[*place];
        }
        found
    }

    /// Sieves a polynomial and adds its relations.
    fn polynomial(&mut self, polynomial: &Polynomial, found: &mut Vec<Relation>) {
        self.sieve();
        let candidates = std::mem::take(&mut self.candidates);
        found.extend(
            candidates
                .iter()
                .filter_map(|place| self.relation(polynomial, *place)),
        );
        self.candidates = candidates;
    }

    /// Adds up logarithms and collects candidates.
    fn sieve(&mut self) {
        let plan = self.plan;
        let (block, from) = (plan.sizes.block, plan.first);
        self.sieve[..block].fill(plan.start);
        lanes::mark(
            &mut self.sieve,
            block,
            &self.classes,
            &plan.base.p[from..],
            &self.logs[from..],
            &self.first[from..],
            &self.second[from..],
        );
        self.candidates.clear();
        lanes::candidates(&self.sieve[..block], &mut self.candidates);
    }

    /// The relation of a candidate, if there is one.
    fn relation(&mut self, polynomial: &Polynomial, place: u32) -> Option<Relation> {
        let x = i64::from(place) - self.plan.half as i64;
        let base = &self.plan.base;
        let Leading { a, factors, .. } = polynomial.leading;
        let linear = *a as i128 * i128::from(x) + polynomial.b;
        let value = (linear + polynomial.b) * i128::from(x) + polynomial.c;
        if value == 0 {
            return None;
        }
        let mut columns: Vec<u32> = Vec::with_capacity(24);
        if value < 0 {
            columns.push(0);
        }
        let mut value = Value(value.unsigned_abs());
        value.divide_by_two(&mut columns);
        lanes::meets(place, base, &self.first, &self.second, &mut self.flags);
        for (at, chunk) in self.flags.chunks(8).enumerate() {
            if chunk.iter().fold(0, |any, flag| any | flag) == 0 {
                continue;
            }
            for (i, _) in chunk.iter().enumerate().filter(|(_, flag)| **flag != 0) {
                value.divide(8 * at + i, base, &mut columns);
            }
        }
        for place in factors {
            columns.push(*place as u32 + 2);
            value.divide(*place, base, &mut columns);
        }
        let large = u32::try_from(value.0).ok()?;
        if large >= self.plan.large {
            return None;
        }
        Some(Relation {
            x: Natural::from(linear.unsigned_abs()) % &self.plan.n,
            factors: columns,
            large: [1, large.into()],
        })
    }
}

/// A value of a polynomial, not 0, while its primes are divided out.
struct Value(u128);

impl Value {
    fn divide_by_two(&mut self, columns: &mut Vec<u32>) {
        let twos = self.0.trailing_zeros();
        self.0 >>= twos;
        columns.extend((0..twos).map(|_| 1));
    }

    /// Divides by the prime at a place of the base as often as possible.
    fn divide(&mut self, place: usize, base: &Base, columns: &mut Vec<u32>) {
        let (inverse, most) = (base.inverse[place], base.most[place]);
        loop {
            // p divides the value just if value/p mod 2^128 is at most (2^128 − 1)/p.
            let quotient = self.0.wrapping_mul(inverse);
            if quotient > most {
                return;
            }
            self.0 = quotient;
            columns.push(place as u32 + 2);
        }
    }
}
