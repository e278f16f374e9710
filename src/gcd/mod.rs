//! Greatest common divisors and Bézout's cofactors.
//!
//! ```text
//!   engine      0 ............ gcd_host_limbs ............................................ all of memory
//!   Cpu         | the floor: binary | half: half-GCD over this crate's products                        |
//!   Cuda        | on the host       | half, windows below gcd_device_limbs on the host | lattice       |
//!                                                                              gcd_lattice_limbs
//!   Auto        on the device where the operands are, or from gcd_auto_device_limbs on; else on the CPU
//! ```

pub(crate) mod accelerated;
mod algorithm;
pub(crate) mod competitors;
mod extended;
mod half;
mod host;
mod inverse;
pub(crate) mod lattice;
#[cfg(test)]
mod tests;
pub(crate) mod weber;

pub use algorithm::{Algorithm, Stats};
use extended::Certificate;
pub(crate) use extended::{extended_gcd, extended_gcd_by, lcm, rational_reconstruction};
pub(crate) use inverse::mod_inverse;
pub use weber::{Count as WeberCount, Options as WeberOptions};

use std::cmp::Ordering;

use crate::number::Integer;

use crate::div::{self, magnitude};
use crate::engine::{self, Engine, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::{host_only, sum_of_products};
use crate::progress;
use crate::tuning::Tuning;

/// g = gcd(a, b) ≥ 0; gcd(0, 0) = 0.
pub(crate) fn gcd(a: &Resident, b: &Resident) -> Result<Resident> {
    if let Some([x, y]) = limbs::short([a, b]) {
        return Ok(Integer::from(x.gcd(y)).into());
    }
    Ok(gcd_by(a, b, Algorithm::Auto)?.0)
}

/// g = gcd(a, b) ≥ 0 by this algorithm, and its statistics.
pub(crate) fn gcd_by(
    a: &Resident,
    b: &Resident,
    algorithm: Algorithm,
) -> Result<(Resident, Stats)> {
    gcd_with(a, b, algorithm, weber::Options::default())
}

/// Jacobi's symbol (a/n) of a > 0 and odd n > 0, from the half-GCD's quotients.
pub(crate) fn jacobi(a: &Resident, n: &Resident) -> Result<i32> {
    let bits = [limbs::size(a)?.1, limbs::size(n)?.1];
    let (x, y, lower_is_second) = match limbs::compare(a, n)? {
        Ordering::Less => (n, a, false),
        // (n/n) is 0, except that (1/1) is 1.
        Ordering::Equal => return Ok(i32::from(bits[0] == 1)),
        Ordering::Greater => (a, n, true),
    };
    let [least, most] = [bits[0].min(bits[1]), bits[0].max(bits[1])];
    progress::stage("Jacobi symbol", least, |stage| {
        placed(of_lattices(Work::gcd(most)), a, n, most, || {
            half::jacobi(x, y, lower_is_second, |bits| stage.advance(bits))
        })
    })
}

/// g = gcd(a, b) ≥ 0 by Weber's algorithm with moduli of the caller's choice, and its statistics.
pub(crate) fn gcd_by_weber(
    a: &Resident,
    b: &Resident,
    options: weber::Options,
) -> Result<(Resident, Stats)> {
    gcd_with(a, b, Algorithm::Weber, options)
}

fn gcd_with(
    a: &Resident,
    b: &Resident,
    algorithm: Algorithm,
    options: weber::Options,
) -> Result<(Resident, Stats)> {
    if algorithm == Algorithm::Host {
        host_only("gcd by the host")?;
        return by_host(a, b);
    }
    let sizes = [limbs::size(a)?, limbs::size(b)?];
    let [(_, m), (_, n)] = sizes;
    // Short numbers are computed before any choice, so that they do not pay for it.
    let host_bits = 64 * Tuning::in_force().gcd_host_limbs as u64;
    if algorithm == Algorithm::Auto && m.max(n) <= host_bits {
        engine::check()?;
        return by_host(a, b);
    }
    if algorithm == Algorithm::Auto
        && let Some(found) = without_twos(a, b)?
    {
        return Ok(found);
    }
    let run = |advance: Advance<'_>| {
        placed(work_of(algorithm, m.max(n)), a, b, m.max(n), || {
            of_ordered_pair([a, b], sizes, algorithm, |a, b, n| {
                of_ordered(a, b, n, algorithm, options, advance)
            })
        })
    };
    match algorithm {
        Algorithm::Auto | Algorithm::Half | Algorithm::Lattice => {
            progress::stage("gcd", m.min(n), |stage| run(&|bits| stage.advance(bits)))
        }
        // The other algorithms do not know their progress.
        _ => run(&|_| Ok(())),
    }
}

/// gcd(a, b) = 2^min(x, y)·gcd(a/2^x, b/2^y) for the largest powers 2^x and 2^y that divide a and
/// b. None if neither x nor y exceeds a limb: the algorithms handle that without a shift.
fn without_twos(a: &Resident, b: &Resident) -> Result<Option<(Resident, Stats)>> {
    let (Some(x), Some(y)) = (limbs::scan_set(a, 0)?, limbs::scan_set(b, 0)?) else {
        return Ok(None);
    };
    if x.max(y) < 64 {
        return Ok(None);
    }
    let (g, stats) = gcd_by(&limbs::shr(a, x)?, &limbs::shr(b, y)?, Algorithm::Auto)?;
    Ok(Some((limbs::shl(&g, x.min(y))?, stats)))
}

/// gcd(a, b) of any numbers, given with their signs and bits. Calls `gcd` only if an algorithm is
/// needed, with x > y > 0 that have the same gcd, and the bits of y.
pub(crate) fn of_ordered_pair(
    [a, b]: [&Resident; 2],
    [(sign_a, m), (sign_b, n)]: [(i32, u64); 2],
    algorithm: Algorithm,
    gcd: impl FnOnce(Resident, Resident, u64) -> Result<(Resident, Stats)>,
) -> Result<(Resident, Stats)> {
    let (a, b) = (magnitude(a, sign_a, m)?, magnitude(b, sign_b, n)?);
    match ordered((a, m), (b, n))? {
        Ordered::Known(gcd) => Ok((gcd, Stats::of_shortcut(algorithm))),
        Ordered::Pair(a, b, n) => gcd(a, b, n),
    }
}

/// A callback that gets the number of bits that were taken off the operands.
type Advance<'a> = &'a (dyn Fn(u64) -> Result<()> + Sync);

/// The operands of an algorithm.
enum Ordered {
    /// No algorithm is needed: the numbers are equal, or one is 0 or divides the other.
    Known(Resident),
    /// a > b > 0, and the bits of b.
    Pair(Resident, Resident, u64),
}

/// Handles zeros and numbers of very different lengths, for a, b ≥ 0 given with their bits. If one
/// has over a quarter more bits than the other, it is replaced by its remainder.
fn ordered(a: (Resident, u64), b: (Resident, u64)) -> Result<Ordered> {
    let ((mut a, m), (mut b, mut n)) = match limbs::compare(&a.0, &b.0)? {
        Ordering::Less => (b, a),
        Ordering::Equal => return Ok(Ordered::Known(a.0)),
        Ordering::Greater => (a, b),
    };
    if n > 0 && m > n + n / 4 + 64 {
        let rest = div::remainder(&a, &b)?;
        (a, n) = (b, limbs::size(&rest)?.1);
        b = rest.narrow(n);
    }
    Ok(match n {
        0 => Ordered::Known(a),
        _ => Ordered::Pair(a, b, n),
    })
}

/// gcd(a, b) for a > b > 0, b of n bits, under an engine that is not `Auto`.
fn of_ordered(
    a: Resident,
    b: Resident,
    n: u64,
    algorithm: Algorithm,
    options: weber::Options,
    advance: Advance<'_>,
) -> Result<(Resident, Stats)> {
    match algorithm {
        Algorithm::Auto if n <= 64 * Tuning::in_force().gcd_host_limbs as u64 => by_host(&a, &b),
        Algorithm::Auto if suits_lattices(n) => lattice::gcd(&a, &b, advance),
        Algorithm::Auto | Algorithm::Half => half::gcd(&a, &b, advance),
        Algorithm::Host => by_host(&a, &b),
        Algorithm::Weber => weber::gcd(&a, &b, options),
        Algorithm::Accelerated => accelerated::gcd(&a, &b),
        Algorithm::Lattice => lattice::gcd(&a, &b, advance),
    }
}

/// Whether the current device computes the gcd of numbers of n bits by lattices.
fn suits_lattices(n: u64) -> bool {
    let least = 64 * Tuning::in_force().gcd_lattice_limbs as u64;
    matches!(Engine::current(), Engine::Cuda(_)) && n >= least
}

/// Describes the gcd of numbers of up to `bits` bits for the choice of an engine. An algorithm that
/// was requested by name runs on the requested engine, however short the numbers.
fn work_of(algorithm: Algorithm, bits: u64) -> Work {
    match algorithm {
        Algorithm::Auto => of_lattices(Work::gcd(bits)),
        _ => Work::gcd(bits).launched(),
    }
}

/// Work that `auto` does by lattices and products on a device.
fn of_lattices(work: Work) -> Work {
    work.needing(
        |(limbs, _), tuning| lattice::needed(64 * limbs.next_power_of_two(), tuning),
        (work.size(), 0),
    )
}

/// Runs `work` on a and b of up to `bits` bits on one engine throughout.
fn placed<T: Send>(
    kind: Work,
    a: &Resident,
    b: &Resident,
    bits: u64,
    work: impl Fn() -> Result<T> + Send + Sync,
) -> Result<T> {
    engine::run(
        kind,
        [a.residence(), b.residence()],
        || {
            Engine::Cpu.scope(|| {
                if bits >= PARALLEL_BITS {
                    // Enter the pool once, so that every product finds its threads awake.
                    engine::join(&work, || ()).0
                } else {
                    work()
                }
            })
        },
        |device| Engine::Cuda(device.info().ordinal).scope(&work),
    )
}

/// From here on the CPU engine runs on the threads of its pool.
const PARALLEL_BITS: u64 = 1 << 16;

fn by_host(a: &Resident, b: &Resident) -> Result<(Resident, Stats)> {
    Engine::Cpu.note_used();
    let g = Integer::from(a.host()?.gcd(b.host()?));
    Ok((g.into(), Stats::of(Algorithm::Host)))
}

/// Checks the certificate that g = gcd(a, b): g ≥ 0 divides both, and s·a + t·b = g, so every
/// common divisor divides g.
pub(crate) fn verify(
    a: &Resident,
    b: &Resident,
    g: &Resident,
    s: &Resident,
    t: &Resident,
) -> Result<()> {
    let refuted = |what: &str| Err(Error::Verification(format!("gcd: {what}")));
    Engine::Cpu.scope(|| {
        if limbs::size(g)?.0 < 0 {
            return refuted("g is negative");
        }
        if !div::is_multiple(a, g)? {
            return refuted("g does not divide the first operand");
        }
        if !div::is_multiple(b, g)? {
            return refuted("g does not divide the second operand");
        }
        if limbs::compare(&sum_of_products(&[(s, a), (t, b)])?, g)?.is_ne() {
            return refuted("s·a + t·b is not g");
        }
        Ok(())
    })
}
