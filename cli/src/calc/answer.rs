//! A line's answer: computed, verified where that is asked for, and put into words.

use std::time::Instant;

use bezout::measure::Tuning;
use bezout::{Engine, Int};
use serde::Serialize;

use super::functions::Layout;
use super::program::{Outcome, Program};
use super::session::Session;
use super::value::Value;
use crate::args::{Calc, Global};
use crate::failure::Failure;
use crate::{interrupt, output};

/// An answer; `--json` prints its fields.
#[derive(Debug, Serialize)]
pub struct Answer {
    expression: String,
    /// What is printed as text.
    pub value: String,
    /// Each number of an answer that has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    /// Of the numerator, where the value is a fraction.
    bits: u64,
    sign: i32,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
    /// Whether a terminal may shorten it.
    #[serde(skip)]
    pub may_be_cut: bool,
}

impl Answer {
    /// Computes one line. The session then keeps its variables and its answer; a line that fails
    /// changes nothing.
    pub fn of(
        text: &str,
        session: &mut Session,
        options: &Calc,
        global: &Global,
    ) -> Result<Answer, Failure> {
        // Reading a long number takes time too.
        let program = interrupt::until_interrupt(|| Program::line(text, session))?;
        let start = Instant::now();
        let outcome = output::watch(global, "computing", || program.run())?;
        let seconds = start.elapsed().as_secs_f64();
        if global.verify {
            let how = output::watch(global, "verifying", || verify(&program, &outcome))?;
            output::remark(global, &format!("verified: {how}"));
        }
        let (value, values) = output::watch(global, "printing", || written(&outcome, options.hex))?;
        let answer = Answer {
            expression: text.trim().to_string(),
            value,
            values,
            bits: outcome.value.numerator().bit_length(),
            sign: outcome.value.numerator().signum(),
            engine: outcome.engine.to_string(),
            seconds,
            verified: global.verify.then_some(true),
            may_be_cut: outcome.layout == Layout::Digits,
        };
        session.keep(outcome);
        Ok(answer)
    }
}

impl Answer {
    /// Prints it as text. A line that defines a function has none.
    pub fn print(&self) -> Result<(), Failure> {
        if self.value.is_empty() {
            return Ok(());
        }
        output::text(&self.value)
    }
}

/// The text of an outcome, and that of each number where there are several.
fn written(outcome: &Outcome, hex: bool) -> Result<(String, Option<Vec<String>>), Failure> {
    let radix = match outcome.layout {
        Layout::Radix(radix) => radix,
        _ if hex => 16,
        _ => 10,
    };
    if outcome.layout == Layout::Base {
        let base = outcome.others.first().and_then(Value::whole);
        let base = base.and_then(|base| u32::try_from(base).ok());
        let value = outcome.value.whole().unwrap_or(&Int::ZERO);
        return Ok((value.try_to_string_radix(base.unwrap_or(0))?, None));
    }
    let text = |value: &Value| match value {
        Value::Whole(value) => output::digits_in(value, radix),
        Value::Fraction(parts) => {
            let over = output::digits_in(&parts.0, radix)?;
            Ok(format!("{over}/{}", output::digits_in(&parts.1, radix)?))
        }
    };
    let first = text(&outcome.value)?;
    let others = outcome.others.iter().map(text);
    let others: Vec<String> = others.collect::<Result<_, Failure>>()?;
    Ok(match outcome.layout {
        Layout::Row => {
            let values = [vec![first], others].concat();
            (values.join(" "), Some(values))
        }
        Layout::Factors => {
            let line = others.iter().fold(format!("{first}:"), |line, factor| {
                format!("{line} {factor}")
            });
            (line, Some(others))
        }
        Layout::Digits | Layout::Whole | Layout::Radix(_) | Layout::Base => (first, None),
        Layout::Nothing => (String::new(), None),
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
    if first.value == second.value && first.others == second.others {
        return Ok(format!("the same number was computed again {how}"));
    }
    Err(Failure::failed(format!(
        "verification failed: engine {} gave a number of {} bits, \
         computing again {how} gave another of {} bits",
        first.engine,
        first.value.numerator().bit_length(),
        second.value.numerator().bit_length(),
    )))
}
