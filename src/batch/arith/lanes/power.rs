//! Powers modulo odd numbers, with one row per lane.

#![allow(unsafe_code)]

use super::montgomery::Modulus;
use super::{BITS, GROUP, Group, Lanes, ROWS, bits_at, pack, unpack};
use crate::word::div::{div_rem_scratch, div_rem_to};
use crate::word::row::addmul_word;
use crate::word::shift::shr_assign;
use crate::word::sum::{compare, sub_assign};
use crate::word::{bit_length, inverse_word, significant, trimmed};

const MASK: u64 = (1 << BITS) - 1;
/// Bits that R has beyond the longest modulus: n ≤ R/16 (`montgomery.rs`).
const ROOM: u64 = 4;

/// base^exponent modulo an odd number. Lengths are any; the modulus is not zero.
#[derive(Clone, Copy)]
pub(in crate::batch::arith) struct Power<'a> {
    pub(in crate::batch::arith) base: &'a [u64],
    pub(in crate::batch::arith) exponent: &'a [u64],
    pub(in crate::batch::arith) modulus: &'a [u64],
}

/// a mod n, in as many limbs as n has. The top limb of n is not zero.
fn remainder(a: &[u64], n: &[u64]) -> Vec<u64> {
    let a = trimmed(a);
    let mut rest = vec![0; n.len()];
    if a.len() < n.len() {
        rest[..a.len()].copy_from_slice(a);
        return rest;
    }
    let mut quotient = vec![0; a.len() - n.len() + 1];
    let mut scratch = vec![0; div_rem_scratch(a.len(), n.len())];
    div_rem_to(&mut quotient, &mut rest, a, n, &mut scratch);
    rest
}

/// 1/B modulo n, at most n, in a limb more than n has. Each step adds the multiple of n that makes
/// the low digit zero, and leaves that digit out.
pub(super) fn fold(n: &[u64], minus_inverse: u64) -> Vec<u64> {
    let mut x = vec![0u64; n.len() + 1];
    x[0] = 1;
    for _ in 0..GROUP {
        let q = x[0].wrapping_mul(minus_inverse) & MASK;
        let (low, high) = x.split_at_mut(n.len());
        high[0] += addmul_word(low, n, q);
        shr_assign(&mut x, BITS);
    }
    x
}

/// One row, ready for its lane.
struct Prepared<'a> {
    modulus: &'a [u64],
    /// The base, reduced modulo n if it has more bits than R.
    base: Vec<u64>,
    minus_inverse: u64,
    fold: Vec<u64>,
    /// R² mod n.
    square: Vec<u64>,
}

impl<'a> Prepared<'a> {
    /// For R = 2^bits.
    fn new(row: &Power<'a>, bits: u64) -> Prepared<'a> {
        let modulus = trimmed(row.modulus);
        let base = if bit_length(row.base) > bits {
            remainder(row.base, modulus)
        } else {
            row.base.to_vec()
        };
        let minus_inverse = inverse_word(modulus[0]).wrapping_neg();
        let mut square = vec![0; (2 * bits / 64 + 1) as usize];
        square[(2 * bits / 64) as usize] = 1 << (2 * bits % 64);
        Prepared {
            modulus,
            base,
            minus_inverse: minus_inverse & MASK,
            fold: fold(modulus, minus_inverse),
            square: remainder(&square, modulus),
        }
    }
}

/// The window w for exponents of `bits` bits, which balances 2^w products for the table and bits/w
/// products.
fn window(bits: u64) -> u32 {
    let cost = |w: &u32| (1 << w) + bits.div_ceil(u64::from(*w));
    (1..=6).min_by_key(cost).unwrap_or(1)
}

/// Entry `indices[row]` of the table for each row, where an entry has `out.len()` groups.
fn choose<L: Lanes>(table: &[Group<L>], indices: &[u64; ROWS], out: &mut [Group<L>]) {
    let words = GROUP * ROWS;
    assert!(size_of::<Group<L>>() == 8 * words && align_of::<Group<L>>() >= 8);
    let len = out.len() * words;
    // SAFETY: a group is GROUP vectors of ROWS lanes of 64 bits each, without padding, as its size
    // says. Any bits are a word, and the words that are copied are whole lanes of such vectors.
    let (table, out) = unsafe {
        (
            std::slice::from_raw_parts(table.as_ptr().cast::<u64>(), table.len() * words),
            std::slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u64>(), len),
        )
    };
    for (row, index) in indices.iter().enumerate() {
        let entry = &table[*index as usize * len..][..len];
        let lanes = entry.iter().skip(row).step_by(ROWS);
        for (out, word) in out.iter_mut().skip(row).step_by(ROWS).zip(lanes) {
            *out = *word;
        }
    }
}

/// Calls `out` with the number of each row and its power, as long as its modulus. There are at most
/// ROWS rows, and at least one.
pub(super) fn powers<L: Lanes>(rows: &[Power<'_>], out: &mut dyn FnMut(usize, &[u64])) {
    assert!((1..=ROWS).contains(&rows.len()));
    // The last row fills the lanes that are left.
    let all: [Power<'_>; ROWS] = std::array::from_fn(|i| rows[i.min(rows.len() - 1)]);
    let longest = |numbers: fn(&Power<'_>) -> u64| all.iter().map(numbers).max().unwrap_or(0);
    let group_bits = u64::from(BITS) * GROUP as u64;
    let groups = (longest(|row| bit_length(row.modulus)) + ROOM).div_ceil(group_bits);
    let prepared: Vec<Prepared<'_>> = all
        .iter()
        .map(|row| Prepared::new(row, groups * group_bits))
        .collect();
    let groups = groups as usize;
    let packed = |numbers: for<'x> fn(&'x Prepared<'_>) -> &'x [u64]| {
        let numbers: Vec<&[u64]> = prepared.iter().map(numbers).collect();
        pack::<L>(&numbers, groups)
    };
    let modulus = Modulus::<L> {
        n: packed(|row| row.modulus),
        fold: packed(|row| &row.fold),
        minus_inverse: L::pack(&std::array::from_fn(|i| prepared[i].minus_inverse)),
    };
    let one = pack::<L>(&[&[1][..]; ROWS], groups);
    let blank = || vec![one[0]; groups];
    let (mut x, mut y, mut quotient) = (blank(), blank(), blank());

    // The powers from 0 to 2^w − 1 in Montgomery's form.
    let bits = longest(|row| bit_length(row.exponent));
    let w = window(bits);
    let mut table = Vec::with_capacity(groups << w);
    let square = packed(|row| &row.square);
    L::mul(&modulus, &square, &one, &mut quotient, &mut x);
    table.extend_from_slice(&x);
    L::mul(
        &modulus,
        &packed(|row| &row.base),
        &square,
        &mut quotient,
        &mut x,
    );
    table.extend_from_slice(&x);
    for i in 2..1 << w {
        let entry = |j: usize| &table[j * groups..(j + 1) * groups];
        if i % 2 == 0 {
            L::square(&modulus, entry(i / 2), &mut quotient, &mut x);
        } else {
            L::mul(&modulus, entry(i - 1), entry(1), &mut quotient, &mut x);
        }
        table.extend_from_slice(&x);
    }

    let digit = |row: &Power<'_>, at: u64| bits_at(row.exponent, at, w);
    let windows = bits.div_ceil(u64::from(w)).max(1);
    let mut factor = blank();
    for i in (0..windows).rev() {
        let at = i * u64::from(w);
        let indices = all.each_ref().map(|row| digit(row, at));
        choose::<L>(&table, &indices, &mut factor);
        if i == windows - 1 {
            x.copy_from_slice(&factor);
            continue;
        }
        for _ in 0..w {
            L::square(&modulus, &x, &mut quotient, &mut y);
            std::mem::swap(&mut x, &mut y);
        }
        L::mul(&modulus, &x, &factor, &mut quotient, &mut y);
        std::mem::swap(&mut x, &mut y);
    }

    L::mul(&modulus, &x, &one, &mut quotient, &mut y);
    for (i, row) in prepared[..rows.len()].iter().enumerate() {
        // Below 4n.
        let n = row.modulus;
        let mut power = unpack::<L>(&y, i, n.len() + 1);
        while compare(trimmed(&power), n).is_ge() {
            if sub_assign(&mut power[..n.len()], n) {
                power[n.len()] -= 1;
            }
        }
        debug_assert!(significant(&power) <= n.len());
        out(i, &power[..n.len()]);
    }
}
