//! What the model says of the work of `work/`. Operations are counted per limb and taken at the
//! measured throughput, streams at the measured bandwidth, launches and round trips at their cost.
//! The counts are coarse: they are to rank choices, and the factor between them and what is
//! measured is kept beside every result.

use super::Machines;
use crate::model::{Machine, Predict, Tuning, mmm::algorithms};

/// Limbs as a number for formulas.
fn real(limbs: u64) -> f64 {
    limbs.max(1) as f64
}

/// Operations of the floor's product: schoolbook, then Toom–Cook.
fn toom(n: f64) -> f64 {
    if n <= 40.0 {
        n * n
    } else {
        1600.0 * (n / 40.0).powf(1.5)
    }
}

/// A transform of a product of n limbs on the CPU, in operations: three primes, vectors of eight.
fn transform(n: f64) -> f64 {
    3.0 * 2.0 * n * (2.0 * n).log2() * 1.5 / 8.0
}

fn cpu_product_seconds(cpu: &Machine, n: f64, tuning: &Tuning) -> f64 {
    if n < tuning.cpu_ntt_limbs as f64 {
        return cpu.compute(toom(n), false);
    }
    let all = n >= tuning.cpu_ntt_parallel_limbs as f64;
    let waking = if all { 3.0 * cpu.launch } else { 0.0 };
    // Coefficients of two limbs halve the points and take twice the primes less one.
    let wide = if n > tuning.cpu_ntt_narrow_limbs as f64 {
        0.95
    } else {
        1.0
    };
    5e-7 + waking + cpu.compute(3.0 * transform(n) * wide, all)
}

fn device_product_seconds(device: &Machine, n: f64, m: f64, tuning: &Tuning) -> f64 {
    let short = n.min(m);
    if n.max(m) <= tuning.mul_direct_limbs as f64 || short <= tuning.mul_short_limbs as f64 {
        // Four products of 32 bits a limb, and the carries of a thread's own column one after the
        // other.
        return device
            .launch
            .max(device.latency + short * 8.0 * device.operation)
            + device.compute(8.0 * n * m, true);
    }
    // Five primes of four bytes in two coefficients a limb, each read and written in every pass.
    let points = 2.0 * (n + m);
    let passes = if points.log2() <= f64::from(tuning.ntt_one_pass_log) {
        1.0
    } else {
        2.0
    };
    let bytes = 5.0 * 4.0 * points * 2.0;
    let busy = f64::from(tuning.ntt_block * tuning.ntt_resident) / 512.0;
    let hiding = busy.clamp(0.25, 1.0).recip();
    3.0 * passes * device.stream(bytes * hiding) + device.stream(bytes) + 2.0 * device.launch
}

pub(super) fn cpu_sum(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let (cpu, bytes) = (&machines.cpu, 24.0 * real(limbs));
    // A core by itself streams about as much as two of its share.
    let alone = bytes / (cpu.bandwidth / f64::from(cpu.identity.units)).max(1.0) / 1.5;
    if limbs < tuning.cpu_parallel_limbs as u64 {
        return alone;
    }
    let pieces = real(limbs) / tuning.cpu_chunk_limbs.max(1) as f64;
    cpu.launch + bytes / cpu.bandwidth + pieces * 2e-7 / f64::from(cpu.identity.units)
}

pub(super) fn device_sum(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let device = machines.target();
    let tile = f64::from(tuning.linear_block) * f64::from(tuning.linear_items);
    let tiles = (real(limbs) / tile).ceil();
    let threads = tiles * f64::from(tuning.linear_block);
    let waves = (threads / device.resident_threads as f64).ceil();
    // Threads that hold more limbs have more accesses under way; a wave that is not full leaves
    // bandwidth unused.
    let filled = (threads / device.resident_threads as f64).min(1.0);
    let under_way = (filled * f64::from(tuning.linear_items) / 4.0).clamp(0.02, 1.0);
    device.stream(24.0 * real(limbs) / under_way) + waves * device.latency
}

pub(super) fn cpu_product(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    cpu_product_seconds(&machines.cpu, real(limbs), tuning)
}

pub(super) fn cpu_products(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let n = real(limbs);
    if n <= tuning.cpu_short_limbs as f64 {
        // Digits of 32 bits in vectors of eight.
        machines.cpu.compute(2.0 * 4.0 * n * n / 8.0, false)
    } else {
        5.0 / 3.0 * cpu_product_seconds(&machines.cpu, n, tuning)
    }
}

pub(super) fn device_product(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    device_product_seconds(machines.target(), real(limbs), real(limbs), tuning)
}

pub(super) fn device_short_product(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    device_product_seconds(machines.target(), real(1 << 14), real(limbs), tuning)
}

/// Twice n limbs by n: the floor's about two and a half products, Newton's about three and a half.
pub(super) fn cpu_division(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let (cpu, n) = (&machines.cpu, real(limbs));
    if limbs < tuning.div_cpu_limbs as u64 {
        return cpu.compute(2.5 * toom(n), false);
    }
    let base = real(tuning.div_base_limbs as u64).min(n);
    let levels = (n / base).log2();
    cpu.compute(2.5 * toom(base), false) + levels * 2e-6 + 3.5 * cpu_product_seconds(cpu, n, tuning)
}

/// So many limbs by half of them, on a device or by the host and back.
pub(super) fn device_division(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let (device, n) = (machines.target(), real(limbs) / 2.0);
    if limbs <= tuning.div_device_limbs as u64 {
        return 3.0 * device.round_trip + machines.cpu.compute(2.5 * toom(n), false);
    }
    let block = real(tuning.div_block_limbs as u64).min(n);
    let base = real(tuning.div_base_limbs as u64).min(block);
    let reciprocal: f64 = std::iter::successors(Some(block), |p| Some(p / 2.0))
        .take_while(|p| *p > base)
        .map(|p| 2.0 * device_product_seconds(device, p, p, tuning) + 6.0 * device.launch)
        .sum();
    let steps = (n / block).ceil();
    let step = 2.0 * device_product_seconds(device, block, n, tuning) + 8.0 * device.launch;
    device.round_trip + reciprocal + steps * step
}

/// Decimal digits of n limbs: halves until a leaf, each level two products of its length.
pub(super) fn cpu_digits(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    cpu_halves(machines, limbs, tuning, tuning.radix_print_limbs)
}

/// A number of n limbs from its digits.
pub(super) fn cpu_reading(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    cpu_halves(machines, limbs, tuning, tuning.radix_leaf_limbs)
}

fn cpu_halves(machines: &Machines, limbs: u64, tuning: &Tuning, leaf: usize) -> f64 {
    let (cpu, n, leaf) = (&machines.cpu, real(limbs), real(leaf as u64));
    if limbs <= tuning.radix_limbs as u64 {
        return cpu.compute(3.0 * toom(n) * (n / 20.0).log2().max(1.0), false);
    }
    let product = |length| cpu_product_seconds(cpu, length, tuning);
    digits(n, leaf, &product) + cpu.compute(n * leaf, true)
}

/// The same on a device, down to the limbs of a block.
pub(super) fn device_digits(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let (device, n) = (machines.target(), real(limbs));
    let leaf = f64::from(tuning.radix_block * tuning.radix_items);
    digits(n, leaf, &|length| {
        device_product_seconds(device, length, length, tuning) + 4.0 * device.launch
    }) + device.compute(n * leaf, true)
}

fn digits(n: f64, leaf: f64, product: &dyn Fn(f64) -> f64) -> f64 {
    let lengths = std::iter::successors(Some(n / 2.0), |length| Some(length / 2.0));
    lengths
        .take_while(|length| *length >= leaf)
        .map(|length| 2.0 * (n / (2.0 * length)) * product(length))
        .sum()
}

pub(super) fn cpu_root(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let (cpu, n) = (&machines.cpu, real(limbs));
    if limbs <= tuning.root_limbs as u64 {
        cpu.compute(1.5 * toom(n / 2.0), false)
    } else {
        3.0 * cpu_product_seconds(cpu, n / 2.0, tuning) + 4e-6
    }
}

/// 48 squarings and products, each with a division, or with two products by a prepared reciprocal.
pub(super) fn cpu_power(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let (cpu, n) = (&machines.cpu, real(limbs));
    if limbs < tuning.powmod_limbs as u64 {
        48.0 * cpu.compute(3.5 * toom(n), false)
    } else {
        48.0 * 3.0 * cpu_product_seconds(cpu, n, tuning)
    }
}

/// Lehmer's algorithm takes about n² operations; half-GCDs leave n²·leaf/n of them to leaves and
/// add products at every level.
pub(super) fn cpu_gcd(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    gcd(machines, limbs, tuning, tuning.gcd_host_limbs, &|length| {
        cpu_product_seconds(&machines.cpu, length, tuning)
    })
}

pub(super) fn cpu_extended_gcd(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    1.5 * gcd(
        machines,
        limbs,
        tuning,
        tuning.gcd_extended_limbs,
        &|length| cpu_product_seconds(&machines.cpu, length, tuning),
    )
}

pub(super) fn device_gcd(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    gcd(machines, limbs, tuning, tuning.gcd_host_limbs, &|length| {
        if length >= tuning.gcd_device_limbs as f64 {
            device_product_seconds(machines.target(), length, length, tuning)
                + machines.target().round_trip
        } else {
            cpu_product_seconds(&machines.cpu, length, tuning)
        }
    })
}

/// On the host, or sent to the device from a length on.
pub(super) fn auto_gcd(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    if limbs < tuning.gcd_auto_device_limbs as u64 {
        cpu_gcd(machines, limbs, tuning)
    } else {
        device_gcd(machines, limbs, tuning)
    }
}

fn gcd(
    machines: &Machines,
    limbs: u64,
    tuning: &Tuning,
    host: usize,
    product: &dyn Fn(f64) -> f64,
) -> f64 {
    let (cpu, n) = (&machines.cpu, real(limbs));
    if limbs <= host as u64 {
        return cpu.compute(2.0 * n * n, false);
    }
    let leaf = real(tuning.gcd_leaf_limbs as u64).min(n);
    let base = real(tuning.gcd_base_limbs as u64).min(n);
    let leaves = cpu.compute(2.0 * (n * leaf + base * base), false);
    // Matrices of the leaves are multiplied and applied: some eight products a node.
    let lengths = std::iter::successors(Some(n / 2.0), |length| Some(length / 2.0));
    let nodes = lengths.take_while(|length| *length >= leaf);
    leaves
        + nodes
            .map(|length| n / length * 4.0 * product(length / 2.0))
            .sum::<f64>()
}

/// Steps that each meet at a grid barrier: longer blocks make fewer and longer steps.
pub(super) fn lattice_gcd(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let (device, k) = (machines.target(), real(tuning.lattice_block as u64));
    let moduli = 4.2 * real(limbs);
    let blocks = moduli / k;
    let leader =
        machines.cpu.compute(12.0 * k * k, false) * (1.0 + 0.1 * tuning.lattice_ahead as f64);
    let waiting = 2.0 * device.latency / (tuning.lattice_ahead as f64 + 1.0);
    let followers = device.compute(2.0 * k * moduli / 2.0, true);
    blocks * (leader.max(followers) + waiting)
}

/// As many steps as there are moduli, each with a grid barrier of the blocks that hold them.
pub(super) fn weber_gcd(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let device = machines.target();
    let moduli = 5.0 * real(limbs);
    let residues =
        device.compute(moduli * 2.0 * real(limbs), true) + real(limbs) * 4.0 * device.operation;
    let block = f64::from(tuning.weber_block.max(tuning.weber_least_block));
    let blocks = (moduli / block)
        .ceil()
        .min(f64::from(device.identity.units));
    let barrier = device.grid_barrier * (0.5 + 0.5 * blocks / f64::from(device.identity.units));
    let items = (moduli / (blocks * block)).ceil();
    residues + moduli * (barrier + items * 20.0 * device.operation)
}

/// Keys and values are read and written in every pass of 8 bits, keys once before; a tile takes its
/// turn to look back and waits twice for memory. Ranking takes about twenty operations a key.
fn device_sort(
    machines: &Machines,
    keys: u64,
    bytes: [f64; 2],
    items: u32,
    tuning: &Tuning,
) -> f64 {
    let (device, n) = (machines.target(), real(keys));
    let [key, value] = bytes;
    let threads = n / f64::from(items);
    let waves = (threads / device.resident_threads as f64).ceil();
    let resident = f64::from(tuning.sort_block * tuning.sort_resident) / 1024.0;
    let pass = device.stream(2.0 * n * (key + value) / resident.clamp(0.25, 1.0))
        + 2.0 * waves * device.latency
        + device.compute(20.0 * n / 2.0, true);
    device.stream(n * key) + key * pass
}

pub(super) fn device_sort_32(machines: &Machines, keys: u64, tuning: &Tuning) -> f64 {
    device_sort(machines, keys, [4.0, 0.0], tuning.sort_items_32, tuning)
}

pub(super) fn device_sort_64(machines: &Machines, keys: u64, tuning: &Tuning) -> f64 {
    device_sort(machines, keys, [8.0, 0.0], tuning.sort_items_64, tuning)
}

pub(super) fn device_sort_128(machines: &Machines, keys: u64, tuning: &Tuning) -> f64 {
    device_sort(machines, keys, [8.0, 8.0], tuning.sort_items_128, tuning)
}

/// The paper's program.
pub(super) fn device_plain_sort(machines: &Machines, keys: u64, tuning: &Tuning) -> f64 {
    let program = algorithms::sort(keys, 32, 4, tuning.sort_plain_block.into());
    machines.target().predict(&program)
}

/// On the host by about log2 n operations a key, or sent to the device and back.
pub(super) fn auto_sort(machines: &Machines, keys: u64, tuning: &Tuning) -> f64 {
    let (device, n) = (machines.target(), real(keys));
    if keys < tuning.sort_auto_device_keys as u64 {
        return machines.cpu.compute(n * n.log2().max(1.0), true);
    }
    let moved = [device.upload, device.download].into_iter().flatten();
    device_sort_64(machines, keys, tuning) + moved.map(|rate| 8.0 * n / rate).sum::<f64>()
}

/// On the host by some ten thousand products a number, or sent to the device, where one round of
/// curves waits for the other.
pub(super) fn auto_factors(machines: &Machines, numbers: u64, tuning: &Tuning) -> f64 {
    const OPERATIONS: f64 = 1e5;
    let (device, n) = (machines.target(), real(numbers));
    if numbers < tuning.factor_auto_device_numbers as u64 {
        machines.cpu.compute(OPERATIONS * n, true)
    } else {
        200.0 * device.round_trip + device.compute(OPERATIONS * n, true)
    }
}

/// Limbs of a modulus of 2000 bits.
const MODULUS: f64 = 32.0;

/// Every product of two moduli of 2000 bits with its remainder, or the levels of the trees.
pub(super) fn cpu_shared_factors(machines: &Machines, moduli: u64, tuning: &Tuning) -> f64 {
    let (cpu, n) = (&machines.cpu, real(moduli));
    if moduli <= tuning.keys_pairwise as u64 {
        cpu.compute(4.0 * toom(MODULUS) * n * n, false)
    } else {
        40.0 * cpu.launch + cpu.compute(100.0 * toom(MODULUS) * n * n.log2(), true)
    }
}

/// Division steps of all pairs, or the transforms of the trees: some microseconds a modulus.
pub(super) fn device_shared_factors(_: &Machines, moduli: u64, tuning: &Tuning) -> f64 {
    if moduli as usize <= tuning.keys_device_pairwise {
        7e-9 * real(moduli) * real(moduli)
    } else {
        8e-3 + 9e-6 * real(moduli)
    }
}

/// On the host, or sent to the device from so many limbs on.
pub(super) fn auto_shared_factors(machines: &Machines, limbs: u64, tuning: &Tuning) -> f64 {
    let moduli = (real(limbs) / MODULUS).ceil() as u64;
    if limbs < tuning.keys_auto_device_limbs as u64 {
        cpu_shared_factors(machines, moduli, tuning)
    } else {
        50.0 * machines.target().round_trip + device_shared_factors(machines, moduli, tuning)
    }
}

/// Of what the model knows nothing: all choices are the same to it.
pub(super) fn unknown(_: &Machines, limbs: u64, _: &Tuning) -> f64 {
    1e-9 * real(limbs)
}
