//! Roots of host numbers.

use crate::number::{Buffer, Natural};
use crate::word::root::{
    may_be_square, root_two_words, sqrt_rem, sqrt_rem_scratch, sqrt_rem_two_words,
};

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
        if let Ok(x) = u128::try_from(self) {
            return Natural::from(sqrt_rem_two_words(x).0);
        }
        let a = self.limbs();
        let len = a.len().div_ceil(2);
        let mut scratch = Buffer::unspecified(len + 1 + sqrt_rem_scratch(a.len()));
        let (rest, scratch) = scratch.split_at_mut(len + 1);
        Natural::build(len, |out| sqrt_rem(out, rest, a, scratch))
    }

    /// Whether this is a square.
    pub(crate) fn is_square(&self) -> bool {
        let a = self.limbs();
        if !may_be_square(a) {
            return false;
        }
        if let Ok(x) = u128::try_from(self) {
            return sqrt_rem_two_words(x).1 == 0;
        }
        let len = a.len().div_ceil(2);
        let mut memory = Buffer::unspecified(2 * len + 1 + sqrt_rem_scratch(a.len()));
        let (root, memory) = memory.split_at_mut(len);
        let (rest, scratch) = memory.split_at_mut(len + 1);
        sqrt_rem(root, rest, a, scratch);
        rest.iter().all(|limb| *limb == 0)
    }

    /// ⌊x^(1/n)⌋ for n ≥ 1, and x minus its n-th power.
    pub(crate) fn root_rem(&self, n: u64) -> (Natural, Natural) {
        let bits = self.bit_length();
        match n {
            1 => return (self.clone(), Natural::ZERO),
            2 => return self.sqrt_rem(),
            _ if bits == 0 => return (Natural::ZERO, Natural::ZERO),
            // Below 2^n the root is 1.
            _ if bits <= n => return (Natural::ONE, self - Natural::ONE),
            _ => {}
        }
        if let Ok(x) = u128::try_from(self) {
            let root = root_two_words(x, n as u32);
            let rest = x - u128::from(root).pow(n as u32);
            return (Natural::from(root), Natural::from(rest));
        }
        if bits.div_ceil(n) <= MOST_BY_DOUBLES {
            return by_doubles(self, bits, n);
        }
        // Newton's iteration from above; the start has the right order of magnitude in its upper
        // half.
        let k = bits.div_ceil(n).div_ceil(2);
        let mut x = ((self >> (n * k)).floor_root(n) + Natural::ONE) << k;
        let degree = Natural::from(n);
        loop {
            let quotient = self / x.pow(n - 1);
            if quotient >= x {
                let rest = self - x.pow(n);
                return (x, rest);
            }
            x = (&x * Natural::from(n - 1) + quotient) / &degree;
        }
    }

    /// ⌊x^(1/n)⌋ for n ≥ 1.
    pub(crate) fn floor_root(&self, n: u64) -> Natural {
        match n {
            2 => self.floor_sqrt(),
            _ => self.root_rem(n).0,
        }
    }
}

/// Longest roots that doubles correct: each correction gives some 45 bits more, while a step of
/// Newton's doubles them but takes a division.
const MOST_BY_DOUBLES: u64 = 400;

/// [`Natural::root_rem`] for n ≥ 3 and x of `bits` bits, more than 128 and more than n, with a root
/// of at most [`MOST_BY_DOUBLES`] bits.
///
/// With p = s^n and d = |x − p| Newton's correction of s is c = d·s/(n·p), which doubles give
/// within 2^-40 of it. As (s + 1)^n − s^n ≥ n·s^(n−1), the root is s if p ≤ x and c < 1. As s^n is
/// convex, the root is s − 1 if p > x and c < 1. Both tests leave 1/100 for what doubles miss. The
/// start is off by less than 1 or, from [`SURE`] on, by so little of it that Newton's corrections
/// converge: n·2^-44 is far below 1.
fn by_doubles(x: &Natural, bits: u64, n: u64) -> (Natural, Natural) {
    let mut root = start(x, bits, n);
    loop {
        let power = root.pow(n);
        let is_above = power > *x;
        let difference = if is_above { &power - x } else { x - &power };
        let [(d, d_up), (s, s_up), (p, p_up)] = [&difference, &root, &power].map(as_double);
        let up = (d_up + s_up - p_up).clamp(-1000, 1000) as i32;
        let correction = d * s / (p * n as f64) * 2f64.powi(up);
        if is_above {
            if correction < 0.99 {
                root -= &Natural::ONE;
                let rest = x - root.pow(n);
                return (root, rest);
            }
            root -= &from_double(correction.max(1.0));
        } else if correction < 0.99 {
            return (root, difference);
        } else if correction < 2.0 || root < SURE {
            let next = &root + &Natural::ONE;
            if next.pow(n) > *x {
                return (root, difference);
            }
            root = next;
        } else {
            root += &from_double(correction);
        }
    }
}

/// Below this the start of a root is off by less than 1.
const SURE: u64 = 1 << 44;

/// The leading word of x as a double, and the exponent of 2 that it is to be multiplied by.
fn as_double(x: &Natural) -> (f64, i64) {
    let [.., y, z] = x.limbs() else {
        return (x.limbs().first().map_or(0.0, |limb| *limb as f64), 0);
    };
    let shift = z.leading_zeros();
    let top = (u128::from(*z) << 64 | u128::from(*y)) << shift >> 64;
    (
        top as f64,
        64 * (x.limb_count() as i64 - 1) - i64::from(shift),
    )
}

/// The integer part of x from 1 on.
fn from_double(x: f64) -> Natural {
    let exponent = (x.to_bits() >> 52) as i64 - 1023 - 52;
    let digits = Natural::from(x.to_bits() & ((1 << 52) - 1) | 1 << 52);
    if exponent < 0 {
        &digits >> (-exponent) as u64
    } else {
        &digits << exponent as u64
    }
}

/// About the n-th root of x, n ≥ 3, of `bits` > n bits: off by less than 2^-44 of it, and cut.
///
/// With x = top·2^shift the root is 2^(shift div n) times 2^f, f = (log2 top + shift mod n)/n. The
/// logarithm is off by 2^-46, the sum is below 64 + n and rounded by 2^-53 of that, and n ≥ 3, so
/// that f is off by less than 2^-45. Cutting x to its leading word lowers the root by 2^-63 of it.
fn start(x: &Natural, bits: u64, n: u64) -> Natural {
    let shift = bits - 64;
    let top = (x >> shift).limbs()[0];
    let fraction = ((top as f64).log2() + (shift % n) as f64) / n as f64;
    let exponent = shift / n + fraction as u64;
    let mantissa = (fraction - fraction.floor()).exp2();
    let digits = Natural::from((mantissa * 2f64.powi(52)) as u64);
    if exponent >= 52 {
        &digits << (exponent - 52)
    } else {
        &digits >> (52 - exponent)
    }
}
