//! GMP on one core, given its best case: results go into memory that is already there and has been touched before.
#![cfg(feature = "gmp")]

use malachite_nz::integer::Integer;
use rug::{Assign, Complete, integer::Order};

use crate::operation::{Answer, Operation};

/// GMP's copy of one pair of operands, and room for a result.
pub struct Gmp {
    a: rug::Integer,
    b: rug::Integer,
    pattern: rug::Integer,
    out: rug::Integer,
}

impl Gmp {
    /// Copies a pair of operands of `bits` bits.
    pub fn new(a: &Integer, b: &Integer, bits: u64) -> Gmp {
        let pattern = vec![Operation::PATTERN; crate::device::limbs(bits)];
        Gmp {
            a: import(a),
            b: import(b),
            pattern: rug::Integer::from_digits(&pattern, Order::Lsf),
            out: rug::Integer::with_capacity(bits as usize + 128),
        }
    }

    /// Does `operation`; a number stays in place, for [`Gmp::agrees`].
    pub fn apply(&mut self, operation: Operation) -> Option<Answer<()>> {
        let Gmp { a, b, pattern, out } = self;
        match operation {
            Operation::Add | Operation::AddCarry | Operation::AddOne | Operation::OnesPlusOne => {
                out.assign(&*a + &*b)
            }
            Operation::Sub => out.assign(&*a - &*b),
            Operation::And => out.assign(&*a & &*b),
            Operation::Or => out.assign(&*a | &*b),
            Operation::Xor => out.assign(&*a ^ &*b),
            Operation::Not => out.assign(!&*a),
            Operation::ShiftLeft1 => out.assign(&*a << 1u32),
            Operation::ShiftLeft67 => out.assign(&*a << 67u32),
            Operation::ShiftRight67 => out.assign(&*a >> 67u32),
            // GMP has no call that repeats a limb; a copy of a finished one is the fastest that it has.
            Operation::Fill => out.assign(&*pattern),
            Operation::Mul => out.assign(&*a * &*b),
            Operation::Popcount => return Some(Answer::Count(a.count_ones().map(u64::from))),
            Operation::Hamming => return Some(Answer::Count(a.hamming_dist(b).map(u64::from))),
            Operation::Compare => return Some(Answer::Order((*a).cmp(b))),
        }
        None
    }

    /// Whether `answer`, or the number in place, is the same as malachite's.
    pub fn agrees(&self, answer: &Option<Answer<()>>, reference: &Answer<Integer>) -> bool {
        match (answer, reference) {
            (None, Answer::Value(wanted)) => {
                let negative = *wanted < 0;
                negative == self.out.is_negative()
                    && self.out.as_limbs() == wanted.unsigned_abs_ref().to_limbs_asc()
            }
            (Some(Answer::Count(a)), Answer::Count(b)) => a == b,
            (Some(Answer::Order(a)), Answer::Order(b)) => a == b,
            _ => false,
        }
    }
}

fn import(value: &Integer) -> rug::Integer {
    let limbs = value.unsigned_abs_ref().to_limbs_asc();
    let magnitude = rug::Integer::from_digits(&limbs, Order::Lsf);
    if *value < 0 {
        (-&magnitude).complete()
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gmp_and_malachite_agree_and_a_wrong_answer_shows() {
        let a = (Integer::from(0x1234_5678_9abc_def0u64) << 200u64) + Integer::from(77);
        let b = -((Integer::from(0xfeed_f00du64) << 100u64) + Integer::from(5));
        for (a, b) in [(&a, &a), (&a, &b), (&b, &a)] {
            for operation in [
                Operation::Add,
                Operation::Sub,
                Operation::Xor,
                Operation::Not,
            ] {
                let mut gmp = Gmp::new(a, b, 264);
                let answer = gmp.apply(operation);
                assert!(gmp.agrees(&answer, &operation.by_malachite(a, b, 264)));
                assert!(!gmp.agrees(&answer, &Answer::Value(Integer::from(12345))));
                assert!(!gmp.agrees(&answer, &Answer::Count(Some(1))));
            }
        }
    }
}
