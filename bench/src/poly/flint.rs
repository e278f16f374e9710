//! FLINT's polynomials over Z_p.
#![cfg(feature = "flint")]
#![allow(unsafe_code)]

use std::ffi::c_int;

use bezout::{Poly, Result};
use flint3_sys as flint;

use super::work::{Job, Work};

/// A polynomial of FLINT's.
pub struct Polynomial(flint::nmod_poly_struct);

impl Polynomial {
    fn zero(p: u64) -> Polynomial {
        let mut polynomial = Polynomial(flint::nmod_poly_struct::default());
        // SAFETY: the pointer is to a live structure, which is initialised here.
        unsafe { flint::nmod_poly_init(&mut polynomial.0, p) };
        polynomial
    }

    fn copy(of: &Poly) -> Result<Polynomial> {
        let mut polynomial = Polynomial::zero(of.modulus().get());
        // From the top, so that there is room for all after the first.
        for (i, c) in of.try_coefficients()?.iter().enumerate().rev() {
            // SAFETY: the polynomial is initialised; a coefficient may be set at any place, and is
            // below p.
            unsafe { flint::nmod_poly_set_coeff_ui(&mut polynomial.0, i as flint::slong, *c) };
        }
        Ok(polynomial)
    }

    /// The coefficients, constant term first, without leading zeros.
    pub fn read(&self) -> Vec<u64> {
        match self.0.length as usize {
            0 => Vec::new(),
            // SAFETY: FLINT keeps `length` coefficients there, which nobody changes while self is
            // borrowed.
            length => unsafe { std::slice::from_raw_parts(self.0.coeffs, length) }.to_vec(),
        }
    }
}

impl Drop for Polynomial {
    fn drop(&mut self) {
        // SAFETY: the polynomial is initialised and not used again.
        unsafe { flint::nmod_poly_clear(&mut self.0) };
    }
}

/// FLINT's copy of the operands.
pub struct Flint {
    work: Work,
    a: Vec<Polynomial>,
    b: Vec<Polynomial>,
    p: u64,
}

impl Flint {
    /// Copies the operands, and sets the number of threads of all that FLINT does from now on.
    pub fn new(job: &Job, threads: usize) -> Result<Flint> {
        // SAFETY: no other thread calls FLINT while the number of its threads changes.
        unsafe { flint::flint_set_num_threads(threads as c_int) };
        Ok(Flint {
            work: job.work,
            a: job.a.iter().map(Polynomial::copy).collect::<Result<_>>()?,
            b: job.b.iter().map(Polynomial::copy).collect::<Result<_>>()?,
            p: job.p.get(),
        })
    }

    /// Does it, pair after pair.
    pub fn apply(&self) -> Vec<Polynomial> {
        let mut found = Vec::new();
        for (Polynomial(a), Polynomial(b)) in self.a.iter().zip(&self.b) {
            let [mut x, mut y, mut z] = [(); 3].map(|()| Polynomial::zero(self.p));
            // SAFETY: all polynomials are initialised with one modulus, results are no operands,
            // and no divisor is 0.
            unsafe {
                match self.work {
                    Work::Mul | Work::WideMul | Work::MulMany | Work::PlainMul => {
                        flint::nmod_poly_mul(&mut x.0, a, b);
                    }
                    Work::Square => flint::nmod_poly_mul(&mut x.0, a, a),
                    Work::DivRem => flint::nmod_poly_divrem(&mut x.0, &mut y.0, a, b),
                    Work::Gcd | Work::GcdMany | Work::PlainGcd => {
                        flint::nmod_poly_gcd(&mut x.0, a, b);
                    }
                    Work::ExtendedGcd => {
                        flint::nmod_poly_xgcd(&mut x.0, &mut y.0, &mut z.0, a, b);
                    }
                }
            }
            match self.work {
                Work::DivRem => found.extend([x, y]),
                Work::ExtendedGcd => found.extend([x, y, z]),
                _ => found.push(x),
            }
        }
        found
    }
}
