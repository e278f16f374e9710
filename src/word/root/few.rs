//! Roots of one and two words, and which numbers are no squares by their residues.

/// ⌊x^(1/n)⌋ for n ≥ 3. For 2^n > x > 0 that is 1.
pub(crate) fn root_two_words(x: u128, n: u32) -> u64 {
    debug_assert!(n >= 3);
    // The root is below 2^43, and what comes out is near it: the root of the nearest double is off
    // by 2^-55 of it, and the exponent's rounding by 2^-53·ln x < 2^-46 of it.
    let mut root = (x as f64).powf(1.0 / f64::from(n)) as u64;
    let is_above = |root: u64| match u64::try_from(x) {
        Ok(x) => root.checked_pow(n).is_none_or(|power| power > x),
        Err(_) => u128::from(root)
            .checked_pow(n)
            .is_none_or(|power| power > x),
    };
    while is_above(root) {
        root -= 1;
    }
    while !is_above(root + 1) {
        root += 1;
    }
    root
}

/// Which residues modulo m ≤ 64·WORDS are squares, a bit each.
const fn squares<const WORDS: usize>(m: u64) -> [u64; WORDS] {
    let mut table = [0; WORDS];
    let mut i = 0;
    while i < m {
        let square = i * i % m;
        table[square as usize / 64] |= 1 << (square % 64);
        i += 1;
    }
    table
}

/// Whether r modulo m is a square in a table of [`squares`].
#[inline(always)]
fn is_in<const WORDS: usize>(table: &[u64; WORDS], r: u64) -> bool {
    table[r as usize / 64] >> (r % 64) & 1 == 1
}

/// False only for numbers that are no squares; true for 1 of 400 others.
#[inline]
pub(crate) fn may_be_square(a: &[u64]) -> bool {
    const MODULO_64: [u64; 1] = squares(64);
    const MODULO_63: [u64; 1] = squares(63);
    const MODULO_65: [u64; 2] = squares(65);
    const MODULO_17: [u64; 1] = squares(17);
    const MODULO_97: [u64; 2] = squares(97);
    const MODULO_241: [u64; 4] = squares(241);
    let Some(lowest) = a.first() else {
        return true;
    };
    if !is_in(&MODULO_64, lowest % 64) {
        return false;
    }
    // 2^48 − 1 is a multiple of all these moduli.
    let r = residue(a);
    is_in(&MODULO_63, r % 63)
        && is_in(&MODULO_65, r % 65)
        && is_in(&MODULO_17, r % 17)
        && is_in(&MODULO_97, r % 97)
        && is_in(&MODULO_241, r % 241)
}

/// A number below 2^49 that is a modulo 2^48 − 1.
fn residue(a: &[u64]) -> u64 {
    const MASK: u128 = (1 << 48) - 1;
    // 2^64, 2^128 and 2^192 are 2^16, 2^32 and 1. Sums of fewer than 2^32 limbs are below 2^96.
    let [mut low, mut middle, mut high] = [0u128; 3];
    let (threes, rest) = a.as_chunks::<3>();
    for [x, y, z] in threes {
        low += u128::from(*x);
        middle += u128::from(*y);
        high += u128::from(*z);
    }
    low += u128::from(rest.first().copied().unwrap_or(0));
    middle += u128::from(rest.get(1).copied().unwrap_or(0));
    let fold = |x: u128| (x & MASK) + (x >> 48);
    let [low, middle, high] = [low, middle, high].map(|sum| fold(fold(sum)));
    fold(fold(low + (middle << 16) + (high << 32))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::oracle::{SHAPES, generator, product, shaped};
    use rand_xoshiro::rand_core::Rng;

    #[test]
    fn roots_of_two_words() {
        let check = |x: u128, n: u32| {
            let root = u128::from(root_two_words(x, n));
            assert!(
                root.checked_pow(n).is_some_and(|power| power <= x),
                "{x} {n}"
            );
            assert!(
                (root + 1).checked_pow(n).is_none_or(|power| power > x),
                "{x} {n}"
            );
        };
        let mut random = generator(51);
        for n in 3..=130 {
            for bits in 1..=128u32 {
                let top = u128::MAX >> (128 - bits);
                let next = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
                for x in [top, top ^ top >> 1, top - 1, next & top | 1] {
                    check(x.max(1), n);
                }
            }
            // Powers and their neighbours.
            for _ in 0..200 {
                let root = u128::from(random.next_u64() >> (64 - 128 / n.min(64)));
                if let Some(power) = root.checked_pow(n).filter(|power| *power > 1) {
                    for x in [power - 1, power, power.saturating_add(1)] {
                        check(x, n);
                    }
                }
            }
        }
    }

    #[test]
    fn squares_are_kept() {
        let mut random = generator(52);
        for len in 0..=20 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, len);
                assert!(may_be_square(&product(&a, &a)), "{a:?}");
            }
        }
        for i in 0..70_000u64 {
            assert!(may_be_square(&[i * i]), "{i}");
        }
        let kept = (0..400_000).filter(|_| may_be_square(&[random.next_u64(), random.next_u64()]));
        assert!((500..2000).contains(&kept.count()));
    }

    #[test]
    fn residues_of_every_length() {
        let mut random = generator(53);
        for len in 0..=30 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, len);
                let modulus = (1u128 << 48) - 1;
                let step = |r: u128, limb: &u64| (r << 64 | u128::from(*limb)) % modulus;
                let expected = a.iter().rev().fold(0, step);
                assert_eq!(u128::from(residue(&a)) % modulus, expected, "{a:?}");
                assert!(residue(&a) < 1 << 49);
            }
        }
    }
}
