//! Half-GCD: Euclid's quotients from the leading halves, recursively.
//!
//! The recursive form of Lehmer's idea, by Knuth and Schönhage, after Möller, *On Schönhage's
//! algorithm and subquadratic integer gcd computation* (Math. Comp. 77, 2008), but with Euclid's
//! own remainders and an exact stop. In the notation of `lehmer`: (a, b) = M·(c, d), c ≥ 2^bits >
//! d, and M is a product of [[q, 1], [1, 0]] with natural q ≥ 1.
//!
//! **Leading parts.** To take p bits off a of n bits, the digits of a and b below some 2^k are
//! dropped such that 2p + 64 bits remain. The quotients are found from these parts, and their M is
//! applied to the low parts too. M's entries are at most 2^p (they are at most a/c), so dropping
//! the digits changes c and d by less than 2^(k+p), while c ≥ 2^(k+p+64). Only about one number in
//! 2^64 gives different quotients. Each result is checked:
//!
//! **No quotient is wrong.** If 0 ≤ d < c for the whole numbers, then a/b = [q1; q2, …, qm, c/d]
//! with c/d > 1. A continued fraction with such an end is unique, so these are Euclid's quotients.
//! (For d = 0 it is not unique: it may end in a 1, so the last quotient is then computed again.) If
//! the inequalities fail, or c < 2^bits, the last quotient is undone until they are true. By (1) of
//! `lehmer` that is at most twice, and with no quotient left they are true anyway. Then full steps
//! are made until d < 2^bits.
//!
//! **The last quotient of M** is the smaller of ⌊m00/m01⌋ and ⌊m10/m11⌋: these are [qm; …, q1] and
//! [qm; …, q2], whose tails are above 1 unless they are the single quotient 1, which only one of
//! them can be.
//!
//! **Cost.** H(p) = 2·H(p/2), plus p/2 bits of M times p and times p/2 bits of the numbers, plus
//! the product of the two halves of M.

mod host;
mod matrix;

use crate::number::Integer;
use crate::number::Natural;

pub(super) use self::matrix::Matrix;
use super::{Algorithm, Stats};
use crate::div;
use crate::engine::{self, Engine};
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::mul::mul;
use crate::tuning::Tuning;
use crate::word::lehmer::{self, Symbol};

/// Bits by which c exceeds the largest change by the dropped digits.
const GUARD: u64 = 64;

/// Two consecutive remainders, c ≥ d ≥ 0.
pub(super) struct Pair {
    pub(super) c: Resident,
    pub(super) d: Resident,
}

impl Pair {
    /// Makes one of Euclid's steps and returns its quotient; d > 0.
    pub(super) fn step(&mut self, symbol: Option<&mut Symbol>) -> Result<Resident> {
        let (q, r) = div::div_rem(&self.c, &self.d)?;
        if let Some(symbol) = symbol {
            symbol.push(modulo_4(&q)?);
        }
        self.c = std::mem::replace(&mut self.d, r);
        Ok(q)
    }
}

impl Pair {
    fn from_vecs(c: Vec<u64>, d: Vec<u64>) -> Pair {
        Pair {
            c: from_vec(c),
            d: from_vec(d),
        }
    }

    /// The limbs of both, without leading zeros.
    fn into_vecs(self) -> Result<(Vec<u64>, Vec<u64>)> {
        Ok((to_vec(self.c)?, to_vec(self.d)?))
    }
}

/// Bits of x ≥ 0.
pub(super) fn bits_of(x: &Resident) -> Result<u64> {
    Ok(limbs::size(x)?.1)
}

/// q modulo 4.
fn modulo_4(q: &Resident) -> Result<u64> {
    let low = limbs::low(q, 2)?;
    Ok(u64::try_from(low.host()?).unwrap_or(0))
}

/// gcd(a, b) for a > b > 0. `advance` is called with the number of bits that were taken off.
pub(super) fn gcd(
    a: &Resident,
    b: &Resident,
    advance: impl Fn(u64) -> Result<()>,
) -> Result<(Resident, Stats)> {
    let mut stats = Stats::of(Algorithm::Half);
    let mut iterations = 0;
    let g = descend(a, b, Rest::Gcd, |_, taken| {
        iterations += 1;
        advance(taken)
    })?;
    stats.iterations = Some(iterations);
    Ok((g, stats))
}

/// Jacobi's symbol (b/a) or, where `lower_is_second`, (a/b), of a > b > 0. The lower number is odd.
/// `advance` is called with the number of bits that were taken off.
pub(super) fn jacobi(
    a: &Resident,
    b: &Resident,
    lower_is_second: bool,
    advance: impl Fn(u64) -> Result<()>,
) -> Result<i32> {
    let mut symbol = Symbol::of(modulo_4(a)?, modulo_4(b)?, lower_is_second);
    let g = descend(a, b, Rest::Symbol(&mut symbol), |_, taken| advance(taken))?;
    if bits_of(&g)? > 1 {
        return Ok(0);
    }
    Ok(symbol.value())
}

/// The part of the length that one half-GCD takes off: 1/6, from the leading third.
const PART: u64 = 6;

/// The work on a short pair.
pub(super) enum Rest<'a> {
    /// Only its gcd is found.
    Gcd,
    /// Its matrix is found too.
    Matrix,
    /// Its gcd is found by Euclid's quotients. The symbol follows these and all before.
    Symbol(&'a mut Symbol),
}

/// gcd(a, b) for a ≥ b ≥ 0, a > 0, and the matrices on the way, each with the bits that it takes
/// off. Their product M satisfies (a, b) = M·(g, 0). Unless the rest is `Matrix`, the last matrices
/// are left out. Their quotients are Euclid's, so the very last is at least 2 if a > b.
pub(super) fn descend(
    a: &Resident,
    b: &Resident,
    mut rest: Rest,
    mut note: impl FnMut(Matrix, u64) -> Result<()>,
) -> Result<Resident> {
    let tuning = Tuning::current();
    let base = 64 * tuning.gcd_base_limbs as u64;
    let (mut pair, mut n) = (
        Pair {
            c: a.clone(),
            d: b.clone(),
        },
        bits_of(a)?,
    );
    loop {
        let m = bits_of(&pair.d)?;
        if m == 0 {
            return Ok(pair.c);
        }
        if n <= base {
            return by_lehmer(pair, n, rest, note);
        }
        let bits = n - n / PART;
        let symbol = match &mut rest {
            Rest::Symbol(symbol) => Some(&mut **symbol),
            _ => None,
        };
        if m <= bits {
            note(Matrix::of_quotient(pair.step(symbol)?), n - m)?;
            n = m;
            continue;
        }
        let (matrix, next) = engine::on_cpu_if_short(n, tuning.gcd_device_limbs, || {
            leading_part(&pair, cut(n, bits), bits, symbol)
        })?;
        let left = bits_of(&next.c)?;
        note(matrix, n - left)?;
        n = left;
        pair = Pair {
            c: next.c.narrow(n),
            d: next.d.narrow(bits),
        };
    }
}

/// The gcd of a short pair of n bits.
fn by_lehmer(
    pair: Pair,
    n: u64,
    rest: Rest,
    mut note: impl FnMut(Matrix, u64) -> Result<()>,
) -> Result<Resident> {
    let (mut c, mut d) = pair.into_vecs()?;
    match rest {
        Rest::Gcd => lehmer::gcd(&mut c, &mut d),
        Rest::Matrix => note(lehmer::reduce_to(&mut c, &mut d, 0, None).into(), n)?,
        Rest::Symbol(symbol) => lehmer::gcd_with_symbol(&mut c, &mut d, symbol),
    }
    Ok(from_vec(c))
}

fn to_vec(x: Resident) -> Result<Vec<u64>> {
    Ok(x.into_host()?.into_magnitude().into_vec())
}

fn from_vec(limbs: Vec<u64>) -> Resident {
    Integer::from(Natural::from_vec(limbs)).into()
}

/// M and (c, d) with (a, b) = M·(c, d) and c ≥ 2^bits > d, for a ≥ b of the pair and a ≥ 2^bits.
/// `symbol` follows the quotients.
pub(super) fn reduce(pair: Pair, bits: u64, symbol: Option<&mut Symbol>) -> Result<(Matrix, Pair)> {
    let (n, m) = (bits_of(&pair.c)?, bits_of(&pair.d)?);
    debug_assert!(n > bits);
    let pair = Pair {
        c: pair.c.narrow(n),
        d: pair.d.narrow(m),
    };
    if m <= bits {
        return Ok((Matrix::identity(), pair));
    }
    engine::on_cpu_if_short(n, Tuning::in_force().gcd_device_limbs, || {
        reduce_here(pair, n, m, bits, symbol)
    })
}

fn reduce_here(
    mut pair: Pair,
    n: u64,
    m: u64,
    bits: u64,
    mut symbol: Option<&mut Symbol>,
) -> Result<(Matrix, Pair)> {
    if Engine::current() == Engine::Cpu {
        let (a, b) = pair.into_vecs()?;
        let host::Reduced { matrix, c, d } = host::reduce(a, b, bits, symbol)?;
        return Ok((matrix.into(), Pair::from_vecs(c, d)));
    }
    let k = cut(n, bits);
    if k > 0 && k >= n / 8 {
        return leading_part(&pair, k, bits, symbol);
    }
    let halfway = halfway(n, bits);
    let first = if m <= halfway {
        Matrix::of_quotient(pair.step(symbol.as_deref_mut())?)
    } else {
        let first;
        (first, pair) = reduce(pair, halfway, symbol.as_deref_mut())?;
        first
    };
    let (second, last) = reduce(pair, bits, symbol)?;
    Ok((first.times(second)?, last))
}

/// Numbers of up to this many bits go to Lehmer's algorithm. Two limbs cannot be cut.
fn leaf_bits(tuning: &Tuning) -> u64 {
    64 * tuning.gcd_leaf_limbs.max(3) as u64
}

/// The number of bits at which the first half of n − bits bits ends.
fn halfway(n: u64, bits: u64) -> u64 {
    n - ((n - bits) / 2).min(n / 4)
}

/// The number of low limbs to drop from numbers of n bits of which n − bits are to be taken off. At
/// least 2·(n − bits) + 64 bits remain above.
fn cut(n: u64, bits: u64) -> u64 {
    n.saturating_sub(2 * (n - bits) + GUARD) / 64 * 64
}

/// M and (c, d) as `reduce` returns them, from the quotients of the parts of the pair above 2^k.
fn leading_part(
    pair: &Pair,
    k: u64,
    bits: u64,
    mut symbol: Option<&mut Symbol>,
) -> Result<(Matrix, Pair)> {
    let top = Pair {
        c: limbs::shr(&pair.c, k)?,
        d: limbs::shr(&pair.d, k)?,
    };
    let (mut matrix, top) = reduce(top, bits - k, symbol.as_deref_mut())?;
    let low = Pair {
        c: limbs::low(&pair.c, k)?,
        d: limbs::low(&pair.d, k)?,
    };
    let low = matrix.undo(&low)?;
    let mut next = Pair {
        c: limbs::add(&limbs::shl(&top.c, k)?, &low.c)?,
        d: limbs::add(&limbs::shl(&top.d, k)?, &low.d)?,
    };
    correct_remainders(&mut matrix, &mut next, bits, symbol)?;
    Ok((matrix, next))
}

/// Undoes quotients until (c, d) are Euclid's remainders and c ≥ 2^bits, then makes steps until d <
/// 2^bits.
fn correct_remainders(
    matrix: &mut Matrix,
    pair: &mut Pair,
    bits: u64,
    mut symbol: Option<&mut Symbol>,
) -> Result<()> {
    let mut m = loop {
        let (sign_d, m) = limbs::size(&pair.d)?;
        if matrix.is_identity() {
            break m;
        }
        let (sign_c, n) = limbs::size(&pair.c)?;
        let ordered = sign_c > 0
            && sign_d > 0
            && (n > m || n == m && limbs::compare(&pair.c, &pair.d)?.is_gt());
        if ordered && n > bits {
            break m;
        }
        let q = matrix.take_back()?;
        if let Some(symbol) = &mut symbol {
            symbol.pop(modulo_4(&q)?);
        }
        let c = limbs::add(&mul(&q, &pair.c)?, &pair.d)?;
        pair.d = std::mem::replace(&mut pair.c, c);
    };
    while m > bits {
        let q = pair.step(symbol.as_deref_mut())?;
        matrix.append(&q)?;
        m = bits_of(&pair.d)?;
    }
    Ok(())
}
