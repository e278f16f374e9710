//! What is to be factored: the arguments, or the lines of standard input as they come.

use std::io::{self, BufRead, BufReader};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use bezout::Int;

use super::is_interrupted;
use crate::calc::Program;
use crate::failure::Failure;

/// Most texts that are worked on at a time, and that are read ahead.
pub const BATCH: usize = 1 << 20;
/// Texts that the reading thread hands over at a time.
const HANDFUL: usize = 1 << 12;

/// One number's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its line in the input, from 1 on; none for an argument.
    pub line: Option<u64>,
    pub text: String,
}

/// What an entry stands for.
#[derive(Debug)]
pub enum Number {
    Word(u128),
    Large(Int),
    Bad(String),
}

impl Entry {
    /// Its value: digits, or an expression.
    pub fn number(&self) -> Number {
        if let Some(word) = word(&self.text) {
            return Number::Word(word);
        }
        let value = Program::compile(&self.text).and_then(|program| Ok(program.run()?.value));
        match value {
            Err(failure) => Number::Bad(failure.message().to_string()),
            Ok(value) if value < 1 => Number::Bad(format!(
                "{} has no factorisation: a number from 1 on was expected",
                match value.is_zero() {
                    true => "0",
                    false => "a negative number",
                }
            )),
            Ok(value) => match u128::try_from(&value) {
                Ok(word) => Number::Word(word),
                Err(_) => Number::Large(value),
            },
        }
    }

    /// Whether it is plainly a number of at most 128 bits, without a look at its value.
    pub fn is_short(&self) -> bool {
        let digits = self.text.trim().as_bytes();
        digits.len() < 39 && digits.iter().all(u8::is_ascii_digit)
    }

    /// Where it stands, for messages.
    pub fn place(&self) -> String {
        let shown: String = self.text.trim().chars().take(60).collect();
        match self.line {
            Some(line) => format!("line {line}"),
            None => format!("'{shown}'"),
        }
    }
}

/// Plain decimal digits from 1 to 2^128 − 1.
fn word(text: &str) -> Option<u128> {
    let digits = text.trim();
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain
        .then(|| digits.parse().ok())
        .flatten()
        .filter(|n| *n > 0)
}

/// The entries of a line: several numbers with blanks between them, as GNU factor takes them, or one expression; none if it is empty.
pub fn entries(line: u64, text: &str) -> Vec<Entry> {
    let entry = |text: &str| Entry {
        line: Some(line),
        text: text.to_string(),
    };
    let is_number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.iter().all(|word| is_number(word)) {
        true => words.into_iter().map(entry).collect(),
        false => vec![entry(text)],
    }
}

/// Entries in order, in batches.
pub enum Source {
    Arguments(Vec<Entry>),
    Stdin(Receiver<io::Result<Vec<Entry>>>),
}

impl Source {
    /// Arguments, or standard input where there are none or `-` is the only one.
    pub fn new(arguments: &[String]) -> Source {
        if arguments.is_empty() || arguments == ["-"] {
            let (sender, receiver) = sync_channel(BATCH / HANDFUL);
            thread::spawn(move || read(&sender));
            return Source::Stdin(receiver);
        }
        let entry = |text: &String| Entry {
            line: None,
            text: text.clone(),
        };
        Source::Arguments(arguments.iter().map(entry).collect())
    }

    /// What has come in since, at least one entry unless there are no more.
    pub fn batch(&mut self) -> Result<Vec<Entry>, Failure> {
        let receiver = match self {
            Source::Arguments(entries) => return Ok(std::mem::take(entries)),
            Source::Stdin(receiver) => receiver,
        };
        let failed =
            |error: io::Error| Failure::bad_input(format!("cannot read standard input: {error}"));
        // An interrupt must not wait for the next line.
        let first = loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok(first) => break first,
                Err(RecvTimeoutError::Timeout) if !is_interrupted() => {}
                Err(_) => return Ok(Vec::new()),
            }
        };
        let mut entries = first.map_err(failed)?;
        while entries.len() < BATCH
            && let Ok(more) = receiver.try_recv()
        {
            entries.extend(more.map_err(failed)?);
        }
        Ok(entries)
    }
}

/// Reads standard input to its end. What is not text is an entry too, and will be refused by its line.
fn read(sender: &SyncSender<io::Result<Vec<Entry>>>) {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let (mut line, mut bytes, mut handful) = (0, Vec::new(), Vec::new());
    loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            Err(error) => {
                let _ = sender
                    .send(Ok(handful))
                    .and_then(|()| sender.send(Err(error)));
                return;
            }
            Ok(0) => {
                let _ = sender.send(Ok(handful));
                return;
            }
            Ok(_) => {
                line += 1;
                handful.extend(entries(line, &String::from_utf8_lossy(&bytes)));
            }
        }
        // Lines that lie ready come along; for others nobody waits.
        let is_more = handful.len() < HANDFUL && input.buffer().contains(&b'\n');
        if is_more || handful.is_empty() {
            continue;
        }
        if sender.send(Ok(std::mem::take(&mut handful))).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_numbers_or_expressions() {
        let texts = |line: &str| {
            let entries = entries(7, line);
            assert!(entries.iter().all(|entry| entry.line == Some(7)));
            entries.into_iter().map(|e| e.text).collect::<Vec<_>>()
        };
        assert_eq!(texts(""), Vec::<String>::new());
        assert_eq!(texts(" \t\n"), Vec::<String>::new());
        assert_eq!(texts("12 0x1f\n"), ["12", "0x1f"]);
        assert_eq!(texts("2^64 + 1"), ["2^64 + 1"]);
        assert_eq!(texts("-5 abc"), ["-5", "abc"]);
    }

    proptest! {
        /// Whatever a line holds, it is read without a panic, and digits are what they say.
        #[test]
        fn any_line_is_read(line in ".{0,60}") {
            for entry in entries(1, &line) {
                let _ = entry.place();
                if entry.text.len() < 12 && !entry.text.contains(['!', '^', '(', ':', '@', '<', 'e']) {
                    let _ = entry.number();
                }
            }
        }

        #[test]
        fn words_are_read_as_written(n in 1u128.., pad in "[ \t]{0,3}") {
            let entry = Entry { line: None, text: format!("{pad}{n}{pad}") };
            prop_assert!(matches!(entry.number(), Number::Word(word) if word == n));
        }
    }
}
