//! The polynomials of one leading coefficient: their roots modulo the primes of the base, the places that the sieve
//! finds, and the relations at these places.

use super::lanes;
use super::plan::Plan;
use super::polynomial::{Inverses, Leading, MOST_FACTORS};

/// x² ≡ (−1)^e0 · 2^e1 · Π p^e · large (mod n).
pub(super) struct Relation {
    pub(super) x: u128,
    /// Columns with repetition: 0 for the sign, 1 for 2, i + 2 for the prime at place i of the base.
    pub(super) columns: Vec<u32>,
    /// A prime above those of the base, or 1.
    pub(super) large: u32,
}

/// The arrays that one thread needs.
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    /// Twice as long as a block: marks beyond the block do not count.
    sieve: Vec<u8>,
    classes: lanes::Classes,
    /// Both roots modulo each prime, as places in the current block.
    first: Vec<u32>,
    second: Vec<u32>,
    /// How the roots change with the sign of each part of b.
    deltas: Vec<Vec<u32>>,
    /// The length of a block modulo each prime.
    step: Vec<u32>,
    /// Logarithms, 0 at the primes of a.
    logs: Vec<u8>,
    flags: Vec<u8>,
    sum: Vec<f64>,
    inverse: Vec<f64>,
    candidates: Vec<u32>,
    pub(super) tried: usize,
}

/// One polynomial: x → ax² + 2bx + c.
struct Polynomial<'a> {
    leading: &'a Leading,
    b: i128,
    c: [u64; 3],
}

impl<'a> Worker<'a> {
    pub(super) fn new(plan: &'a Plan) -> Worker<'a> {
        let len = plan.base.p.len();
        let block = plan.sizes.block as u32;
        let step = plan.base.p.iter().map(|p| block % p).collect();
        Worker {
            plan,
            sieve: vec![0; 2 * plan.sizes.block],
            classes: lanes::Classes::new(&plan.base.p[plan.first..], plan.sizes.block),
            first: vec![0; len],
            second: vec![0; len],
            deltas: vec![vec![0; len]; MOST_FACTORS],
            step,
            logs: plan.base.log.clone(),
            flags: vec![0; len],
            sum: vec![0.0; len],
            inverse: vec![0.0; len],
            candidates: Vec::new(),
            tried: 0,
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
        let inverse = inverse_192(leading.a);
        let mut b: i128 = leading.parts.iter().map(|(part, _)| *part as i128).sum();
        let mut found = Vec::new();
        let count = leading.factors.len();
        for index in 1..=1u32 << (count - 1) {
            let c = times_192(difference(b, plan.kn), inverse);
            let polynomial = Polynomial { leading, b, c };
            self.blocks(&polynomial, &mut found);
            // The next b differs in the sign of one part (Gray's code); the last part keeps its sign.
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

    /// Sieves all blocks of a polynomial.
    fn blocks(&mut self, polynomial: &Polynomial, found: &mut Vec<Relation>) {
        let plan = self.plan;
        let blocks = plan.sizes.blocks;
        for block in 0..blocks {
            let start = (block * plan.sizes.block) as i64 - plan.half as i64;
            self.sieve();
            let candidates = std::mem::take(&mut self.candidates);
            self.tried += candidates.len();
        for place in &candidates {
                let x = start + i64::from(*place);
                found.extend(self.relation(polynomial, x, *place));
            }
            self.candidates = candidates;
            if block + 1 < blocks {
                let p = &plan.base.p;
                lanes::lower_roots(&self.step, p, &mut self.first, &mut self.second);
            }
        }
        for _ in 1..blocks {
            let p = &plan.base.p;
            lanes::raise_roots(&self.step, p, &mut self.first, &mut self.second);
        }
    }

    /// Adds up logarithms in the current block and collects candidates.
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
    fn relation(&mut self, polynomial: &Polynomial, x: i64, place: u32) -> Option<Relation> {
        let base = &self.plan.base;
        let Leading { a, factors, .. } = polynomial.leading;
        let linear = *a as i128 * i128::from(x) + polynomial.b;
        let (value, negative) = polynomial.value(linear, x);
        let mut columns: Vec<u32> = Vec::with_capacity(24);
        if negative {
            columns.push(0);
        }
        let mut value = Value::new(value)?;
        value.divide_by_two(&mut columns);
        lanes::meets(place, base, &self.first, &self.second, &mut self.flags);
        for (at, chunk) in self.flags.chunks(8).enumerate() {
            if chunk.iter().fold(0, |any, flag| any | flag) == 0 {
                continue;
            }
            for i in 0..chunk.len() {
                if chunk[i] != 0 {
                    value.divide(8 * at + i, base, &mut columns);
                }
            }
        }
        for place in factors {
            columns.push(*place as u32 + 2);
            value.divide(*place, base, &mut columns);
        }
        let large = value.rest().filter(|rest| *rest < self.plan.large)?;
        Some(Relation {
            x: linear.unsigned_abs(),
            columns,
            large,
        })
    }
}

impl Polynomial<'_> {
    /// |ax² + 2bx + c| and whether the value is negative, from ax + b.
    fn value(&self, linear: i128, x: i64) -> ([u64; 3], bool) {
        let sum = times_192(extended(linear + self.b), extended(x.into()));
        let value = add_192(sum, self.c);
        let negative = value[2] >> 63 == 1;
        if negative {
            (negative_192(value), true)
        } else {
            (value, false)
        }
    }
}

/// A value of a polynomial while its primes are divided out.
struct Value {
    low: u128,
    high: u64,
}

impl Value {
    /// None for 0.
    fn new(limbs: [u64; 3]) -> Option<Value> {
        let low = u128::from(limbs[0]) | u128::from(limbs[1]) << 64;
        (low != 0 || limbs[2] != 0).then_some(Value {
            low,
            high: limbs[2],
        })
    }

    fn divide_by_two(&mut self, columns: &mut Vec<u32>) {
        // A value that is a multiple of 2^128 is none that matters: the rest stays even and is dropped.
        let twos = self.low.trailing_zeros().min(127);
        if twos > 0 {
            self.low = self.low >> twos | u128::from(self.high) << (128 - twos);
            self.high = if twos < 64 { self.high >> twos } else { 0 };
            columns.extend((0..twos).map(|_| 1));
        }
    }

    /// Divides by the prime at a place of the base as often as possible.
    fn divide(&mut self, place: usize, base: &super::plan::Base, columns: &mut Vec<u32>) {
        let column = place as u32 + 2;
        while self.high != 0 {
            let p = u128::from(base.p[place]);
            let top = u128::from(self.high);
            let middle = (top % p) << 64 | self.low >> 64;
            let bottom = (middle % p) << 64 | self.low & u128::from(u64::MAX);
            if bottom % p != 0 {
                return;
            }
            self.high = (top / p) as u64;
            self.low = (middle / p) << 64 | bottom / p;
            columns.push(column);
        }
        let (inverse, most) = (base.inverse[place], base.most[place]);
        loop {
            let quotient = self.low.wrapping_mul(inverse);
            if quotient > most {
                return;
            }
            self.low = quotient;
            columns.push(column);
        }
    }

    /// What is left, if that fits a word of 32 bits.
    fn rest(&self) -> Option<u32> {
        u32::try_from(self.low).ok().filter(|_| self.high == 0)
    }
}

/// Arithmetic modulo 2^192, for numbers in two's complement.
fn extended(x: i128) -> [u64; 3] {
    [x as u64, (x >> 64) as u64, (x >> 127) as u64]
}

fn add_192(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    let mut carry = 0;
    std::array::from_fn(|i| {
        let sum = u128::from(a[i]) + u128::from(b[i]) + carry;
        carry = sum >> 64;
        sum as u64
    })
}

fn negative_192(a: [u64; 3]) -> [u64; 3] {
    add_192(a.map(|limb| !limb), [1, 0, 0])
}

fn times_192(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    let wide = |i: usize, j: usize| u128::from(a[i]) * u128::from(b[j]);
    let low = wide(0, 0);
    let (first, second) = (wide(0, 1), wide(1, 0));
    let middle = (low >> 64) + u128::from(first as u64) + u128::from(second as u64);
    let high = ((middle >> 64) as u64)
        .wrapping_add((first >> 64) as u64)
        .wrapping_add((second >> 64) as u64)
        .wrapping_add(a[0].wrapping_mul(b[2]))
        .wrapping_add(a[1].wrapping_mul(b[1]))
        .wrapping_add(a[2].wrapping_mul(b[0]));
    [low as u64, middle as u64, high]
}

/// b² − kn.
fn difference(b: i128, kn: [u64; 3]) -> [u64; 3] {
    add_192(times_192(extended(b), extended(b)), negative_192(kn))
}

/// The inverse of an odd number modulo 2^192, by Newton's steps.
fn inverse_192(a: u128) -> [u64; 3] {
    let a = [a as u64, (a >> 64) as u64, 0];
    let mut inverse = [a[0].wrapping_mul(3) ^ 2, 0, 0];
    // 5 bits are right at first.
    for _ in 0..6 {
        let rest = add_192([2, 0, 0], negative_192(times_192(a, inverse)));
        inverse = times_192(inverse, rest);
    }
    inverse
}
