//! Product trees and remainder trees: the product of many numbers, and one number modulo each of
//! many, in O(M(n) log n). The algorithms are those of `src/product_tree/`.

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

    /// As many factors as go to a device in rows, of one length and of many.
    #[test]
    fn products_of_many() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(52);
        for engine in Engine::usable() {
            for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
                for (count, least, most) in [
                    (63, 2000, 2049),
                    (64, 2000, 2049),
                    (65, 1, 60),
                    (64, 1, 5000),
                    (300, 500, 513),
                ] {
                    let random = |_| {
                        let bits = rng.random_range(least..most);
                        let x = Int::random_bits(bits, &mut rng);
                        if rng.random() { -x } else { x }
                    };
                    let mut factors: Vec<Int> = (0..count).map(random).collect();
                    let expected: Int = factors.iter().product();
                    let found = || engine.scope(|| product(&factors).unwrap());
                    assert_eq!(tuning.scope(found), expected, "{engine} {count} {most}");
                    factors[7] = Int::ZERO;
                    let found = || engine.scope(|| product(&factors).unwrap());
                    assert_eq!(tuning.scope(found), 0, "{engine} {count} {most}");
                }
            }
        }
    }

    /// Factors of all ones fill their rows as far as any do.
    #[test]
    fn products_of_full_factors() {
        for engine in Engine::usable() {
            for bits in [512, 2048, 2047] {
                let one = (Int::ONE << bits) - 1;
                let factors = vec![one.clone(); 130];
                let found = engine.scope(|| product(&factors).unwrap());
                assert_eq!(found, one.pow(130), "{engine} {bits}");
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
