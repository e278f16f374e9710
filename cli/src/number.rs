//! Numbers as arguments: a literal, an expression, `random:BITS[:SEED]`, `@file`, or `-` for stdin.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use bezout::{Error, Int};

use crate::calc::Program;
use crate::failure::Failure;
use crate::{interrupt, ranks};

/// The text after a byte-order mark in front of it, which editors on Windows write. Every reader of
/// files and of standard input skips it so.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Lines of a file that is no number in which numbers are looked for.
const LINES_LOOKED_AT: usize = 10;

/// How often a source without new bytes asks whether work must stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// Everything that a source holds. An interrupt does not wait for a pipe or a terminal: the thread
/// that reads is left behind.
fn all_of(mut source: impl Read + Send + 'static) -> io::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let read_all = move || {
        let mut bytes = Vec::new();
        let read = source.read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    };
    thread::Builder::new().spawn(read_all)?;
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(bytes) => return bytes,
            Err(_) if interrupt::verdict().is_break() => {
                return Err(io::Error::other(Error::Cancelled));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the reader has ended"));
            }
        }
    }
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
            bytes = all_of(io::stdin()).map_err(|error| {
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

/// The texts of a line. What follows a '#' does not count. Commas outside brackets separate texts,
/// and so do blanks between numbers, as GNU factor takes them.
pub fn texts(line: &str) -> Vec<&str> {
    let line = line.split('#').next().unwrap_or_default();
    let mut depth = 0u32;
    let parts = line.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let is_number = |text: &&str| {
        let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
        let is_digit = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'-';
        !digits.is_empty() && digits.iter().all(is_digit)
    };
    let mut texts = Vec::new();
    for part in parts {
        let words: Vec<&str> = part.split_whitespace().collect();
        if words.iter().all(is_number) {
            texts.extend(words);
        } else {
            texts.push(part.trim());
        }
    }
    texts
}

/// The file of a list that an argument names: `@FILE`, or `FILE` where that is no number.
pub fn list(argument: &str) -> Option<&str> {
    if let Some(name) = argument.strip_prefix('@')
        && Path::new(name).exists()
    {
        return Some(name);
    }
    let is_file = Path::new(argument).is_file() && Program::compile(argument).is_err();
    is_file.then_some(argument)
}

/// A file that is opened when it is first read.
struct Late(PathBuf, Option<File>);

impl Read for Late {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_none() {
            self.1 = Some(File::open(&self.0)?);
        }
        self.1.as_mut().map_or(Ok(0), |file| file.read(buffer))
    }
}

/// The text of a file, without a byte-order mark.
pub fn text_of(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    // A pipe may have no writer yet, and then opening it waits too.
    let is_pipe = fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
    let bytes = if is_pipe && interrupt::is_listened_for() {
        all_of(Late(path.to_path_buf(), None))
    } else {
        fs::read(path)
    };
    let bytes =
        bytes.map_err(|error| Failure::bad_input(format!("cannot read '{name}': {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        Failure::bad_input(format!("'{name}' is not text at position {position}"))
    })?;
    Ok(match without_mark(&text) {
        rest if rest.len() < text.len() => rest.to_string(),
        _ => text,
    })
}

/// The number that is the whole of a file, with blanks around it.
pub fn from_file(path: &Path) -> Result<Int, Failure> {
    let name = path.display();
    let text = &text_of(path)?[..];
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
            let failure = Failure::from(Error::Parse { position, reason })
                .in_source(format_args!("'{name}'"))
                .at(text, position..position);
            let is_number = |text: &str| text.parse::<Int>().is_ok();
            let mut words = text.lines().take(LINES_LOOKED_AT).flat_map(texts);
            if words.next().is_some_and(is_number) && words.next().is_some_and(is_number) {
                failure.hint("the file holds several numbers: gcd and factor take FILE alone")
            } else {
                failure
            }
        }
        other => Failure::from(other).in_source(format_args!("'{name}'")),
    })
}
