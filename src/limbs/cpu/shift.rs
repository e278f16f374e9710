//! Shifts of magnitudes, threaded.

use std::cmp::Ordering;

use super::carry::{Carry, Chain};
use super::logic::lowest;
use super::sum::push_one;
use super::team::{Team, part};

/// Splits a shift count into whole limbs and bits. None if the limbs cannot be counted in
/// memory.
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
    // Shifted by the bits alone, x has its limbs one place further up too, so it is read there as
    // well.
    team.build(len, &[], None, |at, block| {
        let zeros = limbs.saturating_sub(at).min(block.len());
        let (low, block) = block.split_at(zeros);
        low.fill(0);
        let at = (at + zeros).saturating_sub(limbs);
        let (first, block) = block.split_at(usize::from(at == 0));
        first.from(xs).map(|x| x << bits);
        let at = at.max(1);
        let block = block.from(part(xs, at, team.chunk()));
        let len = block.len();
        if bits == 0 {
            block.keep();
        } else {
            block.map_with(part(xs, at - 1, len), |high, low| {
                (high << bits) | (low >> (64 - bits))
            });
        }
        Some(false)
    })
}

/// x <<= bits, for 0 < bits < 64, in place.
pub(super) fn left_assign(team: Team, xs: &mut Vec<u64>, bits: u32) {
    let above = xs.last().map_or(0, |top| top >> (64 - bits));
    // The limb that each block takes from the block below it, read before that block changes.
    let below: Vec<u64> = xs
        .chunks(team.chunk())
        .map(|block| block.last().map_or(0, |limb| limb >> (64 - bits)))
        .collect();
    team.change(xs, None, |at, block| {
        let mut low = match at / team.chunk() {
            0 => 0,
            index => below[index - 1],
        };
        for limb in block.keep() {
            let next = *limb >> (64 - bits);
            *limb = (*limb << bits) | low;
            low = next;
        }
        Some(false)
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
    let mut out = team.build(xs.len(), xs, chain.as_ref(), |at, block| {
        if bits == 0 {
            block.keep();
        } else {
            let highs = part(xs, at + 1, block.len());
            let (low, top) = block.split_at(highs.len());
            low.map_with(highs, |x, high| (x >> bits) | (high << (64 - bits)));
            top.map(|x| x >> bits);
        }
        Some(false)
    });
    if chain.is_some_and(|chain| chain.out()) {
        out.push(1);
    }
    out
}

/// x >>= bits, for 0 < bits < 64, in place, plus one if `up`.
pub(super) fn right_assign(team: Team, xs: &mut Vec<u64>, bits: u32, up: bool) {
    let firsts: Vec<u64> = xs.chunks(team.chunk()).map(|block| block[0]).collect();
    let chain = up.then(|| Chain::new(Carry::Up, team.blocks(xs.len()), true));
    team.change(xs, chain.as_ref(), |at, block| {
        let mut high = firsts
            .get(at / team.chunk() + 1)
            .map_or(0, |limb| limb << (64 - bits));
        for limb in block.keep().iter_mut().rev() {
            let next = *limb << (64 - bits);
            *limb = (*limb >> bits) | high;
            high = next;
        }
        Some(false)
    });
    if chain.is_some_and(|chain| chain.out()) {
        push_one(xs);
    }
}
