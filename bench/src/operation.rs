//! The operations that are measured: what each is called, what it works on, what it must move, how
//! the library does it, and what it is by definition.

use std::cmp::Ordering;

use bezout::{Int, Result};
use rand::Rng;

use crate::plain::Number;
use crate::residue;

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
    /// A number modulo the random prime, where the oracle does not know the number itself.
    Residue(u64),
    /// A count of bits; none for infinitely many.
    Count(Option<u64>),
    /// An order.
    Order(Ordering),
}

impl Operation {
    /// The pattern of [`Operation::Fill`]. Its top bit is set, so that the value has all its bits.
    pub const PATTERN: u64 = 0x9e37_79b9_7f4a_7c15;

    /// All of them.
    #[cfg(test)]
    pub const ALL: [Operation; 17] = [
        Operation::Add,
        Operation::AddCarry,
        Operation::AddOne,
        Operation::OnesPlusOne,
        Operation::Sub,
        Operation::And,
        Operation::Or,
        Operation::Xor,
        Operation::Not,
        Operation::ShiftLeft1,
        Operation::ShiftLeft67,
        Operation::ShiftRight67,
        Operation::Fill,
        Operation::Popcount,
        Operation::Hamming,
        Operation::Compare,
        Operation::Mul,
    ];

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

    /// Bytes it must move for operands of `bits` bits: each operand read once, the result written
    /// once. None for a product, which memory does not bound.
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
            Operation::Fill => Int::try_fill(Self::PATTERN, crate::device::limbs(bits))?,
            Operation::Mul => a.try_mul(b)?,
            Operation::Popcount => return Ok(Answer::Count(a.count_ones())),
            Operation::Hamming => return Ok(Answer::Count(a.hamming_distance(b))),
            Operation::Compare => return Ok(Answer::Order(a.cmp(b))),
        }))
    }

    /// The oracle's way: from the definition, on limbs. A product is given as its residue.
    pub fn by_definition(self, a: &Number, b: &Number, bits: u64) -> Answer<Number> {
        Answer::Value(match self {
            Operation::Add | Operation::AddCarry | Operation::AddOne | Operation::OnesPlusOne => {
                a.add(b)
            }
            Operation::Sub => a.sub(b),
            Operation::And => a.bitwise(b, |x, y| x & y),
            Operation::Or => a.bitwise(b, |x, y| x | y),
            Operation::Xor => a.bitwise(b, |x, y| x ^ y),
            Operation::Not => a.not(),
            Operation::ShiftLeft1 => a.shl(1),
            Operation::ShiftLeft67 => a.shl(67),
            Operation::ShiftRight67 => a.shr(67),
            Operation::Fill => Number::fill(Self::PATTERN, crate::device::limbs(bits)),
            Operation::Mul => return Answer::Residue(residue::mul(a.residue(), b.residue())),
            Operation::Popcount => return Answer::Count(a.count_ones()),
            Operation::Hamming => return Answer::Count(a.hamming_distance(b)),
            Operation::Compare => return Answer::Order(a.cmp(b)),
        })
    }
}

impl Operands {
    /// One pair of operands of exactly `bits` bits (the second may be 1).
    pub fn pair(self, bits: u64, rng: &mut impl Rng) -> Result<(Int, Int)> {
        Ok(match self {
            Operands::Random | Operands::Product => (
                Int::try_random_bits(bits, rng)?,
                Int::try_random_bits(bits, rng)?,
            ),
            Operands::Carry => {
                // b below 2^(n−1) leaves 2^n − b with its top bit set, and the low limb odd makes
                // it carry at once.
                let mut b = Int::try_random_bits(bits - 1, rng)?;
                b.try_set_bit(0)?;
                (Int::ONE.try_shl(bits)?.try_sub(&b)?, b)
            }
            Operands::One => (Int::try_random_bits(bits, rng)?, Int::ONE),
            Operands::Ones => (Int::try_ones(bits)?, Int::ONE),
            Operands::Close => {
                let a = Int::try_random_bits(bits, rng)?;
                let mut b = a.clone();
                b.try_flip_bit(0)?;
                (a, b)
            }
        })
    }
}

impl Answer<Int> {
    /// Whether the oracle gives the same. Reads a value back from its device.
    pub fn agrees(&self, reference: &Answer<Number>) -> Result<bool> {
        Ok(match self {
            Answer::Value(x) => reference.is_value(x.is_negative(), x.try_limbs()?),
            Answer::Residue(_) => false,
            Answer::Count(count) => *reference == Answer::Count(*count),
            Answer::Order(order) => *reference == Answer::Order(*order),
        })
    }
}

impl Answer<Number> {
    /// Whether this answer is the number with this sign and these limbs of the magnitude. A count
    /// may come as a number, where it was left on its device.
    pub fn is_value(&self, negative: bool, limbs: &[u64]) -> bool {
        match self {
            Answer::Value(wanted) => wanted.is(negative, limbs),
            Answer::Residue(wanted) => residue::signed(negative, limbs) == *wanted,
            Answer::Count(Some(0)) => limbs.is_empty(),
            Answer::Count(Some(count)) => !negative && limbs == [*count],
            Answer::Count(None) | Answer::Order(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_agrees_with_the_oracle_and_a_wrong_answer_shows() {
        let a = (Int::from(0x1234_5678_9abc_def0u64) << 200u64) + 77;
        let b = -((Int::from(0xfeed_f00du64) << 100u64) + 5);
        for (a, b) in [(&a, &a), (&a, &b), (&b, &a)] {
            let [x, y] = [a, b].map(|x| Number::of(x).unwrap());
            for operation in Operation::ALL {
                let answer = operation.apply(a, b, 264).unwrap();
                let wanted = operation.by_definition(&x, &y, 264);
                assert!(answer.agrees(&wanted).unwrap(), "{}", operation.name());
                let wrong = Answer::Value(Number::fill(12345, 1));
                assert!(!answer.agrees(&wrong).unwrap(), "{}", operation.name());
                assert!(!answer.agrees(&Answer::Count(Some(12345))).unwrap());
                assert!(!answer.agrees(&Answer::Residue(12345)).unwrap());
            }
        }
    }
}
