//! The parallel GCD algorithms with which Weber, Trevisan and Martins compare theirs. They run on
//! one thread of the CPU, and their steps are counted, not timed.
//!
//! Each step reads a few words of both numbers and makes about w bits of progress, so there are
//! O(n/w) steps. On a PRAM a step takes constant time. Here w is 32, as for the moduli of the
//! paper's experiments.
//!
//! - **Sorenson** (1994), the right-shift k-ary algorithm, k = 2^(2w): x·u + y·v ≡ 0 modulo k with
//!   |x| and |y| ≤ √k, and u becomes |x·u + y·v|/k. It may add factors of x, which are removed at
//!   the end.
//! - **Chor and Goldreich** (1990): Brent and Kung's plus-minus steps depend only on the low bits
//!   and on the difference of two lengths, which is stored beside the numbers. One matrix therefore
//!   makes w halvings at once.
//! - **Sedjelmaci** (2001), after Lehmer: Euclid's algorithm on the leading 2w bits, up to
//!   cofactors of w bits. The cofactors are a unimodular matrix, which is applied to the whole
//!   numbers.
//!
//! The *work* of a step is its products of a limb of 64 bits with a multiplier of at most 64.

use crate::number::{Integer, Natural};

use super::accelerated::{self, ratio};

/// Bits of a multiplier.
const W: u32 = 32;

/// A published algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Competitor {
    /// Sorenson's right-shift k-ary algorithm.
    Sorenson,
    /// Chor and Goldreich's, by plus-minus steps.
    ChorGoldreich,
    /// Sedjelmaci's, after Lehmer and Euclid.
    Sedjelmaci,
}

impl Competitor {
    /// Every one, in the order of their years of publication.
    pub const ALL: [Competitor; 3] = [
        Competitor::ChorGoldreich,
        Competitor::Sorenson,
        Competitor::Sedjelmaci,
    ];

    /// Its authors.
    pub fn name(self) -> &'static str {
        match self {
            Competitor::Sorenson => "Sorenson",
            Competitor::ChorGoldreich => "Chor–Goldreich",
            Competitor::Sedjelmaci => "Sedjelmaci",
        }
    }
}

/// A GCD, and the operations that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) gcd: Natural,
    /// Steps, each with a constant number of passes over the numbers.
    pub(crate) iterations: u64,
    /// Products of a limb with a multiplier.
    pub(crate) work: u64,
}

/// gcd(a, b) for a, b > 0.
pub(crate) fn gcd(a: &Natural, b: &Natural, which: Competitor) -> Counted {
    match which {
        Competitor::Sorenson => sorenson(a, b),
        Competitor::ChorGoldreich => chor_goldreich(a, b),
        Competitor::Sedjelmaci => sedjelmaci(a, b),
    }
}

fn twos(x: &Natural) -> u64 {
    x.trailing_zeros().unwrap_or(0)
}

fn limbs(x: &Natural) -> u64 {
    x.limb_count() as u64
}

/// |x·u + y·v| / 2^shift, where that is an integer, and its sign.
fn combined(u: &Integer, v: &Integer, [x, y]: [i128; 2], shift: u64) -> Integer {
    let sum = u * &Integer::from(x) + v * &Integer::from(y);
    sum >> shift
}

fn sorenson(a: &Natural, b: &Natural) -> Counted {
    let (even_a, even_b) = (twos(a), twos(b));
    let (odd_a, odd_b) = (a >> even_a, b >> even_b);
    let (mut u, mut v) = (odd_a.clone(), odd_b.clone());
    let (mut iterations, mut work) = (0, 0);
    while !v.is_zero() {
        if u < v {
            std::mem::swap(&mut u, &mut v);
        }
        let [low_u, low_v] = [&u, &v].map(|x| x.limbs()[0]);
        let (n, d) = ratio(low_u.wrapping_mul(crate::word::inverse_word(low_v)));
        work += limbs(&u) + limbs(&v);
        let [x, y] = [&u, &v].map(|x| Integer::from(x.clone()));
        u = combined(&x, &y, [-d, n], 2 * u64::from(W)).into_magnitude();
        u = &u >> twos(&u);
        std::mem::swap(&mut u, &mut v);
        iterations += 1;
    }
    let g = accelerated::common(accelerated::common(u, &odd_a), &odd_b);
    Counted {
        gcd: g << even_a.min(even_b),
        iterations,
        work,
    }
}

/// Plus-minus steps on the low words of u and v, u odd, until v was halved w times: the rows of a
/// matrix that gives the new pair times 2^w, and the new difference of the lengths' bounds.
fn plus_minus(low_u: u64, low_v: u64, mut delta: i64) -> ([[i128; 2]; 2], i64) {
    let (mut u, mut v) = (low_u, low_v);
    let mut rows: [[i128; 2]; 2] = [[1, 0], [0, 1]];
    // u and v are correct modulo 2^(64 − halvings), and w halvings are made.
    for _ in 0..W {
        if v & 1 == 1 {
            // Bounds: |u| < 2^α and |v| < 2^β with delta = α − β. The longer one is replaced.
            if delta < 0 {
                (u, v) = (v, u);
                rows.swap(0, 1);
                delta = -delta;
            }
            // u ± v is even; of the two the one that is 0 modulo 4 is taken.
            let plus = u.wrapping_add(v) & 3 == 0;
            let sign = if plus { 1 } else { -1 };
            (u, v) = (
                v,
                if plus {
                    u.wrapping_add(v)
                } else {
                    u.wrapping_sub(v)
                },
            );
            let [first, second] = rows;
            rows = [
                second,
                [first[0] + sign * second[0], first[1] + sign * second[1]],
            ];
            // The new v is below 2^(α + 1), and the new u below 2^β.
            delta = -delta - 1;
        }
        v >>= 1;
        delta += 1;
        rows[0] = rows[0].map(|x| 2 * x);
    }
    (rows, delta)
}

fn chor_goldreich(a: &Natural, b: &Natural) -> Counted {
    let (even_a, even_b) = (twos(a), twos(b));
    let [mut u, mut v] = [a >> even_a, b >> even_b].map(Integer::from);
    let mut delta = u.bit_length() as i64 - v.bit_length() as i64;
    let (mut iterations, mut work) = (0, 0);
    while !v.is_zero() {
        let low = |x: &Integer| x.to_twos_complement().first().copied().unwrap_or(0);
        let (rows, next) = plus_minus(low(&u), low(&v), delta);
        delta = next;
        work += 2 * (limbs(u.magnitude()) + limbs(v.magnitude()));
        (u, v) = (
            combined(&u, &v, rows[0], W.into()),
            combined(&u, &v, rows[1], W.into()),
        );
        iterations += 1;
    }
    Counted {
        gcd: u.into_magnitude() << even_a.min(even_b),
        iterations,
        work,
    }
}

/// Euclid's algorithm on two leading parts up to cofactors of w bits: the rows of a unimodular
/// matrix.
fn leading(mut x: u128, mut y: u128) -> [[i128; 2]; 2] {
    let mut rows: [[i128; 2]; 2] = [[1, 0], [0, 1]];
    while y > 0 {
        let quotient = x / y;
        let Ok(multiplier) = i128::try_from(quotient) else {
            break;
        };
        let [first, second] = rows;
        let next = [0, 1].map(|i| {
            let product = multiplier.checked_mul(second[i]);
            product.and_then(|product| first[i].checked_sub(product))
        });
        let [Some(s), Some(t)] = next else { break };
        if s.unsigned_abs().max(t.unsigned_abs()) >> W != 0 {
            break;
        }
        rows = [second, [s, t]];
        (x, y) = (y, x - quotient * y);
    }
    rows
}

fn sedjelmaci(a: &Natural, b: &Natural) -> Counted {
    let [mut u, mut v] = [a, b].map(|x| Integer::from(x.clone()));
    let (mut iterations, mut work) = (0, 0);
    while !v.is_zero() {
        if u.magnitude() < v.magnitude() {
            std::mem::swap(&mut u, &mut v);
        }
        let shift = u.bit_length().saturating_sub(2 * u64::from(W));
        let part = |x: &Integer| {
            let top = x.magnitude() >> shift;
            let limbs = top.limbs();
            limbs.first().map_or(0, |low| u128::from(*low))
        };
        let (x, y) = (part(&u), part(&v));
        let rows = leading(x, y);
        if rows[0] == [1, 0] {
            // The quotient has more bits than a multiplier: make a division, which counts as one
            // step for each w bits of its quotient.
            let quotient_bits = u.bit_length() - v.bit_length() + 1;
            let steps = quotient_bits.div_ceil(W.into());
            work += steps * limbs(v.magnitude());
            iterations += steps;
            let rest = u.magnitude() % v.magnitude();
            (u, v) = (v, rest.into());
            continue;
        }
        work += 2 * (limbs(u.magnitude()) + limbs(v.magnitude()));
        (u, v) = (
            combined(&u, &v, rows[0], 0).abs(),
            combined(&u, &v, rows[1], 0).abs(),
        );
        iterations += 1;
    }
    Counted {
        gcd: u.into_magnitude(),
        iterations,
        work,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::tests::support::random_bits as random;

    fn check(a: &Natural, b: &Natural) -> [Counted; 3] {
        Competitor::ALL.map(|which| {
            let counted = gcd(a, b, which);
            assert_eq!(counted.gcd, a.gcd(b), "{} {a} {b}", which.name());
            counted
        })
    }

    #[test]
    fn small_pairs() {
        for a in 1..=60u32 {
            for b in 1..=60u32 {
                check(&a.into(), &b.into());
            }
        }
    }

    #[test]
    fn pairs_of_all_kinds() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(41);
        for bits in [1, 31, 32, 33, 63, 64, 65, 128, 129, 700, 3000] {
            for other in [1, bits / 2 + 1, bits, bits + 40] {
                let (a, b) = (random(bits, &mut rng), random(other, &mut rng));
                check(&a, &b);
                check(&a, &a);
                check(&a, &(&a * &b));
                let g = random(bits / 2 + 1, &mut rng);
                check(&(&a * &g), &(&b * &g));
                check(&(&a << 70u64), &(&b << 7u64));
                check(&Natural::power_of_2(bits), &b);
            }
        }
        let (mut old, mut new) = (Natural::from(0u32), Natural::from(1u32));
        for _ in 0..2000 {
            (old, new) = (new.clone(), old + &new);
        }
        check(&new, &old);
    }

    /// All take O(n/w) steps: numbers of twice the length take twice as many steps, and none takes
    /// more than 4n/w.
    #[test]
    fn steps_grow_with_the_length() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(42);
        let mean = |bits: u64, rng: &mut Xoshiro256PlusPlus| {
            let mut sums = [0.0; 3];
            for _ in 0..4 {
                let counted = check(&random(bits, rng), &random(bits, rng));
                for (sum, one) in sums.iter_mut().zip(counted) {
                    assert!(one.work >= one.iterations);
                    *sum += one.iterations as f64 / 4.0;
                }
            }
            sums
        };
        let (short, long) = (mean(2048, &mut rng), mean(4096, &mut rng));
        for (short, long) in short.into_iter().zip(long) {
            assert!((long / short - 2.0).abs() < 0.1, "{short} {long}");
            assert!(long < 4.0 * 4096.0 / 32.0, "{long}");
        }
    }
}
