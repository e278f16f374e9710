//! Tuning is data: every threshold and launch shape of every operation, in one value.
//!
//! A process has one tuning in force: `BEZOUT_TUNING` names a preset, else the shipped defaults apply. A scope on one
//! thread can override it, so that tests reach every branch with small numbers.

use std::cell::Cell;
use std::sync::OnceLock;

/// Thresholds and launch shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Values of at most this many limbs stay inline on the host and own no device copy.
    pub inline_limbs: usize,
    /// From this many limbs on, the CPU engine uses all threads for linear operations.
    pub cpu_parallel_limbs: usize,
    /// Limbs per unit of work of a threaded linear operation on the CPU.
    pub cpu_chunk_limbs: usize,
    /// Threads per block of the linear kernels.
    pub linear_block: u32,
    /// Limbs per thread of the linear kernels; even, because limbs are loaded in pairs.
    pub linear_items: u32,
    /// Threads per block of the transforms.
    pub ntt_block: u32,
    /// Blocks of the transforms that a multiprocessor holds: more of them, or more registers for each.
    pub ntt_resident: u32,
    /// log2 of the longest transform that one block does by itself.
    pub ntt_one_pass_log: u32,
    /// log2 of the longest transform; longer products are split.
    pub ntt_max_log: u32,
    /// log2 of the coefficients from which on products use several shorter transforms where those have fewer points.
    pub ntt_split_log: u32,
    /// log2 of the most points that a block of the second pass transforms.
    pub ntt_row_log: u32,
    /// Blocks that a pass should have at least; smaller ones are used to reach them.
    pub ntt_blocks: u32,
    /// Primes are transformed in groups whose residues fit here, so that they stay in the device's cache.
    pub ntt_cached_bytes: u64,
    /// Coefficients of at most this many terms are held in five primes (never more than fit them), others in six.
    pub ntt_five_prime_terms: u64,
    /// Products of operands of at most this many limbs are computed from the limbs, in small tiles.
    pub mul_direct_limbs: usize,
    /// Products by operands of at most this many limbs are computed from the limbs, however long the other is.
    pub mul_thin_limbs: usize,
    /// Threads per block of the carry release.
    pub release_block: u32,
    /// From this many limbs of the shorter operand on, products on the CPU are by transforms.
    pub cpu_ntt_limbs: usize,
    /// The same without vector instructions, where there is more than one thread.
    pub cpu_ntt_plain_limbs: usize,
    /// From this many limbs of the longer operand on, a transform on the CPU uses all threads.
    pub cpu_ntt_parallel_limbs: usize,
    /// Up to this many limbs of the shorter operand, coefficients on the CPU have one limb (never more than fit), else two.
    pub cpu_ntt_narrow_limbs: usize,
    /// Up to this many limbs of the shorter factors, sums of products on the CPU are computed from their digits.
    pub cpu_short_limbs: usize,
    /// Most values of a transform on the CPU (never more than there are roots of unity for).
    pub cpu_ntt_values: usize,
    /// From this many limbs of divisor and of quotient on, the CPU engine divides by Newton's iteration.
    pub div_cpu_limbs: usize,
    /// Dividends of at most this many limbs are divided on the host even where a device has them.
    pub div_device_limbs: usize,
    /// Reciprocals of up to this many limbs are found by the host's own division.
    pub div_base_limbs: usize,
    /// Least quotient limbs that a device finds at a time.
    pub div_block_limbs: usize,
    /// From this many limbs of precision on (512 at least), a device keeps the transforms that a division uses twice.
    pub div_keep_limbs: usize,
    /// Numbers of at most this many limbs are printed and read by the host's library.
    pub radix_limbs: usize,
    /// Most limbs of digits that printing and reading do limb by limb.
    pub radix_leaf_limbs: usize,
    /// From this many limbs on, halves of a conversion are made on a device.
    pub radix_device_limbs: usize,
    /// Roots of numbers of at most this many limbs are the host library's.
    pub root_limbs: usize,
    /// From this many limbs of modulus on, powers are reduced by a prepared reciprocal.
    pub powmod_limbs: usize,
    /// Numbers of at most this many limbs lead a half-GCD limb by limb.
    pub gcd_leaf_limbs: usize,
    /// Numbers of at most this many limbs end a GCD limb by limb.
    pub gcd_base_limbs: usize,
    /// GCDs of numbers of at most this many limbs are the host library's.
    pub gcd_host_limbs: usize,
    /// Extended GCDs of numbers of at most this many limbs are the host library's.
    pub gcd_extended_limbs: usize,
    /// From this many limbs on, GCDs of numbers on the host are sent to a device where no engine is forced.
    pub gcd_auto_device_limbs: usize,
    /// From this many limbs on, half-GCDs are made on a device.
    pub gcd_device_limbs: usize,
    /// Powers and products of many factors of at most this many limbs are made on the host.
    pub pow_limbs: usize,
    /// Moduli of a block of the gcd by lattices, at most 128: longer steps, or quicker ones.
    pub lattice_block: usize,
    /// Blocks of which the leader of that gcd has residues beyond the one it works on; it keeps them up to date by itself.
    pub lattice_ahead: usize,
    /// Threads per block of its followers on a device.
    pub lattice_threads: u32,
    /// Limbs of a number that a block of residues holds at a time.
    pub modp_tile: u32,
    /// Threads of a block that computes residues.
    pub modp_block: u32,
    /// Most threads of a block of Weber's reduction.
    pub weber_block: u32,
    /// Threads that a block of it should have before there are more blocks: fewer of them meet sooner.
    pub weber_least_block: u32,
    /// Threads of a block that sorts.
    pub sort_block: u32,
    /// Keys that a thread of it has, where a key and its value have 32 bits together,
    pub sort_items_32: u32,
    /// where they have 64,
    pub sort_items_64: u32,
    /// and where they have more.
    pub sort_items_128: u32,
    /// Such blocks that a multiprocessor holds, half as many where a key and its value have more than 64 bits: more of them, or more
    /// registers for each.
    pub sort_resident: u32,
    /// Tiles that a sort looks back at in one go.
    pub sort_window: u32,
    /// Most tiles that one launch sorts (never more than 2^30 keys).
    pub sort_launch_tiles: u64,
    /// Threads of a block of the plain sort, at most 512: the paper's ℓ.
    pub sort_plain_block: u32,
    /// From this many keys on, keys on the host are sent to a device where no engine is forced.
    pub sort_auto_device_keys: usize,
}

impl Tuning {
    /// The shipped defaults. CPU values: Xeon (Sapphire Rapids), 2 cores. CUDA values: H200, driver 580, except where division
    /// and radix conversion pass to a device (`div_device_limbs`, `div_block_limbs`, `radix_device_limbs`): not
    /// measured yet.
    pub const DEFAULT: Tuning = Tuning {
        inline_limbs: 1024,
        cpu_parallel_limbs: 1 << 17,
        cpu_chunk_limbs: 1 << 13,
        linear_block: 512,
        linear_items: 8,
        ntt_block: 256,
        ntt_resident: 2,
        ntt_one_pass_log: 12,
        ntt_max_log: 22,
        ntt_split_log: 18,
        ntt_row_log: 12,
        ntt_blocks: 264,
        ntt_cached_bytes: 200 << 20,
        ntt_five_prime_terms: 1 << 21,
        mul_direct_limbs: 1024,
        mul_thin_limbs: 48,
        release_block: 256,
        cpu_ntt_limbs: 160,
        cpu_ntt_plain_limbs: 1 << 14,
        cpu_ntt_parallel_limbs: 1 << 12,
        cpu_ntt_narrow_limbs: usize::MAX,
        cpu_short_limbs: 160,
        cpu_ntt_values: usize::MAX,
        div_cpu_limbs: 1000,
        div_device_limbs: 1024,
        div_base_limbs: 256,
        div_block_limbs: 1 << 13,
        div_keep_limbs: 1 << 15,
        radix_limbs: 1500,
        radix_leaf_limbs: 48,
        radix_device_limbs: 1 << 12,
        root_limbs: 1024,
        powmod_limbs: 2048,
        gcd_leaf_limbs: 112,
        gcd_base_limbs: 320,
        gcd_host_limbs: 128,
        gcd_extended_limbs: 128,
        gcd_auto_device_limbs: 1 << 14,
        gcd_device_limbs: 1 << 13,
        pow_limbs: 512,
        lattice_block: 64,
        lattice_ahead: 3,
        lattice_threads: 256,
        modp_tile: 1024,
        modp_block: 128,
        weber_block: 1024,
        weber_least_block: 128,
        sort_block: 512,
        sort_items_32: 20,
        sort_items_64: 12,
        sort_items_128: 10,
        sort_resident: 2,
        sort_window: 4,
        sort_launch_tiles: u64::MAX,
        sort_plain_block: 256,
        sort_auto_device_keys: 1 << 18,
    };

    /// Every threshold as small as it can be, so that tests reach every branch.
    pub const MINIMAL: Tuning = Tuning {
        inline_limbs: 1,
        cpu_parallel_limbs: 4,
        cpu_chunk_limbs: 2,
        linear_block: 32,
        linear_items: 2,
        ntt_block: 64,
        ntt_resident: 4,
        ntt_one_pass_log: 9,
        ntt_max_log: 12,
        ntt_split_log: 11,
        ntt_row_log: 4,
        ntt_blocks: 4,
        ntt_cached_bytes: 1 << 15,
        ntt_five_prime_terms: 40,
        mul_direct_limbs: 2,
        mul_thin_limbs: 1,
        release_block: 32,
        cpu_ntt_limbs: 1,
        cpu_ntt_plain_limbs: 1,
        cpu_ntt_parallel_limbs: 20,
        cpu_ntt_narrow_limbs: 40,
        cpu_short_limbs: 5,
        cpu_ntt_values: 300,
        div_cpu_limbs: 2,
        div_device_limbs: 2,
        div_base_limbs: 2,
        div_block_limbs: 3,
        div_keep_limbs: 512,
        radix_limbs: 1,
        radix_leaf_limbs: 1,
        radix_device_limbs: 4,
        root_limbs: 1,
        powmod_limbs: 2,
        gcd_leaf_limbs: 3,
        gcd_base_limbs: 5,
        gcd_host_limbs: 1,
        gcd_extended_limbs: 1,
        gcd_auto_device_limbs: usize::MAX,
        gcd_device_limbs: 12,
        pow_limbs: 1,
        lattice_block: 3,
        lattice_ahead: 1,
        lattice_threads: 32,
        modp_tile: 4,
        modp_block: 32,
        weber_block: 64,
        weber_least_block: 32,
        sort_block: 64,
        sort_items_32: 3,
        sort_items_64: 1,
        sort_items_128: 2,
        sort_resident: 1,
        sort_window: 2,
        sort_launch_tiles: 3,
        sort_plain_block: 32,
        sort_auto_device_keys: usize::MAX,
    };

    /// The preset of this name: `default` or `minimal`.
    pub fn preset(name: &str) -> Option<Tuning> {
        match name {
            "default" => Some(Tuning::DEFAULT),
            "minimal" => Some(Tuning::MINIMAL),
            _ => None,
        }
    }

    /// The tuning in force on this thread.
    pub fn current() -> Tuning {
        *Tuning::in_force()
    }

    /// The same by reference: small operations must not pay for a copy.
    #[inline]
    pub(crate) fn in_force() -> &'static Tuning {
        SCOPED.get().unwrap_or_else(process_tuning)
    }

    /// Runs `work` with this tuning in force on this thread; scopes nest. Scopes are for tests and experiments: each
    /// value that is not a preset stays in memory for the life of the process.
    pub fn scope<T>(self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<&'static Tuning>);
        impl Drop for Restore {
            fn drop(&mut self) {
                SCOPED.set(self.0);
            }
        }
        let presets = [&Tuning::DEFAULT, &Tuning::MINIMAL];
        let known = presets.into_iter().find(|preset| **preset == self);
        let tuning = known.unwrap_or_else(|| Box::leak(Box::new(self)));
        let _restore = Restore(SCOPED.replace(Some(tuning)));
        work()
    }
}

thread_local! {
    static SCOPED: Cell<Option<&'static Tuning>> = const { Cell::new(None) };
}

fn process_tuning() -> &'static Tuning {
    static PROCESS: OnceLock<Tuning> = OnceLock::new();
    PROCESS.get_or_init(|| match std::env::var("BEZOUT_TUNING") {
        Err(_) => Tuning::DEFAULT,
        Ok(name) => Tuning::preset(&name).unwrap_or_else(|| {
            crate::notice::say_once(&format!(
                "BEZOUT_TUNING={name} is not a preset (default, minimal): using the defaults"
            ));
            Tuning::DEFAULT
        }),
    })
}
