//! Cofactors, least common multiples and rational reconstruction.
//!
//! Half-GCDs give (a, b) = M·(g, 0) as a product M = M1·M2·…·Mk of matrices of Euclid's quotients,
//! det M = ±1. So g = det M·(m11·a − m01·b): only the second column is needed, and
//! M1·(M2·(…·(Mk·(0, 1)))) has it with the short ones multiplied first. As a = m00·g and m00 =
//! q·m01 + … with the last quotient q ≥ 2 (it is where a > b), m01 ≤ a/2g, and m11 ≤ b/2g alike;
//! equality only for a = 2g with M = [[2, 1], [1, 0]] and for b = 2g with m11 = 1 and an even
//! number of quotients. Those are GMP's cofactors.

use std::cmp::Ordering;

use crate::number::Integer;

use super::half::{self, Matrix, Pair, bits_of};
use super::{Advance, Algorithm, Stats, lattice};
use crate::cuda;
use crate::div::{self, magnitude, signed};
use crate::engine::{self, Engine, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::{check_product, host_only, mul};
use crate::progress;
use crate::tuning::Tuning;

/// (g, s, t) with g = gcd(a, b) ≥ 0 and s·a + t·b = g.
///
/// The cofactors are GMP's: |s| < |b|/2g and |t| < |a|/2g, which makes them unique, except that
/// |a| = |b| gives s = 0, t = sgn b; b = 0 or |b| = 2g gives s = sgn a; a = 0 or |a| = 2g gives
/// t = sgn b.
pub(crate) fn extended_gcd(a: &Resident, b: &Resident) -> Result<Certificate> {
    if let Some([x, y]) = limbs::short([a, b]) {
        let (g, s, t) = x.extended_gcd(y);
        return Ok((Integer::from(g).into(), s.into(), t.into()));
    }
    Ok(extended_gcd_by(a, b, Algorithm::Auto)?.0)
}

/// g, s and t.
pub(super) type Certificate = (Resident, Resident, Resident);

/// g, s and t of `extended_gcd` by this algorithm, and its statistics. Only `Half` and `Host` find
/// cofactors. If another algorithm is requested, it finds g, half-GCDs find the cofactors, and both
/// must agree on g.
pub(crate) fn extended_gcd_by(
    a: &Resident,
    b: &Resident,
    algorithm: Algorithm,
) -> Result<(Certificate, Stats)> {
    match algorithm {
        Algorithm::Auto => {
            let longest = limbs::size(a)?.1.max(limbs::size(b)?.1);
            if longest > 64 * Tuning::in_force().gcd_extended_limbs as u64 {
                return by_matrices(a, b, algorithm);
            }
            engine::check()?;
            Ok((by_host(a, b)?, Stats::of(Algorithm::Host)))
        }
        Algorithm::Host => {
            host_only("gcd by the host")?;
            Ok((by_host(a, b)?, Stats::of(Algorithm::Host)))
        }
        Algorithm::Half => by_matrices(a, b, algorithm),
        Algorithm::Weber | Algorithm::Accelerated | Algorithm::Lattice => {
            let (g, stats) = super::gcd_by(a, b, algorithm)?;
            let (certificate, _) = by_matrices(a, b, Algorithm::Half)?;
            if limbs::compare(&g, &certificate.0)?.is_ne() {
                let reason = format!("gcd: {algorithm} and {} disagree", Algorithm::Half);
                return Err(Error::Verification(reason));
            }
            Ok((certificate, stats))
        }
    }
}

fn by_host(a: &Resident, b: &Resident) -> Result<Certificate> {
    Engine::Cpu.note_used();
    let (g, s, t) = a.host()?.extended_gcd(b.host()?);
    Ok((Integer::from(g).into(), s.into(), t.into()))
}

/// Finds cofactors by half-GCDs. With `Auto` and long operands on a device, finds them by lattices.
fn by_matrices(a: &Resident, b: &Resident, algorithm: Algorithm) -> Result<(Certificate, Stats)> {
    let ((sign_a, m), (sign_b, n)) = (limbs::size(a)?, limbs::size(b)?);
    let run = |advance: Advance<'_>| {
        let work = match algorithm {
            Algorithm::Auto => super::of_lattices(Work::cofactors(m.max(n))),
            _ => Work::cofactors(m.max(n)).launched(),
        };
        super::placed(work, a, b, m.max(n), || {
            let (x, y) = (magnitude(a, sign_a, m)?, magnitude(b, sign_b, n)?);
            let ((g, s, t), stats) = match limbs::compare(&x, &y)? {
                Ordering::Greater => of_ordered(&x, &y, algorithm, advance)?,
                Ordering::Less => {
                    let ((g, t, s), stats) = of_ordered(&y, &x, algorithm, advance)?;
                    ((g, s, t), stats)
                }
                Ordering::Equal => (
                    (
                        x,
                        Integer::ZERO.into(),
                        Integer::from(u8::from(n > 0)).into(),
                    ),
                    Stats::of(Algorithm::Half),
                ),
            };
            Ok(((g, signed(s, sign_a)?, signed(t, sign_b)?), stats))
        })
    };
    let units = (DOWN + UP).saturating_mul(m.max(n));
    progress::stage("gcd", units, |stage| run(&|units| stage.advance(units)))
}

/// Units of progress per bit on the way down to g, and on the way back to the cofactors, about in
/// proportion to their costs.
const DOWN: u64 = 3;
const UP: u64 = 1;

/// g, s and t of `extended_gcd` for a > b ≥ 0, and the statistics.
fn of_ordered(
    a: &Resident,
    b: &Resident,
    algorithm: Algorithm,
    advance: Advance<'_>,
) -> Result<(Certificate, Stats)> {
    let least = 64 * Tuning::in_force().gcd_cofactor_limbs as u64;
    if let (Algorithm::Auto, Engine::Cuda(ordinal)) = (algorithm, Engine::current())
        && let (m, n) = (limbs::size(a)?.1, limbs::size(b)?.1)
        && n >= least
        && m <= n + n / 4
    {
        let device = cuda::device(ordinal)?;
        let advance = |bits: u64| advance((DOWN + UP) * bits);
        if let Some((found, steps)) = lattice::extended(a, b, &device, &advance)? {
            let mut stats = Stats::of(Algorithm::Lattice);
            stats.iterations = Some(steps);
            return Ok((found, stats));
        }
    }
    let mut stats = Stats::of(Algorithm::Half);
    let mut matrices = Vec::new();
    let g = half::descend(a, b, half::Rest::Matrix, |matrix, taken| {
        matrices.push((matrix, taken));
        advance(DOWN * taken)
    })?;
    stats.iterations = Some(matrices.len() as u64);
    let (mut column, mut odd) = ([Integer::ZERO.into(), Integer::ONE.into()], false);
    for (matrix, taken) in matrices.into_iter().rev() {
        let [x, y] = &column;
        column = matrix.apply([x, y])?;
        odd ^= matrix.odd;
        advance(UP * taken)?;
    }
    let [m01, m11] = column;
    let sign = if odd { -1 } else { 1 };
    Ok(((g, signed(m11, sign)?, signed(m01, -sign)?), stats))
}

/// The least common multiple, ≥ 0; lcm(a, 0) = 0.
pub(crate) fn lcm(a: &Resident, b: &Resident) -> Result<Resident> {
    if let Some([x, y]) = limbs::short([a, b]) {
        return Ok(Integer::from(x.magnitude().lcm(y.magnitude())).into());
    }
    check_product("lcm", a.bits_bound().saturating_add(b.bits_bound()))?;
    let g = super::gcd(a, b)?;
    if bits_of(&g)? == 0 {
        return Ok(g);
    }
    limbs::abs(&mul(&div::div_exact(a, &g)?, b)?)
}

/// The fraction r/t with r ≡ t·u (mod m), |r| ≤ numerator, 0 < t ≤ denominator and gcd(r, t) = 1,
/// for 0 ≤ u < m. There is at most one if 2·numerator·denominator < m, which the caller must
/// ensure.
///
/// Wang's algorithm: with (m, u) = M·(c, d), d = ±(m00·u − m10·m). If the fraction exists, it is
/// d/±m00 for the first remainder d ≤ numerator.
pub(crate) fn rational_reconstruction(
    u: &Resident,
    m: &Resident,
    numerator: &Resident,
    denominator: &Resident,
) -> Result<Option<(Resident, Resident)>> {
    if limbs::size(m)?.0 <= 0 || limbs::size(numerator)?.0 < 0 || limbs::size(denominator)?.0 <= 0 {
        return Err(Error::Domain(
            "rational reconstruction needs a positive modulus and bounds".into(),
        ));
    }
    let room = limbs::shl(&mul(numerator, denominator)?, 1)?;
    if !limbs::compare(&room, m)?.is_lt() {
        return Err(Error::Domain(
            "rational reconstruction needs 2·numerator·denominator < modulus".into(),
        ));
    }
    let (_, u) = div::div_rem_rounded(u, m, div::Rounding::Euclid)?;
    let bits = bits_of(numerator)?;
    let work = super::work_of(Algorithm::Auto, bits_of(m)?);
    let found = super::placed(work, &u, m, bits_of(m)?, || {
        let (mut matrix, mut pair) = half::reduce(
            Pair {
                c: m.clone(),
                d: u.clone(),
            },
            bits,
            None,
        )?;
        while limbs::compare(&pair.d, numerator)?.is_gt() {
            let q = pair.step(None)?;
            matrix.append(&q)?;
        }
        let Matrix {
            entries: [[t, _], _],
            odd,
        } = matrix;
        if limbs::compare(&t, denominator)?.is_gt() {
            return Ok(None);
        }
        Ok(Some((signed(pair.d, if odd { -1 } else { 1 })?, t)))
    })?;
    let Some((r, t)) = found else {
        return Ok(None);
    };
    let reduced = bits_of(&super::gcd(&r, &t)?)? == 1;
    Ok(reduced.then_some((r, t)))
}
