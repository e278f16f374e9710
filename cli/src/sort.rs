//! `bezout sort`: the numbers of a file in order, from text or raw words.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::str::FromStr;
use std::time::Instant;

use bezout::Engine;
use bezout::sort::{self, Key, Options};
use serde::Serialize;

use crate::args::{Global, Sort};
use crate::failure::Failure;
use crate::output;

/// What the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Type {
    U32,
    U64,
    I32,
    I64,
    F32,
    F64,
}

impl Type {
    fn name(self) -> &'static str {
        ["u32", "u64", "i32", "i64", "f32", "f64"][self as usize]
    }
}

/// The object `--json` prints.
#[derive(Serialize)]
struct Record {
    command: &'static str,
    r#type: &'static str,
    count: usize,
    descending: bool,
    /// The numbers, or their places in the input; none where a file has them.
    sorted: Option<Vec<String>>,
    out: Option<String>,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

/// A key type in text and in bytes.
trait Number: Key {
    const TYPE: Type;
    fn parse(text: &str) -> Result<Self, String>;
    fn print(self, to: &mut String);
    fn read(bytes: &[u8]) -> Vec<Self>;
    fn write(self, to: &mut Vec<u8>);
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! numbers {
    ($($number:ty = $kind:ident, $parse:expr, $print:expr, $order:expr;)*) => {$(
        impl Number for $number {
            const TYPE: Type = Type::$kind;
            fn parse(text: &str) -> Result<$number, String> {
                $parse(text)
            }
            fn print(self, to: &mut String) {
                $print(self, to)
            }
            fn read(bytes: &[u8]) -> Vec<$number> {
                let words = bytes.as_chunks().0.iter();
                words.map(|word| <$number>::from_le_bytes(*word)).collect()
            }
            fn write(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
            fn order(&self, other: &$number) -> Ordering {
                $order(self, other)
            }
        }
    )*};
}
numbers! {
    u32 = U32, whole, digits, Ord::cmp;
    u64 = U64, whole, digits, Ord::cmp;
    i32 = I32, whole, digits, Ord::cmp;
    i64 = I64, whole, digits, Ord::cmp;
    f32 = F32, real, |x: f32, to: &mut String| floating(f64::from(x).is_sign_negative(), x.is_nan(), x, to), f32::total_cmp;
    f64 = F64, real, |x: f64, to: &mut String| floating(x.is_sign_negative(), x.is_nan(), x, to), f64::total_cmp;
}

/// An integer, decimal or as -0x1f.
fn whole<N: TryFrom<i128>>(text: &str) -> Result<N, String> {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = match magnitude.strip_prefix("0x") {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16),
        _ if magnitude.starts_with(['+', '-']) => return Err("it has two signs".into()),
        _ => magnitude.parse(),
    };
    let value = digits.map_err(|error| error.to_string())?;
    N::try_from(sign * value).map_err(|_| "it is out of range".into())
}

fn real<N: FromStr<Err = std::num::ParseFloatError>>(text: &str) -> Result<N, String> {
    text.parse().map_err(|error: N::Err| error.to_string())
}

fn digits(number: impl std::fmt::Display, to: &mut String) {
    let _ = write!(to, "{number}");
}

/// As Rust prints it, which reads back as the same number; a NaN has its sign, as it counts in the order.
fn floating(negative: bool, is_nan: bool, number: impl std::fmt::Display, to: &mut String) {
    let _ = match (is_nan, negative) {
        (true, true) => write!(to, "-NaN"),
        _ => write!(to, "{number}"),
    };
}

/// Runs the command.
pub fn run(options: &Sort, global: &Global) -> Result<(), Failure> {
    let (name, bytes) = contents(&options.file)?;
    if options.binary {
        let Some(kind) = options.kind else {
            return Err(Failure::bad_input(
                "--binary needs --type: words have no type of their own",
            ));
        };
        return with_type(kind, &name, &bytes, options, global);
    }
    let text = str::from_utf8(&bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        Failure::bad_input(format!("{name}, line {line}: not text"))
            .hint("raw words need --binary and --type")
    })?;
    let kind = options.kind.unwrap_or_else(|| narrowest(text));
    with_type(kind, &name, &bytes, options, global)
}

fn with_type(
    kind: Type,
    name: &str,
    bytes: &[u8],
    options: &Sort,
    global: &Global,
) -> Result<(), Failure> {
    match kind {
        Type::U32 => sorted::<u32>(name, bytes, options, global),
        Type::U64 => sorted::<u64>(name, bytes, options, global),
        Type::I32 => sorted::<i32>(name, bytes, options, global),
        Type::I64 => sorted::<i64>(name, bytes, options, global),
        Type::F32 => sorted::<f32>(name, bytes, options, global),
        Type::F64 => sorted::<f64>(name, bytes, options, global),
    }
}

/// What is in a file or on stdin, and what to call it.
pub fn contents(file: &str) -> Result<(String, Vec<u8>), Failure> {
    if file == "-" {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::bad_input(format!("cannot read standard input: {error}")))?;
        return Ok(("standard input".into(), bytes));
    }
    let bytes = fs::read(file)
        .map_err(|error| Failure::bad_input(format!("cannot read '{file}': {error}")))?;
    Ok((format!("'{file}'"), bytes))
}

/// The numbers of a text, each with its line.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = (1..).zip(text.lines().map(str::trim));
    numbered.filter(|(_, line)| !line.is_empty())
}

/// i64 if every number is one, or else u64, or else f64.
fn narrowest(text: &str) -> Type {
    let all = |fits: fn(&str) -> bool| lines(text).all(|(_, number)| fits(number));
    if all(|number| i64::parse(number).is_ok()) {
        Type::I64
    } else if all(|number| u64::parse(number).is_ok()) {
        Type::U64
    } else {
        Type::F64
    }
}

fn read<N: Number>(name: &str, bytes: &[u8], binary: bool) -> Result<Vec<N>, Failure> {
    let kind = N::TYPE.name();
    if binary {
        return match bytes.len().is_multiple_of(size_of::<N>()) {
            true => Ok(N::read(bytes)),
            false => Err(Failure::bad_input(format!(
                "{name}: {} bytes are not whole words of type {kind}",
                bytes.len()
            ))),
        };
    }
    let text = str::from_utf8(bytes).unwrap_or_default();
    let numbers = lines(text).map(|(line, number)| {
        N::parse(number).map_err(|reason| {
            Failure::bad_input(format!(
                "{name}, line {line}: not a number of type {kind}: {reason}"
            ))
            .at(number, 0..number.len())
        })
    });
    numbers.collect()
}

/// Reads, sorts and prints numbers of one type.
fn sorted<N: Number>(
    name: &str,
    bytes: &[u8],
    options: &Sort,
    global: &Global,
) -> Result<(), Failure> {
    let mut how = Options::default().algorithm(options.algorithm.into());
    if let Some(bits) = options.bits {
        how = how.bits(bits);
    }
    if options.descending {
        how = how.descending();
    }
    let input = output::watch(global, "reading", || read::<N>(name, bytes, options.binary))?;
    let mut keys = input.clone();
    let mut places: Vec<u64> = match options.permutation {
        true => (0..keys.len() as u64).collect(),
        false => Vec::new(),
    };
    let start = Instant::now();
    output::watch(global, "sorting", || match options.permutation {
        true => sort::sort_with_values(&mut keys, &mut places, how),
        false => sort::sort(&mut keys, how),
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let engine = Engine::last_used().unwrap_or(Engine::Cpu);
    if global.verify {
        output::watch(global, "verifying", || {
            verify(&input, &keys, &places, options.descending)
        })?;
        output::remark(
            global,
            "verified: the standard library's sort gives the same",
        );
    }
    let words: Vec<u8> = match (options.binary, options.permutation) {
        (true, true) => places
            .iter()
            .flat_map(|place| place.to_le_bytes())
            .collect(),
        (true, false) => keys.iter().fold(Vec::new(), |mut bytes, key| {
            key.write(&mut bytes);
            bytes
        }),
        (false, _) => Vec::new(),
    };
    let text = || match options.permutation {
        true => places.iter().map(u64::to_string).collect::<Vec<_>>(),
        false => keys.iter().map(|key| shown(*key)).collect(),
    };
    if let Some(out) = &options.out {
        let bytes = match options.binary {
            true => words,
            false => joined(&text()).into_bytes(),
        };
        fs::write(out, bytes).map_err(|error| {
            Failure::failed(format!("cannot write '{}': {error}", out.display()))
        })?;
    } else if options.binary && !global.json {
        output::bytes(&words)?;
    } else if !global.json && !keys.is_empty() {
        output::text(&joined(&text()))?;
    }
    if !global.json {
        return Ok(());
    }
    output::json(&Record {
        command: "sort",
        r#type: N::TYPE.name(),
        count: keys.len(),
        descending: options.descending,
        sorted: options.out.is_none().then(text),
        out: options.out.as_ref().map(|path| path.display().to_string()),
        engine: engine.to_string(),
        seconds,
        verified: global.verify.then_some(true),
    })
}

fn shown<N: Number>(number: N) -> String {
    let mut text = String::new();
    number.print(&mut text);
    text
}

fn joined(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |mut all, line| {
        all.push_str(line);
        all.push('\n');
        all
    })
}

/// Compares with the standard library's stable sort.
fn verify<N: Number>(
    input: &[N],
    keys: &[N],
    places: &[u64],
    descending: bool,
) -> Result<(), Failure> {
    let mut pairs: Vec<(N, u64)> = input.iter().copied().zip(0..).collect();
    pairs.sort_by(|a, b| match descending {
        true => b.0.order(&a.0),
        false => a.0.order(&b.0),
    });
    let same = pairs
        .iter()
        .zip(keys)
        .all(|(pair, key)| pair.0.order(key).is_eq());
    let same_places = pairs
        .iter()
        .zip(places)
        .all(|(pair, place)| pair.1 == *place);
    match same && same_places && pairs.len() == keys.len() {
        true => Ok(()),
        false => Err(Failure::failed(
            "verification failed: the standard library's sort differs",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_their_type() {
        assert_eq!(u32::parse("4294967295"), Ok(u32::MAX));
        assert_eq!(i64::parse("-0x1f"), Ok(-31));
        assert_eq!(i32::parse("+5"), Ok(5));
        for bad in [
            "",
            "-",
            "4294967296",
            "-1",
            "1.5",
            "0x",
            "--1",
            "0x-1",
            "1 2",
            "abc",
        ] {
            assert!(u32::parse(bad).is_err(), "{bad}");
        }
        assert!(f64::parse("nan").is_ok_and(f64::is_nan));
        assert_eq!(f32::parse("-1e3"), Ok(-1000.0));
        assert!(f64::parse("one").is_err());
    }

    #[test]
    fn types_are_as_narrow_as_the_numbers() {
        assert_eq!(narrowest("1\n-2\n\n3"), Type::I64);
        assert_eq!(narrowest("1\n18446744073709551615"), Type::U64);
        assert_eq!(narrowest("1\n18446744073709551616"), Type::F64);
        assert_eq!(narrowest("1\n2.5"), Type::F64);
        assert_eq!(narrowest(""), Type::I64);
    }

    #[test]
    fn floating_point_numbers_keep_their_signs() {
        assert_eq!(shown(-0.0f64), "-0");
        assert_eq!(shown(-f32::NAN), "-NaN");
        assert_eq!(shown(f64::NAN), "NaN");
        assert_eq!(shown(0.1f32), "0.1");
    }

    #[test]
    fn verification_refuses_a_wrong_order() {
        let input = [3u32, 1, 2];
        assert!(verify(&input, &[1, 2, 3], &[1, 2, 0], false).is_ok());
        assert!(verify(&input, &[3, 2, 1], &[], true).is_ok());
        assert!(verify(&input, &[1, 3, 2], &[], false).is_err());
        assert!(verify(&input, &[1, 2, 3], &[1, 0, 2], false).is_err());
        assert!(verify(&input, &[1, 2], &[], false).is_err());
    }
}
