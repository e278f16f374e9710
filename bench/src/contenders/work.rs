//! The work: what each kind is called, its operands, how the library does it, and what its answers
//! must satisfy.

use bezout::{Divisor, GcdAlgorithm, Int, Prepared, Result};
use rand::{Rng, RngExt};

use super::Magnitude;
use crate::{plain, proof, residue};

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
    /// The integer square root of n bits.
    Root,
    /// A power of n bits or less of a number of 64 bits.
    Power,
}

/// Operands of one kind of work.
pub struct Job {
    /// The work; never one of the prepared kinds, whose operands and answers are those of the plain
    /// ones.
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
            Work::Root => "square root",
            Work::Power => "power",
        }
    }

    /// Transforms of full length that a product takes where transforms make it; none for other
    /// work.
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
        let mut random = |n| Int::try_random_bits(n, rng);
        let (a, b) = match work {
            Work::Mul | Work::MulPrepared => (random(bits)?, random(bits)?),
            Work::Square | Work::ToDecimal | Work::Root => (random(bits)?, Int::ZERO),
            Work::Power => (random(64)?, Int::ZERO),
            Work::DivRem | Work::DivRemPrepared => (random(2 * bits)?, random(bits)?),
            Work::DivExact => {
                let b = random(bits)?;
                (random(bits)?.try_mul(&b)?, b)
            }
            Work::FromDecimal => (Int::ZERO, Int::ZERO),
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
            Work::Square | Work::ToDecimal | Work::FromDecimal | Work::Root | Work::Power => 1,
        };
        numbers * self.bits.div_ceil(8)
    }

    /// Whether an answer holds modulo the random prime, and a remainder is below its divisor.
    pub fn holds(&self, answer: &Answer<Magnitude>) -> Result<bool> {
        let (a, b) = (residue::of(&self.a)?, residue::of(&self.b)?);
        let of = |x: &Magnitude| residue::of_limbs(x);
        Ok(match (self.work, answer) {
            (Work::Mul | Work::MulPrepared, Answer::One(c)) => residue::mul(a, b) == of(c),
            (Work::Square, Answer::One(c)) => residue::mul(a, a) == of(c),
            (Work::DivRem | Work::DivRemPrepared, Answer::Two(q, r)) => {
                residue::add(residue::mul(of(q), b), of(r)) == a
                    && plain::compare(r, self.b.try_limbs()?).is_lt()
            }
            (Work::DivExact, Answer::One(q)) => residue::mul(of(q), b) == a,
            (Work::Root, Answer::One(root)) => self.is_root(root)?,
            (Work::Power, Answer::One(power)) => {
                let mut wanted = 1;
                for _ in 0..self.exponent() {
                    wanted = residue::mul(wanted, a);
                }
                wanted == of(power)
            }
            (Work::ToDecimal, Answer::Text(text)) => Some(a) == residue::of_text(text),
            (Work::Gcd | Work::Weber, Answer::One(g)) => self.is_gcd(g)?,
            // The cofactors have different signs.
            (Work::Cofactors, Answer::Three(g, s, t)) => {
                let (x, y, sum) = (residue::mul(of(s), a), residue::mul(of(t), b), of(g));
                (residue::add(x, sum) == y || residue::add(y, sum) == x) && self.is_common(g)?
            }
            (Work::FromDecimal, Answer::One(value)) => {
                Some(of(value)) == residue::of_text(&self.text)
            }
            _ => false,
        })
    }

    /// Whether g divides both operands and, below the size where cofactors take too long, is the
    /// greatest number that does. Beyond that size g must be as long as the factor that the
    /// operands were given.
    fn is_gcd(&self, g: &Magnitude) -> Result<bool> {
        if self.bits > PROVED_BITS {
            return self.is_common(g);
        }
        proof::is_gcd(&self.a, &self.b, &Int::from_limbs_slice(g))
    }

    /// The exponent of a power.
    fn exponent(&self) -> u64 {
        self.bits / 64
    }

    /// Whether 0 ≤ a − root² ≤ 2·root, the difference by its definition.
    fn is_root(&self, root: &Magnitude) -> Result<bool> {
        let root = Int::from_limbs_slice(root);
        let square = root.try_square()?;
        let is_square =
            residue::mul(residue::of(&root)?, residue::of(&root)?) == residue::of(&square)?;
        let (a, square) = (plain::Number::of(&self.a)?, plain::Number::of(&square)?);
        let rest = a.sub(&square);
        let double = plain::Number::of(&root)?.shl(1);
        Ok(is_square && !rest.is_negative() && rest.cmp(&double).is_le())
    }

    /// Whether g divides both operands, and is long enough for the factor they were given.
    fn is_common(&self, g: &Magnitude) -> Result<bool> {
        let g = Int::from_limbs_slice(g);
        Ok(g.bit_length() >= common_bits(self.bits)
            && proof::divides(&g, &self.a)?
            && proof::divides(&g, &self.b)?)
    }
}

/// Greatest common divisors of numbers of at most so many bits are proved by cofactors.
const PROVED_BITS: u64 = 1 << 22;

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
            Work::MulPrepared => Some(job.a.try_prepare()?),
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
            return prepared.try_mul(b).map(Answer::One);
        }
        if let Some(divisor) = &self.divisor {
            return divisor.try_div_rem(a).map(|(q, r)| Answer::Two(q, r));
        }
        match self.work {
            Work::Mul | Work::MulPrepared => a.try_mul(b).map(Answer::One),
            Work::Square => a.try_square().map(Answer::One),
            Work::DivRem | Work::DivRemPrepared => a.try_div_rem(b).map(|(q, r)| Answer::Two(q, r)),
            Work::DivExact => a.try_div_exact(b).map(Answer::One),
            Work::ToDecimal => a.try_to_string_radix(10).map(Answer::Text),
            Work::FromDecimal => Int::from_str_radix(text, 10).map(Answer::One),
            Work::Root => a.try_isqrt().map(Answer::One),
            Work::Power => a.try_pow(self.job.exponent()).map(Answer::One),
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
#[cfg(any(feature = "flint", feature = "gmp", feature = "malachite"))]
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
