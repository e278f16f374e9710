//! Operands that go wrong where something is wrong.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Modulus, Poly};

/// A polynomial of this many coefficients of some kind: random, all largest, sparse, or a power of
/// x with little else.
pub(super) fn some(len: usize, kind: usize, p: Modulus, rng: &mut Xoshiro256PlusPlus) -> Poly {
    let mut values = Poly::random(len, p, rng).coefficients().to_vec();
    match kind % 4 {
        1 => values.fill(p.get() - 1),
        2 => {
            for c in &mut values {
                if rng.random_ratio(3, 4) {
                    *c = 0;
                }
            }
        }
        3 if len > 2 => values[1..len - 1].fill(0),
        _ => {}
    }
    if let Some(top) = values.last_mut() {
        *top = (*top).max(1);
    }
    Poly::new(values, p).unwrap()
}

/// Two polynomials with Euclid's quotients of these degrees, below a common factor of `common`
/// coefficients: their gcd.
pub(super) fn with_quotients(
    degrees: &[usize],
    common: usize,
    p: Modulus,
    rng: &mut Xoshiro256PlusPlus,
) -> (Poly, Poly, Poly) {
    let g = Poly::random(common, p, rng).try_monic().unwrap();
    let (mut a, mut b) = (g.clone(), Poly::zero(p));
    for degree in degrees {
        let q = Poly::random(degree + 1, p, rng);
        (a, b) = (&q * &a + &b, a);
    }
    (a, b, g)
}
