//! Curves in GMP-ECM's notation: a parametrisation and sigma. Stage 1 gives the same points as
//! GMP-ECM's, so that either program can resume the work of the other.
//!
//! | parametrisation | curve | first point |
//! |---|---|---|
//! | 0 | Suyama's: u = σ² − 5, v = 4σ, (a + 2)/4 = (v − u)³(3u + v)/(16u³v) | x = u³/v³ |
//! | 1 | (a + 2)/4 = σ²/2^64 | x = 2 |
//! | 3 | (a + 2)/4 = σ/2^32 | x = 2 |

use std::time::Instant;

use super::montgomery::{Curve, Curves, Point};
use super::plan::{LEAST_B1, Multipliers, Stage2};
use super::residues::{self, Residues, with_residues};
use super::{Group, KeepGoing, check, divisors};
use crate::error::{Error, Result};
use crate::number::{Integer, Natural};

/// A curve by GMP-ECM's parametrisation, and the state of its stage 1.
pub(crate) struct Start {
    /// 0, 1 or 3.
    pub(crate) parametrisation: u8,
    /// From 1 on; 1 and 5 are of no use for parametrisation 0.
    pub(crate) sigma: Integer,
    /// The bound up to which stage 1 was done to x.
    pub(crate) b1: u64,
    /// The point. None means the first point of the curve.
    pub(crate) x: Option<Integer>,
}

/// The result of a curve.
pub(crate) struct Outcome {
    /// A divisor of n above 1, possibly n itself, and the stage that found it.
    pub(crate) factor: Option<(Natural, u8)>,
    /// x after stage 1. None if stage 1 found a factor, or was stopped before its end.
    pub(crate) x: Option<Natural>,
}

/// The results of curves that were run together.
pub(crate) struct Outcomes {
    /// One for each curve, in order.
    pub(crate) curves: Vec<Outcome>,
    /// The seconds that both stages took.
    pub(crate) seconds: [f64; 2],
    /// Whether `keep_going` stopped the work.
    pub(crate) is_stopped: bool,
}

/// Runs both stages on an odd n > 1, for all curves at once on the host's threads. Stage 2 is
/// skipped if `b2` is at most `b1`, or if stage 1 of any curve found a factor.
pub(crate) fn run(
    n: &Integer,
    starts: &[Start],
    b1: u64,
    b2: u64,
    keep_going: KeepGoing<'_>,
) -> Result<Outcomes> {
    let modulus = n.magnitude().clone();
    if *n < 2 || check(&modulus, b1, b2)?.is_none() {
        return Err(Error::Domain(
            "factors are searched of odd numbers above 1".into(),
        ));
    }
    let done = starts.iter().map(|start| start.b1).max().unwrap_or(1);
    if starts.iter().any(|start| start.b1 != done) {
        return Err(Error::Domain("curves at different bounds".into()));
    }
    with_residues!(&modulus, ring => {
        let curves: Result<Vec<_>> = starts.iter().map(|s| curve(&ring, &modulus, s)).collect();
        both_stages(&ring, &modulus, curves?, (done, b1, b2), keep_going)
    })
}

/// A curve, or a divisor of n that one of its denominators has.
type Made<E> = std::result::Result<Curve<E>, Natural>;

fn curve<R: Residues>(ring: &R, n: &Natural, start: &Start) -> Result<Made<R::Element>> {
    let import = |x: &Integer| -> Result<R::Element> {
        if *x < 0 {
            return Err(Error::Domain("sigma and x are not negative".into()));
        }
        Ok(ring.import(&(x.magnitude() % n)))
    };
    let sigma = import(&start.sigma)?;
    let over = |numerator: &R::Element, denominator: &R::Element| {
        let denominator = ring.export(denominator);
        match residues::inverse(&denominator, n) {
            Some(inverse) => Ok(ring.mul(numerator, &ring.import(&inverse))),
            None => Err(denominator.gcd(n)),
        }
    };
    let power_of_2 = |bits: u64| ring.import(&(Natural::power_of_2(bits) % n));
    let made = match start.parametrisation {
        0 => {
            let u = ring.sub(&ring.sqr(&sigma), &ring.small(5));
            let v = ring.mul(&ring.small(4), &sigma);
            let cube = |x: &R::Element| ring.mul(&ring.sqr(x), x);
            let (u3, v3) = (cube(&u), cube(&v));
            let sum = ring.add(&ring.mul(&ring.small(3), &u), &v);
            let numerator = ring.mul(&cube(&ring.sub(&v, &u)), &sum);
            let denominator = ring.mul(&ring.small(16), &ring.mul(&u3, &v));
            let quarter = over(&numerator, &denominator);
            quarter.and_then(|quarter| Ok((quarter, over(&u3, &v3)?)))
        }
        1 => over(&ring.sqr(&sigma), &power_of_2(64)).map(|quarter| (quarter, ring.small(2))),
        3 => over(&sigma, &power_of_2(32)).map(|quarter| (quarter, ring.small(2))),
        other => {
            return Err(Error::Domain(format!(
                "parametrisation {other} of curves: 0, 1 and 3 are known"
            )));
        }
    };
    let given = start.x.as_ref().map(import).transpose()?;
    Ok(made.map(|(quarter, x)| Curve {
        quarter,
        point: Point {
            x: given.unwrap_or(x),
            z: ring.one(),
        },
    }))
}

fn both_stages<R: Residues>(
    ring: &R,
    n: &Natural,
    made: Vec<Made<R::Element>>,
    (done, b1, b2): (u64, u64, u64),
    keep_going: KeepGoing<'_>,
) -> Result<Outcomes> {
    let mut curves = Vec::new();
    let mut outcomes: Vec<Outcome> = Vec::new();
    // The place of each curve that is worked on.
    let mut places = Vec::new();
    for (place, made) in made.into_iter().enumerate() {
        let factor = match made {
            Ok(curve) => {
                curves.push(curve);
                places.push(place);
                None
            }
            Err(divisor) => Some((divisor, 1)),
        };
        outcomes.push(Outcome { factor, x: None });
    }
    let mut group = Curves::new(ring, curves);
    let clock = Instant::now();
    let mut is_stopped = false;
    for multiplier in Multipliers::after(done, b1) {
        if !keep_going() || !group.multiply(&multiplier, keep_going)? {
            is_stopped = true;
            break;
        }
    }
    let mut seconds = [clock.elapsed().as_secs_f64(), 0.0];
    if !is_stopped {
        for (point, place) in group.points().zip(&places) {
            let z = ring.export(&point.z);
            match residues::inverse(&z, n) {
                Some(inverse) => {
                    let x = ring.mul(&point.x, &ring.import(&inverse));
                    outcomes[*place].x = Some(ring.export(&x));
                }
                None => outcomes[*place].factor = Some((z.gcd(n), 1)),
            }
        }
    }
    let has_factor = outcomes.iter().any(|outcome| outcome.factor.is_some());
    if let Some(stage) = Stage2::new(b1.max(LEAST_B1), b2).filter(|_| !has_factor && !is_stopped) {
        let clock = Instant::now();
        group.begin(&stage)?;
        for round in stage.rounds() {
            if !keep_going() || !group.round(&stage, &round, keep_going)? {
                is_stopped = true;
                break;
            }
        }
        for found in divisors(n, group.residues(2)?, 0, 2) {
            let place = places[found.sigma as usize];
            outcomes[place].factor = Some((found.factor, 2));
        }
        seconds[1] = clock.elapsed().as_secs_f64();
    }
    Ok(Outcomes {
        curves: outcomes,
        seconds,
        is_stopped,
    })
}
