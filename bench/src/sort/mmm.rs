//! `mmm-sort`: section 4 of Haque, Moreno Maza and Xie: the radix sort as published with s bits a
//! pass, one bit a pass over s of them, beside what the paper's equations and the calibrated model
//! say of this machine.

use bezout::engine::EXECUTOR;
use bezout::sort::{Algorithm, Array, Options};
use bezout_lab::model::mmm::{algorithms, equations};
use bezout_lab::model::{Machine, Predict, Tuning, probe};

use super::word;
use crate::Error;
use crate::measure::{self, Clock};
use crate::session::Session;

/// Where the paper has it.
pub const SECTION: &str = "Section 4";
/// Time with s = 1 over time with s: by Corollary 1 in the paper, measured here.
pub const RATIO: &str = "time";
/// The same ratio as the calibrated model predicts it.
pub const CALIBRATED: &str = "calibrated";
/// Milliseconds.
pub const TIME: &str = "ms";
/// Equation (8).
pub const WORK: &str = "work (8)";
/// Equation (9).
pub const OVERHEAD: &str = "overhead (9)";

/// Bits of the keys.
const BITS: u64 = 32;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let threads = Tuning::current().sort_plain_block;
    let log = match &session.target {
        Some(target) if target.ordinal == EXECUTOR => 11,
        _ if session.record.quick => 20,
        _ => 24,
    };
    session.expect(9);
    session.step("probing".into());
    let machine = match &session.target {
        Some(target) => Some(probe(target.engine)?),
        None => None,
    };
    if let Some(machine) = &machine {
        session.record.notes.push(format!(
            "2^{log} keys of {BITS} bits, blocks of ℓ = {threads} threads; U = {:.0} operations an \
             access.",
            machine.u()
        ));
    }
    let mut first = None;
    for s in 1..=8 {
        session.step(format!("s = {s}"));
        let time = measured(session, s, log)?;
        let all = *first.get_or_insert(time);
        let ratio = all.zip(time).map(|(one, these)| one / these);
        enter(session, &machine, threads, s, log, time, ratio);
    }
    Ok(())
}

/// Seconds of the sort with s bits a pass on the device under test, checked; none without one.
fn measured(session: &Session, s: u32, log: u32) -> Result<Option<f64>, Error> {
    let Some(target) = &session.target else {
        return Ok(None);
    };
    let words: Vec<u32> = (0..1u64 << log).map(|i| word(i) as u32).collect();
    let keys = Array::from(words);
    keys.try_to_device(target.ordinal)?;
    let options = Options::default().algorithm(Algorithm::Plain).bits(s);
    let clock = Clock::Events(&target.device);
    let (time, result) = target
        .engine
        .scope(|| measure::time_kept(&session.effort, clock, &mut || keys.try_sorted(options)))?;
    let mut wanted = keys.try_host()?.to_vec();
    wanted.sort_unstable();
    match result {
        Some(sorted) if sorted.try_host()? != wanted => Err(Error::Verification {
            operation: format!("the plain sort with s = {s}"),
            engine: target.engine.to_string(),
            bits: BITS << log,
            oracle: "the standard library's sort".into(),
        }),
        _ => Ok(Some(time.median)),
    }
}

fn enter(
    session: &mut Session,
    machine: &Option<Machine>,
    threads: u32,
    s: u32,
    log: u32,
    time: Option<f64>,
    ratio: Option<f64>,
) {
    let (x, l) = (f64::from(s), f64::from(threads));
    let seconds = |machine: &Machine, s: u32| {
        machine.predict(&algorithms::sort(1 << log, BITS, s.into(), threads.into()))
    };
    let machine = machine.as_ref();
    let bound = machine.map(|m| equations::sort_time(x, l, m.u()));
    let calibrated = machine.map(|m| seconds(m, 1) / seconds(m, s));
    for (quantity, paper, here) in [
        (TIME, None, time.map(|t| 1e3 * t)),
        (RATIO, bound, ratio),
        (CALIBRATED, None, calibrated),
        (WORK, Some(equations::sort_work(x, l)), None),
        (OVERHEAD, Some(equations::sort_overhead(x, l)), None),
    ] {
        session.reproduce(SECTION, quantity, x, paper, here);
    }
}

#[cfg(test)]
mod tests {
    use bezout::Engine;

    use super::*;
    use crate::session::tested_engines;

    #[test]
    fn predictions_stand_beside_what_is_measured() {
        for engine in tested_engines() {
            let mut session = engine.scope(|| Session::begin("mmm-sort", true, true).unwrap());
            run(&mut session).unwrap();
            let record = session.finish();
            assert_eq!(record.reproduced.len(), 8 * 5);
            for entry in &record.reproduced {
                let device = engine != Engine::Cpu;
                let here = entry.here.is_some_and(|x| x > 0.0);
                let paper = entry.paper.is_some_and(|x| x > 0.0);
                match entry.quantity.as_str() {
                    RATIO => assert_eq!((here, paper), (device, device)),
                    WORK | OVERHEAD => assert!(paper && !here),
                    _ => assert_eq!((here, paper), (device, false)),
                }
                // One bit a pass over itself.
                if entry.x == 1.0 && entry.quantity != TIME {
                    let values = [entry.here, entry.paper].into_iter().flatten();
                    values.for_each(|x| assert!((x - 1.0).abs() < 1e-9, "{entry:?}"));
                }
            }
        }
    }
}
