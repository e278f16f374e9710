//! The contenders: the same calls in each library's own spelling.

use std::cmp::Ordering;
use std::hint::black_box;
use std::time::Instant;

use bezout::Int;

use super::{Answer, SETS, SHIFT, Set, Work};
use crate::plain::Number;

/// A library with its operands.
pub trait Contender {
    /// Its name in records.
    fn name(&self) -> &'static str;
    /// Seconds that so many calls take.
    fn seconds(&self, work: Work, calls: usize) -> f64;
    /// The answer for each set; none where a call failed.
    fn answers(&self, work: Work) -> Vec<Option<Answer>>;
}

/// All that are built in, with copies of the operands; the library comes first.
pub fn contenders(sets: &[Set<Int>]) -> Vec<Box<dyn Contender>> {
    vec![
        Box::new(Copied::<Int>::new("bezout", sets)),
        #[cfg(feature = "gmp")]
        Box::new(Copied::<rug::Integer>::new("GMP", sets)),
        #[cfg(feature = "malachite")]
        Box::new(Copied::<malachite_nz::integer::Integer>::new(
            "malachite",
            sets,
        )),
    ]
}

/// A library's integers, with its own calls.
trait Arithmetic: Sized {
    fn copy(x: &Int) -> Self;
    fn add(&self, other: &Self) -> Self;
    fn sub(&self, other: &Self) -> Self;
    fn compare(&self, other: &Self) -> Ordering;
    fn shift_left(&self) -> Self;
    fn shift_right(&self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    fn square(&self) -> Self;
    fn div_rem(&self, other: &Self) -> Option<(Self, Self)>;
    fn gcd(&self, other: &Self) -> Self;
    fn print(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
    fn number(&self) -> Number;
}

struct Copied<N> {
    name: &'static str,
    sets: Vec<Set<N>>,
}

/// Times a call. Generic, so that a call is not more than what it does. The answer is looked at
/// where it lies.
pub fn timed<N, R>(sets: &[Set<N>], calls: usize, call: impl Fn(&Set<N>) -> R) -> f64 {
    let began = Instant::now();
    for k in 0..calls {
        let answer = call(black_box(&sets[k % SETS]));
        black_box(&answer);
    }
    began.elapsed().as_secs_f64()
}

impl<N: Arithmetic> Copied<N> {
    fn new(name: &'static str, sets: &[Set<Int>]) -> Copied<N> {
        Copied {
            name,
            sets: sets.iter().map(|set| set.copy(N::copy)).collect(),
        }
    }

    fn timed<R>(&self, calls: usize, call: impl Fn(&Set<N>) -> R) -> f64 {
        timed(&self.sets, calls, call)
    }
}

impl<N: Arithmetic> Contender for Copied<N> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn seconds(&self, work: Work, calls: usize) -> f64 {
        match work {
            Work::Add => self.timed(calls, |s| s.a.add(&s.b)),
            Work::Sub => self.timed(calls, |s| s.a.sub(&s.b)),
            Work::Compare => self.timed(calls, |s| s.a.compare(&s.b)),
            Work::ShiftLeft => self.timed(calls, |s| s.a.shift_left()),
            Work::ShiftRight => self.timed(calls, |s| s.a.shift_right()),
            Work::Mul => self.timed(calls, |s| s.a.mul(&s.b)),
            Work::Square => self.timed(calls, |s| s.a.square()),
            Work::DivRem => self.timed(calls, |s| s.a.div_rem(&s.b)),
            Work::Gcd => self.timed(calls, |s| s.a.gcd(&s.b)),
            Work::Print => self.timed(calls, |s| s.a.print()),
            Work::Parse => self.timed(calls, |s| N::parse(&s.text)),
            // These have contenders of their own.
            Work::Call(_) => 0.0,
        }
    }

    fn answers(&self, work: Work) -> Vec<Option<Answer>> {
        let one = |x: N| Some(Answer::One(x.number()));
        let answer = |s: &Set<N>| match work {
            Work::Add => one(s.a.add(&s.b)),
            Work::Sub => one(s.a.sub(&s.b)),
            Work::Compare => Some(Answer::Order(s.a.compare(&s.b))),
            Work::ShiftLeft => one(s.a.shift_left()),
            Work::ShiftRight => one(s.a.shift_right()),
            Work::Mul => one(s.a.mul(&s.b)),
            Work::Square => one(s.a.square()),
            Work::DivRem => {
                let (quotient, remainder) = s.a.div_rem(&s.b)?;
                Some(Answer::Two(quotient.number(), remainder.number()))
            }
            Work::Gcd => one(s.a.gcd(&s.b)),
            Work::Print => Some(Answer::Text(s.a.print())),
            Work::Parse => one(N::parse(&s.text)?),
            Work::Call(_) => None,
        };
        self.sets.iter().map(answer).collect()
    }
}

impl Arithmetic for Int {
    fn copy(x: &Int) -> Int {
        x.clone()
    }
    fn add(&self, other: &Int) -> Int {
        self + other
    }
    fn sub(&self, other: &Int) -> Int {
        self - other
    }
    fn compare(&self, other: &Int) -> Ordering {
        self.cmp(other)
    }
    fn shift_left(&self) -> Int {
        self << SHIFT
    }
    fn shift_right(&self) -> Int {
        self >> SHIFT
    }
    fn mul(&self, other: &Int) -> Int {
        self * other
    }
    fn square(&self) -> Int {
        Int::square(self)
    }
    fn div_rem(&self, other: &Int) -> Option<(Int, Int)> {
        Some(Int::div_rem(self, other))
    }
    fn gcd(&self, other: &Int) -> Int {
        Int::gcd(self, other)
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Option<Int> {
        text.parse().ok()
    }
    fn number(&self) -> Number {
        Number::new(self.is_negative(), self.limbs().to_vec())
    }
}

#[cfg(feature = "gmp")]
impl Arithmetic for rug::Integer {
    fn copy(x: &Int) -> rug::Integer {
        rug::Integer::from(x)
    }
    fn add(&self, other: &rug::Integer) -> rug::Integer {
        rug::Integer::from(self + other)
    }
    fn sub(&self, other: &rug::Integer) -> rug::Integer {
        rug::Integer::from(self - other)
    }
    fn compare(&self, other: &rug::Integer) -> Ordering {
        self.cmp(other)
    }
    fn shift_left(&self) -> rug::Integer {
        rug::Integer::from(self << SHIFT)
    }
    fn shift_right(&self) -> rug::Integer {
        rug::Integer::from(self >> SHIFT)
    }
    fn mul(&self, other: &rug::Integer) -> rug::Integer {
        rug::Integer::from(self * other)
    }
    fn square(&self) -> rug::Integer {
        rug::Integer::from(self.square_ref())
    }
    fn div_rem(&self, other: &rug::Integer) -> Option<(rug::Integer, rug::Integer)> {
        Some(<(rug::Integer, rug::Integer)>::from(
            self.div_rem_ref(other),
        ))
    }
    fn gcd(&self, other: &rug::Integer) -> rug::Integer {
        rug::Integer::from(self.gcd_ref(other))
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Option<rug::Integer> {
        text.parse().ok()
    }
    fn number(&self) -> Number {
        Number::new(self.is_negative(), self.as_limbs().to_vec())
    }
}

#[cfg(feature = "malachite")]
mod malachite {
    use std::cmp::Ordering;

    use bezout::Int;
    use malachite_base::num::arithmetic::traits::{DivRem, Gcd, Square};
    use malachite_nz::integer::Integer;

    use super::{Arithmetic, SHIFT};
    use crate::plain::Number;

    impl Arithmetic for Integer {
        fn copy(x: &Int) -> Integer {
            Integer::from(x)
        }
        fn add(&self, other: &Integer) -> Integer {
            self + other
        }
        fn sub(&self, other: &Integer) -> Integer {
            self - other
        }
        fn compare(&self, other: &Integer) -> Ordering {
            self.cmp(other)
        }
        fn shift_left(&self) -> Integer {
            self << SHIFT
        }
        fn shift_right(&self) -> Integer {
            self >> SHIFT
        }
        fn mul(&self, other: &Integer) -> Integer {
            self * other
        }
        fn square(&self) -> Integer {
            Square::square(self)
        }
        fn div_rem(&self, other: &Integer) -> Option<(Integer, Integer)> {
            Some(DivRem::div_rem(self, other))
        }
        fn gcd(&self, other: &Integer) -> Integer {
            Integer::from(Gcd::gcd(self, other))
        }
        fn print(&self) -> String {
            self.to_string()
        }
        fn parse(text: &str) -> Option<Integer> {
            text.parse().ok()
        }
        fn number(&self) -> Number {
            Number::new(*self < 0, self.unsigned_abs_ref().to_limbs_asc())
        }
    }
}
