//! Greatest common divisors and cofactors of host numbers, by Lehmer's algorithm.

use crate::number::{Integer, Natural};
use crate::word::{gcd, lehmer};

impl Natural {
    /// The greatest common divisor; gcd(x, 0) = x.
    pub(crate) fn gcd(&self, y: &Natural) -> Natural {
        if self.is_zero() {
            return y.clone();
        }
        if y.is_zero() {
            return self.clone();
        }
        if let (Ok(x), Ok(y)) = (u128::try_from(self), u128::try_from(y)) {
            return Natural::from(gcd::gcd_two_words(x, y));
        }
        let (long, short) = if self >= y { (self, y) } else { (y, self) };
        // Numbers of different lengths get one remainder first.
        if long.limb_count() > short.limb_count() + 1 {
            let rest = long % short;
            return if rest.limb_count() <= 2 && short.limb_count() > 2 {
                short.gcd_by_rest(&rest)
            } else {
                short.gcd(&rest)
            };
        }
        let (mut a, mut b) = (long.to_vec(), short.to_vec());
        lehmer::gcd(&mut a, &mut b);
        Natural::from_vec(a)
    }

    /// gcd(x, y) for a short y.
    fn gcd_by_rest(&self, y: &Natural) -> Natural {
        if y.is_zero() {
            return self.clone();
        }
        (self % y).gcd(y)
    }

    /// The least common multiple; 0 if a number is 0.
    pub(crate) fn lcm(&self, y: &Natural) -> Natural {
        if self.is_zero() || y.is_zero() {
            return Natural::ZERO;
        }
        self.div_exact(&self.gcd(y)) * y
    }
}

impl Integer {
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
    if b.is_zero() {
        return (a.clone(), Integer::ONE, Integer::ZERO);
    }
    let (mut c, mut d) = (a.to_vec(), b.to_vec());
    let matrix = lehmer::reduce_to(&mut c, &mut d, 0);
    // (a, b) = M·(g, 0), so that M^-1 = ±[[m11, −m01], [−m10, m00]] gives g.
    let odd = matrix.odd;
    let [_, m01, _, m11] = matrix.entries;
    let s = Integer::from_parts(odd, Natural::from_vec(m11));
    let t = Integer::from_parts(!odd, Natural::from_vec(m01));
    (Natural::from_vec(c), s, t)
}
