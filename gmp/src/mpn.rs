//! The functions on limbs. Operands are copied before anything is written, so results may overlap
//! them wherever GMP allows it, and more. A product may not overlap its operands, and is written to
//! its place at once.

use std::mem::MaybeUninit;

use bezout::Int;

use crate::abi::{Answer, room, slice};
use crate::serve::Decline;

/// Writes the product of two operands, or the square of one.
pub(crate) fn product(out: &mut [MaybeUninit<u64>], a: &[u64], b: &[u64]) -> Result<(), Decline> {
    bezout::mul_slices(out, a, b)?;
    Ok(())
}

/// The cofactor s of a in g = s·a + t·b as `mpn_gcdext` normalises it: 0 if b divides a, else 1 or
/// |s| < b/(2g). For b = 2g it is 1.
fn cofactor(s: Int, b: &Int, g: &Int) -> Result<Int, Decline> {
    let period = b.try_div_exact(g)?;
    let s = s.try_rem_floor(&period)?;
    let twice = &s + &s;
    if twice > period {
        return Ok(s.try_sub(&period)?);
    }
    Ok(s)
}

entries! {
    /// `mpn_mul`: writes an + bn limbs and returns the highest.
    MUL: "mul" from 256 in Gmp;
    fn __gmpn_mul(rp: *mut u64, ap: *const u64, an: i64, bp: *const u64, bn: i64) -> u64;
    limbs bn as usize;
    let (a, b) = (slice(ap, an as usize), slice(bp, bn as usize));
    let out = room(rp, (an + bn) as usize);
    compute { product(out, a, b) }
    deliver |()| *rp.add((an + bn - 1) as usize);

    /// `mpn_mul_n`: writes 2n limbs.
    MUL_N: "mul" from 256 in Gmp;
    fn __gmpn_mul_n(rp: *mut u64, ap: *const u64, bp: *const u64, n: i64);
    limbs n as usize;
    let (a, b) = (slice(ap, n as usize), slice(bp, n as usize));
    let out = room(rp, 2 * n as usize);
    compute { product(out, a, b) }
    deliver |()| ();

    /// `mpn_sqr`: writes 2n limbs.
    SQR: "mul" from 256 in Gmp;
    fn __gmpn_sqr(rp: *mut u64, ap: *const u64, n: i64);
    limbs n as usize;
    let a = slice(ap, n as usize);
    let out = room(rp, 2 * n as usize);
    compute { product(out, a, a) }
    deliver |()| ();

    /// `mpn_tdiv_qr`: writes nn − dn + 1 limbs of quotient and dn of remainder.
    TDIV_QR: "div" from 12288 in Gmp;
    fn __gmpn_tdiv_qr(
        qp: *mut u64, rp: *mut u64, qxn: i64, np: *const u64, nn: i64, dp: *const u64, dn: i64
    );
    limbs dn.min(nn - dn + 1).max(0) as usize;
    let (n, d) = (slice(np, nn as usize), slice(dp, dn as usize));
    compute {
        // GMP has never had another value of this argument.
        if qxn != 0 {
            return Err(Decline::Case);
        }
        let (q, r) = Int::from_limbs_slice(n).try_div_rem(&Int::from_limbs_slice(d))?;
        Ok((Answer::new(q)?, Answer::new(r)?))
    }
    deliver |(q, r): (Answer, Answer)| {
        q.fill(qp, (nn - dn + 1) as usize);
        r.fill(rp, dn as usize);
    };

    /// `mpn_divexact`: writes nn − dn + 1 limbs.
    DIVEXACT: "divexact" from 24576 in Gmp;
    fn __gmpn_divexact(qp: *mut u64, np: *const u64, nn: i64, dp: *const u64, dn: i64);
    limbs dn.min(nn - dn + 1).max(0) as usize;
    let (n, d) = (slice(np, nn as usize), slice(dp, dn as usize));
    compute {
        Answer::new(Int::from_limbs_slice(n).try_div_exact(&Int::from_limbs_slice(d))?)
    }
    deliver |q: Answer| { q.fill(qp, (nn - dn + 1) as usize); };

    /// `mpn_gcd`: returns how many limbs the divisor has. GMP destroys the operands.
    GCD: "gcd" from 128 in Gmp;
    fn __gmpn_gcd(gp: *mut u64, ap: *mut u64, an: i64, bp: *mut u64, bn: i64) -> i64;
    limbs bn as usize;
    let (a, b) = (slice(ap, an as usize), slice(bp, bn as usize));
    compute {
        // GMP wants one of them odd, and does what it will with two even ones.
        if (a[0] | b[0]) & 1 == 0 {
            return Err(Decline::Case);
        }
        Answer::new(Int::from_limbs_slice(a).try_gcd(&Int::from_limbs_slice(b))?)
    }
    deliver |g: Answer| {
        let len = g.len();
        g.fill(gp, len);
        len as i64
    };

    /// `mpn_gcdext`: the divisor, and the cofactor of the first operand with its sign in `sn`.
    GCDEXT: "gcdext" from 2048 in Gmp;
    fn __gmpn_gcdext(
        gp: *mut u64, sp: *mut u64, sn: *mut i64, ap: *mut u64, an: i64, bp: *mut u64, bn: i64
    ) -> i64;
    limbs bn as usize;
    let (a, b) = (slice(ap, an as usize), slice(bp, bn as usize));
    compute {
        let (a, b) = (Int::from_limbs_slice(a), Int::from_limbs_slice(b));
        let (g, s, _) = a.try_extended_gcd(&b)?;
        let s = cofactor(s, &b, &g)?;
        let is_negative = s.try_is_negative()?;
        Ok((Answer::new(g)?, Answer::new(s)?, is_negative))
    }
    deliver |(g, s, is_negative): (Answer, Answer, bool)| {
        let (g_len, s_len) = (g.len(), s.len());
        g.fill(gp, g_len);
        *sn = if is_negative { -(s_len as i64) } else { s_len as i64 };
        // GMP has room for bn + 1 limbs there, and writes none for 0.
        if s_len > 0 {
            s.fill(sp, s_len);
        }
        g_len as i64
    };

    /// `mpn_sqrtrem`: returns how many limbs the remainder has, or, where `rp` is null, whether
    /// there is one.
    SQRTREM: "sqrt" from 65536 in Gmp;
    fn __gmpn_sqrtrem(sp: *mut u64, rp: *mut u64, np: *const u64, nn: i64) -> i64;
    limbs nn as usize;
    let n = slice(np, nn as usize);
    compute {
        let (s, r) = Int::from_limbs_slice(n).try_sqrt_rem()?;
        Ok((Answer::new(s)?, Answer::new(r)?))
    }
    deliver |(s, r): (Answer, Answer)| {
        let len = r.len();
        s.fill(sp, (nn as usize).div_ceil(2));
        if rp.is_null() {
            r.discard();
            return i64::from(len > 0);
        }
        if len > 0 {
            r.fill(rp, len);
        }
        len as i64
    };

    /// `mpn_powm`, for odd moduli: writes n limbs.
    POWM: "powm" from 2048 in Gmp;
    fn __gmpn_powm(
        rp: *mut u64, bp: *const u64, bn: i64, ep: *const u64, en: i64, mp: *const u64, n: i64,
        tp: *mut u64
    );
    limbs n as usize;
    let (b, e, m) = (slice(bp, bn as usize), slice(ep, en as usize), slice(mp, n as usize));
    compute {
        let [b, e, m] = [b, e, m].map(Int::from_limbs_slice);
        Answer::new(b.try_pow_mod(&e, &m)?)
    }
    deliver |r: Answer| { r.fill(rp, n as usize); };
}
