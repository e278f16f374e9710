//! Printing and parsing. Checked by residues that are taken from the digits themselves.

use bezout::{Int, Result};
use rand::RngExt;

use super::operation::{Operation, Value, numbers, one};
use super::residues::Residues;
use super::sample::{self, Rng, Sample};

const MOST_BITS: u64 = 1 << 32;
const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "print",
        most_bits: MOST_BITS,
        draw: |bits, rng| {
            Ok(Sample {
                numbers: vec![sample::number(bits, rng)],
                count: radix(rng).into(),
                ..Sample::default()
            })
        },
        compute: |s| {
            let text = s.numbers[0].try_to_string_radix(s.count as u32)?;
            Ok(vec![Value::Text(text)])
        },
        check: |s, found| {
            let [Value::Text(text)] = found else {
                return Ok(false);
            };
            let expected = Residues::of(&s.numbers[0])?;
            Ok(Residues::of_text(text, s.count as u32) == Some(expected))
        },
    },
    Operation {
        name: "parse",
        most_bits: MOST_BITS,
        draw: digits,
        compute: |s| one(Int::from_str_radix(&s.text, s.count as u32)),
        check: |s, found| {
            numbers(found, |[x]| {
                let expected = Residues::of_text(&s.text, s.count as u32);
                Ok(Some(Residues::of(x)?) == expected)
            })
        },
    },
];

fn radix(rng: &mut Rng) -> u32 {
    if rng.random() {
        10
    } else {
        rng.random_range(2..=36)
    }
}

/// The text of a number of about so many bits: random digits, or a few other than zero, or nines.
fn digits(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let radix = radix(rng);
    let count = (bits as f64 / f64::from(radix).log2()).ceil() as usize;
    let random = |rng: &mut Rng| DIGITS[rng.random_range(0..radix as usize)];
    let mut digits = match rng.random_range(0..8) {
        0 => vec![DIGITS[radix as usize - 1]; count],
        1 => {
            let mut digits = vec![b'0'; count];
            digits[rng.random_range(0..count)] = random(rng);
            digits
        }
        _ => (0..count).map(|_| random(rng)).collect(),
    };
    if digits[0] == b'0' {
        digits[0] = b'1';
    }
    if rng.random() {
        digits.insert(0, b'-');
    }
    Ok(Sample {
        text: String::from_utf8_lossy(&digits).into_owned(),
        count: radix.into(),
        ..Sample::default()
    })
}
