//! malachite on one core, which allocates its result as the library does.

use bezout::Int;
use malachite_base::num::logic::traits::CheckedHammingDistance;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;

use crate::operation::{Answer, Operation};
use crate::plain::Number;

/// malachite's copy of one pair of operands.
pub struct Malachite {
    a: Integer,
    b: Integer,
    bits: u64,
}

impl Malachite {
    /// Copies a pair of operands of `bits` bits.
    pub fn new(a: &Int, b: &Int, bits: u64) -> Malachite {
        Malachite {
            a: Integer::from(a),
            b: Integer::from(b),
            bits,
        }
    }

    /// Does `operation`.
    pub fn apply(&self, operation: Operation) -> Answer<Integer> {
        let Malachite { a, b, bits } = self;
        Answer::Value(match operation {
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
                let limbs = vec![Operation::PATTERN; crate::device::limbs(*bits)];
                Integer::from(Natural::from_owned_limbs_asc(limbs))
            }
            Operation::Mul => a * b,
            Operation::Popcount => return Answer::Count(a.checked_count_ones()),
            Operation::Hamming => return Answer::Count(a.checked_hamming_distance(b)),
            Operation::Compare => return Answer::Order(a.cmp(b)),
        })
    }
}

/// Whether malachite's answer is what the oracle gives.
pub fn agrees(answer: &Answer<Integer>, reference: &Answer<Number>) -> bool {
    match answer {
        Answer::Value(x) => {
            let magnitude = x.unsigned_abs_ref();
            reference.is_value(*x < 0, magnitude.as_limbs_asc())
        }
        Answer::Residue(_) => false,
        Answer::Count(count) => *reference == Answer::Count(*count),
        Answer::Order(order) => *reference == Answer::Order(*order),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malachite_agrees_with_the_oracle_and_a_wrong_answer_shows() {
        let a = (Int::from(0x1234_5678_9abc_def0u64) << 200u64) + 77;
        let b = -((Int::from(0xfeed_f00du64) << 100u64) + 5);
        for (a, b) in [(&a, &a), (&a, &b), (&b, &a)] {
            let [x, y] = [a, b].map(|x| Number::of(x).unwrap());
            for operation in Operation::ALL {
                let answer = Malachite::new(a, b, 264).apply(operation);
                assert!(agrees(&answer, &operation.by_definition(&x, &y, 264)));
                assert!(!agrees(&answer, &Answer::Value(Number::fill(12345, 1))));
                assert!(!agrees(&answer, &Answer::Count(Some(12345))));
            }
        }
    }
}
