//! Sums and differences of magnitudes, threaded.

use std::cmp::Ordering;

use super::carry::{Carry, Chain};
use super::search;
use super::team::Team;

/// x + y, for x at least as long as y.
pub(super) fn add(team: Team, xs: &[u64], ys: &[u64]) -> Vec<u64> {
    debug_assert!(xs.len() >= ys.len());
    let chain = Chain::new(Carry::Up, team.blocks(xs.len()), false);
    let mut out = team.build(xs.len(), xs, |at, block| {
        let carry = add_to(block, part(ys, at, block.len()));
        chain.settle(at / team.chunk(), block, carry);
    });
    if chain.out() {
        out.push(1);
    }
    out
}

/// x - y, for x >= y; leading limbs may be zero.
pub(super) fn sub(team: Team, xs: &[u64], ys: &[u64]) -> Vec<u64> {
    let chain = Chain::new(Carry::Down, team.blocks(xs.len()), false);
    let out = team.build(xs.len(), xs, |at, block| {
        let borrow = sub_from(block, part(ys, at, block.len()));
        chain.settle(at / team.chunk(), block, borrow);
    });
    debug_assert!(!chain.out());
    out
}

/// x += y, for x at least as long as y; threaded over the length of y.
pub(super) fn add_assign(team: Team, xs: &mut Vec<u64>, ys: &[u64]) {
    let (low, high) = xs.split_at_mut(ys.len());
    let chain = Chain::new(Carry::Up, team.blocks(low.len()), false);
    team.for_each(low, |at, block| {
        let carry = add_to(block, part(ys, at, block.len()));
        chain.settle(at / team.chunk(), block, carry);
    });
    if chain.out() && Carry::Up.ripple_far(high) {
        push_one(xs);
    }
}

/// x -= y, for x >= y; threaded over the length of y. Leading limbs may be zero afterwards.
pub(super) fn sub_assign(team: Team, xs: &mut [u64], ys: &[u64]) {
    let (low, high) = xs.split_at_mut(ys.len());
    let chain = Chain::new(Carry::Down, team.blocks(low.len()), false);
    team.for_each(low, |at, block| {
        let borrow = sub_from(block, part(ys, at, block.len()));
        chain.settle(at / team.chunk(), block, borrow);
    });
    if chain.out() {
        Carry::Down.ripple_far(high);
    }
}

/// x = y - x, for y >= x, both of one length. Leading limbs may be zero afterwards.
pub(super) fn sub_reverse_assign(team: Team, xs: &mut [u64], ys: &[u64]) {
    debug_assert_eq!(xs.len(), ys.len());
    let chain = Chain::new(Carry::Down, team.blocks(xs.len()), false);
    team.for_each(xs, |at, block| {
        let borrow = sub_reverse(block, part(ys, at, block.len()));
        chain.settle(at / team.chunk(), block, borrow);
    });
}

/// Appends the limb 1, and room for no more than that: a doubling would be wasted on a value this large.
pub(super) fn push_one(limbs: &mut Vec<u64>) {
    limbs.reserve_exact(1);
    limbs.push(1);
}

/// Compares magnitudes without leading zero limbs, and says how many low limbs hold all that differs.
pub(super) fn compare(xs: &[u64], ys: &[u64]) -> (Ordering, usize) {
    let len = xs.len().max(ys.len());
    if xs.len() != ys.len() {
        return (xs.len().cmp(&ys.len()), len);
    }
    // The search runs upwards; counting from the top turns it round.
    let below_top = search::first(len, |range| {
        let (from, to) = (len - range.end, len - range.start);
        xs[from..to]
            .iter()
            .zip(&ys[from..to])
            .rposition(|(x, y)| x != y)
            .map(|i| len - 1 - (from + i))
    });
    match below_top {
        None => (Ordering::Equal, 0),
        Some(i) => {
            let top = len - 1 - i;
            (xs[top].cmp(&ys[top]), top + 1)
        }
    }
}

/// The limbs of `limbs` that lie at `at..at + len`, fewer past its end.
pub(super) fn part(limbs: &[u64], at: usize, len: usize) -> &[u64] {
    let from = at.min(limbs.len());
    &limbs[from..limbs.len().min(from + len)]
}

/// block += y, for a block at least as long as y; the carry that leaves the block.
fn add_to(block: &mut [u64], ys: &[u64]) -> bool {
    let (low, high) = block.split_at_mut(ys.len());
    with_carry(low, ys, |x, y, carry| {
        let (sum, over) = x.overflowing_add(y);
        let (sum, more) = sum.overflowing_add(carry.into());
        (sum, over | more)
    }) && Carry::Up.ripple(high)
}

/// block -= y, for a block at least as long as y; the borrow that leaves the block.
fn sub_from(block: &mut [u64], ys: &[u64]) -> bool {
    let (low, high) = block.split_at_mut(ys.len());
    with_carry(low, ys, sub_with_borrow) && Carry::Down.ripple(high)
}

/// block = y - block; the borrow that leaves the block.
fn sub_reverse(block: &mut [u64], ys: &[u64]) -> bool {
    with_carry(block, ys, |x, y, borrow| sub_with_borrow(y, x, borrow))
}

fn sub_with_borrow(x: u64, y: u64, borrow: bool) -> (u64, bool) {
    let (difference, under) = x.overflowing_sub(y);
    let (difference, more) = difference.overflowing_sub(borrow.into());
    (difference, under | more)
}

/// x = step(x, y, carry) limb by limb; the last carry. In groups, so that the carry stays in the processor's flag.
#[inline(always)]
fn with_carry(xs: &mut [u64], ys: &[u64], step: impl Fn(u64, u64, bool) -> (u64, bool)) -> bool {
    debug_assert_eq!(xs.len(), ys.len());
    let mut carry = false;
    let (x_groups, x_rest) = xs.as_chunks_mut::<8>();
    let (y_groups, y_rest) = ys.as_chunks::<8>();
    for (x, y) in x_groups.iter_mut().zip(y_groups) {
        for (x, &y) in x.iter_mut().zip(y) {
            (*x, carry) = step(*x, y, carry);
        }
    }
    for (x, &y) in x_rest.iter_mut().zip(y_rest) {
        (*x, carry) = step(*x, y, carry);
    }
    carry
}
