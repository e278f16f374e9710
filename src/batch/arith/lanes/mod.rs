//! Rows side by side in the lanes of vector registers.
//!
//! | level | a product of two digits in eight lanes |
//! |---|---|
//! | AVX-512 with IFMA | two integer multiply-adds |
//! | AVX-512 | two floating-point multiply-adds, three sums |
//!
//! With 256-bit vectors this would be slower than the floor's products with mulx.
//!
//! A vector has one digit of each row, of 52 bits. In products modulo odd numbers (`montgomery.rs`,
//! `power.rs`) digits come in groups of four, and a number is a slice of groups, the lowest first.
//! In divisions (`division.rs`) a number is a slice of digits. `arithmetic.rs` has the operations
//! that a level must implement.

// Other processors have no level.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

mod arithmetic;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_float;
mod columns;
mod division;
mod montgomery;
#[cfg(test)]
mod plain;
mod power;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub(super) use division::Division;
pub(super) use power::Power;

use arithmetic::Lanes;

/// Rows side by side.
pub(super) const ROWS: usize = 8;
/// Bits of a digit.
const BITS: u32 = 52;
/// Digits of a group.
const GROUP: usize = 4;

/// Maximum limbs of a modulus of powers in lanes: sums of columns do not overflow
/// (`montgomery.rs`), and for longer rows products that are faster than schoolbook ones are better.
pub(super) const MOST_LIMBS: usize = 160;

type Digit<L> = <L as Lanes>::Digit;
type Sum<L> = <L as Lanes>::Sum;
/// Four digits of each row.
type Group<L> = [Digit<L>; GROUP];

/// The vector instructions in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// 512-bit vectors of 52-bit integer multiply-adds.
    Avx512,
    /// 512-bit vectors of floating-point multiply-adds.
    Avx512Float,
    /// Plain Rust with the arithmetic of IFMA.
    #[cfg(test)]
    Plain,
}

impl Level {
    /// The fastest level of this processor, if it has one.
    pub(super) fn best() -> Option<Level> {
        let mut vectors = [Level::Avx512, Level::Avx512Float].into_iter();
        vectors.find(|level| level.is_available())
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Level::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512ifma")
            }
            Level::Avx512Float => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
            }
            #[cfg(test)]
            Level::Plain => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        match self {
            #[cfg(test)]
            Level::Plain => true,
            _ => false,
        }
    }

    /// How many powers by the floor take as long as the powers of ROWS rows in lanes. Measured on
    /// Cascade Lake at 2.5 GHz, 2026-11-17; that of IFMA is estimated.
    pub(super) fn power_cost(self) -> u128 {
        match self {
            Level::Avx512Float => 4,
            _ => 2,
        }
    }

    /// How many divisions by the floor take as long as those of ROWS rows in lanes. Measured and
    /// estimated likewise.
    pub(super) fn division_cost(self) -> u64 {
        match self {
            Level::Avx512Float => 5,
            _ => 3,
        }
    }

    /// Calls `out` with the number of each row and its power. There are at most ROWS rows, the
    /// moduli are odd and have at most MOST_LIMBS limbs.
    pub(super) fn powers(self, rows: &[Power<'_>], out: &mut dyn FnMut(usize, &[u64])) {
        assert!(self.is_available() && rows.len() <= ROWS);
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => power::powers::<avx512::Avx512>(rows, out),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Float => power::powers::<avx512_float::Avx512Float>(rows, out),
            #[cfg(test)]
            Level::Plain => power::powers::<plain::Plain>(rows, out),
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("no such level is available"),
        }
    }

    /// The quotient and the remainder of each row, in slices of any length that has room for them;
    /// the rows, a bit each, that must be divided in another way. There are at most ROWS rows, and
    /// at least one. All fit lanes, and their divisors have as many digits. `scratch` is lengthened
    /// as needed.
    pub(super) fn quotients(
        self,
        rows: &[Division<'_>],
        q: &mut [&mut [u64]],
        r: &mut [&mut [u64]],
        scratch: &mut Vec<u64>,
    ) -> u8 {
        assert!(self.is_available() && rows.len() <= ROWS);
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => division::quotients::<avx512::Avx512>(rows, q, r, scratch),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Float => {
                division::quotients::<avx512_float::Avx512Float>(rows, q, r, scratch)
            }
            #[cfg(test)]
            Level::Plain => division::quotients::<plain::Plain>(rows, q, r, scratch),
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("no such level is available"),
        }
    }
}

/// Bits `at` to `at + bits − 1` of a number, for 0 < bits ≤ 64.
fn bits_at(limbs: &[u64], at: u64, bits: u32) -> u64 {
    let (limb, shift) = ((at / 64) as usize, (at % 64) as u32);
    let get = |i: usize| limbs.get(i).copied().unwrap_or(0);
    // Shifted twice: by 64 in all where nothing of the next limb is needed.
    let word = get(limb) >> shift | get(limb + 1) << 1 << (63 - shift);
    word & (u64::MAX >> (64 - bits))
}

/// Packs numbers, one for each row, into `groups` groups. The numbers must fit.
fn pack<L: Lanes>(numbers: &[&[u64]], groups: usize) -> Vec<Group<L>> {
    let digit = |i: usize| {
        let at = i as u64 * u64::from(BITS);
        let mut digits = [0; ROWS];
        for (digit, number) in digits.iter_mut().zip(numbers) {
            *digit = bits_at(number, at, BITS);
        }
        L::pack(&digits)
    };
    let group = |i: usize| std::array::from_fn(|j| digit(GROUP * i + j));
    (0..groups).map(group).collect()
}

/// Returns the lowest `limbs` limbs of the number of row `row`.
fn unpack<L: Lanes>(groups: &[Group<L>], row: usize, limbs: usize) -> Vec<u64> {
    let mut out = vec![0; limbs];
    for (i, digit) in groups.iter().flatten().enumerate() {
        let at = i as u64 * u64::from(BITS);
        let (limb, shift) = ((at / 64) as usize, (at % 64) as u32);
        let digit = L::unpack(*digit)[row];
        for (limb, part) in [
            (limb, digit << shift),
            (limb + 1, digit >> 1 >> (63 - shift)),
        ] {
            if let Some(limb) = out.get_mut(limb) {
                *limb |= part;
            }
        }
    }
    out
}
