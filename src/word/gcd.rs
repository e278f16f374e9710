//! Greatest common divisors of words and of pairs of words.

/// gcd(a, b); gcd(0, b) = b.
pub(crate) fn gcd_words(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    let (mut a, mut b) = (a >> a.trailing_zeros(), b >> b.trailing_zeros());
    // Both are odd, so the difference is even: Stein's algorithm without a branch in it.
    while a != b {
        let difference = a.wrapping_sub(b);
        let swap = a < b;
        b = if swap { a } else { b };
        let difference = if swap {
            difference.wrapping_neg()
        } else {
            difference
        };
        a = difference >> difference.trailing_zeros();
    }
    a << twos
}

/// gcd(a, b) of numbers of two words; gcd(0, b) = b.
pub(crate) fn gcd_two_words(a: u128, b: u128) -> u128 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    let (mut a, mut b) = (a >> a.trailing_zeros(), b >> b.trailing_zeros());
    while a != b {
        if (a | b) >> 64 == 0 {
            return u128::from(gcd_words(a as u64, b as u64)) << twos;
        }
        if a < b {
            (a, b) = (b, a);
        }
        a -= b;
        a >>= a.trailing_zeros();
    }
    a << twos
}
