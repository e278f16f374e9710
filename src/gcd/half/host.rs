//! Half-GCD on limbs on the host. There are no signs, copies or choices of an engine, because each
//! of them may take as long as a short product.

use super::{Matrix, Pair, correct_remainders, cut};
use crate::error::Result;
use crate::mul::{Number, sums_of_limbs};
use crate::tuning::Tuning;
use crate::word::sum::{add_assign, sub_assign};
use crate::word::{bit_length, lehmer, lehmer::Symbol, significant};

/// Two consecutive remainders and the quotients before them: (a, b) = M·(c, d).
pub(super) struct Reduced {
    pub(super) matrix: lehmer::Matrix,
    pub(super) c: Vec<u64>,
    pub(super) d: Vec<u64>,
}

/// As `super::reduce`.
pub(super) fn reduce(
    a: Vec<u64>,
    b: Vec<u64>,
    bits: u64,
    mut symbol: Option<&mut Symbol>,
) -> Result<Reduced> {
    let (n, m) = (bit_length(&a), bit_length(&b));
    debug_assert!(n > bits);
    if m <= bits {
        let matrix = lehmer::Matrix::identity(1);
        return Ok(Reduced { matrix, c: a, d: b });
    }
    if n <= super::leaf_bits(Tuning::in_force()) {
        let (mut c, mut d) = (a, b);
        let matrix = lehmer::reduce_to(&mut c, &mut d, bits, symbol);
        return Ok(Reduced { matrix, c, d });
    }
    let k = cut(n, bits);
    if k > 0 && k >= n / 8 {
        return leading_part(a, b, (k / 64) as usize, bits, symbol);
    }
    let halfway = super::halfway(n, bits);
    if m <= halfway {
        let mut pair = Pair::from_vecs(a, b);
        let q = pair.step(symbol.as_deref_mut())?;
        let (c, d) = pair.into_vecs()?;
        let next = reduce(c, d, bits, symbol)?;
        let matrix = Matrix::of_quotient(q).times(next.matrix.into())?;
        let matrix = matrix.into_lehmer()?;
        return Ok(Reduced { matrix, ..next });
    }
    let first = reduce(a, b, halfway, symbol.as_deref_mut())?;
    let second = reduce(first.c, first.d, bits, symbol)?;
    let matrix = product(&first.matrix, &second.matrix);
    Ok(Reduced { matrix, ..second })
}

fn natural(limbs: &[u64]) -> Number<'_> {
    let negative = false;
    Number { limbs, negative }
}

fn product(x: &lehmer::Matrix, y: &lehmer::Matrix) -> lehmer::Matrix {
    let numbers: Vec<Number> = x
        .entries
        .iter()
        .chain(&y.entries)
        .map(|e| natural(e))
        .collect();
    let entry = |row: usize, column: usize| vec![(row, 4 + column), (row + 1, 6 + column)];
    let sums = [entry(0, 0), entry(0, 1), entry(2, 0), entry(2, 1)];
    let mut found = sums_of_limbs(&numbers, &sums).into_iter();
    lehmer::Matrix {
        entries: std::array::from_fn(|_| trimmed(found.next().unwrap_or_default().0)),
        odd: x.odd ^ y.odd,
    }
}

/// As `super::leading_part`, for parts above `k` limbs.
fn leading_part(
    a: Vec<u64>,
    b: Vec<u64>,
    k: usize,
    bits: u64,
    mut symbol: Option<&mut Symbol>,
) -> Result<Reduced> {
    let (low_a, low_b) = (&a[..k], &b[..k]);
    let top_bits = bits - 64 * k as u64;
    let top = reduce(
        a[k..].to_vec(),
        b[k..].to_vec(),
        top_bits,
        symbol.as_deref_mut(),
    )?;
    let Reduced { matrix, c, d } = top;
    let [m00, m01, m10, m11] = &matrix.entries;
    let signed = |limbs, negative| Number { limbs, negative };
    let odd = matrix.odd;
    let numbers = [
        signed(m11, odd),
        signed(m01, !odd),
        signed(m10, !odd),
        signed(m00, odd),
        natural(low_a),
        natural(low_b),
    ];
    let mut low =
        sums_of_limbs(&numbers, &[vec![(0, 4), (1, 5)], vec![(2, 4), (3, 5)]]).into_iter();
    let [(x, x_negative), (y, y_negative)] =
        std::array::from_fn(|_| low.next().unwrap_or_default());
    if let (Some(c), Some(d)) = (join(&c, k, &x, x_negative), join(&d, k, &y, y_negative)) {
        let (n, m) = (bit_length(&c), bit_length(&d));
        if m > 0 && m <= bits && bits < n {
            debug_assert!(agree(&matrix, &c, &d, &a, &b));
            return Ok(Reduced { matrix, c, d });
        }
    }
    // About one case in 2^64, or the end with d = 0.
    let mut matrix: Matrix = matrix.into();
    let whole = Pair::from_vecs(a, b);
    let mut pair = matrix.undo(&whole)?;
    correct_remainders(&mut matrix, &mut pair, bits, symbol)?;
    let (c, d) = pair.into_vecs()?;
    let matrix = matrix.into_lehmer()?;
    Ok(Reduced { matrix, c, d })
}

/// top·2^(64·k) ± low without leading zeros. None if it is negative.
fn join(top: &[u64], k: usize, low: &[u64], negative: bool) -> Option<Vec<u64>> {
    let len = low.len().max(k + top.len()) + 1;
    let mut sum = Vec::with_capacity(len);
    sum.resize(k, 0);
    sum.extend_from_slice(top);
    sum.resize(len, 0);
    let carry = if negative {
        sub_assign(&mut sum, low)
    } else {
        add_assign(&mut sum, low)
    };
    if carry {
        return None;
    }
    Some(trimmed(sum))
}

/// x without leading zeros.
fn trimmed(mut x: Vec<u64>) -> Vec<u64> {
    x.truncate(significant(&x));
    x
}

/// Whether (a, b) = M·(c, d) modulo 2^64.
fn agree(matrix: &lehmer::Matrix, c: &[u64], d: &[u64], a: &[u64], b: &[u64]) -> bool {
    let last = |x: &[u64]| x.first().copied().unwrap_or(0);
    let [m00, m01, m10, m11] = matrix.entries.each_ref().map(|entry| last(entry));
    let combined = |m: u64, n: u64| {
        m.wrapping_mul(last(c))
            .wrapping_add(n.wrapping_mul(last(d)))
    };
    combined(m00, m01) == last(a) && combined(m10, m11) == last(b)
}
