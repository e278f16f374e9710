//! Product trees and remainder trees: the product of many numbers, and one number modulo each of
//! many, in O(M(n) log n).
//!
//! Neighbours are multiplied, then neighbouring products, up to one. Down the same tree, the
//! remainder at a node is taken modulo both of its children (Bernstein, *Fast multiplication and
//! its applications*, 2008, sections 15 to 18). The nodes of a level go to all threads; on a device
//! the long ones are its work, and so are all products of many short numbers (`rows`).

mod leaves;
mod rows;

pub(crate) use leaves::Leaves;

use crate::checks;
use crate::div::{self, Rounding};
use crate::engine::{self, Residence, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::memory;
use crate::mul::{cuda, mul};
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

/// Fewer factors are multiplied one by one.
const ROWS_FACTORS: usize = 64;

/// The product of all factors; 1 if there are none.
pub(crate) fn product_of(factors: &[Resident]) -> Result<Resident> {
    if !suit_rows(factors) {
        return by_halves(factors);
    }
    let bits = factors.iter().map(Resident::bits_bound).sum();
    engine::run(
        Work::power(bits).needing(cuda::of_rows, (bits / 64, 0)),
        [Residence::Host],
        || by_halves(factors),
        |device| {
            let values = factors.iter().map(Resident::host);
            let values = values.collect::<Result<Vec<_>>>()?;
            let negative = values.iter().filter(|x| x.is_negative()).count();
            let numbers: Vec<_> = values.iter().map(|x| x.magnitude()).collect();
            let product = rows::product(device, &numbers)?;
            if negative.is_multiple_of(2) {
                Ok(product)
            } else {
                limbs::neg(&product)
            }
        },
    )
}

/// Whether a device should compute the levels of the tree as rows: there are many factors on the
/// host, and most of their products are too short to be sent one by one. If products are to be
/// checked, each is computed separately instead.
fn suit_rows(factors: &[Resident]) -> bool {
    let longest = 64 * Tuning::current().pow_limbs as u64;
    let suits = |x: &Resident| x.device().is_none() && x.bits_bound() < longest;
    factors.len() >= ROWS_FACTORS && !checks::is_on() && factors.iter().all(suits)
}

/// The product by halves, on threads.
fn by_halves(factors: &[Resident]) -> Result<Resident> {
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
        let bits: u128 = numbers.iter().map(|x| u128::from(x.bits_bound())).sum();
        let levels = u64::from(numbers.len().max(1).ilog2()) + 2;
        memory::check_copies("the product tree", bits, levels)?;
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
