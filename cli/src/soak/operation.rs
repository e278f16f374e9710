//! What is tried: an operation's operands, its computation, and the check of its result.

use std::cmp::Ordering;

use bezout::{Error, Int, Result};
use rand::{RngExt, SeedableRng};

use super::sample::{Rng, Sample};
use super::{linear, polynomials, products, rows, sorting, text, theory};

/// One value of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(Int),
    Text(String),
    /// Rows of a batch, coefficients of a polynomial, or keys.
    Words(Vec<u64>),
    /// There is no such number.
    Nothing,
}

impl From<Int> for Value {
    fn from(x: Int) -> Value {
        Value::Number(x)
    }
}

impl From<Option<u64>> for Value {
    fn from(x: Option<u64>) -> Value {
        x.map_or(Value::Nothing, |x| Value::Number(x.into()))
    }
}

impl From<Ordering> for Value {
    fn from(order: Ordering) -> Value {
        Value::Number((order as i32).into())
    }
}

impl Value {
    /// Brings the value to the host.
    pub fn fetch(&self) -> Result<()> {
        if let Value::Number(x) = self {
            x.try_fetch()?;
        }
        Ok(())
    }

    /// Makes the value wrong by a bit, a digit or a word.
    pub fn spoil(&mut self, rng: &mut Rng) -> Result<()> {
        match self {
            Value::Number(x) => x.try_flip_bit(rng.random_range(0..=x.try_bit_length()?))?,
            Value::Text(text) => {
                let last = text.pop();
                text.push(if last == Some('0') { '1' } else { '0' });
            }
            Value::Words(words) => {
                let at = rng.random_range(0..=words.len());
                match words.get_mut(at) {
                    Some(word) => *word ^= 1 << rng.random_range(0..64),
                    None => words.push(1),
                }
            }
            Value::Nothing => *self = Int::ZERO.into(),
        }
        Ok(())
    }
}

/// An operation of the library.
#[derive(Debug)]
pub struct Operation {
    pub name: &'static str,
    /// The longest case, in bits, that does not take minutes.
    pub most_bits: u64,
    /// Operands of about so many bits.
    pub draw: fn(u64, &mut Rng) -> Result<Sample>,
    /// The result on the engine in force.
    pub compute: fn(&Sample) -> Result<Vec<Value>>,
    /// Whether a result is right, found without the operation itself.
    pub check: fn(&Sample, &[Value]) -> Result<bool>,
}

/// Every operation there is.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    [
        linear::OPERATIONS,
        products::OPERATIONS,
        theory::OPERATIONS,
        text::OPERATIONS,
        rows::OPERATIONS,
        polynomials::OPERATIONS,
        sorting::OPERATIONS,
    ]
    .into_iter()
    .flatten()
}

/// All operations whose time is proportional to the length of their operands.
const LINEAR: &str = "linear";

/// The operation of this name.
fn named(name: &str) -> Result<&'static Operation, String> {
    all()
        .find(|operation| operation.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = all().map(|operation| operation.name).collect();
            let names = names.join(", ");
            format!("there is no such operation; there are {names}, and {LINEAR} for the first")
        })
}

/// The operation of this name, or all of a group.
pub fn chosen(name: &str) -> Result<&'static [Operation], String> {
    match name {
        LINEAR => Ok(linear::OPERATIONS),
        _ => named(name).map(std::slice::from_ref),
    }
}

/// The result of an operation with one number.
pub fn one(x: Result<Int>) -> Result<Vec<Value>> {
    Ok(vec![x?.into()])
}

/// The result of an operation with two numbers.
pub fn two(x: Result<(Int, Int)>) -> Result<Vec<Value>> {
    let (x, y) = x?;
    Ok(vec![x.into(), y.into()])
}

/// A test of a result that must be so many numbers; any other result is wrong.
pub fn numbers<const N: usize>(
    found: &[Value],
    test: impl FnOnce([&Int; N]) -> Result<bool>,
) -> Result<bool> {
    let numbers: Option<Vec<&Int>> = found
        .iter()
        .map(|value| match value {
            Value::Number(x) => Some(x),
            _ => None,
        })
        .collect();
    match numbers.and_then(|numbers| numbers.try_into().ok()) {
        Some(numbers) => test(numbers),
        None => Ok(false),
    }
}

/// A case: an operation, the length of its operands in bits, and the seed of what they look like.
/// Its text, `OPERATION:BITS:SEED`, is all that is needed to run it again.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub operation: &'static Operation,
    pub bits: u64,
    pub seed: u64,
}

impl Case {
    /// The operands, and the generator for what else is random.
    pub fn sample(&self) -> Result<(Sample, Rng)> {
        let mut rng = Rng::seed_from_u64(self.seed);
        let sample = (self.operation.draw)(self.bits, &mut rng)?;
        Ok((sample, rng))
    }

    /// The case of this text.
    pub fn parse(text: &str) -> Result<Case, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let [name, bits, seed] = parts[..] else {
            return Err("write it as OPERATION:BITS:SEED, such as mul:4097:1f2e".into());
        };
        let operation = named(name)?;
        let bits = bits.parse().ok().filter(|bits| *bits > 0);
        let seed = u64::from_str_radix(seed, 16).ok();
        let (Some(bits), Some(seed)) = (bits, seed) else {
            return Err("BITS is a number above 0 and SEED a hexadecimal one".into());
        };
        Ok(Case {
            operation,
            bits,
            seed,
        })
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{:x}", self.operation.name, self.bits, self.seed)
    }
}

/// Whether an error says that there is no such number.
pub fn is_domain(error: &Error) -> bool {
    matches!(error, Error::Domain(_))
}
