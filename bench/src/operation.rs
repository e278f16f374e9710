//! The operations that are measured: what each is called, what it works on, what it must move, and how the library and
//! malachite do it.

use std::cmp::Ordering;

use bezout::{Int, Result};
use malachite_base::num::logic::traits::CheckedHammingDistance;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::Rng;

/// An operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// a + b
    Add,
    /// a + b = 2^n, where a carry runs through every limb
    AddCarry,
    /// a + 1
    AddOne,
    /// (2^n − 1) + 1
    OnesPlusOne,
    /// a − b
    Sub,
    /// a & b
    And,
    /// a | b
    Or,
    /// a ^ b
    Xor,
    /// !a
    Not,
    /// a << 1
    ShiftLeft1,
    /// a << 67
    ShiftLeft67,
    /// a >> 67
    ShiftRight67,
    /// every limb set to one pattern
    Fill,
    /// number of one bits
    Popcount,
    /// number of bits that differ
    Hamming,
    /// order of two values that differ in their last bit only
    Compare,
    /// a · b
    Mul,
}

/// What an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// Two random values.
    Random,
    /// Two random values for a product, which no cache can serve: a few pairs are enough.
    Product,
    /// Two random values whose sum is 2^n.
    Carry,
    /// A random value and 1.
    One,
    /// 2^n − 1 and 1.
    Ones,
    /// A random value and the one that differs in the last bit.
    Close,
}

/// What an operation gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    /// A number.
    Value(T),
    /// A count of bits; none for infinitely many.
    Count(Option<u64>),
    /// An order.
    Order(Ordering),
}

impl Operation {
    /// The pattern of [`Operation::Fill`]. Its top bit is set, so that the value has all its bits.
    pub const PATTERN: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Add => "add",
            Operation::AddCarry => "add, carry end to end",
            Operation::AddOne => "random plus one",
            Operation::OnesPlusOne => "all ones plus one",
            Operation::Sub => "sub",
            Operation::And => "and",
            Operation::Or => "or",
            Operation::Xor => "xor",
            Operation::Not => "not",
            Operation::ShiftLeft1 => "shift left 1",
            Operation::ShiftLeft67 => "shift left 67",
            Operation::ShiftRight67 => "shift right 67",
            Operation::Fill => "set",
            Operation::Popcount => "popcount",
            Operation::Hamming => "hamming",
            Operation::Compare => "compare",
            Operation::Mul => "mul",
        }
    }

    /// Bytes it must move for operands of `bits` bits: each operand read once, the result written once. None for a
    /// product, which memory does not bound.
    pub fn bytes_moved(self, bits: u64) -> Option<u64> {
        let passes = match self {
            Operation::Add | Operation::AddCarry | Operation::Sub => 3,
            Operation::And | Operation::Or | Operation::Xor => 3,
            Operation::AddOne | Operation::OnesPlusOne | Operation::Not => 2,
            Operation::ShiftLeft1 | Operation::ShiftLeft67 | Operation::ShiftRight67 => 2,
            Operation::Hamming | Operation::Compare => 2,
            Operation::Fill | Operation::Popcount => 1,
            Operation::Mul => return None,
        };
        Some(passes * bits.div_ceil(8))
    }

    /// The library's way, on the engine in force.
    pub fn apply(self, a: &Int, b: &Int, bits: u64) -> Result<Answer<Int>> {
        Ok(Answer::Value(match self {
            Operation::Add | Operation::AddCarry | Operation::AddOne | Operation::OnesPlusOne => {
                a.try_add(b)?
            }
            Operation::Sub => a.try_sub(b)?,
            Operation::And => a.try_and(b)?,
            Operation::Or => a.try_or(b)?,
            Operation::Xor => a.try_xor(b)?,
            Operation::Not => a.try_not()?,
            Operation::ShiftLeft1 => a.try_shl(1)?,
            Operation::ShiftLeft67 => a.try_shl(67)?,
            Operation::ShiftRight67 => a.try_shr(67)?,
            Operation::Fill => Int::fill(Self::PATTERN, crate::device::limbs(bits))?,
            Operation::Mul => a.try_mul(b)?,
            Operation::Popcount => return Ok(Answer::Count(a.count_ones())),
            Operation::Hamming => return Ok(Answer::Count(a.hamming_distance(b))),
            Operation::Compare => return Ok(Answer::Order(a.cmp(b))),
        }))
    }

    /// malachite's way, which allocates its result as the library does.
    pub fn by_malachite(self, a: &Integer, b: &Integer, bits: u64) -> Answer<Integer> {
        Answer::Value(match self {
            Operation::Add | Operation::AddCarry | Operation::AddOne | Operation::OnesPlusOne => {
                a + b
            }
            Operation::Sub => a - b,
            Operation::And => a & b,
            Operation::Or => a | b,
            Operation::Xor => a ^ b,
            Operation::Not => !a,
            Operation::ShiftLeft1 => a << 1u64,
            Operation::ShiftLeft67 => a << 67u64,
            Operation::ShiftRight67 => a >> 67u64,
            Operation::Fill => {
                let limbs = vec![Self::PATTERN; crate::device::limbs(bits)];
                Integer::from(Natural::from_owned_limbs_asc(limbs))
            }
            Operation::Mul => a * b,
            Operation::Popcount => return Answer::Count(a.checked_count_ones()),
            Operation::Hamming => return Answer::Count(a.checked_hamming_distance(b)),
            Operation::Compare => return Answer::Order(a.cmp(b)),
        })
    }
}

impl Operands {
    /// One pair of operands of exactly `bits` bits (the second may be 1).
    pub fn pair(self, bits: u64, rng: &mut impl Rng) -> Result<(Int, Int)> {
        Ok(match self {
            Operands::Random | Operands::Product => {
                (Int::random_bits(bits, rng)?, Int::random_bits(bits, rng)?)
            }
            Operands::Carry => {
                // b below 2^(n−1) leaves 2^n − b with its top bit set, and the low limb odd makes it carry at once.
                let mut b = Int::random_bits(bits - 1, rng)?;
                b.set_bit(0)?;
                (Int::one().try_shl(bits)?.try_sub(&b)?, b)
            }
            Operands::One => (Int::random_bits(bits, rng)?, Int::one()),
            Operands::Ones => (Int::ones(bits)?, Int::one()),
            Operands::Close => {
                let a = Int::random_bits(bits, rng)?;
                let mut b = a.clone();
                b.flip_bit(0)?;
                (a, b)
            }
        })
    }
}

impl Answer<Int> {
    /// Whether it is the same as malachite's. Reads a value back from its device.
    pub fn agrees(&self, reference: &Answer<Integer>) -> Result<bool> {
        Ok(match (self, reference) {
            (Answer::Value(a), Answer::Value(b)) => a.try_host()? == b,
            (Answer::Count(a), Answer::Count(b)) => a == b,
            // A count that was left on its device.
            (Answer::Value(a), Answer::Count(Some(b))) => a.try_host()? == b,
            (Answer::Order(a), Answer::Order(b)) => a == b,
            _ => false,
        })
    }
}
