//! Divisions of integers. GMP rounds quotients by truncation (`tdiv`), down (`fdiv`) and up
//! (`cdiv`); `mpz_mod` has a remainder that is never negative.

use bezout::Int;

use crate::abi::{Answer, In, Operand, Out, len};
use crate::serve::Decline;

/// The size of a division: that of the divisor or of the quotient, whichever is shorter. 0 where
/// the quotient is, and for a division by zero.
///
/// # Safety
/// Both must be initialised.
#[inline(always)]
unsafe fn shorter(n: In, d: In) -> usize {
    // SAFETY: the caller's operands are initialised.
    unsafe { len(d).min((len(n) + 1).saturating_sub(len(d))) }
}

/// One result of a division.
fn one(
    n: Operand,
    d: Operand,
    divide: impl Fn(&Int, &Int) -> bezout::Result<Int>,
) -> Result<Answer, Decline> {
    Answer::new(divide(&n.int(), &d.int())?)
}

/// Quotient and remainder.
fn both(
    n: Operand,
    d: Operand,
    divide: impl Fn(&Int, &Int) -> bezout::Result<(Int, Int)>,
) -> Result<(Answer, Answer), Decline> {
    let (q, r) = divide(&n.int(), &d.int())?;
    Ok((Answer::new(q)?, Answer::new(r)?))
}

entries! {
    /// `mpz_tdiv_q`.
    TDIV_Q: "div" from 12288 in Gmp;
    fn __gmpz_tdiv_q(q: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_div) }
    deliver |quotient: Answer| quotient.store(q);

    /// `mpz_tdiv_r`.
    TDIV_R: "div" from 12288 in Gmp;
    fn __gmpz_tdiv_r(r: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_rem) }
    deliver |remainder: Answer| remainder.store(r);

    /// `mpz_tdiv_qr`.
    TDIV_QR: "div" from 12288 in Gmp;
    fn __gmpz_tdiv_qr(q: Out, r: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { both(n, d, Int::try_div_rem) }
    deliver |(quotient, remainder): (Answer, Answer)| {
        quotient.store(q);
        remainder.store(r);
    };

    /// `mpz_fdiv_q`.
    FDIV_Q: "div" from 12288 in Gmp;
    fn __gmpz_fdiv_q(q: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_div_floor) }
    deliver |quotient: Answer| quotient.store(q);

    /// `mpz_fdiv_r`.
    FDIV_R: "div" from 12288 in Gmp;
    fn __gmpz_fdiv_r(r: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_rem_floor) }
    deliver |remainder: Answer| remainder.store(r);

    /// `mpz_fdiv_qr`.
    FDIV_QR: "div" from 12288 in Gmp;
    fn __gmpz_fdiv_qr(q: Out, r: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { both(n, d, Int::try_div_rem_floor) }
    deliver |(quotient, remainder): (Answer, Answer)| {
        quotient.store(q);
        remainder.store(r);
    };

    /// `mpz_cdiv_q`.
    CDIV_Q: "div" from 12288 in Gmp;
    fn __gmpz_cdiv_q(q: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_div_ceil) }
    deliver |quotient: Answer| quotient.store(q);

    /// `mpz_cdiv_r`.
    CDIV_R: "div" from 12288 in Gmp;
    fn __gmpz_cdiv_r(r: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_rem_ceil) }
    deliver |remainder: Answer| remainder.store(r);

    /// `mpz_cdiv_qr`.
    CDIV_QR: "div" from 12288 in Gmp;
    fn __gmpz_cdiv_qr(q: Out, r: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { both(n, d, Int::try_div_rem_ceil) }
    deliver |(quotient, remainder): (Answer, Answer)| {
        quotient.store(q);
        remainder.store(r);
    };

    /// `mpz_mod`.
    MOD: "div" from 12288 in Gmp;
    fn __gmpz_mod(r: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_rem_euclid) }
    deliver |remainder: Answer| remainder.store(r);

    /// `mpz_divexact`. A division that is not exact is left to GMP, whose result is then undefined.
    DIVEXACT: "divexact" from 24576 in Gmp;
    fn __gmpz_divexact(q: Out, n: In, d: In);
    limbs shorter(n, d);
    let (n, d) = (Operand::new(n), Operand::new(d));
    compute { one(n, d, Int::try_div_exact) }
    deliver |quotient: Answer| quotient.store(q);
}
