//! How blocks are assigned to ranks that are not equally fast.

use std::time::Instant;

use crate::cluster::{Cluster, to_bytes, to_words};
use crate::engine::Engine;
use crate::gcd::lattice::{BlockOwners, LatticePlan, exercise};
use crate::threads;

/// The maximum share of a CPU rank, as a multiple of an even share. It ensures that the memory per
/// rank falls as the number of ranks grows.
pub(in crate::cluster) const MOST: f64 = 1.15;

/// The share of a rank, in words times residues, from which on its speed is measured: some five
/// milliseconds. Below it, the part of the share that the measurement takes, and its number of
/// moduli.
const WORTH: u64 = 1 << 25;
const TRIAL: u64 = 64;
const MODULI: usize = 256;

/// The leader's work for a block, in the same unit: some thirteen microseconds.
const LEADING: u64 = 75_000;

/// The speed of a device: above that of any core.
const DEVICE: u64 = 1 << 40;

/// Assigns the blocks: evenly if there is little work, else in proportion to the speed at which
/// each rank converts residues while all others do the same. Cores differ in speed if other
/// processes use them, or if two of them are hardware threads of one core.
pub(super) fn owners_by_speed(plan: &LatticePlan, cluster: &Cluster) -> BlockOwners {
    // Words times residues of conversion and following, as one rank's share.
    let (blocks, k) = (plan.blocks as u64, plan.k as u64);
    let words = 4 * plan.words as u64 * blocks * k + blocks * blocks * k * (k + 2);
    let share = words / cluster.size() as u64;
    if share < WORTH {
        return BlockOwners::even(cluster.size());
    }
    let speed = match Engine::current() {
        Engine::Cuda(_) => DEVICE,
        _ => {
            let mut work = exercise(MODULI, (share / TRIAL) as usize / (4 * MODULI));
            cluster.barrier();
            let start = Instant::now();
            work();
            let nanos = start.elapsed().as_nanos().max(1) as u64;
            (share / TRIAL * 1000 / nanos).max(1) * threads::count() as u64
        }
    };
    let all = cluster.all_gather(&to_bytes(&[speed]));
    let mut speeds: Vec<u64> = all.iter().flat_map(|speed| to_words(speed)).collect();
    if speeds[0] < DEVICE {
        // Rank 0's work as the leader is subtracted from its share.
        let leading = (blocks * LEADING).min(share);
        speeds[0] = (speeds[0] as f64 * (1.0 - leading as f64 / share as f64)) as u64;
    }
    if speeds.iter().all(|speed| *speed < DEVICE) {
        level(&mut speeds);
    }
    BlockOwners::by_speed(&speeds)
}

/// Lowers the highest speeds until none is above `MOST` times the mean.
fn level(speeds: &mut [u64]) {
    let mut rest: f64 = speeds.iter().map(|speed| *speed as f64).sum();
    let mut descending = speeds.to_vec();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    for (lowered, next) in descending.iter().enumerate() {
        // The limit if `lowered` of them are at the limit: it is MOST times (lowered·limit + rest)
        // / count. The denominator is positive: at lowered > count/MOST - 1 the limit is above
        // rest, and so was found before.
        let limit = MOST * rest / (speeds.len() as f64 - MOST * lowered as f64);
        if *next as f64 <= limit {
            speeds
                .iter_mut()
                .for_each(|speed| *speed = (*speed).min(limit as u64));
            return;
        }
        rest -= *next as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_far_above_the_mean() {
        let cases: [&[u64]; 6] = [
            &[500],
            &[1000, 1000, 1000],
            &[1000, 100],
            &[1000, 1000, 1000, 1000, 1000, 1000, 1000, 10],
            &[1000, 1000, 500, 500],
            &[1, 40_000, 30_000, 90_000, 20_000, 100_000, 70],
        ];
        for case in cases {
            let mut leveled = case.to_vec();
            level(&mut leveled);
            let mean = leveled.iter().sum::<u64>() as f64 / case.len() as f64;
            let highest = leveled.iter().max().map_or(0.0, |speed| *speed as f64);
            assert!(highest <= MOST * mean + 2.0, "{case:?} became {leveled:?}");
            for (before, after) in case.iter().zip(&leveled) {
                assert!(
                    before == after || *after as f64 >= MOST * mean - 2.0,
                    "{case:?} became {leveled:?}"
                );
            }
        }
        let mut even = [1000, 1100, 900];
        level(&mut even);
        assert_eq!(even, [1000, 1100, 900]);
    }
}
