//! One curve of a [`CurvePlan`] over a number of one or two words.

use super::plan::{BABIES, CurvePlan, GIANT, Step};
use super::ring::Ring;

/// Giant steps that are made affine together.
const CHUNK: usize = 32;

#[derive(Clone, Copy)]
struct Point<W> {
    x: W,
    z: W,
}

struct Curve<R: Ring> {
    ring: R,
    /// (A + 2)/4 of By² = x³ + Ax² + x.
    a24: R::Word,
}

impl<R: Ring> Curve<R> {
    /// Suyama's curve and its point, or a divisor of n that hinders it.
    fn new(ring: R, sigma: u64) -> Result<(Curve<R>, Point<R::Word>), u128> {
        let small = |x: u64| ring.residue(x.into());
        let s = small(sigma);
        let u = ring.sub(ring.square(s), small(5));
        let v = ring.mul(s, small(4));
        let cube = |x| ring.mul(ring.square(x), x);
        let (u3, difference) = (cube(u), cube(ring.sub(v, u)));
        let triple = ring.add(ring.add(u, u), u);
        let below = ring.mul(ring.mul(u3, v), small(16));
        let a24 = ring.mul(
            ring.mul(difference, ring.add(triple, v)),
            ring.invert(below)?,
        );
        Ok((Curve { ring, a24 }, Point { x: u3, z: cube(v) }))
    }

    #[inline(always)]
    fn double(&self, p: Point<R::Word>) -> Point<R::Word> {
        let ring = &self.ring;
        let sum = ring.square(ring.add(p.x, p.z));
        let difference = ring.square(ring.sub(p.x, p.z));
        let t = ring.sub(sum, difference);
        Point {
            x: ring.mul(sum, difference),
            z: ring.mul(t, ring.add(difference, ring.mul(self.a24, t))),
        }
    }

    /// p + q, where `apart` is p − q or q − p.
    #[inline(always)]
    fn add(&self, p: Point<R::Word>, q: Point<R::Word>, apart: Point<R::Word>) -> Point<R::Word> {
        let ring = &self.ring;
        let u = ring.mul(ring.sub(p.x, p.z), ring.add(q.x, q.z));
        let v = ring.mul(ring.add(p.x, p.z), ring.sub(q.x, q.z));
        Point {
            x: ring.mul(apart.z, ring.square(ring.add(u, v))),
            z: ring.mul(apart.x, ring.square(ring.sub(u, v))),
        }
    }

    fn first_stage(&self, plan: &CurvePlan, start: Point<R::Word>) -> Point<R::Word> {
        let (mut a, mut b, mut c) = (start, start, start);
        for step in &plan.steps {
            match step {
                Step::Double => a = self.double(a),
                Step::Start => {
                    (b, c) = (a, a);
                    a = self.double(a);
                }
                Step::Swap => std::mem::swap(&mut a, &mut b),
                Step::Add => {
                    let sum = self.add(a, b, c);
                    c = b;
                    b = sum;
                }
                Step::AddDouble => {
                    b = self.add(a, b, c);
                    a = self.double(a);
                }
                Step::DoubleFirst => {
                    c = self.add(c, a, b);
                    a = self.double(a);
                }
                Step::DoubleSecond => {
                    c = self.add(c, b, a);
                    b = self.double(b);
                }
                Step::End => a = self.add(a, b, c),
            }
        }
        a
    }

    /// The product of x(210kQ) − x(jQ) over all pairs of the plan, or the divisor of n that an
    /// inversion met.
    fn second_stage(&self, plan: &CurvePlan, q: Point<R::Word>) -> Result<R::Word, u128> {
        let origin = Point {
            x: self.ring.one(),
            z: R::Word::default(),
        };
        let q2 = self.double(q);
        let q3 = self.add(q2, q, q);
        let q4 = self.double(q2);
        let q5 = self.add(q3, q2, q);
        let q6 = self.double(q3);
        let q7 = self.add(q4, q3, q);
        // The multiples 6i − 1 and 6i + 1, each with its predecessor.
        let (mut low, mut low_before) = (q5, q);
        let (mut high, mut high_before) = (q7, q);
        let mut points = [origin; BABIES + CHUNK];
        points[0] = q;
        let mut count = 1;
        let mut keep = |j: u32, point| {
            if j < GIANT / 2 && !j.is_multiple_of(5) && !j.is_multiple_of(7) {
                points[count] = point;
                count += 1;
            }
        };
        for i in 1..18 {
            keep(6 * i - 1, low);
            keep(6 * i + 1, high);
            (low, low_before) = (self.add(low, q6, low_before), low);
            if i < 17 {
                (high, high_before) = (self.add(high, q6, high_before), high);
            }
        }
        // 107 and 103, 4 apart.
        let giant = self.add(low, high, q4);
        debug_assert_eq!(count, BABIES);
        let (mut at, mut before) = (giant, origin);
        let mut product = self.ring.one();
        let mut first = 0;
        for pairs in plan.pairs.chunks(CHUNK) {
            let end = BABIES + pairs.len();
            for point in &mut points[BABIES..end] {
                *point = at;
                let next = if before.z == R::Word::default() {
                    self.double(giant)
                } else {
                    self.add(at, giant, before)
                };
                (before, at) = (at, next);
            }
            self.make_affine(&mut points[first..end])?;
            first = BABIES;
            for (giant, pairs) in points[BABIES..end].iter().zip(pairs) {
                let mut bits = *pairs;
                while bits != 0 {
                    let baby = &points[bits.trailing_zeros() as usize];
                    product = self.ring.mul(product, self.ring.sub(giant.x, baby.x));
                    bits &= bits - 1;
                }
            }
        }
        Ok(product)
    }

    /// Divides every x by its z, with one inversion for all of them; the zs are spoilt.
    fn make_affine(&self, points: &mut [Point<R::Word>]) -> Result<(), u128> {
        let ring = &self.ring;
        let mut product = ring.one();
        for point in points.iter_mut() {
            // z becomes the product of those before it, x the part that only this one has.
            let before = product;
            product = ring.mul(product, point.z);
            *point = Point {
                x: ring.mul(point.x, before),
                z: point.z,
            };
        }
        let mut inverse = ring.invert(product)?;
        for point in points.iter_mut().rev() {
            point.x = ring.mul(point.x, inverse);
            inverse = ring.mul(inverse, point.z);
        }
        Ok(())
    }
}

/// A proper divisor of n, if this curve finds one.
pub(super) fn run<R: Ring>(ring: R, plan: &CurvePlan, sigma: u64) -> Option<u128> {
    let found = Curve::new(ring, sigma).and_then(|(curve, start)| {
        let q = curve.first_stage(plan, start);
        curve.second_stage(plan, q)
    });
    let divisor = match found {
        Ok(product) => ring.gcd(product),
        Err(divisor) => divisor,
    };
    (divisor > 1 && divisor < ring.modulus()).then_some(divisor)
}
