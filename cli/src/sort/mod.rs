//! `bezout sort`: the numbers of files in order, from text or raw words.
//!
//! Numbers in text are printed as they are written. Integers of a machine type are sorted by the
//! library's radix sort. Larger integers and decimals are sorted by a radix sort of approximate
//! keys first (`Decimal::key`), and values of equal keys by exact comparison.

mod decimal;
mod input;
#[cfg(test)]
mod tests;
mod verify;
mod words;

use std::borrow::Cow;
use std::time::Instant;

use bezout::Engine;
use bezout::sort::{self, Options};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{Global, Sort};
use crate::failure::Failure;
use crate::output;
use decimal::{Decimal, Mistake};
use input::{Contents, Texts, all_contents};
use verify::Rule;
use words::{Number, plain_integer};

/// So many values of equal keys or more are compared by all threads.
const MANY: usize = 1 << 10;

/// What the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Type {
    U32,
    U64,
    I32,
    I64,
    F32,
    F64,
    /// Whole numbers of any size
    Integer,
    /// Decimals of any size, by exact value
    Decimal,
}

impl Type {
    fn name(self) -> &'static str {
        [
            "u32", "u64", "i32", "i64", "f32", "f64", "integer", "decimal",
        ][self as usize]
    }
}

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    r#type: &'static str,
    count: usize,
    descending: bool,
    /// The numbers, or their places in the input; none where a file has them.
    sorted: Option<Vec<Cow<'a, str>>>,
    out: Option<String>,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

/// Where a sort ran, and how long.
struct Timed {
    engine: Engine,
    seconds: f64,
}

/// Runs the command.
pub fn run(options: &Sort, global: &Global) -> Result<(), Failure> {
    let inputs = all_contents(&options.files)?;
    if !options.binary {
        return sort_text(inputs, options, global);
    }
    match options.kind {
        Some(Type::U32) => words::sorted::<u32>(&inputs, options, global),
        Some(Type::U64) => words::sorted::<u64>(&inputs, options, global),
        Some(Type::I32) => words::sorted::<i32>(&inputs, options, global),
        Some(Type::I64) => words::sorted::<i64>(&inputs, options, global),
        Some(Type::F32) => words::sorted::<f32>(&inputs, options, global),
        Some(Type::F64) => words::sorted::<f64>(&inputs, options, global),
        Some(kind @ (Type::Integer | Type::Decimal)) => Err(Failure::bad_input(format!(
            "--binary needs a --type of fixed size: {} is for text",
            kind.name()
        ))),
        None => Err(Failure::bad_input(
            "--binary needs --type: words have no type of their own",
        )),
    }
}

fn options_of(options: &Sort) -> Options {
    let mut how = Options::default().algorithm(options.algorithm.into());
    how.bits = options.bits;
    how.descending = options.descending;
    how
}

/// Runs a sort, with its engine and time.
fn timed(global: &Global, sort: impl FnOnce() -> bezout::Result<()>) -> Result<Timed, Failure> {
    let start = Instant::now();
    output::watch(global, "sorting", sort)?;
    Ok(Timed {
        seconds: start.elapsed().as_secs_f64(),
        engine: Engine::last_used().unwrap_or(Engine::Cpu),
    })
}

/// Writes the result to the file or to standard output, and the JSON object if that is asked for.
fn deliver<'a>(
    options: &Sort,
    global: &Global,
    kind: Type,
    count: usize,
    time: Timed,
    bytes: impl FnOnce() -> Vec<u8>,
    shown: impl FnOnce() -> Vec<Cow<'a, str>>,
) -> Result<(), Failure> {
    if let Some(out) = &options.out {
        output::replace(out, &bytes()).map_err(|error| {
            Failure::failed(format!("cannot write '{}': {error}", out.display()))
        })?;
    } else if !global.json {
        output::bytes(&bytes())?;
    }
    if !global.json {
        return Ok(());
    }
    output::json(&Record {
        command: "sort",
        r#type: kind.name(),
        count,
        descending: options.descending,
        sorted: options.out.is_none().then(shown),
        out: options.out.as_ref().map(|path| path.display().to_string()),
        engine: time.engine.to_string(),
        seconds: time.seconds,
        verified: global.verify.then_some(true),
    })
}

/// Reads, sorts and prints numbers in text.
fn sort_text(inputs: Vec<Contents>, options: &Sort, global: &Global) -> Result<(), Failure> {
    let texts = Texts::new(inputs)?;
    let read = || {
        let numbers = texts.numbers();
        let keys = Keys::of(&numbers, options.kind);
        keys.map(|keys| (numbers, keys))
    };
    let (numbers, keys) = output::watch(global, "reading", read)
        .map_err(|(place, mistake)| texts.refuse(place, mistake))?;
    let mut places = Vec::new();
    let time = timed(global, || {
        places = keys.order(&numbers, options_of(options))?;
        Ok(())
    })?;
    if global.verify {
        output::watch(global, "verifying", || {
            keys.verify(&numbers, &places, options.descending)
        })?;
        output::remark(
            global,
            "verified: exact arithmetic finds all neighbours in order",
        );
    }
    if options.unique {
        places.dedup_by(|next, kept| keys.are_equal(&numbers, *next as usize, *kept as usize));
    }
    let number = |place: &u64| numbers[*place as usize];
    let lines = || {
        let mut lines = Vec::new();
        for place in &places {
            if options.permutation {
                lines.extend_from_slice(place.to_string().as_bytes());
            } else {
                lines.extend_from_slice(number(place).as_bytes());
            }
            lines.push(b'\n');
        }
        lines
    };
    let shown = || -> Vec<Cow<'_, str>> {
        if options.permutation {
            places
                .iter()
                .map(|place| place.to_string().into())
                .collect()
        } else {
            places.iter().map(|place| number(place).into()).collect()
        }
    };
    deliver(
        options,
        global,
        keys.kind(),
        places.len(),
        time,
        lines,
        shown,
    )
}

/// What numbers in text are sorted by.
#[derive(Debug)]
enum Keys {
    U32(Vec<u32>),
    U64(Vec<u64>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    /// Rounded values.
    F32(Vec<f32>),
    /// Rounded values.
    F64(Vec<f64>),
    /// `Decimal::key` of each.
    Integer(Vec<i64>),
    /// `Decimal::key` of each.
    Decimal(Vec<i64>),
}

impl Keys {
    /// Reads numbers as those of a type; without one as i64, u64, integers or decimals, the first
    /// that holds all of them. An error has the place of the first number that is refused.
    fn of(numbers: &[&str], kind: Option<Type>) -> Result<Keys, (usize, Mistake)> {
        let Some(kind) = kind else {
            return Keys::narrowest(numbers);
        };
        let key_of = |kind| move |text: &str| exact_value(text, kind).map(|value| value.key());
        Ok(match kind {
            Type::U32 => Keys::U32(parsed(numbers, u32::parse)?),
            Type::U64 => Keys::U64(parsed(numbers, u64::parse)?),
            Type::I32 => Keys::I32(parsed(numbers, i32::parse)?),
            Type::I64 => Keys::I64(parsed(numbers, i64::parse)?),
            Type::F32 => Keys::F32(parsed(numbers, f32::parse)?),
            Type::F64 => Keys::F64(parsed(numbers, f64::parse)?),
            Type::Integer => Keys::Integer(parsed(numbers, key_of(kind))?),
            Type::Decimal => Keys::Decimal(parsed(numbers, key_of(kind))?),
        })
    }

    /// Texts that are not numbers are refused as decimals.
    fn narrowest(numbers: &[&str]) -> Result<Keys, (usize, Mistake)> {
        let all = numbers.par_iter();
        if let Some(keys) = all.clone().map(|text| plain_integer(text)).collect() {
            return Ok(Keys::I64(keys));
        }
        if let Some(keys) = all.clone().map(|text| plain_integer(text)).collect() {
            return Ok(Keys::U64(keys));
        }
        let is_written_whole = |text: &&str| {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            let is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
            is_hexadecimal || digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_whole = all.all(is_written_whole);
        let kind = if is_whole {
            Type::Integer
        } else {
            Type::Decimal
        };
        Keys::of(numbers, Some(kind))
    }

    fn kind(&self) -> Type {
        match self {
            Keys::U32(_) => Type::U32,
            Keys::U64(_) => Type::U64,
            Keys::I32(_) => Type::I32,
            Keys::I64(_) => Type::I64,
            Keys::F32(_) => Type::F32,
            Keys::F64(_) => Type::F64,
            Keys::Integer(_) => Type::Integer,
            Keys::Decimal(_) => Type::Decimal,
        }
    }

    /// The stable order of the numbers, as their places in the input.
    fn order(&self, numbers: &[&str], how: Options) -> bezout::Result<Vec<u64>> {
        match self {
            Keys::U32(keys) => sort::permutation(keys, how),
            Keys::U64(keys) => sort::permutation(keys, how),
            Keys::I32(keys) => sort::permutation(keys, how),
            Keys::I64(keys) => sort::permutation(keys, how),
            Keys::F32(keys) => sort::permutation(keys, how),
            Keys::F64(keys) => sort::permutation(keys, how),
            Keys::Integer(keys) | Keys::Decimal(keys) => {
                let mut places: Vec<u64> = (0..keys.len() as u64).collect();
                let mut keys = keys.clone();
                sort::sort_with_values(&mut keys, &mut places, how)?;
                let mut rest = places.as_mut_slice();
                for equal in keys.chunk_by(|a, b| a == b) {
                    let (ties, others) = rest.split_at_mut(equal.len());
                    break_ties(numbers, ties, self.kind(), how.descending);
                    rest = others;
                }
                Ok(places)
            }
        }
    }

    /// Whether two numbers have one value, in the order that is sorted by.
    fn are_equal(&self, numbers: &[&str], a: usize, b: usize) -> bool {
        match self {
            Keys::U32(keys) => keys[a] == keys[b],
            Keys::U64(keys) => keys[a] == keys[b],
            Keys::I32(keys) => keys[a] == keys[b],
            Keys::I64(keys) => keys[a] == keys[b],
            Keys::F32(keys) => keys[a].total_cmp(&keys[b]).is_eq(),
            Keys::F64(keys) => keys[a].total_cmp(&keys[b]).is_eq(),
            Keys::Integer(keys) | Keys::Decimal(keys) => {
                let value = |place: usize| {
                    exact_value(numbers[place], self.kind()).expect("its key was made of this text")
                };
                keys[a] == keys[b] && value(a).order(&value(b)).is_eq()
            }
        }
    }

    fn verify(&self, numbers: &[&str], places: &[u64], descending: bool) -> Result<(), Failure> {
        let rounded: Vec<f64>;
        let rule = match self {
            Keys::F32(keys) => {
                rounded = keys.iter().map(|key| f64::from(*key)).collect();
                Rule::Rounded(&rounded)
            }
            Keys::F64(keys) => Rule::Rounded(keys),
            Keys::Decimal(_) => Rule::Exact { signed_zeros: true },
            _ => Rule::Exact {
                signed_zeros: false,
            },
        };
        verify::check(numbers, places, descending, rule)
    }
}

/// The value of a text that is sorted exactly.
fn exact_value(text: &str, kind: Type) -> Result<Decimal<'_>, Mistake> {
    let value = Decimal::parse(text)?;
    if kind == Type::Decimal {
        return Ok(value);
    }
    let whole = value.whole();
    whole.ok_or_else(|| Mistake::of_type(text, "not a whole number".into()))
}

/// Reads all numbers, or gives the place of the first that is refused.
fn parsed<K: Send>(
    numbers: &[&str],
    parse: impl Fn(&str) -> Result<K, Mistake> + Sync,
) -> Result<Vec<K>, (usize, Mistake)> {
    let keys = numbers.par_iter().map(|text| parse(text).ok());
    if let Some(keys) = keys.collect() {
        return Ok(keys);
    }
    // Threads find any mistake; this finds the first.
    let keys = numbers.iter().enumerate();
    keys.map(|(place, text)| parse(text).map_err(|mistake| (place, mistake)))
        .collect()
}

/// Sorts numbers of equal keys by their exact values.
fn break_ties(numbers: &[&str], places: &mut [u64], kind: Type, descending: bool) {
    let text = |place: u64| numbers[place as usize];
    if places.iter().all(|place| text(*place) == text(places[0])) {
        return;
    }
    let valued = |place: &u64| {
        let value = exact_value(text(*place), kind).expect("its key was made of this text");
        (value, *place)
    };
    let order = |a: &(Decimal<'_>, u64), b: &(Decimal<'_>, u64)| {
        let order = a.0.order(&b.0);
        if descending { order.reverse() } else { order }
    };
    let mut values: Vec<(Decimal<'_>, u64)>;
    if places.len() < MANY {
        values = places.iter().map(valued).collect();
        values.sort_by(order);
    } else {
        values = places.par_iter().map(valued).collect();
        values.par_sort_by(order);
    }
    for (place, (_, sorted)) in places.iter_mut().zip(values) {
        *place = sorted;
    }
}
