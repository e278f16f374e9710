//! `bezout batch-gcd`: which keys of files share a prime.

mod der;
mod input;
#[cfg(test)]
mod mutants;

use std::fmt;
use std::time::Instant;

use bezout::tree::ProductTree;
use bezout::{Engine, Int, keys};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{BatchGcd, Global};
use crate::failure::Failure;
use crate::{output, ranks, sort};

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    keys: usize,
    shared: Vec<SharedRecord<'a>>,
    duplicates: Vec<Vec<&'a Place>>,
    left_out: usize,
    problems: &'a [Problem],
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

#[derive(Serialize)]
struct SharedRecord<'a> {
    factor: String,
    bits: u64,
    prime: bool,
    keys: Vec<&'a Place>,
}

/// Where a key stands.
#[derive(Debug, Clone, Serialize)]
struct Place {
    file: String,
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

/// A key that could not be read, or without a line a whole file.
#[derive(Serialize)]
struct Problem {
    file: String,
    line: Option<usize>,
    reason: String,
}

/// All keys of all files.
#[derive(Default)]
struct Keys {
    moduli: Vec<Int>,
    places: Vec<Place>,
    problems: Vec<Problem>,
    /// How many keys are of other kinds than RSA.
    left_out: usize,
}

/// Lines that a note about keys of other kinds names at most.
const LINES_NAMED: usize = 8;

/// Runs the command.
pub fn run(options: &BatchGcd, global: &Global) -> Result<(), Failure> {
    let cluster = ranks::led();
    if !cluster.is_first() {
        return Ok(keys::shared_factors_over(&[], &cluster).map(drop)?);
    }
    if options.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Failure::bad_input(
            "'-' is given twice: standard input can be read once",
        ));
    }
    let mut keys = Keys::default();
    for file in &options.files {
        let read = output::watch(global, "reading", || keys.read(file, global));
        match read {
            Err(failure) if options.files.len() == 1 => return Err(failure),
            Err(failure) => {
                failure.print();
                keys.problems.push(Problem {
                    file: file.clone(),
                    line: None,
                    reason: failure.message().into(),
                });
            }
            Ok(()) => {}
        }
    }
    let start = Instant::now();
    let (shared, duplicates) = output::watch(global, "computing", || {
        let shared = keys::shared_factors_over(&keys.moduli, &cluster)?;
        Ok::<_, Failure>((shared, keys::duplicates(&keys.moduli)?))
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let engine = Engine::last_used().unwrap_or(Engine::Cpu);
    if global.verify {
        output::watch(global, "verifying", || {
            Engine::Cpu.scope(|| verify(&keys.moduli, &shared))
        })?;
        let proof = "factors divide their keys, and all other keys are coprime to the rest";
        output::remark(global, &format!("verified: {proof}"));
    }
    let named = |moduli: &[usize]| moduli.iter().map(|i| &keys.places[*i]).collect::<Vec<_>>();
    let digits = |factor: &Int| output::digits(factor, options.hex);
    if global.json {
        let shared = shared.par_iter().map(|shared| {
            Ok(SharedRecord {
                factor: digits(&shared.factor)?,
                bits: shared.factor.bit_length(),
                prime: shared.factor.try_is_probable_prime()?,
                keys: named(&shared.moduli),
            })
        });
        output::json(&Record {
            command: "batch-gcd",
            keys: keys.moduli.len(),
            shared: shared.collect::<Result<_, Failure>>()?,
            duplicates: duplicates.iter().map(|all| named(all)).collect(),
            left_out: keys.left_out,
            problems: &keys.problems,
            engine: engine.to_string(),
            seconds,
            verified: global.verify.then_some(true),
        })?;
    } else {
        let list = |moduli: &[usize]| -> String {
            let words = named(moduli).into_iter();
            let words = words.map(|place| format!(" {place}"));
            words.collect()
        };
        let mut lines = Vec::new();
        for shared in &shared {
            lines.push(format!(
                "{}:{}",
                digits(&shared.factor)?,
                list(&shared.moduli)
            ));
        }
        lines.extend(
            duplicates
                .iter()
                .map(|all| format!("duplicates:{}", list(all))),
        );
        if !lines.is_empty() {
            output::text(&lines.join("\n"))?;
        }
        let (all, weak) = (keys.moduli.len(), shared.iter().flat_map(|s| &s.moduli));
        let weak = weak.collect::<std::collections::HashSet<_>>().len();
        output::remark(
            global,
            &format!("{weak} of {all} keys share a factor with another"),
        );
    }
    keys.outcome()
}

impl Keys {
    /// Adds the keys of a file, and says what it could not read.
    fn read(&mut self, file: &str, global: &Global) -> Result<(), Failure> {
        let (name, bytes) = sort::contents(file)?;
        let input = input::read(&bytes);
        for (line, reason) in input.problems {
            output::report(&format!("bezout: error: {name}, line {line}: {reason}"));
            self.problems.push(Problem {
                file: file.into(),
                line: Some(line),
                reason,
            });
        }
        if let Some(note) = left_out(&name, &input.others) {
            output::remark(global, &note);
        }
        self.left_out += input.others.len();
        for entry in input.entries {
            self.places.push(Place {
                file: file.into(),
                line: entry.line,
                column: entry.column,
            });
            self.moduli.push(entry.modulus);
        }
        Ok(())
    }

    /// A failure if something could not be read: bad input where a whole file is missing.
    fn outcome(&self) -> Result<(), Failure> {
        let files = self.problems.iter().filter(|p| p.line.is_none()).count();
        let keys = self.problems.len() - files;
        let count = |count: usize, what: &str| match count {
            1 => format!("a {what} could not be read"),
            _ => format!("{count} {what}s could not be read"),
        };
        match (files, keys) {
            (0, 0) => Ok(()),
            (0, _) => Err(Failure::failed(count(keys, "key"))),
            (_, 0) => Err(Failure::bad_input(count(files, "file"))),
            _ => Err(Failure::bad_input(format!(
                "{}, {}",
                count(files, "file"),
                count(keys, "key")
            ))),
        }
    }
}

/// The note about the keys of other kinds on these lines of a file; none where there are none.
fn left_out(name: &str, lines: &[usize]) -> Option<String> {
    let words = match lines {
        [] => return None,
        [line] => format!("{name}, line {line}: not an RSA key, left out"),
        _ => {
            let first = lines.iter().take(LINES_NAMED).map(usize::to_string);
            let first = first.collect::<Vec<_>>().join(", ");
            let more = if lines.len() > LINES_NAMED {
                ", …"
            } else {
                ""
            };
            let count = lines.len();
            format!("{name}: {count} keys are not RSA keys, left out: lines {first}{more}")
        }
    };
    Some(format!("bezout: note: {words}"))
}

/// Checks by another algorithm, that of Heninger and others: P = Π n, and what n and (P mod n²)/n have in common.
fn verify(moduli: &[Int], shared: &[keys::Shared]) -> Result<(), Failure> {
    let refuse = |what: String| Err(Failure::failed(format!("verification failed: {what}")));
    let mut distinct: Vec<&Int> = moduli.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut weak = vec![false; moduli.len()];
    for shared in shared {
        for &i in &shared.moduli {
            weak[i] = true;
            if shared.factor <= 1 || !moduli[i].try_div_rem(&shared.factor)?.1.is_zero() {
                return refuse(format!("{} does not divide key {}", shared.factor, i + 1));
            }
        }
    }
    let squares = distinct.iter().map(|n| n.try_square());
    let tree = ProductTree::new(&squares.collect::<Result<Vec<_>, _>>()?)?;
    let all: Vec<Int> = distinct.iter().map(|n| (*n).clone()).collect();
    let rests = tree.try_remainders(&bezout::tree::product(&all)?)?;
    let mut has_common = Vec::with_capacity(distinct.len());
    for (n, rest) in distinct.iter().zip(rests) {
        let others = rest.try_div_rem(n)?.0;
        has_common.push(others.try_gcd(n)? != 1);
    }
    for (i, n) in moduli.iter().enumerate() {
        let place = distinct.binary_search(&n);
        if place.map(|at| has_common[at]) != Ok(weak[i]) {
            return refuse(format!("key {} is on the wrong side", i + 1));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_refuses_wrong_answers() {
        let moduli = [15, 21, 77, 13 * 17].map(Int::from);
        let right = keys::shared_factors(&moduli).unwrap();
        assert_eq!(right.len(), 2);
        assert!(verify(&moduli, &right).is_ok());
        assert!(verify(&moduli, &right[..1]).is_err());
        assert!(verify(&moduli, &[]).is_err());
        let mut wrong = right.clone();
        wrong[0].factor = Int::from(5);
        assert!(verify(&moduli, &wrong).is_err());
        wrong[0] = right[0].clone();
        wrong[1].moduli.push(3);
        assert!(verify(&moduli, &wrong).is_err());
    }
}
