//! `programs`: whole programs as a user writes them, under `auto`, on the CPU and on a device.
//!
//! None of them says where to compute. What a program gives is checked once by itself, and must be
//! the same on every engine.

mod plain;

use std::time::Instant;

use bezout::{Engine, Int};

use crate::Error;
use crate::contenders::keep_best;
use crate::measure;
use crate::record::{ClockKind, Measurement, Timing};
use crate::session::{DEFINITION, Session, refuted};

/// A program: its name, what its size counts, how it runs, and whether what it gives is right.
struct Program {
    name: &'static str,
    run: fn(u64) -> Vec<Int>,
    is_right: fn(u64, &[Int]) -> bool,
    /// Sizes of a quick run and of a full one.
    quick: u64,
    full: &'static [u64],
}

static ALL: [Program; 6] = [
    Program {
        name: "pi, digits",
        run: plain::pi,
        is_right: plain::is_pi,
        quick: 1000,
        full: &[1_000_000, 10_000_000, 100_000_000],
    },
    Program {
        name: "e, digits",
        run: plain::e,
        is_right: plain::is_e,
        quick: 1000,
        full: &[1_000_000, 10_000_000],
    },
    Program {
        name: "factorial, of n",
        run: plain::factorial,
        is_right: plain::is_factorial,
        quick: 1000,
        full: &[1_000_000, 10_000_000],
    },
    Program {
        name: "Lucas-Lehmer, exponent",
        run: plain::lucas_lehmer,
        is_right: plain::is_mersenne_residue,
        quick: 521,
        full: &[21_701],
    },
    Program {
        name: "determinant, rows",
        run: plain::determinant,
        is_right: plain::is_determinant,
        quick: 8,
        full: &[250],
    },
    Program {
        name: "RSA keys, bits",
        run: plain::rsa_keys,
        is_right: plain::are_rsa_keys,
        quick: 256,
        full: &[2048, 4096],
    },
];

/// Turns of each engine, the best of which stands; one where a turn takes this many seconds.
const TURNS: usize = 5;
const LONG_SECONDS: f64 = 4.0;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let device = session.target.as_ref().map(|target| target.engine);
    let mut engines = vec![Engine::Cpu];
    engines.extend(device);
    engines.push(Engine::Auto);
    let quick = session.record.quick;
    let sizes = |program: &'static Program| {
        if quick {
            std::slice::from_ref(&program.quick)
        } else {
            program.full
        }
    };
    session.expect(ALL.iter().map(|program| sizes(program).len()).sum());
    for program in &ALL {
        for size in sizes(program) {
            session.step(format!("{} {size}", program.name));
            on_engines(session, program, *size, &engines)?;
        }
    }
    Ok(())
}

fn on_engines(
    session: &mut Session,
    program: &Program,
    size: u64,
    engines: &[Engine],
) -> Result<(), Error> {
    let mut known: Option<Vec<Int>> = None;
    let mut times: Vec<(Engine, Timing)> = Vec::new();
    let turns = if session.record.quick { 1 } else { TURNS };
    for turn in 0..turns {
        let mut longest = 0.0f64;
        for engine in engines {
            // Kernels are compiled and a device is woken before.
            if turn == 0 && *engine != Engine::Cpu {
                under(*engine, || (program.run)(size));
            }
            let began = Instant::now();
            let given = under(*engine, || (program.run)(size));
            let seconds = began.elapsed().as_secs_f64();
            longest = longest.max(seconds);
            let time = measure::summary(ClockKind::Host, vec![seconds]);
            keep_best(&mut times, *engine, time);
            let name = engine.to_string();
            match &known {
                Some(known) if *known == given => {}
                Some(_) => return Err(refuted(program.name, &name, size, "cpu")),
                None if (program.is_right)(size, &given) => known = Some(given),
                None => return Err(refuted(program.name, &name, size, DEFINITION)),
            }
        }
        if longest > LONG_SECONDS {
            break;
        }
    }
    for (engine, time) in times {
        let measured = Measurement::alone(program.name, engine.to_string(), size, time, &[]);
        session.record.measurements.push(measured);
    }
    Ok(())
}

/// Runs a program under an engine on all of its threads: a scope would be this thread's alone.
fn under(engine: Engine, program: impl Fn() -> Vec<Int>) -> Vec<Int> {
    let before = Engine::current();
    engine.set_default();
    let given = engine.scope(program);
    before.set_default();
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_right_on_the_cpu() {
        let mut session = Engine::Cpu.scope(|| Session::begin("programs", true, true).unwrap());
        run(&mut session).unwrap();
        let record = session.finish();
        assert_eq!(record.measurements.len(), 2 * ALL.len());
    }

    #[test]
    fn what_is_wrong_is_seen() {
        for program in &ALL {
            let mut given = (program.run)(program.quick);
            assert!(
                (program.is_right)(program.quick, &given),
                "{}",
                program.name
            );
            let last = given.pop().unwrap();
            given.push(last + 1);
            assert!(
                !(program.is_right)(program.quick, &given),
                "{}",
                program.name
            );
        }
    }
}
