//! What is to be factored: arguments, and the lines of files and of standard input as they come.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use bezout::{Error, Int, progress};

use crate::calc::Program;
use crate::failure::Failure;
use crate::interrupt;
use crate::number::{list, texts, without_mark};

/// Most texts that are worked on at a time, and that are read ahead.
pub const BATCH: usize = 1 << 20;
/// Texts that the reading thread hands over at a time.
const HANDFUL: usize = 1 << 12;

/// One number's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file; none for an argument and for standard input.
    pub file: Option<Arc<str>>,
    /// Its line in the file or in standard input, from 1 on; none for an argument.
    pub line: Option<u64>,
    pub text: String,
    /// Why there is no text.
    pub problem: Option<String>,
}

/// What an entry stands for.
#[derive(Debug)]
pub enum Number {
    Word(u128),
    Large(Int),
    Bad(String),
    /// It was not computed in the time that there is for it.
    Late,
}

impl Entry {
    fn argument(text: &str) -> Entry {
        Entry {
            file: None,
            line: None,
            text: text.to_string(),
            problem: None,
        }
    }

    /// Its value, digits or an expression, and the time that it took to compute. With a timeout,
    /// it is computed in that time or not at all.
    pub fn number(&self, timeout: Option<Duration>) -> (Number, Duration) {
        if let Some(word) = word(&self.text) {
            return (Number::Word(word), Duration::ZERO);
        }
        let start = Instant::now();
        let is_over = move || {
            interrupt::is_requested() || timeout.is_some_and(|timeout| start.elapsed() >= timeout)
        };
        let observer = move |_| {
            if is_over() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        (progress::scope(observer, || self.value()), start.elapsed())
    }

    fn value(&self) -> Number {
        if let Some(problem) = &self.problem {
            return Number::Bad(problem.clone());
        }
        let value = Program::compile(&self.text).and_then(|program| program.whole());
        let is_cancelled =
            |failure: &Failure| failure.message().ends_with(&Error::Cancelled.to_string());
        match value {
            Err(failure) if is_cancelled(&failure) => Number::Late,
            Err(failure) => Number::Bad(failure.message().to_string()),
            Ok(value) if value < 1 => Number::Bad(format!(
                "{} has no factorisation: a number from 1 on was expected",
                if value.is_zero() {
                    "0"
                } else {
                    "a negative number"
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
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("'{file}', line {line}"),
            (Some(file), None) => format!("'{file}'"),
            (None, Some(line)) => format!("line {line}"),
            (None, None) => format!("'{shown}'"),
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

/// Entries in order, in batches: of the arguments, or of standard input where there are none.
pub struct Source(Receiver<Vec<Entry>>);

impl Source {
    pub fn new(arguments: &[String]) -> Source {
        let (sender, receiver) = sync_channel(BATCH / HANDFUL);
        let mut arguments = arguments.to_vec();
        if arguments.is_empty() {
            arguments.push("-".to_string());
        }
        thread::spawn(move || Reading::new(sender).all(&arguments));
        Source(receiver)
    }

    /// What has come in since, at least one entry unless there are no more.
    pub fn batch(&mut self) -> Vec<Entry> {
        // An interrupt must not wait for the next line.
        let mut entries = loop {
            match self.0.recv_timeout(Duration::from_millis(100)) {
                Ok(first) => break first,
                Err(RecvTimeoutError::Timeout) if !interrupt::is_requested() => {}
                Err(_) => return Vec::new(),
            }
        };
        while entries.len() < BATCH
            && let Ok(more) = self.0.try_recv()
        {
            entries.extend(more);
        }
        entries
    }
}

/// The thread that reads.
struct Reading {
    sender: SyncSender<Vec<Entry>>,
    handful: Vec<Entry>,
    stdin_read: bool,
}

impl Reading {
    fn new(sender: SyncSender<Vec<Entry>>) -> Reading {
        Reading {
            sender,
            handful: Vec::new(),
            stdin_read: false,
        }
    }

    /// Reads all arguments in turn, until nobody wants more. What cannot be read is an entry too,
    /// with its problem.
    fn all(mut self, arguments: &[String]) {
        for argument in arguments {
            if argument == "-" && std::mem::replace(&mut self.stdin_read, true) {
                self.problem(None, "standard input can be read once".to_string());
            } else if argument == "-" {
                self.lines(None, &mut io::stdin().lock());
            } else if let Some(name) = list(argument) {
                match File::open(name) {
                    Ok(mut file) => self.lines(Some(name.into()), &mut file),
                    Err(error) => self.problem(Some(name.into()), format!("cannot read: {error}")),
                }
            } else {
                self.handful.push(Entry::argument(argument));
            }
        }
        self.hand_over();
    }

    fn problem(&mut self, file: Option<Arc<str>>, problem: String) {
        self.handful.push(Entry {
            file,
            problem: Some(problem),
            ..Entry::argument("-")
        });
    }

    /// Reads lines to their end. What is not text will be refused by its line.
    fn lines(&mut self, file: Option<Arc<str>>, input: &mut dyn Read) {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let (mut line, mut bytes) = (0, Vec::new());
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Err(error) => return self.problem(file, format!("cannot read: {error}")),
                Ok(0) => return,
                Ok(_) => line += 1,
            }
            let text = String::from_utf8_lossy(&bytes);
            let text = if line == 1 {
                without_mark(&text)
            } else {
                &text[..]
            };
            self.handful
                .extend(texts(text).into_iter().map(|text| Entry {
                    file: file.clone(),
                    line: Some(line),
                    ..Entry::argument(text)
                }));
            // Lines that lie ready come along; for others nobody waits.
            let is_more = self.handful.len() < HANDFUL && input.buffer().contains(&b'\n');
            if !is_more && !self.handful.is_empty() && !self.hand_over() {
                return;
            }
        }
    }

    /// Whether anyone wants more.
    fn hand_over(&mut self) -> bool {
        self.sender.send(std::mem::take(&mut self.handful)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_numbers_or_expressions() {
        assert_eq!(texts(""), Vec::<&str>::new());
        assert_eq!(texts(" \t,\r\n"), Vec::<&str>::new());
        assert_eq!(texts("# 12"), Vec::<&str>::new());
        assert_eq!(texts("12 0x1f\n"), ["12", "0x1f"]);
        assert_eq!(texts("2^64 + 1"), ["2^64 + 1"]);
        assert_eq!(texts("-5 abc"), ["-5", "abc"]);
        assert_eq!(texts("12,13, 14 15 # 16\r\n"), ["12", "13", "14", "15"]);
        assert_eq!(texts("gcd(12, 18), 2 - 1,"), ["gcd(12, 18)", "2 - 1"]);
    }

    proptest! {
        /// Whatever a line holds, it is read without a panic, and digits are what they say.
        #[test]
        fn any_line_is_read(line in ".{0,60}") {
            for entry in texts(&line).into_iter().map(Entry::argument) {
                let _ = entry.place();
                let is_plain = !entry.text.contains(['!', '^', '(', ':', '@', '<', 'e']);
                if entry.text.len() < 12 && is_plain {
                    let _ = entry.number(None);
                }
            }
        }

        #[test]
        fn words_are_read_as_written(n in 1u128.., pad in "[ \t]{0,3}") {
            let entry = Entry::argument(&format!("{pad}{n}{pad}"));
            prop_assert!(matches!(entry.number(None).0, Number::Word(word) if word == n));
        }
    }
}
