//! Plain arithmetic with the parameter s of Haque, Moreno Maza and Xie ("A Many-core Machine Model for Designing Algorithms with Minimum
//! Parallelism Overheads"): for comparison with their figures and with the fast algorithms. On the CPU s plays no part.

use super::coefficients::Coefficients;
use super::cuda::plain::{self as device, MOST_PRODUCTS, MOST_STEPS};
use super::{Poly, div, gcd, mul};
use crate::error::{Error, Result};

impl Poly {
    /// self · other by the paper's Algorithms 5 to 7, `s` coefficients of other a block.
    pub fn try_plain_mul(&self, other: &Poly, s: u32) -> Result<Poly> {
        check(s, MOST_PRODUCTS)?;
        let on_cpu = |a: &[u64], b: &[u64], p| Ok(mul::mul(a, b, p).into());
        self.wrapped(self.with(other, on_cpu, |a, b, p| device::mul(a, b, s, p)))
    }

    /// (q, r) by the paper's Algorithms 1 and 2 for s = 1, else by 3 and 4 with `s` steps a kernel.
    pub fn try_plain_div_rem(&self, other: &Poly, s: u32) -> Result<(Poly, Poly)> {
        check(s, MOST_STEPS)?;
        let (q, r) = self.with(
            other,
            |a, b, p| {
                let (q, r) = div::div_rem(a, b, p)?;
                Ok((q.into(), r.into()))
            },
            |a, b, p| device::div_rem(a, b, s, p),
        )?;
        Ok((self.wrapped(Ok(q))?, self.wrapped(Ok(r))?))
    }

    /// The monic gcd by the paper's Algorithms 8 and 9 for s = 1, else by 10 and 11 with `s` steps a kernel.
    pub fn try_plain_gcd(&self, other: &Poly, s: u32) -> Result<Poly> {
        check(s, MOST_STEPS)?;
        let on_cpu = |a: &[u64], b: &[u64], p| Ok(gcd::gcd(a, b, p)?.into());
        self.wrapped(self.with(other, on_cpu, |a, b, p| device::gcd(a, b, s, p)))
    }

    fn wrapped(&self, result: Result<Coefficients>) -> Result<Poly> {
        Ok(Poly::wrap(result?, self.modulus))
    }
}

fn check(s: u32, most: u32) -> Result<()> {
    match (1..=most).contains(&s) {
        true => Ok(()),
        false => Err(Error::Domain(format!(
            "s is {s}: it must be from 1 to {most}"
        ))),
    }
}
