//! The first place where something holds, searched with all threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::team::Team;
use crate::tuning::Tuning;

/// The smallest index below `len` that `find` finds. `find(range)` returns the smallest one in
/// `range`, or None. A search that ends early costs no more than on one thread.
pub(super) fn first(
    len: usize,
    find: impl Fn(Range<usize>) -> Option<usize> + Sync,
) -> Option<usize> {
    let near = len.min(Tuning::in_force().cpu_parallel_limbs);
    if let Some(index) = find(0..near) {
        return Some(index);
    }
    let far = len - near;
    let Some(team) = Team::of(far) else {
        return find(near..len);
    };
    let next = AtomicUsize::new(0);
    let found = AtomicUsize::new(len);
    team.run(team.blocks(far), || {
        loop {
            let block = next.fetch_add(1, Relaxed);
            if block >= team.blocks(far) || near + block * team.chunk() > found.load(Relaxed) {
                break;
            }
            let from = near + block * team.chunk();
            if let Some(index) = find(from..len.min(from + team.chunk())) {
                found.fetch_min(index, Relaxed);
                break;
            }
        }
    });
    let index = found.into_inner();
    (index < len).then_some(index)
}
