//! The programs themselves, written with `Int` and `rayon` alone, and checks of what they give.

use bezout::Int;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::residue;

/// A series Σ a(k)·p(1)⋯p(k) / q(1)⋯q(k): what it gives for k.
type Series = fn(u64) -> (Int, Int, Int);

/// P, Q and T of the terms from a to b: their sum is T/Q.
fn split(series: Series, a: u64, b: u64) -> (Int, Int, Int) {
    if b - a == 1 {
        let (p, q, factor) = series(a);
        let t = &p * factor;
        return (p, q, t);
    }
    let middle = a.midpoint(b);
    let (left, right) = if b - a > 64 {
        rayon::join(|| split(series, a, middle), || split(series, middle, b))
    } else {
        (split(series, a, middle), split(series, middle, b))
    };
    let ((p1, q1, t1), (p2, q2, t2)) = (left, right);
    let t = t1 * &q2 + &p1 * t2;
    (p1 * p2, q1 * q2, t)
}

/// Chudnovsky's series for 1/pi.
fn chudnovsky(k: u64) -> (Int, Int, Int) {
    let factor = Int::from(13_591_409 + 545_140_134 * k);
    if k == 0 {
        return (Int::ONE, Int::ONE, factor);
    }
    let p = Int::from(6 * k - 5) * (2 * k - 1) * (6 * k - 1);
    let q = Int::from(k) * k * k * (640_320u64 * 640_320 / 24 * 640_320);
    (-p, q, factor)
}

/// Ramanujan's.
fn ramanujan(k: u64) -> (Int, Int, Int) {
    let factor = Int::from(1103 + 26_390 * k);
    if k == 0 {
        return (Int::ONE, Int::ONE, factor);
    }
    let p = Int::from(4 * k - 3) * (4 * k - 2) * (4 * k - 1) * (4 * k);
    let q = Int::from(k) * k * k * k * 396u64.pow(4);
    (p, q, factor)
}

/// Digits that are made beyond those that are asked for.
const SPARE: u64 = 10;

/// Digits of pi by Chudnovsky's series.
pub fn pi(digits: u64) -> Vec<Int> {
    let places = digits + SPARE;
    let (_, q, t) = split(chudnovsky, 0, places / 14 + 2);
    let one = Int::from(10).pow(places);
    let root = (Int::from(10_005) * &one * &one).isqrt();
    printed((q * 426_880u64 * root) / t, digits)
}

/// By Ramanujan's series.
pub fn is_pi(digits: u64, given: &[Int]) -> bool {
    let places = digits + SPARE;
    let (_, q, t) = split(ramanujan, 0, places * 100 / 798 + 2);
    let one = Int::from(10).pow(places);
    let root = ((&one * &one) << 3u32).isqrt();
    given == printed((q * 9801u64 * &one * one) / (root * t), digits)
}

/// What is left of the digits of a number that was printed: their sum, and the last 50 that count.
fn printed(value: Int, digits: u64) -> Vec<Int> {
    let text = value.to_string();
    let text = &text[..=digits as usize];
    let sum = text.bytes().map(|byte| u64::from(byte - b'0')).sum::<u64>();
    let last = text[text.len() - 50..].parse().unwrap_or_default();
    vec![Int::from(sum), last]
}

/// Σ 1/k! = e.
fn exponential(k: u64) -> (Int, Int, Int) {
    (Int::ONE, Int::from(k.max(1)), Int::ONE)
}

/// Σ (−1)^k/k! = 1/e.
fn inverse_exponential(k: u64) -> (Int, Int, Int) {
    let p = if k == 0 { Int::ONE } else { -Int::ONE };
    (p, Int::from(k.max(1)), Int::ONE)
}

/// Terms of these two series for so many digits: as many as make k! longer than that.
fn exponential_terms(digits: u64) -> u64 {
    let (mut k, mut log) = (1u64, 0.0);
    while log < digits as f64 * std::f64::consts::LN_10 {
        k += 1;
        log += (k as f64).ln();
    }
    k + 1
}

/// Digits of e by its series.
pub fn e(digits: u64) -> Vec<Int> {
    let places = digits + SPARE;
    let (_, q, t) = split(exponential, 0, exponential_terms(places));
    printed(t * Int::from(10).pow(places) / q, digits)
}

/// As one over 1/e.
pub fn is_e(digits: u64, given: &[Int]) -> bool {
    let places = digits + SPARE;
    let (_, q, t) = split(inverse_exponential, 0, exponential_terms(places));
    given == printed(q * Int::from(10).pow(places) / t, digits)
}

/// n! and the number of its digits.
pub fn factorial(n: u64) -> Vec<Int> {
    let product = Int::factorial(n);
    let digits = product.to_string().len();
    vec![product, Int::from(digits)]
}

/// Modulo a prime, and by the logarithms of the factors.
pub fn is_factorial(n: u64, given: &[Int]) -> bool {
    let product = (1..=n).fold(1, residue::mul);
    let digits = (2..=n).map(|k| (k as f64).log10()).sum::<f64>().floor() + 1.0;
    residue::of(&given[0]) == Ok(product) && given[1] == digits as u64
}

/// The residue that is 0 where 2^p − 1 is a prime.
pub fn lucas_lehmer(p: u64) -> Vec<Int> {
    let mersenne = (Int::ONE << p) - 1;
    let mut s = Int::from(4);
    for _ in 2..p {
        let square = s.square() - 2;
        s = (&square & &mersenne) + (square >> p);
        if s >= mersenne {
            s -= &mersenne;
        }
    }
    vec![s]
}

/// All exponents here are those of Mersenne primes.
pub fn is_mersenne_residue(_: u64, given: &[Int]) -> bool {
    given[0].is_zero()
}

/// The product of a lower triangle with ones and an upper triangle with this diagonal.
fn matrix(rows: usize) -> (Vec<Vec<i64>>, Vec<i64>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(rows as u64);
    let mut small = || rng.random_range(-9i64..=9);
    let mut triangle = || -> Vec<Vec<i64>> {
        (0..rows)
            .map(|_| (0..rows).map(|_| small()).collect())
            .collect()
    };
    let (lower, upper) = (triangle(), triangle());
    let diagonal: Vec<i64> = (0..rows as i64).map(|i| 1_000_003 + 7919 * i).collect();
    let entry = |i: usize, j: usize| {
        let term = |k: usize| {
            let left = if k == i { 1 } else { lower[i][k] };
            let right = if k == j { diagonal[j] } else { upper[k][j] };
            left * right
        };
        (0..=i.min(j)).map(term).sum()
    };
    let row = |i: usize| (0..rows).map(|j| entry(i, j)).collect();
    ((0..rows).map(row).collect(), diagonal)
}

/// The determinant modulo a prime, by elimination.
fn determinant_modulo(matrix: &[Vec<i64>], p: u64) -> u64 {
    let mul = |x: u64, y: u64| (u128::from(x) * u128::from(y) % u128::from(p)) as u64;
    let inverse = |x: u64| {
        let (mut power, mut square, mut rest) = (1, x, p - 2);
        while rest > 0 {
            if rest & 1 == 1 {
                power = mul(power, square);
            }
            square = mul(square, square);
            rest >>= 1;
        }
        power
    };
    let reduce = |x: &i64| x.rem_euclid(p as i64) as u64;
    let mut rows: Vec<Vec<u64>> = (matrix.iter())
        .map(|row| row.iter().map(reduce).collect())
        .collect();
    let mut determinant = 1;
    for k in 0..rows.len() {
        let Some(pivot) = (k..rows.len()).find(|i| rows[*i][k] != 0) else {
            return 0;
        };
        if pivot != k {
            rows.swap(pivot, k);
            determinant = p - determinant;
        }
        determinant = mul(determinant, rows[k][k]);
        let inverse = inverse(rows[k][k]);
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = p - mul(row[k], inverse);
            for (x, y) in row[k..].iter_mut().zip(&above[k][k..]) {
                *x = (*x + mul(factor, *y)) % p;
            }
        }
    }
    determinant
}

/// The number with both remainders, and the product of the moduli.
fn combined(left: (Int, Int), right: (Int, Int)) -> (Int, Int) {
    let ((x, m), (y, n)) = (left, right);
    let step = ((y - &x) * m.mod_inverse(&n)).rem_euclid(&n);
    (x + &m * step, m * n)
}

/// The determinant of a matrix, from what it is modulo many primes.
pub fn determinant(rows: u64) -> Vec<Int> {
    let (matrix, _) = matrix(rows as usize);
    // Hadamard's bound, and a bit for the sign.
    let norm = |row: &Vec<i64>| row.iter().map(|x| (*x as f64).powi(2)).sum::<f64>().log2() / 2.0;
    let bits = matrix.iter().map(norm).sum::<f64>() + 2.0;
    let mut primes = vec![Int::ONE << 61u32];
    while primes.len() as f64 * 61.0 < bits + 61.0 {
        primes.push(primes[primes.len() - 1].next_prime());
    }
    let residue = |p: &Int| {
        let modulus = u64::try_from(p).unwrap_or(u64::MAX);
        (Int::from(determinant_modulo(&matrix, modulus)), p.clone())
    };
    let residues = primes[1..].par_iter().map(residue);
    let found = residues.reduce(|| (Int::ZERO, Int::ONE), combined);
    let (value, modulus) = found;
    if &value << 1u32 > modulus {
        vec![value - modulus]
    } else {
        vec![value]
    }
}

/// It is the product of the diagonal.
pub fn is_determinant(rows: u64, given: &[Int]) -> bool {
    let (_, diagonal) = matrix(rows as usize);
    given == [diagonal.iter().map(|x| Int::from(*x)).product::<Int>()]
}

const EXPONENT: u64 = 65_537;

/// Four keys of so many bits: both primes and the private exponent of each.
pub fn rsa_keys(bits: u64) -> Vec<Int> {
    let prime = |seed: u64| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ bits);
        let top = Int::from(3) << (bits / 2 - 2);
        let mut p = (Int::random_bits(bits / 2, &mut rng) | top).next_prime();
        while (&p - 1) % EXPONENT == 0 {
            p = p.next_prime();
        }
        p
    };
    let key = |number: u64| {
        let (p, q) = rayon::join(|| prime(2 * number), || prime(2 * number + 1));
        let order = (&p - 1).lcm(&(&q - 1));
        let private = Int::from(EXPONENT).mod_inverse(&order);
        [p, q, private]
    };
    (0..4u64).into_par_iter().flat_map_iter(key).collect()
}

/// What one exponent does the other undoes, modulo numbers that Fermat's test lets pass.
pub fn are_rsa_keys(bits: u64, given: &[Int]) -> bool {
    let is_key = |key: &[Int]| {
        let [p, q, private] = key else { return false };
        let n = p * q;
        let passes = |p: &Int| Int::from(3).pow_mod(&(p - 1), p) == 1;
        let message = Int::from(1_234_567_890_123_456_789u64);
        let back = message.pow_mod(&Int::from(EXPONENT), &n);
        n.bit_length() == bits && passes(p) && passes(q) && back.pow_mod(private, &n) == message
    };
    given.len() == 12 && given.chunks(3).all(is_key)
}
