//! GMP on one core.
#![cfg(feature = "gmp")]

use bezout::{Int, Result};
use rug::{Complete, integer::Order};

use super::Magnitude;
use super::work::{Answer, Job, Work, bad};

/// GMP's copy of the operands.
pub struct Gmp<'a> {
    work: Work,
    a: rug::Integer,
    b: rug::Integer,
    text: &'a str,
}

impl Gmp<'_> {
    /// Copies the operands.
    pub fn new(job: &Job) -> Result<Gmp<'_>> {
        let import =
            |x: &Int| Ok::<_, bezout::Error>(rug::Integer::from_digits(x.try_limbs()?, Order::Lsf));
        Ok(Gmp {
            work: job.work,
            a: import(&job.a)?,
            b: import(&job.b)?,
            text: &job.text,
        })
    }

    /// Does it.
    pub fn apply(&self) -> Result<Answer<rug::Integer>> {
        let (a, b) = (&self.a, &self.b);
        Ok(match self.work {
            Work::Mul | Work::MulPrepared => Answer::One((a * b).complete()),
            Work::Square => Answer::One(a.square_ref().complete()),
            Work::DivRem | Work::DivRemPrepared => {
                let (quotient, remainder) = a.div_rem_ref(b).complete();
                Answer::Two(quotient, remainder)
            }
            Work::DivExact => Answer::One(a.div_exact_ref(b).complete()),
            Work::Gcd | Work::Weber => Answer::One(a.gcd_ref(b).complete()),
            Work::Root | Work::Power => return Err(bad()),
            Work::Cofactors => {
                let (g, s, t) = a.extended_gcd_ref(b).complete();
                Answer::Three(g, s, t)
            }
            Work::ToDecimal => Answer::Text(a.to_string_radix(10)),
            Work::FromDecimal => {
                let parsed = rug::Integer::parse(self.text).map_err(|_| bad())?;
                Answer::One(parsed.complete())
            }
        })
    }

    /// The limbs of a result's magnitude.
    pub fn read(x: rug::Integer) -> Magnitude {
        x.as_limbs().to_vec()
    }
}
