//! Greatest common divisors and cofactors of host numbers, by the floor's algorithms.

use crate::number::{Buffer, Integer, Natural};
use crate::word::{gcd, lehmer};

impl Natural {
    /// The greatest common divisor; gcd(x, 0) = x.
    pub(crate) fn gcd(&self, y: &Natural) -> Natural {
        match (self.as_inline(), y.as_inline()) {
            (Some([x, 0, 0]), Some([y, 0, 0])) => return Natural::from(gcd::gcd_words(*x, *y)),
            (Some([x, upper_x, 0]), Some([y, upper_y, 0])) => {
                let two_words = |low: &u64, high: &u64| u128::from(*high) << 64 | u128::from(*low);
                let (x, y) = (two_words(x, upper_x), two_words(y, upper_y));
                return Natural::from(gcd::gcd_two_words(x, y));
            }
            (Some([0, 0, 0]), _) => return y.clone(),
            (_, Some([0, 0, 0])) => return self.clone(),
            _ => {}
        }
        let (long, short) = if self >= y { (self, y) } else { (y, self) };
        // Numbers of different lengths get one remainder first. It is below the shorter one, so
        // this ends.
        if long.limb_count() > short.limb_count() + 1 {
            return short.gcd(&(long % short));
        }
        let mut a = Buffer::copy_of(long.limbs(), 0);
        let mut b = padded(short, a.len());
        let len = gcd::gcd(&mut a, &mut b);
        a.truncate(len);
        Natural::from_buffer(a)
    }

    /// The least common multiple; 0 if either is 0.
    pub(crate) fn lcm(&self, y: &Natural) -> Natural {
        if let ([x], [y]) = (self.limbs(), y.limbs()) {
            let reduced = x / gcd::gcd_words(*x, *y);
            return Natural::from(u128::from(reduced) * u128::from(*y));
        }
        if self.is_zero() || y.is_zero() {
            return Natural::ZERO;
        }
        let (long, short) = if self >= y { (self, y) } else { (y, self) };
        let g = long.gcd(short);
        if g == 1u32 {
            long * short
        } else {
            long * short.div_exact(&g)
        }
    }

    /// 1/x modulo m, from 0 to m − 1. None if they have a common divisor.
    pub(crate) fn mod_inverse(&self, m: &Natural) -> Option<Natural> {
        let reduced;
        let x = if self < m {
            self
        } else {
            reduced = self % m;
            &reduced
        };
        // (m, x) = M·(g, 0), so that g = ±(m11·m − m01·x).
        match (m.limbs(), x.limbs()) {
            (_, []) => (*m == 1u32).then_some(Natural::ZERO),
            ([m], [x]) => {
                let found = lehmer::cofactors_of_words(*m, *x);
                let inverse = if found.odd { found.m01 } else { m - found.m01 };
                (found.g == 1).then(|| Natural::from(inverse))
            }
            (a, b) if a.len() > b.len() + 1 => {
                let (g, _, t) = cofactors(m, x);
                let inverse = if t.is_negative() {
                    m - t.into_magnitude()
                } else {
                    t.into_magnitude()
                };
                (g == 1u32).then_some(inverse)
            }
            _ => {
                let len = m.limb_count();
                let (mut c, mut d) = (padded(m, len), padded(x, len));
                let (mut m00, mut m01) = (zeros(len + 2), zeros(len + 2));
                let mut row = [lehmer::Entries::new(&mut m00, &mut m01, false)];
                let (left, odd) = lehmer::reduce_rows(&mut c, &mut d, &mut row);
                if c[..left] != [1] {
                    return None;
                }
                let size = Natural::from_buffer(m01);
                Some(if odd { size } else { m - size })
            }
        }
    }
}

impl Integer {
    /// 1/x modulo m, from 0 to m − 1. None if they have a common divisor.
    pub(crate) fn mod_inverse(&self, m: &Natural) -> Option<Natural> {
        let inverse = self.magnitude().mod_inverse(m)?;
        let is_negative = self.is_negative() && !inverse.is_zero();
        Some(if is_negative { m - inverse } else { inverse })
    }

    /// The greatest common divisor of the magnitudes.
    pub(crate) fn gcd(&self, y: &Integer) -> Natural {
        self.magnitude().gcd(y.magnitude())
    }

    /// (g, s, t) with g = gcd(x, y) = s·x + t·y, and s and t as GMP has them: |s| < |y|/2g and
    /// |t| < |x|/2g but for small and equal numbers.
    pub(crate) fn extended_gcd(&self, y: &Integer) -> (Natural, Integer, Integer) {
        let sign = |t: Integer, x: &Integer| if x.is_negative() { -t } else { t };
        let (a, b) = (self.magnitude(), y.magnitude());
        if a == b {
            let one = Integer::from(u32::from(!a.is_zero()));
            return (a.clone(), Integer::ZERO, sign(one, y));
        }
        let (g, s, t) = if a > b {
            cofactors(a, b)
        } else {
            let (g, t, s) = cofactors(b, a);
            (g, s, t)
        };
        (g, sign(s, self), sign(t, y))
    }
}

/// (g, s, t) with g = s·a + t·b for a > b ≥ 0.
fn cofactors(a: &Natural, b: &Natural) -> (Natural, Integer, Integer) {
    match (a.limbs(), b.limbs()) {
        (_, []) => return (a.clone(), Integer::ONE, Integer::ZERO),
        ([x], [y]) => {
            let found = lehmer::cofactors_of_words(*x, *y);
            let signed = |negative, x: u64| Integer::from_parts(negative, Natural::from(x));
            let (s, t) = (signed(found.odd, found.m11), signed(!found.odd, found.m01));
            return (Natural::from(found.g), s, t);
        }
        // A long first quotient is for the division.
        (x, y) if x.len() > y.len() + 1 => {
            let (quotient, rest) = a.div_rem(b);
            let (g, s, t) = cofactors(b, &rest);
            // g = s·b + t·(a − quotient·b).
            let other = s - Integer::from(quotient) * &t;
            return (g, t, other);
        }
        _ => {}
    }
    let len = a.limb_count();
    let (mut c, mut d) = (padded(a, len), padded(b, len));
    let [mut m00, mut m01, mut m10, mut m11] = [(); 4].map(|()| zeros(len + 2));
    let mut rows = [
        lehmer::Entries::new(&mut m00, &mut m01, false),
        lehmer::Entries::new(&mut m10, &mut m11, true),
    ];
    let (left, odd) = lehmer::reduce_rows(&mut c, &mut d, &mut rows);
    c.truncate(left);
    // (a, b) = M·(g, 0), so that M^-1 = ±[[m11, −m01], [−m10, m00]] gives g.
    let s = Integer::from_parts(odd, Natural::from_buffer(m11));
    let t = Integer::from_parts(!odd, Natural::from_buffer(m01));
    (Natural::from_buffer(c), s, t)
}

/// A buffer of zeros.
fn zeros(len: usize) -> Buffer {
    let mut buffer = Buffer::unspecified(len);
    buffer.fill(0);
    buffer
}

/// The limbs of a number with zeros above them.
fn padded(x: &Natural, len: usize) -> Buffer {
    let count = x.limb_count();
    let mut buffer = Buffer::unspecified(len);
    buffer[..count].copy_from_slice(x.limbs());
    buffer[count..].fill(0);
    buffer
}
