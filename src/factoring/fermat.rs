//! Fermat's method: n = a² − b² = (a − b)·(a + b), for a from the root of n upwards.
//!
//! Finds two factors p and q of n that are close to each other: a = (p + q)/2 exceeds the root of n
//! by (√p − √q)²/2 < (p − q)²/(8·√n), which is the number of steps. A product of two consecutive
//! primes is split in the first step, for any length.

use std::ops::ControlFlow;

use super::ecm::KeepGoing;
use crate::number::Natural;

/// The steps for a number of `bits` bits: a small part of the time of the other methods, a few
/// milliseconds for 4096 bits.
pub(crate) fn steps(bits: u64) -> u64 {
    (16 * bits).min(4096)
}

/// Steps between two checks of `keep_going`.
const PIECE: u64 = 64;

/// 3²·5·7·11·13.
const FILTER: u64 = 45_045;

/// Squares modulo 64 as a set of bits.
const SQUARES_64: u64 = {
    let (mut set, mut x) = (0, 0);
    while x < 64 {
        set |= 1 << (x * x % 64);
        x += 1;
    }
    set
};

/// A proper divisor of an odd n > 1. None if `steps` steps find none or the work was stopped.
pub(crate) fn run(n: &Natural, steps: u64, keep_going: KeepGoing) -> Option<Natural> {
    let (root, rest) = n.sqrt_rem();
    if rest.is_zero() {
        return (root != 1u32).then_some(root);
    }
    let squares: Vec<bool> = squares_modulo(FILTER);
    let mut a = root + Natural::ONE;
    // a² − n.
    let mut difference = a.square() - n;
    let mut step = |a: &mut Natural| -> ControlFlow<Option<Natural>> {
        let low = difference.limbs().first().copied().unwrap_or(0);
        if SQUARES_64 >> (low % 64) & 1 == 1
            && squares[difference.rem_word(FILTER) as usize]
            && let (b, rest) = difference.sqrt_rem()
            && rest.is_zero()
        {
            let divisor = &*a - &b;
            // The last step finds n = 1·n.
            return ControlFlow::Break((divisor != 1u32).then_some(divisor));
        }
        difference += (&*a << 1u64) + Natural::ONE;
        *a += Natural::ONE;
        ControlFlow::Continue(())
    };
    for i in 0..steps {
        if i % PIECE == 0 && !keep_going() {
            return None;
        }
        if let ControlFlow::Break(found) = step(&mut a) {
            return found;
        }
    }
    None
}

/// Which residues modulo m are squares.
fn squares_modulo(m: u64) -> Vec<bool> {
    let mut squares = vec![false; m as usize];
    for x in 0..m {
        squares[(x * x % m) as usize] = true;
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn natural(value: u128) -> Natural {
        Natural::from(value)
    }

    /// Every odd n: the divisor is one, and is found once there are steps enough.
    #[test]
    fn small_numbers() {
        for n in (3..2000u128).step_by(2) {
            let is_prime = (2..n).all(|d| n % d != 0);
            match run(&natural(n), 4 * n as u64, &|| true) {
                Some(divisor) => {
                    let divisor = u128::try_from(&divisor).unwrap();
                    assert!(divisor > 1 && divisor < n && n % divisor == 0, "{n}");
                }
                None => assert!(is_prime, "{n}"),
            }
        }
    }

    #[test]
    fn steps_are_as_many_as_the_bound_says() {
        // p and q with p·q = a² − b².
        let p = (1u128 << 61) - 1;
        for distance in [2u128, 1 << 20, 1 << 32, 1 << 35] {
            let q = p + distance;
            let n = natural(p) * natural(q);
            let bound = (distance as f64).powi(2) / (8.0 * p as f64);
            let found = run(&n, bound as u64 + 1, &|| true);
            assert_eq!(found, Some(natural(p)), "{distance}");
            assert_eq!(run(&n, bound as u64 + 1, &|| false), None);
            if bound > 2.0 {
                assert_eq!(run(&n, bound as u64 / 2, &|| true), None);
            }
        }
    }
}
