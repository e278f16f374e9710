//! Roots of host numbers.

use crate::number::{Integer, Natural};

impl Natural {
    /// (s, r) with x = s² + r and 0 ≤ r ≤ 2s.
    pub(crate) fn sqrt_rem(&self) -> (Natural, Natural) {
        let bits = self.bit_length();
        if bits <= 128 {
            let x = u128::try_from(self).unwrap_or(0);
            let root = x.isqrt();
            return (Natural::from(root), Natural::from(x - root * root));
        }
        // Zimmermann, *Karatsuba Square Root*: see `crate::root` for the bounds.
        let k = bits.div_ceil(4);
        let k = if bits - 2 * k < 2 * k - 1 { k - 1 } else { k };
        let (root, rest) = (self >> (2 * k)).sqrt_rem();
        let middle = (self >> k).low_bits(k);
        let (quotient, left) = ((rest << k) + middle).div_rem(&(&root << 1));
        let mut root = (root << k) + &quotient;
        let upper = Integer::from((left << k) + self.low_bits(k));
        let mut rest = upper - Integer::from(quotient.square());
        if rest.is_negative() {
            rest += Integer::from(&root << 1) - Integer::ONE;
            root -= Natural::ONE;
        }
        (root, rest.into_magnitude())
    }

    /// ⌊√x⌋.
    pub(crate) fn floor_sqrt(&self) -> Natural {
        self.sqrt_rem().0
    }

    /// Whether x is a square.
    pub(crate) fn is_square(&self) -> bool {
        // Squares are 0, 1, 4, 9, 16, 17, 25, 33, 36, 41, 49 or 57 modulo 64.
        const MODULO_64: u64 = 0x0202_0212_0203_0213;
        let low = self.limbs().first().copied().unwrap_or(0) % 64;
        MODULO_64 >> low & 1 == 1 && self.sqrt_rem().1.is_zero()
    }

    /// ⌊x^(1/n)⌋ for n ≥ 1.
    pub(crate) fn floor_root(&self, n: u64) -> Natural {
        let bits = self.bit_length();
        match n {
            1 => return self.clone(),
            2 => return self.floor_sqrt(),
            _ if bits <= n => return Natural::from(u32::from(!self.is_zero())),
            _ => {}
        }
        // Newton's iteration from above; the start has the right order of magnitude in its upper half.
        let k = bits.div_ceil(n).div_ceil(2);
        let start = if n * k < bits && bits > 64 {
            ((self >> (n * k)).floor_root(n) + Natural::ONE) << k
        } else {
            Natural::power_of_2(bits.div_ceil(n))
        };
        let mut x = start;
        let degree = Natural::from(n);
        loop {
            let quotient = self / x.pow(n - 1);
            if quotient >= x {
                return x;
            }
            x = (&x * Natural::from(n - 1) + quotient) / &degree;
        }
    }
}
