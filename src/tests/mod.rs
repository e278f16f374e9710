//! What holds across operations: faults, laws, progress, and (feature `gmp`) GMP as an oracle for
//! all of them.

mod errors;
mod laws;
mod memory;
#[cfg(feature = "gmp")]
mod oracle;
mod progress;
mod streams;
pub(crate) mod support;

use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{Rng, RngExt};

use crate::int::Int;

/// Numbers of exactly this many limbs: random, and those that carries, borrows, estimates and
/// transforms find hardest.
fn number(limbs: usize, rng: &mut impl Rng) -> Int {
    let bits = 64 * limbs as u64 - rng.random_range(0..64);
    let power = |n: u64| Integer::from(1) << n;
    let one = Integer::from(1);
    let magnitude = match rng.random_range(0..8) {
        0 => power(bits) - one,
        1 => power(bits - 1),
        2 => power(bits - 1) + one,
        3 => power(bits) - power(bits / 2),
        // Few ones, then long runs of ones and of zeros.
        4 => (0..4).fold(power(bits - 1), |x, _| x | power(rng.random_range(0..bits))),
        5 => (0..4).fold(power(bits - 1), |x, _| {
            let from = rng.random_range(0..bits);
            x ^ (power(rng.random_range(from..bits)) - power(from))
        }),
        _ => {
            let mut limbs: Vec<u64> = (0..limbs).map(|_| rng.random()).collect();
            if let Some(top) = limbs.last_mut() {
                *top |= 1 << 63;
            }
            Integer::from(Natural::from_owned_limbs_asc(limbs))
        }
    };
    Int::from(if rng.random() { magnitude } else { -magnitude })
}
