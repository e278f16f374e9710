//! Products of polynomials on the CPU.
//!
//! | coefficients of the shorter | served by |
//! |---|---|
//! | below `poly_ntt_len` (`poly_ntt_wide_len` where `short` has no vector instructions) | the definition (`short`) |
//! | from there on | transforms (`ntt::cpu`), modulo one to four primes of 49 bits |
//!
//! A longer operand of more than four times that length is cut into pieces, for which the shorter
//! one is transformed once.

mod short;

use super::linear;
use super::modulus::Modulus;
use crate::ntt::cpu::{self, HostPlan, Level};
use crate::tuning::Tuning;

/// Places of two factors in a list of operands.
pub(super) type Pair = (usize, usize);

/// a·b.
pub(super) fn mul(a: &[u64], b: &[u64], p: Modulus) -> Vec<u64> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() {
        return Vec::new();
    }
    let tuning = Tuning::in_force();
    if short.len() < least(tuning, p) {
        return short::sum(&[(long, short)], p);
    }
    let one_plan = |long: usize| {
        let pair = [(long, short.len())];
        HostPlan::for_polynomials(&pair, short.len(), p.get(), tuning)
    };
    let piece = if long.len() > 4 * short.len() {
        long.len().div_ceil(long.len().div_ceil(3 * short.len()))
    } else {
        long.len()
    };
    match one_plan(piece) {
        Some(plan) if piece == long.len() => {
            cpu::product(Level::best(), plan, p.get(), long, Some(short))
        }
        Some(plan) => by_pieces(plan, long, short, piece, p),
        // More values than a transform may have.
        None => {
            let (low, high) = long.split_at(long.len() / 2);
            let mut product = mul(low, short, p);
            add_at(&mut product, low.len(), &mul(high, short, p), p);
            product
        }
    }
}

/// Pieces that are transformed before the first sum is reconstructed. This is also the number of
/// transforms in memory.
const PIECES: usize = 8;

fn by_pieces(plan: HostPlan, long: &[u64], short: &[u64], piece: usize, p: Modulus) -> Vec<u64> {
    let mut product = Vec::with_capacity(long.len() + short.len() - 1);
    for (round, part) in long.chunks(PIECES * piece).enumerate() {
        let mut operands = vec![short];
        operands.extend(part.chunks(piece));
        let pairs: Vec<[Pair; 1]> = (1..operands.len()).map(|i| [(0, i)]).collect();
        let sums: Vec<&[Pair]> = pairs.iter().map(|pair| &pair[..]).collect();
        let parts = cpu::sums_of_products(Level::best(), plan, p.get(), &operands, &sums);
        for (at, part) in parts.iter().enumerate() {
            add_at(&mut product, (round * PIECES + at) * piece, part, p);
        }
    }
    product
}

/// sum += x^at·part, for a sum that reaches x^at at least.
fn add_at(sum: &mut Vec<u64>, at: usize, part: &[u64], p: Modulus) {
    let there = (sum.len() - at).min(part.len());
    linear::add_to(&mut sum[at..], &part[..there], p);
    sum.extend_from_slice(&part[there..]);
}

/// a².
pub(super) fn square(a: &[u64], p: Modulus) -> Vec<u64> {
    let tuning = Tuning::in_force();
    if a.len() < least(tuning, p) {
        return mul(a, a, p);
    }
    match HostPlan::for_polynomials(&[(a.len(), a.len())], a.len(), p.get(), tuning) {
        Some(plan) => cpu::product(Level::best(), plan, p.get(), a, None),
        None => mul(a, a, p),
    }
}

/// a·b modulo x^n − 1 for some power of two n ≥ len, all n coefficients. None if the whole product
/// takes no longer. Neither operand has more than `len` coefficients.
pub(super) fn cyclic(a: &[u64], b: &[u64], len: usize, p: Modulus) -> Option<Vec<u64>> {
    let tuning = Tuning::in_force();
    let (shorter, whole) = (a.len().min(b.len()), a.len() + b.len());
    if shorter < least(tuning, p) || 10 * len.next_power_of_two() > 9 * whole {
        return None;
    }
    let plan = HostPlan::for_cyclic(len, shorter, p.get(), tuning)?;
    Some(cpu::product(Level::best(), plan, p.get(), a, Some(b)))
}

/// For each list of pairs of operands, by their places, the sum of their products; zeros may lead.
pub(super) fn sums(operands: &[&[u64]], sums: &[&[Pair]], p: Modulus) -> Vec<Vec<u64>> {
    let tuning = Tuning::in_force();
    let lengths = |&(a, b): &Pair| (operands[a].len(), operands[b].len());
    let there = |(a, b): &(usize, usize)| *a > 0 && *b > 0;
    let pairs: Vec<_> = sums.iter().copied().flatten().map(lengths).collect();
    let longest = pairs.iter().map(|(a, b)| *a.min(b)).max().unwrap_or(0);
    if longest < least(tuning, p) {
        let one = |pairs: &&[Pair]| {
            let pair = |&(a, b): &Pair| (operands[a], operands[b]);
            let list: Vec<_> = pairs.iter().map(pair).collect();
            short::sum(&list, p)
        };
        return sums.iter().map(one).collect();
    }
    let values = pairs.iter().filter(|pair| there(pair)).map(|(a, b)| a + b);
    let even = 2 * values.clone().min().unwrap_or(0) >= values.max().unwrap_or(0);
    if even && pairs.iter().all(there) {
        let terms =
            |pairs: &&[Pair]| -> usize { pairs.iter().map(lengths).map(|(a, b)| a.min(b)).sum() };
        let terms = sums.iter().map(terms).max().unwrap_or(1);
        if let Some(plan) = HostPlan::for_polynomials(&pairs, terms, p.get(), tuning) {
            return cpu::sums_of_products(Level::best(), plan, p.get(), operands, sums);
        }
    }
    let one = |pairs: &&[Pair]| {
        let products = pairs.iter().map(|&(a, b)| mul(operands[a], operands[b], p));
        products.fold(Vec::new(), |sum, product| linear::add(&sum, &product, p))
    };
    sums.iter().map(one).collect()
}

/// The fewest coefficients of the shorter operand for transforms.
fn least(tuning: &Tuning, p: Modulus) -> usize {
    if short::is_fast(p) {
        tuning.poly_ntt_len
    } else {
        tuning.poly_ntt_wide_len
    }
    .clamp(1, short::MOST_TERMS / 4)
}
