//! The primes of the CPU's transforms, and arithmetic modulo them for code that is not critical for
//! speed.
//!
//! All six are p = 2^49 − c·2^32 + 1 with c < 2^7, so that
//! - 8p < 2^52: a vector lane of 52 bits holds eight times a residue;
//! - p > 2^49 − 2^39: the top bits of a lane are its quotient by p but for 7·2^39;
//! - there are roots of unity of order 2^32, which bounds the length of a transform.

//!
//! A polynomial over Z_p whose own p < 2^38 has roots of unity of a high enough order is
//! transformed modulo p itself: lanes then compute modulo the largest odd multiple of p below 2^49,
//! which is above 2^49 − 2^39 and leaves residues of p as they are.

use std::sync::{Mutex, PoisonError};

use crate::fork::PerProcess;

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

/// A prime with roots of unity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prime {
    /// The prime modulo which roots and their inverses are residues.
    pub(super) p: u64,
    /// The modulus of the lanes: p or an odd multiple of it.
    pub(super) modulus: u64,
    /// A root of unity of order 2^log.
    root: u64,
    log: u32,
}

/// The primes, with a root of order 2^32 each.
pub(super) const FIXED: [Prime; 6] = {
    let mut all = [Prime::new(PRIMES[0], PRIMES[0], ORDER_LOG); 6];
    let mut i = 1;
    while i < 6 {
        all[i] = Prime::new(PRIMES[i], PRIMES[i], ORDER_LOG);
        i += 1;
    }
    all
};

impl Prime {
    const fn new(p: u64, modulus: u64, log: u32) -> Prime {
        let mut g = 2;
        while pow(g, (p - 1) / 2, p) == 1 {
            g += 1;
        }
        Prime {
            p,
            modulus,
            root: pow(g, (p - 1) >> log, p),
            log,
        }
    }

    /// The odd prime p by itself, where it is below 2^38 and has roots of this order.
    pub(super) fn own(p: u64, order: u64) -> Option<Prime> {
        static FOUND: PerProcess<Mutex<Vec<Prime>>> = PerProcess::new(Mutex::new(Vec::new()));
        let log = (p - 1).trailing_zeros();
        if !(3..1 << 38).contains(&p) || order > 1 << log {
            return None;
        }
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prime) = found.iter().find(|prime| prime.p == p) {
            return Some(*prime);
        }
        let multiple = (((1 << 49) / p - 1) | 1) * p;
        let prime = Prime::new(p, multiple, log);
        found.push(prime);
        Some(prime)
    }

    /// A root of unity of order 2^log, the square of the one of order 2^(log + 1).
    pub(super) fn root(&self, log: u32) -> u64 {
        assert!(log <= self.log);
        pow(self.root, 1 << (self.log - log), self.p)
    }
}

/// a·b mod p.
pub(super) const fn mul(a: u64, b: u64, p: u64) -> u64 {
    (a as u128 * b as u128 % p as u128) as u64
}

/// a^e mod p.
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

/// 1/a mod p, for a prime p that does not divide a.
pub(super) fn inverse(a: u64, p: u64) -> u64 {
    pow(a, p - 2, p)
}
