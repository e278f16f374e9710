//! malachite on one core.
#![cfg(feature = "malachite")]

use std::str::FromStr;

use bezout::Result;
use malachite_base::num::arithmetic::traits::{
    DivExact, DivRem, ExtendedGcd, Gcd, Square, UnsignedAbs,
};
use malachite_nz::integer::Integer;

use super::Magnitude;
use super::work::{Answer, Job, Work, bad};

/// malachite's copy of the operands.
pub struct Malachite<'a> {
    work: Work,
    a: Integer,
    b: Integer,
    text: &'a str,
}

impl Malachite<'_> {
    /// Copies the operands.
    pub fn new(job: &Job) -> Malachite<'_> {
        Malachite {
            work: job.work,
            a: Integer::from(&job.a),
            b: Integer::from(&job.b),
            text: &job.text,
        }
    }

    /// Does it.
    pub fn apply(&self) -> Result<Answer<Integer>> {
        let (a, b) = (&self.a, &self.b);
        Ok(match self.work {
            Work::Mul | Work::MulPrepared => Answer::One(a * b),
            Work::Square => Answer::One(a.square()),
            Work::DivRem | Work::DivRemPrepared => {
                let (quotient, remainder) = a.div_rem(b);
                Answer::Two(quotient, remainder)
            }
            Work::DivExact => Answer::One(a.div_exact(b)),
            Work::ToDecimal => Answer::Text(a.to_string()),
            Work::FromDecimal => Answer::One(Integer::from_str(self.text).map_err(|()| bad())?),
            Work::Gcd | Work::Weber => Answer::One(Integer::from(a.gcd(b))),
            Work::Root | Work::Power => return Err(bad()),
            Work::Cofactors => {
                let (g, s, t) = a.extended_gcd(b);
                Answer::Three(Integer::from(g), s, t)
            }
        })
    }

    /// The limbs of a result's magnitude.
    pub fn read(x: Integer) -> Magnitude {
        x.unsigned_abs().into_limbs_asc()
    }
}
