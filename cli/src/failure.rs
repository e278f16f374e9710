//! Why a command gave no result: the words for the user and the exit code, decided in one place.

use std::fmt::Display;
use std::io::Write;
use std::ops::Range;

use bezout::Error;

/// The command could not do what was asked, though the input was good.
const FAILED: u8 = 1;
/// The input was bad, or asks for something this machine does not have.
const BAD_INPUT: u8 = 2;

/// Characters of a long expression shown before and after the place of an error.
const EXCERPT: (usize, usize) = (40, 36);

/// Lines of a message that have more characters than this echo long input.
const LONG_LINE: usize = 400;
/// Characters kept at the start and at the end of such a line.
const KEPT: (usize, usize) = (160, 80);

/// A failed command: exit code, message, and where known the place in the expression and a way out.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
    place: Option<String>,
    hint: Option<String>,
}

impl Failure {
    /// Bad input: exit code 2.
    pub fn bad_input(message: impl Into<String>) -> Failure {
        Failure {
            code: BAD_INPUT,
            message: excerpt(message.into()),
            place: None,
            hint: None,
        }
    }

    /// Good input, no result: exit code 1.
    pub fn failed(message: impl Into<String>) -> Failure {
        Failure {
            code: FAILED,
            ..Failure::bad_input(message)
        }
    }

    /// Failures that have been printed already: what is left of them is the exit code.
    pub fn said(code: u8) -> Failure {
        Failure {
            code,
            ..Failure::bad_input("")
        }
    }

    /// Adds what the user can do about it.
    pub fn hint(self, hint: impl Into<String>) -> Failure {
        Failure {
            hint: Some(excerpt(hint.into())),
            ..self
        }
    }

    /// Adds the place in `text` that it is about, unless one is known already.
    pub fn at(self, text: &str, span: Range<usize>) -> Failure {
        let place = self.place.unwrap_or_else(|| place(text, span));
        Failure {
            place: Some(place),
            ..self
        }
    }

    /// Names the file or stream that it is about.
    pub fn in_source(self, source: impl Display) -> Failure {
        Failure {
            message: excerpt(format!("{source}: {}", self.message)),
            ..self
        }
    }

    /// What went wrong, in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The process's exit code.
    pub fn code(&self) -> u8 {
        self.code
    }

    /// Writes it to stderr. A closed stderr is not worth another failure.
    pub fn print(&self) {
        if self.message.is_empty() {
            return;
        }
        let mut text = format!("bezout: error: {}\n", self.message);
        if let Some(place) = &self.place {
            text.push_str(place);
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("bezout: hint: {hint}\n"));
        }
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let failure = Failure {
            code: exit_code(&error),
            ..Failure::bad_input(error.to_string())
        };
        match hint(&error) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// The options and commands that help with an error of the library.
fn hint(error: &Error) -> Option<&'static str> {
    match error {
        Error::NoDevice(_) => {
            Some("'bezout devices' lists what this machine has; '--engine cpu' needs no device")
        }
        Error::Unsupported { .. } => Some("use '--engine auto' or '--engine cpu'"),
        Error::DeviceMemory { .. } => Some("'--engine cpu' computes in the memory of the host"),
        _ => None,
    }
}

/// A message in which the middle of each long line is left out. Messages echo what the user gave,
/// which may be megabytes.
fn excerpt(message: String) -> String {
    if message.len() <= LONG_LINE {
        return message;
    }
    let lines = message.split('\n').map(|line| {
        let count = line.chars().count();
        if count <= LONG_LINE {
            return line.to_string();
        }
        let start: String = line.chars().take(KEPT.0).collect();
        let end: String = line.chars().skip(count - KEPT.1).collect();
        let left_out = count - KEPT.0 - KEPT.1;
        format!("{start}… ({left_out} characters left out) …{end}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The exit code of each of the library's errors.
fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Parse { .. }
        | Error::Radix(_)
        | Error::Format { .. }
        | Error::Domain(_)
        | Error::DivisionByZero
        | Error::NotPrime { .. }
        | Error::Polynomial { .. }
        | Error::TooLarge { .. }
        | Error::NoDevice(_)
        | Error::Unsupported { .. } => BAD_INPUT,
        _ => FAILED,
    }
}

/// The line of `text` that holds `span.start`, cut to an excerpt, and under it carets along `span`.
fn place(text: &str, span: Range<usize>) -> String {
    let boundary = |i: usize| {
        (0..=i.min(text.len()))
            .rev()
            .find(|i| text.is_char_boundary(*i))
    };
    let start = boundary(span.start).unwrap_or(0);
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let visible = |c: char| if c.is_control() { ' ' } else { c };

    let (before, after) = (&text[line_start..start], &text[start..line_end]);
    let cut_start = before
        .char_indices()
        .rev()
        .nth(EXCERPT.0 - 1)
        .map_or(0, |(i, _)| i);
    let cut_end = after
        .char_indices()
        .nth(EXCERPT.1)
        .map_or(after.len(), |(i, _)| i);
    let mut line = String::from("    ");
    if cut_start > 0 {
        line.push('…');
    }
    line.extend(before[cut_start..].chars().map(visible));
    let column = line.chars().count();
    line.extend(after[..cut_end].chars().map(visible));
    if cut_end < after.len() {
        line.push('…');
    }
    let end = boundary(span.end.clamp(start, start + cut_end)).unwrap_or(start);
    let width = text[start..end].chars().count().max(1);
    format!(
        "{}\n{}{}\n",
        line.trim_end(),
        " ".repeat(column),
        "^".repeat(width)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_the_span() {
        assert_eq!(place("1 + foo", 4..7), "    1 + foo\n        ^^^\n");
        assert_eq!(place("1 +", 3..3), "    1 +\n       ^\n");
        assert_eq!(place("é + x\n2", 5..6), "    é + x\n        ^\n");
        assert_eq!(place("1;\n\t2 $ 3", 6..7), "     2 $ 3\n       ^\n");
        assert_eq!(place("", 0..0), "\n    ^\n");
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}x{}", "1".repeat(500), "2".repeat(500));
        let shown = place(&text, 500..501);
        let mut lines = shown.lines();
        let (line, carets) = (lines.next().unwrap(), lines.next().unwrap());
        assert!(line.chars().count() < 90, "{line}");
        let column = carets.find('^').unwrap();
        assert_eq!(line.chars().nth(column), Some('x'));
    }

    #[test]
    fn long_messages_are_cut() {
        let long = format!("unknown name 'é{}z'\nsecond line", "y".repeat(3_000_000));
        let failure = Failure::bad_input(long).in_source("line 7");
        let message = failure.message();
        assert!(message.len() < 2 * LONG_LINE, "{message}");
        assert!(
            message.starts_with("line 7: unknown name 'éyyy"),
            "{message}"
        );
        assert!(message.ends_with("yyyz'\nsecond line"), "{message}");
        let short = "x".repeat(LONG_LINE);
        assert_eq!(Failure::bad_input(short.as_str()).message(), short);
    }

    #[test]
    fn errors_of_engines_name_the_option() {
        let errors = [
            Error::NoDevice("no driver".into()),
            Error::Unsupported {
                operation: "it",
                engine: "cuda:0".into(),
            },
            Error::DeviceMemory {
                needed: 2,
                available: 1,
                limit: 1,
            },
        ];
        for error in errors {
            let failure = Failure::from(error);
            assert!(!failure.message().contains("--"), "{failure:?}");
            assert!(failure.hint.as_ref().unwrap().contains("--engine cpu"));
        }
    }

    #[test]
    fn exit_codes() {
        let missing = Error::NoDevice("nothing here".into());
        assert_eq!(Failure::from(missing).code(), 2);
        assert_eq!(Failure::from(Error::DivisionByZero).code(), 2);
        assert_eq!(Failure::from(Error::Verification("no".into())).code(), 1);
        let memory = Error::DeviceMemory {
            needed: 2,
            available: 1,
            limit: 1,
        };
        assert_eq!(Failure::from(memory).code(), 1);
        let memory = Error::Memory {
            what: "it",
            needed: 2,
            available: 1,
            limit: "ulimit -v",
        };
        assert_eq!(Failure::from(memory).code(), 1);
    }
}
