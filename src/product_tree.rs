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
use crate::limbs::Resident;
use crate::mul::mul;
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

/// The product of all factors by halves, on threads; 1 if there are none.
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
    engine::on_cpu_if_short(bits, Tuning::current().pow_limbs, || mul(a, b))
}

/// Many numbers, the products of neighbours, and so on up to the product of all: for many
/// remainders by the same moduli.
#[derive(Clone)]
pub(crate) struct ProductTree {
    /// The numbers first, the product last; a number without a neighbour moves up as it is.
    levels: Vec<Vec<Resident>>,
}

impl ProductTree {
    /// The tree over these numbers.
    pub(crate) fn new(numbers: Vec<Resident>) -> Result<ProductTree> {
        let total = work_of(numbers.len());
        let levels = progress::stage("product tree", total, |stage| {
            let mut levels = vec![numbers];
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

    /// The product of all the numbers; none if there are none.
    pub(crate) fn product(&self) -> Option<&Resident> {
        self.levels.last().and_then(|level| level.last())
    }

    /// x modulo each of the numbers, from 0 to |number| − 1; an error if one of them is 0.
    pub(crate) fn remainders(&self, x: &Resident) -> Result<Vec<Resident>> {
        let mut rests = vec![x.clone()];
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
            Ok(rests)
        })
    }
}
