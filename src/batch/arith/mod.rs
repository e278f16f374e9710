//! Arithmetic on rows of 64 to 32768 bits: products, quotients, roots, common divisors, and all of
//! it modulo other rows.
//!
//! ```text
//!   a row on a device     | up to batch_words words | 2, 4, 8, 16 or 32 times as many, up to 32768 bits |
//!   products, powers, ... | one thread              | as many lanes of a warp                            |
//!   gcd, inverse          | the same in limbs of 30 bits, batch_gcd_limbs of them a lane                |
//! ```
//!
//! The CPU engine shares rows out to threads and leaves each to the floor, but for powers modulo
//! odd numbers and long quotients: with AVX-512 these are made eight at once (`lanes/`).

mod cpu;
pub(crate) mod cuda;
mod lanes;
mod moduli;
pub(crate) mod plan;
mod power;
mod quotient;
#[cfg(test)]
mod tests;
mod weight;

pub use moduli::Moduli;

use std::sync::Arc;

use super::{Batch, Rows};
use crate::cuda::Device;
use crate::engine;
use crate::error::{Error, Result};
use crate::progress;
use weight::Operation;

impl Rows<'_> {
    /// Row by row product, modulo 2^(64·width).
    pub fn try_mul(&self, other: &Rows<'_>) -> Result<Batch> {
        self.product(other, false)
    }

    /// Row by row product, in rows of twice the width.
    ///
    /// ```
    /// use bezout::Batch;
    /// let a = Batch::from_limbs(vec![u64::MAX, 3], 1)?;
    /// assert_eq!(a.all().try_mul_wide(&a.all())?.try_limbs()?, [1, u64::MAX - 1, 9, 0]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_mul_wide(&self, other: &Rows<'_>) -> Result<Batch> {
        self.product(other, true)
    }

    /// Row by row square, modulo 2^(64·width).
    pub fn try_square(&self) -> Result<Batch> {
        self.product(self, false)
    }

    /// Row by row square, in rows of twice the width.
    pub fn try_square_wide(&self) -> Result<Batch> {
        self.product(self, true)
    }

    fn product(&self, other: &Rows<'_>, whole: bool) -> Result<Batch> {
        let width = self.batch.width;
        let times = if whole { 2 } else { 1 };
        self.with(
            Operation::Product { times },
            &[other],
            || {
                let limbs = cpu::mul(self.host()?, other.host()?, width, whole);
                Batch::from_limbs(limbs, times * width)
            },
            |device| cuda::mul(device, self, other, whole),
        )
    }

    /// Row by row quotient and remainder; an error if a divisor is zero.
    pub fn try_div_rem(&self, other: &Rows<'_>) -> Result<(Batch, Batch)> {
        self.quotient(other, (true, true))
    }

    /// Row by row quotient, rounded down; an error if a divisor is zero.
    pub fn try_div(&self, other: &Rows<'_>) -> Result<Batch> {
        Ok(self.quotient(other, (true, false))?.0)
    }

    /// Row by row remainder; an error if a divisor is zero.
    ///
    /// ```
    /// use bezout::Batch;
    /// let a = Batch::from_limbs(vec![100, 7], 1)?;
    /// let b = Batch::from_limbs(vec![30, 9], 1)?;
    /// assert_eq!(a.all().try_rem(&b.all())?.try_limbs()?, [10, 7]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_rem(&self, other: &Rows<'_>) -> Result<Batch> {
        Ok(self.quotient(other, (false, true))?.1)
    }

    fn quotient(&self, other: &Rows<'_>, wanted: (bool, bool)) -> Result<(Batch, Batch)> {
        let width = self.batch.width;
        self.with(
            Operation::Quotient,
            &[other],
            || {
                other.host_kinds()?.nonzero()?;
                let (q, r) = quotient::div_rem(self.host()?, other.host()?, width);
                Ok((Batch::from_limbs(q, width)?, Batch::from_limbs(r, width)?))
            },
            |device| {
                other.device_kinds(device)?.nonzero()?;
                cuda::div_rem(device, self, other, wanted)
            },
        )
    }

    /// The square root of each row, rounded down.
    pub fn try_sqrt(&self) -> Result<Batch> {
        self.with(
            Operation::Root,
            &[],
            || Batch::from_limbs(cpu::sqrt(self.host()?, self.batch.width), self.batch.width),
            |device| cuda::sqrt(device, self),
        )
    }

    /// Row by row greatest common divisor; that of a number and zero is the number.
    ///
    /// ```
    /// use bezout::Batch;
    /// let a = Batch::from_limbs(vec![100, 0], 1)?;
    /// let b = Batch::from_limbs(vec![30, 9], 1)?;
    /// assert_eq!(a.all().try_gcd(&b.all())?.try_limbs()?, [10, 9]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_gcd(&self, other: &Rows<'_>) -> Result<Batch> {
        let width = self.batch.width;
        self.with(
            Operation::Gcd,
            &[other],
            || Batch::from_limbs(cpu::gcd(self.host()?, other.host()?, width), width),
            |device| cuda::gcd(device, self, other),
        )
    }

    /// Each row to the power of a row of `exponent`, modulo a row of `modulus`; an error if a
    /// modulus is zero. Rows with an even modulus are computed on the host.
    ///
    /// ```
    /// use bezout::Batch;
    /// let row = |x| Batch::from_limbs(vec![x], 1);
    /// let (base, exponent, modulus) = (row(3)?, row(100)?, row(1000)?);
    /// assert_eq!(base.all().try_pow_mod(&exponent.all(), &modulus.all())?.try_limbs()?, [1]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_pow_mod(&self, exponent: &Rows<'_>, modulus: &Rows<'_>) -> Result<Batch> {
        let width = self.batch.width;
        self.with(
            Operation::power(exponent),
            &[exponent, modulus],
            || {
                modulus.host_kinds()?.nonzero()?;
                let limbs = power::pow_mod(self.host()?, exponent.host()?, modulus.host()?, width);
                Batch::from_limbs(limbs, width)
            },
            |device| {
                let kinds = modulus.device_kinds(device)?.nonzero()?;
                let powers = cuda::pow_mod(device, self, exponent, modulus)?;
                if !kinds.even {
                    return Ok(powers);
                }
                let (base, exponent) = (self.host()?, exponent.host()?);
                modulus.mend_even(powers, |i, out| {
                    let [x, e, n] =
                        [base, exponent, modulus.host()?].map(|limbs| cpu::row(limbs, width, i));
                    cpu::put(out, &cpu::power(x, e, n));
                    Ok(())
                })
            },
        )
    }

    /// The inverse of each row modulo a row of `modulus`, from 0 to the modulus less 1, and whether
    /// there is one; the row is zero where there is none. An error if a modulus is zero. Rows
    /// with an even modulus are computed on the host.
    ///
    /// ```
    /// use bezout::Batch;
    /// let a = Batch::from_limbs(vec![3, 6], 1)?;
    /// let modulus = Batch::from_limbs(vec![7, 9], 1)?;
    /// let (inverse, exists) = a.all().try_mod_inverse(&modulus.all())?;
    /// assert_eq!((inverse.try_limbs()?, exists), (&[5, 0][..], vec![true, false]));
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_mod_inverse(&self, modulus: &Rows<'_>) -> Result<(Batch, Vec<bool>)> {
        let width = self.batch.width;
        self.with(
            Operation::Inverse,
            &[modulus],
            || {
                modulus.host_kinds()?.nonzero()?;
                let (limbs, found) = cpu::mod_inverse(self.host()?, modulus.host()?, width);
                Ok((Batch::from_limbs(limbs, width)?, found))
            },
            |device| {
                let kinds = modulus.device_kinds(device)?.nonzero()?;
                let (inverses, mut found) = cuda::mod_inverse(device, self, modulus)?;
                if !kinds.even {
                    return Ok((inverses, found));
                }
                let a = self.host()?;
                let mended = modulus.mend_even(inverses, |i, out| {
                    let [x, n] = [a, modulus.host()?].map(|limbs| cpu::row(limbs, width, i));
                    let inverse = cpu::inverse(x, n);
                    found[i] = inverse.is_some();
                    cpu::put(out, &inverse.unwrap_or_default());
                    Ok(())
                })?;
                Ok((mended, found))
            },
        )
    }

    /// The least prime factor of each row that is below `bound`, which is at most 2^24. Zero has
    /// the factor 2.
    ///
    /// ```
    /// use bezout::Batch;
    /// let a = Batch::from_limbs(vec![91, 97, 101], 1)?;
    /// assert_eq!(a.all().try_smallest_factor(100)?, [Some(7), Some(97), None]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_smallest_factor(&self, bound: u64) -> Result<Vec<Option<u64>>> {
        let primes = plan::odd_primes(bound)?;
        if bound <= 2 {
            return Ok(vec![None; self.count]);
        }
        self.with(
            Operation::Trial {
                primes: primes.len(),
            },
            &[],
            || Ok(cpu::trial(self.host()?, self.batch.width, &primes)),
            |device| cuda::trial(device, self, &primes),
        )
    }

    /// Whether each row is prime, by the Baillie–PSW test (strong to the base 2, and strong Lucas
    /// with Selfridge's parameters): the result of [`crate::Int::is_probable_prime`]. Exact below
    /// 2^64.
    ///
    /// ```
    /// use bezout::Batch;
    /// let a = Batch::from_limbs(vec![2047, (1 << 61) - 1], 1)?;
    /// assert_eq!(a.all().try_is_probable_prime()?, [false, true]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_is_probable_prime(&self) -> Result<Vec<bool>> {
        let width = self.batch.width;
        self.with(
            Operation::Prime,
            &[],
            || cpu::primes(self.host()?, width),
            |device| {
                let verdicts = cuda::primes(device, self)?;
                let decided = verdicts.into_iter().enumerate();
                let decide = |(i, verdict): (usize, Option<bool>)| match verdict {
                    Some(known) => Ok(known),
                    None => cpu::is_prime(cpu::row(self.host()?, width, i)),
                };
                decided.map(decide).collect()
            },
        )
    }

    /// Checks the shapes, and runs where the operands are or where sending them pays.
    fn with<T>(
        &self,
        operation: Operation,
        others: &[&Rows<'_>],
        on_cpu: impl FnOnce() -> Result<T>,
        on_cuda: impl FnOnce(&Arc<Device>) -> Result<T>,
    ) -> Result<T> {
        plan::check_width(self.batch.width)?;
        for other in others {
            self.matches(other)?;
        }
        let operands = std::iter::once(&self).chain(others);
        let homes = operands.map(|rows| rows.batch.copies.residence());
        let work = operation.work(self.count, self.batch.width, 1 + others.len());
        let on_cpu = || {
            let result = on_cpu()?;
            // Rows are left as they are once the work is to stop.
            progress::check()?;
            Ok(result)
        };
        engine::run(work, homes, on_cpu, on_cuda)
    }

    fn host_kinds(&self) -> Result<Kinds> {
        let mut kinds = Kinds::default();
        for row in self.host()?.chunks_exact(self.batch.width) {
            let zero = row.iter().all(|limb| *limb == 0);
            kinds.zero |= zero;
            kinds.even |= !zero && row[0].is_multiple_of(2);
        }
        Ok(kinds)
    }

    fn device_kinds(&self, device: &Arc<Device>) -> Result<Kinds> {
        let (zero, even) = cuda::kinds(device, self)?;
        Ok(Kinds { zero, even })
    }

    /// `results` with each row computed again whose row here is even.
    fn mend_even(
        &self,
        results: Batch,
        mut again: impl FnMut(usize, &mut [u64]) -> Result<()>,
    ) -> Result<Batch> {
        let width = self.batch.width;
        let mut limbs = results.try_limbs()?.to_vec();
        let moduli = self.host()?.chunks_exact(width);
        for (i, (modulus, out)) in moduli.zip(limbs.chunks_exact_mut(width)).enumerate() {
            if modulus[0].is_multiple_of(2) {
                again(i, out)?;
            }
        }
        Batch::from_limbs(limbs, width)
    }
}

/// The kinds of rows in a batch.
#[derive(Debug, Clone, Copy, Default)]
struct Kinds {
    zero: bool,
    /// And not zero.
    even: bool,
}

impl Kinds {
    fn nonzero(self) -> Result<Kinds> {
        if self.zero {
            Err(Error::DivisionByZero)
        } else {
            Ok(self)
        }
    }
}
