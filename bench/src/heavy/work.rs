//! The work: what each kind is called, its operands, how the library and malachite do it, and what its answers must satisfy.

use std::str::FromStr;
use std::sync::OnceLock;

use bezout::{Divisor, GcdAlgorithm, Int, Prepared, Result};
use malachite_base::num::arithmetic::traits::{
    DivExact, DivRem, DivisibleBy, ExtendedGcd, Gcd, Square,
};
use malachite_base::num::factorization::traits::IsPrime;
use malachite_base::num::logic::traits::SignificantBits;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::rngs::SysRng;
use rand::{Rng, RngExt, TryRng};

/// A kind of work on numbers of n bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// n bits by n bits.
    Mul,
    /// The same, one operand prepared.
    MulPrepared,
    /// n bits.
    Square,
    /// 2n bits by n bits, quotient and remainder.
    DivRem,
    /// The same, the divisor prepared.
    DivRemPrepared,
    /// 2n bits by n bits where the remainder is known to be 0.
    DivExact,
    /// n bits to decimal digits.
    ToDecimal,
    /// Decimal digits to n bits.
    FromDecimal,
    /// The greatest common divisor of two numbers of n bits.
    Gcd,
    /// The same by Weber's algorithm.
    Weber,
    /// The same with cofactors.
    Cofactors,
}

/// Operands of one kind of work.
pub struct Job {
    /// The work; never one of the prepared kinds, whose operands and answers are those of the plain ones.
    pub work: Work,
    /// n.
    pub bits: u64,
    /// The first operand, or 0.
    pub a: Int,
    /// The second operand, or 0.
    pub b: Int,
    /// The digits, or nothing.
    pub text: String,
}

/// What work gives, in the numbers of one library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<N> {
    /// A number.
    One(N),
    /// Quotient and remainder.
    Two(N, N),
    /// A greatest common divisor and the sizes of its cofactors.
    Three(N, N, N),
    /// Decimal digits.
    Text(String),
}

impl<N> Answer<N> {
    /// The same in other numbers.
    pub fn try_map<M, E>(
        self,
        mut each: impl FnMut(N) -> std::result::Result<M, E>,
    ) -> std::result::Result<Answer<M>, E> {
        Ok(match self {
            Answer::One(a) => Answer::One(each(a)?),
            Answer::Two(a, b) => Answer::Two(each(a)?, each(b)?),
            Answer::Three(a, b, c) => Answer::Three(each(a)?, each(b)?, each(c)?),
            Answer::Text(text) => Answer::Text(text),
        })
    }
}

impl Work {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Work::Mul => "mul",
            Work::MulPrepared => "mul, prepared operand",
            Work::Square => "square",
            Work::DivRem => "divrem",
            Work::DivRemPrepared => "divrem, prepared divisor",
            Work::DivExact => "exact division",
            Work::ToDecimal => "to decimal",
            Work::FromDecimal => "from decimal",
            Work::Gcd => "gcd",
            Work::Weber => "gcd by weber",
            Work::Cofactors => "gcd with cofactors",
        }
    }

    /// Transforms of full length that a product takes where transforms make it; none for other work.
    pub fn transforms(self) -> Option<u32> {
        match self {
            Work::Mul => Some(3),
            Work::MulPrepared | Work::Square => Some(2),
            _ => None,
        }
    }
}

impl Job {
    /// Random operands for `work` at `bits` bits.
    pub fn new(work: Work, bits: u64, rng: &mut impl Rng) -> Result<Job> {
        let mut random = |n| Int::random_bits(n, rng);
        let (a, b) = match work {
            Work::Mul | Work::MulPrepared => (random(bits)?, random(bits)?),
            Work::Square | Work::ToDecimal => (random(bits)?, Int::zero()),
            Work::DivRem | Work::DivRemPrepared => (random(2 * bits)?, random(bits)?),
            Work::DivExact => {
                let b = random(bits)?;
                (random(bits)?.try_mul(&b)?, b)
            }
            Work::FromDecimal => (Int::zero(), Int::zero()),
            Work::Gcd | Work::Weber | Work::Cofactors => {
                let common = random(common_bits(bits))?;
                let mut part = || random(bits - common_bits(bits))?.try_mul(&common);
                (part()?, part()?)
            }
        };
        let text = match work {
            Work::FromDecimal => digits(bits, rng),
            _ => String::new(),
        };
        Ok(Job {
            work,
            bits,
            a,
            b,
            text,
        })
    }

    /// Bytes of its operands, the number's where they are digits.
    pub fn operand_bytes(&self) -> u64 {
        let numbers = match self.work {
            Work::Mul | Work::MulPrepared | Work::Gcd | Work::Weber | Work::Cofactors => 2,
            Work::DivRem | Work::DivRemPrepared | Work::DivExact => 3,
            Work::Square | Work::ToDecimal | Work::FromDecimal => 1,
        };
        numbers * self.bits.div_ceil(8)
    }

    /// malachite's way.
    pub fn by_malachite(&self) -> Result<Answer<Integer>> {
        let (a, b) = (self.a.try_host()?, self.b.try_host()?);
        Ok(match self.work {
            Work::Mul | Work::MulPrepared => Answer::One(a * b),
            Work::Square => Answer::One(a.square()),
            Work::DivRem | Work::DivRemPrepared => {
                let (quotient, remainder) = a.div_rem(b);
                Answer::Two(quotient, remainder)
            }
            Work::DivExact => Answer::One(a.div_exact(b)),
            Work::ToDecimal => Answer::Text(a.to_string()),
            Work::FromDecimal => Answer::One(Integer::from_str(&self.text).map_err(|()| bad())?),
            Work::Gcd | Work::Weber => Answer::One(Integer::from(a.gcd(b))),
            Work::Cofactors => {
                let (g, s, t) = a.extended_gcd(b);
                Answer::Three(Integer::from(g), s, t)
            }
        })
    }

    /// Whether an answer holds modulo a prime drawn for each process, and a remainder is below its divisor. A wrong answer of
    /// n bits passes only where the prime, one of 2^54, is among the n/60 factors that the error can have at most.
    pub fn holds(&self, answer: &Answer<Natural>) -> Result<bool> {
        let p = Natural::from(prime());
        let host = |x: &Int| Ok::<_, bezout::Error>(x.try_host()?.unsigned_abs_ref() % &p);
        let (a, b) = (host(&self.a)?, host(&self.b)?);
        let same = |x: Natural, y: Natural| x % &p == y % &p;
        Ok(match (self.work, answer) {
            (Work::Mul | Work::MulPrepared, Answer::One(c)) => same(a * b, c % &p),
            (Work::Square, Answer::One(c)) => same((&a).square(), c % &p),
            (Work::DivRem | Work::DivRemPrepared, Answer::Two(q, r)) => {
                same((q % &p) * b + r % &p, a) && r < self.b.try_host()?.unsigned_abs_ref()
            }
            (Work::DivExact, Answer::One(q)) => same((q % &p) * b, a),
            (Work::ToDecimal, Answer::Text(text)) => Some(a) == text_residue(text),
            (Work::Gcd | Work::Weber, Answer::One(g)) => self.is_common(g)?,
            // The cofactors have different signs.
            (Work::Cofactors, Answer::Three(g, s, t)) => {
                let (x, y) = ((s % &p) * a, (t % &p) * b);
                (same(&x + g, y.clone()) || same(y + g, x)) && self.is_common(g)?
            }
            (Work::FromDecimal, Answer::One(value)) => Some(value % &p) == text_residue(&self.text),
            _ => false,
        })
    }
}

impl Job {
    /// Whether g divides both operands, and is long enough for the factor they were given.
    fn is_common(&self, g: &Natural) -> Result<bool> {
        let divides =
            |x: &Int| Ok::<_, bezout::Error>(x.try_host()?.unsigned_abs_ref().divisible_by(g));
        Ok(
            g.significant_bits() >= common_bits(self.bits)
                && divides(&self.a)?
                && divides(&self.b)?,
        )
    }
}

/// Bits of the factor that operands of a greatest common divisor have in common by their making.
fn common_bits(bits: u64) -> u64 {
    64.min(bits / 2)
}

/// The library's way, on the engine in force, with what was prepared beforehand.
pub struct Ours<'a> {
    job: &'a Job,
    work: Work,
    prepared: Option<Prepared>,
    divisor: Option<Divisor>,
}

impl Ours<'_> {
    /// Prepares for `work`, which is that of the job or its prepared kind.
    pub fn new(job: &Job, work: Work) -> Result<Ours<'_>> {
        let prepared = match work {
            Work::MulPrepared => Some(job.a.prepare()?),
            _ => None,
        };
        let divisor = match work {
            Work::DivRemPrepared => Some(Divisor::new(&job.b)?),
            _ => None,
        };
        Ok(Ours {
            job,
            work,
            prepared,
            divisor,
        })
    }

    /// Does it.
    pub fn apply(&self) -> Result<Answer<Int>> {
        let Job { a, b, text, .. } = self.job;
        if let Some(prepared) = &self.prepared {
            return prepared.mul(b).map(Answer::One);
        }
        if let Some(divisor) = &self.divisor {
            return divisor.try_div_rem(a).map(|(q, r)| Answer::Two(q, r));
        }
        match self.work {
            Work::Mul | Work::MulPrepared => a.try_mul(b).map(Answer::One),
            Work::Square => a.try_square().map(Answer::One),
            Work::DivRem | Work::DivRemPrepared => a.try_div_rem(b).map(|(q, r)| Answer::Two(q, r)),
            Work::DivExact => a.try_div_exact(b).map(Answer::One),
            Work::ToDecimal => a.to_string_radix(10).map(Answer::Text),
            Work::FromDecimal => Int::from_str_radix(text, 10).map(Answer::One),
            Work::Gcd => a.try_gcd(b).map(Answer::One),
            Work::Weber => {
                let found = a.try_gcd_by(b, GcdAlgorithm::Weber);
                found.map(|(g, _)| Answer::One(g))
            }
            Work::Cofactors => a
                .try_extended_gcd(b)
                .map(|(g, s, t)| Answer::Three(g, s, t)),
        }
    }
}

/// The error for digits that a library does not read.
pub fn bad() -> bezout::Error {
    bezout::Error::Domain("digits that were not read".into())
}

/// As many random digits as numbers of `bits` bits have; the first is not 0.
fn digits(bits: u64, rng: &mut impl Rng) -> String {
    let count = (bits as f64 * std::f64::consts::LOG10_2).ceil() as usize;
    let mut text = String::with_capacity(count);
    text.push(rng.random_range('1'..='9'));
    text.extend((1..count).map(|_| rng.random_range('0'..='9')));
    text
}

/// Decimal digits modulo the prime; none where they are not digits.
fn text_residue(text: &str) -> Option<Natural> {
    let p = u128::from(prime());
    let mut residue = 0u128;
    for chunk in text.as_bytes().chunks(18) {
        let digits: u64 = std::str::from_utf8(chunk).ok()?.parse().ok()?;
        let power = 10u128.pow(chunk.len() as u32);
        residue = (residue * power + u128::from(digits)) % p;
    }
    Some(Natural::from(residue as u64))
}

/// A prime between 2^60 and 2^61, drawn once.
fn prime() -> u64 {
    static PRIME: OnceLock<u64> = OnceLock::new();
    *PRIME.get_or_init(|| {
        let seed = SysRng.try_next_u64().unwrap_or(0x9e37_79b9_7f4a_7c15);
        let mut candidate = (1 << 60) | (seed >> 5) | 1;
        while !candidate.is_prime() {
            candidate += 2;
        }
        candidate
    })
}
