//! The product of many numbers on a device, level by level from the leaves up: a launch or a few
//! for all products of a level, and the last few rows as numbers.
//!
//! The leaves' widths ([`Leaves`]) leave a limb of every row free: two rows of at most 64·(w − 1)
//! bits have a product of at most 64·(2·w − 2).

use std::sync::Arc;

use super::leaves::Leaves;
use super::times;
use crate::cuda::Device;
use crate::engine::Engine;
use crate::error::Result;
use crate::limbs::Resident;
use crate::mul::cuda::Rows;
use crate::number::{Integer, Natural};
use crate::progress;

/// The product of natural numbers, at least one.
pub(super) fn product(device: &Arc<Device>, numbers: &[&Natural]) -> Result<Resident> {
    progress::stage("product", 2, |stage| {
        let rows = stage.step(1, || top_rows(device, &Leaves::new(numbers)))?;
        // The limb that a product leaves free has its sign.
        let bits = 64 * rows.width as u64 - 1;
        let number = |i| Ok(Resident::from_device(rows.row(i)?, bits));
        let numbers = (0..rows.count).map(number).collect::<Result<Vec<_>>>()?;
        drop(rows);
        let on_device = Engine::Cuda(device.info().ordinal);
        stage.step(1, || on_device.scope(|| halves(&numbers)))
    })
}

/// Products of the leaves in rows too few or too long for one launch.
fn top_rows(device: &Arc<Device>, leaves: &Leaves<'_>) -> Result<Rows> {
    let mut rows = leaf_rows(device, leaves)?;
    for level in 1..=leaves.log {
        progress::check()?;
        let below = rows.all();
        rows = Rows::products(below.even(), below.odd(), leaves.row_limbs(level))?;
    }
    while rows.can_pair() {
        progress::check()?;
        rows.make_even(1)?;
        rows = rows.products_of_neighbours()?;
    }
    Ok(rows)
}

/// The products of the leaves.
fn leaf_rows(device: &Arc<Device>, leaves: &Leaves<'_>) -> Result<Rows> {
    let width = leaves.row_limbs(0);
    let copy = |from: &[u64], to: &mut [u64]| to[..from.len()].copy_from_slice(from);
    leaves.rows_of(device, width, 1, &|i, to| {
        match leaves.numbers[i] {
            [one] => copy(one.limbs(), to),
            several => copy(joined(several).limbs(), to),
        }
        Ok(())
    })
}

/// The product of numbers of a leaf, on one thread of the host.
fn joined(numbers: &[&Natural]) -> Natural {
    match numbers {
        [] => Natural::ONE,
        [one] => (*one).clone(),
        _ => {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            &joined(left) * &joined(right)
        }
    }
}

fn halves(numbers: &[Resident]) -> Result<Resident> {
    match numbers {
        [] => Ok(Resident::from(Integer::ONE)),
        [one] => Ok(one.clone()),
        _ => {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            times(&halves(left)?, &halves(right)?)
        }
    }
}
