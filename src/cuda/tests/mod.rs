//! The ground, on the executor and on the first GPU where there is one.

mod build;
mod collectives;
mod exchange;
pub(crate) mod heads;
mod memory;
mod streams;

use std::sync::Arc;

use super::*;
use crate::error::Error;

kernels! {
    pub(super) static TOY = "toy", "
#ifndef TOY_ADD
#error TOY_ADD is not set
#endif
KERNEL(toy_add, const u64* from, u64* to, u64 n, u32 more, i32 less, double scale) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (from[i] + TOY_ADD + more + (i64)less) * (u64)scale;
}
KERNEL(toy_meet, u32* state, u64* counts, u64* sum) {
    if (threadIdx.x == 0) counts[blockIdx.x] = blockIdx.x + 1;
    grid_barrier(state);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        u64 total = 0;
        for (u32 b = 0; b < gridDim.x; b++) total += counts[b];
        *sum = total;
    }
}
KERNEL(toy_shared, u64* to, u64 n) {
    DYNAMIC_SHARED(u64, memory);
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) memory[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *to = memory[n - 1];
}
";

    fn toy_add(
        from: Read<u64>[n], to: Write<u64>[n], n: u64, more: u32, less: i32, scale: f64,
    );
    fn toy_meet(state: Update<u32>[2], counts: Write<u64>, sum: Write<u64>[1]);
    fn toy_shared(to: Write<u64>[1], n: u64);
}

kernels! {
    pub(super) static BROKEN = "broken", "KERNEL(broken, u64* to) { *to = nonsense; }";

    fn broken(to: Write<u64>);
}

kernels! {
    /// A source without the kernel that is declared.
    static EMPTY = "empty", "";

    fn toy_missing(to: Write<u64>);
}

fn executor() -> Arc<Device> {
    device(EXECUTOR).unwrap()
}

/// In one line each, where a reader of `cargo test` sees it: libtest keeps what the print macros
/// say to itself.
#[test]
fn what_was_not_run_says_so() {
    use std::io::Write;
    for (ordinal, name) in [(EXECUTOR, "the executor"), (0, "a GPU")] {
        if let Err(why) = device(ordinal) {
            let _ = writeln!(std::io::stderr(), "not run on {name}: {why}");
        }
    }
}

/// The devices to test: each opened anew with this limit, or the process's own.
fn devices(limit: Option<u64>) -> Vec<Arc<Device>> {
    let open = |ordinal| match limit {
        Some(_) => Arc::new(Device::open(ordinal, limit).unwrap()),
        None => device(ordinal).unwrap(),
    };
    let gpu = device(0).and_then(|gpu| nvrtc::Nvrtc::get(gpu.info().driver_cuda / 1000).map(drop));
    if let Err(why) = gpu {
        println!("not run on a GPU: {why}");
        return vec![open(EXECUTOR)];
    }
    vec![open(EXECUTOR), open(0)]
}

fn flat(grid: u32, block: u32) -> Launch {
    Launch::of(grid, block)
}

#[test]
fn limbs_go_there_and_back() {
    for device in devices(None) {
        there_and_back(&device);
    }
}

fn there_and_back(device: &Arc<Device>) {
    // Around the sizes where a GPU's transfers change course: 2^13 limbs, and whole slots of 2^20.
    for n in [0, 1, 5, 1 << 13, (1 << 13) + 1, 1 << 20, (3 << 20) + 7] {
        let limbs: Vec<u64> = (0..n as u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let buffer = device.upload(&limbs).unwrap();
        assert_eq!(buffer.limbs(), n);
        assert_eq!(buffer.ptr().0 % 256, 0);
        let mut back = vec![0; n];
        device.download(&buffer, 0, &mut back).unwrap();
        assert_eq!(back, limbs);
    }
    let buffer = device.alloc(6).unwrap();
    let mut back = [0; 6];
    device.download(&buffer, 0, &mut back).unwrap();
    if device.info().ordinal == EXECUTOR {
        assert_eq!(
            back, [0xA5A5_A5A5_A5A5_A5A5; 6],
            "fresh memory shows itself"
        );
    }
    device.upload_into(&buffer, 1, &[1, 2]).unwrap();
    device.zero(&buffer, 3, 3).unwrap();
    device.copy(&buffer, 1, &buffer, 4, 2).unwrap();
    device.download(&buffer, 1, &mut back[..5]).unwrap();
    assert_eq!(back[..5], [1, 2, 0, 1, 2]);
}

#[test]
fn ranges_past_the_end_are_refused() {
    let buffer = executor().alloc(4).unwrap();
    let past = |start: usize, limbs: usize| {
        let work = || executor().zero(&buffer, start, limbs);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err()
    };
    assert!(past(0, 5) && past(4, 1) && past(usize::MAX, 2));
    assert!(!past(4, 0) && !past(0, 4));
}

#[test]
fn a_kernel_runs() {
    devices(None).iter().for_each(runs);
}

fn runs(device: &Arc<Device>) {
    let before = device.traffic();
    let limbs: Vec<u64> = (0..100).collect();
    let from = device.upload(&limbs).unwrap();
    let to = device.alloc(100).unwrap();
    let module = device.module(&TOY, &[("TOY_ADD", 7)]).unwrap();
    assert!(Arc::ptr_eq(
        &module,
        &device.module(&TOY, &[("TOY_ADD", 7)]).unwrap()
    ));
    let kernel = module.kernel(toy_add).unwrap();
    let launch = || {
        // SAFETY: both buffers have the 100 limbs that the kernel touches.
        unsafe { kernel.launch(flat(4, 32), from.read(), to.write(), 100usize, 5, -2, 3.0) }
    };
    let ms = device.time_ms(launch).unwrap();
    assert!(ms > 0.0);
    device.synchronize().unwrap();
    let mut back = vec![0; 100];
    device.download(&to, 0, &mut back).unwrap();
    assert!(
        back.iter()
            .enumerate()
            .all(|(i, x)| *x == 3 * (i as u64 + 10)),
        "{back:?}"
    );
    let after = device.traffic();
    assert!(after.launches > before.launches);
    assert!(after.uploaded >= before.uploaded + 800);
    assert!(after.downloaded >= before.downloaded + 800);
}

#[test]
fn blocks_meet_in_a_cooperative_launch() {
    devices(None).iter().for_each(blocks_meet);
}

fn blocks_meet(device: &Arc<Device>) {
    let kernel = device.kernel(toy_meet, &[("TOY_ADD", 1)]).unwrap();
    let grid = kernel.resident_blocks(64, 0).unwrap();
    assert!(grid > 1);
    let state = device.upload(&[0]).unwrap();
    let (counts, sum) = (
        device.alloc(grid as usize).unwrap(),
        device.alloc(1).unwrap(),
    );
    let shape = |grid| Launch {
        cooperative: true,
        ..flat(grid, 64)
    };
    let launch = |grid| {
        // SAFETY: two words of state, a limb per block, one limb; too large a grid is refused at
        // once.
        unsafe { kernel.launch(shape(grid), state.update(), counts.write(), sum.write()) }
    };
    launch(grid).unwrap();
    let mut total = [0];
    device.download(&sum, 0, &mut total).unwrap();
    assert_eq!(total[0], u64::from(grid) * u64::from(grid + 1) / 2);
    let refused = launch(grid + 1);
    assert!(matches!(refused, Err(Error::Device { .. })), "{refused:?}");
}

#[test]
fn impossible_launches_are_errors() {
    devices(None).iter().for_each(refuses);
}

fn refuses(device: &Arc<Device>) {
    let module = device.module(&TOY, &[("TOY_ADD", 7)]).unwrap();
    let kernel = module.kernel(toy_add).unwrap();
    let none = device.alloc(0).unwrap();
    let shared = Launch {
        shared_bytes: u32::MAX,
        ..flat(1, 32)
    };
    for shape in [
        flat(0, 32),
        flat(u32::MAX, 32),
        flat(1, 0),
        flat(1, 1025),
        shared,
    ] {
        // SAFETY: refused before it starts.
        let refused = unsafe { kernel.launch(shape, none.read(), none.write(), 0u64, 0, 0, 0.0) };
        assert!(
            matches!(refused, Err(Error::Device { .. })),
            "{shape:?}: {refused:?}"
        );
    }
    let unknown = device.kernel(toy_missing, &[]);
    // SAFETY: there is no such kernel to touch anything.
    let unknown = unknown.and_then(|kernel| unsafe { kernel.launch(flat(1, 32), none.write()) });
    assert!(matches!(unknown, Err(Error::Device { .. })), "{unknown:?}");
}

/// A declared length that the memory does not have is found before the launch.
#[test]
fn short_buffers_are_refused() {
    let device = executor();
    let kernel = device.kernel(toy_add, &[("TOY_ADD", 7)]).unwrap();
    let buffer = device.upload(&[1; 8]).unwrap();
    let launch = |from: Span, to: Span, n: u64| {
        // SAFETY: what is too short is refused before the launch; the two spans lie apart.
        let work = || unsafe { kernel.launch(flat(1, 32), from.read(), to.write(), n, 0, 0, 1.0) };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_ok()
    };
    let (all, half) = (buffer.span(), buffer.skip_limbs(4));
    assert!(launch(all, half, 4) && launch(all, half, 0));
    assert!(!launch(all, half, 5) && !launch(half, all, 5) && !launch(all, half, u64::MAX));
    assert!(!launch(all, half.skip_bytes(8), 4));
}

/// More shared memory than a kernel gets without asking.
#[test]
fn a_large_block_of_shared_memory_is_had() {
    for device in devices(None) {
        let kernel = device.kernel(toy_shared, &[("TOY_ADD", 7)]).unwrap();
        let bytes = 64 * 1024;
        assert!(kernel.resident_blocks(32, bytes).unwrap() > 0);
        let to = device.alloc(1).unwrap();
        let shape = Launch {
            shared_bytes: bytes,
            ..flat(1, 32)
        };
        // SAFETY: the kernel's own arguments: one limb, and the limbs of shared memory it was
        // given.
        unsafe { kernel.launch(shape, to.write(), u64::from(bytes / 8)) }.unwrap();
        let mut back = [0];
        device.download(&to, 0, &mut back).unwrap();
        assert_eq!(back[0], u64::from(bytes / 8) - 1);
    }
}

#[test]
fn what_does_not_compile_says_why() {
    let log = |result: Result<()>| match result {
        Err(Error::Compile { module, log }) => format!("{module}: {log}"),
        other => panic!("{:?}", other.map(|_| "compiled")),
    };
    for device in devices(None) {
        let to = device.alloc(1).unwrap();
        // SAFETY: it does not compile, so nothing is launched.
        let launch = |kernel: Kernel<broken>| unsafe { kernel.launch(flat(1, 32), to.write()) };
        let words = log(device.kernel(broken, &[]).and_then(launch));
        // As C++ compilers and as NVRTC name a line.
        assert!(
            words.contains("broken.cu:1") || words.contains("broken.cu(1)"),
            "{words}"
        );
        assert!(words.contains("nonsense"), "{words}");
        let unset = log(device.kernel(toy_add, &[]).map(drop));
        assert!(unset.contains("TOY_ADD is not set"));
    }
}

#[test]
fn devices_that_are_not_there_are_named() {
    assert!(device_count() < 1000);
    let text = device(device_count() + 1000).unwrap_err();
    assert!(matches!(text, Error::NoDevice(_)), "{text}");
    let text = text.to_string();
    let names = [
        "install the NVIDIA driver",
        "there is no device",
        "nvidia-smi",
        "newer driver",
    ];
    assert!(names.iter().any(|name| text.contains(name)), "{text}");
}
