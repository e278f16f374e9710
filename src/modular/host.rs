//! Powers, inverses and Kronecker's symbol of host numbers.

use crate::number::{Buffer, Integer, Natural};
use crate::word::gcd;
use crate::word::inverse_word;
use crate::word::montgomery::{Course, Modulus, Word64, Word128, power_in};

impl Natural {
    /// x^exponent modulo m > 0, from 0 to m − 1.
    pub(crate) fn mod_pow(&self, exponent: &Natural, m: &Natural) -> Natural {
        let power = self.mod_pow_while(exponent, m, &mut |_| true);
        power.unwrap_or(Natural::ZERO)
    }

    /// x^exponent modulo m > 0, from 0 to m − 1. None if it was stopped. `go_on` is called from
    /// time to time with the number of bits of the exponent processed since the last call.
    pub(crate) fn mod_pow_while(
        &self,
        exponent: &Natural,
        m: &Natural,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Natural> {
        if *m == 1u32 {
            return Some(Natural::ZERO);
        }
        let reduced;
        let base = if self < m {
            self
        } else {
            reduced = self % m;
            &reduced
        };
        let course = &mut Course::new(m.limb_count(), go_on);
        // What is made ready for Montgomery's products pays from some products on.
        if exponent.bit_length() > FEW_BITS {
            let twos = m.trailing_zeros().unwrap_or(0);
            match twos {
                0 => return odd_power(base, exponent, m, course),
                1..=64 => {
                    let odd = m >> twos;
                    let power = if odd == 1u32 {
                        Natural::ZERO
                    } else {
                        odd_power(&(base % &odd), exponent, &odd, course)?
                    };
                    return Some(with_low_bits(power, &odd, twos, low_power(base, exponent)));
                }
                _ => {}
            }
        }
        let mut power = Natural::ONE;
        for bit in (0..exponent.bit_length()).rev() {
            power = power.square() % m;
            if exponent.bit(bit) {
                power = &power * base % m;
            }
            if !course.advance(1) {
                return None;
            }
        }
        Some(power)
    }
}

/// Most bits of an exponent that takes divisions.
const FEW_BITS: u64 = 4;

/// base^exponent modulo 2^64.
fn low_power(base: &Natural, exponent: &Natural) -> u64 {
    let base = base.limbs().first().copied().unwrap_or(0);
    let mut power = 1u64;
    for limb in exponent.limbs().iter().rev() {
        for bit in (0..64).rev() {
            power = power.wrapping_mul(power);
            let factor = if limb >> bit & 1 == 1 { base } else { 1 };
            power = power.wrapping_mul(factor);
        }
    }
    power
}

/// The number below m·2^twos that is x modulo an odd m and `low` modulo 2^twos, for x < m and twos
/// up to 64.
fn with_low_bits(x: Natural, m: &Natural, twos: u64, low: u64) -> Natural {
    let lowest = |x: &Natural| x.limbs().first().copied().unwrap_or(0);
    let times = low
        .wrapping_sub(lowest(&x))
        .wrapping_mul(inverse_word(lowest(m)));
    x + m * Natural::from(times & u64::MAX >> (64 - twos))
}

/// base^exponent modulo an odd m > 1, for base < m. None if it was stopped.
fn odd_power(
    base: &Natural,
    exponent: &Natural,
    m: &Natural,
    course: &mut Course,
) -> Option<Natural> {
    match (m.limbs(), base.limbs()) {
        ([m], base) => {
            let ring = Word64::new(*m);
            let base = ring.enter(base.first().copied().unwrap_or(0));
            let power = power_in(exponent.limbs(), ring.one(), base, course, |x, y| {
                ring.mul(x, y)
            })?;
            return Some(Natural::from(ring.leave(power)));
        }
        ([low, high], base) => {
            let pair = |x: &[u64]| match x {
                [] => 0,
                [low] => u128::from(*low),
                [low, high, ..] => u128::from(*high) << 64 | u128::from(*low),
            };
            let ring = Word128::new(pair(&[*low, *high]));
            let base = ring.enter(pair(base));
            let power = power_in(exponent.limbs(), ring.one(), base, course, |x, y| {
                ring.mul(x, y)
            })?;
            return Some(Natural::from(ring.leave(power)));
        }
        _ => {}
    }
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
        let (a, b) = (self.limbs(), n.limbs());
        let pair = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
        match (a, b) {
            ([], [n]) => return i32::from(*n == 1),
            ([a], [n]) => return gcd::jacobi_words(*a, *n),
            (_, [n]) => return gcd::jacobi_words(self.rem_word(*n), *n),
            ([], _) => return 0,
            ([a], n) => return gcd::jacobi_of_word(*a, n),
            ([a0, a1], [n0, n1]) => {
                return gcd::jacobi_two_words(pair(*a0, *a1), pair(*n0, *n1));
            }
            _ => {}
        }
        // Numbers of different lengths get one remainder first.
        if a.len() > b.len() + 1 {
            return (self % n).jacobi(n);
        }
        if b.len() > a.len() + 1 {
            let twos = self.trailing_zeros().unwrap_or(0);
            let odd = self >> twos;
            let (x, y) = (odd.limbs()[0], b[0]);
            let by_twos = twos % 2 == 1 && matches!(y % 8, 3 | 5);
            // Quadratic reciprocity.
            let symbol = (n % &odd).jacobi(&odd);
            return if by_twos ^ (x % 4 == 3 && y % 4 == 3) {
                -symbol
            } else {
                symbol
            };
        }
        let len = a.len().max(b.len());
        let [mut x, mut y] = [a, b].map(|limbs| {
            let mut padded = Buffer::copy_of(limbs, len - limbs.len());
            padded.resize_unspecified(len);
            padded[limbs.len()..].fill(0);
            padded
        });
        gcd::jacobi(&mut x, &mut y)
    }
}
