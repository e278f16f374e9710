//! Numbers as arguments: a literal, an expression, `random:BITS[:SEED]`, `@file`, or `-` for stdin.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use bezout::{Error, Int};

use crate::calc::Program;
use crate::failure::Failure;
use crate::ranks;

/// The text after a byte-order mark in front of it, which editors on Windows write. Every reader of
/// files and of standard input skips it so.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Reads arguments; knows whether stdin is spent.
#[derive(Debug, Default)]
pub struct Reader {
    stdin_read: bool,
}

impl Reader {
    /// The text an argument stands for: what stdin holds for `-`, else itself.
    pub fn text<'a>(&mut self, argument: &'a str) -> Result<Cow<'a, str>, Failure> {
        if argument != "-" {
            return Ok(Cow::Borrowed(argument));
        }
        if std::mem::replace(&mut self.stdin_read, true) {
            return Err(Failure::bad_input(
                "'-' is given twice: standard input can be read once",
            ));
        }
        let mut bytes = Vec::new();
        // The launcher gives it to the first rank.
        if ranks::current().is_first() {
            io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| {
                    Failure::bad_input(format!("cannot read standard input: {error}"))
                })?;
        }
        ranks::current().broadcast(0, &mut bytes);
        let text = String::from_utf8(bytes).map_err(|error| {
            let position = error.utf8_error().valid_up_to();
            Failure::bad_input(format!("standard input is not text at position {position}"))
        })?;
        let text = without_mark(&text).to_string();
        if text.trim().is_empty() {
            return Err(Failure::bad_input(
                "standard input is empty: a number was expected",
            ));
        }
        Ok(Cow::Owned(text))
    }

    /// The number an argument stands for.
    pub fn number(&mut self, argument: &str) -> Result<Int, Failure> {
        let text = self.text(argument)?;
        let value = Program::compile(&text).and_then(|program| program.whole());
        value.map_err(|failure| {
            if argument != "-" && Path::new(argument).is_file() {
                failure.hint(format!(
                    "the number in the file '{argument}' is @{argument}"
                ))
            } else {
                failure
            }
        })
    }
}

/// The number that is the whole of a file, with blanks around it.
pub fn from_file(path: &Path) -> Result<Int, Failure> {
    let name = path.display();
    let bytes = fs::read(path)
        .map_err(|error| Failure::bad_input(format!("cannot read '{name}': {error}")))?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let position = error.valid_up_to();
        Failure::bad_input(format!("'{name}' is not text at position {position}"))
    })?;
    let text = without_mark(text);
    let start = text.len() - text.trim_start().len();
    let literal = text.trim();
    if literal.is_empty() {
        return Err(Failure::bad_input(format!(
            "'{name}' is empty: a number was expected"
        )));
    }
    literal.parse().map_err(|error| match error {
        Error::Parse { position, reason } => {
            let position = start + position;
            Failure::from(Error::Parse { position, reason })
                .in_source(format_args!("'{name}'"))
                .at(text, position..position)
        }
        other => Failure::from(other).in_source(format_args!("'{name}'")),
    })
}
