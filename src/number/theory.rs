//! Divisors, powers, roots and residues of host numbers.

use super::integer::Integer;
use super::natural::Natural;
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

    /// x / y where y divides x.
    pub(crate) fn div_exact(&self, y: &Natural) -> Natural {
        let (quotient, rest) = self.div_rem(y);
        debug_assert!(rest.is_zero());
        quotient
    }

    /// Whether y divides x; 0 divides 0 alone.
    pub(crate) fn is_multiple_of(&self, y: &Natural) -> bool {
        if y.is_zero() {
            return self.is_zero();
        }
        match y.limbs() {
            [word] => self.rem_word(*word) == 0,
            _ => (self % y).is_zero(),
        }
    }

    /// x^exponent; 0^0 = 1.
    pub(crate) fn pow(&self, exponent: u64) -> Natural {
        let Some(top) = exponent.checked_ilog2() else {
            return Natural::ONE;
        };
        let zeros = self.trailing_zeros().unwrap_or(0);
        if zeros > 0 && self.limb_count() > 0 {
            let odd = self >> zeros;
            return odd.pow(exponent) << (zeros * exponent);
        }
        let mut power = self.clone();
        for bit in (0..top).rev() {
            power = power.square();
            if exponent >> bit & 1 == 1 {
                power *= self;
            }
        }
        power
    }

    /// x^exponent modulo m > 0, from 0 to m − 1.
    pub(crate) fn mod_pow(&self, exponent: &Natural, m: &Natural) -> Natural {
        let mut power = &Natural::ONE % m;
        let base = self % m;
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

    /// 1/x modulo 2^bits for odd x.
    pub(crate) fn inverse_mod_power_of_2(&self, bits: u64) -> Option<Natural> {
        let low = *self.limbs().first()?;
        if low % 2 == 0 {
            return None;
        }
        let mut inverse = Natural::from(crate::word::inverse_word(low));
        let mut known = 64;
        while known < bits {
            known = (2 * known).min(bits);
            // y·(2 − x·y) doubles the bits that are right.
            let product = (self.low_bits(known) * &inverse).low_bits(known);
            let two = Natural::power_of_2(known) + Natural::from(2u32);
            inverse = ((two - product) * &inverse).low_bits(known);
        }
        Some(inverse.low_bits(bits))
    }

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

    /// Whether y divides x; 0 divides 0 alone.
    pub(crate) fn is_multiple_of(&self, y: &Integer) -> bool {
        self.magnitude().is_multiple_of(y.magnitude())
    }

    /// x / y where y divides x.
    pub(crate) fn div_exact(&self, y: &Integer) -> Integer {
        let negative = self.is_negative() != y.is_negative();
        Integer::from_parts(negative, self.magnitude().div_exact(y.magnitude()))
    }

    /// x^exponent; 0^0 = 1.
    pub(crate) fn pow(&self, exponent: u64) -> Integer {
        let negative = self.is_negative() && exponent % 2 == 1;
        Integer::from_parts(negative, self.magnitude().pow(exponent))
    }

    /// Kronecker's symbol (x/n).
    pub(crate) fn kronecker(&self, n: &Integer) -> i32 {
        if n.is_zero() {
            return i32::from(*self.magnitude() == 1u32);
        }
        if self.is_even() && n.is_even() {
            return 0;
        }
        let mut symbol = if n.is_negative() && self.is_negative() { -1 } else { 1 };
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
