//! The CPU engine's greatest common divisor holds at most twelve times its operands.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bezout::{Engine, Int};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The system's allocator, which counts.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn twelve_times_the_operands_are_enough() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let bits = 1 << 24;
    let mut random = || Int::random_bits(bits, &mut rng);
    let (a, b) = (random(), random());
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let g = Engine::Cpu.scope(|| a.gcd(&b));
    let operands = 2 * bits as usize / 8;
    let most = PEAK.load(Relaxed) - before + operands;
    assert!(g.bit_length() < 64);
    let times = most as f64 / operands as f64;
    println!("{times:.1} times the operands");
    assert!(times <= 12.0, "{times:.1} times the operands");
}
