//! GMP on one core, in two ways: into memory it asks for anew, as `c = a + b` does and as the
//! library does, and into memory that is already there and has been touched before, which is its
//! best case.
#![cfg(feature = "gmp")]

use bezout::{Int, Result};
use rug::{Assign, Complete, integer::Order};

use crate::operation::{Answer, Operation};
use crate::plain::Number;

/// Where GMP's result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Into memory asked for anew; the result before is freed.
    New,
    /// Into the memory of the result before.
    Reused,
}

/// GMP's copy of one pair of operands, and room for a result.
pub struct Gmp {
    a: rug::Integer,
    b: rug::Integer,
    pattern: rug::Integer,
    out: rug::Integer,
}

impl Gmp {
    /// Copies a pair of operands of `bits` bits.
    pub fn new(a: &Int, b: &Int, bits: u64) -> Result<Gmp> {
        let pattern = vec![Operation::PATTERN; crate::device::limbs(bits)];
        Ok(Gmp {
            a: import(a)?,
            b: import(b)?,
            pattern: rug::Integer::from_digits(&pattern, Order::Lsf),
            out: rug::Integer::with_capacity(bits as usize + 128),
        })
    }

    /// Does `operation`; a number stays in place, for [`Gmp::agrees`].
    pub fn apply(&mut self, operation: Operation, room: Room) -> Option<Answer<()>> {
        let Gmp { a, b, pattern, out } = self;
        if room == Room::New {
            *out = rug::Integer::new();
        }
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
            // GMP has no call that repeats a limb; a copy of a finished one is the fastest that it
            // has.
            Operation::Fill => out.assign(&*pattern),
            Operation::Mul => out.assign(&*a * &*b),
            Operation::Popcount => return Some(Answer::Count(a.count_ones().map(u64::from))),
            Operation::Hamming => return Some(Answer::Count(a.hamming_dist(b).map(u64::from))),
            Operation::Compare => return Some(Answer::Order((*a).cmp(b))),
        }
        None
    }

    /// Whether `answer`, or the number in place, is what the oracle gives.
    pub fn agrees(&self, answer: &Option<Answer<()>>, reference: &Answer<Number>) -> bool {
        match answer {
            None => reference.is_value(self.out.is_negative(), self.out.as_limbs()),
            Some(Answer::Count(count)) => *reference == Answer::Count(*count),
            Some(Answer::Order(order)) => *reference == Answer::Order(*order),
            Some(_) => false,
        }
    }
}

fn import(value: &Int) -> Result<rug::Integer> {
    let magnitude = rug::Integer::from_digits(value.try_limbs()?, Order::Lsf);
    Ok(if value.is_negative() {
        (-&magnitude).complete()
    } else {
        magnitude
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gmp_agrees_with_the_oracle_and_a_wrong_answer_shows() {
        let a = (Int::from(0x1234_5678_9abc_def0u64) << 200u64) + 77;
        let b = -((Int::from(0xfeed_f00du64) << 100u64) + 5);
        for (a, b) in [(&a, &a), (&a, &b), (&b, &a)] {
            let [x, y] = [a, b].map(|x| Number::of(x).unwrap());
            for operation in Operation::ALL {
                let mut gmp = Gmp::new(a, b, 264).unwrap();
                for room in [Room::New, Room::Reused] {
                    let answer = gmp.apply(operation, room);
                    assert!(gmp.agrees(&answer, &operation.by_definition(&x, &y, 264)));
                    assert!(!gmp.agrees(&answer, &Answer::Value(Number::fill(12345, 1))));
                    assert!(!gmp.agrees(&answer, &Answer::Count(Some(12345))));
                }
            }
        }
    }
}
