//! Plain arithmetic with the parameter s of Haque, Moreno Maza and Xie ("A Many-core Machine Model
//! for Designing Algorithms with Minimum Parallelism Overheads"): for comparison with their figures
//! and with the fast algorithms. On the CPU s plays no part. The methods are hidden: they are for
//! `bezout-lab` and the benchmarks.

use super::coefficients::Coefficients;
use super::cuda::plain::{self as device, MOST_PRODUCTS, MOST_STEPS};
use super::weight::Operation;
use super::{Poly, div, gcd, mul};
use crate::error::{Error, Result};
use crate::tuning::Tuning;

// The tuning at a size is read after the device is known, because a device may have its own tuning.
impl Poly {
    /// self · other by the paper's Algorithms 5 to 7, `s` coefficients of other a block; for None
    /// as many as the tuning has at this size.
    #[doc(hidden)]
    pub fn try_plain_mul(&self, other: &Poly, s: impl Into<Option<u32>>) -> Result<Poly> {
        let s = checked(s, MOST_PRODUCTS)?;
        let on_cpu = |a: &[u64], b: &[u64], p| Ok(mul::mul(a, b, p).into());
        self.wrapped(self.with(Operation::Linear, other, on_cpu, |a, b, p| {
            let tuning = Tuning::at("plain-product", a.len.max(b.len) as u64);
            device::mul(a, b, s.unwrap_or(tuning.plain_product_steps), p)
        }))
    }

    /// (q, r) by the paper's Algorithms 1 and 2 for s = 1, else by 3 and 4 with `s` steps a kernel;
    /// for None as many as the tuning has at this size.
    #[doc(hidden)]
    pub fn try_plain_div_rem(
        &self,
        other: &Poly,
        s: impl Into<Option<u32>>,
    ) -> Result<(Poly, Poly)> {
        let s = checked(s, MOST_STEPS)?;
        let (q, r) = self.with(
            Operation::Linear,
            other,
            |a, b, p| {
                let (q, r) = div::div_rem(a, b, p)?;
                Ok((q.into(), r.into()))
            },
            |a, b, p| {
                let tuning = Tuning::at("plain-division", b.len as u64);
                device::div_rem(a, b, s.unwrap_or(tuning.plain_division_steps), p)
            },
        )?;
        Ok((self.wrapped(Ok(q))?, self.wrapped(Ok(r))?))
    }

    /// The monic gcd by the paper's Algorithms 8 and 9 for s = 1, else by 10 and 11 with `s` steps
    /// a kernel; for None as many as the tuning has at this size.
    #[doc(hidden)]
    pub fn try_plain_gcd(&self, other: &Poly, s: impl Into<Option<u32>>) -> Result<Poly> {
        let s = checked(s, MOST_STEPS)?;
        let on_cpu = |a: &[u64], b: &[u64], p| Ok(gcd::gcd(a, b, p)?.into());
        self.wrapped(self.with(Operation::Linear, other, on_cpu, |a, b, p| {
            let tuning = Tuning::at("plain-gcd", a.len.max(b.len) as u64);
            device::gcd(a, b, s.unwrap_or(tuning.plain_gcd_steps), p)
        }))
    }

    fn wrapped(&self, result: Result<Coefficients>) -> Result<Poly> {
        Ok(Poly::wrap(result?, self.modulus))
    }
}

fn checked(s: impl Into<Option<u32>>, most: u32) -> Result<Option<u32>> {
    match s.into() {
        Some(s) if !(1..=most).contains(&s) => Err(Error::Domain(format!(
            "s is {s}: it must be from 1 to {most}"
        ))),
        s => Ok(s),
    }
}
