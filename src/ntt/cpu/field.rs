//! The primes of the CPU's transforms, and arithmetic modulo them where speed does not count.
//!
//! All six are p = 2^49 − c·2^32 + 1 with c < 2^7, so that
//! - 8p < 2^52: a vector lane of 52 bits holds eight times a residue;
//! - p > 2^49 − 2^39: the top bits of a lane are its quotient by p but for 7·2^39;
//! - there are roots of unity of order 2^32, which bounds the length of a transform.

/// Two to this power divides p − 1 for every prime.
pub(super) const ORDER_LOG: u32 = 32;

/// The primes, the largest first.
pub(super) const PRIMES: [u64; 6] = [
    (1 << 49) - (2 << 32) + 1,
    (1 << 49) - (4 << 32) + 1,
    (1 << 49) - (25 << 32) + 1,
    (1 << 49) - (31 << 32) + 1,
    (1 << 49) - (49 << 32) + 1,
    (1 << 49) - (67 << 32) + 1,
];

pub(super) const fn mul(a: u64, b: u64, p: u64) -> u64 {
    (a as u128 * b as u128 % p as u128) as u64
}

pub(super) const fn pow(mut a: u64, mut e: u64, p: u64) -> u64 {
    let mut r: u64 = 1;
    while e > 0 {
        if e & 1 == 1 {
            r = mul(r, a, p);
        }
        a = mul(a, a, p);
        e >>= 1;
    }
    r
}

pub(super) fn inverse(a: u64, p: u64) -> u64 {
    pow(a, p - 2, p)
}

/// A root of unity of order 2^log, the square of the one of order 2^(log + 1).
pub(super) fn root(log: u32, prime: usize) -> u64 {
    assert!(log <= ORDER_LOG);
    pow(ROOTS[prime], 1 << (ORDER_LOG - log), PRIMES[prime])
}

/// A root of unity of order 2^32 for each prime.
const ROOTS: [u64; 6] = {
    let mut roots = [0; 6];
    let mut i = 0;
    while i < 6 {
        let p = PRIMES[i];
        let mut g = 2;
        while pow(g, (p - 1) / 2, p) == 1 {
            g += 1;
        }
        roots[i] = pow(g, (p - 1) >> ORDER_LOG, p);
        i += 1;
    }
    roots
};
