//! Eight rows in plain Rust, with the arithmetic of `avx512.rs`. Tests use it if the processor
//! lacks IFMA.

use super::division::{self, DivisionLengths};
use super::montgomery::{self, Modulus};
use super::{Group, Lanes, ROWS};

#[derive(Clone, Copy)]
pub(super) struct Plain;

const MASK: u64 = (1 << 52) - 1;

type Words = [u64; 8];

/// The halves of the product of the low 52 bits.
fn halves(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a & MASK) * u128::from(b & MASK);
    (product as u64 & MASK, (product >> 52) as u64)
}

fn each(x: Words, y: Words, f: impl Fn(u64, u64) -> u64) -> Words {
    std::array::from_fn(|i| f(x[i], y[i]))
}

impl Lanes for Plain {
    type Sum = Words;
    type Digit = Words;
    type Real = [f64; 8];

    fn zero() -> Words {
        [0; 8]
    }

    fn splat(x: u64) -> Words {
        [x; 8]
    }

    fn load(words: &Words) -> Words {
        *words
    }

    fn store(x: Words, words: &mut Words) {
        *words = x;
    }

    fn add(x: Words, y: Words) -> Words {
        each(x, y, u64::wrapping_add)
    }

    fn sub(x: Words, y: Words) -> Words {
        each(x, y, u64::wrapping_sub)
    }

    fn or(x: Words, y: Words) -> Words {
        each(x, y, |x, y| x | y)
    }

    fn shift_left(x: Words, bits: Words) -> Words {
        each(x, bits, |x, bits| x.checked_shl(bits as u32).unwrap_or(0))
    }

    fn shift_right(x: Words, bits: Words) -> Words {
        each(x, bits, |x, bits| x.checked_shr(bits as u32).unwrap_or(0))
    }

    fn low_bits(x: Words) -> Words {
        x.map(|x| x & MASK)
    }

    fn carry(x: Words) -> Words {
        assert!(x.iter().all(|x| *x >> 63 == 0));
        x.map(|x| x >> 52)
    }

    fn signed_carry(x: Words) -> Words {
        x.map(|x| (x as i64 >> 52) as u64)
    }

    fn clamp(x: Words) -> Words {
        x.map(|x| (x as i64).clamp(0, MASK as i64) as u64)
    }

    fn outside(x: Words) -> u8 {
        (0..8).fold(0, |bits, i| bits | u8::from(x[i] > MASK) << i)
    }

    fn transpose(x: &mut [Words; 8]) {
        *x = std::array::from_fn(|i| std::array::from_fn(|j| x[j][i]));
    }

    fn digit(x: Words) -> Words {
        x
    }

    fn to_bits(x: Words) -> Words {
        x
    }

    fn from_bits(x: Words) -> Words {
        x
    }

    fn multiply_add(low: &mut Words, high: &mut Words, a: Words, b: Words) {
        *low = Self::add(*low, each(a, b, |a, b| halves(a, b).0));
        *high = Self::add(*high, each(a, b, |a, b| halves(a, b).1));
    }

    fn excess(_low: u64, _high: u64) -> Words {
        [0; 8]
    }

    fn low_product(a: Words, b: Words) -> Words {
        each(a, b, |a, b| halves(a, b).0)
    }

    fn pack(digits: &Words) -> Words {
        *digits
    }

    fn unpack(digits: Words) -> Words {
        Self::low_bits(digits)
    }

    fn real(x: Words) -> [f64; 8] {
        x.map(|x| x as i64 as f64)
    }

    fn splat_real(x: f64) -> [f64; 8] {
        [x; 8]
    }

    fn add_real(x: [f64; 8], y: [f64; 8]) -> [f64; 8] {
        std::array::from_fn(|i| x[i] + y[i])
    }

    fn mul_real(x: [f64; 8], y: [f64; 8]) -> [f64; 8] {
        std::array::from_fn(|i| x[i] * y[i])
    }

    fn inverse(x: [f64; 8]) -> [f64; 8] {
        x.map(|x| 1.0 / x)
    }

    fn floor(x: [f64; 8]) -> Words {
        x.map(|x| x.floor() as i64 as u64)
    }

    fn mul(
        modulus: &Modulus<Self>,
        a: &[Group<Self>],
        b: &[Group<Self>],
        quotient: &mut [Group<Self>],
        out: &mut [Group<Self>],
    ) {
        montgomery::product::<Plain, false>(modulus, a, b, quotient, out);
    }

    fn square(
        modulus: &Modulus<Self>,
        a: &[Group<Self>],
        quotient: &mut [Group<Self>],
        out: &mut [Group<Self>],
    ) {
        montgomery::product::<Plain, true>(modulus, a, a, quotient, out);
    }

    fn divide(
        dividends: &[&[u64]; ROWS],
        divisors: &[&[u64]; ROWS],
        shape: DivisionLengths,
        quotients: &mut [&mut [u64]],
        remainders: &mut [&mut [u64]],
        scratch: &mut [Self::Sum],
    ) -> u8 {
        division::divide::<Plain>(dividends, divisors, shape, quotients, remainders, scratch)
    }
}
