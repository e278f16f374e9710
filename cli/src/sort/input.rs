//! Files and standard input: their bytes, and the numbers of text, one to a line.

use std::fs;
use std::io::{self, ErrorKind, Read};

use super::decimal::Mistake;
use crate::failure::Failure;
use crate::number::without_mark;

/// The name of an input for messages, and its bytes.
pub type Contents = (String, Vec<u8>);

/// What is in a file or on stdin, and what to call it.
pub fn contents(file: &str) -> Result<Contents, Failure> {
    if file == "-" {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::bad_input(format!("cannot read standard input: {error}")))?;
        return Ok(("standard input".into(), bytes));
    }
    let bytes = fs::read(file).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::NotFound => "there is no such file".into(),
            ErrorKind::IsADirectory => "it is a directory".into(),
            ErrorKind::PermissionDenied => "permission denied".into(),
            _ => error.to_string(),
        };
        Failure::bad_input(format!("cannot read '{file}': {reason}"))
    })?;
    Ok((format!("'{file}'"), bytes))
}

/// What is in all of these files.
pub fn all_contents(files: &[String]) -> Result<Vec<Contents>, Failure> {
    if files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Failure::bad_input(
            "'-' is given twice: standard input can be read once",
        ));
    }
    files.iter().map(|file| contents(file)).collect()
}

/// Inputs that are text.
#[derive(Debug)]
pub struct Texts(Vec<(String, String)>);

impl Texts {
    pub fn new(inputs: Vec<Contents>) -> Result<Texts, Failure> {
        let texts = inputs.into_iter().map(|(name, bytes)| {
            let text = String::from_utf8(bytes).map_err(|error| not_text(&name, &error))?;
            Ok((name, text))
        });
        Ok(Texts(texts.collect::<Result<_, Failure>>()?))
    }

    /// The text of every number, without the blanks around it.
    pub fn numbers(&self) -> Vec<&str> {
        let all = self.0.iter().flat_map(|(_, text)| numbered(text));
        all.map(|(_, number)| number).collect()
    }

    /// A failure that names the file and the line of the number at `place` in `numbers`.
    pub fn refuse(&self, place: usize, mistake: Mistake) -> Failure {
        let mut all = self.0.iter().flat_map(|(name, text)| {
            let lines = numbered(text);
            lines.map(move |(line, number)| (name.as_str(), line, number))
        });
        let (name, line, number) = all.nth(place).unwrap_or_default();
        Failure::bad_input(format!("{name}, line {line}: {}", mistake.reason))
            .at(number, mistake.span)
            .hint(mistake.hint)
    }
}

/// The numbers of a text, each with its line. A byte-order mark in front does not count, and
/// neither does what follows a '#'.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = without_mark(text).lines();
    let lines = lines.map(|line| {
        line.split_once('#')
            .map_or(line, |(number, _)| number)
            .trim()
    });
    let lines = (1..).zip(lines);
    lines.filter(|(_, line)| !line.is_empty())
}

fn not_text(name: &str, error: &std::string::FromUtf8Error) -> Failure {
    let bytes = error.as_bytes();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Failure::bad_input(format!("{name}: the text is in UTF-16"))
            .hint("save it as UTF-8, for instance with 'iconv -f UTF-16 -t UTF-8'");
    }
    let before = &bytes[..error.utf8_error().valid_up_to()];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    Failure::bad_input(format!("{name}, line {line}: not text"))
        .hint("raw words need --binary and --type")
}
