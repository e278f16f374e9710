//! The most memory that a piece of work holds at a time, as the C library's allocator counts what
//! it has handed out: pages would also count what was there before and lies idle.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often it is looked at.
const EVERY: Duration = Duration::from_micros(500);

/// What `work` gives, and the most bytes that this process held meanwhile beside those before; none
/// where the allocator does not say.
pub fn during<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let before = held();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = held();
            while !is_done.load(Ordering::Relaxed) {
                most = most.max(held());
                std::thread::sleep(EVERY);
            }
            most
        });
        let given = work();
        is_done.store(true, Ordering::Relaxed);
        let most = watch.join().ok().flatten();
        let more = most
            .zip(before)
            .map(|(most, before)| most.saturating_sub(before));
        (given, more)
    })
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn held() -> Option<u64> {
    // SAFETY: it takes nothing and reads the allocator's own counters under the allocator's locks.
    let counted = unsafe { libc::mallinfo2() };
    Some((counted.uordblks + counted.hblkhd) as u64)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn held() -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_for_a_moment_counts() {
        let size = 64 << 20;
        let (length, most) = during(|| {
            let bytes = std::hint::black_box(vec![1u8; size]);
            std::thread::sleep(20 * EVERY);
            bytes.len()
        });
        assert_eq!(length, size);
        assert!(most.unwrap() >= size as u64 && most.unwrap() < 2 * size as u64);
    }
}
