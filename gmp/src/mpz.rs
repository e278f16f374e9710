//! The functions on integers, other than divisions, text and sequences.
//!
//! They are needed beside those on limbs: a GMP that was linked with `-Bsymbolic-functions` binds
//! its own calls, and one call instead of several lets bezout keep numbers in its own form.

use bezout::Int;

use crate::abi::{Answer, In, Operand, Out, len, room_in, set_size, shares_limbs};
use crate::mpn::product;
use crate::serve::Decline;

/// The limbs of the shorter operand.
///
/// # Safety
/// Both must be initialised.
#[inline(always)]
unsafe fn shorter(a: In, b: In) -> usize {
    // SAFETY: the caller's operands are initialised.
    unsafe { len(a).min(len(b)) }
}

entries! {
    /// `mpz_mul`. A result that lies where an operand does is replaced once the product is known;
    /// any other gets the product at once.
    MUL: "mul" from 256 in Gmp;
    fn __gmpz_mul(r: Out, a: In, b: In);
    limbs shorter(a, b);
    let is_operand = shares_limbs(r, a) || shares_limbs(r, b);
    let place = (!is_operand).then(|| room_in(r, len(a) + len(b)));
    let (a, b) = (Operand::new(a), Operand::new(b));
    compute {
        let (len, negative) = (a.limbs.len() + b.limbs.len(), a.negative != b.negative);
        // What no `mpz_t` can hold is GMP's to refuse.
        if i32::try_from(len).is_err() {
            return Err(Decline::Case);
        }
        let answer = match place {
            Some(place) => {
                product(place, a.limbs, b.limbs)?;
                None
            }
            None => Some(Answer::new(a.magnitude().try_mul(&b.magnitude())?)?),
        };
        Ok((len, negative, answer))
    }
    deliver |(len, negative, answer): (usize, bool, Option<Answer>)| match answer {
        None => set_size(r, len, negative),
        Some(answer) => answer.signed(negative).store(r),
    };

    /// `mpz_gcd`.
    GCD: "gcd" from 128 in Gmp;
    fn __gmpz_gcd(g: Out, a: In, b: In);
    limbs shorter(a, b);
    let (a, b) = (Operand::new(a), Operand::new(b));
    compute { Answer::new(a.magnitude().try_gcd(&b.magnitude())?) }
    deliver |divisor: Answer| divisor.store(g);

    /// `mpz_gcdext`. GMP lets every result be null, whatever its manual says.
    GCDEXT: "gcdext" from 2048 in Gmp;
    fn __gmpz_gcdext(g: Out, s: Out, t: Out, a: In, b: In);
    limbs shorter(a, b);
    let (a, b) = (Operand::new(a), Operand::new(b));
    compute {
        let (g, s, t) = a.int().try_extended_gcd(&b.int())?;
        Ok([Answer::new(t)?, Answer::new(s)?, Answer::new(g)?])
    }
    deliver |answers: [Answer; 3]| {
        for (answer, to) in answers.into_iter().zip([t, s, g]) {
            if to.is_null() {
                answer.discard();
            } else {
                answer.store(to);
            }
        }
    };

    /// `mpz_invert`: returns 0, and changes nothing, where there is no inverse.
    INVERT: "invert" from 4096 in Gmp;
    fn __gmpz_invert(r: Out, a: In, m: In) -> i32;
    limbs shorter(a, m);
    let (a, m) = (Operand::new(a), Operand::new(m));
    compute {
        // GMP's own rule for the modulus 1 has changed with its versions.
        if m.limbs == [1] {
            return Err(Decline::Case);
        }
        let (a, m) = (a.int(), m.magnitude());
        let (g, s, _) = a.try_rem_euclid(&m)?.try_extended_gcd(&m)?;
        if g != 1 {
            return Ok(None);
        }
        Ok(Some(Answer::new(s.try_rem_euclid(&m)?)?))
    }
    deliver |inverse: Option<Answer>| match inverse {
        None => 0,
        Some(inverse) => {
            inverse.store(r);
            1
        }
    };

    /// `mpz_lcm`.
    LCM: "lcm" from 128 in Gmp;
    fn __gmpz_lcm(r: Out, a: In, b: In);
    limbs shorter(a, b);
    let (a, b) = (Operand::new(a), Operand::new(b));
    compute { Answer::new(a.magnitude().try_lcm(&b.magnitude())?) }
    deliver |multiple: Answer| multiple.store(r);

    /// `mpz_powm`. A negative exponent without an inverse is GMP's to complain about.
    POWM: "powm" from 2048 in Gmp;
    fn __gmpz_powm(r: Out, b: In, e: In, m: In);
    limbs len(m);
    let (b, e, m) = (Operand::new(b), Operand::new(e), Operand::new(m));
    compute {
        if e.negative || e.limbs.is_empty() {
            return Err(Decline::Case);
        }
        Answer::new(b.int().try_pow_mod(&e.int(), &m.magnitude())?)
    }
    deliver |power: Answer| power.store(r);

    /// `mpz_sqrt`.
    SQRT: "sqrt" from 65536 in Gmp;
    fn __gmpz_sqrt(r: Out, a: In);
    limbs len(a);
    let a = Operand::new(a);
    compute {
        if a.negative {
            return Err(Decline::Case);
        }
        Answer::new(a.int().try_isqrt()?)
    }
    deliver |root: Answer| root.store(r);

    /// `mpz_sqrtrem`.
    SQRTREM: "sqrt" from 65536 in Gmp;
    fn __gmpz_sqrtrem(r: Out, rest: Out, a: In);
    limbs len(a);
    let (a, is_one_place) = (Operand::new(a), r == rest);
    compute {
        // Which result stays in one variable for both depends on GMP's version.
        if a.negative || is_one_place {
            return Err(Decline::Case);
        }
        let (s, r) = a.int().try_sqrt_rem()?;
        Ok((Answer::new(s)?, Answer::new(r)?))
    }
    deliver |(root, remainder): (Answer, Answer)| {
        root.store(r);
        remainder.store(rest);
    };

    /// `mpz_root`: returns whether the root is exact. The root may go nowhere. GMP's own is several
    /// times as fast as bezout's on the CPU at every size that was measured.
    ROOT: "root" from 1_099_511_627_776 in Gmp;
    fn __gmpz_root(r: Out, a: In, n: u64) -> i32;
    limbs len(a);
    let a = Operand::new(a);
    compute {
        if n < 2 || a.negative && n.is_multiple_of(2) {
            return Err(Decline::Case);
        }
        let (root, rest): (Int, Int) = a.int().try_root_rem(n)?;
        Ok((Answer::new(root)?, rest.try_is_zero()?))
    }
    deliver |(root, is_exact): (Answer, bool)| {
        if r.is_null() {
            root.discard();
        } else {
            root.store(r);
        }
        i32::from(is_exact)
    };
}
