//! The accelerated GCD of Weber (1995) and Jebelean (1993), on the CPU: what the modular algorithm
//! is compared with (Weber–Trevisan–Martins, Fig. 6).
//!
//! With odd u ≥ v a step is one pass over both. Where their sizes are alike, the *k-ary* reduction
//! (Sorenson): c = u/v modulo m = 2^64 has n ≡ c·d with 0 < n, |d| ≤ 2^32, found by half of
//! Euclid's algorithm on (m, c), and u becomes |n·v − d·u|/m, about 32 bits shorter. Where u is
//! longer, *dmod* (digit modulus): with k bits more in u than in v, u becomes |u − (u/v mod
//! 2^k)·v|/2^k, no longer than v. Factors of two go too. dmod keeps the GCD; the k-ary reduction
//! may bring factors of d in, never lose one, so the end is a multiple of the GCD, and Euclid's
//! algorithm with the first two numbers makes it right: few steps, for those factors are small.

use crate::number::Integer;
use crate::number::Natural;

use super::competitors::Counted;
use super::{Algorithm, Stats};
use crate::error::Result;
use crate::limbs::Resident;
use crate::mul::host_only;
use crate::word::shift::shr_assign;
use crate::word::sum::negate;
use crate::word::{bit_length, inverse_word};

/// log2 of √m.
const HALF: u32 = 32;

/// dmod takes over where u has more bits than v by more than this. The papers do not say where.
const LONGER: u64 = HALF as u64;

/// gcd(a, b) for a, b > 0.
pub(crate) fn gcd(a: &Resident, b: &Resident) -> Result<(Resident, Stats)> {
    host_only("accelerated gcd")?;
    let counted = counted(a.host()?.magnitude(), b.host()?.magnitude(), LONGER);
    let mut stats = Stats::of(Algorithm::Accelerated);
    stats.iterations = Some(counted.iterations);
    Ok((Integer::from(counted.gcd).into(), stats))
}

/// gcd(a, b) for a, b > 0, with dmod where u is longer than v by more than so many bits; at most
/// 63.
pub(crate) fn counted(a: &Natural, b: &Natural, longer: u64) -> Counted {
    let twos = |x: &Natural| x.trailing_zeros().unwrap_or(0);
    let (even_a, even_b) = (twos(a), twos(b));
    let (odd_a, odd_b) = (a >> even_a, b >> even_b);
    let (multiple, iterations, work) = reduced(&odd_a, &odd_b, longer.min(63));
    let g = common(common(multiple, &odd_a), &odd_b);
    Counted {
        gcd: g << even_a.min(even_b),
        iterations,
        work,
    }
}

/// gcd(g, x) where that is g over something small.
pub(super) fn common(mut g: Natural, x: &Natural) -> Natural {
    let mut rest = x % &g;
    while rest != 0 {
        let next = &g % &rest;
        g = std::mem::replace(&mut rest, next);
    }
    g
}

/// A multiple of the GCD of two odd numbers, the steps it took, and the products of limbs.
fn reduced(a: &Natural, b: &Natural, most: u64) -> (Natural, u64, u64) {
    let (mut u, mut v) = (a.to_vec(), b.to_vec());
    let (mut steps, mut work) = (0, 0);
    loop {
        if less(&u, &v) {
            std::mem::swap(&mut u, &mut v);
        }
        if v.is_empty() {
            return (Natural::from_vec(u), steps, work);
        }
        let longer = bit_length(&u) - bit_length(&v);
        let c = u[0].wrapping_mul(inverse_word(v[0]));
        if longer > most {
            work += v.len() as u64;
            let k = (longer + 1).min(64) as u32;
            let digit = if k == 64 { c } else { c & ((1 << k) - 1) };
            combine(&mut u, &v, -1, i128::from(digit), k);
        } else {
            work += (u.len() + v.len()) as u64;
            let (n, d) = ratio(c);
            combine(&mut u, &v, -d, n, 64);
        }
        strip(&mut u);
        steps += 1;
    }
}

/// u becomes |x·u + y·v|/2^k, where that is an integer: k ≤ 64, |x| and |y| < 2^65 together with v
/// no longer than u.
fn combine(u: &mut Vec<u64>, v: &[u64], x: i128, y: i128, k: u32) {
    // Products are below 2^97 or, where x = −1, 2^128 in two halves: y is split so that nothing
    // overflows.
    let (low, high) = (y & 0xffff_ffff, y >> 32);
    let mut carry = 0i128;
    for (i, limb) in u.iter_mut().enumerate() {
        let other = i128::from(v.get(i).copied().unwrap_or(0));
        let upper = high * other;
        let sum = x * i128::from(*limb) + low * other + ((upper & 0xffff_ffff) << 32) + carry;
        *limb = sum as u64;
        carry = (sum >> 64) + (upper >> 32);
    }
    if carry != 0 {
        u.push(carry as u64);
    }
    if carry < 0 {
        negate(u);
    }
    shift_down(u, k);
}

/// u / 2^k, rounded down, without leading zeros; k ≤ 64.
fn shift_down(u: &mut Vec<u64>, k: u32) {
    if k == 64 {
        u.drain(..1.min(u.len()));
    } else if k > 0 {
        shr_assign(u, k);
    }
    while u.last() == Some(&0) {
        u.pop();
    }
}

/// Takes all factors of two away.
fn strip(u: &mut Vec<u64>) {
    let Some(zeros) = u.iter().position(|limb| *limb != 0) else {
        u.clear();
        return;
    };
    u.drain(..zeros);
    let rest = u[0].trailing_zeros();
    shift_down(u, rest);
}

/// (n, d) with n ≡ c·d modulo 2^64, 0 < n < 2^32, 0 < |d| ≤ 2^32; c is odd.
pub(super) fn ratio(c: u64) -> (i128, i128) {
    let (mut n1, mut d1) = (1i128 << 64, 0i128);
    let (mut n2, mut d2) = (i128::from(c), 1i128);
    while n2 >> HALF != 0 {
        let q = n1 / n2;
        (n1, n2) = (n2, n1 - q * n2);
        (d1, d2) = (d2, d1 - q * d2);
    }
    (n2, d2)
}

fn less(a: &[u64], b: &[u64]) -> bool {
    a.len() < b.len() || (a.len() == b.len() && a.iter().rev().lt(b.iter().rev()))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::tests::support::random_bits as random;

    fn check(a: &Natural, b: &Natural) -> u64 {
        let expected = a.gcd(b);
        for longer in [0, 1, 20, 63] {
            assert_eq!(counted(a, b, longer).gcd, expected, "{longer}: {a} {b}");
        }
        let done = counted(a, b, LONGER);
        assert_eq!(done.gcd, expected, "{a} {b}");
        done.iterations
    }

    #[test]
    fn ten_thousand_small_pairs() {
        for a in 1..=100u32 {
            for b in 1..=100u32 {
                check(&a.into(), &b.into());
            }
        }
    }

    #[test]
    fn pairs_of_all_kinds() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for bits in [1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 500, 2000, 9000] {
            for other in [1, bits / 2 + 1, bits, bits + 40] {
                let (a, b) = (random(bits, &mut rng), random(other, &mut rng));
                check(&a, &b);
                check(&a, &a);
                check(&a, &(&a * &b));
                let g = random(bits / 2 + 1, &mut rng);
                check(&(&a * &g), &(&b * &g));
                check(&(&a << 70u64), &(&b << 7u64));
                let ones = (Natural::from(1u32) << bits) - Natural::from(1u32);
                check(&ones, &a);
                check(&(Natural::from(1u32) << bits), &b);
            }
        }
        let (mut old, mut new) = (Natural::from(0u32), Natural::from(1u32));
        for _ in 0..3000 {
            (old, new) = (new.clone(), old + &new);
        }
        check(&new, &old);
        check(
            &(&new * Natural::from(77u32)),
            &(&old * Natural::from(77u32)),
        );
    }

    #[test]
    fn as_many_steps_as_in_the_paper() {
        // Weber–Trevisan–Martins, Fig. 6: 237.8 for 4096 bits. They do not say when dmod takes
        // over, which is worth two percent.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
        let steps: u64 = (0..10)
            .map(|_| check(&random(4096, &mut rng), &random(4096, &mut rng)))
            .sum();
        assert!((2300..=2410).contains(&steps), "{steps}");
    }

    #[test]
    fn parts() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(13);
        for _ in 0..1000 {
            let c = rng.random::<u64>() | 1;
            let (n, d) = ratio(c);
            assert!(n > 0 && n < 1 << 32 && d != 0 && d.abs() <= 1 << 32);
            assert_eq!(n as u64, c.wrapping_mul(d as u64));
            assert_eq!(inverse_word(c).wrapping_mul(c), 1);
        }
    }
}
