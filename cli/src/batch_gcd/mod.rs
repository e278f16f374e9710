//! `bezout batch-gcd`: which keys of files share a prime.

mod der;
mod input;

use std::time::Instant;

use bezout::tree::ProductTree;
use bezout::{Engine, Int, keys};
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
}

/// A key that could not be read.
#[derive(Serialize)]
struct Problem {
    file: String,
    line: usize,
    reason: String,
}

/// All keys of all files.
#[derive(Default)]
struct Keys {
    moduli: Vec<Int>,
    places: Vec<Place>,
    problems: Vec<Problem>,
}

/// Runs the command.
pub fn run(options: &BatchGcd, global: &Global) -> Result<(), Failure> {
    let cluster = ranks::led();
    if !cluster.is_first() {
        return Ok(keys::shared_factors_over(&[], &cluster).map(drop)?);
    }
    let mut keys = Keys::default();
    for file in &options.files {
        output::watch(global, "reading", || keys.read(file, global))?;
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
        let shared = shared.iter().map(|shared| {
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
            problems: &keys.problems,
            engine: engine.to_string(),
            seconds,
            verified: global.verify.then_some(true),
        })?;
    } else {
        let list = |moduli: &[usize]| -> String {
            let words = named(moduli).into_iter();
            let words = words.map(|place| format!(" {}:{}", place.file, place.line));
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
    match keys.problems.len() {
        0 => Ok(()),
        1 => Err(Failure::failed("a key could not be read")),
        count => Err(Failure::failed(format!("{count} keys could not be read"))),
    }
}

impl Keys {
    /// Adds the keys of a file, and says what it could not read.
    fn read(&mut self, file: &str, global: &Global) -> Result<(), Failure> {
        let (name, bytes) = sort::contents(file)?;
        let input = input::read(&bytes);
        for (line, reason) in input.problems {
            output::report(&format!("bezout: error: {name}, line {line}: {reason}"));
            let file = file.to_string();
            self.problems.push(Problem { file, line, reason });
        }
        for line in input.others {
            let words = format!("bezout: note: {name}, line {line}: not an RSA key, left out");
            output::remark(global, &words);
        }
        for entry in input.entries {
            let file = file.to_string();
            let line = entry.line;
            self.places.push(Place { file, line });
            self.moduli.push(entry.modulus);
        }
        Ok(())
    }
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
    let rests = tree.remainders(&bezout::tree::product(&all)?)?;
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
