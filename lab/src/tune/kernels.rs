//! Everything that is tuned, one entry each. Values that no measurement decides are listed at the
//! end.

use super::work::{self, factoring, polynomials};
use super::{Choices, Tunable, Values, plain, predict};
use crate::model::Side;

/// Whether the host sends its numbers or keys to a device.
pub(super) const AUTO: [&str; 16] = [
    "product-auto",
    "division-auto",
    "root-auto",
    "power-auto",
    "print-auto",
    "parse-auto",
    "series-auto",
    "gcd-auto",
    "cofactors-auto",
    "sort-auto",
    "factor-auto",
    "keys-auto",
    "poly-product-auto",
    "poly-division-auto",
    "poly-gcd-auto",
    "poly-points-auto",
];
/// Products on a CPU with vector instructions, and on one without.
pub(super) const VECTOR: &str = "cpu-product";
pub(super) const PLAIN: &str = "cpu-product-plain";

/// Single values.
fn each(values: &[u64]) -> Vec<Values> {
    values.iter().map(|value| vec![*value]).collect()
}

/// All pairs.
fn pairs(first: &[u64], second: &[u64]) -> Vec<Values> {
    let with = |a: &u64| second.iter().map(move |b| vec![*a, *b]).collect::<Vec<_>>();
    first.iter().flat_map(with).collect()
}

macro_rules! kernels {
    ($(
        $name:expr, $about:literal, $side:ident, [$($parameter:ident),+], $choices:expr,
        $sizes:expr, $prepare:path, $predicted:path;
    )*) => {
        pub(super) static ALL: &[Tunable] = &[$(
            Tunable {
                name: $name,
                about: $about,
                parameters: &[$(stringify!($parameter)),+],
                side: Side::$side,
                sizes: &$sizes,
                choices: $choices,
                prepare: $prepare,
                predicted: $predicted,
            },
        )*];
    };
}

use Choices::{BySize, From, One, UpTo};

/// Coefficients of polynomials: from some that one block holds to twice the paper's most.
const LENGTHS: [u64; 20] = [
    200, 250, 320, 400, 500, 640, 800, 1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000, 6400, 8000,
    10_000, 12_500, 16_000,
];
/// Numbers to sort.
const COUNTS: [u64; 20] = {
    let mut counts = [0; 20];
    let mut i = 0;
    while i < 20 {
        // By turns a power of two and half as much again.
        counts[i] = (2 + i as u64 % 2) << (10 + i / 2);
        i += 1;
    }
    counts
};

kernels! {
    "cpu-sum", "a sum on the CPU", Cpu, [cpu_parallel_limbs], From, [1 << 12, 1 << 21], work::sum,
        predict::cpu_sum;
    "cpu-sum-chunk", "a sum on all threads of the CPU", Cpu, [cpu_chunk_limbs],
        One(|| each(&[1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16])), [1 << 19, 1 << 21],
        work::sum, predict::cpu_sum;
    VECTOR, "a product on the CPU", Cpu, [cpu_ntt_limbs], From, [32, 1 << 12], work::product,
        predict::cpu_product;
    PLAIN, "a product on a CPU without vector instructions", Cpu, [cpu_ntt_plain_limbs],
        From, [1 << 10, 1 << 17], work::product, predict::unknown;
    "cpu-product-threads", "a product on the CPU, with one thread or all", Cpu,
        [cpu_ntt_parallel_limbs],
        From, [1 << 8, 1 << 16], work::product, predict::cpu_product;
    "cpu-product-task", "a product on all threads of the CPU", Cpu, [cpu_ntt_task_values],
        One(|| each(&[1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15])), [1 << 13, 1 << 15, 1 << 17],
        work::product, predict::cpu_product;
    "cpu-product-narrow", "a product on the CPU, coefficients of one limb or two", Cpu,
        [cpu_ntt_narrow_limbs],
        UpTo, [1 << 10, 1 << 18], work::product, predict::cpu_product;
    "cpu-product-digits", "a product on the CPU, by digits of 52 bits or by the floor", Cpu,
        [cpu_digits_limbs],
        From, [16, 160], work::product, predict::unknown;
    "cpu-product-digits-most", "a product on the CPU, by digits of 52 bits or by transforms", Cpu,
        [cpu_digits_most_limbs],
        UpTo, [100, 1 << 10], work::product, predict::unknown;
    "cpu-products", "a sum of two products on the CPU", Cpu, [cpu_short_limbs], UpTo,
        [16, 1 << 10], work::products, predict::cpu_products;
    "cpu-division", "2n by n limbs on the CPU", Cpu, [div_cpu_limbs], From, [100, 1 << 13],
        work::balanced_division, predict::cpu_division;
    "cpu-division-base", "2n by n limbs on the CPU, the first reciprocal", Cpu, [div_base_limbs],
        One(|| each(&[64, 128, 192, 256, 384, 512, 1024])), [1 << 12, 1 << 14, 1 << 16],
        work::balanced_division, predict::cpu_division;
    "cpu-radix", "decimal digits on the CPU", Cpu, [radix_limbs], UpTo, [100, 1 << 13],
        work::digits, predict::cpu_digits;
    "cpu-radix-print", "decimal digits on the CPU, the last limbs", Cpu, [radix_print_limbs],
        One(|| each(&[32, 64, 128, 256, 512])), [1 << 12, 1 << 14, 1 << 16], work::digits,
        predict::cpu_digits;
    "cpu-radix-leaf", "decimal digits read on the CPU, the last limbs", Cpu, [radix_leaf_limbs],
        One(|| each(&[16, 24, 32, 48, 64, 96, 128])), [1 << 12, 1 << 14, 1 << 16], work::reading,
        predict::cpu_reading;
    "cpu-root", "a square root on the CPU", Cpu, [root_limbs], UpTo, [100, 1 << 13], work::root,
        predict::cpu_root;
    "cpu-power", "a power modulo a number on the CPU", Cpu, [powmod_limbs], From, [200, 1 << 13],
        work::power, predict::cpu_power;
    "cpu-gcd", "a gcd on the CPU", Cpu, [gcd_host_limbs], UpTo, [32, 1 << 10], work::gcd,
        predict::cpu_gcd;
    "cpu-gcd-cofactors", "a gcd with cofactors on the CPU", Cpu, [gcd_extended_limbs],
        UpTo, [32, 1 << 10], work::extended_gcd, predict::cpu_extended_gcd;
    "cpu-gcd-leaf", "a gcd by half-GCDs on the CPU, their leaves", Cpu, [gcd_leaf_limbs],
        One(|| each(&[32, 48, 64, 80, 96, 112, 128, 160, 192, 256])), [1 << 10, 1 << 12, 1 << 14],
        work::half_gcd, predict::cpu_gcd;
    "cpu-gcd-base", "a gcd by half-GCDs on the CPU, its end", Cpu, [gcd_base_limbs],
        One(|| each(&[96, 128, 192, 256, 320, 384, 512, 768])), [1 << 10, 1 << 12, 1 << 14],
        work::half_gcd, predict::cpu_gcd;
    "product-auto", "a product of numbers on the host, there or on a device", Cpu, [mul_auto_limbs],
        From, [1 << 8, 1 << 13], work::sent_product, predict::unknown;
    "division-auto", "2n by n limbs on the host, there or on a device", Cpu, [div_auto_limbs],
        From, [1 << 9, 1 << 14], work::sent_division, predict::unknown;
    "root-auto", "a square root of a number on the host, there or on a device", Cpu,
        [root_auto_limbs],
        From, [1 << 11, 1 << 16], work::sent_root, predict::unknown;
    "power-auto", "a power of n limbs, on the host or on a device", Cpu, [pow_auto_limbs],
        From, [1 << 10, 1 << 14], work::sent_power, predict::unknown;
    "print-auto", "decimal digits of a number on the host, there or on a device", Cpu,
        [print_auto_limbs],
        From, [1 << 11, 1 << 15], work::digits, predict::unknown;
    "parse-auto", "a number from its decimal digits, on the host or on a device", Cpu,
        [parse_auto_limbs],
        From, [1 << 11, 1 << 15], work::sent_digits, predict::unknown;
    "series-auto", "the sum of a series whose denominator has n limbs, on the host or on a device",
        Cpu, [series_auto_limbs],
        From, [1 << 9, 1 << 18], work::series, predict::unknown;
    "gcd-auto", "a gcd of numbers on the host, there or on a device", Cpu, [gcd_auto_device_limbs],
        From, [1 << 10, 1 << 17], work::gcd, predict::auto_gcd;
    "cofactors-auto", "a gcd with cofactors of numbers on the host, there or on a device", Cpu,
        [cofactors_auto_limbs],
        From, [1 << 11, 1 << 16], work::extended_gcd, predict::unknown;
    "sort-auto", "a sort of 64-bit keys on the host, there or on a device; sizes in keys", Cpu,
        [sort_auto_device_keys],
        From, [1 << 12, 1 << 22], work::sort_64, predict::auto_sort;
    "factor-auto", "factors of n numbers of 64 bits on the host, there or on a device", Cpu,
        [factor_auto_device_numbers],
        From, [1 << 6, 1 << 14], factoring::words, predict::auto_factors;
    "sieve-auto", "a product of two primes, of n bits, sieved on the host or on a device", Cpu,
        [sieve_auto_device_bits],
        From, [150, 240], factoring::sieved, predict::unknown;
    "curves-auto", "curves of n steps: their number times B1 times 9, on the host or on a device",
        Cpu, [ecm_auto_device_steps],
        From, [1 << 19, 1 << 27], factoring::curve_steps, predict::unknown;
    "cpu-keys", "shared factors of n moduli of 2000 bits on the CPU", Cpu, [keys_pairwise],
        UpTo, [3, 48], factoring::shared_factors, predict::cpu_shared_factors;
    "keys-auto", "shared factors of moduli of n limbs together on the host, there or on a device",
        Cpu, [keys_auto_device_limbs],
        From, [1 << 9, 1 << 17], factoring::shared_factors_of_limbs, predict::auto_shared_factors;
    "poly-product-auto",
        "a product of polynomials of n coefficients on the host, there or on a device", Cpu,
        [poly_mul_auto_len],
        From, [1 << 8, 1 << 14], polynomials::product, predict::unknown;
    "poly-division-auto",
        "a division of polynomials on the host, 2n by n coefficients, there or on a device", Cpu,
        [poly_div_auto_len],
        From, [1 << 8, 1 << 14], polynomials::division, predict::unknown;
    "poly-gcd-auto",
        "a gcd of polynomials of n coefficients on the host, there or on a device", Cpu,
        [poly_gcd_auto_len],
        From, [1 << 7, 1 << 13], polynomials::gcd, predict::unknown;
    "poly-points-auto",
        "a polynomial of n coefficients on the host at n points, there or on a device", Cpu,
        [poly_points_auto_len],
        From, [1 << 7, 1 << 13], polynomials::values, predict::unknown;

    "linear", "a sum on a device", Cuda, [linear_block, linear_items],
        BySize(|_, _| pairs(&[128, 256, 512, 1024], &[2, 4, 8, 16])),
        [1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24], work::sum, predict::device_sum;
    "product-direct", "a product on a device", Cuda, [mul_direct_limbs], UpTo, [64, 1 << 13],
        work::product, predict::device_product;
    "product-short", "a product of 2^14 limbs by n on a device", Cuda, [mul_short_limbs],
        UpTo, [8, 512], work::thin_product, predict::device_short_product;
    "transform", "a product on a device, shape of its transforms", Cuda, [ntt_block, ntt_resident],
        One(|| pairs(&[128, 256, 512], &[1, 2, 3, 4])), [1 << 12, 1 << 16, 1 << 20], work::product,
        predict::device_product;
    "transform-pass", "a product on a device, lengths of one pass", Cuda,
        [ntt_one_pass_log, ntt_row_log],
        One(|| pairs(&[9, 10, 11, 12], &[8, 10, 11, 12])), [1 << 10, 1 << 12, 1 << 16],
        work::product, predict::device_product;
    "transform-blocks", "a product on a device, blocks of a pass", Cuda, [ntt_blocks],
        One(|| each(&[66, 132, 264, 528, 1056])), [1 << 11, 1 << 13, 1 << 15], work::product,
        predict::unknown;
    "transform-split", "a product on a device, several short transforms", Cuda, [ntt_split_log],
        One(|| each(&[15, 16, 17, 18, 19, 20])), [150_000, 300_000, 1_200_000], work::product,
        predict::unknown;
    "transform-cache", "a product on a device, primes at a time", Cuda, [ntt_cached_bytes],
        One(|| each(&[25 << 20, 50 << 20, 100 << 20, 200 << 20, 1 << 40])), [1 << 20, 1 << 22],
        work::product, predict::unknown;
    "product-carries", "a product on a device, its carries", Cuda, [carry_block],
        One(|| each(&[64, 128, 256, 512])), [1 << 13, 1 << 17, 1 << 21], work::product,
        predict::unknown;
    "division", "n by n/2 limbs on a device", Cuda, [div_device_limbs], UpTo, [128, 1 << 14],
        work::division, predict::device_division;
    "division-block", "n by n/2 limbs on a device, quotient limbs at a time", Cuda,
        [div_block_limbs],
        One(|| each(&[1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16])), [1 << 14, 1 << 17],
        work::division, predict::device_division;
    "division-keep", "n by n/2 limbs on a device, kept transforms", Cuda, [div_keep_limbs],
        One(|| each(&[1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16])), [1 << 16, 1 << 18],
        work::division, predict::unknown;
    "radix", "decimal digits on a device", Cuda, [radix_device_limbs],
        One(|| each(&[1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14])), [1 << 14, 1 << 17],
        work::digits, predict::device_digits;
    "radix-leaf", "decimal digits on a device, the last limbs", Cuda, [radix_block, radix_items],
        One(|| pairs(&[128, 256, 512], &[4, 8, 12, 16])), [1 << 15, 1 << 18], work::digits,
        predict::device_digits;
    "gcd", "a gcd by half-GCDs on a device", Cuda, [gcd_device_limbs],
        One(|| each(&[1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15])), [1 << 15, 1 << 17],
        work::half_gcd, predict::device_gcd;
    "power", "a power on a device", Cuda, [pow_limbs],
        One(|| each(&[128, 256, 512, 1024, 2048, 4096])), [1 << 12, 1 << 16], work::plain_power,
        predict::unknown;
    "gcd-lattice", "a gcd by lattices on a device", Cuda, [lattice_block, lattice_ahead],
        One(|| pairs(&[32, 48, 64, 96, 128], &[1, 2, 3, 4])), [1 << 11, 1 << 13],
        work::lattice_gcd, predict::lattice_gcd;
    "gcd-lattice-threads", "a gcd by lattices on a device, its followers", Cuda, [lattice_threads],
        One(|| each(&[64, 128, 256, 512])), [1 << 11, 1 << 13], work::lattice_gcd, predict::unknown;
    "gcd-lattice-round", "a gcd of longer numbers by lattices on a device", Cuda,
        [lattice_round_limbs],
        One(|| each(&[1 << 13, 1 << 14, 1 << 15, 1 << 16])), [1 << 14, 1 << 16], work::lattice_gcd,
        predict::unknown;
    "gcd-weber-copies", "a gcd by Weber's reduction on a device, where its blocks meet", Cuda,
        [weber_copies],
        One(|| each(&[1, 2, 4, 8, 16, 32])), [1 << 9, 1 << 12], work::weber_gcd, predict::unknown;
    "gcd-weber", "a gcd by Weber's reduction on a device", Cuda, [weber_block, weber_least_block],
        One(|| pairs(&[256, 512, 1024], &[32, 64, 128, 256])), [1 << 8, 1 << 11], work::weber_gcd,
        predict::weber_gcd;
    "residues", "a gcd by Weber's reduction on a device, its residues", Cuda,
        [modp_tile, modp_block],
        One(|| pairs(&[512, 1024, 2048], &[64, 128, 256])), [1 << 8, 1 << 11], work::weber_gcd,
        predict::unknown;
    "sort", "a sort of 32-bit keys on a device; sizes in keys", Cuda,
        [sort_block, sort_items_32, sort_resident],
        One(|| vec![
            vec![512, 20, 2], vec![512, 16, 2], vec![512, 24, 2], vec![384, 22, 2],
            vec![384, 18, 3], vec![256, 22, 4], vec![256, 24, 3],
        ]), [1 << 18, 1 << 22, 1 << 26], work::sort_32, predict::device_sort_32;
    "sort-64", "a sort of 64-bit keys on a device; sizes in keys", Cuda, [sort_items_64],
        One(|| each(&[8, 10, 12, 14, 16])), [1 << 18, 1 << 22, 1 << 25], work::sort_64,
        predict::device_sort_64;
    "sort-128", "a sort of 64-bit keys with 64-bit values on a device; sizes in keys", Cuda,
        [sort_items_128],
        One(|| each(&[6, 8, 10, 12])), [1 << 18, 1 << 22, 1 << 24], work::sort_128,
        predict::device_sort_128;
    "sort-window", "a sort of 32-bit keys on a device, its look-back; sizes in keys", Cuda,
        [sort_window],
        One(|| each(&[1, 2, 4, 8])), [1 << 20, 1 << 24], work::sort_32, predict::unknown;
    "sort-plain", "the plain sort of 32-bit keys on a device, 4 bits a pass; sizes in keys", Cuda,
        [sort_plain_block],
        One(|| each(&[64, 128, 256, 512])), [1 << 18, 1 << 22, 1 << 24], work::plain_sort,
        predict::device_plain_sort;

    "keys", "shared factors of n moduli of 2000 bits on a device", Cuda, [keys_device_pairwise],
        UpTo, [256, 1 << 12], factoring::shared_factors, predict::device_shared_factors;
    "keys-rows", "shared factors of n moduli of 2000 bits on a device, by rows", Cuda,
        [keys_row_limbs],
        One(|| each(&[512, 1024])), [1 << 11, 1 << 13], factoring::shared_factors_by_rows,
        predict::unknown;

    "factor", "factors of n numbers of 64 bits and, one in eight, 80 on a device", Cuda,
        [factor_block, factor_resident],
        One(|| vec![vec![128, 4], vec![128, 5], vec![128, 8], vec![256, 3], vec![64, 8]]),
        [1 << 15, 1 << 18], factoring::mixed, predict::unknown;
    "factor-chunk", "factors of n numbers of 64 bits on a device, numbers at a time", Cuda,
        [factor_chunk],
        One(|| each(&[1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21])), [1 << 20, 1 << 22],
        factoring::words, predict::unknown;
    "curves", "elliptic curves modulo n bits on a device", Cuda, [ecm_block],
        One(|| each(&[64, 128, 256])), [192, 512], factoring::curves, predict::unknown;
    "curves-inline", "elliptic curves modulo n bits on a device, in registers or by calls", Cuda,
        [ecm_inline_words],
        One(|| each(&[4, 6, 8, 10, 12])), [192, 256, 320, 384], factoring::curves, predict::unknown;
    "curves-window", "elliptic curves modulo n bits on a device, digits of their chains", Cuda,
        [ecm_window],
        One(|| each(&[5, 6, 7, 8])), [192, 512], factoring::curves, predict::unknown;
    "curves-threads",
        "elliptic curves modulo n bits on a device, as many at a time as in registers", Cuda,
        [ecm_threads],
        One(|| each(&[256, 384, 512, 768, 1024])), [192, 256], factoring::curves, predict::unknown;
    "curves-long-threads",
        "elliptic curves modulo n bits on a device, as many at a time as by calls", Cuda,
        [ecm_long_threads],
        One(|| each(&[128, 192, 256, 384, 512])), [384, 512], factoring::curves, predict::unknown;
    "batch", "products, powers and gcds of n rows of 512 bits on a device", Cuda, [batch_block],
        One(|| each(&[64, 128, 256])), [1 << 14, 1 << 17], work::rows, predict::unknown;

    "plain-division", "a plain division of 2n by n coefficients on a device", Cuda,
        [plain_division_steps],
        BySize(|_, _| each(&[1, 4, 16, 32, 64, 128, 256, 512, 1024])), LENGTHS, plain::division,
        plain::division_predicted;
    "plain-product", "a plain product of n by n coefficients on a device", Cuda,
        [plain_product_steps],
        BySize(|_, _| each(&[1, 2, 4, 8, 16, 32])), LENGTHS, plain::product,
        plain::product_predicted;
    "plain-gcd", "a plain gcd of n and n coefficients on a device", Cuda, [plain_gcd_steps],
        BySize(|_, _| each(&[1, 4, 16, 32, 64, 128, 256, 512, 1024])), LENGTHS, plain::gcd,
        plain::gcd_predicted;
    "plain-sort", "a plain sort of n numbers of 32 bits on a device", Cuda, [plain_sort_bits],
        BySize(|_, _| each(&[1, 2, 3, 4, 5, 6, 7, 8])), COUNTS, plain::sort, plain::sort_predicted;
}

/// Parameters that are not tuned: what small is, limits of transforms and of launches, and shapes
/// of polynomials and of rows that their own sweeps decided.
#[cfg(test)]
pub(super) const FIXED: &[&str] = &[
    "inline_limbs",
    "launch_limbs",
    "mul_limb_nanos",
    "wake_micros",
    "device_streams",
    // Fitted together to the measurements of `bench lists`.
    "rows_share_micros",
    "rows_byte_picos",
    "rows_few_percent",
    "rows_device_cores",
    "ntt_max_log",
    "rows_points",
    "series_rows_limbs",
    "ntt_five_prime_terms",
    "cpu_ntt_values",
    "poly_block",
    "poly_direct_len",
    "poly_short_len",
    "poly_many_len",
    "poly_horner_points",
    "poly_gcd_block_len",
    "poly_gcd_threads",
    "poly_gcd_many_threads",
    "poly_lead",
    "poly_lead_threads",
    "poly_device_half_len",
    "poly_newton_base",
    "poly_ntt_len",
    "poly_ntt_wide_len",
    "poly_newton_len",
    "poly_half_len",
    "poly_gcd_len",
    "poly_points",
    "gcd_lattice_limbs",
    "gcd_cofactor_limbs",
    "sort_launch_tiles",
    "batch_words",
    "batch_mul_words",
    "batch_gcd_limbs",
    "batch_resident",
    "batch_gcd_resident",
    "batch_window",
];
