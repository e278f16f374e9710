//! A relation as bytes: words of 7 bits per byte, lowest first, the last with its top bit clear.
//!
//! The count of limbs of x and the limbs (8 bytes each), both large primes, the count of factors,
//! and the differences between the columns in ascending order.

use crate::factoring::sieve::relation::Relation;
use crate::number::Natural;

/// Counts beyond these are of no relation.
const MOST_LIMBS: u64 = 64;
const MOST_FACTORS: u64 = 1 << 12;

pub(in crate::factoring::sieve) fn write(relation: &Relation, out: &mut Vec<u8>) {
    let limbs = relation.x.limbs();
    write_word(limbs.len() as u64, out);
    limbs.iter().for_each(|limb| out.extend(limb.to_le_bytes()));
    relation
        .large
        .iter()
        .for_each(|prime| write_word(*prime, out));
    let mut columns = relation.factors.clone();
    columns.sort_unstable();
    write_word(columns.len() as u64, out);
    let mut last = 0;
    for column in columns {
        write_word(u64::from(column - last), out);
        last = column;
    }
}

/// All relations in `bytes`; none if there is anything else in them.
pub(in crate::factoring::sieve) fn read_all(mut bytes: &[u8]) -> Option<Vec<Relation>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        all.push(read(&mut bytes)?);
    }
    Some(all)
}

fn read(bytes: &mut &[u8]) -> Option<Relation> {
    let limbs = read_word(bytes).filter(|count| *count <= MOST_LIMBS)?;
    let limbs: Vec<u64> = (0..limbs)
        .map(|_| {
            bytes
                .split_off(..8)?
                .try_into()
                .ok()
                .map(u64::from_le_bytes)
        })
        .collect::<Option<_>>()?;
    let large = [read_word(bytes)?, read_word(bytes)?];
    let count = read_word(bytes).filter(|count| *count <= MOST_FACTORS)?;
    let mut last = 0u32;
    let mut column = || {
        last = last.checked_add(u32::try_from(read_word(bytes)?).ok()?)?;
        Some(last)
    };
    Some(Relation {
        x: Natural::from_limbs(&limbs),
        factors: (0..count).map(|_| column()).collect::<Option<_>>()?,
        large,
    })
}

fn write_word(mut word: u64, out: &mut Vec<u8>) {
    while word >= 0x80 {
        out.push(word as u8 | 0x80);
        word >>= 7;
    }
    out.push(word as u8);
}

fn read_word(bytes: &mut &[u8]) -> Option<u64> {
    let mut word = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        word |= part << shift;
        if byte < 0x80 {
            return Some(word);
        }
    }
    None
}
