//! Two formulas for each constant. Each gives the constant in fixed point.

use super::Constant;
use super::fixed::{inverse_root, quotient, root};
use super::gamma;
use super::keep::{Keep, Storage};
use super::polynomial::Polynomial;
use super::series::{Series, Tree};
use crate::error::Result;
use crate::int::Int;
use crate::progress;

/// Which of a constant's formulas is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formula {
    /// The fastest known here.
    Fast,
    /// An independent one.
    Check,
}

/// Bits beyond those asked for. No formula below adds up errors of more than 2^20 units.
const GUARD: u64 = 32;

/// The constant times 2^bits, off by at most one unit. A storage keeps it, so that a process that
/// is stopped while it converts digits does not compute it again.
pub(super) fn value(
    constant: Constant,
    formula: Formula,
    bits: u64,
    storage: Option<&dyn Storage>,
) -> Result<Int> {
    let Some(storage) = storage.filter(|storage| bits >= storage.least_bits()) else {
        return computed(constant, formula, bits, storage);
    };
    let name = match formula {
        Formula::Fast => format!("value-{bits}"),
        Formula::Check => format!("check-{bits}"),
    };
    if let Some(kept) = storage
        .load(&name)?
        .and_then(|numbers| numbers.into_iter().next())
    {
        return Ok(kept);
    }
    let x = computed(constant, formula, bits, Some(storage))?;
    storage.save(&name, &[&x])?;
    Ok(x)
}

fn computed(
    constant: Constant,
    formula: Formula,
    bits: u64,
    storage: Option<&dyn Storage>,
) -> Result<Int> {
    let work = Work {
        bits: bits + GUARD,
        storage,
    };
    let x = match (constant, formula) {
        (Constant::Pi, Formula::Fast) => work.pi_chudnovsky(),
        (Constant::Pi, Formula::Check) => work.pi_ramanujan(),
        (Constant::E, Formula::Fast) => work.e(),
        (Constant::E, Formula::Check) => work.inverse_of_inverse_e(),
        (Constant::Sqrt2, Formula::Fast) => root(2, work.bits),
        (Constant::Sqrt2, Formula::Check) => Int::ONE.try_shl(2 * work.bits + 1)?.try_isqrt(),
        (Constant::Phi, Formula::Fast) => root(5, work.bits).and_then(|x| work.mean_with_one(&x)),
        (Constant::Phi, Formula::Check) => (Int::from(5) << (2 * work.bits))
            .try_isqrt()
            .and_then(|x| work.mean_with_one(&x)),
        (Constant::Ln2, Formula::Fast) => work.inverse_tangents(&LN2),
        (Constant::Ln2, Formula::Check) => work.inverse_tangents(&LN2_CHECK),
        (Constant::Zeta3, Formula::Fast) => work.zeta3_wedeniwski(),
        (Constant::Zeta3, Formula::Check) => work.zeta3_amdeberhan(),
        (Constant::Catalan, Formula::Fast) => work.catalan_pilehrood(),
        (Constant::Catalan, Formula::Check) => work.catalan_guillera(),
        (Constant::Gamma, Formula::Fast) => work.gamma(0, &LN2),
        (Constant::Gamma, Formula::Check) => work.gamma(1, &LN2_CHECK),
    }?;
    x.try_shr(GUARD)
}

/// Coefficients and arguments of a sum of inverse hyperbolic tangents Σ c·artanh(1/x), each with
/// the name of its series.
type Tangents = [(i64, u32, &'static str)];

/// ln 2, by Machin's way for logarithms (Gourdon and Sebah, *The logarithmic constant: log 2*).
const LN2: [(i64, u32, &str); 3] = [
    (18, 26, "artanh-26"),
    (-2, 4801, "artanh-4801"),
    (8, 8749, "artanh-8749"),
];

/// ln 2, from the same place.
const LN2_CHECK: [(i64, u32, &str); 4] = [
    (144, 251, "artanh-251"),
    (54, 449, "artanh-449"),
    (-38, 4801, "artanh-4801-check"),
    (62, 8749, "artanh-8749-check"),
];

struct Work<'a> {
    bits: u64,
    storage: Option<&'a dyn Storage>,
}

fn n() -> Polynomial {
    Polynomial::new(&[0, 1])
}

/// slope·n + constant.
fn linear(slope: i64, constant: i64) -> Polynomial {
    Polynomial::new(&[constant, slope])
}

fn number(x: i64) -> Polynomial {
    Polynomial::new(&[x])
}

impl Work<'_> {
    /// Q and T of enough terms that the rest of the series is below 2^-bits. Each term must be at
    /// least 2^`bits_per_term` times smaller than the previous one.
    fn sum(&self, name: &'static str, series: &Series, bits_per_term: f64) -> Result<(Int, Int)> {
        self.sum_of(name, series, (self.bits as f64 / bits_per_term) as u64 + 2)
    }

    fn sum_of(&self, name: &'static str, series: &Series, terms: u64) -> Result<(Int, Int)> {
        let keep = self.storage.map(|storage| Keep {
            storage,
            series: name,
        });
        let node = Tree::new(series, terms, keep).run(false, Some(self.bits))?;
        Ok((node.q, node.t))
    }

    /// 1/π = 12·Σ (−1)^n (6n)!·(A + Bn) / ((3n)!·n!³·C^(3n + 3/2)), C = 640320 (D. and G.
    /// Chudnovsky, 1988). So π = 426880·√10005·Q/T.
    fn pi_chudnovsky(&self) -> Result<Int> {
        let series = Series::new(
            number(-1) * linear(6, -5) * linear(2, -1) * linear(6, -1),
            n().pow(3) * number(10_939_058_860_032_000),
            linear(545_140_134, 13_591_409),
        );
        // The series takes most of the time, and more of it the more digits there are.
        progress::stage("pi", 10, |stage| {
            let (q, t) = stage.step(8, || self.sum("chudnovsky", &series, 47.11))?;
            let q = q.try_mul(&Int::from(426_880))?;
            let ratio = stage.step(1, || quotient(&q, &t, self.bits))?;
            drop((q, t));
            let root = stage.step(1, || root(10_005, self.bits))?;
            ratio.try_mul(&root)?.try_shr(self.bits)
        })
    }

    /// 1/π = √8/9801·Σ (4n)!·(1103 + 26390n) / (n!⁴·396^(4n)) (Ramanujan, 1914). So
    /// π = 9801/4·√2·Q/T.
    fn pi_ramanujan(&self) -> Result<Int> {
        let series = Series::new(
            linear(4, -3) * linear(2, -1) * linear(4, -1),
            n().pow(3) * number(3_073_907_232),
            linear(26_390, 1103),
        );
        let (q, t) = self.sum("ramanujan", &series, 26.5)?;
        let ratio = quotient(&q.try_mul(&Int::from(9801))?, &t, self.bits)?;
        drop((q, t));
        let root = inverse_root(2, self.bits)?;
        // √2/4 = (1/√2)/2
        ratio.try_mul(&root)?.try_shr(self.bits + 1)
    }

    /// e = Σ 1/n!.
    fn e(&self) -> Result<Int> {
        let series = Series::new(Polynomial::ONE, n(), Polynomial::ONE);
        let (q, t) = self.sum_of("e", &series, factorial_terms(self.bits))?;
        quotient(&t, &q, self.bits)
    }

    /// 1/e = Σ (−1)^n/n!.
    fn inverse_of_inverse_e(&self) -> Result<Int> {
        let series = Series::new(number(-1), n(), Polynomial::ONE);
        let (q, t) = self.sum_of("inverse-e", &series, factorial_terms(self.bits))?;
        quotient(&q, &t, self.bits)
    }

    /// γ with a power of two N: the smallest that suffices, doubled `doublings` times.
    fn gamma(&self, doublings: u32, ln2: &Tangents) -> Result<Int> {
        let m = gamma::least_exponent(self.bits) + doublings;
        let ratio = gamma::ratio(m, self.bits, self.storage)?;
        let logarithm = self.inverse_tangents(ln2)?.try_mul(&Int::from(m))?;
        ratio.try_sub(&logarithm)
    }

    /// (1 + x)/2.
    fn mean_with_one(&self, x: &Int) -> Result<Int> {
        x.try_add(&Int::ONE.try_shl(self.bits)?)?.try_shr(1)
    }

    /// Σ c·artanh(1/x), where artanh(1/x) = 1/x·Σ 1/((2n + 1)·x^(2n)).
    fn inverse_tangents(&self, parts: &Tangents) -> Result<Int> {
        // Terms of each.
        let terms = |x: u32| (self.bits as f64 / (2.0 * f64::from(x).log2())) as u64 + 2;
        let total = parts.iter().map(|(_, x, _)| terms(*x)).sum();
        progress::stage("series", total, |stage| {
            let mut sum = Int::ZERO;
            for (coefficient, x, name) in parts {
                let part = stage.step(terms(*x), || {
                    self.inverse_tangent(*coefficient, *x, name, terms(*x))
                })?;
                sum = sum.try_add(&part)?;
            }
            Ok(sum)
        })
    }

    /// c·artanh(1/x).
    fn inverse_tangent(&self, c: i64, x: u32, name: &'static str, terms: u64) -> Result<Int> {
        let x = i64::from(x);
        let series =
            Series::new(Polynomial::ONE, number(x * x), Polynomial::ONE).over(linear(2, 1));
        let (q, t) = self.sum_of(name, &series, terms)?;
        let (t, q) = (t.try_mul(&Int::from(c))?, q.try_mul(&Int::from(x))?);
        quotient(&t, &q, self.bits)
    }

    /// ζ(3) = 1/64·Σ (−1)^n n!^10·(205n² + 250n + 77) / (2n + 1)!⁵ (Amdeberhan and Zeilberger,
    /// 1997).
    fn zeta3_amdeberhan(&self) -> Result<Int> {
        let series = Series::new(
            number(-1) * n().pow(5),
            number(32) * linear(2, 1).pow(5),
            Polynomial::new(&[77, 250, 205]),
        );
        let (q, t) = self.sum("amdeberhan", &series, 10.0)?;
        quotient(&t, &q.try_shl(6)?, self.bits)
    }

    /// ζ(3) = 1/24·Σ (−1)^n ((2n + 1)!·(2n)!·n!)³·A(n) / ((3n + 2)!·(4n + 3)!³) (Wedeniwski, 1998).
    fn zeta3_wedeniwski(&self) -> Result<Int> {
        let series = Series::new(
            number(-1) * n().pow(5) * linear(2, -1).pow(3),
            number(24) * linear(3, 1) * linear(3, 2) * linear(4, 1).pow(3) * linear(4, 3).pow(3),
            Polynomial::new(&[12_463, 104_000, 336_367, 531_578, 412_708, 126_392]),
        );
        let (q, t) = self.sum("wedeniwski", &series, 16.75)?;
        quotient(&t, &q.try_mul(&Int::from(10_368))?, self.bits)
    }

    /// G = 1/64·Σ 256^n·(580n² − 184n + 15) / (n³·(2n − 1)·C(6n, 3n)·C(6n, 4n)·C(4n, 2n)) over n
    /// from 1 on (K. and T. Hessami Pilehrood, 2010).
    fn catalan_pilehrood(&self) -> Result<Int> {
        let series = Series::new(
            number(32) * n().pow(3) * linear(2, -1),
            number(9) * linear(6, 5).pow(2) * linear(6, 1).pow(2),
            Polynomial::new(&[411, 976, 580]),
        );
        let (q, t) = self.sum("pilehrood", &series, 7.5)?;
        quotient(&t, &q.try_mul(&Int::from(450))?, self.bits)
    }

    /// G = 1/2·Σ (−8)^n·(3n + 2) / ((2n + 1)³·C(2n, n)³) (Guillera, 2008).
    fn catalan_guillera(&self) -> Result<Int> {
        let series = Series::new(number(-1) * n().pow(3), linear(2, 1).pow(3), linear(3, 2));
        let (q, t) = self.sum("guillera", &series, 3.0)?;
        quotient(&t, &q.try_shl(1)?, self.bits)
    }
}

/// Terms of Σ 1/n! after which the rest is below 2^-bits.
///
/// log2 n! ≥ n·log2(n/e), and the rest after the term n is below twice the next one.
fn factorial_terms(bits: u64) -> u64 {
    let is_enough = |n: u64| n as f64 * (n as f64 / std::f64::consts::E).log2() > bits as f64 + 2.0;
    let mut most = 16;
    while !is_enough(most) {
        most *= 2;
    }
    let mut least = 1;
    while most - least > 1 {
        let middle = least.midpoint(most);
        if is_enough(middle) {
            most = middle;
        } else {
            least = middle;
        }
    }
    most + 2
}
