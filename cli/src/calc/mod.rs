//! `bezout calc`: evaluates an expression, the lines of standard input, or what is typed.

mod answer;
mod apply;
mod compile;
mod control;
mod functions;
mod help;
mod lines;
mod machine;
mod names;
mod program;
mod session;
mod syntax;
mod terminal;
#[cfg(test)]
mod tests;
mod theory;
mod value;

pub use names::{list as list_functions, usage_of};
pub use program::Program;

use serde::Serialize;
use serde_json::json;

use crate::args::{Calc, Global};
use crate::failure::Failure;
use crate::{interrupt, output};
use answer::Answer;
use session::Session;

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    #[serde(flatten)]
    answer: &'a Answer,
}

/// Runs the command.
pub fn run(options: &Calc, global: &Global) -> Result<(), Failure> {
    // Words that the shell took apart are one expression.
    let expression = options.expression.join(" ");
    match (!options.expression.is_empty()).then_some(expression.as_str()) {
        None if terminal::is_there() && !global.json => terminal::run(options, global),
        None | Some("-") => lines::run(options, global),
        Some(text) => {
            if let Some(help) = help::asked(text, &Session::new()) {
                return if global.json {
                    output::json(&json!({ "command": "calc", "help": help }))
                } else {
                    output::text(&help)
                };
            }
            // Where interrupts cannot be handled, one ends the process.
            let _ = interrupt::listen(None);
            let answer = Answer::of(text, &mut Session::new(), options, global);
            let answer = answer.map_err(interrupt::or_interrupted)?;
            if global.json {
                print_json(&answer)
            } else {
                answer.print()
            }
        }
    }
}

fn print_json(answer: &Answer) -> Result<(), Failure> {
    output::json(&Record {
        command: "calc",
        answer,
    })
}
