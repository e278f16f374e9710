//! The operations that a level of vector instructions must implement.

use super::division::DivisionLengths;
use super::montgomery::Modulus;
use super::{Group, ROWS};

/// Arithmetic on lanes. The vector levels' methods run their instructions only when inlined into a
/// leaf of the same level, and leaves are called only at a level that is available.
pub(super) trait Lanes: Copy + Sized + 'static {
    /// 64-bit integers, modulo 2^64.
    type Sum: Copy;
    /// Digits as factors. A vector of ROWS lanes of 64 bits each.
    type Digit: Copy;
    /// Floating-point numbers.
    type Real: Copy;

    fn zero() -> Self::Sum;
    fn splat(x: u64) -> Self::Sum;
    fn load(words: &[u64; ROWS]) -> Self::Sum;
    fn store(x: Self::Sum, words: &mut [u64; ROWS]);
    fn add(x: Self::Sum, y: Self::Sum) -> Self::Sum;
    fn sub(x: Self::Sum, y: Self::Sum) -> Self::Sum;
    fn or(x: Self::Sum, y: Self::Sum) -> Self::Sum;
    /// Zero for shifts by 64 and more.
    fn shift_left(x: Self::Sum, bits: Self::Sum) -> Self::Sum;
    fn shift_right(x: Self::Sum, bits: Self::Sum) -> Self::Sum;
    /// x modulo 2^BITS.
    fn low_bits(x: Self::Sum) -> Self::Sum;
    /// ⌊x/2^BITS⌋ for x below 2^63.
    fn carry(x: Self::Sum) -> Self::Sum;
    /// ⌊x/2^BITS⌋ for x as a signed number.
    fn signed_carry(x: Self::Sum) -> Self::Sum;
    /// The digit nearest to x as a signed number.
    fn clamp(x: Self::Sum) -> Self::Sum;
    /// The lanes, a bit each, in which x is no digit.
    fn outside(x: Self::Sum) -> u8;
    /// Lane j of vector i becomes lane i of vector j.
    fn transpose(x: &mut [Self::Sum; ROWS]);

    /// x modulo 2^BITS as a factor.
    fn digit(x: Self::Sum) -> Self::Digit;
    /// The bits of a factor, and the factor again.
    fn to_bits(x: Self::Digit) -> Self::Sum;
    fn from_bits(x: Self::Sum) -> Self::Digit;
    /// Adds the product of two digits: l to `low` and h to `high`, where a·b = h·2^BITS + l. Both
    /// sums get an excess besides, the same each time.
    fn multiply_add(low: &mut Self::Sum, high: &mut Self::Sum, a: Self::Digit, b: Self::Digit);
    /// The excess of `low` low and `high` high halves, modulo 2^64.
    fn excess(low: u64, high: u64) -> Self::Sum;
    /// a·b modulo 2^BITS.
    fn low_product(a: Self::Digit, b: Self::Digit) -> Self::Digit;
    /// Digits from integers, one for each row.
    fn pack(digits: &[u64; ROWS]) -> Self::Digit;
    /// The integers.
    fn unpack(digits: Self::Digit) -> [u64; ROWS];

    /// The number nearest to x as a signed number.
    fn real(x: Self::Sum) -> Self::Real;
    fn splat_real(x: f64) -> Self::Real;
    fn add_real(x: Self::Real, y: Self::Real) -> Self::Real;
    fn mul_real(x: Self::Real, y: Self::Real) -> Self::Real;
    /// 1/x.
    fn inverse(x: Self::Real) -> Self::Real;
    /// ⌊x⌋ for |x| < 2^63; any number for others.
    fn floor(x: Self::Real) -> Self::Sum;

    // The leaves: loops compiled for the level's instructions.

    /// [`montgomery::product`].
    fn mul(
        modulus: &Modulus<Self>,
        a: &[Group<Self>],
        b: &[Group<Self>],
        quotient: &mut [Group<Self>],
        out: &mut [Group<Self>],
    );
    /// [`montgomery::product`] of a with itself.
    fn square(
        modulus: &Modulus<Self>,
        a: &[Group<Self>],
        quotient: &mut [Group<Self>],
        out: &mut [Group<Self>],
    );
    /// [`division::divide`].
    fn divide(
        dividends: &[&[u64]; ROWS],
        divisors: &[&[u64]; ROWS],
        shape: DivisionLengths,
        quotients: &mut [&mut [u64]],
        remainders: &mut [&mut [u64]],
        scratch: &mut [Self::Sum],
    ) -> u8;
}

/// The leaves of [`Lanes`] for the level `$level`: each is the shared loop in a function with the
/// attribute `$attribute`, which names the instructions, and is called through the macro `$call`.
macro_rules! leaves {
    ($level:ident, $call:ident, $attribute:meta) => {
        fn mul(
            modulus: &Modulus<Self>,
            a: &[Group<Self>],
            b: &[Group<Self>],
            quotient: &mut [Group<Self>],
            out: &mut [Group<Self>],
        ) {
            #[$attribute]
            fn leaf(
                modulus: &Modulus<$level>,
                a: &[Group<$level>],
                b: &[Group<$level>],
                quotient: &mut [Group<$level>],
                out: &mut [Group<$level>],
            ) {
                montgomery::product::<$level, false>(modulus, a, b, quotient, out)
            }
            $call!(leaf(modulus, a, b, quotient, out))
        }

        fn square(
            modulus: &Modulus<Self>,
            a: &[Group<Self>],
            quotient: &mut [Group<Self>],
            out: &mut [Group<Self>],
        ) {
            #[$attribute]
            fn leaf(
                modulus: &Modulus<$level>,
                a: &[Group<$level>],
                quotient: &mut [Group<$level>],
                out: &mut [Group<$level>],
            ) {
                montgomery::product::<$level, true>(modulus, a, a, quotient, out)
            }
            $call!(leaf(modulus, a, quotient, out))
        }

        fn divide(
            dividends: &[&[u64]; ROWS],
            divisors: &[&[u64]; ROWS],
            shape: DivisionLengths,
            quotients: &mut [&mut [u64]],
            remainders: &mut [&mut [u64]],
            scratch: &mut [Self::Sum],
        ) -> u8 {
            #[$attribute]
            fn leaf(
                dividends: &[&[u64]; ROWS],
                divisors: &[&[u64]; ROWS],
                shape: DivisionLengths,
                quotients: &mut [&mut [u64]],
                remainders: &mut [&mut [u64]],
                scratch: &mut [Sum<$level>],
            ) -> u8 {
                division::divide::<$level>(
                    dividends, divisors, shape, quotients, remainders, scratch,
                )
            }
            $call!(leaf(
                dividends, divisors, shape, quotients, remainders, scratch
            ))
        }
    };
}

pub(super) use leaves;
