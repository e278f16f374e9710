//! What was meant by a first word that is no command.

use std::ffi::OsString;

use bezout::constant::Constant;

use crate::calc::{self, Program};

/// Commands of the feature `bench`.
const MEASURE: [&str; 5] = ["bench", "report", "model", "tune", "soak"];

/// The command to type instead, if the arguments say which, or what brings the command.
pub fn command(arguments: &[OsString]) -> Option<String> {
    let mut words = arguments.iter().skip(1).map_while(|word| word.to_str());
    let first = words.find(|word| !word.starts_with("--"))?;
    let rest: Vec<&str> = words.filter(|word| !word.starts_with("--")).collect();
    if MEASURE.contains(&first) {
        return Some(format!(
            "this build has no '{first}': 'cargo build --release --features bench' makes one"
        ));
    }
    if let Ok(constant) = first.parse::<Constant>() {
        let rest = rest.iter().map(|word| format!(" {word}"));
        return Some(format!(
            "bezout constant {}{}",
            constant.name(),
            rest.collect::<String>()
        ));
    }
    if first == "version" || first == "-v" {
        return Some("bezout --version".to_string());
    }
    let is_name = first
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if is_name && !first.bytes().all(|b| b.is_ascii_digit()) {
        let usage = calc::usage_of(first)?;
        let name = usage.split('(').next().unwrap_or(usage);
        return Some(match rest.as_slice() {
            [] => format!("bezout calc '{usage}'"),
            rest => format!("bezout calc '{name}({})'", rest.join(", ")),
        });
    }
    let expression = [&[first], &rest[..]].concat().join(" ");
    Program::compile(&expression).ok()?;
    Some(format!("bezout calc '{expression}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_people_type() {
        for (line, expected) in [
            ("bezout pi", Some("bezout constant pi")),
            ("bezout PI 100", Some("bezout constant pi 100")),
            ("bezout isprime 101", Some("bezout calc 'isprime(101)'")),
            ("bezout lcm 4 6", Some("bezout calc 'lcm(4, 6)'")),
            ("bezout nextprime", Some("bezout calc 'nextprime(x)'")),
            ("bezout is_prime 7", Some("bezout calc 'isprime(7)'")),
            ("bezout 2+2", Some("bezout calc '2+2'")),
            ("bezout 2 + 2", Some("bezout calc '2 + 2'")),
            ("bezout version", Some("bezout --version")),
            (
                "bezout tune",
                Some(
                    "this build has no 'tune': 'cargo build --release --features bench' makes one",
                ),
            ),
            ("bezout frobnicate", None),
            ("bezout --quiet", None),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(command(&words).as_deref(), expected, "{line}");
        }
    }
}
