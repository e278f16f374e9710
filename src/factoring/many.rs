//! Millions of numbers of at most 128 bits, in order.
//!
//! On the CPU each thread factors a piece of the list. For a device the host divides out small
//! primes and sorts the rest by size. The product of the primes that the device returns is compared
//! with the number, so that a wrong prime is an error and never a result.

use std::sync::Arc;

use super::{cuda, plan, small};
use crate::cuda::Device;
use crate::engine::{self, Work, device_for};
use crate::error::{Error, Result};
use crate::progress;
use crate::threads::{self, chunk};
use crate::tuning::Tuning;

/// Numbers whose factors are kept together; `factor_chunk` is a multiple of it.
pub(crate) const PIECE: usize = 1 << 8;

/// Numbers that a thread factors in one go: a fraction of a millisecond, so that a short list keeps
/// all threads busy.
const PART: usize = 4;

/// The prime factors of each of a list of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Factors {
    pieces: Vec<Piece>,
    len: usize,
}

/// The primes of up to PIECE numbers, one after the other, and where those of each end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Piece {
    primes: Vec<u128>,
    ends: Vec<u32>,
}

impl Piece {
    fn close(&mut self) {
        let start = self.ends.last().copied().unwrap_or(0) as usize;
        self.primes[start..].sort_unstable();
        self.ends.push(self.primes.len() as u32);
    }

    /// One of several, one after the other.
    fn of_parts(parts: Vec<Piece>) -> Piece {
        let mut whole = Piece::default();
        for part in parts {
            let before = whole.primes.len() as u32;
            whole.primes.extend(part.primes);
            whole.ends.extend(part.ends.iter().map(|end| before + end));
        }
        whole
    }
}

impl Factors {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The primes of number `index` in ascending order, each as often as it divides the number;
    /// those above 2^64 are probable primes.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn of(&self, index: usize) -> &[u128] {
        let piece = &self.pieces[index / PIECE];
        let at = index % PIECE;
        let start = at.checked_sub(1).map_or(0, |before| piece.ends[before]);
        &piece.primes[start as usize..piece.ends[at] as usize]
    }

    /// The primes of each number in turn.
    pub fn iter(&self) -> impl Iterator<Item = &[u128]> {
        (0..self.len).map(|index| self.of(index))
    }

    /// Piece by piece how many numbers, where the primes of each end, and the primes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for piece in &self.pieces {
            bytes.extend((piece.ends.len() as u32).to_le_bytes());
            bytes.extend(piece.ends.iter().flat_map(|end| end.to_le_bytes()));
            bytes.extend(piece.primes.iter().flat_map(|prime| prime.to_le_bytes()));
        }
        bytes
    }

    /// Appends the factors of the numbers that follow, from the bytes of [`Factors::to_bytes`]. All
    /// pieces before the last must be complete. None if the bytes are truncated.
    pub(crate) fn append(&mut self, mut bytes: &[u8]) -> Option<()> {
        let mut word = |length: usize| -> Option<&[u8]> {
            let (word, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            Some(word)
        };
        while let Some(count) = word(4) {
            let (count, _) = count.as_chunks();
            let count = u32::from_le_bytes(count[0]) as usize;
            let (ends, _) = word(4 * count)?.as_chunks();
            let ends: Vec<u32> = ends.iter().map(|end| u32::from_le_bytes(*end)).collect();
            let all = ends.last().map_or(0, |end| *end as usize);
            let (primes, _) = word(16 * all)?.as_chunks();
            let primes = primes.iter().map(|prime| u128::from_le_bytes(*prime));
            self.pieces.push(Piece {
                primes: primes.collect(),
                ends,
            });
            self.len += count;
        }
        Some(())
    }
}

/// Factors numbers from 1 to 2^128 − 1, each completely.
///
/// ```
/// let factors = bezout::factor::factor_many(&[12, 1, 18446744073709551557])?;
/// assert_eq!(factors.of(0), [2, 2, 3]);
/// assert!(factors.of(1).is_empty());
/// assert_eq!(factors.of(2), [18446744073709551557]);
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn factor_many(numbers: &[u128]) -> Result<Factors> {
    check(numbers)?;
    let chosen = device_for(Work::factors(numbers.len()).needing(|_, t| cuda::units(t), (0, 0)))?;
    let pieces = progress::stage("factoring", numbers.len() as u64, |stage| match &chosen {
        Some(device) => on_device(device, numbers, stage),
        None => on_cpu(numbers, stage),
    })?;
    Ok(Factors {
        pieces,
        len: numbers.len(),
    })
}

/// An error if a number is 0.
pub(crate) fn check(numbers: &[u128]) -> Result<()> {
    match numbers.iter().position(|n| *n == 0) {
        None => Ok(()),
        Some(zero) => Err(Error::Domain(format!(
            "number {} is 0, which has no factors",
            zero + 1
        ))),
    }
}

fn on_cpu(numbers: &[u128], stage: &progress::Stage) -> Result<Vec<Piece>> {
    let pieces = threads::map(numbers.len().div_ceil(PIECE), 1, |i| {
        let numbers = chunk(numbers, PIECE, i);
        let parts = threads::map(numbers.len().div_ceil(PART), 1, |i| {
            factored(chunk(numbers, PART, i), stage)
        });
        stage.advance(numbers.len() as u64)?;
        let parts = parts.into_iter().collect::<Result<_>>()?;
        Ok(Piece::of_parts(parts))
    });
    pieces.into_iter().collect()
}

fn factored(numbers: &[u128], stage: &progress::Stage) -> Result<Piece> {
    let mut piece = Piece::default();
    for n in numbers {
        // One number may take up to a tenth of a second.
        if n >> 64 != 0 {
            stage.advance(0)?;
        }
        let rest = small::divide_out_small(*n, &mut piece.primes);
        if rest > 1 {
            small::complete(rest, &mut piece.primes);
        }
        piece.close();
    }
    Ok(piece)
}

/// Numbers of similar size that are sent to a device, and their results.
#[derive(Default)]
struct Group {
    /// Places in the list, ascending.
    places: Vec<u32>,
    limbs: Vec<u64>,
    bits: u32,
    primes: Option<cuda::Primes>,
}

/// The cofactors of these numbers without small primes, sorted by their level of curves and their
/// limbs.
fn groups(numbers: &[u128], first: usize) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    groups.resize_with(2 * plan::LEVELS.len(), Group::default);
    let mut small = Vec::new();
    for (place, n) in (first as u32..).zip(numbers) {
        small.clear();
        let rest = small::divide_out_small(*n, &mut small);
        // A square would take as long as two different primes of its root's size.
        if rest == 1 || small::square_root(rest).is_some() {
            continue;
        }
        let bits = 128 - rest.leading_zeros();
        let level = plan::level(bits, u64::MAX);
        let group = &mut groups[2 * level + usize::from(bits > 64)];
        group.places.push(place);
        group.limbs.push(rest as u64);
        if bits > 64 {
            group.limbs.push((rest >> 64) as u64);
        }
        group.bits = group.bits.max(bits);
    }
    groups
}

/// Factors the list chunk by chunk. While the device works on a chunk, the host prepares the next
/// one and collects the results of the previous one.
fn on_device(
    device: &Arc<Device>,
    numbers: &[u128],
    stage: &progress::Stage,
) -> Result<Vec<Piece>> {
    let mut pieces = Vec::with_capacity(numbers.len().div_ceil(PIECE));
    let mut chunks = numbers.chunks(Tuning::in_force().factor_chunk);
    let mut ready = chunks.next().map(|chunk| (chunk, prepared(chunk)));
    let mut done: Option<(&[u128], Vec<Group>)> = None;
    while let Some((chunk, mut groups)) = ready {
        let before = done.take();
        let next = chunks.next();
        let (ran, (primes, coming)) = engine::join(
            || run(device, &mut groups),
            || {
                let primes = before.map(|(chunk, groups)| collected(&groups, chunk));
                (primes, next.map(|next| (next, prepared(next))))
            },
        );
        ran?;
        pieces.extend(primes.transpose()?.into_iter().flatten());
        stage.advance(chunk.len() as u64)?;
        done = Some((chunk, groups));
        ready = coming;
    }
    if let Some((chunk, groups)) = done {
        pieces.extend(collected(&groups, chunk)?);
    }
    Ok(pieces)
}

/// The cofactors of a chunk's numbers without small primes, in groups.
fn prepared(numbers: &[u128]) -> Vec<Group> {
    let parts = threads::map(numbers.len().div_ceil(PIECE), 1, |i| {
        groups(chunk(numbers, PIECE, i), i * PIECE)
    });
    let mut all: Vec<Group> = Vec::new();
    all.resize_with(2 * plan::LEVELS.len(), Group::default);
    for (whole, part) in parts.iter().flat_map(|part| (0..).zip(part)) {
        let whole: &mut Group = &mut all[whole];
        whole.places.extend(&part.places);
        whole.limbs.extend(&part.limbs);
        whole.bits = whole.bits.max(part.bits);
    }
    all.retain(|group| !group.places.is_empty());
    all
}

fn run(device: &Arc<Device>, groups: &mut [Group]) -> Result<()> {
    for group in groups {
        let words = if group.bits > 64 { 2 } else { 1 };
        group.primes = Some(cuda::primes(device, &group.limbs, words, group.bits)?);
    }
    Ok(())
}

/// The primes of a chunk's numbers.
fn collected(groups: &[Group], numbers: &[u128]) -> Result<Vec<Piece>> {
    let pieces = threads::map(numbers.len().div_ceil(PIECE), 1, |i| {
        piece(groups, chunk(numbers, PIECE, i), i * PIECE)
    });
    pieces.into_iter().collect()
}

/// The primes of these numbers, from the groups; an error unless they multiply up to them.
fn piece(groups: &[Group], numbers: &[u128], first: usize) -> Result<Piece> {
    let start = |group: &Group| {
        group
            .places
            .partition_point(|place| (*place as usize) < first)
    };
    let mut cursors: Vec<usize> = groups.iter().map(start).collect();
    let mut piece = Piece::default();
    for (place, n) in (first as u32..).zip(numbers) {
        let mut left = *n;
        for (group, at) in groups.iter().zip(&mut cursors) {
            let Some(primes) = &group.primes else {
                continue;
            };
            if group.places.get(*at) != Some(&place) {
                continue;
            }
            for prime in primes.of(*at) {
                left = divided(left, prime)?;
                match prime >> 64 {
                    0 => piece.primes.push(prime),
                    _ => small::complete(prime, &mut piece.primes),
                }
            }
            *at += 1;
        }
        // The rest has only primes below the trial bound, of which the last may be left over, or
        // has a square factor that was not sent.
        match small::divide_out_small(left, &mut piece.primes) {
            1 => {}
            prime if prime < u128::from(small::TRIAL) => piece.primes.push(prime),
            square if small::square_root(square).is_some() => {
                small::complete(square, &mut piece.primes);
            }
            _ => return Err(mismatch()),
        }
        piece.close();
    }
    Ok(piece)
}

fn mismatch() -> Error {
    Error::Verification("primes from the device do not multiply up to their number".into())
}

/// n/p, an error if p does not divide n.
fn divided(n: u128, p: u128) -> Result<u128> {
    let (quotient, rest) = match (u64::try_from(n), u64::try_from(p)) {
        (Ok(n), Ok(p)) if p > 0 => ((n / p).into(), (n % p).into()),
        _ if p > 0 => (n / p, n % p),
        _ => (0, 1),
    };
    match rest {
        0 => Ok(quotient),
        _ => Err(mismatch()),
    }
}
