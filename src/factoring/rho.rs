//! Pollard's rho as Brent has it (*An improved Monte Carlo factorization algorithm*, BIT 20
//! (1980)): x → x² + c in Montgomery's form, and one greatest common divisor for many steps.

use crate::number::Natural;

use super::ecm::residues::{Residues, common_divisor, with_residues};

/// Differences multiplied up before a greatest common divisor is taken.
const BATCH: u64 = 512;

/// A proper divisor of odd n > 1, if about `steps` steps find one.
pub(crate) fn run(n: &Natural, steps: u64, keep_going: &dyn Fn() -> bool) -> Option<Natural> {
    with_residues!(n, ring => walk(&ring, n, steps, keep_going))
}

fn walk<R: Residues>(
    ring: &R,
    n: &Natural,
    steps: u64,
    keep_going: &dyn Fn() -> bool,
) -> Option<Natural> {
    let proper = |divisor: &Natural| *divisor > 1u32 && divisor < n;
    let (mut left, mut constant) = (steps, 1);
    while left > 0 {
        let c = ring.small(constant);
        let step = |y: &R::Element| ring.add(&ring.sqr(y), &c);
        let (mut y, mut product) = (ring.small(2), ring.one());
        let mut span = 1;
        'walk: loop {
            let x = y.clone();
            (0..span).for_each(|_| y = step(&y));
            left = left.saturating_sub(span);
            let mut done = 0;
            while done < span {
                let start = y.clone();
                let batch = BATCH.min(span - done);
                for _ in 0..batch {
                    y = step(&y);
                    product = ring.mul(&product, &ring.sub(&x, &y));
                }
                done += batch;
                left = left.saturating_sub(batch);
                let divisor = common_divisor(ring, &product, n);
                if proper(&divisor) {
                    return Some(divisor);
                }
                if divisor != 1u32 {
                    // All at once: step by step from where there was none.
                    y = start;
                    for _ in 0..batch {
                        y = step(&y);
                        let divisor = common_divisor(ring, &ring.sub(&x, &y), n);
                        if proper(&divisor) {
                            return Some(divisor);
                        }
                        if divisor != 1u32 {
                            break 'walk;
                        }
                    }
                    break 'walk;
                }
                if left == 0 || !keep_going() {
                    return None;
                }
            }
            span *= 2;
        }
        constant += 1;
    }
    None
}
