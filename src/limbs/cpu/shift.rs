//! Shifts of magnitudes, threaded.

use std::cmp::Ordering;

use super::carry::{Carry, Chain};
use super::logic::lowest;
use super::sum::{part, push_one};
use super::team::Team;

/// Splits a shift count into whole limbs and bits. None where the limbs cannot be counted in memory.
pub(super) fn split(bits: u64) -> Option<(usize, u32)> {
    Some((usize::try_from(bits / 64).ok()?, (bits % 64) as u32))
}

/// Limbs of x << (64 limbs + bits), for x of `len` limbs, the highest of which is `top`.
pub(super) fn left_len(len: usize, top: u64, limbs: usize, bits: u32) -> Option<usize> {
    len.checked_add(limbs)?
        .checked_add(usize::from(bits > top.leading_zeros()))
}

/// x << (64 limbs + bits), of `len` limbs as [`left_len`] gives them.
pub(super) fn left(team: Team, xs: &[u64], limbs: usize, bits: u32, len: usize) -> Vec<u64> {
    team.build(len, &[], |at, block| {
        let zeros = limbs.saturating_sub(at).min(block.len());
        let block = &mut block[zeros..];
        if !block.is_empty() {
            left_block(block, xs, at + zeros - limbs, bits);
        }
    })
}

/// The limbs of x << bits from `at` on.
fn left_block(block: &mut [u64], xs: &[u64], at: usize, bits: u32) {
    let highs = part(xs, at, block.len());
    if bits == 0 {
        block[..highs.len()].copy_from_slice(highs);
        return;
    }
    let block = match at.checked_sub(1) {
        Some(_) => block,
        None => {
            block[0] = highs[0] << bits;
            &mut block[1..]
        }
    };
    let at = at.max(1);
    let highs = part(xs, at, block.len());
    let lows = part(xs, at - 1, block.len());
    for ((limb, high), low) in block.iter_mut().zip(highs).zip(lows) {
        *limb = (high << bits) | (low >> (64 - bits));
    }
    // Above the top limb of x.
    if highs.len() < lows.len() {
        block[highs.len()] = lows[highs.len()] >> (64 - bits);
    }
}

/// x <<= bits, for 0 < bits < 64, in place.
pub(super) fn left_assign(team: Team, xs: &mut Vec<u64>, bits: u32) {
    let above = xs.last().map_or(0, |top| top >> (64 - bits));
    // What each block takes from the one below it, read before that one changes.
    let below: Vec<u64> = xs
        .chunks(team.chunk())
        .map(|block| block.last().map_or(0, |limb| limb >> (64 - bits)))
        .collect();
    team.for_each(xs, |at, block| {
        let mut low = match at / team.chunk() {
            0 => 0,
            index => below[index - 1],
        };
        for limb in block {
            let next = *limb >> (64 - bits);
            *limb = (*limb << bits) | low;
            low = next;
        }
    });
    if above != 0 {
        push_one(xs);
        *xs.last_mut().expect("just pushed") = above;
    }
}

/// Whether x >> (64 limbs + bits) drops a one.
pub(super) fn loses_ones(xs: &[u64], limbs: usize, bits: u32) -> bool {
    lowest(xs, 0).is_some_and(|index| match index.cmp(&limbs) {
        Ordering::Less => true,
        Ordering::Equal => xs[index].trailing_zeros() < bits,
        Ordering::Greater => false,
    })
}

/// x >> (64 limbs + bits), for less limbs than x has, plus one if `up`.
pub(super) fn right(team: Team, xs: &[u64], limbs: usize, bits: u32, up: bool) -> Vec<u64> {
    let xs = &xs[limbs..];
    let chain = up.then(|| Chain::new(Carry::Up, team.blocks(xs.len()), true));
    let mut out = team.build(xs.len(), xs, |at, block| {
        if bits != 0 {
            right_block(block, part(xs, at + 1, block.len()), bits);
        }
        if let Some(chain) = &chain {
            chain.settle(at / team.chunk(), block, false);
        }
    });
    if chain.is_some_and(|chain| chain.out()) {
        out.push(1);
    }
    out
}

/// Shifts a block down by 0 < bits < 64; `highs` are the limbs one place above, one less at the top.
fn right_block(block: &mut [u64], highs: &[u64], bits: u32) {
    for (limb, high) in block.iter_mut().zip(highs) {
        *limb = (*limb >> bits) | (high << (64 - bits));
    }
    if let Some(top) = block.get_mut(highs.len()) {
        *top >>= bits;
    }
}

/// x >>= bits, for 0 < bits < 64, in place, plus one if `up`.
pub(super) fn right_assign(team: Team, xs: &mut Vec<u64>, bits: u32, up: bool) {
    let firsts: Vec<u64> = xs.chunks(team.chunk()).map(|block| block[0]).collect();
    let chain = up.then(|| Chain::new(Carry::Up, team.blocks(xs.len()), true));
    team.for_each(xs, |at, block| {
        let index = at / team.chunk();
        let mut high = firsts.get(index + 1).map_or(0, |limb| limb << (64 - bits));
        for limb in block.iter_mut().rev() {
            let next = *limb << (64 - bits);
            *limb = (*limb >> bits) | high;
            high = next;
        }
        if let Some(chain) = &chain {
            chain.settle(index, block, false);
        }
    });
    if chain.is_some_and(|chain| chain.out()) {
        push_one(xs);
    }
}
