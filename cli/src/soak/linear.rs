//! Operations that take time proportional to their operands: sums, shifts, logic, comparisons.
//! Checked by residues and by loops over words in two's complement.

use std::cmp::Ordering;

use bezout::{Int, Result};
use rand::RngExt;

use super::operation::{Operation, Value, numbers, one};
use super::residues::Residues;
use super::sample::{self, Rng, Sample};

const MOST_BITS: u64 = 1 << 36;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "add",
        most_bits: MOST_BITS,
        draw: pair,
        compute: |s| one(s.numbers[0].try_add(&s.numbers[1])),
        check: |s, found| {
            numbers(found, |[sum]| {
                let [a, b] = residues(s)?;
                Ok(Residues::of(sum)? == a + b)
            })
        },
    },
    Operation {
        name: "sub",
        most_bits: MOST_BITS,
        draw: pair,
        compute: |s| one(s.numbers[0].try_sub(&s.numbers[1])),
        check: |s, found| {
            numbers(found, |[difference]| {
                let [a, b] = residues(s)?;
                Ok(Residues::of(difference)? == a - b)
            })
        },
    },
    Operation {
        name: "shl",
        most_bits: MOST_BITS,
        draw: shifted,
        compute: |s| one(s.numbers[0].try_shl(s.count)),
        check: |s, found| {
            numbers(found, |[x]| {
                let a = Residues::of(&s.numbers[0])?;
                Ok(Residues::of(x)? == a * Residues::word(2).pow(s.count))
            })
        },
    },
    Operation {
        name: "shr",
        most_bits: MOST_BITS,
        draw: shifted,
        compute: |s| one(s.numbers[0].try_shr(s.count)),
        check: |s, found| numbers(found, |[x]| is_shifted(&s.numbers[0], s.count, x)),
    },
    Operation {
        name: "and",
        most_bits: MOST_BITS,
        draw: pair,
        compute: |s| one(s.numbers[0].try_and(&s.numbers[1])),
        check: |s, found| bitwise(s, found, |a, b| a & b),
    },
    Operation {
        name: "or",
        most_bits: MOST_BITS,
        draw: pair,
        compute: |s| one(s.numbers[0].try_or(&s.numbers[1])),
        check: |s, found| bitwise(s, found, |a, b| a | b),
    },
    Operation {
        name: "xor",
        most_bits: MOST_BITS,
        draw: pair,
        compute: |s| one(s.numbers[0].try_xor(&s.numbers[1])),
        check: |s, found| bitwise(s, found, |a, b| a ^ b),
    },
    Operation {
        name: "set",
        most_bits: MOST_BITS,
        draw: filled,
        compute: |s| one(Int::try_fill(s.count, s.words[0].len())),
        check: |s, found| {
            numbers(found, |[x]| {
                let limbs = x.try_limbs()?;
                let length = if s.count == 0 { 0 } else { s.words[0].len() };
                let all = limbs.iter().all(|limb| *limb == s.count);
                Ok(all && limbs.len() == length && !x.try_is_negative()?)
            })
        },
    },
    Operation {
        name: "popcount",
        most_bits: MOST_BITS,
        draw: single,
        compute: |s| Ok(vec![s.numbers[0].try_count_ones()?.into()]),
        check: |s, found| Ok(found == [hamming(&s.numbers[0], &Int::ZERO)?.into()]),
    },
    Operation {
        name: "hamming",
        most_bits: MOST_BITS,
        draw: pair,
        compute: |s| {
            Ok(vec![
                s.numbers[0].try_hamming_distance(&s.numbers[1])?.into(),
            ])
        },
        check: |s, found| Ok(found == [hamming(&s.numbers[0], &s.numbers[1])?.into()]),
    },
    Operation {
        name: "compare",
        most_bits: MOST_BITS,
        draw: pair,
        compute: |s| Ok(vec![s.numbers[0].try_cmp(&s.numbers[1])?.into()]),
        check: |s, found| Ok(found == [compare(&s.numbers[0], &s.numbers[1])?.into()]),
    },
];

fn pair(bits: u64, rng: &mut Rng) -> Result<Sample> {
    Ok(sample::pair(bits, rng))
}

fn single(bits: u64, rng: &mut Rng) -> Result<Sample> {
    Ok(Sample {
        numbers: vec![sample::number(bits, rng)],
        ..Sample::default()
    })
}

/// A limb in `count`, and as many words as there are to be set to it.
fn filled(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let limb = match rng.random_range(0..4) {
        0 => [0, 1, u64::MAX, 1 << 63][rng.random_range(0..4)],
        _ => rng.random(),
    };
    Ok(Sample {
        words: vec![vec![limb; bits.div_ceil(64) as usize]],
        count: limb,
        ..Sample::default()
    })
}

/// A number and how far to shift it: at times by whole limbs, at times by more than it has.
fn shifted(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let count = match rng.random_range(0..4) {
        0 => rng.random_range(0..=bits / 64) * 64,
        1 => rng.random_range(0..=64),
        _ => rng.random_range(0..=bits + 64),
    };
    Ok(Sample {
        numbers: vec![sample::number(bits, rng)],
        count,
        ..Sample::default()
    })
}

fn residues(s: &Sample) -> Result<[Residues; 2]> {
    Ok([Residues::of(&s.numbers[0])?, Residues::of(&s.numbers[1])?])
}

/// The words of `x` in two's complement, sign-extended to so many.
fn words(x: &Int, count: usize) -> Result<Vec<u64>> {
    let mut words = x.try_limbs()?.to_vec();
    words.resize(count, 0);
    if x.try_is_negative()? {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(carry.into());
        }
    }
    Ok(words)
}

/// Words enough for both numbers and their signs.
fn common_length(a: &Int, b: &Int) -> Result<usize> {
    Ok(a.try_limbs()?.len().max(b.try_limbs()?.len()) + 1)
}

fn bitwise(s: &Sample, found: &[Value], op: fn(u64, u64) -> u64) -> Result<bool> {
    numbers(found, |[x]| {
        let [a, b] = [&s.numbers[0], &s.numbers[1]];
        let length = common_length(a, b)?;
        if x.try_limbs()?.len() > length {
            return Ok(false);
        }
        let (a, b, x) = (words(a, length)?, words(b, length)?, words(x, length)?);
        Ok(a.iter().zip(&b).zip(&x).all(|((a, b), x)| op(*a, *b) == *x))
    })
}

/// Bits that differ; none where there are infinitely many.
fn hamming(a: &Int, b: &Int) -> Result<Option<u64>> {
    if a.try_is_negative()? != b.try_is_negative()? {
        return Ok(None);
    }
    let length = common_length(a, b)?;
    let (a, b) = (words(a, length)?, words(b, length)?);
    let ones = a
        .iter()
        .zip(&b)
        .map(|(a, b)| u64::from((a ^ b).count_ones()));
    Ok(Some(ones.sum()))
}

fn compare(a: &Int, b: &Int) -> Result<Ordering> {
    let length = common_length(a, b)?;
    let (mut a, mut b) = (words(a, length)?, words(b, length)?);
    // Two's complement in order: the top word is signed.
    for words in [&mut a, &mut b] {
        words[length - 1] ^= 1 << 63;
    }
    Ok(a.iter().rev().cmp(b.iter().rev()))
}

/// Whether x = ⌊a / 2^count⌋, word by word.
fn is_shifted(a: &Int, count: u64, x: &Int) -> Result<bool> {
    let (far, near) = ((count / 64) as usize, count % 64);
    let length = a.try_limbs()?.len() + 1;
    if x.try_limbs()?.len() > length {
        return Ok(false);
    }
    let a = words(a, length)?;
    let sign = if a[length - 1] >> 63 == 1 {
        u64::MAX
    } else {
        0
    };
    let word = |i: usize| a.get(i).copied().unwrap_or(sign);
    let x = words(x, length)?;
    Ok(x.iter().enumerate().all(|(i, x)| {
        let pair = u128::from(word(far + i + 1)) << 64 | u128::from(word(far + i));
        *x == (pair >> near) as u64
    }))
}
