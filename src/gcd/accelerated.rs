//! The accelerated GCD of Weber (1995) and Jebelean (1993), on the CPU. Weber, Trevisan and Martins
//! compare the modular algorithm with it (Fig. 6).
//!
//! With odd u ≥ v a step is one pass over both numbers. If their sizes are similar, the step is the
//! *k-ary* reduction (Sorenson): half of Euclid's algorithm on (m, c), with m = 2^64 and c = u/v
//! modulo m, finds n ≡ c·d with 0 < n, |d| ≤ 2^32, and u becomes |n·v − d·u|/m, about 32 bits
//! shorter. If u is longer than v by k bits, the step is *dmod* (digit modulus): u becomes |u −
//! (u/v mod 2^k)·v|/2^k, which is no longer than v. Factors of two are removed after each step.
//! dmod preserves the GCD. The k-ary reduction never loses a factor but may add factors of d, so
//! the final number is a multiple of the GCD. Euclid's algorithm with both operands then gives the
//! GCD, in few steps because those factors are small.

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

/// dmod is used if u has more bits than v by more than this. The papers do not state this
/// threshold.
const LONGER: u64 = HALF as u64;

/// gcd(a, b) for a, b > 0.
pub(crate) fn gcd(a: &Resident, b: &Resident) -> Result<(Resident, Stats)> {
    host_only("accelerated gcd")?;
    let counted = counted(a.host()?.magnitude(), b.host()?.magnitude(), LONGER);
    let mut stats = Stats::of(Algorithm::Accelerated);
    stats.iterations = Some(counted.iterations);
    Ok((Integer::from(counted.gcd).into(), stats))
}

/// gcd(a, b) for a, b > 0, with dmod if u is longer than v by more than `longer` bits, which is at
/// most 63.
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

/// gcd(g, x), fast if g divided by the result is small.
pub(super) fn common(mut g: Natural, x: &Natural) -> Natural {
    let mut rest = x % &g;
    while rest != 0 {
        let next = &g % &rest;
        g = std::mem::replace(&mut rest, next);
    }
    g
}

/// Returns a multiple of the GCD of two odd numbers, the number of steps, and the number of
/// products of limbs.
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

/// Sets u to |x·u + y·v|/2^k, which must be an integer. k ≤ 64, |x| and |y| are together below
/// 2^65, and v is no longer than u.
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

/// Removes all factors of two.
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
        // Weber–Trevisan–Martins, Fig. 6: 237.8 for 4096 bits. They do not state the threshold of
        // dmod, which makes a difference of two percent.
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
