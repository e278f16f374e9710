//! FLINT's products of limbs. FLINT has its own and calls GMP's only for short ones.

use crate::abi::{room, slice};
use crate::mpn::product;

entries! {
    /// `_flint_mpn_mul`: writes an + bn limbs and returns the highest.
    MUL: "flint" from 4096 in Flint;
    fn _flint_mpn_mul(rp: *mut u64, ap: *const u64, an: i64, bp: *const u64, bn: i64) -> u64;
    limbs bn as usize;
    let (a, b) = (slice(ap, an as usize), slice(bp, bn as usize));
    let out = room(rp, (an + bn) as usize);
    compute { product(out, a, b) }
    deliver |()| *rp.add((an + bn - 1) as usize);

    /// `_flint_mpn_mul_n`: writes 2n limbs.
    MUL_N: "flint" from 4096 in Flint;
    fn _flint_mpn_mul_n(rp: *mut u64, ap: *const u64, bp: *const u64, n: i64);
    limbs n as usize;
    let (a, b) = (slice(ap, n as usize), slice(bp, n as usize));
    let out = room(rp, 2 * n as usize);
    compute { product(out, a, b) }
    deliver |()| ();

    /// `_flint_mpn_sqr`: writes 2n limbs and returns the highest.
    SQR: "flint" from 4096 in Flint;
    fn _flint_mpn_sqr(rp: *mut u64, ap: *const u64, n: i64) -> u64;
    limbs n as usize;
    let a = slice(ap, n as usize);
    let out = room(rp, 2 * n as usize);
    compute { product(out, a, a) }
    deliver |()| *rp.add((2 * n - 1) as usize);
}
