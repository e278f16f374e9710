//! FLINT, built for this machine, on one thread or on many.
#![cfg(feature = "flint")]
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};

use bezout::{Int, Result};
use flint3_sys as flint;

use super::Magnitude;
use super::work::{Answer, Job, Work, bad};

/// A number of FLINT's.
pub struct Number(flint::fmpz);

impl Number {
    fn zero() -> Number {
        let mut number = Number(0);
        // SAFETY: the pointer is to a live word of the right type; any content may be overwritten.
        unsafe { flint::fmpz_init(&mut number.0) };
        number
    }

    fn from_limbs(limbs: &[u64]) -> Number {
        let mut number = Number::zero();
        if !limbs.is_empty() {
            // SAFETY: the number is initialised and `limbs` has the length that is passed, at least
            // 1 as FLINT asks.
            unsafe {
                flint::fmpz_set_ui_array(&mut number.0, limbs.as_ptr(), limbs.len() as flint::slong)
            };
        }
        number
    }

    /// The limbs of its magnitude.
    pub fn read(self) -> Magnitude {
        // SAFETY: the number is initialised.
        let length = unsafe { flint::fmpz_size(&self.0) };
        let mut limbs = vec![0u64; length.max(1) as usize];
        // SAFETY: `limbs` has room for the length passed, which is that of the number, or 1 for
        // zero.
        unsafe {
            flint::fmpz_get_ui_array(limbs.as_mut_ptr(), limbs.len() as flint::slong, &self.0)
        };
        if limbs == [0] {
            limbs.clear();
        }
        limbs
    }

    fn to_decimal(&self) -> Result<String> {
        // SAFETY: the number is initialised, 10 is a base that FLINT knows.
        let digits = unsafe { flint::fmpz_sizeinbase(&self.0, 10) };
        // A sign and the zero at the end.
        let mut text = vec![0u8; digits + 2];
        // SAFETY: the buffer has room for sign, digits and zero, all that FLINT writes.
        unsafe { flint::fmpz_get_str(text.as_mut_ptr().cast::<c_char>(), 10, &self.0) };
        let end = text
            .iter()
            .rposition(|c| *c != 0)
            .map_or(0, |last| last + 1);
        text.truncate(end);
        String::from_utf8(text).map_err(|_| bad())
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        // SAFETY: the number is initialised and not used again.
        unsafe { flint::fmpz_clear(&mut self.0) };
    }
}

/// FLINT's copy of the operands.
pub struct Flint {
    work: Work,
    a: Number,
    b: Number,
    text: CString,
}

impl Flint {
    /// Copies the operands, and sets the number of threads of all that FLINT does from now on.
    pub fn new(job: &Job, threads: usize) -> Result<Flint> {
        // SAFETY: no other thread calls FLINT while the number of its threads changes.
        unsafe { flint::flint_set_num_threads(threads as c_int) };
        let import = |x: &Int| Ok::<_, bezout::Error>(Number::from_limbs(x.try_limbs()?));
        Ok(Flint {
            work: job.work,
            a: import(&job.a)?,
            b: import(&job.b)?,
            text: CString::new(job.text.as_str()).map_err(|_| bad())?,
        })
    }

    /// Does it.
    pub fn apply(&self) -> Result<Answer<Number>> {
        let (a, b) = (&self.a.0, &self.b.0);
        let mut out = Number::zero();
        // SAFETY, for all of them: every number is initialised, results are not operands, and a
        // divisor is not 0.
        match self.work {
            Work::Mul | Work::MulPrepared => {
                // SAFETY: see above.
                unsafe { flint::fmpz_mul(&mut out.0, a, b) }
            }
            Work::Square => {
                // SAFETY: see above.
                unsafe { flint::fmpz_mul(&mut out.0, a, a) }
            }
            Work::DivRem | Work::DivRemPrepared => {
                let mut remainder = Number::zero();
                // SAFETY: see above.
                unsafe { flint::fmpz_tdiv_qr(&mut out.0, &mut remainder.0, a, b) };
                return Ok(Answer::Two(out, remainder));
            }
            Work::DivExact => {
                // SAFETY: see above; the divisor divides.
                unsafe { flint::fmpz_divexact(&mut out.0, a, b) }
            }
            Work::Gcd | Work::Weber | Work::Cofactors | Work::Root | Work::Power => {
                return Err(bad());
            }
            Work::ToDecimal => return self.a.to_decimal().map(Answer::Text),
            Work::FromDecimal => {
                // SAFETY: the text ends with a zero, the number is initialised.
                let failed = unsafe { flint::fmpz_set_str(&mut out.0, self.text.as_ptr(), 10) };
                if failed != 0 {
                    return Err(bad());
                }
            }
        }
        Ok(Answer::One(out))
    }
}

unsafe extern "C" {
    /// FLINT's version, ends with a zero.
    #[link_name = "flint_version"]
    static VERSION: c_char;
    /// The product by FLINT's vectorised transforms.
    fn mpn_mul_default_mpn_ctx(
        out: *mut u64,
        a: *const u64,
        a_limbs: flint::slong,
        b: *const u64,
        b_limbs: flint::slong,
    );
}

/// A FLINT built without its vectorised transforms lacks this, and does not link: its figures would
/// count for nothing.
#[used]
static FAST: unsafe extern "C" fn(*mut u64, *const u64, flint::slong, *const u64, flint::slong) =
    mpn_mul_default_mpn_ctx;

/// FLINT's version.
pub fn version() -> String {
    // SAFETY: FLINT defines it as an array of characters that never changes and ends with a zero.
    let text = unsafe { CStr::from_ptr(&raw const VERSION) };
    text.to_string_lossy().into_owned()
}
