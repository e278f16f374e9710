//! What kernels stand on: collectives, shared memory, atomics, barriers and the prelude. And that
//! the executor finds the faults it is there to find.

use std::process::Command;
use std::sync::Arc;

use super::super::*;
use super::{devices, executor, flat};
use crate::error::Error;

/// Declared apart from the tests, some of which have the names of kernels.
pub(super) mod cu {
    use super::super::super::*;

    /// Two words, loaded and stored together.
    #[derive(Clone, Copy)]
    pub(in crate::cuda::tests) struct Pair;

    impl Element for Pair {
        const C: &'static str = "ulonglong2";
        const BYTES: u64 = 16;
    }

    kernels! {
        pub(in crate::cuda::tests) static COLLECTIVES =
            "collectives", include_str!("collectives.cu");

        fn block_sum(from: Read<u64>[n], out: Write<u64>[1], n: u64);
        fn reverse(data: Update<u64>);
        fn warp_scan(from: Read<u32>, out: Write<u32>);
        fn shuffles(out: Write<i64>);
        fn votes(bits: Write<u32>, flags: Write<u32>);
        fn atomics(words: Update<u32>, wide: Update<u64>, least: Update<i32>, heads: Update<u32>);
        fn look_back(
            from: Read<u64>[n], out: Write<u64>[n], n: u64, ticket: Update<u32>[1],
            state: Update<u64>,
        );
        fn rounds_of_sums(words: Update<u32>, barrier: Update<u32>[2], rounds: u32);
        fn add_limbs(
            a: Read<u64>, b: Read<u64>, out: Write<u64>, carry_in: Read<u32>, carries: Write<u32>,
        );
        fn sub_limbs(
            a: Read<u64>[n], b: Read<u64>[n], out: Write<u64>[n], n: u32, borrow: Write<u32>[1],
        );
        fn intrinsics(
            x: u64, y: u64, p: f64, q: f64, bits: Write<u64>, reals: Write<f64>, pair: Write<Pair>,
        );
        fn rotate(out: Write<u32>, rounds: u32);
        fn leavers(out: Write<u32>, stay: u32);
        fn divergent_barrier | two_barriers | exited_lanes | foreign_mask | mixed_collectives
            | missing_barrier(
            out: Write<u32>,
        );
        fn endless_spin | endless_votes(word: Read<u32>);
        fn forward_wait(flags: Update<u32>);
        fn out_of_bounds(past: u32);
    }
}

/// Launches a kernel. Each test here gives a kernel buffers as long as its head says, and the shape
/// that the head asks for.
macro_rules! launch {
    ($device:expr, $kernel:expr, $shape:expr, $($argument:expr),+) => {
        $device.kernel($kernel, &[]).and_then(|kernel| {
            // SAFETY: the buffers cover what the kernel touches, as said above.
            unsafe { kernel.launch($shape, $($argument),+) }
        })
    };
}

/// Words, two a limb, on the device.
fn upload(device: &Arc<Device>, words: &[u32]) -> Buffer {
    let limbs: Vec<u64> = words
        .chunks(2)
        .map(|pair| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32)
        .collect();
    device.upload(&limbs).unwrap()
}

fn limbs(buffer: &Buffer) -> Vec<u64> {
    let mut limbs = vec![0; buffer.limbs()];
    buffer.device().download(buffer, 0, &mut limbs).unwrap();
    limbs
}

fn words(buffer: &Buffer) -> Vec<u32> {
    let split = |limb: u64| [limb as u32, (limb >> 32) as u32];
    limbs(buffer).into_iter().flat_map(split).collect()
}

/// Limbs that look random.
fn mixed(n: usize) -> Vec<u64> {
    let mix = |i: u64| (i ^ i >> 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (1..=n as u64).map(mix).collect()
}

#[test]
fn sums_of_blocks() {
    for device in devices(None) {
        for (grid, n) in [(1, 1), (1, 256), (3, 1000), (7, 5000)] {
            let values = mixed(n);
            let from = device.upload(&values).unwrap();
            let to = device.alloc(grid as usize).unwrap();
            launch!(
                device,
                cu::block_sum,
                flat(grid, 256),
                from.read(),
                to.write(),
                n
            )
            .unwrap();
            let total = |values: &[u64]| values.iter().fold(0, |sum: u64, x| sum.wrapping_add(*x));
            assert_eq!(total(&limbs(&to)), total(&values));
            let refused = launch!(
                device,
                cu::block_sum,
                flat(grid, 512),
                from.read(),
                to.write(),
                n
            );
            assert!(matches!(refused, Err(Error::Device { .. })), "{refused:?}");
        }
    }
}

#[test]
fn dynamic_shared_memory() {
    for device in devices(None) {
        for (grid, block) in [(1, 1), (2, 33), (5, 256), (2, 1024)] {
            let values = mixed((grid * block) as usize);
            let data = device.upload(&values).unwrap();
            let shape = Launch {
                shared_bytes: 8 * block,
                ..flat(grid, block)
            };
            launch!(device, cu::reverse, shape, data.update()).unwrap();
            let runs = values.chunks(block as usize);
            let expected: Vec<u64> = runs.flat_map(|run| run.iter().rev().copied()).collect();
            assert_eq!(limbs(&data), expected);
        }
    }
}

#[test]
fn scans_of_warps() {
    for device in devices(None) {
        for (grid, block) in [(1, 32), (3, 96), (2, 1024)] {
            let values: Vec<u32> = mixed((grid * block) as usize)
                .into_iter()
                .map(|limb| limb as u32)
                .collect();
            let from = upload(&device, &values);
            let to = device.alloc(from.limbs()).unwrap();
            launch!(
                device,
                cu::warp_scan,
                flat(grid, block),
                from.read(),
                to.write()
            )
            .unwrap();
            let mut sum = 0u32;
            for (i, (value, scanned)) in values.iter().zip(words(&to)).enumerate() {
                sum = if i % 32 == 0 { 0 } else { sum }.wrapping_add(*value);
                assert_eq!(scanned, sum, "word {i}");
            }
        }
    }
}

#[test]
fn shuffles() {
    for device in devices(None) {
        let to = device.alloc(256).unwrap();
        launch!(device, cu::shuffles, flat(1, 32), to.write()).unwrap();
        for (l, lane) in limbs(&to).chunks(8).enumerate() {
            let l = l as i64;
            let (rank, near, other) = (l % 16, l ^ 9, l ^ 16);
            let expected = [
                103,
                -(101 + (l & !7)),
                100 + if rank >= 5 { l - 5 } else { l },
                -(100 + if rank < 11 { l + 5 } else { l }),
                100 + (l ^ 21),
                100 + if near <= (l | 7) { near } else { l },
                131 - l,
                if other >= 16 { other ^ 1 } else { other },
            ];
            let lane: Vec<i64> = lane.iter().map(|limb| *limb as i64).collect();
            assert_eq!(lane, expected, "lane {l}");
        }
    }
}

#[test]
fn votes() {
    for device in devices(None) {
        let (bits, flags) = (device.alloc(3).unwrap(), device.alloc(2).unwrap());
        launch!(device, cu::votes, flat(1, 64), bits.write(), flags.write()).unwrap();
        assert_eq!(words(&bits)[..5], [0xaaaa_aaaa, 0, 1, 1, 0]);
        assert_eq!(words(&flags)[..3], [1, 0, 22]);
    }
}

#[test]
fn atomics() {
    for device in devices(None) {
        let n = 5 * 96;
        let narrow = upload(&device, &[0, !0, 0, 0, !0, 0, 0, !0]);
        let wide = device.upload(&[0, !0, 0, 0, 0]).unwrap();
        let least = upload(&device, &[5]);
        let heads = device.alloc(n / 2).unwrap();
        launch!(
            device,
            cu::atomics,
            flat(5, 96),
            narrow.update(),
            wide.update(),
            least.update(),
            heads.update()
        )
        .unwrap();

        let last = n as u32 - 1;
        let (sum, parity) = (last * (last + 1) / 2, (0..=last).fold(0, |x, i| x ^ i));
        let narrow = words(&narrow);
        assert_eq!(narrow[..7], [sum, 5, last, !0, 1 << 31, parity, 7]);
        let high = |word| u64::from(word) << 32;
        assert_eq!(
            limbs(&wide),
            [high(sum), high(5), high(last), !0, high(parity)]
        );
        assert_eq!(words(&least)[0] as i32, -(last as i32));
        // The list has each thread once.
        let (heads, mut seen) = (words(&heads), vec![false; n]);
        let mut at = narrow[7];
        while at != !0 {
            assert!(!std::mem::replace(&mut seen[at as usize], true));
            at = heads[at as usize];
        }
        assert!(seen.iter().all(|seen| *seen));
    }
}

#[test]
fn look_back() {
    for device in devices(None) {
        for n in [1, 32, 33, 2000] {
            let values: Vec<u64> = mixed(n).into_iter().map(|limb| limb >> 20).collect();
            let tiles = n.div_ceil(32);
            let (from, to) = (device.upload(&values).unwrap(), device.alloc(n).unwrap());
            let ticket = upload(&device, &[0]);
            let state = device.upload(&vec![0; tiles]).unwrap();
            launch!(
                device,
                cu::look_back,
                flat(tiles as u32, 32),
                from.read(),
                to.write(),
                n,
                ticket.update(),
                state.update()
            )
            .unwrap();
            let mut sum = 0;
            let expected: Vec<u64> = values
                .iter()
                .map(|value| {
                    sum += value;
                    sum
                })
                .collect();
            assert_eq!(limbs(&to), expected);
            assert_eq!(words(&ticket)[0], tiles as u32);
        }
    }
}

#[test]
fn barriers_of_a_grid() {
    for device in devices(None) {
        let (grid, block) = (6, 64);
        let n = (grid * block) as usize;
        let barrier = upload(&device, &[0, 0]);
        let mut passed = 0;
        for rounds in [1, 2, 9] {
            let mut ring: Vec<u32> = mixed(n).into_iter().map(|limb| limb as u32).collect();
            let data = device.upload(&vec![0; n]).unwrap();
            device
                .upload_into(&data, 0, &limbs(&upload(&device, &ring)))
                .unwrap();
            let shape = Launch {
                cooperative: true,
                ..flat(grid, block)
            };
            launch!(
                device,
                cu::rounds_of_sums,
                shape,
                data.update(),
                barrier.update(),
                rounds as u32
            )
            .unwrap();
            for _ in 0..rounds {
                ring = (0..n)
                    .map(|i| ring[i].wrapping_add(ring[(i + n - 1) % n]))
                    .collect();
            }
            assert_eq!(words(&data)[rounds % 2 * n..][..n], ring);
            // The barrier is ready for the next launch as this one left it.
            passed += rounds as u32;
            assert_eq!(words(&barrier), [0, passed]);
        }
    }
}

/// The sum's low limbs, and its carry.
fn sum(a: &[u64], b: &[u64], mut carry: u32) -> (Vec<u64>, u32) {
    let digit = |(a, b): (&u64, &u64)| {
        let sum = u128::from(*a) + u128::from(*b) + u128::from(carry);
        carry = (sum >> 64) as u32;
        sum as u64
    };
    let limbs = a.iter().zip(b).map(digit).collect();
    (limbs, carry)
}

#[test]
fn carries() {
    for device in devices(None) {
        // Random; a carry from end to end; all ones twice; a carry that starts within and runs out.
        let (ones, mut one) = ([!0; 32], [0; 32]);
        one[0] = 1;
        let mut within = [0; 32];
        within[3] = 1;
        let (random, nothing) = (mixed(32), [0; 32]);
        let a = [&random, &ones[..], &ones, &ones, &ones].concat();
        let b = [&mixed(64)[32..], &one, &ones, &within, &nothing].concat();
        for given in [[0; 5], [1; 5]] {
            let (x, y) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let (to, out) = (device.alloc(a.len()).unwrap(), device.alloc(3).unwrap());
            let given_there = upload(&device, &given);
            launch!(
                device,
                cu::add_limbs,
                flat(5, 32),
                x.read(),
                y.read(),
                to.write(),
                given_there.read(),
                out.write()
            )
            .unwrap();
            let (to, out) = (limbs(&to), words(&out));
            for (i, given) in given.into_iter().enumerate() {
                let at = 32 * i..32 * (i + 1);
                let (expected, carry) = sum(&a[at.clone()], &b[at.clone()], given);
                assert_eq!((&to[at], out[i]), (&expected[..], carry), "number {i}");
            }
        }
        // a - b is a + !b + 1, with the carry for no borrow.
        for (a, b) in [(&a, &b), (&b, &a)] {
            let (x, y) = (device.upload(a).unwrap(), device.upload(b).unwrap());
            let (to, borrow) = (device.alloc(a.len()).unwrap(), device.alloc(1).unwrap());
            let n = a.len() as u32;
            launch!(
                device,
                cu::sub_limbs,
                flat(1, 1),
                x.read(),
                y.read(),
                to.write(),
                n,
                borrow.write()
            )
            .unwrap();
            let flipped: Vec<u64> = b.iter().map(|limb| !limb).collect();
            let (expected, carry) = sum(a, &flipped, 1);
            assert_eq!((limbs(&to), words(&borrow)[0]), (expected, 1 - carry));
        }
    }
}

#[test]
fn intrinsics() {
    let (x, y) = (0x0123_4567_89ab_cde0_u64, 0xfedc_ba98_7654_3210_u64);
    let (p, q) = (-3.5f64, 1.0 / 3.0);
    let (low, high) = (x as u32, (x >> 32) as u32);
    let bits = [
        low.count_ones().into(),
        x.count_ones().into(),
        low.leading_zeros().into(),
        x.leading_zeros().into(),
        u64::from(low.trailing_zeros()) + 1,
        u64::from(x.trailing_zeros()) + 1,
        x.reverse_bits(),
        (u64::from(low) * u64::from(y as u32)) >> 32,
        ((u128::from(x) * u128::from(y)) >> 64) as u64,
        (high << 5 | low >> 27).into(),
        (high << 27 | low >> 5).into(),
        32 * 1000 + 64 * 10,
        -4_i64 as u64,
        x,
        y,
        11 + (1 << 31),
        x.count_ones().into(),
    ];
    // The second is what the product lost in rounding.
    let reals = [p.mul_add(q, 1.0), p.mul_add(q, -(p * q)), p, p + q];
    for device in devices(None) {
        let (to, to_reals) = (device.alloc(17).unwrap(), device.alloc(4).unwrap());
        let pair = device.upload(&[11, 12, 0, 0]).unwrap();
        launch!(
            device,
            cu::intrinsics,
            flat(1, 1),
            x,
            y,
            p,
            q,
            to.write(),
            to_reals.write(),
            pair.write()
        )
        .unwrap();
        assert_eq!(limbs(&to), bits);
        let got: Vec<f64> = limbs(&to_reals).into_iter().map(f64::from_bits).collect();
        assert_eq!(got, reals);
        assert_eq!(limbs(&pair), [11, 12, 12, 11]);
    }
}

#[test]
fn rounds_through_shared_memory() {
    for device in devices(None) {
        for (grid, block) in [(1, 32), (5, 256), (2, 1024)] {
            rotates(&device, grid, block, 7);
        }
    }
}

fn rotates(device: &Arc<Device>, grid: u32, block: u32, rounds: u32) {
    let to = device.alloc((grid * block / 2) as usize).unwrap();
    launch!(device, cu::rotate, flat(grid, block), to.write(), rounds).unwrap();
    for (i, word) in words(&to).into_iter().enumerate() {
        assert_eq!(word, (i as u32 + rounds) % block, "word {i}");
    }
}

#[test]
fn threads_that_leave_are_not_waited_for() {
    for device in devices(None) {
        for (block, stay) in [(64, 64), (64, 32), (256, 130), (256, 2)] {
            let to = device.alloc(1).unwrap();
            launch!(device, cu::leavers, flat(1, block), to.write(), stay).unwrap();
            assert_eq!(words(&to), [stay, stay / 2], "{stay} of {block}");
        }
    }
}

/// A race has no right answer, so the executor's schedule shall give a wrong one.
#[test]
fn a_missing_barrier_shows() {
    let to = executor().alloc(256).unwrap();
    launch!(executor(), cu::missing_barrier, flat(2, 256), to.write()).unwrap();
    let expected = |i: usize| (i as u32 % 256 + 32) % 256;
    let wrong = words(&to)
        .into_iter()
        .enumerate()
        .filter(|(i, word)| *word != expected(*i));
    assert!(wrong.count() > 0);
}

/// Each fault is an error that names the kernel and what its threads were at, and it leaves the
/// executor as it was.
#[test]
fn faults_are_told() {
    let device = executor();
    let told = |name: &str, done: Result<()>, expected: &[&str]| {
        let text = match done {
            Err(Error::Device { reason, .. }) => reason,
            other => panic!("{name}: {other:?}"),
        };
        let kernel = format!("kernel {name}");
        for words in [
            &[kernel.as_str(), "\n  block ", "collectives.cu:"],
            expected,
        ]
        .concat()
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        rotates(&device, 2, 64, 3);
    };
    macro_rules! fault {
        ($kernel:ident, $access:ident, $shape:expr, $expected:expr $(,)?) => {
            let zeros = device.upload(&[0; 64]).unwrap();
            let done = launch!(device, cu::$kernel, $shape, zeros.$access());
            told(stringify!($kernel), done, $expected);
        };
    }
    let two = flat(2, 64);
    let barrier = "wait at __syncthreads (";
    let ballot = "wait at __ballot_sync mask 0xffffffff (";
    let endless = "wait for each other without end";
    fault!(divergent_barrier, write, two, &[endless, barrier, ballot]);
    fault!(
        two_barriers,
        write,
        two,
        &["comes to another block barrier", barrier],
    );
    fault!(exited_lanes, write, two, &["exit", ballot]);
    fault!(
        foreign_mask,
        write,
        two,
        &["does not name the lane itself", "mask 0x0000ffff"],
    );
    fault!(
        mixed_collectives,
        write,
        two,
        &[
            "waits for it at another collective",
            ballot,
            "wait at __any_sync",
        ],
    );
    let spin = "its threads spin without end";
    fault!(
        endless_spin,
        read,
        two,
        &[spin, "threads 0-63 spin at pause ("]
    );
    fault!(endless_votes, read, two, &[spin]);
    fault!(
        forward_wait,
        update,
        flat(40, 32),
        &[spin, "thread 0 spin at pause (", "threads 1-31 have exited"],
    );
}

/// The sanitizer ends the process that overruns, so that is another one: this test, run anew.
#[test]
fn the_address_sanitizer_sees_shared_memory() {
    const CHILD: &str = "BEZOUT_TEST_OVERRUN";
    if std::env::var_os(CHILD).is_some() {
        launch!(executor(), cu::out_of_bounds, flat(1, 32), 0u32).unwrap();
        return;
    }
    let flags = std::env::var("BEZOUT_EXECUTOR_FLAGS").unwrap_or_default();
    if !flags.contains("address") {
        println!("not run: BEZOUT_EXECUTOR_FLAGS has no -fsanitize=address");
        return;
    }
    let name = std::thread::current().name().unwrap().to_string();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", &name])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stderr);
    assert!(!child.status.success(), "{text}");
    assert!(text.contains("heap-buffer-overflow"), "{text}");
}
