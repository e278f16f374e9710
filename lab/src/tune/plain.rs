//! The four algorithms of the model's paper as published, with their parameter s: work that checks
//! itself against the fast algorithms, and what the model says of it, which is the paper's program
//! on the machine that was measured.

use bezout::poly::Modulus;
use bezout::sort::{Algorithm, Array, Options};
use bezout::{Engine, Error, Poly, Result};

use super::{Machines, Task};
use crate::model::Predict;
use crate::model::Tuning;
use crate::model::mmm::{Program, algorithms};

/// The largest prime below 2^31.
const PRIME: u64 = (1 << 31) - 1;
/// Threads of a block where the algorithm leaves them open.
const THREADS: u64 = 256;

/// Numbers below 2^31 − 1, always the same for a seed.
fn numbers(count: u64, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % PRIME
    };
    (0..count.max(1)).map(|_| next()).collect()
}

/// A polynomial of so many coefficients on the engine's device.
pub(super) fn polynomial(engine: Engine, len: u64, seed: u64) -> Result<Poly> {
    let mut coefficients = numbers(len, seed);
    if let Some(leading) = coefficients.last_mut() {
        *leading |= 1;
    }
    let polynomial = Poly::new(coefficients, Modulus::new(PRIME)?)?;
    if let Engine::Cuda(ordinal) = engine {
        polynomial.try_to_device(ordinal)?;
    }
    Ok(polynomial)
}

fn refuse(what: &str) -> Result<()> {
    Err(Error::Verification(format!("{what} while tuning")))
}

/// 2n by n coefficients.
pub(super) fn division(engine: Engine, n: u64) -> Result<Task> {
    let (a, b) = (polynomial(engine, 2 * n, 1)?, polynomial(engine, n, 2)?);
    let expected = Engine::Cpu.scope(|| a.try_div_rem(&b))?;
    Task::new(
        engine,
        move || a.try_plain_div_rem(&b, None),
        move |found| {
            if *found == expected {
                Ok(())
            } else {
                refuse("a plain division")
            }
        },
    )
}

/// n by n coefficients.
pub(super) fn product(engine: Engine, n: u64) -> Result<Task> {
    let (a, b) = (polynomial(engine, n, 3)?, polynomial(engine, n, 4)?);
    let expected = Engine::Cpu.scope(|| a.try_mul(&b))?;
    Task::new(
        engine,
        move || a.try_plain_mul(&b, None),
        move |found| {
            if *found == expected {
                Ok(())
            } else {
                refuse("a plain product")
            }
        },
    )
}

/// n and n coefficients, a quarter of them common.
pub(super) fn gcd(engine: Engine, n: u64) -> Result<Task> {
    let common = polynomial(Engine::Cpu, (n / 4).max(1), 5)?;
    let with = |seed: u64| {
        let other = polynomial(Engine::Cpu, n - n / 4 + 1, seed)?;
        let product = Engine::Cpu.scope(|| common.try_mul(&other))?;
        if let Engine::Cuda(ordinal) = engine {
            product.try_to_device(ordinal)?;
        }
        Ok(product)
    };
    let (a, b) = (with(6)?, with(7)?);
    let expected = Engine::Cpu.scope(|| a.try_gcd(&b))?;
    Task::new(
        engine,
        move || a.try_plain_gcd(&b, None),
        move |found| {
            if *found == expected {
                Ok(())
            } else {
                refuse("a plain gcd")
            }
        },
    )
}

/// n numbers of 32 bits.
pub(super) fn sort(engine: Engine, n: u64) -> Result<Task> {
    let keys: Vec<u32> = numbers(n, 8)
        .into_iter()
        .map(|number| (number << 1) as u32)
        .collect();
    let mut expected = keys.clone();
    expected.sort_unstable();
    let array = Array::from(keys);
    if let Engine::Cuda(ordinal) = engine {
        array.try_to_device(ordinal)?;
    }
    let options = Options::default().algorithm(Algorithm::Plain);
    Task::new(
        engine,
        move || array.try_sorted(options),
        move |found| {
            if found.try_host()? == expected {
                Ok(())
            } else {
                refuse("a plain sort")
            }
        },
    )
}

fn predicted(machines: &Machines, program: &Program) -> f64 {
    machines.target().predict(program)
}

pub(super) fn division_predicted(machines: &Machines, n: u64, tuning: &Tuning) -> f64 {
    predicted(
        machines,
        &match tuning.plain_division_steps {
            1 => algorithms::naive_division(2 * n, n, THREADS),
            s => algorithms::division(2 * n, n, s.into()),
        },
    )
}

pub(super) fn product_predicted(machines: &Machines, n: u64, tuning: &Tuning) -> f64 {
    let s = tuning.plain_product_steps.into();
    predicted(machines, &algorithms::multiplication(n, n, s, THREADS))
}

pub(super) fn gcd_predicted(machines: &Machines, n: u64, tuning: &Tuning) -> f64 {
    predicted(
        machines,
        &match tuning.plain_gcd_steps {
            1 => algorithms::naive_euclid(n, n, THREADS),
            s => algorithms::euclid(n, n, s.into()),
        },
    )
}

pub(super) fn sort_predicted(machines: &Machines, n: u64, tuning: &Tuning) -> f64 {
    let (s, threads) = (
        tuning.plain_sort_bits.into(),
        tuning.sort_plain_block.into(),
    );
    predicted(machines, &algorithms::sort(n, 32, s, threads))
}
