//! Calls beyond the operators, beside GMP: number theory, bits, and numbers that have names.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::hint::black_box;

use bezout::Int;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::arithmetic::{Contender, timed};
use super::{Answer, Set, Work};
use crate::plain::Number;

/// A call. Unless it says otherwise, its operands are random numbers of n bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    And,
    Negate,
    Equal,
    Hash,
    /// The division that rounds down, 2n bits by n bits.
    DivRemFloor,
    Lcm,
    ExtendedGcd,
    /// The inverse of a number modulo another that has no divisor in common with it.
    Inverse,
    /// Jacobi's symbol over an odd number.
    Jacobi,
    Isqrt,
    SqrtRem,
    /// Whether a square is one.
    IsSquare,
    /// The cube root and the remainder.
    RootRem,
    /// Threes taken out of a number, half of whose bits they are.
    Remove,
    Bit,
    CountOnes,
    /// Base, exponent and odd modulus of n bits.
    PowMod,
    /// Of a product of two primes of half the bits.
    IsPrime,
    Factorial,
    Binomial,
    Fibonacci,
}

/// The calls and log2 of their largest n. What has one size only stands with the results of 64
/// bits.
pub const CALLS: [(Call, u32); 21] = [
    (Call::And, 12),
    (Call::Negate, 12),
    (Call::Equal, 12),
    (Call::Hash, 12),
    (Call::DivRemFloor, 12),
    (Call::Lcm, 12),
    (Call::ExtendedGcd, 12),
    (Call::Inverse, 12),
    (Call::Jacobi, 12),
    (Call::Isqrt, 12),
    (Call::SqrtRem, 12),
    (Call::IsSquare, 10),
    (Call::RootRem, 8),
    (Call::Remove, 12),
    (Call::Bit, 12),
    (Call::CountOnes, 12),
    (Call::PowMod, 10),
    (Call::IsPrime, 8),
    (Call::Factorial, 6),
    (Call::Binomial, 6),
    (Call::Fibonacci, 6),
];

/// log2 of the sizes.
pub const SIZES: [u32; 6] = [5, 6, 7, 8, 10, 12];

/// The bit that [`Call::Bit`] asks for.
const BIT: u32 = 20;

impl Call {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Call::And => "and",
            Call::Negate => "negate",
            Call::Equal => "equal",
            Call::Hash => "hash",
            Call::DivRemFloor => "divrem floor",
            Call::Lcm => "lcm",
            Call::ExtendedGcd => "extended gcd",
            Call::Inverse => "modular inverse",
            Call::Jacobi => "Jacobi",
            Call::Isqrt => "square root",
            Call::SqrtRem => "square root, rest",
            Call::IsSquare => "is square",
            Call::RootRem => "cube root, rest",
            Call::Remove => "remove 3",
            Call::Bit => "bit",
            Call::CountOnes => "count ones",
            Call::PowMod => "modular power",
            Call::IsPrime => "is prime, composite",
            Call::Factorial => "20!",
            Call::Binomial => "50 over 20",
            Call::Fibonacci => "Fibonacci 50",
        }
    }

    /// Whether n has this log2 among its sizes.
    pub fn has_size(self, log: u32) -> bool {
        !matches!(self, Call::Factorial | Call::Binomial | Call::Fibonacci) || log == 6
    }

    /// Operands a, b and c.
    pub fn operands(self, bits: u64, rng: &mut Xoshiro256PlusPlus) -> bezout::Result<[Int; 3]> {
        let mut random = |bits| Int::try_random_bits(bits, rng);
        let (mut a, mut b, mut c) = (random(bits)?, random(bits)?, random(bits)?);
        match self {
            Call::DivRemFloor => a = random(2 * bits)?,
            Call::Equal => b = a.clone(),
            Call::Inverse => {
                while a.try_gcd(&b)? != 1 {
                    a = random(bits)?;
                }
            }
            Call::Jacobi => b.try_set_bit(0)?,
            Call::PowMod => c.try_set_bit(0)?,
            Call::IsSquare => a = random(bits / 2)?.try_square()?,
            Call::Remove => a = random(bits / 2)?.try_mul(&Int::from(3).try_pow(bits * 5 / 16)?)?,
            Call::IsPrime => {
                b = random(bits / 2)?.try_next_prime()?;
                a = random(bits / 2)?.try_next_prime()?.try_mul(&b)?;
            }
            _ => {}
        }
        Ok([a, b, c])
    }

    /// Whether an answer is right by definition.
    pub fn holds(self, set: &Set<Int>, answer: &Answer) -> bezout::Result<bool> {
        let (a, b, c) = (&set.a, &set.b, &set.c);
        let number = |x: &Number| Int::from_sign_limbs(x.is_negative(), x.limbs().to_vec());
        let is_floor = |root: &Int, rest: &Int, n: u64| {
            let is_rest = root.try_pow(n)?.try_add(rest)? == *a && !rest.is_negative();
            Ok(is_rest && root.try_add_small(1)?.try_pow(n)? > *a)
        };
        Ok(match (self, answer) {
            (Call::And, Answer::One(x)) => {
                let limbs = a.limbs().iter().zip(b.limbs());
                *x == Number::new(false, limbs.map(|(x, y)| x & y).collect())
            }
            (Call::Negate, Answer::One(x)) => number(x).try_add(a)? == 0,
            (Call::Equal, Answer::Count(x)) => *x == 1,
            // Libraries hash different things.
            (Call::Hash, Answer::Nothing) => true,
            (Call::DivRemFloor, Answer::Two(q, r)) => {
                let (q, r) = (number(q), number(r));
                q.try_mul(b)?.try_add(&r)? == *a && !r.is_negative() && r < *b
            }
            (Call::Lcm, Answer::One(x)) => {
                number(x).try_mul(&a.try_gcd(b)?)? == a.try_mul(b)? && !x.is_negative()
            }
            (Call::ExtendedGcd, Answer::Three(g, s, t)) => {
                Int::verify_gcd(a, b, &number(g), &number(s), &number(t)).is_ok()
            }
            (Call::Inverse, Answer::One(x)) => {
                let x = number(x);
                let is_reduced = !x.is_negative() && x < *b;
                is_reduced && x.try_mul(a)?.try_add_small(-1)?.try_is_multiple_of(b)?
            }
            (Call::Jacobi, Answer::Count(x)) => *x == jacobi(a, b)?,
            (Call::Isqrt, Answer::One(s)) => {
                let s = number(s);
                is_floor(&s, &a.try_sub(&s.try_square()?)?, 2)?
            }
            (Call::SqrtRem, Answer::Two(s, r)) => is_floor(&number(s), &number(r), 2)?,
            (Call::IsSquare, Answer::Count(x)) => *x == 1,
            (Call::RootRem, Answer::Two(s, r)) => is_floor(&number(s), &number(r), 3)?,
            (Call::Remove, Answer::Counted(rest, count)) => {
                let (rest, three) = (number(rest), Int::from(3));
                rest.try_mul(&three.try_pow(*count)?)? == *a && !rest.try_is_multiple_of(&three)?
            }
            (Call::Bit, Answer::Count(x)) => *x == (a.limbs()[0] >> BIT & 1) as i64,
            (Call::CountOnes, Answer::Count(x)) => {
                *x == a
                    .limbs()
                    .iter()
                    .map(|limb| i64::from(limb.count_ones()))
                    .sum::<i64>()
            }
            (Call::PowMod, Answer::One(x)) => number(x) == power(a, b, c)?,
            (Call::IsPrime, Answer::Count(x)) => *x == 0 && a.try_is_multiple_of(b)?,
            (Call::Factorial, Answer::One(x)) => number(x) == (1..=20).product::<u64>(),
            (Call::Binomial, Answer::One(x)) => {
                let step = |x: u128, i: u128| x * (50 - i) / (i + 1);
                number(x) == (0..20).fold(1, step)
            }
            (Call::Fibonacci, Answer::One(x)) => {
                let pair = (0..50).fold((0u64, 1), |(x, y), _| (y, x + y));
                number(x) == pair.0
            }
            _ => false,
        })
    }
}

/// Jacobi's symbol by reciprocity and remainders.
fn jacobi(a: &Int, n: &Int) -> bezout::Result<i64> {
    let eighth = |x: &Int| x.limbs().first().map_or(0, |limb| limb % 8);
    let (mut a, mut n, mut sign) = (a.try_rem_euclid(n)?, n.clone(), 1);
    while let Some(twos) = a.try_trailing_zeros()? {
        a = a.try_shr(twos)?;
        let by_twos = twos % 2 == 1 && matches!(eighth(&n), 3 | 5);
        let by_swap = eighth(&a) % 4 == 3 && eighth(&n) % 4 == 3;
        if by_twos ^ by_swap {
            sign = -sign;
        }
        (a, n) = (n.try_rem_euclid(&a)?, a);
    }
    Ok(if n == 1 { sign } else { 0 })
}

/// A power by squares and remainders.
fn power(base: &Int, exponent: &Int, m: &Int) -> bezout::Result<Int> {
    let mut power = Int::ONE;
    for bit in (0..exponent.try_bit_length()?).rev() {
        power = power.try_square()?.try_rem_euclid(m)?;
        if exponent.try_bit(bit)? {
            power = power.try_mul(base)?.try_rem_euclid(m)?;
        }
    }
    power.try_rem_euclid(m)
}

/// The contenders for these calls, with copies of the operands; the library comes first.
pub fn contenders(sets: &[Set<Int>]) -> Vec<Box<dyn Contender>> {
    vec![
        Box::new(Ours(sets.iter().map(|set| set.copy(Int::clone)).collect())),
        #[cfg(feature = "gmp")]
        Box::new(gmp::Gmp::new(sets)),
    ]
}

fn hash(x: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    x.hash(&mut hasher);
    hasher.finish()
}

/// The library.
struct Ours(Vec<Set<Int>>);

impl Contender for Ours {
    fn name(&self) -> &'static str {
        "bezout"
    }

    fn seconds(&self, work: Work, calls: usize) -> f64 {
        let Work::Call(call) = work else {
            return 0.0;
        };
        let (sets, three) = (&self.0, Int::from(3));
        match call {
            Call::And => timed(sets, calls, |s| &s.a & &s.b),
            Call::Negate => timed(sets, calls, |s| -&s.a),
            Call::Equal => timed(sets, calls, |s| s.a == s.b),
            Call::Hash => timed(sets, calls, |s| hash(&s.a)),
            Call::DivRemFloor => timed(sets, calls, |s| s.a.try_div_rem_floor(&s.b)),
            Call::Lcm => timed(sets, calls, |s| s.a.try_lcm(&s.b)),
            Call::ExtendedGcd => timed(sets, calls, |s| s.a.try_extended_gcd(&s.b)),
            Call::Inverse => timed(sets, calls, |s| s.a.try_mod_inverse(&s.b)),
            Call::Jacobi => timed(sets, calls, |s| s.a.try_jacobi(&s.b)),
            Call::Isqrt => timed(sets, calls, |s| s.a.try_isqrt()),
            Call::SqrtRem => timed(sets, calls, |s| s.a.try_sqrt_rem()),
            Call::IsSquare => timed(sets, calls, |s| s.a.try_is_square()),
            Call::RootRem => timed(sets, calls, |s| s.a.try_root_rem(3)),
            Call::Remove => timed(sets, calls, |s| s.a.try_remove(&three)),
            Call::Bit => timed(sets, calls, |s| s.a.try_bit(BIT.into())),
            Call::CountOnes => timed(sets, calls, |s| s.a.try_count_ones()),
            Call::PowMod => timed(sets, calls, |s| s.a.try_pow_mod(&s.b, &s.c)),
            Call::IsPrime => timed(sets, calls, |s| s.a.try_is_probable_prime()),
            Call::Factorial => timed(sets, calls, |_| Int::try_factorial(black_box(20))),
            Call::Binomial => timed(sets, calls, |_| Int::try_binomial(black_box(50), 20)),
            Call::Fibonacci => timed(sets, calls, |_| Int::try_fibonacci(black_box(50))),
        }
    }

    fn answers(&self, work: Work) -> Vec<Option<Answer>> {
        let answer = |s: &Set<Int>| -> bezout::Result<Option<Answer>> {
            let Work::Call(call) = work else {
                return Ok(None);
            };
            let one = |x: Int| Ok::<_, bezout::Error>(Answer::One(Number::of(&x)?));
            let two = |(x, y): (Int, Int)| {
                Ok::<_, bezout::Error>(Answer::Two(Number::of(&x)?, Number::of(&y)?))
            };
            Ok(Some(match call {
                Call::And => one(&s.a & &s.b)?,
                Call::Negate => one(-&s.a)?,
                Call::Equal => Answer::Count((s.a == s.b).into()),
                Call::Hash => Answer::Nothing,
                Call::DivRemFloor => two(s.a.try_div_rem_floor(&s.b)?)?,
                Call::Lcm => one(s.a.try_lcm(&s.b)?)?,
                Call::ExtendedGcd => {
                    let (g, x, y) = s.a.try_extended_gcd(&s.b)?;
                    Answer::Three(Number::of(&g)?, Number::of(&x)?, Number::of(&y)?)
                }
                Call::Inverse => one(s.a.try_mod_inverse(&s.b)?)?,
                Call::Jacobi => Answer::Count(s.a.try_jacobi(&s.b)?.into()),
                Call::Isqrt => one(s.a.try_isqrt()?)?,
                Call::SqrtRem => two(s.a.try_sqrt_rem()?)?,
                Call::IsSquare => Answer::Count(s.a.try_is_square()?.into()),
                Call::RootRem => two(s.a.try_root_rem(3)?)?,
                Call::Remove => {
                    let (rest, count) = s.a.try_remove(&Int::from(3))?;
                    Answer::Counted(Number::of(&rest)?, count)
                }
                Call::Bit => Answer::Count(s.a.try_bit(BIT.into())?.into()),
                Call::CountOnes => Answer::Count(s.a.try_count_ones()?.map_or(-1, |n| n as i64)),
                Call::PowMod => one(s.a.try_pow_mod(&s.b, &s.c)?)?,
                Call::IsPrime => Answer::Count(s.a.try_is_probable_prime()?.into()),
                Call::Factorial => one(Int::try_factorial(20)?)?,
                Call::Binomial => one(Int::try_binomial(50, 20)?)?,
                Call::Fibonacci => one(Int::try_fibonacci(50)?)?,
            }))
        };
        self.0.iter().map(|s| answer(s).ok().flatten()).collect()
    }
}

#[cfg(feature = "gmp")]
mod gmp;
