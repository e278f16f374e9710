//! Operators on numbers of every length from 0 to 40 limbs, under the shipped tuning, beside
//! malachite.
//!
//! The crate's own tests put the `minimal` tuning in force, under which no number is short. This
//! program is a process of its own, as a user's is, and takes the fast path.

use bezout::Int;
use malachite_base::num::arithmetic::traits::{
    BinomialCoefficient, DivRem, Factorial, FloorRoot, FloorSqrt, Gcd, KroneckerSymbol, Lcm,
    ModInverse, ModPow, Pow,
};
use malachite_base::num::factorization::traits::IsSquare;
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

/// Calls of number theory on a pair.
fn theory(a: &(Int, Integer), b: &(Int, Integer)) {
    let ((x, u), (y, v)) = (a, b);
    let what = |op: &str| format!("{op} {u:#x} {v:#x}");
    let (size, other) = (u.unsigned_abs_ref(), v.unsigned_abs_ref());
    let lcm = x.try_lcm(y).unwrap();
    same(&what("lcm"), &lcm, &Integer::from(size.lcm(other)));
    let symbol = i32::from(u.kronecker_symbol(v));
    assert_eq!(x.try_kronecker(y), Ok(symbol), "{}", what("Kronecker"));
    // GMP's cofactors are the least but for small and equal numbers, where the certificate says it.
    let (g, s, t) = x.try_extended_gcd(y).unwrap();
    same(&what("gcd"), &g, &Integer::from(size.gcd(other)));
    Int::verify_gcd(x, y, &g, &s, &t).unwrap();
    assert!(s.is_zero() || s.abs() == 1 || s.abs() * &g * 2 <= y.abs());
    assert!(t.is_zero() || t.abs() == 1 || t.abs() * &g * 2 <= x.abs());
    if *v != 0 {
        let inverse = x.try_mod_inverse(y);
        let residue = Natural::from_limbs_asc(x.rem_euclid(y).limbs());
        match (residue != 0 && *other != 1)
            .then(|| residue.mod_inverse(other))
            .flatten()
        {
            Some(wanted) => same(&what("inverse"), &inverse.unwrap(), &Integer::from(wanted)),
            None => assert_eq!(inverse.is_ok(), *other == 1, "{}", what("inverse")),
        }
        for exponent in [0u64, 1, 15, 16, 0x1_0001] {
            let power = x.try_pow_mod(&Int::from(exponent), y).unwrap();
            let residue = Natural::from_limbs_asc(x.rem_euclid(y).limbs());
            let wanted = residue.mod_pow(Natural::from(exponent), other);
            same(&what("power"), &power, &Integer::from(wanted));
        }
        let (q, r) = x.div_rem_floor(y);
        assert!(&q * y + &r == *x && (r.is_zero() || r.is_negative() == y.is_negative()));
        assert!(r.abs() < y.abs() && x.rem_floor(y) == r);
        let (q, r) = x.div_rem_ceil(y);
        assert!(&q * y + &r == *x && (r.is_zero() || r.is_negative() != y.is_negative()));
        assert!(r.abs() < y.abs() && x.rem_ceil(y) == r);
        let (q, r) = x.div_rem_euclid(y);
        assert!(&q * y + &r == *x && !r.is_negative());
        assert!(r < y.abs() && x.rem_euclid(y) == r);
    }
}

/// Calls of one number.
fn alone((x, u): &(Int, Integer)) {
    let size = u.unsigned_abs_ref();
    let (n, bits) = (x.abs(), size.significant_bits());
    let (root, rest) = n.try_sqrt_rem().unwrap();
    same("square root", &root, &Integer::from(size.floor_sqrt()));
    assert_eq!(root.square() + &rest, n);
    assert_eq!(n.try_isqrt(), Ok(root));
    assert_eq!(n.try_is_square(), Ok(size.is_square()));
    assert_eq!(n.square().try_is_square(), Ok(true));
    for degree in [3u64, 4, 5, 17, 64, 100] {
        let (root, rest) = n.try_root_rem(degree).unwrap();
        same("root", &root, &Integer::from(size.floor_root(degree)));
        assert_eq!(root.pow(degree) + rest, n);
        let power = n.pow(3) - 1;
        let (root, rest) = power.abs().try_root_rem(3).unwrap();
        assert_eq!(root.pow(3) + rest, power.abs());
    }
    let ones = size
        .to_limbs_asc()
        .iter()
        .map(|limb| u64::from(limb.count_ones()))
        .sum();
    assert_eq!(n.try_count_ones(), Ok(Some(ones)));
    for factor in [2u64, 3, 10, u64::MAX] {
        for count in [0, 1, 40, 41] {
            let product = &n * Int::from(factor).pow(count);
            let (rest, found) = product.try_remove(&Int::from(factor)).unwrap();
            if n.is_zero() {
                assert!(rest.is_zero() && found == 0);
                continue;
            }
            assert!(found >= count && rest.clone() * Int::from(factor).pow(found) == product);
            assert!(!rest.is_multiple_of(&Int::from(factor)));
        }
    }
    for at in [0, 1, 63, 64, bits, bits + 70] {
        assert_eq!(n.try_bit(at), Ok((&n >> at).is_odd()));
    }
}

#[test]
fn theory_of_every_length_to_twenty_limbs() {
    bezout::verify::set(false);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(42);
    for m in 0..=20 {
        for n in 0..=20 {
            let [s, t] = [0, 1].map(|i| (rng.random::<u32>() + i) % SHAPES);
            let a = number(m, s, rng.random(), &mut rng);
            let b = number(n, t, rng.random(), &mut rng);
            theory(&a, &b);
            theory(&a, &a);
        }
        for shape in 0..SHAPES {
            alone(&number(m, shape, false, &mut rng));
        }
    }
    for a in -30..=30 {
        alone(&(Int::from(a), Integer::from(a)));
        for b in -30..=30 {
            theory(
                &(Int::from(a), Integer::from(a)),
                &(Int::from(b), Integer::from(b)),
            );
        }
    }
}

#[test]
fn numbers_with_names() {
    bezout::verify::set(false);
    for n in 0..=140u64 {
        let factorial = Natural::factorial(n);
        same("factorial", &Int::factorial(n), &Integer::from(factorial));
        for k in 0..=n + 1 {
            let wanted = Natural::binomial_coefficient(Natural::from(n), Natural::from(k));
            same("binomial", &Int::binomial(n, k), &Integer::from(wanted));
        }
    }
    let (mut x, mut y) = (Int::ZERO, Int::ONE);
    for n in 0..=200 {
        assert_eq!(Int::fibonacci(n), x);
        assert_eq!(Int::lucas(n), &y * 2 - &x);
        (x, y) = (y.clone(), x + y);
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
