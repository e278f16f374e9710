//! Products, powers, quotients and roots. Checked by residues, and by the bounds on remainders.

use bezout::{Int, Result};
use rand::RngExt;

use super::operation::{Operation, numbers, one, two};
use super::residues::Residues;
use super::sample::{self, Rng, Sample};

const MOST_BITS: u64 = 1 << 34;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "mul",
        most_bits: MOST_BITS,
        draw: |bits, rng| Ok(sample::pair(bits, rng)),
        compute: |s| one(s.numbers[0].try_mul(&s.numbers[1])),
        check: |s, found| {
            numbers(found, |[product]| {
                let (a, b) = (Residues::of(&s.numbers[0])?, Residues::of(&s.numbers[1])?);
                Ok(Residues::of(product)? == a * b)
            })
        },
    },
    Operation {
        name: "square",
        most_bits: MOST_BITS,
        draw: single,
        compute: |s| one(s.numbers[0].try_square()),
        check: |s, found| {
            numbers(found, |[square]| {
                Ok(Residues::of(square)? == Residues::of(&s.numbers[0])?.pow(2))
            })
        },
    },
    Operation {
        name: "pow",
        most_bits: MOST_BITS,
        draw: |bits, rng| root_of(bits, rng, true),
        compute: |s| one(s.numbers[0].try_pow(s.count)),
        check: |s, found| {
            numbers(found, |[power]| {
                Ok(Residues::of(power)? == Residues::of(&s.numbers[0])?.pow(s.count))
            })
        },
    },
    Operation {
        name: "divrem",
        most_bits: MOST_BITS,
        draw: dividend,
        compute: |s| two(s.numbers[0].try_div_rem(&s.numbers[1])),
        check: |s, found| {
            numbers(found, |[q, r]| {
                let [a, b] = [&s.numbers[0], &s.numbers[1]];
                let product = Residues::of(q)? * Residues::of(b)?;
                let is_small = r.try_abs()? < b.try_abs()?;
                let has_sign = r.try_is_zero()? || r.try_signum()? == a.try_signum()?;
                Ok(Residues::of(a)? == product + Residues::of(r)? && is_small && has_sign)
            })
        },
    },
    Operation {
        name: "exact",
        most_bits: MOST_BITS,
        draw: multiple,
        compute: |s| one(s.numbers[0].try_div_exact(&s.numbers[1])),
        check: |s, found| {
            numbers(found, |[q]| {
                let [a, b] = [&s.numbers[0], &s.numbers[1]];
                Ok(Residues::of(a)? == Residues::of(q)? * Residues::of(b)?)
            })
        },
    },
    Operation {
        name: "sqrt",
        most_bits: MOST_BITS,
        draw: |bits, rng| {
            let mut sample = root_of(bits, rng, false)?;
            sample.count = 2;
            Ok(sample)
        },
        compute: |s| two(s.numbers[0].try_sqrt_rem()),
        check: |s, found| {
            numbers(found, |[root, rest]| {
                let identity = Residues::of(root)?.pow(2) + Residues::of(rest)?;
                let is_least = !rest.try_is_negative()? && *rest <= root.try_shl(1)?;
                Ok(Residues::of(&s.numbers[0])? == identity && is_least)
            })
        },
    },
    Operation {
        name: "root",
        most_bits: MOST_BITS,
        draw: |bits, rng| root_of(bits, rng, false),
        compute: |s| two(s.numbers[0].try_root_rem(s.count)),
        check: |s, found| {
            numbers(found, |[root, rest]| {
                let a = &s.numbers[0];
                let identity = Residues::of(root)?.pow(s.count) + Residues::of(rest)?;
                let next = root.try_add_small(1)?.try_pow(s.count)?;
                let is_least = !rest.try_is_negative()? && *a < next;
                Ok(Residues::of(a)? == identity && is_least)
            })
        },
    },
];

fn single(bits: u64, rng: &mut Rng) -> Result<Sample> {
    Ok(Sample {
        numbers: vec![sample::number(bits, rng)],
        ..Sample::default()
    })
}

/// A dividend and a divisor other than zero; at times the dividend is next to a multiple.
fn dividend(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let mut sample = multiple(bits, rng)?;
    let offset = match rng.random_range(0..4) {
        0 => Int::from(rng.random_range(-1..=1)),
        1 => Int::ZERO,
        _ => sample::number(bits, rng),
    };
    sample.numbers[0] = sample.numbers[0].try_add(&offset)?;
    Ok(sample)
}

/// A multiple of a divisor, and the divisor.
fn multiple(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let length = sample::other_length(bits, rng);
    let divisor = sample::positive(length, rng);
    let divisor = if rng.random() { -divisor } else { divisor };
    let quotient = sample::number((bits - length.min(bits)).max(1), rng);
    Ok(Sample {
        numbers: vec![quotient.try_mul(&divisor)?, divisor],
        ..Sample::default()
    })
}

/// A number and an exponent: the base of a power of about so many bits, or a number that has a
/// root, which at times is one off a power.
fn root_of(bits: u64, rng: &mut Rng, is_base: bool) -> Result<Sample> {
    let count = if rng.random() {
        rng.random_range(2..5)
    } else {
        rng.random_range(1..40)
    };
    let base = (bits / count).max(1);
    let number = if is_base {
        sample::number(base, rng)
    } else if rng.random_ratio(1, 4) {
        let power = sample::positive(base, rng).try_pow(count)?;
        power.try_add_small(rng.random_range(-1..=1))?
    } else {
        sample::positive(bits, rng)
    };
    Ok(Sample {
        numbers: vec![number],
        count,
        ..Sample::default()
    })
}
