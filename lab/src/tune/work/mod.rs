//! Work that choices are measured by. Each checks its own result: against host numbers where that
//! takes no longer than the work, else by a proof of its own, on the CPU with the shipped values.

pub(super) mod factoring;
pub(super) mod polynomials;

use std::cmp::Ordering;

use bezout::constant::{Polynomial, Series};
use bezout::measure::host;
use bezout::sort::{self, Array, Key, Options};
use bezout::{Batch, Engine, Error, GcdAlgorithm, Int, Result};

use super::Task;
use crate::model::Tuning;

/// Up to so many limbs, the floor's quadratic and Toom–Cook algorithms are quick enough for a
/// check.
const SHORT: u64 = 1 << 12;

/// Random words, always the same for a seed: SplitMix64.
fn words(count: u64, seed: u64) -> impl Iterator<Item = u64> {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    (1..=count).map(move |i| {
        let mut z = seed.wrapping_add(i).wrapping_mul(STEP);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    })
}

/// A number of so many limbs, always the same for a seed; on the engine's device.
fn number(engine: Engine, limbs: u64, seed: u64) -> Result<Int> {
    let mut digits: Vec<u64> = words(limbs.max(1), seed).collect();
    if let Some(top) = digits.last_mut() {
        *top |= 1 << 63;
    }
    let number = Int::from_limbs(digits);
    if let Engine::Cuda(ordinal) = engine {
        number.try_to_device(ordinal)?;
    }
    Ok(number)
}

fn same(what: &str, found: &Int, expected: &Int) -> Result<()> {
    found.try_fetch()?;
    if Engine::Cpu.scope(|| found.try_cmp(expected))? == Ordering::Equal {
        Ok(())
    } else {
        Err(Error::Verification(format!("{what} while tuning")))
    }
}

/// Work whose result is one number: `reference` gives it otherwise.
fn task(
    what: &'static str,
    engine: Engine,
    work: impl FnMut() -> Result<Int> + 'static,
    reference: impl FnOnce() -> Result<Int>,
) -> Result<Task> {
    let expected = Engine::Cpu.scope(|| Tuning::DEFAULT.scope(reference))?;
    Task::new(engine, work, move |found| same(what, found, &expected))
}

pub(super) fn sum(engine: Engine, limbs: u64) -> Result<Task> {
    let (a, b) = (number(engine, limbs, 1)?, number(engine, limbs, 2)?);
    let expected = host::sum(&a, &b)?;
    task("a sum", engine, move || a.try_add(&b), || Ok(expected))
}

fn product_of(engine: Engine, a: u64, b: u64) -> Result<Task> {
    let (x, y) = (number(engine, a, 3)?, number(engine, b, 4)?);
    let (p, q) = (x.clone(), y.clone());
    task(
        "a product",
        engine,
        move || x.try_mul(&y),
        || {
            if a.max(b) <= SHORT {
                host::product(&p, &q)
            } else {
                p.try_mul(&q)
            }
        },
    )
}

pub(super) fn product(engine: Engine, limbs: u64) -> Result<Task> {
    product_of(engine, limbs, limbs)
}

/// The same number with no copy but the host's: whether it is sent is the choice.
fn anew(x: &Int) -> Result<Int> {
    Ok(Int::from_limbs_slice(x.try_limbs()?))
}

/// Work on numbers of the host whose result is read there.
fn sent(
    what: &'static str,
    engine: Engine,
    work: impl Fn() -> Result<Int> + Clone + 'static,
) -> Result<Task> {
    let reference = work.clone();
    let read = move || {
        let result = work()?;
        result.try_fetch()?;
        Ok(result)
    };
    task(what, engine, read, reference)
}

pub(super) fn sent_product(engine: Engine, limbs: u64) -> Result<Task> {
    let (a, b) = (
        number(Engine::Cpu, limbs, 3)?,
        number(Engine::Cpu, limbs, 4)?,
    );
    sent("a product", engine, move || anew(&a)?.try_mul(&anew(&b)?))
}

/// Twice the size's limbs by the size's.
pub(super) fn sent_division(engine: Engine, limbs: u64) -> Result<Task> {
    let (a, b) = (
        number(Engine::Cpu, 2 * limbs, 9)?,
        number(Engine::Cpu, limbs, 10)?,
    );
    sent("a division", engine, move || anew(&a)?.try_div(&anew(&b)?))
}

pub(super) fn sent_root(engine: Engine, limbs: u64) -> Result<Task> {
    let a = number(Engine::Cpu, limbs, 12)?;
    sent("a square root", engine, move || anew(&a)?.try_isqrt())
}

/// A power with so many limbs.
pub(super) fn sent_power(engine: Engine, limbs: u64) -> Result<Task> {
    let base = number(Engine::Cpu, 8, 15)?;
    sent("a power", engine, move || base.try_pow(limbs / 8))
}

/// A number of so many limbs from its decimal digits.
pub(super) fn sent_digits(engine: Engine, limbs: u64) -> Result<Task> {
    let text = number(Engine::Cpu, limbs, 11)?.try_to_string_radix(10)?;
    sent("decimal digits", engine, move || {
        Int::from_str_radix(&text, 10)
    })
}

/// Σ 1/n!³ up to a denominator of so many limbs, or somewhat fewer.
pub(super) fn series(engine: Engine, limbs: u64) -> Result<Task> {
    let n = || Polynomial::new(&[0, 1]);
    let series = Series::new(Polynomial::ONE, n().pow(3), Polynomial::ONE);
    let mut terms = 2u64;
    while terms * (3 * u64::from(terms.ilog2()) + 3) < 64 * limbs {
        terms += terms / 8 + 1;
    }
    sent("a series", engine, move || Ok(series.try_sum(terms)?.t))
}

/// A product of 2^14 limbs by the size.
pub(super) fn thin_product(engine: Engine, limbs: u64) -> Result<Task> {
    product_of(engine, 1 << 14, limbs)
}

pub(super) fn products(engine: Engine, limbs: u64) -> Result<Task> {
    let numbers = [5, 6, 7, 8].map(|seed| number(engine, limbs, seed));
    let [a, b, c, d] = numbers;
    let (a, b, c, d) = (a?, b?, c?, -d?);
    let expected = host::sum(&host::product(&a, &b)?, &host::product(&c, &d)?)?;
    let work = move || Int::try_sum_of_products(&[(&a, &b), (&c, &d)]);
    task("a sum of products", engine, work, || Ok(expected))
}

/// The size's limbs by half of them.
pub(super) fn division(engine: Engine, limbs: u64) -> Result<Task> {
    let (a, b) = (number(engine, limbs, 9)?, number(engine, limbs / 2, 10)?);
    let (x, y) = (a.clone(), b.clone());
    Task::new(
        engine,
        move || a.try_div_rem(&b),
        move |(quotient, remainder)| {
            let (q, r) = (host::copy(quotient)?, host::copy(remainder)?);
            let below = !r.try_is_negative()? && r.try_cmp(&y)? == Ordering::Less;
            if below {
                same("a division", &q.try_mul(&y)?.try_add(&r)?, &x)
            } else {
                Err(Error::Verification("a remainder while tuning".into()))
            }
        },
    )
}

/// Twice the size's limbs by the size's.
pub(super) fn balanced_division(engine: Engine, limbs: u64) -> Result<Task> {
    division(engine, 2 * limbs)
}

pub(super) fn digits(engine: Engine, limbs: u64) -> Result<Task> {
    let a = number(engine, limbs, 11)?;
    let x = a.clone();
    Task::new(
        engine,
        move || a.try_to_string_radix(10),
        move |text| same("decimal digits", &Int::from_str_radix(text, 10)?, &x),
    )
}

pub(super) fn reading(engine: Engine, limbs: u64) -> Result<Task> {
    let a = number(engine, limbs, 11)?;
    let text = a.try_to_string_radix(10)?;
    let work = move || Int::from_str_radix(&text, 10);
    task("a number from its digits", engine, work, || Ok(a))
}

pub(super) fn root(engine: Engine, limbs: u64) -> Result<Task> {
    let a = number(engine, limbs, 12)?;
    let x = a.clone();
    task(
        "a square root",
        engine,
        move || a.try_isqrt(),
        || {
            if limbs <= SHORT {
                host::isqrt(&x)
            } else {
                x.try_isqrt()
            }
        },
    )
}

/// A power modulo an odd number of the size, by an exponent of 32 bits.
pub(super) fn power(engine: Engine, limbs: u64) -> Result<Task> {
    let (base, modulus) = (number(engine, limbs, 13)?, number(engine, limbs, 14)?);
    let (base, exponent) = (
        base.try_div_rem(&Int::from(3))?.0,
        Int::from(0xdead_beefu32),
    );
    let [x, e, m] = [&base, &exponent, &modulus].map(Int::clone);
    let reference = move || host::pow_mod(&x, &e, &m);
    let work = move || base.try_pow_mod(&exponent, &modulus);
    task("a power", engine, work, reference)
}

/// A power, of so many limbs, of a random number of 8 limbs.
pub(super) fn plain_power(engine: Engine, limbs: u64) -> Result<Task> {
    let base = number(engine, 8, 15)?;
    let x = base.clone();
    task(
        "a power",
        engine,
        move || base.try_pow(limbs / 8),
        || x.try_pow(limbs / 8),
    )
}

fn gcd_by(engine: Engine, limbs: u64, algorithm: GcdAlgorithm) -> Result<Task> {
    let common = number(Engine::Cpu, (limbs / 8).max(1), 16)?;
    let with = |seed: u64| {
        let other = number(Engine::Cpu, (limbs - limbs / 8).max(1), seed)?;
        let product = Engine::Cpu.scope(|| common.try_mul(&other))?;
        if let Engine::Cuda(ordinal) = engine {
            product.try_to_device(ordinal)?;
        }
        Ok(product)
    };
    let (a, b) = (with(17)?, with(18)?);
    let (x, y) = (a.clone(), b.clone());
    let work = move || Ok(a.try_gcd_by(&b, algorithm)?.0);
    task("a gcd", engine, work, || {
        if limbs <= SHORT {
            host::gcd(&x, &y)
        } else {
            x.try_gcd(&y)
        }
    })
}

pub(super) fn gcd(engine: Engine, limbs: u64) -> Result<Task> {
    gcd_by(engine, limbs, GcdAlgorithm::Auto)
}

pub(super) fn half_gcd(engine: Engine, limbs: u64) -> Result<Task> {
    gcd_by(engine, limbs, GcdAlgorithm::Half)
}

pub(super) fn lattice_gcd(engine: Engine, limbs: u64) -> Result<Task> {
    gcd_by(engine, limbs, GcdAlgorithm::Lattice)
}

pub(super) fn weber_gcd(engine: Engine, limbs: u64) -> Result<Task> {
    gcd_by(engine, limbs, GcdAlgorithm::Weber)
}

pub(super) fn extended_gcd(engine: Engine, limbs: u64) -> Result<Task> {
    let (a, b) = (number(engine, limbs, 19)?, number(engine, limbs, 20)?);
    let (x, y) = (a.clone(), b.clone());
    Task::new(
        engine,
        move || a.try_extended_gcd(&b),
        move |(g, s, t)| Int::verify_gcd(&x, &y, g, s, t),
    )
}

/// So many keys, on the engine's device.
fn keys<K: Key>(engine: Engine, count: u64, key: fn(u64) -> K) -> Result<Array<K>> {
    let keys = Array::from(words(count, 21).map(key).collect::<Vec<K>>());
    if let Engine::Cuda(ordinal) = engine {
        keys.try_to_device(ordinal)?;
    }
    Ok(keys)
}

/// A sort of keys whose order is that of their type.
fn sort_of<K: Key + Ord>(
    engine: Engine,
    count: u64,
    key: fn(u64) -> K,
    options: Options,
) -> Result<Task> {
    let keys = keys(engine, count, key)?;
    let mut expected = keys.try_host()?.to_vec();
    expected.sort_unstable();
    let work = move || match engine {
        // Whether the host sends keys is the choice of the sort of a slice.
        Engine::Auto => {
            let mut own = keys.try_host()?.to_vec();
            sort::sort(&mut own, options)?;
            Ok(Array::from(own))
        }
        _ => keys.try_sorted(options),
    };
    Task::new(engine, work, move |found| {
        if found.try_host()? == expected {
            Ok(())
        } else {
            Err(Error::Verification("a sort while tuning".into()))
        }
    })
}

pub(super) fn sort_32(engine: Engine, count: u64) -> Result<Task> {
    sort_of(engine, count, |word| word as u32, Options::default())
}

pub(super) fn sort_64(engine: Engine, count: u64) -> Result<Task> {
    sort_of(engine, count, |word| word, Options::default())
}

/// Keys and values of 64 bits: a permutation that sorts the keys.
pub(super) fn sort_128(engine: Engine, count: u64) -> Result<Task> {
    let keys = keys(engine, count, |word| word)?;
    let places: Array<u64> = Array::from((0..count).collect::<Vec<_>>());
    if let Engine::Cuda(ordinal) = engine {
        places.try_to_device(ordinal)?;
    }
    let mut expected: Vec<u64> = (0..count).collect();
    let words = keys.try_host()?;
    expected.sort_by_key(|place| words[*place as usize]);
    let work = move || keys.try_sorted_with(&places, Options::default());
    Task::new(engine, work, move |(_, found)| {
        if found.try_host()? == expected {
            Ok(())
        } else {
            Err(Error::Verification("a sort while tuning".into()))
        }
    })
}

pub(super) fn plain_sort(engine: Engine, count: u64) -> Result<Task> {
    let options = Options::default().algorithm(sort::Algorithm::Plain).bits(4);
    sort_of(engine, count, |word| word as u32, options)
}

/// Products, greatest common divisors and powers by 64 bits modulo odd rows, of so many rows of 512
/// bits.
pub(super) fn rows(engine: Engine, count: u64) -> Result<Task> {
    const WIDTH: usize = 8;
    let batch = |seed: u64, shaped: fn(&mut [u64])| -> Result<Batch> {
        let mut limbs: Vec<u64> = words(count * WIDTH as u64, seed).collect();
        limbs.chunks_mut(WIDTH).for_each(shaped);
        let batch = Batch::from_limbs(limbs, WIDTH)?;
        if let Engine::Cuda(ordinal) = engine {
            batch.try_to_device(ordinal)?;
        }
        Ok(batch)
    };
    let (a, b) = (batch(22, |_| ())?, batch(23, |_| ())?);
    let exponents = batch(24, |row| row[1..].fill(0))?;
    let moduli = batch(25, |row| row[0] |= 1)?;
    let work = move || {
        Ok([
            a.all().try_mul(&b.all())?,
            a.all().try_gcd(&b.all())?,
            a.all().try_pow_mod(&exponents.all(), &moduli.all())?,
        ])
    };
    // Host numbers, row by row.
    let expected = Engine::Cpu.scope(&work)?;
    Task::new(engine, work, move |found| {
        for (found, expected) in found.iter().zip(&expected) {
            if found.try_limbs()? != expected.try_limbs()? {
                return Err(Error::Verification("rows while tuning".into()));
            }
        }
        Ok(())
    })
}
