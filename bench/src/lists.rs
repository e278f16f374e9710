//! `lists`: polynomials, batches of rows and arrays of 2^6 to 2^22 terms, rows or keys, from the
//! host and back to it: `auto` beside the CPU and a device.
//!
//! Every call has operands of its own on the host, which are made before its time begins. The time
//! ends when the result is on the host. Engines take turns.

use std::hint::black_box;
use std::time::Instant;

use bezout::poly::{Modulus, Poly};
use bezout::sort::{Array, Options};
use bezout::{Batch, Engine};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Error;
use crate::measure;
use crate::record::{ClockKind, Measurement};
use crate::session::{Session, refuted};

/// Sizes are powers of 4 from 2^6 to this power of two.
const MOST_LOG: u32 = 22;
/// Work of which one call takes longer than this on any engine is not measured at larger sizes.
const MOST_SECONDS: f64 = 0.2;
/// Calls of each engine, at least and at most, and the seconds after which none begins.
const CALLS: (usize, usize) = (3, 25);
const SECONDS: f64 = 0.03;
/// Operands of more words are not measured.
const MOST_WORDS: usize = 1 << 22;

/// Operands on the host.
enum Operands {
    /// Two of n coefficients, and one of 2n.
    Polys([Poly; 3]),
    Rows([Batch; 3]),
    Keys(Array<u64>),
}

/// A result on the host.
enum Answer {
    Poly(Poly),
    Rows(Batch),
    Keys(Array<u64>),
    Words(Vec<u64>),
}

impl Operands {
    /// New values with the same words, which no device has.
    fn copy(&self) -> bezout::Result<Operands> {
        let poly = |x: &Poly| Poly::new(x.try_coefficients()?.to_vec(), x.modulus());
        let rows = |x: &Batch| Batch::from_limbs(x.try_limbs()?.to_vec(), x.width());
        Ok(match self {
            Operands::Polys([a, b, c]) => Operands::Polys([poly(a)?, poly(b)?, poly(c)?]),
            Operands::Rows([a, b, c]) => Operands::Rows([rows(a)?, rows(b)?, rows(c)?]),
            Operands::Keys(keys) => Operands::Keys(Array::from(keys.try_host()?.to_vec())),
        })
    }
}

impl Answer {
    /// Its words, fetched from a device where they are on one.
    fn words(&self) -> bezout::Result<&[u64]> {
        match self {
            Answer::Poly(poly) => poly.try_coefficients(),
            Answer::Rows(rows) => rows.try_limbs(),
            Answer::Keys(keys) => keys.try_host(),
            Answer::Words(words) => Ok(words),
        }
    }
}

/// Makes operands of a size.
type Maker = Box<dyn Fn(usize) -> bezout::Result<Operands>>;
/// The work.
type Call = Box<dyn Fn(&Operands) -> bezout::Result<Answer>>;

struct Kind {
    name: String,
    /// Words of an operand for each term, row or key.
    words: usize,
    operands: Maker,
    call: Call,
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let most = if session.record.quick { 8 } else { MOST_LOG };
    let sizes: Vec<u32> = (6..=most).step_by(2).collect();
    let kinds = kinds()?;
    session.expect(kinds.len() * sizes.len());
    let mut engines = vec![Engine::Cpu];
    engines.extend(session.target.as_ref().map(|target| target.engine));
    engines.push(Engine::Auto);
    for kind in &kinds {
        for (i, log) in sizes.iter().enumerate() {
            session.step(format!("{}, 2^{log}", kind.name));
            let slowest = at_size(session, kind, 1 << log, &engines)?;
            if slowest > MOST_SECONDS || kind.words << (log + 2) > MOST_WORDS {
                (i + 1..sizes.len()).for_each(|_| session.step(kind.name.clone()));
                break;
            }
        }
    }
    Ok(())
}

/// Measures one size and returns the seconds of the slowest engine's call.
fn at_size(
    session: &mut Session,
    kind: &Kind,
    size: usize,
    engines: &[Engine],
) -> Result<f64, Error> {
    let operands = (kind.operands)(size)?;
    let call = |engine: &Engine| -> Result<(f64, Answer), Error> {
        let operands = operands.copy()?;
        engine.scope(|| {
            let start = Instant::now();
            let result = (kind.call)(&operands)?;
            black_box(result.words()?);
            Ok((start.elapsed().as_secs_f64(), result))
        })
    };
    let mut expected: Option<Answer> = None;
    let mut samples = vec![Vec::new(); engines.len()];
    // The first call compiles kernels.
    for engine in engines {
        let (_, found) = call(engine)?;
        let Some(expected) = &expected else {
            expected = Some(found);
            continue;
        };
        if expected.words()? != found.words()? {
            let oracle = engines[0].to_string();
            return Err(refuted(
                &kind.name,
                &engine.to_string(),
                size as u64,
                &oracle,
            ));
        }
    }
    let began = Instant::now();
    for turn in 0..CALLS.1 {
        let is_enough = began.elapsed().as_secs_f64() > SECONDS * engines.len() as f64;
        if turn >= CALLS.0 && is_enough {
            break;
        }
        for (engine, samples) in engines.iter().zip(&mut samples) {
            samples.push(call(engine)?.0);
        }
    }
    let mut slowest = 0f64;
    for (engine, samples) in engines.iter().zip(samples) {
        let time = measure::summary(ClockKind::Host, samples);
        slowest = slowest.max(time.median);
        let name = engine.to_string();
        let measured = Measurement::alone(&kind.name, name, size as u64, time, &[]);
        session.record.measurements.push(measured);
    }
    Ok(slowest)
}

fn kinds() -> Result<Vec<Kind>, Error> {
    let mut all = Vec::new();
    for (p, name) in [
        (2_147_483_629, "31 bits"),
        (9_223_372_036_854_775_783, "63 bits"),
    ] {
        let p = Modulus::new(p)?;
        let mut add = |operation: &str, call: fn(&[Poly; 3]) -> bezout::Result<Answer>| {
            let name = format!("poly {operation}, p of {name}");
            all.push(of_polys(name, p, call));
        };
        add("product", |[a, b, _]| a.try_mul(b).map(Answer::Poly));
        add("division, 2n by n", |[a, _, long]| {
            Ok(Answer::Poly(long.try_div_rem(a)?.0))
        });
        add("gcd", |[a, b, _]| a.try_gcd(b).map(Answer::Poly));
        add("values at n points", |[a, b, _]| {
            a.try_evaluate(b.try_coefficients()?).map(Answer::Words)
        });
    }
    for bits in [64, 256, 1024, 4096] {
        let mut add = |operation: &str, call: fn(&[Batch; 3]) -> bezout::Result<Answer>| {
            let name = format!("rows {operation}, {bits} bits");
            all.push(of_rows(name, bits / 64, call));
        };
        add("product", |[a, b, _]| {
            a.all().try_mul_wide(&b.all()).map(Answer::Rows)
        });
        add("quotient", |[a, b, _]| {
            a.all().try_div(&b.all()).map(Answer::Rows)
        });
        add("square root", |[a, ..]| {
            a.all().try_sqrt().map(Answer::Rows)
        });
        add("gcd", |[a, b, _]| {
            a.all().try_gcd(&b.all()).map(Answer::Rows)
        });
        add("inverse", |[a, b, _]| {
            Ok(Answer::Rows(a.all().try_mod_inverse(&b.all())?.0))
        });
        add("power", |[a, b, c]| {
            a.all().try_pow_mod(&b.all(), &c.all()).map(Answer::Rows)
        });
        add("primality", |[a, ..]| {
            let verdicts = a.all().try_is_probable_prime()?.into_iter();
            Ok(Answer::Words(verdicts.map(u64::from).collect()))
        });
    }
    all.push(Kind {
        name: "sort, 64 bits".into(),
        words: 1,
        operands: Box::new(|size| Ok(Operands::Keys(Array::from(random(size, 0))))),
        call: Box::new(|operands| match operands {
            Operands::Keys(keys) => keys.try_sorted(Options::default()).map(Answer::Keys),
            _ => unreachable!("the operands of this kind are keys"),
        }),
    });
    Ok(all)
}

fn of_polys(name: String, p: Modulus, call: fn(&[Poly; 3]) -> bezout::Result<Answer>) -> Kind {
    Kind {
        name,
        words: 1,
        operands: Box::new(move |size| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(size as u64);
            let polys = [size, size, 2 * size].map(|len| Poly::random(len, p, &mut rng));
            Ok(Operands::Polys(polys))
        }),
        call: Box::new(move |operands| match operands {
            Operands::Polys(polys) => call(polys),
            _ => unreachable!("the operands of this kind are polynomials"),
        }),
    }
}

/// Odd rows: every row is a modulus.
fn of_rows(name: String, width: usize, call: fn(&[Batch; 3]) -> bezout::Result<Answer>) -> Kind {
    Kind {
        name,
        words: width,
        operands: Box::new(move |size| {
            let rows = |seed: u64| {
                let limbs = random(size * width, seed).into_iter();
                Batch::from_limbs(limbs.map(|limb| limb | 1).collect(), width)
            };
            Ok(Operands::Rows([rows(0)?, rows(1)?, rows(2)?]))
        }),
        call: Box::new(move |operands| match operands {
            Operands::Rows(rows) => call(rows),
            _ => unreachable!("the operands of this kind are rows"),
        }),
    }
}

fn random(count: usize, seed: u64) -> Vec<u64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| rng.random()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_measured() {
        let mut session = Session::begin("lists", true, true).expect("a session");
        session.target = None;
        run(&mut session).expect("measurements");
        let measured = &session.record.measurements;
        for kind in kinds().expect("kinds") {
            // The CPU and auto, at one size at least: slow work is not measured at larger sizes.
            let count = measured.iter().filter(|m| m.operation == kind.name).count();
            assert!(matches!(count, 2 | 4), "{}: {count}", kind.name);
        }
    }
}
