//! Moduli that are weak by themselves.

use std::ops::ControlFlow;

use crate::error::{Error, Result};
use crate::factoring::fermat;
use crate::int::Int;
use crate::progress;

/// Returns the two factors of an odd n > 1, the smaller one first, if they are so close to each
/// other that Fermat's method finds them in a few thousand steps, else `None`. A product of two
/// consecutive primes is always split, for any length.
///
/// ```
/// use bezout::{Int, keys};
///
/// let p = Int::ONE << 1024;
/// let (p, q) = (p.next_prime(), (&p + (Int::ONE << 500)).next_prime());
/// assert_eq!(keys::close_primes(&(&p * &q))?, Some((p, q)));
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn close_primes(n: &Int) -> Result<Option<(Int, Int)>> {
    let host = n.try_host()?;
    if *n <= 1 || !n.try_is_odd()? {
        return Err(Error::Domain(
            "Fermat's method needs an odd number above 1".into(),
        ));
    }
    let keep_going = || progress::check().is_ok();
    let steps = fermat::steps(n.bit_length());
    let found = fermat::run(host.magnitude(), steps, &keep_going);
    progress::check()?;
    Ok(found.map(|divisor| {
        let (a, b) = (Int::from(divisor.clone()), n / Int::from(divisor));
        if a <= b { (a, b) } else { (b, a) }
    }))
}

/// The primes whose residues identify the keys of [`has_roca_fingerprint`].
const ROCA_PRIMES: [u64; 38] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];

/// Whether a modulus has the fingerprint of keys that a library of Infineon generated until 2017
/// (ROCA).
///
/// Its primes are k·M + (65537^a mod M) with M the product of small primes, so that the modulus is
/// a power of 65537 modulo each of them (Nemec, Sys, Svenda, Klinec and Matyas, *The Return of
/// Coppersmith's Attack*, 2017). About one of 2^28 other moduli looks alike. Such keys of 512 to
/// 2048 bits have been factored.
pub fn has_roca_fingerprint(n: &Int) -> Result<bool> {
    let host = n.try_host()?;
    let is_power = |p: &u64| {
        let (rest, base) = (host.magnitude().rem_word(*p), 65537 % p);
        let mut power = 1;
        let found = (0..*p).try_for_each(|_| {
            if power == rest {
                return ControlFlow::Break(());
            }
            power = power * base % p;
            ControlFlow::Continue(())
        });
        found.is_break()
    };
    Ok(!n.is_negative() && ROCA_PRIMES.iter().all(is_power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_near_each_other() {
        for bits in [20, 64, 100, 512, 1024] {
            let p = (Int::ONE << bits).next_prime();
            for distance in [2, 1 << 10] {
                let q = (&p + distance).next_prime();
                let found = close_primes(&(&p * &q)).unwrap();
                assert_eq!(found, Some((p.clone(), q)), "{bits} {distance}");
            }
            // A square.
            assert_eq!(close_primes(&(&p * &p)), Ok(Some((p.clone(), p.clone()))));
        }
        let far = ((Int::ONE << 512) * 5).next_prime();
        assert_eq!(
            close_primes(&(far * (Int::ONE << 513).next_prime())),
            Ok(None)
        );
        for bad in [-15, 0, 1, 16] {
            assert!(close_primes(&Int::from(bad)).is_err());
        }
    }

    /// Primes made as that library did, and others.
    #[test]
    fn fingerprints() {
        let product = ROCA_PRIMES.iter().map(|p| Int::from(*p)).product::<Int>() * 2;
        let prime = |a: u64, k: u64| {
            let residue = Int::from(65537).pow_mod(&Int::from(a), &product);
            (k..)
                .map(|k| &product * k + &residue)
                .find(Int::is_probable_prime)
                .unwrap()
        };
        for a in [3, 1000, 77_777] {
            let n = prime(a, 1 << 35) * prime(a + 5, 1 << 36);
            assert_eq!(has_roca_fingerprint(&n), Ok(true));
            assert_eq!(has_roca_fingerprint(&(n + 2)), Ok(false));
        }
        let n = (Int::ONE << 300).next_prime() * (Int::ONE << 301).next_prime();
        assert_eq!(has_roca_fingerprint(&n), Ok(false));
        assert_eq!(has_roca_fingerprint(&Int::from(-1)), Ok(false));
    }
}
