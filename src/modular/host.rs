//! Powers, inverses and Kronecker's symbol of host numbers.

use crate::modp::words;
use crate::number::{Buffer, Integer, Natural};
use crate::word::lehmer::{self, Symbol};
use crate::word::montgomery::{Course, Modulus};

impl Natural {
    /// x^exponent modulo m > 0, from 0 to m − 1.
    pub(crate) fn mod_pow(&self, exponent: &Natural, m: &Natural) -> Natural {
        let power = self.mod_pow_while(exponent, m, &mut |_| true);
        power.unwrap_or(Natural::ZERO)
    }

    /// x^exponent modulo m > 0, from 0 to m − 1; none where it was stopped. `go_on` hears from time
    /// to time how many more bits of the exponent are done.
    pub(crate) fn mod_pow_while(
        &self,
        exponent: &Natural,
        m: &Natural,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Natural> {
        if *m == 1u32 {
            return Some(Natural::ZERO);
        }
        let base = self % m;
        let course = &mut Course::new(m.limb_count(), go_on);
        if m.is_odd() {
            return odd_power(&base, exponent, m, course);
        }
        let mut power = Natural::ONE;
        for bit in (0..exponent.bit_length()).rev() {
            power = power.square() % m;
            if exponent.bit(bit) {
                power = &power * &base % m;
            }
            if !course.advance(1) {
                return None;
            }
        }
        Some(power)
    }

    /// 1/x modulo m, from 0 to m − 1; none where they have a common divisor.
    pub(crate) fn mod_inverse(&self, m: &Natural) -> Option<Natural> {
        let (g, s, _) = Integer::from(self % m).extended_gcd(&Integer::from(m));
        (g == 1u32).then(|| s.rem_floor(&Integer::from(m)).into_magnitude())
    }
}

/// base^exponent modulo an odd m > 1, for base < m; none where it was stopped.
fn odd_power(
    base: &Natural,
    exponent: &Natural,
    m: &Natural,
    course: &mut Course,
) -> Option<Natural> {
    let modulus = Modulus::new(m.limbs());
    let len = modulus.limbs();
    let mut padded = Buffer::copy_of(base.limbs(), len - base.limb_count());
    padded.resize_unspecified(len);
    padded[base.limb_count()..].fill(0);
    let mut scratch = Buffer::unspecified(modulus.scratch());
    let mut is_done = false;
    let power = Natural::build(len, |out| {
        is_done = modulus.power(out, &padded, exponent.limbs(), &mut scratch, course);
        if !is_done {
            out.fill(0);
        }
    });
    is_done.then_some(power)
}

/// (a/n) over (|a|/n'), where n = ±2^twos·n' with odd n': by which of a and n are negative, and by
/// |a| and n' modulo 8. One of a and n is odd.
pub(super) fn sign_of_parts(
    [a_negative, n_negative]: [bool; 2],
    twos: u64,
    [a, n]: [u64; 2],
) -> i32 {
    // (a/2) is −1 for a = ±3 modulo 8.
    let by_twos = twos % 2 == 1 && matches!(a % 8, 3 | 5);
    // (a/−1) is −1 for a < 0, and (−1/n') is −1 for n' = 3 modulo 4.
    let by_signs = a_negative && (n_negative ^ (n % 4 == 3));
    if by_twos ^ by_signs { -1 } else { 1 }
}

impl Integer {
    /// Kronecker's symbol (x/n), in quadratic time.
    pub(crate) fn kronecker(&self, n: &Integer) -> i32 {
        let magnitude = self.magnitude();
        let Some(twos) = n.trailing_zeros() else {
            return i32::from(*magnitude == 1u32);
        };
        let lowest = |x: &Natural| x.limbs().first().copied().unwrap_or(0);
        let signs = [self.is_negative(), n.is_negative()];
        if twos == 0 {
            let sign = sign_of_parts(signs, 0, [lowest(magnitude), lowest(n.magnitude())]);
            return sign * magnitude.jacobi(n.magnitude());
        }
        if self.is_even() {
            return 0;
        }
        let odd = n.magnitude() >> twos;
        sign_of_parts(signs, twos, [lowest(magnitude), lowest(&odd)]) * magnitude.jacobi(&odd)
    }
}

impl Natural {
    /// Jacobi's symbol (x/n) for odd n, in quadratic time.
    fn jacobi(&self, n: &Natural) -> i32 {
        if let Ok(n) = u64::try_from(n) {
            return words::jacobi_64(self.rem_word(n), n);
        }
        if let Ok(mut a) = u64::try_from(self) {
            if a == 0 {
                return 0;
            }
            let twos = a.trailing_zeros();
            a >>= twos;
            let lowest = n.limbs()[0];
            let by_twos = twos % 2 == 1 && matches!(lowest % 8, 3 | 5);
            // Quadratic reciprocity.
            let negate = by_twos ^ (a % 4 == 3 && lowest % 4 == 3);
            let symbol = words::jacobi_64(n.rem_word(a), a);
            return if negate { -symbol } else { symbol };
        }
        // A long first quotient is for the division.
        if self.limb_count() > n.limb_count() + 1 {
            return (self % n).jacobi(n);
        }
        let lower_is_second = self > n;
        let (x, y) = if lower_is_second {
            (self, n)
        } else {
            (n, self)
        };
        let mut symbol = Symbol::of(x.limbs()[0], y.limbs()[0], lower_is_second);
        let (mut x, mut y) = (x.to_vec(), y.to_vec());
        lehmer::gcd_with_symbol(&mut x, &mut y, &mut symbol);
        if x == [1] { symbol.value() } else { 0 }
    }
}
