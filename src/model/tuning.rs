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
    /// From this many limbs of the shorter operand on, single products are computed from digits of 52 bits on the CPU.
    pub cpu_digits_limbs: usize,
    /// Up to this many.
    pub cpu_digits_most_limbs: usize,
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
    /// Limbs of the product of the moduli that take longer operands down round by round: fewer rounds, or fewer followers.
    pub lattice_round_limbs: usize,
    /// Threads per block of its followers on a device.
    pub lattice_threads: u32,
    /// Limbs of a number that a block of residues holds at a time.
    pub modp_tile: u32,
    /// Threads of a block that computes residues.
    pub modp_block: u32,
    /// From this many coefficients of the shorter operand on, products of polynomials on the CPU are by transforms.
    pub poly_ntt_len: usize,
    /// The same where the definition has no vector instructions to go by: for moduli from 2^49 on, or without AVX-512.
    pub poly_ntt_wide_len: usize,
    /// From this many coefficients of divisor and of quotient on, polynomials on the CPU are divided by Newton's iteration.
    pub poly_newton_len: usize,
    /// Pairs of polynomials of fewer coefficients end a half-GCD on the CPU step by step.
    pub poly_half_len: usize,
    /// GCDs of polynomials of fewer coefficients on the CPU are found step by step.
    pub poly_gcd_len: usize,
    /// Up to this many points, polynomials on the CPU are evaluated one by one and interpolated by Newton's differences.
    pub poly_points: usize,
    /// Most threads of a block of Weber's reduction.
    pub weber_block: u32,
    /// Threads that a block of it should have before there are more blocks: fewer of them meet sooner.
    pub weber_least_block: u32,
    /// Threads per block of the kernels of polynomials.
    pub poly_block: u32,
    /// Products of polynomials of at most this many coefficients are computed from these on a device.
    pub poly_direct_len: usize,
    /// The same where one factor has at most this many, however long the other is.
    pub poly_thin_len: usize,
    /// The same for products of many pairs.
    pub poly_many_len: usize,
    /// Most points at which a polynomial is evaluated point by point on a device.
    pub poly_horner_points: usize,
    /// Polynomials of at most this many coefficients have their gcd in one block.
    pub poly_gcd_block_len: usize,
    /// Threads of such a block.
    pub poly_gcd_threads: u32,
    /// The same where there are many pairs.
    pub poly_gcd_many_threads: u32,
    /// Most that degrees drop in one matrix of the leader of longer ones.
    pub poly_lead: u32,
    /// Threads of the leader's block.
    pub poly_lead_threads: u32,
    /// From this many coefficients on, matrices on a device are made by half-GCDs.
    pub poly_device_half_len: usize,
    /// Quotients of at most this many coefficients begin a Newton iteration on a device.
    pub poly_newton_base: usize,
    /// Copies of the words in which its blocks meet: fewer blocks read each.
    pub weber_copies: u32,
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
        cpu_digits_limbs: 44,
        cpu_digits_most_limbs: 280,
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
        lattice_ahead: 1,
        lattice_round_limbs: 1 << 15,
        lattice_threads: 256,
        modp_tile: 1024,
        modp_block: 128,
        poly_ntt_len: 256,
        poly_ntt_wide_len: 48,
        poly_newton_len: 256,
        poly_half_len: 160,
        poly_gcd_len: 320,
        poly_points: 32,
        weber_block: 1024,
        weber_least_block: 256,
        weber_copies: 16,
        poly_block: 256,
        poly_direct_len: 256,
        poly_thin_len: 32,
        poly_many_len: 2048,
        poly_horner_points: 1 << 14,
        poly_gcd_block_len: 1024,
        poly_gcd_threads: 512,
        poly_gcd_many_threads: 128,
        poly_lead: 96,
        poly_lead_threads: 256,
        poly_device_half_len: 1 << 16,
        poly_newton_base: 256,
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
        cpu_digits_limbs: 3,
        cpu_digits_most_limbs: 9,
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
        lattice_round_limbs: 40,
        lattice_threads: 32,
        modp_tile: 4,
        modp_block: 32,
        poly_ntt_len: 5,
        poly_ntt_wide_len: 3,
        poly_newton_len: 3,
        poly_half_len: 4,
        poly_gcd_len: 6,
        poly_points: 2,
        weber_block: 64,
        weber_least_block: 32,
        poly_block: 32,
        poly_direct_len: 4,
        poly_thin_len: 2,
        poly_many_len: 20,
        poly_horner_points: 20,
        poly_gcd_block_len: 6,
        poly_gcd_threads: 32,
        poly_gcd_many_threads: 64,
        poly_lead: 5,
        poly_lead_threads: 64,
        poly_device_half_len: 60,
        poly_newton_base: 4,
        weber_copies: 2,
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
