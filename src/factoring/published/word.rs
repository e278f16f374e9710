//! Runners modulo an odd number of one limb: Montgomery's products, and GCDs by shifts and
//! differences.

use crate::number::Natural;
use crate::word::montgomery::Word64;

use super::{Kind, Ring};

/// The floor's Montgomery arithmetic modulo an odd n > 1.
pub(super) struct Word(Word64);

impl Word {
    pub(super) fn new(n: u64) -> Word {
        Word(Word64::new(n))
    }

    fn gcd(&self, x: u64, y: u64) -> u64 {
        let (mut a, mut b) = (x.abs_diff(y), self.0.modulus());
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
        self.0.enter(x)
    }
    fn next(&self, x: &u64, c: &u64) -> u64 {
        self.0.add(self.0.mul(*x, *x), *c)
    }
    fn common(&self, x: &u64, y: &u64) -> Natural {
        Natural::from(self.gcd(*x, *y))
    }
    fn kind(&self, x: &u64, y: &u64) -> Kind {
        match self.gcd(*x, *y) {
            1 => Kind::Nothing,
            all if all == self.0.modulus() => Kind::All,
            _ => Kind::Factor,
        }
    }
}
