//! From a product of relations that is a square to a divisor of n.

use crate::number::Natural;

use super::Relations;
use super::plan::Plan;
use crate::factor::ecm::residues::{Residues, with_residues};

/// A proper divisor of n, if these usable relations give one.
pub(super) fn divisor(plan: &Plan, relations: &Relations, product: &[usize]) -> Option<Natural> {
    let n = &plan.n;
    let difference = with_residues!(n, ring => difference(&ring, plan, relations, product))?;
    let divisor = n.gcd(&difference);
    let (_, rest) = n.div_rem(&divisor);
    (divisor != 1u32 && divisor != *n && rest == 0u32).then_some(divisor)
}

/// X − Y modulo n, up to a factor that is prime to n; none if an exponent is odd.
fn difference<R: Residues>(
    ring: &R,
    plan: &Plan,
    relations: &Relations,
    product: &[usize],
) -> Option<Natural> {
    let mut exponents = vec![0u32; plan.columns()];
    let (mut x, mut y) = (ring.one(), ring.one());
    let import = |x: u128| {
        let limbs = [x as u64, (x >> 64) as u64];
        ring.import(&(Natural::from_limbs(&limbs) % &plan.n))
    };
    for usable in product {
        let (first, second) = relations.usable[*usable];
        for at in [Some(first), second].into_iter().flatten() {
            let relation = &relations.all[at];
            x = ring.mul(&x, &import(relation.x));
            for column in &relation.columns {
                exponents[*column as usize] += 1;
            }
        }
        if second.is_some() {
            y = ring.mul(&y, &ring.small(relations.all[first].large.into()));
        }
    }
    if exponents.iter().any(|exponent| exponent % 2 == 1) {
        return None;
    }
    // Powers of primes are gathered in one word before they are multiplied in.
    let primes = [1, 2].into_iter().chain(plan.base.p.iter().copied());
    let mut word = 1u64;
    for (p, exponent) in primes.zip(&exponents) {
        for _ in 0..exponent / 2 {
            word = match word.checked_mul(p.into()) {
                Some(word) => word,
                None => {
                    y = ring.mul(&y, &ring.small(word));
                    p.into()
                }
            };
        }
    }
    y = ring.mul(&y, &ring.small(word));
    Some(ring.export(&ring.sub(&x, &y)))
}
