//! Pollard's p − 1, on the host: finds p if p − 1 is a product of prime powers up to B1 and at most
//! one prime up to B2.

use crate::number::Natural;

use super::ecm::residues::{Residues, common_divisor, inverse, with_residues};
use super::ecm::{KeepGoing, Multipliers, check};
use super::pplus1::second_stage;
use crate::error::Result;

/// A proper divisor of an odd n. None if none is found or the work was stopped.
pub(crate) fn run(n: &Natural, b1: u64, b2: u64, keep_going: KeepGoing) -> Result<Option<Natural>> {
    let Some((b1, b2)) = check(n, b1, b2)? else {
        return Ok(None);
    };
    Ok(with_residues!(n, ring => find(&ring, n, b1, b2, keep_going)))
}

fn find<R: Residues>(
    ring: &R,
    n: &Natural,
    b1: u64,
    b2: u64,
    keep_going: KeepGoing,
) -> Option<Natural> {
    let mut x = ring.small(3);
    for by in Multipliers::new(b1) {
        if !keep_going() {
            return None;
        }
        x = power(ring, &x, &by);
    }
    let divisor = common_divisor(ring, &ring.sub(&x, &ring.one()), n);
    if divisor != Natural::ONE {
        return (divisor != *n).then_some(divisor);
    }
    // No inverse where 3 divides n, which is not for this method to find.
    let inverse = ring.import(&inverse(&ring.export(&x), n)?);
    second_stage(ring, n, &ring.add(&x, &inverse), b1, b2, keep_going)
}

/// x^k for k > 0, by windows of four bits.
fn power<R: Residues>(ring: &R, x: &R::Element, k: &Natural) -> R::Element {
    let mut table = vec![ring.one()];
    for i in 0..15 {
        table.push(ring.mul(&table[i], x));
    }
    let mut y = ring.one();
    for digit in (0..k.bit_length().div_ceil(4)).rev() {
        for _ in 0..4 {
            y = ring.sqr(&y);
        }
        let bits = (0..4).map(|i| usize::from(k.bit(4 * digit + i)) << i);
        y = ring.mul(&y, &table[bits.sum::<usize>()]);
    }
    y
}
