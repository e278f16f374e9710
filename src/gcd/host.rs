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
        let mut b = Buffer::copy_of(short.limbs(), a.len() - short.limb_count());
        b.resize_unspecified(a.len());
        b[short.limb_count()..].fill(0);
        let len = gcd::gcd(&mut a, &mut b);
        a.truncate(len);
        Natural::from_buffer(a)
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
    let matrix = lehmer::reduce_to(&mut c, &mut d, 0, None);
    // (a, b) = M·(g, 0), so that M^-1 = ±[[m11, −m01], [−m10, m00]] gives g.
    let odd = matrix.odd;
    let [_, m01, _, m11] = matrix.entries;
    let s = Integer::from_parts(odd, Natural::from_vec(m11));
    let t = Integer::from_parts(!odd, Natural::from_vec(m01));
    (Natural::from_vec(c), s, t)
}
