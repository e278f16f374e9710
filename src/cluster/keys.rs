//! Shared factors of many moduli, distributed over ranks.
//!
//! Rank 0 removes duplicate moduli and distributes the rest in order, about the same number of bits
//! to each rank. Each rank computes the tree of its own moduli. Let P_j and S_j be the product and
//! the sum at the root of rank j (see `keys/tree.rs`). The fraction at the root of rank r is S_r·Π
//! P_j/P_r, j ≠ r, modulo 1, because the other terms of the sum over all moduli are multiples of
//! P_r. A rank therefore needs only the products of the other ranks, one at a time, and its memory
//! is that of its tree. It multiplies R − 1 times modulo P_r, which is as much work as R/2 levels
//! of its tree.

use crate::number::Integer;
use crate::number::Natural;

use super::numbers::{Words, put};
use super::{Cluster, to_bytes, to_words};
use crate::error::Result;
use crate::int::Int;
use crate::keys::{self, OtherTrees, Places, Shared};
use crate::limbs::Resident;
use crate::tuning::Tuning;

/// A rank's moduli.
const SHARE: u16 = 70;

impl Cluster {
    /// [`keys::shared_factors`] for the moduli of rank 0, computed by all ranks. Collective. Rank 0
    /// gets the answer, and the other ranks get an empty list. The moduli of the other ranks are
    /// ignored.
    ///
    /// ```
    /// use bezout::{Int, cluster::Cluster};
    /// let moduli = [101 * 103, 107 * 109, 113 * 103].map(Int::from);
    /// let shared = Cluster::start()?.shared_factors(&moduli)?;
    /// assert_eq!((&shared[0].factor, &shared[0].moduli[..]), (&Int::from(103), &[0, 2][..]));
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn shared_factors(&self, moduli: &[Int]) -> Result<Vec<Shared>> {
        let moduli = if self.is_first() { moduli } else { &[] };
        let places = self.share_error(Places::of(moduli))?;
        let distinct: Vec<&Natural> = places.distinct().collect();
        let common = self.common_parts(&distinct)?;
        keys::from_common_parts(&places, common)
    }

    /// For rank 0's distinct numbers, returns the gcd of each with the product of all others, on
    /// rank 0. Returns an empty list on the other ranks.
    fn common_parts(&self, numbers: &[&Natural]) -> Result<Vec<Natural>> {
        let few = Tuning::in_force().keys_pairwise.max(self.size());
        let mut alone = [u64::from(self.size() == 1 || numbers.len() <= few)];
        self.broadcast_words(0, &mut alone);
        if alone == [1] {
            return if self.is_first() {
                keys::common_parts(numbers, None)
            } else {
                Ok(Vec::new())
            };
        }
        let others = OtherRanks(self);
        if !self.is_first() {
            let mine = numbers_of(&to_words(&self.receive(0, SHARE)))?;
            let mine: Vec<&Natural> = mine.iter().collect();
            let common = keys::common_parts(&mine, Some(&others))?;
            self.gather(0, &to_bytes(&hits(&common)));
            return Ok(Vec::new());
        }
        let cuts = cuts(numbers, self.size());
        for rank in 1..self.size() {
            let mut words = Vec::new();
            numbers[cuts[rank]..cuts[rank + 1]]
                .iter()
                .for_each(|n| put(&mut words, n));
            self.send(rank, SHARE, &to_bytes(&words));
        }
        let mut all = keys::common_parts(&numbers[..cuts[1]], Some(&others))?;
        all.resize(numbers.len(), Natural::ONE);
        let found = self.gather(0, &[]).unwrap_or_default();
        for (first, bytes) in cuts.into_iter().zip(found) {
            let words = to_words(&bytes);
            let mut words = Words(&words);
            while !words.is_empty() {
                let at = first + words.word()? as usize;
                all[at] = words.number()?;
            }
        }
        Ok(all)
    }
}

/// The trees of the other ranks.
struct OtherRanks<'a>(&'a Cluster);

impl OtherTrees for OtherRanks<'_> {
    fn joined_sum(&self, product: &Resident, sum: &Resident) -> Result<Resident> {
        let OtherRanks(cluster) = self;
        let mine = product.host()?;
        let others = (0..cluster.size()).filter_map(|rank| {
            let is_own = rank == cluster.rank();
            let mut bytes = Vec::new();
            if is_own {
                bytes = to_bytes(mine.magnitude().limbs());
            }
            cluster.broadcast(rank, &mut bytes);
            let other = (!is_own).then(|| Natural::from_vec(to_words(&bytes)))?;
            Some(Resident::from(Integer::from(other)))
        });
        keys::sum_times(product, sum, others)
    }
}

/// The index at which the numbers of each rank start, and the end of the last. Each rank has about
/// the same number of bits, and at least one number.
fn cuts(numbers: &[&Natural], ranks: usize) -> Vec<usize> {
    let all: u64 = numbers.iter().map(|n| n.bit_length()).sum();
    let (mut cuts, mut before) = (vec![0], 0);
    for (i, n) in numbers.iter().enumerate() {
        let is_full = u128::from(before) * ranks as u128 >= u128::from(all) * cuts.len() as u128;
        let is_last_chance = numbers.len() - i == ranks - cuts.len();
        if cuts.len() < ranks && i > cuts[cuts.len() - 1] && (is_full || is_last_chance) {
            cuts.push(i);
        }
        before += n.bit_length();
    }
    cuts.push(numbers.len());
    cuts
}

fn numbers_of(words: &[u64]) -> Result<Vec<Natural>> {
    let (mut words, mut numbers) = (Words(words), Vec::new());
    while !words.is_empty() {
        numbers.push(words.number()?);
    }
    Ok(numbers)
}

/// The common parts other than 1, each after its index.
fn hits(common: &[Natural]) -> Vec<u64> {
    let mut words = Vec::new();
    for (place, part) in (0..).zip(common) {
        if *part != Natural::ONE {
            words.push(place);
            put(&mut words, part);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_its_share() {
        let of = |bits: &[u64], ranks| {
            let numbers: Vec<Natural> = bits.iter().map(|b| Natural::ONE << (b - 1)).collect();
            cuts(&numbers.iter().collect::<Vec<_>>(), ranks)
        };
        assert_eq!(of(&[10; 12], 3), [0, 4, 8, 12]);
        assert_eq!(of(&[10; 3], 3), [0, 1, 2, 3]);
        assert_eq!(of(&[1000, 1, 1, 1], 4), [0, 1, 2, 3, 4]);
        assert_eq!(of(&[1, 1, 1, 1000], 3), [0, 2, 3, 4]);
        assert_eq!(of(&[10; 5], 1), [0, 5]);
    }
}
