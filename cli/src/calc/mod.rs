//! `bezout calc`: evaluates an expression.

mod apply;
mod functions;
mod program;
mod syntax;
#[cfg(test)]
mod tests;

pub use functions::FUNCTIONS;
pub use program::{Outcome, Program};

use std::time::Instant;

use bezout::Engine;
use bezout::model::Tuning;
use serde::Serialize;

use crate::args::{Calc, Global};
use crate::failure::Failure;
use crate::number::Reader;
use crate::output;

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    expression: &'a str,
    value: &'a str,
    bits: u64,
    sign: i32,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

/// Runs the command.
pub fn run(options: &Calc, global: &Global) -> Result<(), Failure> {
    let text = Reader::default().text(&options.expression)?;
    let program = Program::compile(&text)?;
    let start = Instant::now();
    let outcome = output::watch(global, "computing", || program.run())?;
    let seconds = start.elapsed().as_secs_f64();
    if global.verify {
        let how = output::watch(global, "verifying", || verify(&program, &outcome))?;
        output::remark(global, &format!("verified: {how}"));
    }
    let value = output::watch(global, "printing", || {
        output::digits(&outcome.value, options.hex)
    })?;
    if !global.json {
        return output::text(&value);
    }
    output::json(&Record {
        command: "calc",
        expression: text.trim(),
        value: &value,
        bits: outcome.value.bit_length(),
        sign: outcome.value.signum(),
        engine: outcome.engine.to_string(),
        seconds,
        verified: global.verify.then_some(true),
    })
}

/// Runs the program a second time, elsewhere or otherwise, and says how.
fn verify(program: &Program, first: &Outcome) -> Result<String, Failure> {
    let (second, how) = match first.engine {
        Engine::Cuda(_) => (Engine::Cpu.scope(|| program.run())?, "on the CPU"),
        _ => {
            let again = || Tuning::MINIMAL.scope(|| program.run());
            (
                Engine::Cpu.scope(again)?,
                "on the CPU with other thresholds",
            )
        }
    };
    // On the host, by limbs: a comparison of numbers may run on a device.
    let same_sign = first.value.is_negative() == second.value.is_negative();
    if same_sign && first.value.try_limbs()? == second.value.try_limbs()? {
        return Ok(format!("the same number was computed again {how}"));
    }
    Err(Failure::failed(format!(
        "verification failed: engine {} gave a number of {} bits, computing again {how} gave another of {} bits",
        first.engine,
        first.value.bit_length(),
        second.value.bit_length(),
    )))
}
