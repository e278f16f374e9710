//! Shared factors on a device. The tree is computed level by level from the moduli up, with one or
//! a few launches for all nodes of a level: rows of words at the bottom, rows by transforms above,
//! and single numbers at the top.
//!
//! **Widths.** Leaves and rows of products are those of any product tree ([`Leaves`]). Unused
//! leaves are 1, with the sum 0. If a product fits in a row of w limbs, its sum s is below
//! 2^(64·w): s/p is the sum of the reciprocals of distinct numbers, of which there are fewer than
//! 2^58.
//!
//! **Precision.** Let a node's product be below 2^B, B the sum of its leaves' bits, and let its
//! fraction be off by at most e·2^(−B − 64). A child's fraction is this fraction times its
//! sibling's product, below 2^(B − B'), truncated to the limbs of its row, which has B' + 64 bits.
//! It is off by at most (e + 1)·2^(−B' − 64), and by one more unit if transforms add the limbs
//! above a product's limbs to the lowest ones. A leaf's remainder is its product times its
//! fraction. It is off by far less than a half, so rounding finds it.
//!
//! **Common parts.** Modulo each modulus of a leaf, the leaf's remainder r is the product of all
//! other moduli. If gcd(r, product) is 1, no modulus of the leaf shares a factor.

use std::sync::Arc;

use crate::number::Integer;
use crate::number::Natural;

use super::tree::Node;
use super::{OtherTrees, common_part, pairs, tree};
use crate::cuda::Device;
use crate::engine::{self, Engine};
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::mul::cuda::{Rows, SHORT_LIMBS};
use crate::product_tree::Leaves;
use crate::{progress, threads};

/// Rows fetched from the device at a time, in limbs.
const FETCH_LIMBS: usize = 1 << 22;

/// Maximum limbs of a leaf whose remainder and gcd a device computes: a product of a leaf and a
/// fraction has twice as many limbs and one more.
const MOST_LIMBS: usize = SHORT_LIMBS / 2 - 1;

/// Leaves whose gcds one thread checks per task.
const LEAVES: usize = 256;

/// The gcd of each of the numbers with the product of all others.
pub(super) fn common_parts(
    device: &Arc<Device>,
    numbers: &[&Natural],
    others: Option<&dyn OtherTrees>,
) -> Result<Vec<Natural>> {
    let leaves = Leaves::new(numbers);
    progress::stage("shared factors", 10, |stage| {
        let (products, sums) = stage.step(3, || leaf_rows(device, &leaves))?;
        let (rows, fractions) = stage.step(4, || {
            let on_device = Engine::Cuda(device.info().ordinal);
            on_device.scope(|| fractions(device, &leaves, products, sums, others))
        })?;
        stage.step(3, || {
            if leaves.limbs <= MOST_LIMBS {
                finish(device, &leaves, &rows, &fractions)
            } else {
                finish_on_host(&leaves, &fractions)
            }
        })
    })
}

/// The products and the sums of the leaves.
fn leaf_rows(device: &Arc<Device>, leaves: &Leaves<'_>) -> Result<(Rows, Rows)> {
    let copy = |from: &[u64], to: &mut [u64]| to[..from.len()].copy_from_slice(from);
    let width = leaves.row_limbs(0);
    if leaves.are_single() {
        let products = leaves.rows_of(device, width, 1, &|i, to| {
            copy(leaves.numbers[i][0].limbs(), to);
            Ok(())
        })?;
        let ones = leaves.rows_of(device, 1, 0, &|_, to| {
            to[0] = 1;
            Ok(())
        })?;
        return Ok((products, ones));
    }
    let tree = |moduli: &&[&Natural]| {
        let integers: Vec<Integer> = moduli.iter().copied().map(Integer::from).collect();
        let tree = Node::over(integers.iter().map(Node::number).collect())?;
        Ok((tree.product, tree.sum))
    };
    let trees = Engine::Cpu.scope(|| engine::map(&leaves.numbers, &tree))?;
    let products = leaves.rows_of(device, width, 1, &|i, to| {
        copy(trees[i].0.host()?.magnitude().limbs(), to);
        Ok(())
    })?;
    let sums = leaves.rows_of(device, width, 0, &|i, to| {
        copy(trees[i].1.host()?.magnitude().limbs(), to);
        Ok(())
    })?;
    Ok((products, sums))
}

/// The products of the leaves, and their fractions.
fn fractions(
    device: &Arc<Device>,
    leaves: &Leaves<'_>,
    products: Rows,
    mut sums: Rows,
    others: Option<&dyn OtherTrees>,
) -> Result<(Rows, Rows)> {
    let mut short = vec![products];
    for level in 1..=leaves.log {
        progress::check()?;
        let below = short[short.len() - 1].all();
        let width = leaves.row_limbs(level);
        let products = Rows::products(below.even(), below.odd(), width)?;
        let s = sums.all();
        let (left, right) = ((s.even(), below.odd()), (s.odd(), below.even()));
        sums = Rows::sums_of_products(left, right, width)?;
        short.push(products);
    }
    let Some(top) = short.pop() else {
        return Err(tree::empty());
    };
    let (mut products, mut fractions) = long_fractions(device, top, sums, others)?;
    while let Some(below) = short.pop() {
        progress::check()?;
        fractions = fractions.times_short_siblings(&below)?;
        products = below;
    }
    Ok((products, fractions))
}

/// The fraction of each row, from the products and sums of the rows, with the products: in the
/// upper half of rows of twice the width, unless there is only one.
fn long_fractions(
    device: &Arc<Device>,
    products: Rows,
    mut sums: Rows,
    others: Option<&dyn OtherTrees>,
) -> Result<(Rows, Rows)> {
    let mut levels = vec![products];
    while let Some(below) = levels.last_mut().filter(|rows| rows.can_pair()) {
        progress::check()?;
        below.make_even(1)?;
        sums.make_even(0)?;
        let (products, next) = below.pair(&sums)?;
        sums = next;
        levels.push(products);
    }
    let Some(mut top) = levels.pop() else {
        return Err(tree::empty());
    };
    // A product leaves one limb of its row free for the sign, and a sum leaves at least one bit.
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
    root.join(others)?;
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
        top = products;
    }
    Ok((top, rows))
}

/// The common part of each number, from the products and the fractions of the leaves.
fn finish(
    device: &Arc<Device>,
    leaves: &Leaves<'_>,
    products: &Rows,
    fractions: &Rows,
) -> Result<Vec<Natural>> {
    let (limbs, count) = (leaves.limbs, leaves.rows());
    let low = fractions.width;
    let (f, p) = (
        fractions.first(count),
        products.first(count).limbs(0, limbs),
    );
    let remainders = Rows::rounded(f, p, low, limbs)?;
    let one = Rows::upload(device, &[1], 1)?;
    let products = Rows::products(p, one.all().repeated(count), limbs)?;
    let (gcds, remainders) = pairs::gcds(device, remainders, products)?;
    let gcds = gcds.try_limbs()?;
    let common = |i: usize| -> Result<Vec<Natural>> {
        let row = leaves.row(i);
        let found = Natural::from_limbs(&gcds[row * limbs..(row + 1) * limbs]);
        let moduli = leaves.numbers[i];
        if found == Natural::ONE || moduli.len() == 1 {
            return Ok(vec![found; moduli.len()]);
        }
        let rest = Natural::from_limbs(&remainders.try_limbs()?[row * limbs..(row + 1) * limbs]);
        Ok(moduli.iter().map(|n| (&rest % *n).gcd(n)).collect())
    };
    let found = threads::map(leaves.numbers.len(), LEAVES, common);
    let mut all = Vec::new();
    for parts in found {
        all.extend(parts?);
    }
    Ok(all)
}

/// As [`finish`], for leaves of one long modulus each, whose fractions are rows of the first width
/// for transforms.
fn finish_on_host(leaves: &Leaves<'_>, fractions: &Rows) -> Result<Vec<Natural>> {
    let (step, width) = (fractions.step, fractions.width);
    let at_once = (FETCH_LIMBS / step).max(1);
    let total = leaves.numbers.len() as u64;
    let (mut limbs, mut all) = (Vec::new(), Vec::new());
    progress::stage("remainders", total, |stage| {
        for (i, moduli) in leaves.numbers.chunks(at_once).enumerate() {
            limbs.resize(moduli.len() * step, 0);
            fractions.fetch(i * at_once, &mut limbs)?;
            let work: Vec<_> = moduli.iter().zip(limbs.chunks(step)).collect();
            let common = |(moduli, row): &(&&[&Natural], &[u64])| {
                let n = Integer::from(moduli[0]);
                let fraction = Integer::from(Natural::from_limbs(&row[step - width..]));
                let bits = n.bit_length() + tree::GUARD;
                let fraction = limbs::shr(&fraction.into(), 64 * width as u64 - bits)?;
                common_part(&fraction, &n)
            };
            let found: Vec<Natural> = Engine::Cpu.scope(|| engine::map(&work, &common))?;
            all.extend(found);
            stage.advance(moduli.len() as u64)?;
        }
        Ok(all)
    })
}
