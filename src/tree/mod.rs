//! Product trees and remainder trees: the product of many numbers, and one number modulo each of
//! many, in O(M(n) log n).
//!
//! Neighbours are multiplied, then neighbouring products, up to one. Down the same tree, the
//! remainder at a node is taken modulo both of its children (Bernstein, *Fast multiplication and
//! its applications*, 2008, sections 15 to 18). The nodes of a level go to all threads; on a device
//! the long ones are its work.

use crate::div::{self, Rounding};
use crate::engine;
use crate::error::{Error, Result};
use crate::int::Int;
use crate::limbs::Resident;
use crate::model::Tuning;
use crate::mul::mul;
use crate::progress::{self, Stage};

/// The product of all factors; 1 if there are none.
///
/// ```
/// use bezout::{Int, tree};
/// let factors: Vec<Int> = (1..=20).map(Int::from).collect();
/// assert_eq!(tree::product(&factors)?, Int::factorial(20));
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn product(factors: &[Int]) -> Result<Int> {
    let factors: Vec<Resident> = factors.iter().map(|x| x.as_limbs().clone()).collect();
    product_of(&factors).map(Int::from)
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

/// The product of limbs by halves, on threads.
pub(crate) fn product_of(factors: &[Resident]) -> Result<Resident> {
    progress::stage("product", work_of(factors.len()), |stage| {
        halves(stage, factors)
    })
}

/// Units of work of a tree: its numbers once for each level, as levels take about the same time.
fn work_of(numbers: usize) -> u64 {
    numbers as u64 * u64::from(numbers.next_power_of_two().ilog2())
}

fn halves(stage: &Stage, factors: &[Resident]) -> Result<Resident> {
    match factors {
        [] => Ok(Resident::from(crate::number::Integer::ONE)),
        [one] => Ok(one.clone()),
        _ => {
            let (left, right) = factors.split_at(factors.len() / 2);
            let (left, right) = engine::join(|| halves(stage, left), || halves(stage, right));
            let product = times(&left?, &right?)?;
            stage.advance(factors.len() as u64)?;
            Ok(product)
        }
    }
}

/// a·b, on the host where the product is too short for a device.
pub(crate) fn times(a: &Resident, b: &Resident) -> Result<Resident> {
    let bits = a.bits_bound().saturating_add(b.bits_bound());
    engine::suited(bits, Tuning::current().pow_limbs, || mul(a, b))
}

/// Many numbers, the products of neighbours, and so on up to the product of all: for many
/// remainders by the same moduli.
#[derive(Clone)]
pub struct ProductTree {
    /// The numbers first, the product last; a number without a neighbour moves up as it is.
    levels: Vec<Vec<Resident>>,
}

impl ProductTree {
    /// The tree over these numbers.
    pub fn new(numbers: &[Int]) -> Result<ProductTree> {
        let first: Vec<Resident> = numbers.iter().map(|x| x.as_limbs().clone()).collect();
        let total = work_of(numbers.len());
        let levels = progress::stage("product tree", total, |stage| {
            let mut levels = vec![first];
            while let Some(below) = levels.last().filter(|level| level.len() > 1) {
                let pairs: Vec<&[Resident]> = below.chunks(2).collect();
                let width = 1 << levels.len();
                let level = engine::map(&pairs, &|pair: &&[Resident]| {
                    let product = match pair {
                        [a, b] => times(a, b)?,
                        [alone, ..] => alone.clone(),
                        [] => return Err(Error::Domain("an empty pair".into())),
                    };
                    stage.advance(width)?;
                    Ok(product)
                })?;
                levels.push(level);
            }
            Ok(levels)
        })?;
        Ok(ProductTree { levels })
    }

    /// The product of all the numbers; 1 if there are none.
    pub fn product(&self) -> Int {
        match self.levels.last().and_then(|level| level.last()) {
            Some(product) => Int::from(product.clone()),
            None => Int::ONE,
        }
    }

    /// x modulo each of the numbers, from 0 to |number| − 1; an error if one of them is 0.
    pub fn try_remainders(&self, x: &Int) -> Result<Vec<Int>> {
        let mut rests = vec![x.as_limbs().clone()];
        let total = (self.levels.len() * self.levels[0].len()) as u64;
        progress::stage("remainder tree", total, |stage| {
            for (height, level) in self.levels.iter().enumerate().rev() {
                let nodes: Vec<(&Resident, &Resident)> = level
                    .iter()
                    .enumerate()
                    .map(|(i, node)| (node, &rests[(i / 2).min(rests.len() - 1)]))
                    .collect();
                rests = engine::map(&nodes, &|(node, rest): &(&Resident, &Resident)| {
                    let (_, remainder) = div::div_rem_rounded(rest, node, Rounding::Euclid)?;
                    stage.advance(1 << height)?;
                    Ok(remainder)
                })?;
            }
            Ok(rests.into_iter().map(Int::from).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::engine::Engine;

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
