//! Every parameter with its shipped value and where that comes from: one entry each, in any order.
//!
//! An entry is what the parameter means, its name and type, the shipped value, the value of the
//! `minimal` preset, the values it may have, the side whose tuning file holds it, and the machine,
//! commit and date that the shipped value was measured at, or that it is a limit.

use super::{LIMIT, MeasuredOn, Parameter, Side, multiples, powers, whole};

const XEON: MeasuredOn = MeasuredOn("Xeon (Sapphire Rapids), 2 cores");
const CASCADE: MeasuredOn = MeasuredOn("Xeon (Cascade Lake), 2 cores");
const SIXTEEN: MeasuredOn = MeasuredOn("Xeon (Sapphire Rapids), 16 cores");
const H200: MeasuredOn = MeasuredOn("H200, driver 580");

super::define_tuning! {
    /// Values of at most this many limbs stay inline on the host and own no device copy.
    inline_limbs: usize = 1024, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("a42ea44", "2026-11-15");
    /// From this many limbs on, the CPU engine uses all threads for linear operations.
    cpu_parallel_limbs: usize = 1 << 17, minimal 4, in whole(1, u64::MAX), on Cpu,
        from XEON.at("a42ea44", "2026-11-15");
    /// Limbs per unit of work of a threaded linear operation on the CPU.
    cpu_chunk_limbs: usize = 1 << 13, minimal 2, in whole(1, u64::MAX), on Cpu,
        from XEON.at("729df77", "2026-11-15");
    /// Threads per block of the linear kernels.
    linear_block: u32 = 512, minimal 32, in multiples(32, 32, 1024), on Cuda,
        from H200.at("0f0b92b", "2026-11-15");
    /// Limbs per thread of the linear kernels; even, because limbs are loaded in pairs.
    linear_items: u32 = 8, minimal 2, in multiples(2, 2, 64), on Cuda,
        from H200.at("a42ea44", "2026-11-15");
    /// Threads per block of the transforms.
    ntt_block: u32 = 256, minimal 64, in powers(64, 1024), on Cuda,
        from H200.at("26dd846", "2026-11-15");
    /// Blocks of the transforms that a multiprocessor holds: more of them, or more registers for
    /// each.
    ntt_resident: u32 = 2, minimal 4, in whole(1, 16), on Cuda,
        from H200.at("eae283c", "2026-11-15");
    /// log2 of the longest transform that one block does by itself.
    ntt_one_pass_log: u32 = 12, minimal 9, in whole(9, 12), on Cuda,
        from H200.at("26dd846", "2026-11-15");
    /// log2 of the longest transform; longer products are split.
    ntt_max_log: u32 = 22, minimal 12, in whole(12, 22), on Cuda, from LIMIT;
    /// Residues a prime of rows that are transformed at a time: at most 0.8 GB for each operand.
    rows_points: usize = 1 << 25, minimal 1 << 12, in whole(1 << 12, 1 << 26), on Cuda, from LIMIT;
    /// Most limbs of the denominator in a subtree of a series that a device computes in rows. Nodes
    /// above are few and long: each is work enough by itself.
    series_rows_limbs: u64 = 1 << 25, minimal 1 << 12, in whole(1, u64::MAX), on Cuda,
        from H200.at("0abefb5", "2026-11-17");
    /// log2 of the coefficients from which on products use several shorter transforms where those
    /// have fewer points.
    ntt_split_log: u32 = 18, minimal 11, in whole(11, 22), on Cuda,
        from H200.at("eae283c", "2026-11-15");
    /// log2 of the most points that a block of the second pass transforms.
    ntt_row_log: u32 = 12, minimal 4, in whole(4, 12), on Cuda,
        from H200.at("26dd846", "2026-11-15");
    /// Blocks that a pass should have at least; smaller ones are used to reach them.
    ntt_blocks: u32 = 264, minimal 4, in whole(1, 1 << 16), on Cuda,
        from H200.at("26dd846", "2026-11-15");
    /// Primes are transformed in groups whose residues fit here, so that they stay in the device's
    /// cache.
    ntt_cached_bytes: u64 = 200 << 20, minimal 1 << 15, in whole(1 << 15, u64::MAX), on Cuda,
        from H200.at("eae283c", "2026-11-15");
    /// Coefficients of at most this many terms are held in five primes (never more than fit them),
    /// others in six.
    ntt_five_prime_terms: u64 = 1 << 21, minimal 40, in whole(1, u64::MAX), on Cuda,
        from H200.at("6b4da8a", "2026-11-15");
    /// Products of operands of at most this many limbs are computed from the limbs, in small tiles.
    mul_direct_limbs: usize = 1024, minimal 2, in whole(1, u64::MAX), on Cuda,
        from H200.at("f1e5651", "2026-11-15");
    /// Products by operands of at most this many limbs are computed from the limbs, however long
    /// the other is.
    mul_short_limbs: usize = 48, minimal 1, in whole(1, u64::MAX), on Cuda,
        from H200.at("f1e5651", "2026-11-15");
    /// Threads per block of the carry propagation.
    carry_block: u32 = 256, minimal 32, in multiples(32, 32, 512), on Cuda,
        from H200.at("26dd846", "2026-11-15");
    /// From this many limbs of the shorter operand on, products on the CPU are by transforms.
    cpu_ntt_limbs: usize = 160, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("e062323", "2026-11-15");
    /// From this many limbs of the shorter operand on, products on the CPU are by transforms where
    /// there are no vector instructions and there is more than one thread.
    cpu_ntt_plain_limbs: usize = 1 << 14, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("efa7c72", "2026-11-15");
    /// From this many limbs of the longer operand on, a transform on the CPU uses all threads.
    cpu_ntt_parallel_limbs: usize = 1 << 12, minimal 20, in whole(1, u64::MAX), on Cpu,
        from XEON.at("dae72ce", "2026-11-15");
    /// Values of a transform on the CPU that are worth a thread of their own.
    cpu_ntt_task_values: usize = 1 << 13, minimal 1 << 6, in whole(1, u64::MAX), on Cpu,
        from SIXTEEN.at("d9e8e9c", "2026-11-16");
    /// Up to this many limbs of the shorter operand, coefficients on the CPU have one limb (never
    /// more than fit), else two.
    cpu_ntt_narrow_limbs: usize = usize::MAX, minimal 40, in whole(1, u64::MAX), on Cpu,
        from XEON.at("e062323", "2026-11-15");
    /// Up to this many limbs of the shorter factors, sums of products on the CPU are computed from
    /// their digits.
    cpu_short_limbs: usize = 160, minimal 5, in whole(1, u64::MAX), on Cpu,
        from XEON.at("eed59a3", "2026-11-15");
    /// From this many limbs of the shorter operand on, single products are computed from digits of
    /// 52 bits on the CPU.
    cpu_digits_limbs: usize = 44, minimal 3, in whole(1, u64::MAX), on Cpu,
        from XEON.at("5161efd", "2026-11-15");
    /// Up to this many.
    cpu_digits_most_limbs: usize = 280, minimal 9, in whole(1, u64::MAX), on Cpu,
        from XEON.at("5161efd", "2026-11-15");
    /// Most values of a transform on the CPU (never more than there are roots of unity for).
    cpu_ntt_values: usize = usize::MAX, minimal 300, in whole(1, u64::MAX), on Cpu, from LIMIT;
    /// From this many limbs of divisor and of quotient on, the CPU engine divides by Newton's
    /// iteration.
    div_cpu_limbs: usize = 1000, minimal 2, in whole(1, u64::MAX), on Cpu,
        from XEON.at("ddc897c", "2026-11-15");
    /// Dividends of at most this many limbs are divided on the host even where a device has them.
    div_device_limbs: usize = 2232, minimal 2, in whole(1, u64::MAX), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Reciprocals of up to this many limbs are found by the host's own division.
    div_base_limbs: usize = 256, minimal 2, in whole(1, u64::MAX), on Cpu,
        from XEON.at("0080f9e", "2026-11-15");
    /// Least quotient limbs that a device finds at a time.
    div_block_limbs: usize = 1 << 13, minimal 3, in whole(1, u64::MAX), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// From this many limbs of precision on (512 at least), a device keeps the transforms that a
    /// division uses twice.
    div_keep_limbs: usize = 1 << 15, minimal 512, in whole(512, u64::MAX), on Cuda,
        from H200.at("f19cd66", "2026-11-15");
    /// Numbers of at most this many limbs are printed and read by the host's library.
    radix_limbs: usize = 1500, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("ddc897c", "2026-11-15");
    /// Most limbs of digits that reading does limb by limb, and printing where transforms do not
    /// serve.
    radix_leaf_limbs: usize = 48, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("d25bc3d", "2026-11-15");
    /// Most limbs whose digits the host's library finds when a longer number is printed by
    /// transforms.
    radix_print_limbs: usize = 256, minimal 1, in whole(1, u64::MAX), on Cpu,
        from CASCADE.at("e2a0a8a", "2026-11-17");
    /// Threads of a block that finds the digits of a leaf on a device.
    radix_block: u32 = 256, minimal 64, in multiples(32, 32, 1024), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Limbs of each of them.
    radix_items: u32 = 16, minimal 2, in whole(1, 32), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// From this many limbs on, numbers are printed on a device, and halves of a number that is
    /// read are put together there.
    radix_device_limbs: usize = 1 << 12, minimal 4, in whole(1, u64::MAX), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Roots of numbers of at most this many limbs are the host library's.
    root_limbs: usize = 1024, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("6840d11", "2026-11-15");
    /// From this many limbs of modulus on, powers are reduced by a prepared reciprocal.
    powmod_limbs: usize = 2048, minimal 2, in whole(1, u64::MAX), on Cpu,
        from XEON.at("6840d11", "2026-11-15");
    /// Numbers of at most this many limbs lead a half-GCD limb by limb.
    gcd_leaf_limbs: usize = 112, minimal 3, in whole(1, u64::MAX), on Cpu,
        from XEON.at("f7dab23", "2026-11-15");
    /// Numbers of at most this many limbs end a GCD limb by limb.
    gcd_base_limbs: usize = 320, minimal 5, in whole(1, u64::MAX), on Cpu,
        from XEON.at("f7dab23", "2026-11-15");
    /// GCDs of numbers of at most this many limbs are the host library's.
    gcd_host_limbs: usize = 128, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("eed59a3", "2026-11-15");
    /// Extended GCDs of numbers of at most this many limbs are the host library's.
    gcd_extended_limbs: usize = 128, minimal 1, in whole(1, u64::MAX), on Cpu,
        from XEON.at("eed59a3", "2026-11-15");
    /// From this many limbs of the shorter operand on, products of numbers on the host are sent to
    /// a device where no engine is forced.
    mul_auto_limbs: usize = 1500, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// From this many limbs of the shorter of divisor and quotient on, divisions of numbers on the
    /// host are sent to a device where no engine is forced.
    div_auto_limbs: usize = 2500, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// From this many limbs of the radicand on, roots of numbers on the host are sent to a device
    /// where no engine is forced.
    root_auto_limbs: usize = 20000, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// From this many limbs of the result on, powers of numbers on the host are sent to a device
    /// where no engine is forced.
    pow_auto_limbs: usize = 3500, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// From this many limbs on, numbers on the host are sent to a device to be printed where no
    /// engine is forced.
    print_auto_limbs: usize = 5000, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// From this many limbs of the result on, digits are sent to a device to be read where no
    /// engine is forced.
    parse_auto_limbs: usize = 1 << 15, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("f90f012", "2026-11-18");
    /// From this many limbs of the denominator on, series are summed on a device where no engine is
    /// forced.
    series_auto_limbs: usize = 1 << 14, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// From this many coefficients of the shorter operand on, products of polynomials on the host
    /// are sent to a device where no engine is forced. This and the next three are for moduli below
    /// 2^49; half as many serve for larger ones.
    poly_mul_auto_len: usize = 1700, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// From this many coefficients of the shorter of divisor and quotient on, divisions of
    /// polynomials on the host are sent to a device where no engine is forced.
    poly_div_auto_len: usize = 1600, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// From this many coefficients of the shorter operand on, GCDs of polynomials on the host are
    /// sent to a device where no engine is forced.
    poly_gcd_auto_len: usize = 1200, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// From this many points on, values of polynomials on the host are found on a device where no
    /// engine is forced.
    poly_points_auto_len: usize = 150, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// Microseconds that it takes to share rows out to threads on the CPU. With the next three it
    /// decides whether rows on the host are sent to a device where no engine is forced.
    rows_share_micros: u64 = 20, minimal 0, in whole(0, 1 << 20), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// Picoseconds that it takes to move a byte of rows between host and device.
    rows_byte_picos: u64 = 40, minimal 0, in whole(0, 1 << 20), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// The time of a few rows on a device, in percent of an H200's.
    rows_few_percent: u64 = 100, minimal 0, in whole(0, 1 << 20), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// How many cores of the host a device is worth that has rows enough.
    rows_device_cores: u64 = 200, minimal u64::MAX, in whole(1, u64::MAX), on Cpu,
        from H200.at("76bd227", "2026-11-19");
    /// Under a device that was asked for by name, sums and the like of fewer limbs than this whose
    /// operands are on the host are done there. Chosen so that a program's short sums stay with its
    /// short products; not measured by itself.
    launch_limbs: usize = 1 << 16, minimal 0, in whole(0, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// Nanoseconds of a product on the CPU for each limb of an operand, to within a factor of six:
    /// 8 to 54 at 2^16 to 2^24 bits on 16 threads.
    mul_limb_nanos: u64 = 50, minimal 50, in whole(1, 1 << 20), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// Streams of a device that independent operations are spread over. Chosen as half of what one
    /// device may have; not measured by itself.
    device_streams: usize = 8, minimal 2, in whole(1, 16), on Cpu,
        from H200.at("7d8a8bc", "2026-11-18");
    /// Microseconds that it takes to wake a device.
    wake_micros: u64 = 300_000, minimal 300_000, in whole(0, u64::MAX), on Cpu,
        from H200.at("0e402c0", "2026-11-16");
    /// From this many limbs on, GCDs of numbers on the host are sent to a device where no engine is
    /// forced.
    gcd_auto_device_limbs: usize = 768, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("bd1b1b8", "2026-11-15");
    /// From this many limbs on, GCDs with cofactors of numbers on the host are sent to a device
    /// where no engine is forced.
    cofactors_auto_limbs: usize = 12_000, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("22046c8", "2026-11-17");
    /// From this many limbs on, half-GCDs are made on a device.
    gcd_device_limbs: usize = 1 << 12, minimal 12, in whole(1, u64::MAX), on Cuda,
        from H200.at("bd1b1b8", "2026-11-15");
    /// From this many limbs on, GCDs on a device are found by lattices.
    gcd_lattice_limbs: usize = 640, minimal 50, in whole(1, u64::MAX), on Cuda,
        from H200.at("bd1b1b8", "2026-11-15");
    /// From this many limbs on, so are cofactors.
    gcd_cofactor_limbs: usize = 1 << 16, minimal 70, in whole(1, u64::MAX), on Cuda,
        from H200.at("bd1b1b8", "2026-11-15");
    /// Powers and products of many factors of at most this many limbs are made on the host.
    pow_limbs: usize = 512, minimal 1, in whole(1, u64::MAX), on Cuda,
        from H200.at("6840d11", "2026-11-15");
    /// Moduli of a block of the gcd by lattices, at most 128: longer steps, or quicker ones.
    lattice_block: usize = 64, minimal 3, in whole(1, 128), on Cuda,
        from H200.at("59d1bb8", "2026-11-15");
    /// Blocks of which the leader of that gcd has residues beyond the one it works on; it keeps
    /// them up to date by itself.
    lattice_ahead: usize = 1, minimal 1, in whole(1, 64), on Cuda,
        from H200.at("e9b381c", "2026-11-15");
    /// Limbs of the product of the moduli that take longer operands down round by round: fewer
    /// rounds, or fewer followers.
    lattice_round_limbs: usize = 1 << 14, minimal 40, in whole(1, u64::MAX), on Cuda,
        from H200.at("bd1b1b8", "2026-11-15");
    /// Threads per block of its followers on a device.
    lattice_threads: u32 = 256, minimal 32, in multiples(32, 32, 1024), on Cuda,
        from H200.at("f020ef2", "2026-11-15");
    /// Limbs of a number that a block of residues holds at a time.
    modp_tile: u32 = 1024, minimal 4, in whole(2, 4096), on Cuda,
        from H200.at("586aac3", "2026-11-15");
    /// Threads of a block that computes residues.
    modp_block: u32 = 128, minimal 32, in multiples(32, 32, 1024), on Cuda,
        from H200.at("586aac3", "2026-11-15");
    /// From this many coefficients of the shorter operand on, products of polynomials on the CPU
    /// are by transforms.
    poly_ntt_len: usize = 256, minimal 5, in whole(1, 512), on Cpu,
        from XEON.at("db379ce", "2026-11-15");
    /// From this many coefficients of the shorter operand on, products of polynomials on the CPU
    /// are by transforms where products by the definition have no vector instructions: for moduli
    /// from 2^49 on, or without AVX-512.
    poly_ntt_wide_len: usize = 48, minimal 3, in whole(1, 512), on Cpu,
        from XEON.at("db379ce", "2026-11-15");
    /// From this many coefficients of divisor and of quotient on, polynomials on the CPU are
    /// divided by Newton's iteration.
    poly_newton_len: usize = 256, minimal 3, in whole(1, u64::MAX), on Cpu,
        from XEON.at("db379ce", "2026-11-15");
    /// Pairs of polynomials of fewer coefficients end a half-GCD on the CPU step by step.
    poly_half_len: usize = 160, minimal 4, in whole(4, u64::MAX), on Cpu,
        from XEON.at("db379ce", "2026-11-15");
    /// GCDs of polynomials of fewer coefficients on the CPU are found step by step.
    poly_gcd_len: usize = 320, minimal 6, in whole(2, u64::MAX), on Cpu,
        from XEON.at("db379ce", "2026-11-15");
    /// Up to this many points, polynomials on the CPU are evaluated and interpolated point by
    /// point.
    poly_points: usize = 32, minimal 2, in whole(1, u64::MAX), on Cpu,
        from XEON.at("db379ce", "2026-11-15");
    /// Most threads of a block of Weber's reduction.
    weber_block: u32 = 1024, minimal 64, in multiples(32, 32, 1024), on Cuda,
        from H200.at("586aac3", "2026-11-15");
    /// Threads that a block of it should have before there are more blocks: fewer of them meet
    /// sooner.
    weber_least_block: u32 = 256, minimal 32, in multiples(32, 32, 1024), on Cuda,
        from H200.at("82e2e15", "2026-11-15");
    /// Copies of the words in which its blocks meet: fewer blocks read each.
    weber_copies: u32 = 16, minimal 2, in whole(1, 64), on Cuda,
        from H200.at("82e2e15", "2026-11-15");
    /// Threads per block of the kernels of polynomials.
    poly_block: u32 = 256, minimal 32, in multiples(32, 32, 1024), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Products of polynomials of at most this many coefficients are computed from these on a
    /// device.
    poly_direct_len: usize = 256, minimal 4, in whole(1, u64::MAX), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Products of two polynomials of which one has at most this many coefficients are computed
    /// from the coefficients on a device, however long the other is.
    poly_short_len: usize = 32, minimal 2, in whole(1, u64::MAX), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Where a device multiplies many pairs of polynomials at once, products of polynomials of at
    /// most this many coefficients are computed from the coefficients.
    poly_many_len: usize = 2048, minimal 20, in whole(1, u64::MAX), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Most points at which a polynomial is evaluated point by point on a device.
    poly_horner_points: usize = 1 << 14, minimal 20, in whole(1, u64::MAX), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Polynomials of at most this many coefficients have their gcd in one block.
    poly_gcd_block_len: usize = 1024, minimal 6, in whole(1, u64::MAX), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Threads of such a block.
    poly_gcd_threads: u32 = 512, minimal 32, in multiples(32, 32, 1024), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Threads of a block that finds the gcd of one of many pairs of polynomials.
    poly_gcd_many_threads: u32 = 96, minimal 64, in multiples(32, 32, 1024), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Most that degrees drop in one matrix of the leader of longer ones.
    poly_lead: u32 = 96, minimal 5, in whole(1, 512), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Threads of the leader's block.
    poly_lead_threads: u32 = 256, minimal 64, in multiples(32, 32, 1024), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// From this many coefficients on, matrices on a device are made by half-GCDs.
    poly_device_half_len: usize = 1 << 15, minimal 60, in whole(1, u64::MAX), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Quotients of at most this many coefficients begin a Newton iteration on a device.
    poly_newton_base: usize = 128, minimal 4, in whole(1, u64::MAX), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Threads of a block that sorts.
    sort_block: u32 = 512, minimal 64, in multiples(32, 32, 512), on Cuda,
        from H200.at("60984a2", "2026-11-15");
    /// Keys that a thread of it has, where a key and its value have 32 bits together,
    sort_items_32: u32 = 20, minimal 3, in whole(1, 24), on Cuda,
        from H200.at("60984a2", "2026-11-15");
    /// where they have 64,
    sort_items_64: u32 = 12, minimal 1, in whole(1, 16), on Cuda,
        from H200.at("60984a2", "2026-11-15");
    /// and where they have more.
    sort_items_128: u32 = 10, minimal 2, in whole(1, 12), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Such blocks that a multiprocessor holds, half as many where a key and its value have more
    /// than 64 bits: more of them, or more registers for each.
    sort_resident: u32 = 2, minimal 1, in whole(1, 4), on Cuda,
        from H200.at("60984a2", "2026-11-15");
    /// Tiles that a sort looks back at in one go.
    sort_window: u32 = 4, minimal 2, in whole(1, 16), on Cuda,
        from H200.at("60984a2", "2026-11-15");
    /// Most tiles that one launch sorts (never more than 2^30 keys).
    sort_launch_tiles: u64 = u64::MAX, minimal 3, in whole(1, u64::MAX), on Cuda, from LIMIT;
    /// Threads of a block of the plain sort: the paper's ℓ.
    sort_plain_block: u32 = 256, minimal 32, in multiples(32, 32, 512), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// From this many keys on, keys on the host are sent to a device where no engine is forced.
    sort_auto_device_keys: usize = 1 << 14, minimal usize::MAX, in whole(2, u64::MAX), on Cpu,
        from H200.at("a014236", "2026-11-18");
    /// Threads of a block that factors numbers of at most 128 bits.
    factor_block: u32 = 128, minimal 32, in multiples(32, 32, 256), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Such blocks that a multiprocessor holds: more of them, or more registers for each.
    factor_resident: u32 = 4, minimal 2, in whole(1, 8), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Numbers that a device factors at a time while the host prepares others; the last few of them
    /// leave the device idle.
    factor_chunk: usize = 1 << 19, minimal 256, in multiples(256, 256, 1 << 24), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// From this many numbers on, numbers to factor are sent to a device where no engine is forced.
    factor_auto_device_numbers: usize = 139, minimal usize::MAX, in whole(1, u64::MAX), on Cpu,
        from H200.at("2c71d2c", "2026-11-15");
    /// From this many bits on, a number is sieved by a device where no engine is forced.
    sieve_auto_device_bits: usize = 190, minimal 60, in whole(60, 400), on Cpu,
        from H200.at("eb3f554", "2026-11-17");
    /// From this many steps on, curves are run by a device where no engine is forced: their number
    /// times B1 times the square of the limbs.
    ecm_auto_device_steps: usize = 1 << 22, minimal 1, in whole(1, u64::MAX), on Cpu,
        from H200.at("73021ca", "2026-11-17");
    /// Up to this many different moduli, shared factors are found pair by pair.
    keys_pairwise: usize = 7, minimal 2, in whole(0, u64::MAX), on Cpu,
        from XEON.at("d4017af", "2026-11-15");
    /// Up to this many different moduli, shared factors are found pair by pair on a device.
    keys_device_pairwise: usize = 1116, minimal 2, in whole(0, 1 << 16), on Cuda,
        from H200.at("2c71d2c", "2026-11-15");
    /// From this many limbs of moduli on, shared factors are sought on a device where no engine is
    /// forced.
    keys_auto_device_limbs: usize = 512, minimal usize::MAX, in whole(1, u64::MAX), on Cpu,
        from H200.at("2c71d2c", "2026-11-15");
    /// Limbs of the first products of moduli that are found by transforms, on a device that looks
    /// for shared factors.
    keys_row_limbs: usize = 512, minimal 512, in powers(512, 1024), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Division steps a kernel of the plain division of polynomials: the machine-model paper's s.
    plain_division_steps: u32 = 128, minimal 3, in whole(1, 4096), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Coefficients a block, and sums a thread, of the plain product of polynomials: its s.
    plain_product_steps: u32 = 8, minimal 2, in whole(1, 256), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Division steps a kernel of the plain gcd of polynomials: its s.
    plain_gcd_steps: u32 = 64, minimal 3, in whole(1, 4096), on Cuda,
        from H200.at("44e487b", "2026-11-15");
    /// Bits a pass of the plain sort: its s.
    plain_sort_bits: u32 = 8, minimal 2, in whole(1, 8), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Threads per block of the elliptic curve method: a curve each.
    ecm_block: u32 = 128, minimal 32, in multiples(32, 32, 256), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Numbers of at most this many 32-bit words stay in registers; products of longer ones are
    /// calls.
    ecm_inline_words: u32 = 8, minimal 2, in whole(1, 16), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Bits of a digit of its chains: tables of 2^(bits − 2) points.
    ecm_window: u32 = 8, minimal 4, in whole(3, 8), on Cuda, from H200.at("d4017af", "2026-11-15");
    /// Curves of a multiprocessor that keep it busy, of numbers in registers,
    ecm_threads: u32 = 512, minimal 64, in multiples(32, 32, 2048), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// and of longer ones.
    ecm_long_threads: u32 = 256, minimal 32, in multiples(32, 32, 2048), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Most 32-bit words of a row of a batch that a thread has; longer rows are shared by lanes of
    /// a warp.
    batch_words: u32 = 32, minimal 4, in multiples(2, 2, 32), on Cuda,
        from H200.at("56f1591", "2026-11-15");
    /// Most 32-bit words of a row of a batch that a thread has in plain products, which memory
    /// bounds. Longer rows are shared by lanes of a warp.
    batch_mul_words: u32 = 16, minimal 4, in multiples(2, 2, 32), on Cuda,
        from H200.at("56f1591", "2026-11-15");
    /// Most 30-bit limbs of a row of a batch that a thread has in greatest common divisors and
    /// inverses. Longer rows are shared by lanes of a warp.
    batch_gcd_limbs: u32 = 36, minimal 6, in multiples(2, 2, 72), on Cuda,
        from H200.at("56f1591", "2026-11-15");
    /// Threads per block of arithmetic on rows.
    batch_block: u32 = 128, minimal 32, in multiples(32, 32, 256), on Cuda,
        from H200.at("d4017af", "2026-11-15");
    /// Such blocks of powers that a multiprocessor holds: more of them, or more registers for each.
    batch_resident: u32 = 2, minimal 1, in whole(1, 8), on Cuda,
        from H200.at("56f1591", "2026-11-15");
    /// Such blocks of greatest common divisors.
    batch_gcd_resident: u32 = 3, minimal 1, in whole(1, 8), on Cuda,
        from H200.at("56f1591", "2026-11-15");
    /// Bits of an exponent of a row that a power takes at a time.
    batch_window: u32 = 5, minimal 2, in whole(1, 8), on Cuda,
        from H200.at("56f1591", "2026-11-15");
}
