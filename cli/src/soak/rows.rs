//! Batches of rows. Checked row by row, by residues and by single numbers.

use bezout::{Batch, Int, Result};
use rand::RngExt;

use super::operation::{Operation, Value};
use super::residues::Residues;
use super::sample::{self, Rng, Sample};
use super::theory;

const MOST_BITS: u64 = 1 << 26;
/// The widest row that batches compute with, in limbs.
const MOST_WIDTH: u64 = 512;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "rows-mul",
        most_bits: MOST_BITS,
        draw: |bits, rng| Ok(rows(bits, 2, MOST_WIDTH, rng)),
        compute: |s| {
            let [a, b] = batches(s)?;
            limbs(a.all().try_mul_wide(&b.all()))
        },
        check: |s, found| {
            each(s, found, 2, |[a, b], product| {
                let expected = Residues::of_limbs(a) * Residues::of_limbs(b);
                Ok(Residues::of_limbs(product) == expected)
            })
        },
    },
    Operation {
        name: "rows-gcd",
        most_bits: 1 << 22,
        draw: |bits, rng| Ok(rows(bits, 2, MOST_WIDTH, rng)),
        compute: |s| {
            let [a, b] = batches(s)?;
            limbs(a.all().try_gcd(&b.all()))
        },
        check: |s, found| {
            each(s, found, 1, |rows: [&[u64]; 2], g| {
                let [a, b] = rows.map(Int::from_limbs_slice);
                theory::is_gcd(&a, &b, &Int::from_limbs_slice(g))
            })
        },
    },
    Operation {
        name: "rows-powmod",
        most_bits: 1 << 18,
        draw: |bits, rng| {
            let mut sample = rows(bits, 3, 32, rng);
            let width = sample.count as usize;
            let is_odd = rng.random_ratio(3, 4);
            for row in sample.words[2].chunks_exact_mut(width) {
                row[0] |= u64::from(is_odd || row.iter().all(|limb| *limb == 0));
            }
            // Long exponents for narrow rows alone, so that no case takes long.
            for row in sample.words[1].chunks_exact_mut(width) {
                row[(8 / width).clamp(1, width)..].fill(0);
            }
            Ok(sample)
        },
        compute: |s| {
            let [base, exponent, modulus] = batches(s)?;
            limbs(base.all().try_pow_mod(&exponent.all(), &modulus.all()))
        },
        check: |s, found| {
            each(s, found, 1, |rows: [&[u64]; 3], power| {
                let [base, exponent, modulus] = rows.map(Int::from_limbs_slice);
                let expected = theory::pow_mod(&base, &exponent, &modulus)?;
                Ok(Int::from_limbs_slice(power) == expected)
            })
        },
    },
];

/// So many batches of the same shape, with so many bits each at most.
fn rows(bits: u64, batches: usize, most_width: u64, rng: &mut Rng) -> Sample {
    let limbs = bits.div_ceil(64);
    let widest = limbs.min(most_width) as f64;
    let width = (widest.powf(rng.random()) as u64).max(1);
    let count = (limbs / width).max(1);
    let batch = |rng: &mut Rng| -> Vec<u64> {
        let rows = (0..count).map(|_| {
            let mut row = sample::limbs(sample::other_length(64 * width, rng), rng);
            row.resize(width as usize, 0);
            row
        });
        rows.flatten().collect()
    };
    Sample {
        words: (0..batches).map(|_| batch(rng)).collect(),
        count: width,
        ..Sample::default()
    }
}

fn batches<const N: usize>(s: &Sample) -> Result<[Batch; N]> {
    let mut batches = [const { None }; N];
    for (batch, words) in batches.iter_mut().zip(&s.words) {
        *batch = Some(Batch::from_limbs(words.clone(), s.count as usize)?);
    }
    Ok(batches.map(|batch| batch.expect("a batch for each list of words")))
}

fn limbs(batch: Result<Batch>) -> Result<Vec<Value>> {
    Ok(vec![Value::Words(batch?.try_limbs()?.to_vec())])
}

/// Whether a result of rows, so many times as wide as the operands, has as many rows and each
/// passes the test.
fn each<const N: usize>(
    s: &Sample,
    found: &[Value],
    times: usize,
    test: impl Fn([&[u64]; N], &[u64]) -> Result<bool>,
) -> Result<bool> {
    let [Value::Words(found)] = found else {
        return Ok(false);
    };
    let width = s.count as usize;
    if found.len() != times * s.words[0].len() {
        return Ok(false);
    }
    for (i, row) in found.chunks_exact(times * width).enumerate() {
        let operands = std::array::from_fn(|k| &s.words[k][i * width..(i + 1) * width]);
        if !test(operands, row)? {
            return Ok(false);
        }
    }
    Ok(true)
}
