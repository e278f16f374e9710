//! Shared factors with a device: trees of a few moduli on the CPU, whose products fill rows of equal width; the levels above them a launch for
//! all rows at once, as far as one transform holds a row; the top of the tree number by number.
//!
//! A row of W limbs holds a product of at most 64·(W − 1) bits, W a power of two, so every row has at least a limb to spare, and twice as many from level
//! to level. Its sum s is then below 2^(64·W) too: s/p is the sum of the reciprocals of different numbers, and there are fewer than 2^58 of them. Fractions of
//! a row have W limbs. A child's is off by one unit of the last place for the limbs that are cut, one for what the product's upper limbs add to the lowest,
//! and for less than 2^-64 of what its parent's was off.

use std::sync::Arc;

use crate::number::Integer;
use crate::number::Natural;

use super::tree::Node;
use super::{common_part, ranks};
use crate::cluster::Cluster;
use crate::cuda::Device;
use crate::engine::{self, Engine};
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::model::Tuning;
use crate::mul::cuda::Rows;
use crate::progress;

/// Rows fetched from the device at a time, in limbs.
const FETCH_LIMBS: usize = 1 << 22;

/// The gcd of each of the numbers and the product of all the others.
pub(super) fn common_parts(
    device: &Arc<Device>,
    numbers: &[&Natural],
    cluster: &Cluster,
) -> Result<Vec<Natural>> {
    let integers: Vec<Integer> = numbers.iter().copied().map(Integer::from).collect();
    let longest = numbers.iter().map(|n| n.limb_count()).max().unwrap_or(0);
    let least = Tuning::current().keys_row_limbs;
    let width = least.max((longest + 1).next_power_of_two());
    let groups = groups(&integers, 64 * (width as u64 - 1));
    progress::stage("shared factors", 10, |stage| {
        let trees = stage.step(3, || {
            let tree = |group: &&[Integer]| Node::over(group.iter().map(Node::number).collect());
            Engine::Cpu.scope(|| engine::map(&groups, &tree))
        })?;
        let fractions = stage.step(3, || {
            let host_rows = |number: fn(&Node) -> &Resident| -> Result<Rows> {
                let mut limbs = vec![0; trees.len() * width];
                for (tree, row) in trees.iter().zip(limbs.chunks_mut(width)) {
                    let from = number(tree).host()?.magnitude().limbs();
                    row[..from.len()].copy_from_slice(from);
                }
                Rows::upload(device, &limbs, width)
            };
            let (products, sums) = (
                host_rows(|tree| &tree.product)?,
                host_rows(|tree| &tree.sum)?,
            );
            Engine::Cuda(device.info().ordinal).scope(|| fractions(device, products, sums, cluster))
        })?;
        stage.step(4, || finish(&trees, &groups, &fractions))
    })
}

/// Numbers in order, as many at a time as have no more than so many bits together.
fn groups(numbers: &[Integer], bits: u64) -> Vec<&[Integer]> {
    let (mut groups, mut start, mut used) = (Vec::new(), 0, 0);
    for (i, n) in numbers.iter().enumerate() {
        let size = n.bit_length();
        if used + size > bits {
            groups.push(&numbers[start..i]);
            (start, used) = (i, 0);
        }
        used += size;
    }
    groups.push(&numbers[start..]);
    groups
}

/// The fraction of each row, from the products and sums of the rows: in the upper half of rows of twice the width, unless there is but one.
fn fractions(
    device: &Arc<Device>,
    products: Rows,
    mut sums: Rows,
    cluster: &Cluster,
) -> Result<Rows> {
    let mut levels = vec![products];
    while let Some(below) = levels.last_mut().filter(|rows| rows.can_pair()) {
        progress::check()?;
        below.make_even(1)?;
        sums.make_even(0)?;
        let (products, next) = below.pair(&sums)?;
        sums = next;
        levels.push(products);
    }
    let Some(top) = levels.pop() else {
        return Ok(sums);
    };
    // A product leaves a limb of its row free, so its sign is there; a sum, at least a bit.
    let bits = 64 * top.width as u64;
    let number = |row| Ok(Resident::from_device(row, bits - 1));
    let leaf = |i| {
        Ok(Node::leaf(
            top.row(i).and_then(number)?,
            sums.row(i).and_then(number)?,
            bits,
        ))
    };
    let mut root = Node::over((0..top.count).map(leaf).collect::<Result<_>>()?)?;
    drop(sums);
    ranks::join(&mut root, cluster)?;
    let fraction = root.fraction()?;
    let found = root.fractions(fraction)?;
    let found = found
        .iter()
        .map(|fraction| fraction.on(device))
        .collect::<Result<Vec<_>>>()?;
    let mut rows = Rows::gather(device, &found, top.width)?;
    while let Some(products) = levels.pop() {
        progress::check()?;
        rows = rows.times_siblings(&products)?;
    }
    Ok(rows)
}

/// What each number of each group has in common with all others, from the fractions of the groups.
fn finish(trees: &[Node], groups: &[&[Integer]], fractions: &Rows) -> Result<Vec<Natural>> {
    let (step, width) = (fractions.step, fractions.width);
    let at_once = (FETCH_LIMBS / step).max(1);
    let total = trees.len() as u64;
    let mut limbs = Vec::new();
    let mut all = Vec::new();
    progress::stage("remainders", total, |stage| {
        for (i, trees) in trees.chunks(at_once).enumerate() {
            let first = i * at_once;
            limbs.resize(trees.len() * step, 0);
            fractions.fetch(first, &mut limbs)?;
            let work: Vec<_> = trees
                .iter()
                .zip(&groups[first..])
                .zip(limbs.chunks(step))
                .collect();
            let common = |((tree, group), row): &((&Node, &&[Integer]), &[u64])| {
                let fraction = Integer::from(Natural::from_limbs(&row[step - width..]));
                let fraction = limbs::shr(&fraction.into(), 64 * width as u64 - tree.bits)?;
                let fractions = tree.fractions(fraction)?;
                let leaves = fractions.iter().zip(group.iter());
                leaves
                    .map(|(fraction, n)| common_part(fraction, n))
                    .collect()
            };
            let found: Vec<Vec<Natural>> = Engine::Cpu.scope(|| engine::map(&work, &common))?;
            all.extend(found.into_iter().flatten());
            stage.advance(trees.len() as u64)?;
        }
        Ok(all)
    })
}
