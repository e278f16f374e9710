//! Which follower owns which blocks of moduli. A follower is a thread or a process.
//!
//! Blocks retire in order, so every part of the list of blocks is distributed in the same way:
//! evenly, or in proportion to speed as closely as whole blocks allow.

use std::sync::Arc;

/// No follower gets less than this part of the share of the fastest. While a follower has no block,
/// nothing stops the leader from running far ahead of it.
pub(crate) const LEAST_PART: u64 = 8;

/// Mean number of blocks of a period per follower.
const TURNS: u64 = 8;

/// The owner of each block of a period. All periods are assigned in the same way.
#[derive(Debug, Clone)]
pub(crate) struct BlockOwners {
    owners: Arc<[usize]>,
}

/// The blocks of one follower.
#[derive(Debug, Clone)]
pub(crate) struct OwnedBlocks {
    /// Those of a period.
    places: Vec<usize>,
    period: usize,
}

impl BlockOwners {
    /// An even distribution over `followers` followers, in turn.
    pub(crate) fn even(followers: usize) -> BlockOwners {
        BlockOwners {
            owners: (0..followers).collect(),
        }
    }

    /// A distribution in proportion to speed. Follower 0 owns the first block. Followers of equal
    /// speed take turns as in an even distribution.
    ///
    /// Each of R followers has a block in every period, which is of at most 8.5 R: a follower's
    /// turns are TURNS·R times its part of all speeds, at least 1 because of LEAST_PART, and
    /// rounded.
    pub(crate) fn by_speed(speeds: &[u64]) -> BlockOwners {
        let fastest = speeds.iter().copied().max().unwrap_or(1).max(1);
        let known: Vec<u64> = speeds
            .iter()
            .map(|speed| (*speed).max(fastest.div_ceil(LEAST_PART)))
            .collect();
        let all: u128 = known.iter().map(|speed| u128::from(*speed)).sum();
        let turns: Vec<i64> = known
            .iter()
            .map(|speed| {
                let slots = u128::from(*speed) * u128::from(TURNS) * known.len() as u128;
                ((slots + all / 2) / all).max(1) as i64
            })
            .collect();
        let period: i64 = turns.iter().sum();
        // In each turn every follower's claim grows by its share of a block. The follower with the
        // largest claim gets the block.
        let mut owed = vec![0; turns.len()];
        let mut owners: Vec<usize> = (0..period)
            .map(|_| {
                owed.iter_mut()
                    .zip(&turns)
                    .for_each(|(owed, turns)| *owed += turns);
                let most = (0..owed.len()).rev().max_by_key(|i| owed[*i]).unwrap_or(0);
                owed[most] -= period;
                most
            })
            .collect();
        let first = owners.iter().position(|owner| *owner == 0).unwrap_or(0);
        owners.rotate_left(first);
        BlockOwners {
            owners: owners.into(),
        }
    }

    /// The follower that owns a block.
    pub(crate) fn owner(&self, block: usize) -> usize {
        self.owners[block % self.owners.len()]
    }

    /// The blocks that a follower owns.
    pub(crate) fn blocks_of(&self, follower: usize) -> OwnedBlocks {
        let own = self
            .owners
            .iter()
            .enumerate()
            .filter(|(_, owner)| **owner == follower);
        OwnedBlocks {
            places: own.map(|(place, _)| place).collect(),
            period: self.owners.len(),
        }
    }
}

impl OwnedBlocks {
    /// How many of these blocks come before this one.
    pub(crate) fn before(&self, block: usize) -> usize {
        let (periods, place) = (block / self.period, block % self.period);
        periods * self.places.len() + self.places.partition_point(|own| *own < place)
    }

    /// The number of the block at this position.
    pub(crate) fn block(&self, index: usize) -> usize {
        let own = self.places.len();
        index / own * self.period + self.places[index % own]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_one_owner() {
        let assignments = [
            BlockOwners::even(1),
            BlockOwners::even(5),
            BlockOwners::by_speed(&[7]),
            BlockOwners::by_speed(&[3, 3, 3, 3]),
            BlockOwners::by_speed(&[100, 55, 100, 80, 100, 1]),
            BlockOwners::by_speed(&[0, 0]),
            BlockOwners::by_speed(&[1, u64::MAX, 5]),
            // Most are rounded up: 118 blocks, more than 8 for each.
            BlockOwners::by_speed(&[9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1]),
        ];
        for owners in assignments {
            let followers = 1 + *owners.owners.iter().max().unwrap();
            let owned: Vec<OwnedBlocks> = (0..followers)
                .map(|follower| owners.blocks_of(follower))
                .collect();
            let mut counts = vec![0; followers];
            assert_eq!(owners.owner(0), 0);
            assert!(2 * owners.owners.len() <= 17 * followers, "{owners:?}");
            for block in 0..300 {
                for (blocks, count) in owned.iter().zip(&counts) {
                    assert_eq!(blocks.before(block), *count);
                }
                let owner = owners.owner(block);
                assert_eq!(owned[owner].block(counts[owner]), block);
                counts[owner] += 1;
            }
        }
    }

    #[test]
    fn blocks_go_by_speed_and_are_spread() {
        let even = BlockOwners::by_speed(&[9, 9, 9]);
        assert!(
            (0..24).all(|block| even.owner(block) == block % 3),
            "{even:?}"
        );
        let owners = BlockOwners::by_speed(&[50, 100, 100, 1]);
        let count = |follower| {
            owners
                .owners
                .iter()
                .filter(|owner| **owner == follower)
                .count()
        };
        // 32 blocks by 50, 100, 100 and an eighth of that.
        assert_eq!([0, 1, 2, 3].map(count), [6, 12, 12, 2]);
        for follower in 0..4 {
            let blocks = owners.blocks_of(follower);
            let gaps = (0..60).map(|i| blocks.block(i + 1) - blocks.block(i));
            let fair = owners.owners.len().div_ceil(count(follower));
            assert!(gaps.max().unwrap() <= fair + 2, "{follower} of {owners:?}");
        }
    }
}
