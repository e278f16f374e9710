//! Residues modulo a word: inverses, and residues with a sign. The residue of a slice of limbs is
//! [`rem_word`](super::div::rem_word).

/// 1/x modulo q, for x < q; none where x and q have a factor in common.
///
/// Cofactors of Euclid's algorithm alternate in sign and are at most q in magnitude, so that words
/// hold them for every q.
#[inline]
pub(crate) fn inverse(x: u64, q: u64) -> Option<u64> {
    debug_assert!(x < q);
    let (mut a, mut b) = (q, x);
    let (mut old, mut new) = (0u64, 1u64);
    let mut is_negative = false;
    while b > 1 {
        let quotient = a / b;
        (a, b) = (b, a - quotient * b);
        (old, new) = (new, old + quotient * new);
        is_negative = !is_negative;
    }
    match b {
        0 => None,
        _ if is_negative => Some(q - new),
        _ => Some(new),
    }
}

/// The number of least magnitude that is x modulo q, for x < q < 2^63; q/2 for x = q/2.
#[inline]
pub(crate) fn symmetric(x: u64, q: u64) -> i64 {
    debug_assert!(x < q && q >> 63 == 0);
    if x > q / 2 {
        x as i64 - q as i64
    } else {
        x as i64
    }
}

/// x modulo q in [0, q), for any x and 0 < q < 2^63.
#[inline]
pub(crate) fn residue(x: i64, q: u64) -> u64 {
    debug_assert!(q >> 63 == 0);
    x.rem_euclid(q as i64) as u64
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::Rng;

    use super::*;
    use crate::word::oracle::generator;

    fn is_coprime(a: u64, b: u64) -> bool {
        if b == 0 { a == 1 } else { is_coprime(b, a % b) }
    }

    /// Small moduli with all their residues, and others, up to the largest, with some.
    fn cases() -> Vec<(u64, u64)> {
        let mut cases: Vec<(u64, u64)> =
            (2..60).flat_map(|q| (0..q).map(move |x| (x, q))).collect();
        let mut random = generator(81);
        for bits in 6..=64 {
            let top = u64::MAX >> (64 - bits);
            for q in [
                top,
                top - 1,
                top / 2 + 1,
                top / 2 + 2,
                random.next_u64() & top | 32,
            ] {
                let some = [0, 1, 2, 3, q / 3, q / 2 - 1, q / 2, q / 2 + 1, q - 2, q - 1];
                cases.extend(some.map(|x| (x, q)));
                cases.extend((0..20).map(|_| (random.next_u64() % q, q)));
            }
        }
        cases
    }

    #[test]
    fn inverses_are_inverses() {
        for (x, q) in cases() {
            match inverse(x, q) {
                Some(y) => {
                    assert!(y < q, "{x} {q}");
                    let product = u128::from(x) * u128::from(y);
                    assert_eq!(product % u128::from(q), 1, "{x} {q}");
                }
                None => assert!(!is_coprime(q, x), "{x} {q}"),
            }
        }
    }

    #[test]
    fn signed_residues_are_those_of_wider_words() {
        for (x, q) in cases().into_iter().filter(|(_, q)| q >> 63 == 0) {
            let near = symmetric(x, q);
            assert!(near.unsigned_abs() * 2 <= q, "{x} {q}");
            assert_eq!(residue(near, q), x, "{x} {q}");
            for any in [
                x as i64,
                -(x as i64),
                i64::MIN + x as i64,
                i64::MAX - x as i64,
            ] {
                let expected = i128::from(any).rem_euclid(q.into());
                assert_eq!(i128::from(residue(any, q)), expected, "{any} {q}");
            }
        }
    }
}
