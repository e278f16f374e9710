//! Expressions on standard input: an answer for each line, as soon as the line is there.

use std::io::{self, BufRead, BufReader};

use serde::Serialize;

use super::answer::Answer;
use super::session::Session;
use crate::args::{Calc, Global};
use crate::failure::Failure;
use crate::number::without_mark;
use crate::output;

/// The object that `--json` prints for several lines.
#[derive(Serialize)]
struct Record {
    command: &'static str,
    answers: Vec<Line>,
}

/// What came of a line.
#[derive(Serialize)]
struct Line {
    line: u64,
    #[serde(flatten)]
    result: Outcome,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Answer(Answer),
    Error { expression: String, error: String },
}

/// Answers the lines of standard input. A line that fails is an error with its number; the others
/// are answered all the same, and the exit code is that of the first failure. The answer of a line
/// that ends with ';' is not printed, unless that line is the last.
pub fn run(options: &Calc, global: &Global) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut session = Session::new();
    let (mut lines, mut first_failure, mut withheld) = (Vec::new(), None, None);
    let (mut number, mut bytes) = (0, Vec::new());
    let mut is_empty = true;
    while !output::reader_is_gone() {
        bytes.clear();
        let length = input
            .read_until(b'\n', &mut bytes)
            .map_err(|error| Failure::bad_input(format!("cannot read standard input: {error}")))?;
        if length == 0 {
            break;
        }
        number += 1;
        let result = match std::str::from_utf8(&bytes) {
            Ok(text) => {
                let text = if number == 1 {
                    without_mark(text)
                } else {
                    text
                };
                if is_blank(text) {
                    continue;
                }
                Answer::of(text, &mut session, options, global)
            }
            Err(error) => Err(Failure::bad_input(format!(
                "standard input is not text at position {}",
                error.valid_up_to()
            ))),
        };
        (is_empty, withheld) = (false, None);
        let result = match result {
            Ok(answer) if global.json => Outcome::Answer(answer),
            Ok(answer) if bytes.trim_ascii_end().ends_with(b";") => {
                withheld = Some(answer);
                continue;
            }
            Ok(answer) => {
                answer.print()?;
                continue;
            }
            Err(failure) => {
                first_failure.get_or_insert(failure.code());
                let text = String::from_utf8_lossy(&bytes);
                let error = failure.message().to_string();
                failure.in_source(format_args!("line {number}")).print();
                Outcome::Error {
                    expression: text.trim().to_string(),
                    error,
                }
            }
        };
        if global.json {
            lines.push(Line {
                line: number,
                result,
            });
        }
    }
    if is_empty {
        return Err(Failure::bad_input(
            "standard input is empty: an expression was expected",
        ));
    }
    if let Some(answer) = withheld {
        answer.print()?;
    }
    if global.json {
        print_json(lines)?;
    }
    first_failure.map_or(Ok(()), |code| Err(Failure::said(code)))
}

/// Whether a line holds no expression: it is empty or a comment.
pub fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// A single answer is the object that the expression as an argument gives. A single failure has
/// been said, and has no object.
fn print_json(mut lines: Vec<Line>) -> Result<(), Failure> {
    if lines.len() > 1 {
        return output::json(&Record {
            command: "calc",
            answers: lines,
        });
    }
    match lines.pop().map(|line| line.result) {
        Some(Outcome::Answer(answer)) => super::print_json(&answer),
        _ => Ok(()),
    }
}
