//! The operations of [`Poly`]: checks, the choice of engine, and the code of that engine.
//!
//! Under `Auto` an operation runs on a device where its operands are there already. Operands on the
//! host are sent there where that pays (`weight.rs`).

use super::coefficients::{Coefficients, DeviceCoefficients};
use super::modulus::Modulus;
use super::weight::Operation;
use super::{Poly, check, compose, cuda, div, eval, gcd, linear, mul};
use crate::engine;
use crate::error::{Error, Result};
use crate::int::Int;
use crate::memory;

impl Poly {
    /// Both operands, if they have one modulus, to one engine.
    pub(super) fn with<T>(
        &self,
        operation: Operation,
        other: &Poly,
        on_cpu: impl FnOnce(&[u64], &[u64], Modulus) -> Result<T>,
        on_cuda: impl FnOnce(&DeviceCoefficients, &DeviceCoefficients, Modulus) -> Result<T>,
    ) -> Result<T> {
        let p = self.modulus;
        if p != other.modulus {
            return Err(two_moduli(p, other.modulus));
        }
        let (a, b) = (&self.coefficients, &other.coefficients);
        engine::run(
            operation.work(a.len_bound(), b.len_bound(), p),
            [a.residence(), b.residence()],
            || on_cpu(a.host()?, b.host()?, p),
            |device| on_cuda(&a.on(device)?, &b.on(device)?, p),
        )
    }

    /// The one operand to one engine.
    fn alone<T>(
        &self,
        operation: Operation,
        on_cpu: impl FnOnce(&[u64], Modulus) -> Result<T>,
        on_cuda: impl FnOnce(&DeviceCoefficients, Modulus) -> Result<T>,
    ) -> Result<T> {
        let (a, p) = (&self.coefficients, self.modulus);
        engine::run(
            operation.work(a.len_bound(), 0, p),
            [a.residence()],
            || on_cpu(a.host()?, p),
            |device| on_cuda(&a.on(device)?, p),
        )
    }

    fn same_field(&self, result: Result<Coefficients>) -> Result<Poly> {
        Ok(Poly::wrap(result?, self.modulus))
    }

    /// The number of coefficients: the degree and one, or 0 for the polynomial 0.
    pub fn try_len(&self) -> Result<usize> {
        match self.coefficients.device() {
            Some(device) if !self.coefficients.is_on_host() => {
                cuda::length(&self.coefficients.on(&device)?)
            }
            _ => Ok(self.coefficients.host()?.len()),
        }
    }

    /// The leading coefficient, 0 for 0; the only one that is fetched from a device.
    pub(super) fn try_leading(&self) -> Result<u64> {
        let mut top = [0];
        match self.coefficients.device() {
            Some(device) if !self.coefficients.is_on_host() => {
                let there = self.coefficients.on(&device)?;
                if let Some(at) = cuda::length(&there)?.checked_sub(1) {
                    device.download(&there.buffer, at, &mut top)?;
                }
            }
            _ => top[0] = self.coefficients.host()?.last().copied().unwrap_or(0),
        }
        Ok(top[0])
    }

    /// self + other.
    pub fn try_add(&self, other: &Poly) -> Result<Poly> {
        self.same_field(self.with(
            Operation::Linear,
            other,
            |a, b, p| Ok(linear::add(a, b, p).into()),
            cuda::add,
        ))
    }

    /// self − other.
    pub fn try_sub(&self, other: &Poly) -> Result<Poly> {
        self.same_field(self.with(
            Operation::Linear,
            other,
            |a, b, p| Ok(linear::sub(a, b, p).into()),
            cuda::sub,
        ))
    }

    /// −self.
    pub fn try_neg(&self) -> Result<Poly> {
        self.same_field(self.alone(
            Operation::Linear,
            |a, p| Ok(linear::neg(a, p).into()),
            cuda::neg,
        ))
    }

    /// c·self, c taken modulo p.
    pub fn try_scale(&self, c: u64) -> Result<Poly> {
        let c = self.modulus.reduce(c);
        self.same_field(self.alone(
            Operation::Linear,
            |a, p| Ok(linear::scale(a, c, p).into()),
            |a, p| cuda::scale(a, c, p),
        ))
    }

    /// The derivative.
    pub fn try_derivative(&self) -> Result<Poly> {
        self.same_field(self.alone(
            Operation::Linear,
            |a, p| Ok(linear::derivative(a, p).into()),
            cuda::derivative,
        ))
    }

    /// self divided by its leading coefficient; 0 for 0.
    pub fn try_monic(&self) -> Result<Poly> {
        match self.try_leading()? {
            0 | 1 => Ok(self.clone()),
            top => self.try_scale(self.modulus.inverse(top)),
        }
    }

    /// self · other.
    pub fn try_mul(&self, other: &Poly) -> Result<Poly> {
        if self.coefficients.is_same(&other.coefficients) {
            return self.try_square();
        }
        let product = self.same_field(self.with(
            Operation::Product,
            other,
            |a, b, p| Ok(product(a, b, p)?.into()),
            cuda::mul,
        ))?;
        check::product("polynomial product", self, other, None, &product)?;
        Ok(product)
    }

    /// self².
    pub fn try_square(&self) -> Result<Poly> {
        let square = self.same_field(self.alone(
            Operation::Square,
            |a, p| Ok(square(a, p)?.into()),
            cuda::square,
        ))?;
        check::product("polynomial square", self, self, None, &square)?;
        Ok(square)
    }

    /// (q, r) with self = q·other + r, r of lower degree than other.
    pub fn try_div_rem(&self, other: &Poly) -> Result<(Poly, Poly)> {
        let (q, r) = self.with(
            Operation::Division,
            other,
            |a, b, p| {
                let (q, r) = div::div_rem(a, b, p)?;
                Ok((q.into(), r.into()))
            },
            cuda::div_rem,
        )?;
        let [q, r] = [q, r].map(|part| Poly::wrap(part, self.modulus));
        check::product("polynomial division", &q, other, Some(&r), self)?;
        Ok((q, r))
    }

    /// self modulo other.
    pub fn try_rem(&self, other: &Poly) -> Result<Poly> {
        Ok(self.try_div_rem(other)?.1)
    }

    /// The greatest common divisor, monic; 0 where both are 0.
    pub fn try_gcd(&self, other: &Poly) -> Result<Poly> {
        self.same_field(self.with(
            Operation::Gcd,
            other,
            |a, b, p| Ok(gcd::gcd(a, b, p)?.into()),
            cuda::gcd,
        ))
    }

    /// (g, s, t) with s·self + t·other = g, the monic gcd, where deg s < deg other − deg g and deg
    /// t < deg self − deg g unless one of the operands divides the other.
    pub fn try_extended_gcd(&self, other: &Poly) -> Result<(Poly, Poly, Poly)> {
        let found = self.with(
            Operation::Gcd,
            other,
            |a, b, p| Ok(gcd::extended_gcd(a, b, p)?.map(Coefficients::from)),
            cuda::extended_gcd,
        )?;
        let [g, s, t] = found.map(|part| Poly::wrap(part, self.modulus));
        Ok((g, s, t))
    }

    /// The resultant: 0 exactly where both have a common factor or one is 0.
    pub fn try_resultant(&self, other: &Poly) -> Result<u64> {
        self.with(Operation::Gcd, other, gcd::resultant, cuda::resultant)
    }

    /// The values at these points, which are taken modulo p.
    pub fn try_evaluate(&self, points: &[u64]) -> Result<Vec<u64>> {
        let points: Vec<u64> = points.iter().map(|x| self.modulus.reduce(*x)).collect();
        self.alone(
            Operation::Values(points.len()),
            |a, p| eval::evaluate(a, &points, p),
            |a, p| cuda::evaluate(a, &points, p),
        )
    }

    /// The polynomial of least degree with these values at these points. An error if a point is
    /// repeated, or the lengths differ.
    pub fn try_interpolate(points: &[u64], values: &[u64], modulus: Modulus) -> Result<Poly> {
        if points.len() != values.len() {
            return Err(Error::Domain(format!(
                "{} points and {} values: there must be one value for each point",
                points.len(),
                values.len()
            )));
        }
        memory::check("interpolation", 64 * points.len() as u128)?;
        let reduce = |list: &[u64]| list.iter().map(|x| modulus.reduce(*x)).collect::<Vec<_>>();
        let (points, values) = (reduce(points), reduce(values));
        eval::check_distinct(&points)?;
        let found = engine::run(
            Operation::Interpolation.work(points.len(), 0, modulus),
            [engine::Residence::Host],
            || Ok(eval::interpolate(&points, &values, modulus)?.into()),
            |device| cuda::interpolate(device, &points, &values, modulus),
        )?;
        Ok(Poly::wrap(found, modulus))
    }

    /// self(other).
    pub fn try_compose(&self, other: &Poly) -> Result<Poly> {
        self.same_field(self.with(
            Operation::Composition,
            other,
            |a, b, p| Ok(compose::compose(a, b, p)?.into()),
            cuda::compose,
        ))
    }

    /// self^exponent modulo other; an error for a negative exponent.
    pub fn try_pow_mod(&self, exponent: &Int, other: &Poly) -> Result<Poly> {
        if exponent.is_negative() {
            return Err(Error::Domain(
                "a power of a polynomial cannot have a negative exponent".into(),
            ));
        }
        let exponent = exponent.limbs();
        self.same_field(self.with(
            Operation::PowerModulo,
            other,
            |a, m, p| Ok(div::pow_mod(a, exponent, m, p)?.into()),
            |a, m, p| cuda::pow_mod(a, exponent, m, p),
        ))
    }

    /// The products of pairs; both lists must have one length, and all polynomials one modulus.
    pub fn try_mul_many(a: &[Poly], b: &[Poly]) -> Result<Vec<Poly>> {
        let on_cpu = |(a, b): &Pair<&[u64]>, p| product(a, b, p);
        let products = many(Operation::Linear, a, b, on_cpu, cuda::mul_many)?;
        for ((a, b), product) in a.iter().zip(b).zip(&products) {
            check::product("polynomial product", a, b, None, product)?;
        }
        Ok(products)
    }

    /// The monic gcds of pairs; both lists must have one length, and all polynomials one modulus.
    pub fn try_gcd_many(a: &[Poly], b: &[Poly]) -> Result<Vec<Poly>> {
        many(
            Operation::Gcd,
            a,
            b,
            |(a, b), p| gcd::gcd(a, b, p),
            cuda::gcd_many,
        )
    }
}

/// Peak memory of a product in multiples of its own size: up to four primes with the residues of
/// both operands, and the operands.
pub(super) const PRODUCT_MEMORY: u64 = 10;

/// Refuses a product of this many coefficients that could not be computed in memory.
fn check_len(len: usize) -> Result<()> {
    memory::check_copies("polynomial product", 64 * len as u128, PRODUCT_MEMORY)
}

fn product(a: &[u64], b: &[u64], p: Modulus) -> Result<Vec<u64>> {
    check_len(a.len() + b.len())?;
    Ok(mul::mul(a, b, p))
}

fn square(a: &[u64], p: Modulus) -> Result<Vec<u64>> {
    check_len(2 * a.len())?;
    Ok(mul::square(a, p))
}

type Pair<T> = (T, T);

/// One operation on many pairs: side by side on all threads, or all at once on a device.
fn many(
    operation: Operation,
    a: &[Poly],
    b: &[Poly],
    on_cpu: impl Fn(&Pair<&[u64]>, Modulus) -> Result<Vec<u64>> + Sync,
    on_cuda: impl FnOnce(&[Pair<DeviceCoefficients>], Modulus) -> Result<Vec<Coefficients>>,
) -> Result<Vec<Poly>> {
    if a.len() != b.len() {
        return Err(Error::Domain(format!(
            "a batch needs two lists of one length: these have {} and {} polynomials",
            a.len(),
            b.len()
        )));
    }
    let Some(p) = a.first().map(|first| first.modulus) else {
        return Ok(Vec::new());
    };
    if let Some(other) = a.iter().chain(b).find(|other| other.modulus != p) {
        return Err(two_moduli(p, other.modulus));
    }
    let pairs: Vec<Pair<&Coefficients>> = a
        .iter()
        .zip(b)
        .map(|(a, b)| (&a.coefficients, &b.coefficients))
        .collect();
    let residences = pairs
        .iter()
        .flat_map(|(a, b)| [a.residence(), b.residence()]);
    let lens = pairs.iter().map(|(a, b)| (a.len_bound(), b.len_bound()));
    let found = engine::run(
        operation.work_of_many(lens, p),
        residences,
        || {
            let host =
                |(a, b): &Pair<&Coefficients>| Ok(on_cpu(&(a.host()?, b.host()?), p)?.into());
            engine::map(&pairs, &host)
        },
        |device| {
            let there = |(a, b): &Pair<&Coefficients>| Ok((a.on(device)?, b.on(device)?));
            let there: Result<Vec<_>> = pairs.iter().map(there).collect();
            on_cuda(&there?, p)
        },
    )?;
    Ok(found.into_iter().map(|c| Poly::wrap(c, p)).collect())
}

fn two_moduli(p: Modulus, other: Modulus) -> Error {
    Error::Domain(format!("two moduli: {p} and {other}"))
}
