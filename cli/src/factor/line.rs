//! The line that is printed of a number: GNU factor's, or JSON.

use bezout::factor::{Factorization, Method, Status};
use bezout::{Engine, Int};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output;

/// The object `--json` prints for each number.
#[derive(Serialize)]
struct Record {
    command: &'static str,
    number: String,
    factors: Vec<FactorRecord>,
    complete: bool,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

#[derive(Serialize)]
struct FactorRecord {
    factor: String,
    exponent: u64,
    status: Status,
    method: Method,
    b1: Option<u64>,
    b2: Option<u64>,
    sigma: Option<u64>,
    seconds: f64,
}

/// The line of a number, certified first with `--verify`.
pub fn line(global: &Global, result: &Factorization) -> Result<String, Failure> {
    if global.verify {
        certify(result)?;
    }
    let number = output::digits(&result.number, false)?;
    if !global.json {
        let mut line = format!("{number}:");
        for factor in &result.factors {
            let digits = output::digits(&factor.value, false)?;
            for _ in 0..factor.exponent {
                match factor.status {
                    Status::Composite => line.push_str(&format!(" [{digits}]")),
                    _ => line.push_str(&format!(" {digits}")),
                }
            }
        }
        return Ok(line);
    }
    let factors = result.factors.iter().map(|factor| {
        Ok(FactorRecord {
            factor: output::digits(&factor.value, false)?,
            exponent: factor.exponent,
            status: factor.status,
            method: factor.origin.method,
            b1: factor.origin.b1,
            b2: factor.origin.b2,
            sigma: factor.origin.sigma,
            seconds: factor.origin.seconds,
        })
    });
    let record = Record {
        command: "factor",
        number,
        factors: factors.collect::<Result<_, Failure>>()?,
        complete: result.is_complete(),
        engine: Engine::last_used().unwrap_or(Engine::Cpu).to_string(),
        seconds: result.seconds,
        verified: global.verify.then_some(true),
    };
    serde_json::to_string(&record)
        .map_err(|error| Failure::failed(format!("cannot write JSON: {error}")))
}

/// Multiplies the factors up on the CPU and tests each prime again.
fn certify(result: &Factorization) -> Result<(), Failure> {
    Engine::Cpu.scope(|| {
        let mut product = Int::one();
        for factor in &result.factors {
            product = product.try_mul(&factor.value.try_pow(factor.exponent)?)?;
            if factor.status != Status::Composite {
                certify_prime(&factor.value)?;
            }
        }
        match product == result.number {
            true => Ok(()),
            false => Err(Failure::failed(
                "verification failed: the factors do not multiply up to the number",
            )),
        }
    })
}

/// Tests a prime again.
pub fn certify_prime(prime: &Int) -> Result<(), Failure> {
    match prime.try_is_probable_prime()? {
        true => Ok(()),
        false => Err(Failure::failed(format!(
            "verification failed: {prime} is not prime"
        ))),
    }
}
