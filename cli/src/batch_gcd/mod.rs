//! `bezout batch-gcd`: which keys of files share a prime.

mod against;
pub mod args;
mod check;
mod fastgcd;
mod groups;
mod input;
mod private;
mod verify;

use std::collections::{BTreeMap, HashSet};
use std::io::{self, IsTerminal};
use std::time::Instant;

use bezout::{Engine, Int, keys};
use bezout_keyfile::store::Store;
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{BatchGcd, Global};
use crate::failure::Failure;
use crate::{interrupt, output, ranks};
use args::OutputFormat;
use check::Weakness;
use input::{KeyPlace, Keys, Problem};

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    keys: usize,
    shared: Vec<SharedRecord<'a>>,
    duplicates: Vec<Vec<&'a KeyPlace>>,
    left_out: usize,
    skipped: &'a BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weak: Option<Vec<WeakRecord<'a>>>,
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
    keys: Vec<&'a KeyPlace>,
}

#[derive(Serialize)]
struct WeakRecord<'a> {
    weakness: &'static str,
    key: &'a KeyPlace,
}

/// What was found out about the keys.
struct Answer {
    /// How many keys were compared; with `--against` the new ones.
    count: usize,
    shared: Vec<keys::Shared>,
    duplicates: Vec<Vec<usize>>,
    /// With `--check`, the places of moduli that are weak by themselves.
    weak: Option<Vec<(Weakness, usize)>>,
    engine: Engine,
    seconds: f64,
}

/// Runs the command.
pub fn run(options: &BatchGcd, global: &Global) -> Result<(), Failure> {
    let cluster = ranks::working_for_first();
    if !cluster.is_first() {
        return Ok(cluster.shared_factors(&[]).map(drop)?);
    }
    // Files that cannot be written show before the work.
    let files = match (&options.keys.out, options.keys.format) {
        (Some(folder), OutputFormat::Fastgcd) => Some(fastgcd::Files::new(folder)?),
        (Some(_), OutputFormat::Text) => {
            let words = "--out names the folder for the files of --format fastgcd";
            return Err(Failure::bad_input(words).hint("add '--format fastgcd', or remove --out"));
        }
        (None, _) => None,
    };
    if let Some(folder) = &options.keys.private_keys {
        private::prepare(folder)?;
    }
    interrupt::listen(None)?;
    if let Some(time) = options.keys.timeout {
        interrupt::stop_after(time);
    }
    let store = options.keys.against.as_deref();
    let store = store.map(|folder| against::open(folder, options.keys.add));
    let store = store.transpose()?;
    let stopped = |failure| stopped(failure, options);
    let (keys, answer) = find(options, store.as_ref(), global).map_err(stopped)?;
    let is_written = files.is_some();
    if let Some(files) = files {
        let lines = output::watch(global, "computing", || {
            fastgcd::lines(&keys.moduli, &answer)
        });
        files.write(&lines.map_err(stopped)?)?;
    }
    if let Some(folder) = &options.keys.private_keys {
        let count = output::watch(global, "writing private keys", || {
            private::write(folder, &keys.moduli, &keys.places, &answer)
        })?;
        let words = format!("{count} private keys written to '{}'", folder.display());
        output::remark(global, &words);
    }
    if global.json {
        print_json(&keys, &answer, options, global)?;
    } else {
        print_text(&keys, &answer, options, global, is_written)?;
    }
    if let Some(mut store) = store.filter(|_| options.keys.add) {
        let (new, known) = keys.moduli.split_at(answer.count);
        let added = against::add(&mut store, new, &keys.places, known)?;
        let words = format!(
            "{added} keys added to the store, which has {}",
            store.total()
        );
        output::remark(global, &words);
    }
    keys.report.outcome()?;
    if options.keys.exit_code && !answer.is_clean() {
        return Err(Failure::said(FOUND));
    }
    Ok(())
}

/// The exit code of `--exit-code` where a key is bad.
const FOUND: u8 = 3;

impl Answer {
    /// Whether no key shares a factor, is a copy of another, or is weak by itself.
    fn is_clean(&self) -> bool {
        let is_weak = self.weak.as_ref().is_some_and(|weak| !weak.is_empty());
        self.shared.is_empty() && self.duplicates.is_empty() && !is_weak
    }
}

/// What stopped the work, in words.
fn stopped(failure: Failure, options: &BatchGcd) -> Failure {
    if interrupt::verdict().is_continue() {
        return failure;
    }
    interrupt::failure(options.keys.timeout, options.keys.checkpoint.is_some())
}

/// Reads the keys and searches them. With `--against` the stored keys that concern them come after
/// the new ones; with `--checkpoint` there are only the keys that concern others.
fn find(
    options: &BatchGcd,
    store: Option<&Store>,
    global: &Global,
) -> Result<(Keys, Answer), Failure> {
    let asked = &options.keys;
    let reading = bezout_keyfile::Options {
        format: asked.input_format,
        column: asked.column.clone(),
        min_bits: asked.min_bits,
        names: asked.names,
    };
    let sources = input::sources(&options.files)?;
    if let Some(folder) = &asked.checkpoint {
        let start = Instant::now();
        let (keys, count) = groups::suspects(folder, &sources, options, &reading, global)?;
        let mut answer = search(&keys, options, global)?;
        (answer.count, answer.seconds) = (count, start.elapsed().as_secs_f64());
        return Ok((keys, answer));
    }
    let mut keys = Keys::of(&sources, &reading, global)?;
    let Some(store) = store else {
        let answer = search(&keys, options, global)?;
        return Ok((keys, answer));
    };
    let (start, count) = (Instant::now(), keys.moduli.len());
    let folder = asked
        .against
        .as_ref()
        .map(|path| path.display().to_string());
    let suspects = output::watch(global, "comparing with the store", || {
        against::suspects(store, &folder.unwrap_or_default(), &keys.moduli)
    })?;
    keys.moduli.extend(suspects.moduli);
    keys.places.extend(suspects.places);
    let mut answer = search(&keys, options, global)?;
    (answer.count, answer.seconds) = (count, start.elapsed().as_secs_f64());
    against::only_new(count, &mut answer);
    if global.verify {
        output::watch(global, "verifying the store", || against::verify(store))?;
    }
    Ok((keys, answer))
}

/// Finds shared factors and duplicates, and checks what `--verify` and `--check` ask for.
fn search(keys: &Keys, options: &BatchGcd, global: &Global) -> Result<Answer, Failure> {
    let start = Instant::now();
    let (shared, duplicates) = output::watch(global, "computing", || {
        let shared = ranks::working_for_first().shared_factors(&keys.moduli)?;
        Ok::<_, Failure>((shared, keys::duplicates(&keys.moduli)?))
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let engine = Engine::last_used().unwrap_or(Engine::Cpu);
    if global.verify {
        output::watch(global, "verifying", || {
            Engine::Cpu.scope(|| verify::verify(&keys.moduli, &shared))
        })?;
        let proof = "factors divide their keys, and all other keys are coprime to the rest";
        output::remark(global, &format!("verified: {proof}"));
    }
    let weak = if options.keys.check {
        let weak = output::watch(global, "checking", || {
            check::weak_keys(&keys.moduli, &keys.places)
        })?;
        Some(weak)
    } else {
        None
    };
    Ok(Answer {
        count: keys.moduli.len(),
        shared,
        duplicates,
        weak,
        engine,
        seconds,
    })
}

fn print_json(
    keys: &Keys,
    answer: &Answer,
    options: &BatchGcd,
    global: &Global,
) -> Result<(), Failure> {
    let named = |moduli: &[usize]| moduli.iter().map(|i| &keys.places[*i]).collect::<Vec<_>>();
    let shared = answer.shared.par_iter().map(|shared| {
        Ok(SharedRecord {
            factor: output::digits(&shared.factor, options.hex)?,
            bits: shared.factor.bit_length(),
            prime: shared.factor.try_is_probable_prime()?,
            keys: named(&shared.moduli),
        })
    });
    let weak = answer.weak.as_ref().map(|weak| {
        let record = |(weakness, i): &(Weakness, usize)| WeakRecord {
            weakness: weakness.label(),
            key: &keys.places[*i],
        };
        weak.iter().map(record).collect()
    });
    output::json(&Record {
        command: "batch-gcd",
        keys: answer.count,
        shared: shared.collect::<Result<_, Failure>>()?,
        duplicates: answer.duplicates.iter().map(|all| named(all)).collect(),
        left_out: keys.report.left_out,
        skipped: &keys.report.skipped,
        weak,
        problems: &keys.report.problems,
        engine: answer.engine.to_string(),
        seconds: answer.seconds,
        verified: global.verify.then_some(true),
    })
}

/// The first and last digits of a long number.
fn ends(digits: &str) -> String {
    if digits.len() <= 40 {
        return digits.to_string();
    }
    format!("{}…{}", &digits[..20], &digits[digits.len() - 10..])
}

fn print_text(
    keys: &Keys,
    answer: &Answer,
    options: &BatchGcd,
    global: &Global,
    is_written: bool,
) -> Result<(), Failure> {
    let has_store = options.keys.against.is_some();
    let list = |moduli: &[usize]| -> String {
        let words = moduli.iter().map(|i| format!(" {}", keys.places[*i]));
        words.collect()
    };
    let digits = |factor: &Int| output::digits(factor, options.hex);
    let mut lines = Vec::new();
    // The files of another format stand for these lines.
    if !is_written {
        let is_terminal = io::stdout().is_terminal();
        for shared in &answer.shared {
            let (factor, keys) = (digits(&shared.factor)?, list(&shared.moduli));
            lines.push(if is_terminal {
                // Whoever looks wants to know which keys: the digits are for programs.
                let bits = shared.factor.bit_length();
                format!(
                    "{} share {} ({bits} bits)",
                    keys.trim_start(),
                    ends(&factor)
                )
            } else {
                format!("{factor}:{keys}")
            });
        }
        let equal = answer.duplicates.iter();
        lines.extend(equal.map(|all| format!("duplicates:{}", list(all))));
    }
    for (weakness, i) in answer.weak.iter().flatten() {
        lines.push(format!("{}: {}", weakness.label(), keys.places[*i]));
    }
    if !lines.is_empty() {
        output::text(&lines.join("\n"))?;
    }
    // Stored keys come after the new ones.
    let all = answer.count;
    let weak = answer.shared.iter().flat_map(|shared| &shared.moduli);
    let weak = weak.filter(|i| !has_store || **i < all);
    let weak = weak.collect::<HashSet<_>>().len();
    let summary = format!("{weak} of {all} keys share a factor with another");
    output::remark(global, &summary);
    let copies: usize = answer.duplicates.iter().map(|equal| equal.len() - 1).sum();
    if copies > 0 && !has_store {
        let words = format!("{copies} of {all} keys are copies of another");
        output::remark(global, &words);
    }
    Ok(())
}
