//! Operands that start with a hyphen.

use std::ffi::OsString;

use clap::ArgAction;

use super::values::is_like_a_flag;

/// The arguments of `calc`, `gcd`, `factor` and `poly` with their operands after a '--', others as
/// they are; the command is built, so that it knows its global flags. Operands may start with a
/// hyphen and there are any number of them: left to itself, the parser would take every flag after
/// the first for one more.
pub fn numbers_last(command: &clap::Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let values_of = |command: &clap::Command, argument: &OsString| {
        let argument = argument.to_str()?;
        let (name, has_value) = match argument.split_once('=') {
            Some((name, _)) => (name, true),
            None => (argument, false),
        };
        let flag = match name.strip_prefix("--") {
            Some(long) => command
                .get_arguments()
                .find(|flag| flag.get_long() == Some(long)),
            None => {
                let short = name.strip_prefix('-')?;
                let known =
                    |flag: &&clap::Arg| flag.get_short().is_some_and(|c| short == c.to_string());
                command.get_arguments().find(known)
            }
        }?;
        let takes_value = matches!(flag.get_action(), ArgAction::Set | ArgAction::Append);
        Some(usize::from(takes_value && !has_value))
    };
    let mut at = 1;
    while let Some(values) = arguments.get(at).and_then(|next| values_of(command, next)) {
        at += 1 + values;
    }
    let name = arguments.get(at).and_then(|name| name.to_str());
    let known = name.filter(|name| ["calc", "gcd", "poly", "factor"].contains(name));
    let Some(subcommand) = known.and_then(|name| command.find_subcommand(name)) else {
        return arguments;
    };
    let mut rest = arguments.split_off(at + 1).into_iter();
    let mut numbers = Vec::new();
    while let Some(next) = rest.next() {
        if next == "--" {
            numbers.extend(rest.by_ref());
        } else if let Some(values) = values_of(subcommand, &next) {
            arguments.push(next);
            arguments.extend(rest.by_ref().take(values));
        } else if next.to_str().is_some_and(is_like_a_flag) {
            // Left to the parser, which knows what was meant.
            arguments.push(next);
        } else {
            numbers.push(next);
        }
    }
    if !numbers.is_empty() {
        arguments.push("--".into());
    }
    arguments.extend(numbers);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_gcd_come_last() {
        let mut command = crate::args::command();
        command.build();
        let moved = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let words = numbers_last(&command, words);
            let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
            words.join(" ")
        };
        for (line, expected) in [
            ("bezout gcd 1 -2 3", "bezout gcd -- 1 -2 3"),
            (
                "bezout gcd 1 -2 --json 3 -q",
                "bezout gcd --json -q -- 1 -2 3",
            ),
            (
                "bezout gcd 1 --engine cpu 2 --algorithm=half --threads 2",
                "bezout gcd --engine cpu --algorithm=half --threads 2 -- 1 2",
            ),
            (
                "bezout --engine cpu -q gcd - -hamming(1,2)",
                "bezout --engine cpu -q gcd -- - -hamming(1,2)",
            ),
            ("bezout gcd 1 -- 2 --json", "bezout gcd -- 1 2 --json"),
            ("bezout gcd 1 2 --engine", "bezout gcd --engine -- 1 2"),
            ("bezout gcd --help", "bezout gcd --help"),
            (
                "bezout gcd 1 --coefactors 2",
                "bezout gcd --coefactors -- 1 2",
            ),
            ("bezout help gcd", "bezout help gcd"),
            (
                "bezout poly sub -x^2 --mod 7 -x -q",
                "bezout poly --mod 7 -q -- sub -x^2 -x",
            ),
            ("bezout calc gcd --json", "bezout calc --json -- gcd"),
            ("bezout calc -2 ^ 5 --hex", "bezout calc --hex -- -2 ^ 5"),
            ("bezout", "bezout"),
        ] {
            assert_eq!(moved(line), expected, "{line}");
        }
    }
}
