//! Operators on numbers of every length from 0 to 40 limbs, under the shipped tuning, beside
//! malachite.
//!
//! The crate's own tests put the `minimal` tuning in force, under which no number is short. This
//! program is a process of its own, as a user's is, and takes the fast path.

use bezout::Int;
use malachite_base::num::arithmetic::traits::{DivRem, Gcd, Pow};
use malachite_base::num::logic::traits::SignificantBits;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Shapes of numbers that carries and borrows run through.
const SHAPES: u32 = 5;

fn number(limbs: usize, shape: u32, negative: bool, rng: &mut impl Rng) -> (Int, Integer) {
    let mut words: Vec<u64> = (0..limbs)
        .map(|i| match shape {
            0 => rng.next_u64(),
            1 => u64::MAX,
            2 => u64::from(i == 0),
            3 => [0, u64::MAX][rng.random_range(0..2usize)],
            _ => rng.next_u64() >> rng.random_range(0..64u32),
        })
        .collect();
    if let Some(top) = words.last_mut() {
        *top = (*top).max(1);
    }
    let size = Natural::from_limbs_asc(&words);
    let oracle = Integer::from_sign_and_abs(!negative, size);
    (Int::from_sign_limbs(negative, words), oracle)
}

fn same(what: &str, found: &Int, wanted: &Integer) {
    let limbs = wanted.unsigned_abs_ref().to_limbs_asc();
    assert_eq!(found.limbs(), limbs, "{what}");
    assert_eq!(found.is_negative(), *wanted < 0, "{what}");
}

fn pair(a: &(Int, Integer), b: &(Int, Integer)) {
    let ((x, u), (y, v)) = (a, b);
    let what = |op: &str| format!("{u:#x} {op} {v:#x}");
    same(&what("+"), &(x + y), &(u + v));
    same(&what("-"), &(x - y), &(u - v));
    same(&what("*"), &(x * y), &(u * v));
    same(&what("&"), &(x & y), &(u & v));
    same(&what("|"), &(x | y), &(u | v));
    same(&what("^"), &(x ^ y), &(u ^ v));
    assert_eq!(x.cmp(y), u.cmp(v), "{}", what("<=>"));
    assert_eq!(x == y, u == v, "{}", what("=="));
    let mut z = x.clone();
    z += y;
    same(&what("+="), &z, &(u + v));
    z -= y;
    same(&what("-="), &z, u);
    z -= y;
    same(&what("-= again"), &z, &(u - v));
    z *= y;
    same(&what("*="), &z, &((u - v) * v));
    let g = u.unsigned_abs_ref().gcd(v.unsigned_abs_ref());
    same(&what("gcd"), &x.gcd(y), &Integer::from(g));
    if *v != 0 {
        let (q, r) = u.div_rem(v);
        let (quotient, rest) = x.div_rem(y);
        same(&what("/"), &quotient, &q);
        same(&what("%"), &rest, &r);
        same(&what("/ alone"), &(x / y), &q);
        same(&what("% alone"), &(x % y), &r);
    }
}

#[test]
fn every_length_to_forty_limbs() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(40);
    for m in 0..=40 {
        for n in 0..=40 {
            for round in 0..4 {
                let [s, t] = [0, 1].map(|i| (rng.random::<u32>() + i) % SHAPES);
                let a = number(m, s, round & 1 == 1, &mut rng);
                let b = number(n, t, round & 2 == 2, &mut rng);
                pair(&a, &b);
            }
        }
    }
}

#[test]
fn one_operand_of_every_length() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(41);
    for m in 0..=40 {
        for shape in 0..SHAPES {
            for negative in [false, true] {
                let (x, u) = number(m, shape, negative, &mut rng);
                for count in [0u64, 1, 3, 63, 64, 65, 127, 128, 200, 64 * m as u64] {
                    same("<<", &(&x << count), &(&u << count));
                    same(">>", &(&x >> count), &(&u >> count));
                    let mut y = x.clone();
                    y <<= count;
                    same("<<=", &y, &(&u << count));
                    y >>= count;
                    same(">>=", &y, &u);
                }
                same("square", &x.square(), &(&u * &u));
                same("cube", &x.pow(3), &(&u).pow(3));
                same("-", &-&x, &-&u);
                same("!", &!&x, &!&u);
                same("+ 1", &(&x + 1), &(&u + Integer::from(1)));
                assert_eq!(x.bit_length(), u.significant_bits());
                assert_eq!(x.to_string(), u.to_string());
                assert_eq!(x.to_string().parse::<Int>(), Ok(x));
            }
        }
    }
}
