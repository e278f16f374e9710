//! Williams's p + 1, on the host: finds p if p + 1, or for half of the seeds p − 1, is a product of
//! prime powers up to B1 and at most one prime up to B2. It uses Lucas sequences: V(0) = 2, V(1) =
//! v and V(a + b) = V(a)·V(b) − V(a − b).

use crate::number::Natural;

use super::ecm::residues::{Residues, common_divisor, with_residues};
use super::ecm::{KeepGoing, Multipliers, Stage2, check};
use crate::error::Result;

/// A proper divisor of an odd n. None if none is found or the work was stopped. Seeds 0 and 1 start
/// with 2/7 and 6/5, for which the group has order p + 1 for all p ≡ 2 modulo 3, and for all p ≡ 3
/// modulo 4. Other seeds start with seed + 1.
pub(crate) fn run(
    n: &Natural,
    b1: u64,
    b2: u64,
    seed: u64,
    keep_going: KeepGoing,
) -> Result<Option<Natural>> {
    let Some((b1, b2)) = check(n, b1, b2)? else {
        return Ok(None);
    };
    Ok(with_residues!(n, ring => find(&ring, n, b1, b2, seed, keep_going)))
}

fn find<R: Residues>(
    ring: &R,
    n: &Natural,
    b1: u64,
    b2: u64,
    seed: u64,
    keep_going: KeepGoing,
) -> Option<Natural> {
    let (numerator, denominator) = match seed {
        0 => (2, 7),
        1 => (6, 5),
        _ => (seed.wrapping_add(1).max(3), 1),
    };
    let denominator = Natural::from(denominator as u64) % n;
    let mut v = match denominator.mod_inverse(n) {
        Some(inverse) => ring.mul(&ring.small(numerator), &ring.import(&inverse)),
        None => ring.small(numerator),
    };
    for by in Multipliers::new(b1) {
        if !keep_going() {
            return None;
        }
        v = lucas(ring, &v, &by);
    }
    let divisor = common_divisor(ring, &ring.sub(&v, &ring.small(2)), n);
    if divisor != Natural::ONE {
        return (divisor != *n).then_some(divisor);
    }
    second_stage(ring, n, &v, b1, b2, keep_going)
}

/// V(k) for k > 0.
fn lucas<R: Residues>(ring: &R, v: &R::Element, k: &Natural) -> R::Element {
    let two = ring.small(2);
    // V(i) and V(i + 1) for the leading bits i of k.
    let (mut low, mut high) = (two.clone(), v.clone());
    for bit in (0..k.bit_length()).rev() {
        let middle = ring.sub(&ring.mul(&low, &high), v);
        if k.bit(bit) {
            high = ring.sub(&ring.sqr(&high), &two);
            low = middle;
        } else {
            low = ring.sub(&ring.sqr(&low), &two);
            high = middle;
        }
    }
    low
}

/// The primes above B1: V(q) = 2 modulo p if V(m·d) = V(j) for q = m·d ± j.
pub(crate) fn second_stage<R: Residues>(
    ring: &R,
    n: &Natural,
    v: &R::Element,
    b1: u64,
    b2: u64,
    keep_going: KeepGoing,
) -> Option<Natural> {
    let stage = Stage2::new(b1, b2)?;
    let two = ring.sub(&ring.sqr(v), &ring.small(2));
    // V(−1) = V(1), then V of all odd numbers in turn.
    let (mut before, mut odd, mut at) = (v.clone(), v.clone(), 1);
    let mut babies = Vec::with_capacity(stage.babies.len());
    for j in &stage.babies {
        while at < *j {
            let next = ring.sub(&ring.mul(&odd, &two), &before);
            (before, odd, at) = (odd, next, at + 2);
        }
        babies.push(odd.clone());
    }
    let step = lucas(ring, v, &Natural::from(stage.d));
    let giant = |m: u32| match m {
        0 => ring.small(2),
        _ => lucas(ring, &step, &Natural::from(m)),
    };
    // V(−d) = V(d).
    let mut last = giant(stage.first.abs_diff(1));
    let mut giant = giant(stage.first);
    let mut product = ring.one();
    for round in stage.rounds() {
        if !keep_going() {
            break;
        }
        for ends in round.starts.windows(2) {
            for place in &round.pairs[ends[0] as usize..ends[1] as usize] {
                product = ring.mul(&product, &ring.sub(&giant, &babies[*place as usize]));
            }
            let next = ring.sub(&ring.mul(&giant, &step), &last);
            (last, giant) = (giant, next);
        }
    }
    let divisor = common_divisor(ring, &product, n);
    (divisor != Natural::ONE && divisor != *n).then_some(divisor)
}
