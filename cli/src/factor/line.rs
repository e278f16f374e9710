//! The line that is printed of a number: GNU factor's, or JSON.

use bezout::factor::{Factor, Factorization, Method, Status};
use bezout::{Engine, Int};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::interrupt;
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

/// How lines are written.
#[derive(Clone, Copy)]
pub struct Form<'a> {
    pub global: &'a Global,
    /// p^e in the place of e times p.
    pub exponents: bool,
}

impl Form<'_> {
    /// Adds a factor to a line.
    pub fn push(self, line: &mut String, factor: &str, exponent: u64) {
        if self.exponents && exponent > 1 {
            line.push_str(&format!(" {factor}^{exponent}"));
            return;
        }
        for _ in 0..exponent {
            line.push(' ');
            line.push_str(factor);
        }
    }
}

/// The digits of a number and of its factors: decimal, or with 0x hexadecimal.
pub struct Digits {
    number: String,
    factors: Vec<String>,
}

/// Numbers of more bits, about 100000 digits, are hexadecimal once work must stop: the conversion
/// to decimal digits of a number of millions takes seconds.
const LONG_BITS: u64 = 332_193;

impl Digits {
    /// `is_stopped` says that work ended before it was done.
    pub fn of(result: &Factorization, is_stopped: bool) -> Result<Digits, Failure> {
        let text = |value: &Int| {
            if value.bit_length() <= LONG_BITS {
                return output::digits(value, false);
            }
            if !is_stopped && !interrupt::is_requested() {
                let decimal = interrupt::until_interrupt(|| output::digits(value, false));
                if decimal.is_ok() || !interrupt::is_requested() {
                    return decimal;
                }
            }
            output::digits(value, true)
        };
        let number = text(&result.number)?;
        let digits = |factor: &Factor| {
            // A number of millions of digits that was not split is converted once.
            if factor.value == result.number {
                Ok(number.clone())
            } else {
                text(&factor.value)
            }
        };
        let factors = result.factors.iter().map(digits);
        Ok(Digits {
            factors: factors.collect::<Result<_, Failure>>()?,
            number,
        })
    }
}

/// Why work ended before it was done.
pub fn why_stopped() -> &'static str {
    if interrupt::is_requested() {
        "interrupted"
    } else {
        "the time is up"
    }
}

/// The line of a number, certified first with `--verify`.
pub fn line(form: Form, result: &Factorization, digits: Digits) -> Result<String, Failure> {
    if form.global.verify {
        interrupt::until_interrupt(|| certify(result))?;
    }
    if !form.global.json {
        let mut line = format!("{}:", digits.number);
        for (factor, text) in result.factors.iter().zip(&digits.factors) {
            if factor.status.is_prime() {
                form.push(&mut line, text, factor.exponent);
            } else {
                form.push(&mut line, &format!("[{text}]"), factor.exponent);
            }
        }
        return Ok(line);
    }
    let factors = result.factors.iter().zip(digits.factors);
    let factors = factors.map(|(factor, text)| FactorRecord {
        factor: text,
        exponent: factor.exponent,
        status: factor.status,
        method: factor.origin.method,
        b1: factor.origin.b1,
        b2: factor.origin.b2,
        sigma: factor.origin.sigma,
        seconds: factor.origin.seconds,
    });
    let record = Record {
        command: "factor",
        number: digits.number,
        factors: factors.collect(),
        complete: result.is_complete(),
        engine: Engine::last_used().unwrap_or(Engine::Cpu).to_string(),
        seconds: result.seconds,
        verified: form.global.verify.then_some(true),
    };
    serde_json::to_string(&record)
        .map_err(|error| Failure::failed(format!("cannot write JSON: {error}")))
}

/// Says which factors are not known to be prime, and why.
pub fn say_what_is_left(result: &Factorization, digits: &Digits, is_done: bool) {
    let why = if is_done {
        "the methods and bounds allowed are used up"
    } else {
        why_stopped()
    };
    for (factor, text) in result.factors.iter().zip(&digits.factors) {
        let (count, place) = if text.starts_with("0x") {
            let digits = factor.value.bit_length() as f64 * 2f64.log10();
            (format!("about {digits:.0}"), "in brackets, in hexadecimal")
        } else {
            (text.len().to_string(), "in brackets")
        };
        let what = match factor.status {
            Status::Proved | Status::Probable => continue,
            Status::Composite => format!("a composite factor of {count} digits is not split"),
            Status::Unknown => {
                format!("a factor of {count} digits is not tested, and may be prime or not")
            }
        };
        output::report(&format!("bezout: {why}: {what}; it stands {place}"));
    }
}

/// Multiplies the factors up on the CPU and tests each prime again.
fn certify(result: &Factorization) -> Result<(), Failure> {
    Engine::Cpu.scope(|| {
        let mut product = Int::ONE;
        for factor in &result.factors {
            product = product.try_mul(&factor.value.try_pow(factor.exponent)?)?;
            if factor.status.is_prime() {
                certify_prime(&factor.value)?;
            }
        }
        if product == result.number {
            Ok(())
        } else {
            Err(Failure::failed(
                "verification failed: the factors do not multiply up to the number",
            ))
        }
    })
}

/// Tests a prime again.
pub fn certify_prime(prime: &Int) -> Result<(), Failure> {
    if prime.try_is_probable_prime()? {
        Ok(())
    } else {
        Err(Failure::failed(format!(
            "verification failed: {prime} is not prime"
        )))
    }
}
