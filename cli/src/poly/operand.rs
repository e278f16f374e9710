//! Arguments of `poly`: a polynomial as an expression, `random:LEN[:SEED]`, `@file` or `-`; lists
//! of numbers; numbers.

use std::fs;

use bezout::poly::{Format, Modulus};
use bezout::{Error, Int, Poly};
use rand::TryRng;
use rand::rngs::SysRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::failure::Failure;
use crate::memory;
use crate::number::{Reader, without_mark};

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Poly,
    /// A number modulo p.
    Residue,
    /// Numbers modulo p.
    Residues,
    /// A number, not modulo anything.
    Number,
}

/// An argument, read.
pub enum Operand {
    Poly(Poly),
    Residues(Vec<u64>),
    Number(Int),
}

impl Operand {
    pub fn poly(&self) -> &Poly {
        match self {
            Operand::Poly(poly) => poly,
            _ => unreachable!("the operation takes a polynomial here"),
        }
    }

    pub fn residues(&self) -> &[u64] {
        match self {
            Operand::Residues(values) => values,
            _ => unreachable!("the operation takes numbers here"),
        }
    }

    pub fn residue(&self) -> u64 {
        self.residues()[0]
    }

    pub fn number(&self) -> &Int {
        match self {
            Operand::Number(number) => number,
            _ => unreachable!("the operation takes a number here"),
        }
    }
}

/// The modulus that an argument stands for: a number below 2^63 or an expression for one.
pub fn modulus(reader: &mut Reader, argument: &str) -> Result<Modulus, Failure> {
    let number = reader.number(argument)?;
    let word = word(&number).ok_or_else(|| {
        Failure::bad_input(format!(
            "modulus {argument} is out of range: it must be a prime from 2 to 2^63 - 1"
        ))
    })?;
    Ok(Modulus::new(word)?)
}

fn word(number: &Int) -> Option<u64> {
    (!number.is_negative() && number.bit_length() <= 64)
        .then(|| number.limbs().first().copied().unwrap_or(0))
}

/// Reads an argument of this kind.
pub fn read(
    reader: &mut Reader,
    argument: &str,
    kind: Kind,
    format: Format,
    p: Modulus,
) -> Result<Operand, Failure> {
    match kind {
        Kind::Poly => poly(reader, argument, format, p).map(Operand::Poly),
        Kind::Number => reader.number(argument).map(Operand::Number),
        Kind::Residue => residue(&reader.number(argument)?, p).map(|c| Operand::Residues(vec![c])),
        Kind::Residues => list(reader, argument, p).map(Operand::Residues),
    }
}

/// A number modulo p.
fn residue(number: &Int, p: Modulus) -> Result<u64, Failure> {
    let rest = number.try_rem_euclid(&Int::from(p.get()))?;
    Ok(word(&rest).unwrap_or(0))
}

/// Text and the name of where it came from.
fn source(reader: &mut Reader, argument: &str) -> Result<Option<(String, String)>, Failure> {
    if argument == "-" {
        let text = reader.text(argument)?.into_owned();
        return Ok(Some((text, "standard input".to_string())));
    }
    let Some(path) = argument.strip_prefix('@') else {
        return Ok(None);
    };
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::bad_input(format!("cannot read '{path}': {error}")))?;
    Ok(Some((without_mark(&text).to_string(), format!("'{path}'"))))
}

fn poly(reader: &mut Reader, argument: &str, format: Format, p: Modulus) -> Result<Poly, Failure> {
    if let Some(shape) = argument.strip_prefix("random:") {
        return random(shape, p);
    }
    match source(reader, argument)? {
        Some((text, name)) => Poly::parse_as(&text, format, p)
            .map_err(|error| placed(error, &text).in_source(format_args!("{name}"))),
        None => Poly::parse(argument, p).map_err(|error| placed(error, argument)),
    }
}

/// `LEN[:SEED]`.
fn random(shape: &str, p: Modulus) -> Result<Poly, Failure> {
    let bad = || {
        Failure::bad_input(format!("'random:{shape}' is not a random polynomial"))
            .hint("random:LEN or random:LEN:SEED, both whole numbers: random:1000:7")
    };
    let (len, seed) = match shape.split_once(':') {
        Some((len, seed)) => (len, Some(seed.parse::<u64>().map_err(|_| bad())?)),
        None => (shape, None),
    };
    let len: usize = len.parse().map_err(|_| bad())?;
    memory::check("the polynomial", 64 * len as u128)?;
    let seed = match seed {
        Some(seed) => seed,
        None => SysRng.try_next_u64().map_err(|error| {
            Failure::failed(format!("the system gave no random seed: {error}"))
                .hint("give one: random:LEN:SEED")
        })?,
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Ok(Poly::random(len, p, &mut rng))
}

/// Numbers with commas, blanks or line ends between them, modulo p.
fn list(reader: &mut Reader, argument: &str, p: Modulus) -> Result<Vec<u64>, Failure> {
    let found = source(reader, argument)?;
    let (text, name) = match &found {
        Some((text, name)) => (text.as_str(), Some(name)),
        None => (argument, None),
    };
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let separators = [',', ' ', '\t', '\r'];
        for word in line.split(separators).filter(|word| !word.is_empty()) {
            let value: Int = word.parse().map_err(|error: Error| {
                let reason = match error {
                    Error::Parse { reason, .. } => reason,
                    other => other.to_string(),
                };
                let place = word.as_ptr() as usize - text.as_ptr() as usize;
                let column = 1 + word.as_ptr() as usize - line.as_ptr() as usize;
                let message = format!("'{word}' is not a number: {reason}");
                let where_ = format!("line {}, position {column}: {message}", number + 1);
                let failure = Failure::bad_input(where_).at(text, place..place + word.len());
                match name {
                    Some(name) => failure.in_source(name),
                    None => failure,
                }
            })?;
            values.push(residue(&value, p)?);
        }
    }
    if values.is_empty() {
        let empty = match name {
            Some(name) => Failure::bad_input(format!("{name} is empty: a number was expected")),
            None => Failure::bad_input("empty: a number was expected"),
        };
        return Err(empty.hint("a list of numbers, such as 1,2,3"));
    }
    Ok(values)
}

/// An error of the library with the place in the text that it names.
fn placed(error: Error, text: &str) -> Failure {
    let Error::Polynomial { line, position, .. } = &error else {
        return error.into();
    };
    let line_start = match line {
        1 => 0,
        _ => text
            .match_indices('\n')
            .nth(line - 2)
            .map_or(text.len(), |(i, _)| i + 1),
    };
    let at = text[line_start..]
        .char_indices()
        .nth(position - 1)
        .map_or(text.len(), |(i, _)| line_start + i);
    Failure::from(error).at(text, at..at)
}
