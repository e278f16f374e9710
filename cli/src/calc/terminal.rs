//! The calculator at a terminal: a prompt with line editing, history and completion.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::answer::Answer;
use super::functions::FUNCTIONS;
use super::session::Session;
use super::{help, lines};
use crate::args::{Calc, Global};
use crate::failure::Failure;
use crate::{interrupt, output};

const PROMPT: &str = "> ";
/// Longer answers are shortened.
const LONGEST: usize = 10_000;
/// Most characters shown of a shortened answer, on a line of its own.
const KEPT: usize = 90;

/// Whether there is a terminal to read from and to print to.
pub fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Answers lines until the user ends.
pub fn run(options: &Calc, global: &Global) -> Result<(), Failure> {
    let failed = |error: ReadlineError| Failure::failed(format!("cannot read a line: {error}"));
    let config = Config::builder()
        .auto_add_history(true)
        .max_history_size(1000)
        .and_then(|config| config.history_ignore_dups(true))
        .map_err(failed)?
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .build();
    let mut editor: Editor<Names, FileHistory> = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Names));
    let history = history_file();
    if let Some(file) = &history {
        // There is no file before the first time.
        let _ = editor.load_history(file);
    }
    interrupt::listen(Some("stopping; Ctrl-C once more ends the program"))?;
    output::remark(global, "'?' is help, Tab completes names, Ctrl-D ends");
    let mut desk = Desk {
        options,
        global,
        session: Session::new(),
        last: None,
    };
    loop {
        match editor.readline(PROMPT) {
            Ok(line) if ["quit", "exit"].contains(&line.trim()) => break,
            // What is pasted may be several lines.
            Ok(text) => text.lines().try_for_each(|line| desk.line(line))?,
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    if let Some(file) = &history
        && let Err(error) = editor.save_history(file)
    {
        output::remark(global, &format!("the history is lost: {error}"));
    }
    Ok(())
}

/// The file of earlier lines, in a folder that exists. Others may not read a new folder.
fn history_file() -> Option<PathBuf> {
    let folder = bezout::cache_folder()?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(&folder).ok()?;
    Some(folder.join("calc-history.txt"))
}

/// The state between lines.
struct Desk<'a> {
    options: &'a Calc,
    global: &'a Global,
    session: Session,
    /// The last answer's text, in full.
    last: Option<String>,
}

impl Desk<'_> {
    /// Does what a line asks for. Only a failure to print is one of the whole command.
    fn line(&mut self, line: &str) -> Result<(), Failure> {
        let line = line.trim();
        if let Some(text) = help::asked(line, &self.session) {
            return output::text(&text);
        }
        match line {
            ":full" => match &self.last {
                Some(text) => output::text(text),
                None => {
                    output::report("there is no answer yet");
                    Ok(())
                }
            },
            _ if lines::is_blank(line) => Ok(()),
            _ => self.answer(line),
        }
    }

    fn answer(&mut self, line: &str) -> Result<(), Failure> {
        interrupt::take();
        let answer = Answer::of(line, &mut self.session, self.options, self.global);
        if interrupt::take() && answer.is_err() {
            output::report("stopped");
            return Ok(());
        }
        match answer {
            Ok(answer) => {
                let printed = if answer.may_be_cut {
                    shortened(&answer.value, output::columns())
                } else {
                    None
                };
                let printed = printed.as_deref().unwrap_or(&answer.value);
                if !line.ends_with(';') && !printed.is_empty() {
                    output::text(printed)?;
                }
                self.last = Some(answer.value);
            }
            Err(failure) => failure.print(),
        }
        Ok(())
    }
}

/// The ends of a long number on one line of a terminal, and how long it is; `None` for a short one.
fn shortened(digits: &str, columns: usize) -> Option<String> {
    let magnitude = digits.strip_prefix('-').unwrap_or(digits);
    let magnitude = magnitude.strip_prefix("0x").unwrap_or(magnitude);
    if magnitude.len() <= LONGEST {
        return None;
    }
    let kept = columns.clamp(20, KEPT + 1) - 1;
    let (front, back) = (kept - kept / 3, kept / 3);
    let count = match magnitude.split_once('/') {
        Some((over, under)) => format!("{} digits over {}", over.len(), under.len()),
        None => format!("{} digits", magnitude.len()),
    };
    Some(format!(
        "{}…{}\n({count}; ':full' or print(...) prints all)",
        &digits[..front],
        &digits[digits.len() - back..],
    ))
}

/// Completes the names of functions.
struct Names;

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        end: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = line[..end].trim_end_matches(in_name).len();
        let typed = &line[start..end];
        let names = FUNCTIONS.iter().map(|function| function.name);
        let matching = names.filter(|name| !typed.is_empty() && name.starts_with(typed));
        Ok((start, matching.map(|name| format!("{name}(")).collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_shortened() {
        let digits = |count| format!("-{}", "1234567890".repeat(count));
        assert_eq!(shortened(&digits(1000), 80), None);
        for columns in [10, 20, 40, 80, 91, 200] {
            let short = shortened(&digits(1001), columns).unwrap();
            assert!(short.starts_with("-1234567890") && short.contains("67890\n(10010 digits;"));
            let line = short.lines().next().unwrap().chars().count();
            assert!(line == columns.clamp(20, KEPT + 1), "{line} of {columns}");
        }
        assert_eq!(shortened(&format!("-0x{}", "f".repeat(LONGEST)), 80), None);
    }
}
