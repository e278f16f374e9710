//! Runners modulo an odd number of one limb: Montgomery's products, and GCDs by shifts and differences.

use crate::number::Natural;

use super::{Kind, Ring};

/// Arithmetic modulo an odd n. Residues are xR with R = 2^64, from 0 to n − 1.
pub(super) struct Word {
    n: u64,
    /// −1/n modulo 2^64.
    inverse: u64,
    /// R² modulo n.
    square: u64,
}

impl Word {
    pub(super) fn new(n: u64) -> Word {
        assert!(n % 2 == 1);
        // Right to 3 bits, and to twice as many each time.
        let mut inverse = n;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(inverse)));
        }
        let r = (1u128 << 64) % u128::from(n);
        Word {
            n,
            inverse: inverse.wrapping_neg(),
            square: (r * r % u128::from(n)) as u64,
        }
    }

    /// ab/R modulo n, for b below n.
    fn times(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let m = (product as u64).wrapping_mul(self.inverse);
        // The low limbs add up to 0 or to R.
        let carry = u64::from(product as u64 != 0);
        let high = ((u128::from(m) * u128::from(self.n)) >> 64) as u64;
        self.sum((product >> 64) as u64, high, carry)
    }

    /// a + b + carry modulo n, where that is below 2n.
    fn sum(&self, a: u64, b: u64, carry: u64) -> u64 {
        let sum = u128::from(a) + u128::from(b) + u128::from(carry);
        let n = u128::from(self.n);
        (if sum >= n { sum - n } else { sum }) as u64
    }

    fn gcd(&self, x: u64, y: u64) -> u64 {
        let (mut a, mut b) = (x.abs_diff(y), self.n);
        if a == 0 {
            return b;
        }
        a >>= a.trailing_zeros();
        while a != b {
            let difference = a.abs_diff(b);
            b = a.min(b);
            a = difference >> difference.trailing_zeros();
        }
        b
    }
}

impl Ring for Word {
    type Value = u64;
    fn number(&self, x: u64) -> u64 {
        self.times(x, self.square)
    }
    fn next(&self, x: &u64, c: &u64) -> u64 {
        self.sum(self.times(*x, *x), *c, 0)
    }
    fn common(&self, x: &u64, y: &u64) -> Natural {
        Natural::from(self.gcd(*x, *y))
    }
    fn kind(&self, x: &u64, y: &u64) -> Kind {
        match self.gcd(*x, *y) {
            1 => Kind::Nothing,
            all if all == self.n => Kind::All,
            _ => Kind::Factor,
        }
    }
}
