//! Arithmetic on rows on the CPU. Rows are independent, so they are distributed over the threads.
//!
//! All operands are arrays of rows of `width` limbs, one after another, with equal numbers of rows.

use crate::batch::limb_pool;
use crate::engine::Engine;
use crate::error::Result;
use crate::limbs::Resident;
use crate::modp::TrialGroup;
use crate::number::{Integer, Natural};
use crate::primality;
use crate::progress::{self, Pulse};
use crate::threads;
use crate::word::row::addmul_word;
use crate::word::{inverse_word, sum};

/// Minimum limbs per task: enough that the cost of scheduling a task is negligible.
const AT_ONCE: usize = 256;

/// Returns row `row` of an array of rows.
pub(super) fn row(limbs: &[u64], width: usize, row: usize) -> &[u64] {
    &limbs[row * width..(row + 1) * width]
}

fn natural(limbs: &[u64], width: usize, number: usize) -> Natural {
    Natural::from_limbs(row(limbs, width, number))
}

/// Writes `value` to `out`, padded with zeros. It must fit.
pub(super) fn put(out: &mut [u64], value: &Natural) {
    let limbs = value.limbs();
    out[..limbs.len()].copy_from_slice(limbs);
    out[limbs.len()..].fill(0);
}

/// Returns `count` rows of `width` limbs. `work` gets the index of a row and must write all of it.
/// After a request to stop, the remaining rows are unspecified.
fn rows(count: usize, width: usize, work: impl Fn(usize, &mut [u64]) + Sync) -> Vec<u64> {
    let mut out = limb_pool::unspecified(count * width);
    let (pulse, rows) = (Pulse::of_thread(), (AT_ONCE / width).max(1));
    threads::chunks_mut(&mut out, rows * width, 1, |i, out| {
        if pulse.goes_on() {
            let numbered = (rows * i..).zip(out.chunks_exact_mut(width));
            numbered.for_each(|(i, out)| work(i, out));
        }
    });
    out
}

/// Returns the answers of `work` for rows 0 to `count` − 1.
fn answers<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    threads::map(count, 1, work)
}

/// As [`rows`], from the number that `work` returns for each row.
fn numbers(count: usize, width: usize, work: impl Fn(usize) -> Natural + Sync) -> Vec<u64> {
    rows(count, width, |i, out| put(out, &work(i)))
}

/// Returns the products of the rows: 2·width limbs each if `whole`, else the low `width` limbs.
/// Squares are computed if `a` and `b` are the same slice.
pub(super) fn mul(a: &[u64], b: &[u64], width: usize, whole: bool) -> Vec<u64> {
    let same = std::ptr::eq(a, b);
    let product = |i| {
        if same {
            natural(a, width, i).square()
        } else {
            natural(a, width, i) * natural(b, width, i)
        }
    };
    let count = a.len() / width;
    if whole {
        numbers(count, 2 * width, product)
    } else {
        numbers(count, width, |i| product(i).low_bits(64 * width as u64))
    }
}

/// Returns the greatest common divisors of the rows; gcd(x, 0) = x.
pub(super) fn gcd(a: &[u64], b: &[u64], width: usize) -> Vec<u64> {
    numbers(a.len() / width, width, |i| {
        natural(a, width, i).gcd(&natural(b, width, i))
    })
}

/// Returns the square roots of the rows, rounded down.
pub(super) fn sqrt(a: &[u64], width: usize) -> Vec<u64> {
    numbers(a.len() / width, width, |i| {
        natural(a, width, i).floor_sqrt()
    })
}

/// Returns base^exponent mod modulus, for a modulus above 0.
pub(super) fn power(base: &[u64], exponent: &[u64], modulus: &[u64]) -> Natural {
    let [base, exponent, modulus] = [base, exponent, modulus].map(Natural::from_limbs);
    (base % &modulus).mod_pow(&exponent, &modulus)
}

/// Returns 1/a mod modulus, or None if there is no inverse. The modulus is above 0.
pub(super) fn inverse(a: &[u64], modulus: &[u64]) -> Option<Natural> {
    let [a, modulus] = [a, modulus].map(Natural::from_limbs);
    a.mod_inverse(&modulus)
}

/// Returns 1/a mod modulus for each row, and whether it exists. A row without an inverse is 0.
pub(super) fn mod_inverse(a: &[u64], modulus: &[u64], width: usize) -> (Vec<u64>, Vec<bool>) {
    let pulse = Pulse::of_thread();
    let found = answers(a.len() / width, |i| {
        let inverse = || inverse(row(a, width, i), row(modulus, width, i));
        pulse.goes_on().then(inverse).flatten()
    });
    let mut limbs = vec![0; a.len()];
    for (out, x) in limbs.chunks_exact_mut(width).zip(&found) {
        if let Some(x) = x {
            put(out, x);
        }
    }
    (limbs, found.iter().map(Option::is_some).collect())
}

/// Returns the smallest prime factor of each row among 2 and the given odd primes, which ascend.
pub(super) fn trial(a: &[u64], width: usize, primes: &[u32]) -> Vec<Option<u64>> {
    let groups = TrialGroup::all(primes.iter().map(|p| u64::from(*p)));
    answers(a.len() / width, |i| {
        let row = row(a, width, i);
        if row[0].is_multiple_of(2) {
            return Some(2);
        }
        groups.iter().find_map(|group| group.divisor(row))
    })
}

/// Whether `row` is a probable prime.
pub(super) fn is_prime(row: &[u64]) -> Result<bool> {
    let n = Resident::from(Integer::from(Natural::from_limbs(row)));
    Engine::Cpu.scope(|| primality::is_probable_prime(&n))
}

/// Returns for each row whether it is a probable prime.
pub(super) fn primes(a: &[u64], width: usize) -> Result<Vec<bool>> {
    let place = progress::shared();
    let verdict = |i| progress::inherit(place.clone(), || is_prime(row(a, width, i)));
    answers(a.len() / width, verdict).into_iter().collect()
}

/// Returns R mod n and R² mod n for each odd n, where R = 2^(64·width).
pub(super) fn prepare(moduli: &[u64], width: usize) -> (Vec<u64>, Vec<u64>) {
    let power = |times: u64| {
        numbers(moduli.len() / width, width, |i| {
            (Natural::ONE << (64 * width as u64 * times)) % natural(moduli, width, i)
        })
    };
    (power(1), power(2))
}

/// Returns a·b/R mod n for a < R, b < n and odd n, where R = 2^(64·width). An empty `b` means that
/// b is 1 in every row.
pub(super) fn product_mod(a: &[u64], b: &[u64], moduli: &[u64], width: usize) -> Vec<u64> {
    rows(a.len() / width, width, |i, out| {
        let (a, n) = (row(a, width, i), row(moduli, width, i));
        let inverse = inverse_word(n[0]).wrapping_neg();
        let mut sum = vec![0u64; width + 2];
        let add = |sum: &mut [u64], x: &[u64], factor: u64| {
            let carry = addmul_word(&mut sum[..width], x, factor);
            sum::add_word(&mut sum[width..], carry);
        };
        for k in 0..width {
            let digit = if b.is_empty() {
                u64::from(k == 0)
            } else {
                row(b, width, i)[k]
            };
            add(&mut sum, a, digit);
            let q = sum[0].wrapping_mul(inverse);
            add(&mut sum, n, q);
            sum.copy_within(1.., 0);
            sum[width + 1] = 0;
        }
        below(out, &sum[..=width], n);
    })
}

/// Returns a − b mod n if `minus`, else a + b mod n, for a, b < n.
pub(super) fn sum_mod(a: &[u64], b: &[u64], moduli: &[u64], width: usize, minus: bool) -> Vec<u64> {
    rows(a.len() / width, width, |i, out| {
        let [a, b, n] = [a, b, moduli].map(|x| row(x, width, i));
        if minus && sum::sub(out, a, b) {
            // The difference is negative: add n.
            sum::add_assign(out, n);
        } else if !minus {
            let mut total = vec![0; width + 1];
            let over = sum::add(&mut total[..width], a, b);
            total[width] = over.into();
            below(out, &total, n);
        }
    })
}

/// Writes x mod n to `out`, for x < 2n of one limb more than n.
fn below(out: &mut [u64], x: &[u64], n: &[u64]) {
    let (low, high) = x.split_at(n.len());
    if sum::sub(out, low, n) && high[0] == 0 {
        out.copy_from_slice(low);
    }
}
