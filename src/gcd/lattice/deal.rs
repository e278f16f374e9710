//! Which member of a team, a thread or a process, holds which blocks of moduli.
//!
//! Blocks retire in order, so every part of their list is dealt alike: evenly, or by speed, and
//! then as evenly as whole blocks allow.

use std::sync::Arc;

/// No member gets less than this part of what the fastest gets: while it has no block, nothing
/// keeps the leader from going far ahead of it.
pub(crate) const LEAST: u64 = 8;

/// Blocks of a period for each member, in the mean.
const TURNS: u64 = 8;

/// Who holds each block of a period; the next ones are dealt alike.
#[derive(Debug, Clone)]
pub(crate) struct Deal {
    owners: Arc<[usize]>,
}

/// The blocks of one member.
#[derive(Debug, Clone)]
pub(super) struct Hand {
    /// Those of a period.
    places: Vec<usize>,
    period: usize,
}

impl Deal {
    /// One after the other.
    pub(crate) fn even(team: usize) -> Deal {
        Deal {
            owners: (0..team).collect(),
        }
    }

    /// By speed; member 0 has the first block. Members of a speed take turns as if they were dealt
    /// evenly.
    ///
    /// Each of R members has a block in every period, which is of at most 8.5 R: a member's turns
    /// are TURNS·R times its part of all speeds, at least 1 because of LEAST, and rounded.
    pub(crate) fn by_speed(speeds: &[u64]) -> Deal {
        let fastest = speeds.iter().copied().max().unwrap_or(1).max(1);
        let known: Vec<u64> = speeds
            .iter()
            .map(|speed| (*speed).max(fastest.div_ceil(LEAST)))
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
        // Each is owed its part of a block a turn; who is owed most gets it.
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
        Deal {
            owners: owners.into(),
        }
    }

    pub(crate) fn owner(&self, block: usize) -> usize {
        self.owners[block % self.owners.len()]
    }

    pub(super) fn hand(&self, member: usize) -> Hand {
        let own = self
            .owners
            .iter()
            .enumerate()
            .filter(|(_, owner)| **owner == member);
        Hand {
            places: own.map(|(place, _)| place).collect(),
            period: self.owners.len(),
        }
    }
}

impl Hand {
    /// How many of these blocks come before this one.
    pub(super) fn before(&self, block: usize) -> usize {
        let (periods, place) = (block / self.period, block % self.period);
        periods * self.places.len() + self.places.partition_point(|own| *own < place)
    }

    /// The number of one of them.
    pub(super) fn block(&self, index: usize) -> usize {
        let own = self.places.len();
        index / own * self.period + self.places[index % own]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_one_hand() {
        let deals = [
            Deal::even(1),
            Deal::even(5),
            Deal::by_speed(&[7]),
            Deal::by_speed(&[3, 3, 3, 3]),
            Deal::by_speed(&[100, 55, 100, 80, 100, 1]),
            Deal::by_speed(&[0, 0]),
            Deal::by_speed(&[1, u64::MAX, 5]),
            // Most are rounded up: 118 blocks, more than 8 for each.
            Deal::by_speed(&[9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1]),
        ];
        for deal in deals {
            let team = 1 + *deal.owners.iter().max().unwrap();
            let hands: Vec<Hand> = (0..team).map(|member| deal.hand(member)).collect();
            let mut counts = vec![0; team];
            assert_eq!(deal.owner(0), 0);
            assert!(2 * deal.owners.len() <= 17 * team, "{deal:?}");
            for block in 0..300 {
                for (hand, count) in hands.iter().zip(&counts) {
                    assert_eq!(hand.before(block), *count);
                }
                let owner = deal.owner(block);
                assert_eq!(hands[owner].block(counts[owner]), block);
                counts[owner] += 1;
            }
        }
    }

    #[test]
    fn hands_are_by_speed_and_spread() {
        let even = Deal::by_speed(&[9, 9, 9]);
        assert!(
            (0..24).all(|block| even.owner(block) == block % 3),
            "{even:?}"
        );
        let deal = Deal::by_speed(&[50, 100, 100, 1]);
        let count = |member| deal.owners.iter().filter(|owner| **owner == member).count();
        // 32 blocks by 50, 100, 100 and an eighth of that.
        assert_eq!([0, 1, 2, 3].map(count), [6, 12, 12, 2]);
        for member in 0..4 {
            let hand = deal.hand(member);
            let gaps = (0..60).map(|i| hand.block(i + 1) - hand.block(i));
            let fair = deal.owners.len().div_ceil(count(member));
            assert!(gaps.max().unwrap() <= fair + 2, "{member} of {deal:?}");
        }
    }
}
