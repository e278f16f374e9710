//! Product trees and remainder trees: the product of many numbers, and one number modulo each of
//! many, in O(M(n) log n). The algorithms are those of `src/product_tree.rs`.

use crate::error::Result;
use crate::int::Int;
use crate::limbs::Resident;
use crate::product_tree;

/// The product of all factors; 1 if there are none.
///
/// ```
/// use bezout::{Int, tree};
/// let factors: Vec<Int> = (1..=20).map(Int::from).collect();
/// assert_eq!(tree::product(&factors)?, Int::factorial(20));
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn product(factors: &[Int]) -> Result<Int> {
    product_tree::product_of(&limbs_of(factors)).map(Int::from)
}

/// x modulo each of the moduli, from 0 to |modulus| − 1.
///
/// ```
/// use bezout::{Int, tree};
/// let moduli = [3, 5, 7].map(Int::from);
/// assert_eq!(tree::remainders(&Int::from(-1), &moduli)?, [2, 4, 6].map(Int::from));
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn remainders(x: &Int, moduli: &[Int]) -> Result<Vec<Int>> {
    ProductTree::new(moduli)?.try_remainders(x)
}

/// Many numbers, the products of neighbours, and so on up to the product of all: for many
/// remainders by the same moduli.
#[derive(Clone)]
pub struct ProductTree(product_tree::ProductTree);

impl ProductTree {
    /// The tree over these numbers.
    pub fn new(numbers: &[Int]) -> Result<ProductTree> {
        product_tree::ProductTree::new(limbs_of(numbers)).map(ProductTree)
    }

    /// The product of all the numbers; 1 if there are none.
    pub fn product(&self) -> Int {
        self.0.product().cloned().map_or(Int::ONE, Int::from)
    }

    /// x modulo each of the numbers, from 0 to |number| − 1; an error if one of them is 0.
    pub fn try_remainders(&self, x: &Int) -> Result<Vec<Int>> {
        let remainders = self.0.remainders(x.as_limbs())?;
        Ok(remainders.into_iter().map(Int::from).collect())
    }
}

fn limbs_of(numbers: &[Int]) -> Vec<Resident> {
    numbers.iter().map(|x| x.as_limbs().clone()).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::engine::Engine;
    use crate::error::Error;
    use crate::tuning::Tuning;

    #[test]
    fn trees() {
        for engine in Engine::usable() {
            for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
                let small = engine != Engine::Cpu;
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(51);
                for count in [0, 1, 2, 3, 5, if small { 6 } else { 33 }] {
                    let random = |bits, rng: &mut _| -Int::random_bits(bits, rng);
                    let moduli: Vec<Int> = (0..count)
                        .map(|_| random(rng.random_range(1..200), &mut rng))
                        .collect();
                    let x = random(1500, &mut rng);
                    let (product, rests) = tuning.scope(|| {
                        engine.scope(|| {
                            let tree = ProductTree::new(&moduli).unwrap();
                            assert!(product(&moduli).unwrap() == tree.product());
                            (tree.product(), tree.try_remainders(&x).unwrap())
                        })
                    });
                    assert_eq!(product, moduli.iter().product::<Int>());
                    let expected: Vec<Int> = moduli
                        .iter()
                        .map(|m| x.try_rem_euclid(m).unwrap())
                        .collect();
                    assert!(rests[..count] == expected[..], "{engine} {count}");
                }
            }
        }
    }

    #[test]
    fn zero_as_a_modulus() {
        let moduli = [3, 0, 5].map(Int::from);
        assert_eq!(
            remainders(&Int::from(7), &moduli),
            Err(Error::DivisionByZero)
        );
    }
}
