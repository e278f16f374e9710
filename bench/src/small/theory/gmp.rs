//! GMP's spelling of the calls, through rug.

use std::hint::black_box;

use bezout::Int;
use rug::Integer;
use rug::integer::IsPrime;

use super::{BIT, Call, hash};
use crate::plain::Number;
use crate::small::arithmetic::{Contender, timed};
use crate::small::{Answer, Set, Work};

/// GMP.
pub(super) struct Gmp(Vec<Set<Integer>>);

impl Gmp {
    pub(super) fn new(sets: &[Set<Int>]) -> Gmp {
        let copy = |x: &Int| Integer::from(x);
        Gmp(sets.iter().map(|set| set.copy(copy)).collect())
    }
}

type Two = (Integer, Integer);
type Three = (Integer, Integer, Integer);

/// Rounds of Miller and Rabin's test, as mpz_probab_prime_p's manual has them.
const ROUNDS: u32 = 25;

fn number(x: &Integer) -> Number {
    Number::new(*x < 0, x.as_limbs().to_vec())
}

impl Contender for Gmp {
    fn name(&self) -> &'static str {
        "GMP"
    }

    fn seconds(&self, work: Work, calls: usize) -> f64 {
        let Work::Call(call) = work else {
            return 0.0;
        };
        let (sets, three) = (&self.0, Integer::from(3));
        match call {
            Call::And => timed(sets, calls, |s| Integer::from(&s.a & &s.b)),
            Call::Negate => timed(sets, calls, |s| Integer::from(-&s.a)),
            Call::Equal => timed(sets, calls, |s| s.a == s.b),
            Call::Hash => timed(sets, calls, |s| hash(&s.a)),
            Call::DivRemFloor => timed(sets, calls, |s| Two::from(s.a.div_rem_floor_ref(&s.b))),
            Call::Lcm => timed(sets, calls, |s| Integer::from(s.a.lcm_ref(&s.b))),
            Call::ExtendedGcd => timed(sets, calls, |s| Three::from(s.a.extended_gcd_ref(&s.b))),
            Call::Inverse => timed(sets, calls, |s| s.a.invert_ref(&s.b).map(Integer::from)),
            Call::Jacobi => timed(sets, calls, |s| s.a.jacobi(&s.b)),
            Call::Isqrt => timed(sets, calls, |s| Integer::from(s.a.sqrt_ref())),
            Call::SqrtRem => timed(sets, calls, |s| Two::from(s.a.sqrt_rem_ref())),
            Call::IsSquare => timed(sets, calls, |s| s.a.is_perfect_square()),
            Call::RootRem => timed(sets, calls, |s| Two::from(s.a.root_rem_ref(3))),
            Call::Remove => timed(sets, calls, |s| {
                <(Integer, u32)>::from(s.a.remove_factor_ref(&three))
            }),
            Call::Bit => timed(sets, calls, |s| s.a.get_bit(BIT)),
            Call::CountOnes => timed(sets, calls, |s| s.a.count_ones()),
            Call::PowMod => timed(sets, calls, |s| {
                s.a.pow_mod_ref(&s.b, &s.c).map(Integer::from)
            }),
            Call::IsPrime => timed(sets, calls, |s| s.a.is_probably_prime(ROUNDS)),
            Call::Factorial => timed(sets, calls, |_| {
                Integer::from(Integer::factorial(black_box(20)))
            }),
            Call::Binomial => timed(sets, calls, |_| {
                Integer::from(Integer::binomial_u(black_box(50), 20))
            }),
            Call::Fibonacci => timed(sets, calls, |_| {
                Integer::from(Integer::fibonacci(black_box(50)))
            }),
        }
    }

    fn answers(&self, work: Work) -> Vec<Option<Answer>> {
        let one = |x: Integer| Answer::One(number(&x));
        let two = |(x, y): Two| Answer::Two(number(&x), number(&y));
        let answer = |s: &Set<Integer>| {
            let Work::Call(call) = work else {
                return None;
            };
            Some(match call {
                Call::And => one(Integer::from(&s.a & &s.b)),
                Call::Negate => one(Integer::from(-&s.a)),
                Call::Equal => Answer::Count((s.a == s.b).into()),
                Call::Hash => Answer::Nothing,
                Call::DivRemFloor => two(s.a.div_rem_floor_ref(&s.b).into()),
                Call::Lcm => one(s.a.lcm_ref(&s.b).into()),
                Call::ExtendedGcd => {
                    let (g, x, y) = Three::from(s.a.extended_gcd_ref(&s.b));
                    Answer::Three(number(&g), number(&x), number(&y))
                }
                Call::Inverse => one(s.a.invert_ref(&s.b)?.into()),
                Call::Jacobi => Answer::Count(s.a.jacobi(&s.b).into()),
                Call::Isqrt => one(s.a.sqrt_ref().into()),
                Call::SqrtRem => two(s.a.sqrt_rem_ref().into()),
                Call::IsSquare => Answer::Count(s.a.is_perfect_square().into()),
                Call::RootRem => two(s.a.root_rem_ref(3).into()),
                Call::Remove => {
                    let (rest, count): (Integer, u32) =
                        s.a.remove_factor_ref(&Integer::from(3)).into();
                    Answer::Counted(number(&rest), count.into())
                }
                Call::Bit => Answer::Count(s.a.get_bit(BIT).into()),
                Call::CountOnes => Answer::Count(s.a.count_ones().map_or(-1, i64::from)),
                Call::PowMod => one(s.a.pow_mod_ref(&s.b, &s.c)?.into()),
                Call::IsPrime => {
                    Answer::Count((s.a.is_probably_prime(ROUNDS) != IsPrime::No).into())
                }
                Call::Factorial => one(Integer::factorial(20).into()),
                Call::Binomial => one(Integer::binomial_u(50, 20).into()),
                Call::Fibonacci => one(Integer::fibonacci(50).into()),
            })
        };
        self.0.iter().map(answer).collect()
    }
}
