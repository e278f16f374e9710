//! Work on polynomials of the host whose result is read there: whether it is sent is the choice.

use bezout::{Engine, Error, Poly, Result};

use crate::tune::Task;
use crate::tune::plain::polynomial;

/// The words of a result on the host.
type Work = fn(&Poly, &Poly) -> Result<Vec<u64>>;

/// The same polynomial with no copy but the host's.
fn anew(x: &Poly) -> Result<Poly> {
    Poly::new(x.try_coefficients()?.to_vec(), x.modulus())
}

fn task(engine: Engine, (m, n): (u64, u64), work: Work) -> Result<Task> {
    let (a, b) = (
        polynomial(Engine::Cpu, m, 11)?,
        polynomial(Engine::Cpu, n, 12)?,
    );
    let expected = Engine::Cpu.scope(|| work(&a, &b))?;
    Task::new(
        engine,
        move || work(&anew(&a)?, &anew(&b)?),
        move |found| {
            if *found == expected {
                Ok(())
            } else {
                Err(Error::Verification(
                    "work on polynomials while tuning".into(),
                ))
            }
        },
    )
}

fn words(poly: Poly) -> Result<Vec<u64>> {
    Ok(poly.try_coefficients()?.to_vec())
}

pub(in crate::tune) fn product(engine: Engine, n: u64) -> Result<Task> {
    task(engine, (n, n), |a, b| words(a.try_mul(b)?))
}

/// 2n by n coefficients.
pub(in crate::tune) fn division(engine: Engine, n: u64) -> Result<Task> {
    task(engine, (2 * n, n), |a, b| words(a.try_div_rem(b)?.0))
}

pub(in crate::tune) fn gcd(engine: Engine, n: u64) -> Result<Task> {
    task(engine, (n, n), |a, b| words(a.try_gcd(b)?))
}

/// At as many points as there are coefficients.
pub(in crate::tune) fn values(engine: Engine, n: u64) -> Result<Task> {
    task(engine, (n, n), |a, b| a.try_evaluate(b.try_coefficients()?))
}
