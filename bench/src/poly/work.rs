//! What is measured of polynomials: the operands, the library's way, and what must hold of an
//! answer whoever gave it.

use bezout::poly::Modulus;
use bezout::{Engine, Poly, Result};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The paper's prime, and the largest that the library takes.
pub const PRIME: u64 = 469_762_049;
const WIDE_PRIME: u64 = (1 << 63) - 25;

/// An operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Mul,
    /// With a modulus near 2^63.
    WideMul,
    Square,
    /// 2n by n coefficients.
    DivRem,
    Gcd,
    ExtendedGcd,
    /// Of many pairs at once.
    MulMany,
    GcdMany,
    /// As published, with the s of the tuning.
    PlainMul,
    PlainGcd,
}

impl Work {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Work::Mul => "mul",
            Work::WideMul => "mul, p near 2^63",
            Work::Square => "square",
            Work::DivRem => "divrem, 2n by n",
            Work::Gcd => "gcd",
            Work::ExtendedGcd => "extended gcd",
            Work::MulMany => "mul, many pairs",
            Work::GcdMany => "gcd, many pairs",
            Work::PlainMul => "plain mul",
            Work::PlainGcd => "plain gcd, n and 9n/10",
        }
    }

    /// Whether it is an algorithm of a device alone.
    pub fn is_plain(self) -> bool {
        matches!(self, Work::PlainMul | Work::PlainGcd)
    }

    /// Whether a device has it queued when the call returns.
    pub fn is_queued(self) -> bool {
        matches!(
            self,
            Work::Mul | Work::WideMul | Work::Square | Work::PlainMul
        )
    }
}

/// Coefficients of the common factor of the operands of a gcd.
const COMMON: usize = 16;

/// Operands on the host, the same in every run.
pub struct Job {
    pub work: Work,
    /// Coefficients of the shorter, or of both; of the longer one of a plain gcd.
    pub len: usize,
    pub p: Modulus,
    pub a: Vec<Poly>,
    pub b: Vec<Poly>,
    /// The gcds, by how the operands are made.
    common: Vec<Poly>,
}

impl Job {
    /// `pairs` pairs of operands of `len` coefficients.
    pub fn new(work: Work, len: usize, pairs: usize) -> Result<Job> {
        let p = Modulus::new(match work {
            Work::WideMul => WIDE_PRIME,
            _ => PRIME,
        })?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(len as u64);
        let mut random = |len: usize| Poly::random(len, p, &mut rng);
        let (mut a, mut b, mut common) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..pairs {
            let (la, lb) = match work {
                Work::DivRem => (2 * len, len),
                Work::PlainGcd => (len, len - len / 10),
                _ => (len, len),
            };
            match work {
                Work::Gcd | Work::ExtendedGcd | Work::GcdMany | Work::PlainGcd => {
                    let shared = COMMON.min(lb / 2).max(1);
                    let g = random(shared);
                    let [x, y] = [la, lb].map(|len| random(len - shared + 1));
                    Engine::Cpu.scope(|| {
                        a.push(g.try_mul(&x)?);
                        b.push(g.try_mul(&y)?);
                        common.push(g.try_monic()?);
                        Ok::<_, bezout::Error>(())
                    })?;
                }
                _ => {
                    a.push(random(la));
                    b.push(random(lb));
                }
            }
        }
        Ok(Job {
            work,
            len,
            p,
            a,
            b,
            common,
        })
    }

    /// All operands.
    pub fn operands(&self) -> impl Iterator<Item = &Poly> {
        self.a.iter().chain(&self.b)
    }

    /// The library's way, on the engine in force.
    pub fn apply(&self) -> Result<Vec<Poly>> {
        let (a, b) = (&self.a[0], &self.b[0]);
        Ok(match self.work {
            Work::Mul | Work::WideMul => vec![a.try_mul(b)?],
            Work::Square => vec![a.try_square()?],
            Work::DivRem => {
                let (q, r) = a.try_div_rem(b)?;
                vec![q, r]
            }
            Work::Gcd => vec![a.try_gcd(b)?],
            Work::ExtendedGcd => {
                let (g, s, t) = a.try_extended_gcd(b)?;
                vec![g, s, t]
            }
            Work::MulMany => Poly::try_mul_many(&self.a, &self.b)?,
            Work::GcdMany => Poly::try_gcd_many(&self.a, &self.b)?,
            Work::PlainMul => vec![a.try_plain_mul(b, None)?],
            Work::PlainGcd => vec![a.try_plain_gcd(b, None)?],
        })
    }

    /// Whether an answer is right: gcds are known, all else must hold at random points. A wrong
    /// polynomial of n coefficients has the right value at a point with a chance of n/p, at all of
    /// four with less than 10^-8.
    pub fn holds(&self, answer: &[Vec<u64>]) -> bool {
        let points = || (1..=4u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % self.p.get());
        let value = |x: &[u64], at: u64| value(x, at, self.p.get());
        let mul = |x: u64, y: u64| product(x, y, self.p.get());
        let plus = |x: u64, y: u64| (x + y) % self.p.get();
        let is = |g: &[u64], common: &Poly| g == common.coefficients();
        let (a, b) = (self.a[0].coefficients(), self.b[0].coefficients());
        match (self.work, answer) {
            (Work::Mul | Work::WideMul | Work::PlainMul | Work::MulMany, products) => {
                products.len() == self.a.len()
                    && self.a.iter().zip(&self.b).zip(products).all(|((a, b), c)| {
                        let (a, b) = (a.coefficients(), b.coefficients());
                        c.len() == a.len() + b.len() - 1
                            && points().all(|x| value(c, x) == mul(value(a, x), value(b, x)))
                    })
            }
            (Work::Square, [c]) => points().all(|x| value(c, x) == mul(value(a, x), value(a, x))),
            (Work::DivRem, [q, r]) => {
                let back = |x| plus(mul(value(q, x), value(b, x)), value(r, x));
                r.len() < b.len() && points().all(|x| value(a, x) == back(x))
            }
            (Work::ExtendedGcd, [g, s, t]) => {
                let sum = |x| plus(mul(value(s, x), value(a, x)), mul(value(t, x), value(b, x)));
                is(g, &self.common[0])
                    && s.len() <= b.len()
                    && t.len() <= a.len()
                    && points().all(|x| value(g, x) == sum(x))
            }
            (Work::Gcd | Work::PlainGcd | Work::GcdMany, gcds) => {
                gcds.len() == self.common.len()
                    && gcds
                        .iter()
                        .zip(&self.common)
                        .all(|(g, common)| is(g, common))
            }
            _ => false,
        }
    }
}

/// x·y modulo p.
fn product(x: u64, y: u64, p: u64) -> u64 {
    (u128::from(x) * u128::from(y) % u128::from(p)) as u64
}

/// Horner's rule, here and not in the library.
fn value(a: &[u64], x: u64, p: u64) -> u64 {
    let narrow = |sum: u64, c: &u64| (sum * x + c) % p;
    let wide = |sum: u64, c: &u64| {
        ((u128::from(product(sum, x, p)) + u128::from(*c)) % u128::from(p)) as u64
    };
    let from_top = a.iter().rev();
    if p < 1 << 31 {
        from_top.fold(0, narrow)
    } else {
        from_top.fold(0, wide)
    }
}
