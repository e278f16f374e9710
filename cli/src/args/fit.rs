//! Texts of the help in the columns of the terminal. They are written in lines of 100 columns;
//! broken at fewer where they are, every second line would have a word or two.

use std::io;

/// Columns that the texts are written for.
const WRITTEN: usize = 100;
/// Narrower terminals get lines of so many columns all the same.
const LEAST: usize = 40;

/// The command and its subcommands, with long texts that fit the terminal.
pub fn to_terminal(command: clap::Command) -> clap::Command {
    let size = terminal_size::terminal_size_of(io::stdout());
    let columns = size.map_or(WRITTEN, |(width, _)| usize::from(width.0).min(WRITTEN));
    command.mut_subcommands(|command| {
        let short = command.get_after_help().map(|text| text.to_string());
        let long = command.get_after_long_help().map(|text| text.to_string());
        let command = match short {
            Some(text) => command.after_help(fitted(&text, columns)),
            None => command,
        };
        match long {
            Some(text) => command.after_long_help(fitted(&text, columns)),
            None => command,
        }
    })
}

/// The text in lines of at most so many columns, words aside that are longer.
fn fitted(text: &str, columns: usize) -> String {
    let columns = columns.max(LEAST);
    let mut paragraphs: Vec<String> = Vec::new();
    let mut last: Option<&str> = None;
    for line in text.lines() {
        let is_broken = paragraphs
            .last()
            .is_some_and(|paragraph| paragraph.chars().count() > columns);
        match last.filter(|last| continues(last, line, is_broken)) {
            Some(_) => {
                if let Some(paragraph) = paragraphs.last_mut() {
                    paragraph.push(' ');
                    paragraph.push_str(line.trim_start());
                }
            }
            None => paragraphs.push(line.to_string()),
        }
        last = Some(line);
    }
    let lines = paragraphs
        .iter()
        .map(|paragraph| broken(paragraph, columns));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a line goes on with the paragraph of the one before: it is as far to the right as the
/// text of that one, whose end has no room for its first word. A paragraph that is broken at other
/// places goes on in any case with lines below it that begin no item: its rest would be a line of a
/// word or two.
fn continues(before: &str, line: &str, is_broken: bool) -> bool {
    let Some(word) = line.split_whitespace().next() else {
        return false;
    };
    // An example is a command with words of its own.
    if indent(line) > 0 && line.contains("bezout ") {
        return false;
    }
    let is_full = before.chars().count() + 1 + word.chars().count() > WRITTEN;
    let is_item = word.ends_with(':') || word.starts_with(|c: char| c.is_uppercase());
    let is_plain = [before, line].iter().all(|line| hang(line) == indent(line));
    let goes_on = is_broken && is_plain && !(is_item && indent(line) > 0);
    is_full && [indent(before), hang(before)].contains(&indent(line))
        || goes_on && indent(before) == indent(line)
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ').count()
}

/// The column of what an item of a list says, behind its name and two blanks; that of the text
/// where there are no such.
fn hang(line: &str) -> usize {
    let start = indent(line);
    let text: Vec<char> = line.chars().collect();
    let gap = text[start..].windows(2).position(|pair| pair == [' ', ' ']);
    let Some(gap) = gap.map(|gap| start + gap).filter(|_| start > 0) else {
        return start;
    };
    let blanks = text[gap..].iter().take_while(|c| **c == ' ').count();
    gap + blanks
}

/// A paragraph in lines of so many columns, the later ones below its text.
fn broken(paragraph: &str, columns: usize) -> String {
    let mut below = hang(paragraph);
    if below > columns / 2 {
        below = indent(paragraph) + 2;
    }
    let mut lines = Vec::new();
    let mut rest: Vec<char> = paragraph.chars().collect();
    while rest.len() > columns {
        let least = if lines.is_empty() {
            hang(paragraph).min(columns - 1)
        } else {
            below
        };
        let blank = |i: &usize| rest[*i] == ' ';
        let cut = (least + 1..=columns).rev().find(blank);
        let Some(cut) = cut.or_else(|| (columns..rest.len()).find(blank)) else {
            break;
        };
        let line: String = rest[..cut].iter().collect();
        lines.push(line.trim_end().to_string());
        let text: String = rest[cut..].iter().collect();
        rest = format!("{}{}", " ".repeat(below), text.trim_start())
            .chars()
            .collect();
    }
    lines.push(rest.into_iter().collect());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
A first paragraph whose lines are as long as those of the constants of this crate are, which is what
is being looked at here. It has a second sentence.

Formats:
  text   one number on each line, and what is behind it is of no interest to anybody who reads these
         words, as they are about lines
  jwk    JSON
  short";

    #[test]
    fn lines_fit_and_no_word_is_lost() {
        for columns in [40, 60, 72, 80, 99] {
            let text = fitted(TEXT, columns);
            assert!(
                text.lines().all(|line| line.chars().count() <= columns),
                "{text}"
            );
            let words = |text: &str| {
                text.split_whitespace()
                    .map(String::from)
                    .collect::<Vec<_>>()
            };
            assert_eq!(words(&text), words(TEXT));
            // Only the last line of a paragraph is short.
            assert!(text.contains("\n\nFormats:\n  text   one number"), "{text}");
            assert!(text.ends_with("\n  jwk    JSON\n  short"), "{text}");
        }
        let text = fitted(TEXT, 80);
        assert!(text.starts_with(
            "A first paragraph whose lines are as long as those of the constants of this"
        ));
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("         "))
                .count(),
            1,
            "{text}"
        );
    }

    /// The texts of all commands. A written line that is too long leaves no word alone between full
    /// lines.
    #[test]
    fn no_word_stands_alone_inside_a_paragraph() {
        let mut wrong = Vec::new();
        for command in crate::args::command().get_subcommands() {
            let Some(text) = command.get_after_long_help() else {
                continue;
            };
            let text = fitted(&text.to_string(), WRITTEN);
            let lines: Vec<&str> = text.lines().collect();
            for three in lines.windows(3) {
                let [before, line, after] = three else {
                    continue;
                };
                let is_alone = line.split_whitespace().count() == 1;
                let is_inside = before.chars().count() > 80
                    && !after.trim().is_empty()
                    && indent(line) == indent(after)
                    && indent(line) == indent(before);
                if line.chars().count() > WRITTEN || is_alone && is_inside {
                    wrong.push(format!("{}: {line}", command.get_name()));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_broken_list_of_fields_has_no_short_lines() {
        let text = "\
JSON fields:
  command, a_bits, b_bits (lengths of the first two numbers), bits (of all, a list),
  gcd (a string of digits), gcd_bits, cofactors (a list of strings of digits, or
  null without --cofactors)
  probe: command, machine (identity, engine, threads_per_block, resident_threads and others),
  u (latency over operation)
  Several lines: command, answers
Examples:
  bezout soak --operations linear --cases 10000 --sizes 2^4..2^25 --engine cuda --json
  BEZOUT_TUNING=minimal bezout soak --minutes 10 --engine cuda --against gmp";
        let text = fitted(text, 80);
        let lines: Vec<&str> = text.lines().collect();
        let ends = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
        for start in ["  probe:", "  Several", "  BEZOUT_TUNING=minimal bezout"] {
            assert_eq!(ends(start), 1, "{text}");
        }
        assert_eq!(
            lines.iter().filter(|line| line.len() < 20).count(),
            3,
            "{text}"
        );
        assert!(!lines.contains(&"  list),"), "{text}");
    }
}
