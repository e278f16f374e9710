//! Powers, inverses and Kronecker's symbol of host numbers.

use crate::number::{Buffer, Integer, Natural};
use crate::word::montgomery::Modulus;

impl Natural {
    /// x^exponent modulo m > 0, from 0 to m − 1.
    pub(crate) fn mod_pow(&self, exponent: &Natural, m: &Natural) -> Natural {
        if *m == 1u32 {
            return Natural::ZERO;
        }
        let base = self % m;
        if m.is_odd() {
            return odd_power(&base, exponent, m);
        }
        let mut power = Natural::ONE;
        for bit in (0..exponent.bit_length()).rev() {
            power = power.square() % m;
            if exponent.bit(bit) {
                power = &power * &base % m;
            }
        }
        power
    }

    /// 1/x modulo m, from 0 to m − 1; none where they have a common divisor.
    pub(crate) fn mod_inverse(&self, m: &Natural) -> Option<Natural> {
        let (g, s, _) = Integer::from(self % m).extended_gcd(&Integer::from(m));
        (g == 1u32).then(|| s.rem_floor(&Integer::from(m)).into_magnitude())
    }
}

/// base^exponent modulo an odd m > 1, for base < m.
fn odd_power(base: &Natural, exponent: &Natural, m: &Natural) -> Natural {
    let modulus = Modulus::new(m.limbs());
    let len = modulus.limbs();
    let mut padded = Buffer::copy_of(base.limbs(), len - base.limb_count());
    padded.resize_unspecified(len);
    padded[base.limb_count()..].fill(0);
    let mut scratch = Buffer::unspecified(modulus.scratch());
    Natural::build(len, |out| {
        modulus.power(out, &padded, exponent.limbs(), &mut scratch);
    })
}

impl Integer {
    /// Kronecker's symbol (x/n).
    pub(crate) fn kronecker(&self, n: &Integer) -> i32 {
        if n.is_zero() {
            return i32::from(*self.magnitude() == 1u32);
        }
        if self.is_even() && n.is_even() {
            return 0;
        }
        let mut symbol = if n.is_negative() && self.is_negative() {
            -1
        } else {
            1
        };
        let twos = n.trailing_zeros().unwrap_or(0);
        let mut n = n.magnitude() >> twos;
        // (x/2) is −1 for x = ±3 modulo 8.
        let eighth = |x: &Natural| x.limbs().first().copied().unwrap_or(0) % 8;
        if twos % 2 == 1 && matches!(eighth(self.magnitude()), 3 | 5) {
            symbol = -symbol;
        }
        let mut a = self.rem_floor(&Integer::from(&n)).into_magnitude();
        while !a.is_zero() {
            let twos = a.trailing_zeros().unwrap_or(0);
            a >>= twos;
            if twos % 2 == 1 && matches!(eighth(&n), 3 | 5) {
                symbol = -symbol;
            }
            // Quadratic reciprocity.
            if eighth(&a) % 4 == 3 && eighth(&n) % 4 == 3 {
                symbol = -symbol;
            }
            (a, n) = (&n % &a, a);
        }
        if n == 1u32 { symbol } else { 0 }
    }
}
