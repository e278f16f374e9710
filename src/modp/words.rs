//! Primes that fit a word: which numbers are prime, and all primes up to a bound.

use crate::word::montgomery::Word64;

/// Whether n is prime.
pub(crate) fn is_prime(n: u64) -> bool {
    const SMALL: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if let Some(p) = SMALL.into_iter().find(|p| n.is_multiple_of(*p)) {
        return n == p;
    }
    if n < 41 * 41 {
        return n > 1;
    }
    is_odd_prime(n)
}

/// Whether an odd n > 1 is prime, without trial division: Miller and Rabin's test to bases that no
/// composite number below 2^32 (Jaeschke, Math. Comp. 61 (1993)) or 2^64 (Sinclair, 2011) passes.
pub(crate) fn is_odd_prime(n: u64) -> bool {
    let bases: &[u64] = match n >> 32 {
        0 => &[2, 7, 61],
        _ => &[2, 325, 9375, 28178, 450_775, 9_780_504, 1_795_265_022],
    };
    let ring = Word64::new(n);
    bases
        .iter()
        .all(|base| ring.is_strong_probable_prime(*base))
}

/// base^exponent modulo an odd m.
pub(crate) fn pow_mod(base: u64, exponent: u64, m: u64) -> u64 {
    if m == 1 {
        return 0;
    }
    let ring = Word64::new(m);
    ring.leave(ring.power(ring.enter(base), exponent))
}

/// Jacobi's symbol (a/n) of odd n, by reciprocity. A factor base asks for one symbol per prime, and
/// remainders of 32 bits are several times faster than those of a word.
pub(crate) fn jacobi_32(a: u32, n: u32) -> i32 {
    let (mut a, mut n, mut sign) = (a % n, n, 1);
    while a != 0 {
        let twos = a.trailing_zeros();
        a >>= twos;
        if twos % 2 == 1 && matches!(n % 8, 3 | 5) {
            sign = -sign;
        }
        if a % 4 == 3 && n % 4 == 3 {
            sign = -sign;
        }
        (a, n) = (n % a, a);
    }
    if n == 1 { sign } else { 0 }
}

/// Odd numbers of a segment of the sieve, one byte each, so that a segment fits in a core's
/// first-level cache.
const SEGMENT: usize = 1 << 15;

/// All primes up to `most`, ascending.
pub(crate) fn up_to(most: u64) -> Vec<u64> {
    up_to_while(most, &mut || true).unwrap_or_default()
}

/// The primes up to and including `most`. None if `go_on`, which is called from time to time,
/// returns false.
pub(crate) fn up_to_while(most: u64, go_on: &mut dyn FnMut() -> bool) -> Option<Vec<u64>> {
    if most < 2 {
        return Some(Vec::new());
    }
    // Dusart (2010): there are at most 1.26·x/ln x primes up to x.
    let x = most.max(17) as f64;
    let mut primes = Vec::with_capacity((1.26 * x / x.ln()) as usize + 1);
    primes.push(2);
    // Each odd prime up to the root of `most`, and the index of its next multiple in the current
    // segment.
    let mut sieving: Vec<(usize, usize)> = Vec::new();
    let mut composite = vec![false; SEGMENT];
    let root = most.isqrt();
    for p in if root >= 3 { up_to(root) } else { Vec::new() }
        .into_iter()
        .skip(1)
    {
        // Index i represents 2i + 1, so p² has index (p² − 1)/2 and multiples are p apart.
        sieving.push((p as usize, ((p * p - 1) / 2) as usize));
    }
    // Odd numbers up to `most`, including 1.
    let count = most.div_ceil(2) as usize;
    for start in (0..count).step_by(SEGMENT) {
        if !go_on() {
            return None;
        }
        let len = SEGMENT.min(count - start);
        composite[..len].fill(false);
        for (p, next) in &mut sieving {
            while *next < start + len {
                composite[*next - start] = true;
                *next += *p;
            }
        }
        if start == 0 {
            composite[0] = true;
        }
        let found = composite[..len].iter().enumerate().filter(|(_, c)| !**c);
        primes.extend(found.map(|(i, _)| 2 * (start + i) as u64 + 1));
    }
    Some(primes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_division(n: u64) -> bool {
        n > 1
            && (2..)
                .take_while(|d| d * d <= n)
                .all(|d| !n.is_multiple_of(d))
    }

    #[test]
    fn primes_are_those_that_nothing_divides() {
        let list: Vec<u64> = (0..=5000).filter(|n| by_division(*n)).collect();
        for most in 0..=5000 {
            let end = list.partition_point(|p| *p <= most);
            assert_eq!(up_to(most), list[..end], "{most}");
        }
        assert!((0..=5000).all(|n| is_prime(n) == list.binary_search(&n).is_ok()));
        assert_eq!(up_to(10_000_000).len(), 664_579);
        assert!(up_to(1 << 20).iter().all(|p| is_prime(*p)));
    }

    #[test]
    fn words_at_the_end_of_the_range() {
        let known = [u64::MAX - 58, (1 << 61) - 1, (1 << 32) + 15, (1 << 32) - 5];
        assert!(known.into_iter().all(is_prime));
        // Squares of primes, Carmichael numbers, strong pseudoprimes to many bases.
        let composite = [
            u64::MAX,
            4_294_967_291 * 4_294_967_291,
            561,
            3_215_031_751,
            3_825_123_056_546_413_051,
            341_550_071_728_321,
        ];
        assert!(!composite.into_iter().any(is_prime));
    }

    #[test]
    fn symbols() {
        for p in up_to(200).into_iter().skip(1) {
            for a in 0..2 * p {
                let euler = match pow_mod(a, (p - 1) / 2, p) {
                    0 => 0,
                    1 => 1,
                    _ => -1,
                };
                assert_eq!(jacobi_32(a as u32, p as u32), euler, "{a} {p}");
                // Symbols are products over the factors of n.
                let other = jacobi_32(a as u32, 15);
                assert_eq!(jacobi_32(a as u32, 15 * p as u32), euler * other);
            }
        }
    }

    #[test]
    fn powers() {
        for m in [1, 3, 9, 101, u64::MAX] {
            for base in [0, 1, 2, 100, u64::MAX - 1] {
                let mut power = 1 % u128::from(m);
                for exponent in 0..70 {
                    assert_eq!(u128::from(pow_mod(base, exponent, m)), power);
                    power = power * u128::from(base % m) % u128::from(m);
                }
            }
        }
    }
}
