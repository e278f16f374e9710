//! The kernels of this folder, and the `-D` values that they are compiled with.

#![allow(unsafe_code)]

use crate::batch::arith::plan::{MOST_LIMBS, Share};
use crate::cuda::{Handle, Read, Unit, Update, Write, kernels};
use crate::tuning::Tuning;

kernels! {
    pub(crate) static MUL = "batch_mul", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("../../../modular/number.cuh"),
        include_str!("../group.cuh"),
        include_str!("../mul.cu")
    );

    fn batch_mul(
        out: Write<u32>[(count * words) << whole], a: Read<u32>[count * words],
        b: Read<u32>[count * words], count: u64, words: u32, whole: u32,
    );
    fn batch_mul_again(
        out: Write<u32>[count * words], a: Read<u32>[count * words], b: Read<u32>[count * words],
        count: u64, words: u32, times: u32,
    );
}

kernels! {
    pub(crate) static POWER = "batch_power", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("../../../modular/number.cuh"),
        include_str!("../group.cuh"),
        include_str!("../power.cu")
    );

    fn batch_prepare(
        ones: Write<u32>[count * words], squares: Write<u32>[count * words],
        moduli: Read<u32>[count * words], count: u64, words: u32,
    );
    fn batch_product_mod(
        out: Write<u32>[count * words], a: Read<u32>[count * words],
        b: Option<Read<u32>>[count * words], moduli: Read<u32>[count * words], count: u64,
        words: u32,
    );
    fn batch_sum_mod(
        out: Write<u32>[count * words], a: Read<u32>[count * words], b: Read<u32>[count * words],
        moduli: Read<u32>[count * words], count: u64, words: u32, minus: u32,
    );
    fn batch_power(
        out: Write<u32>[count * words], base: Read<u32>[count * words],
        exponents: Read<u32>[count * words], moduli: Read<u32>[count * words], count: u64,
        words: u32, tables: Write<u32>,
    );
}

kernels! {
    pub(crate) static PRIME = "batch_prime", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("../../../modular/number.cuh"),
        include_str!("../group.cuh"),
        include_str!("../prime.cu")
    );
    const {
        /// Verdicts besides 0, composite.
        PRIME_PASSES: u64 = 1;
        PRIME_UNDECIDED: u64 = 2;
    }

    fn batch_prime(out: Write<u64>[count], a: Read<u32>[count * words], count: u64, words: u32);
}

kernels! {
    pub(crate) static DIVIDE = "batch_divide", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("../../../modular/number.cuh"),
        include_str!("../group.cuh"),
        include_str!("../divide.cu")
    );

    fn batch_divide(
        quotients: Option<Write<u32>>[count * words], remainders: Option<Write<u32>>[count * words],
        a: Read<u32>[count * words], b: Read<u32>[count * words], count: u64, words: u32,
    );
    fn batch_root(
        out: Write<u32>[count * words], a: Read<u32>[count * words], count: u64, words: u32,
    );
}

kernels! {
    pub(crate) static GCD = "batch_gcd", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("../../../modular/number.cuh"),
        include_str!("../group.cuh"),
        include_str!("../gcd.cu")
    );

    fn batch_gcd(
        out: Write<u32>[count * words], a: Read<u32>[count * words], b: Read<u32>[count * words],
        count: u64, words: u32,
    );
    fn batch_gcd_pairs(
        found: Update<u64>[1 + most], most: u64, all: Read<u32>[rows * words], rows: u64,
        words: u32,
    );
    fn batch_inverse(
        out: Write<u32>[count * words], found: Write<u64>[count], a: Read<u32>[count * words],
        moduli: Read<u32>[count * words], count: u64, words: u32,
    );
}

kernels! {
    pub(crate) static SCAN = "batch_scan", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("../scan.cu")
    );
    const {
        /// Kinds of rows: zero, and even but not zero.
        SCAN_ZERO: u32 = 1;
        SCAN_EVEN: u32 = 2;
    }

    fn batch_kinds(kinds: Update<u32>[1], a: Read<u32>[count * words], count: u64, words: u32);
    fn batch_trial(
        out: Write<u64>[count], a: Read<u32>[count * words], count: u64, words: u32,
        primes: Read<u32>[primes_count], primes_count: u32,
    );
}

/// The `-D` values for rows of `width` limbs as factors of products.
pub(super) fn mul_defines(tuning: &Tuning, width: usize) -> Vec<(&'static str, i64)> {
    let share = Share::factors(tuning, width);
    vec![("LANES", share.lanes as i64), ("WORDS", share.part as i64)]
}

/// The `-D` values for rows of `width` limbs as words.
pub(super) fn defines(tuning: &Tuning, width: usize) -> Vec<(&'static str, i64)> {
    let share = Share::words(tuning, width);
    vec![
        ("LANES", share.lanes as i64),
        ("WORDS", share.part as i64),
        ("BLOCK", tuning.batch_block.into()),
        ("RESIDENT", tuning.batch_resident.into()),
        ("WINDOW", tuning.batch_window.into()),
        // Powers of one thread are all products: none of their instructions is a loop's.
        ("NUMBER_UNROLL", 2),
    ]
}

/// The `-D` values for rows of `width` limbs as numbers of division steps.
pub(super) fn gcd_defines(tuning: &Tuning, width: usize) -> Vec<(&'static str, i64)> {
    let share = Share::steps(tuning, width);
    vec![
        ("LANES", share.lanes as i64),
        ("LIMBS", share.part as i64),
        ("WORDS", 2),
        ("BLOCK", tuning.batch_block.into()),
        ("RESIDENT", tuning.batch_gcd_resident.into()),
    ]
}

/// The kernels of products of rows of `width` limbs, as `engine::KernelList` has it.
pub(crate) fn of_products((width, _): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    let defines = mul_defines(tuning, width as usize);
    vec![Unit::new(&MUL, &defines).only(&[batch_mul.declaration()])]
}

/// Those of quotients, remainders and square roots.
pub(crate) fn of_quotients((width, _): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    vec![
        kinds(),
        Unit::new(&DIVIDE, &defines(tuning, width as usize)),
    ]
}

/// Those of greatest common divisors and inverses.
pub(crate) fn of_gcds((width, _): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    let kernels = [batch_gcd.declaration(), batch_inverse.declaration()];
    let defines = gcd_defines(tuning, width as usize);
    vec![kinds(), Unit::new(&GCD, &defines).only(&kernels)]
}

/// Those of powers modulo other rows.
pub(crate) fn of_powers((width, _): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    let power = Unit::new(&POWER, &defines(tuning, width as usize));
    vec![kinds(), power.only(&[batch_power.declaration()])]
}

/// Those of tests for primality.
pub(crate) fn of_primality((width, _): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    vec![Unit::new(&PRIME, &defines(tuning, width as usize))]
}

/// Those of trial division.
pub(crate) fn of_trials(_: (u64, u64), _: &Tuning) -> Vec<Unit> {
    vec![Unit::new(&SCAN, &[]).only(&[batch_trial.declaration()])]
}

fn kinds() -> Unit {
    Unit::new(&SCAN, &[]).only(&[batch_kinds.declaration()])
}

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let mut all = vec![Unit::new(&SCAN, &[])];
    for width in 1..=MOST_LIMBS {
        let plain = defines(tuning, width);
        for unit in [
            Unit::new(&MUL, &mul_defines(tuning, width)),
            Unit::new(&POWER, &plain),
            Unit::new(&PRIME, &plain),
            Unit::new(&DIVIDE, &plain),
            Unit::new(&GCD, &gcd_defines(tuning, width)),
        ] {
            if !all.contains(&unit) {
                all.push(unit);
            }
        }
    }
    all
}
