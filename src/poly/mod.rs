//! Polynomials over Z_p, p any prime below 2^63.
//!
//! [`Poly`] is thin: where its coefficients are, and which code computes with them. The algorithms
//! work on slices of residues ([`coefficients`](Poly::coefficients)), one file or folder for each
//! operation; `cuda` has those of a device.
//!
//! | file | what |
//! |---|---|
//! | `modulus.rs`, `coefficients.rs` | the prime; where coefficients are |
//! | `arith.rs` | the operations of [`Poly`], each with one choice of engine |
//! | `ops.rs`, `parse.rs`, `exponent.rs`, `value.rs`, `print.rs` | operators, text |
//! | `linear.rs`, `mul/`, `div.rs`, `gcd/`, `eval.rs`, `compose.rs` | the operations on the CPU |
//! | `ifma.rs` | residues side by side in vectors |
//! | `check.rs` | products checked modulo a random polynomial |

mod arith;
mod check;
mod coefficients;
mod compose;
pub(crate) mod cuda;
mod div;
mod eval;
mod exponent;
mod gcd;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod linear;
mod modulus;
mod mul;
mod ops;
mod parse;
mod plain;
mod print;
#[cfg(test)]
mod tests;
mod value;
mod weight;

pub use modulus::Modulus;
pub use print::Format;

use rand::Rng;

use crate::batch::Batch;
use crate::cuda::exchange::Loan;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::memory;
use coefficients::Coefficients;

/// A polynomial over Z_p, constant, kept on the host, on a CUDA device, or on both.
///
/// Operators panic on division by zero, on two different moduli, and when a device is lost. Each
/// has a `try_` method that returns the [`Error`] instead. Operations without an operator have only
/// the `try_` method. Constructors from data ([`new`](Poly::new), [`parse`](Poly::parse)) return a
/// `Result`.
///
/// ```
/// use bezout::{Poly, poly::Modulus};
/// let p = Modulus::new(7)?;
/// let a = Poly::parse("3*x^2 + x + 5", p)?;
/// let b = Poly::parse("x - 1", p)?;
/// assert_eq!((&a * &b).to_string(), "3*x^3 + 5*x^2 + 4*x + 2");
/// let (q, r) = a.try_div_rem(&b)?;
/// assert_eq!(q * b + r, a);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Clone)]
pub struct Poly {
    coefficients: Coefficients,
    modulus: Modulus,
}

impl Poly {
    /// The polynomial with these coefficients, constant term first; all must be below p.
    pub fn new(coefficients: Vec<u64>, modulus: Modulus) -> Result<Poly> {
        if let Some(at) = coefficients.iter().position(|c| *c >= modulus.get()) {
            return Err(Error::Domain(format!(
                "coefficient {} of x^{at} is out of range: it must be below {modulus}",
                coefficients[at]
            )));
        }
        Ok(Poly::from_residues(coefficients, modulus))
    }

    /// Coefficients that are known to be below p.
    fn from_residues(coefficients: Vec<u64>, modulus: Modulus) -> Poly {
        Poly::wrap(coefficients.into(), modulus)
    }

    fn wrap(coefficients: Coefficients, modulus: Modulus) -> Poly {
        Poly {
            coefficients,
            modulus,
        }
    }

    /// 0.
    pub fn zero(modulus: Modulus) -> Poly {
        Poly::from_residues(Vec::new(), modulus)
    }

    /// 1.
    pub fn one(modulus: Modulus) -> Poly {
        Poly::constant(1, modulus)
    }

    /// x.
    pub fn x(modulus: Modulus) -> Poly {
        Poly::from_residues(vec![0, 1], modulus)
    }

    /// c modulo p.
    pub fn constant(c: u64, modulus: Modulus) -> Poly {
        Poly::from_residues(vec![modulus.reduce(c)], modulus)
    }

    /// `len` uniformly random coefficients, the leading one other than 0.
    ///
    /// # Panics
    /// If the polynomial does not fit in memory.
    #[track_caller]
    pub fn random(len: usize, modulus: Modulus, rng: &mut (impl Rng + ?Sized)) -> Poly {
        must(Poly::try_random(len, modulus, rng))
    }

    /// [`Poly::random`], or an error if the polynomial would not fit in memory.
    pub fn try_random(len: usize, modulus: Modulus, rng: &mut (impl Rng + ?Sized)) -> Result<Poly> {
        let p = modulus.get();
        let mut coefficients = memory::room("the polynomial", len)?;
        coefficients.extend((0..len).map(|_| below(p, rng)));
        if let Some(top) = coefficients.last_mut() {
            *top = 1 + below(p - 1, rng);
        }
        Ok(Poly::from_residues(coefficients, modulus))
    }

    /// The prime.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// The coefficients, constant term first, without leading zeros; fetched from a device if the
    /// host has none.
    ///
    /// Panics if the device is lost.
    pub fn coefficients(&self) -> &[u64] {
        must(self.try_coefficients())
    }

    /// The coefficients, constant term first, without leading zeros.
    pub fn try_coefficients(&self) -> Result<&[u64]> {
        self.coefficients.host()
    }

    /// The number of coefficients: the degree and one, or 0 for the polynomial 0.
    pub fn len(&self) -> usize {
        must(self.try_len())
    }

    /// Whether this is 0, which has no coefficients.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The degree; none for 0.
    pub fn degree(&self) -> Option<usize> {
        self.len().checked_sub(1)
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.degree().is_none()
    }

    /// The coefficient of x^i, 0 above the degree.
    pub fn coefficient(&self, i: usize) -> u64 {
        self.coefficients().get(i).copied().unwrap_or(0)
    }

    /// The leading coefficient; 0 for 0.
    pub fn leading(&self) -> u64 {
        must(self.try_leading())
    }

    /// Puts a copy on device `n`, where operations then run under `Engine::Auto`.
    pub fn try_to_device(&self, n: u32) -> Result<()> {
        self.coefficients.on(&crate::cuda::device(n)?).map(drop)
    }

    /// Gives the device copy up, fetching the coefficients first if the host has none.
    pub fn try_drop_device(&self) -> Result<()> {
        self.coefficients.drop_device()
    }

    /// Whether a device has a copy.
    pub fn is_on_device(&self) -> bool {
        self.coefficients.device().is_some()
    }

    /// The number of the device that has a copy.
    #[doc(hidden)]
    pub fn device_ordinal(&self) -> Option<u32> {
        let device = self.coefficients.device();
        device.map(|device| device.info().ordinal)
    }

    /// The device copy on device `n`, made first if there is none, for other code.
    #[doc(hidden)]
    pub fn lend(&self, n: u32) -> Result<Loan> {
        let coefficients = self.coefficients.on(&crate::cuda::device(n)?)?;
        Ok(Loan::new(coefficients.buffer, self.try_len()?))
    }

    /// The polynomial whose coefficients modulo p are these rows of one limb, constant term first.
    /// They are reduced where they are. `signed` rows are in two's complement.
    #[doc(hidden)]
    pub fn from_rows(rows: &Batch, signed: bool, modulus: Modulus) -> Result<Poly> {
        if rows.width() != 1 {
            return Err(Error::Domain(format!(
                "coefficients are rows of one limb, not of {}",
                rows.width()
            )));
        }
        if rows.count() == 0 {
            return Ok(Poly::zero(modulus));
        }
        let reduce = || residues(rows, signed, modulus.get());
        let residues = match rows.device_ordinal() {
            Some(n) => Engine::Cuda(n).scope(reduce)?,
            None => reduce()?,
        };
        let coefficients = Coefficients::from_copies(residues.into_copies())?;
        Ok(Poly::wrap(coefficients, modulus))
    }

    /// Whether the host has a copy.
    pub fn is_on_host(&self) -> bool {
        self.coefficients.is_on_host()
    }
}

impl PartialEq for Poly {
    fn eq(&self, other: &Poly) -> bool {
        self.modulus == other.modulus
            && (self.coefficients.is_same(&other.coefficients)
                || self.coefficients() == other.coefficients())
    }
}

impl Eq for Poly {}

/// Rows of one limb modulo p; `signed` ones are in two's complement.
fn residues(rows: &Batch, signed: bool, p: u64) -> Result<Batch> {
    let all = |word: u64| Batch::fill(word, rows.count(), 1);
    let (rows, divisor) = (rows.all(), all(p)?);
    let residues = rows.try_rem(&divisor.all())?;
    if !signed {
        return Ok(residues);
    }
    // A negative row is 2^64 too large as an unsigned number. p < 2^63, so that the sum does not
    // wrap.
    let excess = all(((1u128 << 64) % u128::from(p)) as u64)?;
    let excess = rows.try_shr(63)?.all().try_mul(&excess.all())?;
    let less = divisor.all().try_sub(&excess.all())?;
    let sum = residues.all().try_add(&less.all())?;
    sum.all().try_rem(&divisor.all())
}

/// A uniform number below `bound`.
fn below(bound: u64, rng: &mut (impl Rng + ?Sized)) -> u64 {
    // Each try succeeds with a probability above one half.
    let mask = u64::MAX >> (bound - 1).max(1).leading_zeros();
    loop {
        let value = rng.next_u64() & mask;
        if value < bound {
            return value;
        }
    }
}

/// Unwraps the result of an operator, which cannot return an error.
#[track_caller]
fn must<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}
