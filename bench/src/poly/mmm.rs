//! `mmm-table1`, `mmm-table2` and `mmm-division`: sections 3, 5 and 6 of Haque, Moreno Maza and
//! Xie: plain products, Euclid's algorithm and division with their parameter s. The paper's times
//! beside ours, and how many times faster than the first s each s is: there, here, by Corollary 1,
//! and by the calibrated model of this machine.

use bezout::engine::EXECUTOR;
use bezout::poly::Modulus;
use bezout::{Engine, Poly, Result};
use bezout_lab::model::{Machine, probe};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::work::PRIME;
use crate::Error;
use crate::measure::{self, Clock};
use crate::model::paper::{
    TABLE_1, TABLE_1_STEPS, TABLE_2, TABLE_2_STEPS, division_ratios, euclid_ratios, product_ratios,
};
use crate::session::Session;

/// Milliseconds.
pub const TIME: &str = "ms";
/// Time with the first s over time with s, measured.
pub const RATIO: &str = "ratio";
/// The same by Corollary 1.
pub const BOUND: &str = "Corollary 1";
/// The same as the calibrated model predicts it.
pub const CALIBRATED: &str = "calibrated";

/// One s, and the paper's seconds with it.
type Step = (u64, Option<f64>);

/// One of the paper's algorithms on all sizes.
struct Experiment {
    /// Coefficients of both operands, and what s is to be; the first is what the others are
    /// compared with.
    rows: Vec<(u64, u64, Vec<Step>)>,
    plain: fn(&Poly, &Poly, u32) -> Result<Vec<Poly>>,
    /// The same by the library's own algorithm.
    fast: fn(&Poly, &Poly) -> Result<Vec<Poly>>,
    /// What the model says of the first s over s: by Corollary 1, and as calibrated.
    model: fn(&Machine, u64, u64, u64) -> [f64; 2],
    /// Whether the device has it queued when the call returns.
    queued: bool,
}

/// Table 1.
pub fn products(session: &mut Session) -> Result<(), Error> {
    let row = |(n, m, times): (u64, u64, [f64; 4])| {
        let steps = TABLE_1_STEPS.into_iter().zip(times.map(Some));
        (n, m, steps.collect())
    };
    run(
        session,
        Experiment {
            rows: TABLE_1.map(row).to_vec(),
            plain: |a, b, s| Ok(vec![a.try_plain_mul(b, s)?]),
            fast: |a, b| Ok(vec![a.try_mul(b)?]),
            model: |machine, n, m, s| product_ratios(machine, n, m, s).map(|ratio| 1.0 / ratio),
            queued: true,
        },
    )
}

/// Table 2, with one s more that does better here.
pub fn euclid(session: &mut Session) -> Result<(), Error> {
    let row = |(n, m, [naive, by_steps]): (u64, u64, [f64; 2])| {
        let steps = [
            (1, Some(naive)),
            (64, None),
            (TABLE_2_STEPS, Some(by_steps)),
        ];
        (n, m, steps.to_vec())
    };
    run(
        session,
        Experiment {
            rows: TABLE_2.map(row).to_vec(),
            plain: |a, b, s| Ok(vec![a.try_plain_gcd(b, s)?]),
            fast: |a, b| Ok(vec![a.try_gcd(b)?]),
            model: |machine, n, m, s| match s {
                1 => [1.0; 2],
                s => euclid_ratios(machine, n, m, s),
            },
            queued: false,
        },
    )
}

/// Section 3, of which the paper has ratios and no times.
pub fn division(session: &mut Session) -> Result<(), Error> {
    let steps = [1, 16, 32, 64, 128, 256, 512].map(|s| (s, None)).to_vec();
    run(
        session,
        Experiment {
            rows: [1000, 2000, 4000, 8000]
                .map(|m| (2 * m, m, steps.clone()))
                .to_vec(),
            plain: |a, b, s| {
                let (q, r) = a.try_plain_div_rem(b, s)?;
                Ok(vec![q, r])
            },
            fast: |a, b| {
                let (q, r) = a.try_div_rem(b)?;
                Ok(vec![q, r])
            },
            model: |machine, n, m, s| match s {
                1 => [1.0; 2],
                s => division_ratios(machine, n, m, s),
            },
            queued: false,
        },
    )
}

fn run(session: &mut Session, mut experiment: Experiment) -> Result<(), Error> {
    let rows = &mut experiment.rows;
    match &session.target {
        // The executor's threads are no threads: sizes that show that all is there.
        Some(target) if target.ordinal == EXECUTOR => {
            rows.truncate(2);
            for (n, m, steps) in rows {
                (*n, *m) = (*n / 16, *m / 16);
                steps.iter_mut().for_each(|(_, paper)| *paper = None);
            }
        }
        Some(_) if session.record.quick => rows.truncate(3),
        _ => {}
    }
    session.expect(experiment.rows.len() + 1);
    session.step("probing".into());
    let machine = match &session.target {
        Some(target) => Some(probe(target.engine)?),
        None => None,
    };
    if let Some(machine) = &machine {
        session.record.notes.push(format!(
            "Coefficients modulo {PRIME}; U = {:.0} operations an access.",
            machine.u()
        ));
    }
    for (n, m, steps) in &experiment.rows {
        session.step(format!("{n}, {m}"));
        let pair = Pair::new(session, &experiment, *n, *m)?;
        let mut first = None;
        for (s, paper) in steps {
            let here = pair.measured(session, &experiment, *s as u32)?;
            let (paper_first, here_first) = *first.get_or_insert((*paper, here));
            let over = |first: Option<f64>, this: Option<f64>| Some(first? / this?);
            let model = machine.as_ref().map(|x| (experiment.model)(x, *n, *m, *s));
            let figure = format!("{n}, {m}");
            for (quantity, paper, here) in [
                (TIME, paper.map(|t| 1e3 * t), here.map(|t| 1e3 * t)),
                (RATIO, over(paper_first, *paper), over(here_first, here)),
                (BOUND, None, model.map(|x| x[0])),
                (CALIBRATED, None, model.map(|x| x[1])),
            ] {
                session.reproduce(&figure, quantity, *s as f64, paper, here);
            }
        }
    }
    Ok(())
}

/// Operands, on the device under test if there is one, and the answer.
struct Pair {
    a: Poly,
    b: Poly,
    wanted: Vec<Poly>,
}

impl Pair {
    fn new(session: &Session, experiment: &Experiment, n: u64, m: u64) -> Result<Pair, Error> {
        let p = Modulus::new(PRIME)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(n + m);
        let [a, b] = [n, m].map(|len| Poly::random(len as usize, p, &mut rng));
        let wanted = Engine::Cpu.scope(|| (experiment.fast)(&a, &b))?;
        if let Some(target) = &session.target {
            a.try_to_device(target.ordinal)?;
            b.try_to_device(target.ordinal)?;
        }
        Ok(Pair { a, b, wanted })
    }

    /// Seconds with s on the device under test, checked; none without one.
    fn measured(
        &self,
        session: &Session,
        experiment: &Experiment,
        s: u32,
    ) -> Result<Option<f64>, Error> {
        let Some(target) = &session.target else {
            return Ok(None);
        };
        let mut plain = || (experiment.plain)(&self.a, &self.b, s);
        let clock = if experiment.queued {
            Clock::Events(&target.device)
        } else {
            Clock::Synchronized(&target.device)
        };
        let (time, found) = target.engine.scope(|| {
            // Kernels are compiled.
            plain()?;
            measure::time_kept(&session.effort, clock, &mut plain)
        })?;
        match found {
            Some(found) if found != self.wanted => Err(Error::Verification {
                operation: format!("the plain algorithm with s = {s}"),
                engine: target.engine.to_string(),
                bits: super::COEFFICIENT_BITS * self.a.len() as u64,
                oracle: "the library's own algorithm on the CPU".into(),
            }),
            _ => Ok(Some(time.median)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tested_engines;

    #[test]
    fn papers_values_and_ours() {
        for engine in tested_engines() {
            let on_device = engine != Engine::Cpu;
            for (body, rows, steps) in [
                (products as fn(&mut Session) -> _, 9, 4),
                (euclid, 9, 3),
                (division, 4, 7),
            ] {
                let mut session = engine.scope(|| Session::begin("mmm", true, true).unwrap());
                Result::<(), Error>::unwrap(body(&mut session));
                let record = session.finish();
                let rows = if on_device { 2 } else { rows };
                assert_eq!(record.reproduced.len(), rows * steps * 4);
                for entry in &record.reproduced {
                    assert_eq!(entry.here.is_some_and(|x| x > 0.0), on_device, "{entry:?}");
                }
                // The first s over itself.
                for entry in record.reproduced.iter().skip(1).take(3) {
                    let values = [entry.here, entry.paper].into_iter().flatten();
                    values.for_each(|x| assert!((x - 1.0).abs() < 1e-9, "{entry:?}"));
                }
            }
        }
    }
}
