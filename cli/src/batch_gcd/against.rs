//! New keys against the stored ones (`--against`), without the work on the stored ones again.
//!
//! Of a piece of the store the product Q of its moduli is on disk. With the product P of the new
//! moduli, Q mod P goes down the tree of the new moduli, and gcd(Q mod n, n) is what n has in
//! common with the piece. Only where that is not 1 for some n are the moduli of the piece read:
//! those that have something in common with the product of what was found are suspects. New moduli
//! and suspects together then give the shared factors.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use bezout::Int;
use bezout::tree::{self, ProductTree};
use bezout_keyfile::Exponent;
use bezout_keyfile::store::{Access, Piece, Store, StoreError, Stored};
use rayon::prelude::*;

use super::Answer;
use super::input::{KeyPlace, Keys};
use crate::failure::Failure;

/// Limbs of the longest product of a piece: 65536 moduli of 2048 bits.
const PIECE_LIMBS: u64 = 1 << 21;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let failure = match &error {
            StoreError::Io { .. } => Failure::failed(error.to_string()),
            _ => Failure::bad_input(error.to_string()),
        };
        match error {
            StoreError::Missing(_) => failure.hint("--add makes one in a new or empty folder"),
            StoreError::Locked(_) => failure.hint("try again when the other process is done"),
            _ => failure,
        }
    }
}

/// Opens the store, which with `is_changed` is made where there is none.
pub fn open(folder: &Path, is_changed: bool) -> Result<Store, Failure> {
    let access = if is_changed {
        Access::Change
    } else {
        Access::Read
    };
    Ok(Store::open(folder, access)?)
}

/// Stored moduli that share a factor with new ones or are equal to them.
pub fn suspects(store: &Store, folder: &str, new: &[Int]) -> Result<Keys, Failure> {
    let mut suspects = Keys::default();
    if new.is_empty() {
        return Ok(suspects);
    }
    let moduli = distinct(new.iter());
    let tree = ProductTree::new(&moduli)?;
    let product = tree.product();
    let (label, mut before): (Arc<str>, u64) = (folder.into(), 0);
    for piece in 0..store.len() {
        let stored = Int::from_limbs(store.product(piece)?);
        let rests = tree.try_remainders(&stored.try_rem_euclid(&product)?)?;
        let parts = common_parts(&rests, &moduli)?;
        let parts = distinct(parts.iter().filter(|part| **part != 1));
        if !parts.is_empty() {
            let keys = store.keys(piece)?;
            let moduli = moduli_of(&keys);
            let found = common_parts(
                &tree::remainders(&tree::product(&parts)?, &moduli)?,
                &moduli,
            )?;
            for (i, (modulus, key)) in moduli.into_iter().zip(keys).enumerate() {
                if found[i] == 1 {
                    continue;
                }
                suspects.moduli.push(modulus);
                suspects.places.push(KeyPlace {
                    file: label.clone(),
                    line: before + i as u64 + 1,
                    column: None,
                    name: Some(key.place.into()),
                    exponent: Exponent::Unknown,
                });
            }
        }
        before += store.count(piece);
    }
    Ok(suspects)
}

/// The moduli of stored keys.
fn moduli_of(keys: &[Stored]) -> Vec<Int> {
    let moduli = keys.par_iter().map(|key| Int::from_limbs_slice(&key.limbs));
    moduli.collect()
}

/// The different numbers among some, sorted.
fn distinct<'a>(numbers: impl Iterator<Item = &'a Int>) -> Vec<Int> {
    let mut numbers: Vec<Int> = numbers.cloned().collect();
    numbers.par_sort_unstable();
    numbers.dedup();
    numbers
}

/// gcd(rest, n) of each number and its remainder.
fn common_parts(rests: &[Int], moduli: &[Int]) -> Result<Vec<Int>, Failure> {
    let pairs = rests.par_iter().zip(moduli);
    let parts: Vec<_> = pairs.map(|(rest, n)| rest.try_gcd(n)).collect();
    Ok(parts.into_iter().collect::<Result<Vec<_>, _>>()?)
}

/// Leaves only what concerns the first `count` keys, the new ones.
pub fn only_new(count: usize, answer: &mut Answer) {
    let has_new = |moduli: &[usize]| moduli.iter().any(|i| *i < count);
    answer.shared.retain(|shared| has_new(&shared.moduli));
    answer.duplicates.retain(|equal| has_new(equal));
    if let Some(weak) = &mut answer.weak {
        weak.retain(|(_, i)| *i < count);
    }
}

/// Checks that the product of every piece is that of its moduli.
pub fn verify(store: &Store) -> Result<(), Failure> {
    for piece in 0..store.len() {
        let moduli = moduli_of(&store.keys(piece)?);
        if tree::product(&moduli)? != Int::from_limbs(store.product(piece)?) {
            let words = "verification failed: a product of the store is not that of its keys";
            return Err(Failure::failed(words));
        }
    }
    Ok(())
}

/// Adds the different keys that are not among `known`. Returns how many there were.
///
/// Short pieces at the end are merged with the new ones: as long as a piece is at most twice as
/// long as what comes after it. So there are few short pieces, and a key is written again about
/// once for every doubling of the store.
pub fn add(
    store: &mut Store,
    new: &[Int],
    places: &[KeyPlace],
    known: &[Int],
) -> Result<usize, Failure> {
    #[expect(
        clippy::mutable_key_type,
        reason = "a number's copies come and go, its value does not change"
    )]
    let mut seen: HashSet<&Int> = known.iter().collect();
    let mut added = Vec::new();
    for (modulus, place) in new.iter().zip(places) {
        if seen.insert(modulus) {
            let (limbs, place) = (modulus.try_limbs()?.to_vec(), place.to_string());
            added.push(Stored { limbs, place });
        }
    }
    let (count, mut first) = (added.len(), store.len());
    if count == 0 {
        return Ok(0);
    }
    let mut limbs: u64 = added.iter().map(|key| key.limbs.len() as u64).sum();
    while first > 0 {
        let length = store.product_limbs(first - 1);
        if length > 2 * limbs || length + limbs > PIECE_LIMBS {
            break;
        }
        (first, limbs) = (first - 1, limbs + length);
    }
    let mut all = Vec::new();
    for piece in first..store.len() {
        all.extend(store.keys(piece)?);
    }
    all.extend(added);
    store.replace_from(first, &pieces(all)?)?;
    Ok(count)
}

/// Pieces of at most the longest length, with their products.
fn pieces(keys: Vec<Stored>) -> Result<Vec<Piece>, Failure> {
    let (mut groups, mut limbs) = (vec![Vec::new()], 0);
    for key in keys {
        let length = key.limbs.len() as u64;
        if limbs > 0 && limbs + length > PIECE_LIMBS {
            groups.push(Vec::new());
            limbs = 0;
        }
        limbs += length;
        if let Some(group) = groups.last_mut() {
            group.push(key);
        }
    }
    groups.into_iter().map(piece).collect()
}

/// The piece of these keys.
fn piece(keys: Vec<Stored>) -> Result<Piece, Failure> {
    let product = tree::product(&moduli_of(&keys))?.try_into_limbs()?;
    Ok(Piece { product, keys })
}
