//! Curves in GMP-ECM's notation: a parametrisation and sigma. Stage 1 gives the same points as
//! GMP-ECM's, so that either program can resume the work of the other.
//!
//! | parametrisation | curve | first point |
//! |---|---|---|
//! | 0 | Suyama's: u = σ² − 5, v = 4σ, (a + 2)/4 = (v − u)³(3u + v)/(16u³v) | x = u³/v³ |
//! | 1 | (a + 2)/4 = σ²/2^64 | x = 2 |
//! | 3 | (a + 2)/4 = σ/2^32 | x = 2 |

use crate::error::Result;
use crate::factor::KeepGoing;
use crate::factoring::ecm::gmp_ecm as curves;
use crate::int::Int;
use crate::number::Integer;

/// A curve by GMP-ECM's parametrisation, and the state of its stage 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// 0, 1 or 3.
    pub parametrisation: u8,
    /// From 1 on; 1 and 5 are of no use for parametrisation 0.
    pub sigma: Int,
    /// The bound up to which stage 1 was done to x.
    pub b1: u64,
    /// The point. None means the first point of the curve.
    pub x: Option<Int>,
}

/// The result of a curve.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// A divisor of n above 1, possibly n itself, and the stage that found it.
    pub factor: Option<(Int, u8)>,
    /// x after stage 1. None if stage 1 found a factor, or was stopped before its end.
    pub x: Option<Int>,
}

/// The results of curves that were run together.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcomes {
    /// One for each curve, in order.
    pub curves: Vec<Outcome>,
    /// The seconds that both stages took.
    pub seconds: [f64; 2],
    /// Whether `keep_going` stopped the work.
    pub is_stopped: bool,
}

/// Runs both stages on an odd n > 1, for all curves at once on the host's threads. Stage 2 is
/// skipped if `b2` is at most `b1`, or if stage 1 of any curve found a factor.
pub fn run(
    n: &Int,
    starts: &[Start],
    b1: u64,
    b2: u64,
    keep_going: KeepGoing<'_>,
) -> Result<Outcomes> {
    let integer = |x: &Int| -> Result<Integer> { Ok(x.try_host()?.clone()) };
    let starts = starts.iter().map(|start| {
        Ok(curves::Start {
            parametrisation: start.parametrisation,
            sigma: integer(&start.sigma)?,
            b1: start.b1,
            x: start.x.as_ref().map(integer).transpose()?,
        })
    });
    let starts = starts.collect::<Result<Vec<_>>>()?;
    let done = curves::run(n.try_host()?, &starts, b1, b2, keep_going)?;
    let curves = done.curves.into_iter().map(|curve| Outcome {
        factor: curve.factor.map(|(factor, stage)| (factor.into(), stage)),
        x: curve.x.map(Int::from),
    });
    Ok(Outcomes {
        curves: curves.collect(),
        seconds: done.seconds,
        is_stopped: done.is_stopped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Int {
        text.parse().unwrap()
    }

    fn start(parametrisation: u8, sigma: u64) -> Start {
        Start {
            parametrisation,
            sigma: Int::from(sigma),
            b1: 1,
            x: None,
        }
    }

    /// x after stage 1 with B1 = 1000 as GMP-ECM 7.0.5 saves it.
    #[test]
    fn stage_1_gives_gmp_ecms_points() {
        let n = number("12658227848101265822784810126582278481012658227848101265822784810126583");
        let points = [
            (
                0,
                11,
                "146788efe28b57486c73746609a490daab9b92ad6d00a9f2f6372022867",
            ),
            (
                1,
                12345,
                "15ec4bd4d0f610bf2c85f020b3e614d7e70140faecac510c54130d7b7d6",
            ),
            (
                3,
                987654,
                "1c604ee80c2d9c8f9ccc866e26caf77690361074fa2db6f4f230e4a9dcc",
            ),
        ];
        let starts = points.map(|(parametrisation, sigma, _)| start(parametrisation, sigma));
        let expected = points.map(|(_, _, x)| Some(Int::from_str_radix(x, 16).unwrap()));
        let at_once = run(&n, &starts, 1000, 0, &|| true).unwrap();
        let xs: Vec<Option<Int>> = at_once.curves.into_iter().map(|curve| curve.x).collect();
        assert_eq!(xs, expected);
        // Stage 1 in two steps, to 57 and then to 1000, must give the points of stage 1 at once.
        let half = run(&n, &starts, 57, 0, &|| true).unwrap();
        let middle: Vec<Start> = starts
            .into_iter()
            .zip(half.curves)
            .map(|(start, curve)| Start {
                b1: 57,
                x: curve.x,
                ..start
            })
            .collect();
        let rest = run(&n, &middle, 1000, 0, &|| true).unwrap();
        assert!(rest.curves.iter().map(|curve| &curve.x).eq(&expected));
    }

    /// The factors and stages that GMP-ECM 7.0.5 prints for B1 = 200 and B2 = 10000, one curve at a
    /// time. Its second stage reaches somewhat beyond B2; these curves need no prime beyond.
    #[test]
    fn curves_find_gmp_ecms_factors() {
        let n = number("1000036000099") * number("1000000000000000000000000000057");
        for (parametrisation, sigma, factor, stage) in [
            (0, 12, "1000033", 1),
            (0, 13, "1000003", 1),
            (1, 7, "1000033", 1),
            (1, 8, "1000036000099", 2),
            (1, 9, "1000003", 1),
            (3, 9, "1000036000099", 2),
            (3, 11, "1000033", 2),
        ] {
            let found = run(&n, &[start(parametrisation, sigma)], 200, 10000, &|| true).unwrap();
            let expected = Some((number(factor), stage));
            assert_eq!(
                found.curves[0].factor, expected,
                "{parametrisation}:{sigma}"
            );
        }
    }

    #[test]
    fn what_is_no_curve() {
        let n = number("1000036000099");
        let error = |n: &Int, start: Start| run(n, &[start], 100, 0, &|| true).unwrap_err();
        assert!(
            error(&n, start(2, 7))
                .to_string()
                .contains("parametrisation")
        );
        error(&number("15000"), start(0, 7));
        error(&number("1"), start(0, 7));
        let negative = Start {
            sigma: number("-7"),
            ..start(0, 7)
        };
        error(&n, negative);
        // Denominators without an inverse give a factor: v = 4·sigma.
        let found = run(&n, &[start(0, 1_000_003)], 100, 0, &|| true).unwrap();
        assert_eq!(found.curves[0].factor, Some((number("1000003"), 1)));
        let stopped = run(&n, &[start(0, 7)], 100, 1000, &|| false).unwrap();
        assert!(stopped.is_stopped && stopped.curves[0].x.is_none());
    }
}
