//! `bezout gcd`: the greatest common divisor of two numbers, with a certificate on demand.

use std::time::Instant;

use bezout::{Engine, Int};
use serde::Serialize;

use crate::args::{Gcd, Global};
use crate::failure::Failure;
use crate::number::Reader;
use crate::output;

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    a_bits: u64,
    b_bits: u64,
    gcd: &'a str,
    gcd_bits: u64,
    engine: String,
    algorithm: &'static str,
    seconds: f64,
    verified: Option<bool>,
}

/// Runs the command.
pub fn run(options: &Gcd, global: &Global) -> Result<(), Failure> {
    let mut reader = Reader::default();
    let (a, b) = output::watch(global, "reading", || {
        Ok::<_, Failure>((reader.number(&options.a)?, reader.number(&options.b)?))
    })?;
    let start = Instant::now();
    let gcd = output::watch(global, "computing", || -> Result<Int, Failure> {
        let gcd = a.try_gcd(&b)?;
        gcd.try_host()?;
        Ok(gcd)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let engine = Engine::last_used().unwrap_or(Engine::Cpu);
    if global.verify {
        output::watch(global, "verifying", || {
            Engine::Cpu.scope(|| certify(&a, &b, &gcd))
        })?;
        output::remark(
            global,
            "verified: g divides a, g divides b, and s*a + t*b = g",
        );
    }
    let digits = output::watch(global, "printing", || output::digits(&gcd, options.hex))?;
    if !global.json {
        return output::text(&digits);
    }
    output::json(&Record {
        command: "gcd",
        a_bits: a.bit_length(),
        b_bits: b.bit_length(),
        gcd: &digits,
        gcd_bits: gcd.bit_length(),
        engine: engine.to_string(),
        algorithm: "half-gcd of the host library",
        seconds,
        verified: global.verify.then_some(true),
    })
}

/// Proves that `gcd` is the greatest common divisor: it divides both numbers, and every common divisor divides it
/// because it is a combination of them. The combination is found independently of `gcd`.
fn certify(a: &Int, b: &Int, gcd: &Int) -> Result<(), Failure> {
    let refuse = |what: &str| Err(Failure::failed(format!("verification failed: {what}")));
    if gcd.is_negative() {
        return refuse("the gcd is negative");
    }
    for (number, name) in [(a, "a"), (b, "b")] {
        let divides = if gcd.is_zero() {
            number.is_zero()
        } else {
            number.try_div_rem(gcd)?.1.is_zero()
        };
        if !divides {
            return refuse(&format!("the gcd does not divide {name}"));
        }
    }
    let (_, s, t) = a.try_extended_gcd(b)?;
    let combination = s.try_mul(a)?.try_add(&t.try_mul(b)?)?;
    if combination.try_host()? != gcd.try_host()? {
        return refuse("s*a + t*b is not the gcd");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_refuse_wrong_answers() {
        let certify = |a: i64, b: i64, g: i64| certify(&a.into(), &b.into(), &g.into());
        for (a, b, g) in [(12, 18, 6), (-12, 18, 6), (0, 0, 0), (0, -7, 7), (1, 1, 1)] {
            assert!(certify(a, b, g).is_ok(), "{a} {b} {g}");
        }
        for (a, b, g) in [
            (12, 18, 3),
            (12, 18, 12),
            (12, 18, -6),
            (0, 0, 1),
            (5, 5, 0),
            (4, 6, 4),
        ] {
            assert_eq!(certify(a, b, g).unwrap_err().code(), 1, "{a} {b} {g}");
        }
    }
}
