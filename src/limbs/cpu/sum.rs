//! Sums and differences of magnitudes, threaded.

use std::cmp::Ordering;

use super::block::Block;
use super::carry::{Carry, Chain};
use super::search;
use super::team::{Team, part};

/// x + y, for x at least as long as y.
pub(super) fn add(team: Team, xs: &[u64], ys: &[u64]) -> Vec<u64> {
    debug_assert!(xs.len() >= ys.len());
    let chain = Chain::new(Carry::Up, team.blocks(xs.len()), false);
    let mut out = team.build(xs.len(), xs, Some(&chain), |at, block| {
        match part(ys, at, team.chunk()) {
            [] => {
                chain.keep(at / team.chunk(), block);
                None
            }
            ys => Some(add_to(block, ys)),
        }
    });
    if chain.out() {
        out.push(1);
    }
    out
}

/// x - y, for x >= y; leading limbs may be zero.
pub(super) fn sub(team: Team, xs: &[u64], ys: &[u64]) -> Vec<u64> {
    let chain = Chain::new(Carry::Down, team.blocks(xs.len()), false);
    let out = team.build(xs.len(), xs, Some(&chain), |at, block| {
        match part(ys, at, team.chunk()) {
            [] => {
                chain.keep(at / team.chunk(), block);
                None
            }
            ys => Some(sub_from(block, ys)),
        }
    });
    debug_assert!(!chain.out());
    out
}

/// x += y, for x at least as long as y; threaded over the length of y.
pub(super) fn add_assign(team: Team, xs: &mut Vec<u64>, ys: &[u64]) {
    let (low, high) = xs.split_at_mut(ys.len());
    let chain = Chain::new(Carry::Up, team.blocks(low.len()), false);
    team.change(low, Some(&chain), |at, block| {
        Some(add_to(block, part(ys, at, team.chunk())))
    });
    if chain.out() && Carry::Up.ripple_far(high) {
        push_one(xs);
    }
}

/// x -= y, for x >= y; threaded over the length of y. Leading limbs may be zero afterwards.
pub(super) fn sub_assign(team: Team, xs: &mut [u64], ys: &[u64]) {
    let (low, high) = xs.split_at_mut(ys.len());
    let chain = Chain::new(Carry::Down, team.blocks(low.len()), false);
    team.change(low, Some(&chain), |at, block| {
        Some(sub_from(block, part(ys, at, team.chunk())))
    });
    if chain.out() {
        Carry::Down.ripple_far(high);
    }
}

/// x = y - x, for y >= x, both of one length. Leading limbs may be zero afterwards.
pub(super) fn sub_reverse_assign(team: Team, xs: &mut [u64], ys: &[u64]) {
    debug_assert_eq!(xs.len(), ys.len());
    let chain = Chain::new(Carry::Down, team.blocks(xs.len()), false);
    team.change(xs, Some(&chain), |at, block| {
        Some(sub_reverse(block, part(ys, at, team.chunk())))
    });
}

/// Appends the limb 1, and room for no more than that: a doubling would be wasted on a value this
/// large.
pub(super) fn push_one(limbs: &mut Vec<u64>) {
    limbs.reserve_exact(1);
    limbs.push(1);
}

/// Compares magnitudes without leading zero limbs, and returns how many low limbs contain all
/// differences.
pub(super) fn compare(xs: &[u64], ys: &[u64]) -> (Ordering, usize) {
    let len = xs.len().max(ys.len());
    if xs.len() != ys.len() {
        return (xs.len().cmp(&ys.len()), len);
    }
    // The search runs upwards; counting from the top turns it round.
    let below_top = search::first(len, |range| {
        let (from, to) = (len - range.end, len - range.start);
        last_difference(&xs[from..to], &ys[from..to]).map(|i| len - 1 - (from + i))
    });
    match below_top {
        None => (Ordering::Equal, 0),
        Some(i) => {
            let top = len - 1 - i;
            (xs[top].cmp(&ys[top]), top + 1)
        }
    }
}

/// Index of the highest limb in which x and y, of one length, differ.
fn last_difference(xs: &[u64], ys: &[u64]) -> Option<usize> {
    // In groups from the top, one branch for sixteen limbs, as in `first_other`.
    let (_, x_groups) = xs.as_rchunks::<16>();
    let (_, y_groups) = ys.as_rchunks::<16>();
    let same = std::iter::zip(x_groups, y_groups)
        .rev()
        .take_while(|(x, y)| std::iter::zip(*x, *y).fold(0, |acc, (x, y)| acc | (x ^ y)) == 0)
        .count();
    let end = xs.len() - 16 * same;
    std::iter::zip(&xs[..end], &ys[..end]).rposition(|(x, y)| x != y)
}

/// x + y for a block at least as long as y; the carry that leaves the block.
fn add_to(block: Block, ys: &[u64]) -> bool {
    let (low, high) = block.split_at(ys.len());
    let carry = low.carry_with(ys, u64::carrying_add);
    let high = high.keep();
    carry && Carry::Up.ripple(high)
}

/// x - y for a block at least as long as y; the borrow that leaves the block.
fn sub_from(block: Block, ys: &[u64]) -> bool {
    let (low, high) = block.split_at(ys.len());
    let borrow = low.carry_with(ys, u64::borrowing_sub);
    let high = high.keep();
    borrow && Carry::Down.ripple(high)
}

/// y - x; the borrow that leaves the block.
fn sub_reverse(block: Block, ys: &[u64]) -> bool {
    block.carry_with(ys, |x, y, borrow| y.borrowing_sub(x, borrow))
}
