//! Roots of host numbers.

use crate::number::{Buffer, Natural};
use crate::word::root::{sqrt_rem, sqrt_rem_scratch, sqrt_rem_two_words};

impl Natural {
    /// (s, r) with x = s² + r and 0 ≤ r ≤ 2s.
    pub(crate) fn sqrt_rem(&self) -> (Natural, Natural) {
        if let Ok(x) = u128::try_from(self) {
            let (root, rest) = sqrt_rem_two_words(x);
            return (Natural::from(root), Natural::from(rest));
        }
        let a = self.limbs();
        let len = a.len().div_ceil(2);
        let mut scratch = Buffer::unspecified(sqrt_rem_scratch(a.len()));
        let mut root = Natural::ZERO;
        let rest = Natural::build(len + 1, |rest| {
            root = Natural::build(len, |out| sqrt_rem(out, rest, a, &mut scratch));
        });
        (root, rest)
    }

    /// ⌊√x⌋.
    pub(crate) fn floor_sqrt(&self) -> Natural {
        self.sqrt_rem().0
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
        // Newton's iteration from above; the start has the right order of magnitude in its upper
        // half.
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
