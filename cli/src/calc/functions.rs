//! What expressions can call. Every operator is one of these too; the work is the library's.
//!
//! Bit positions and shift counts are non-negative; numbers are seen in two's complement, as if
//! endlessly sign-extended.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::RangeInclusive;

use bezout::{Engine, Error, Int, theory};

use super::apply::{
    binomial, bit, factorial, fill, lcm, mul, pow, power_exponent, random, root, scan, shl, shr,
    size, truth, with_bit, word,
};
use super::theory::{
    bernoulli, crt, digits, factors, in_base, legendre, log2, sigma, stirling, sumdigits, xgcd,
};
use super::value::{self, Value};

type Result<T> = bezout::Result<T>;

/// A function of one or more numbers.
#[derive(Debug)]
pub struct Function {
    /// Its name in an expression.
    pub name: &'static str,
    /// How a call is written.
    pub usage: &'static str,
    /// What it gives.
    pub about: &'static str,
    /// How many arguments it takes.
    pub arguments: RangeInclusive<usize>,
    /// How its result is printed, if that is its purpose. Such a call is all of an expression.
    pub layout: Option<Layout>,
    apply: Apply,
}

/// How the numbers of an answer are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One number, as the command's flags ask.
    Digits,
    /// One number, never shortened.
    Whole,
    /// One number in this radix, with Rust's prefix.
    Radix(u32),
    /// One number in the base that is the second number.
    Base,
    /// Several numbers with blanks between them.
    Row,
    /// A number, a colon and its prime factors.
    Factors,
    /// Nothing: the line defines a function.
    Nothing,
}

/// A function's value; the slice is as long as `arguments` says.
#[derive(Debug)]
enum Apply {
    Number(fn(&[Int]) -> Result<Int>),
    Several(fn(&[Int]) -> Result<Vec<Int>>),
    /// Takes fractions too.
    Exact(fn(&[Value]) -> Result<Value>),
}

impl Function {
    /// Its numbers on the engine in force: one, or for some layouts several. Numbers made of
    /// machine words, such as gcd(12, 18), are notation for input: where the engine cannot make
    /// them, the host does.
    pub fn call(&self, arguments: &[Value]) -> Result<Vec<Value>> {
        let is_short = |x: &Value| x.numerator().bit_length() <= 64;
        match self.on_engine(arguments) {
            Err(Error::Unsupported { .. }) if arguments.iter().all(is_short) => {
                Engine::Cpu.scope(|| self.on_engine(arguments))
            }
            result => result,
        }
    }

    fn on_engine(&self, arguments: &[Value]) -> Result<Vec<Value>> {
        if let Apply::Exact(apply) = self.apply {
            return apply(arguments).map(|value| vec![value]);
        }
        let whole = arguments.iter().map(|value| {
            let refused = || Error::Domain(format!("{} takes whole numbers only", self.name));
            value.whole().cloned().ok_or_else(refused)
        });
        let whole = whole.collect::<Result<Vec<Int>>>()?;
        match self.apply {
            Apply::Number(apply) => apply(&whole).map(|value| vec![value.into()]),
            Apply::Several(apply) => {
                let values = apply(&whole)?;
                Ok(values.into_iter().map(Value::from).collect())
            }
            Apply::Exact(_) => unreachable!("called above"),
        }
    }
}

const fn function(
    usage: &'static str,
    arguments: RangeInclusive<usize>,
    about: &'static str,
    apply: fn(&[Int]) -> Result<Int>,
) -> Function {
    described(usage, arguments, about, None, Apply::Number(apply))
}

/// A function that takes fractions too.
const fn exact(
    usage: &'static str,
    arguments: RangeInclusive<usize>,
    about: &'static str,
    apply: fn(&[Value]) -> Result<Value>,
) -> Function {
    described(usage, arguments, about, None, Apply::Exact(apply))
}

/// A function whose result is printed by `layout`.
const fn printer(
    usage: &'static str,
    arguments: RangeInclusive<usize>,
    about: &'static str,
    layout: Layout,
    apply: fn(&[Int]) -> Result<Vec<Int>>,
) -> Function {
    described(usage, arguments, about, Some(layout), Apply::Several(apply))
}

const fn described(
    usage: &'static str,
    arguments: RangeInclusive<usize>,
    about: &'static str,
    layout: Option<Layout>,
    apply: Apply,
) -> Function {
    let (mut length, bytes) = (0, usage.as_bytes());
    while bytes[length] != b'(' {
        length += 1;
    }
    Function {
        name: usage.split_at(length).0,
        usage,
        about,
        arguments,
        layout,
        apply,
    }
}

/// As many arguments as the caller likes, but at least one.
const MANY: RangeInclusive<usize> = 1..=usize::MAX;

/// The functions, in the order the help lists them.
pub static FUNCTIONS: &[Function] = &[
    exact("abs(x)", 1..=1, "magnitude", value::abs),
    exact("neg(x)", 1..=1, "-x", value::neg),
    exact("sign(x)", 1..=1, "-1, 0 or 1", value::sign),
    exact("add(x, y)", 2..=2, "x + y", value::add),
    exact("sub(x, y)", 2..=2, "x - y", value::sub),
    exact("mul(x, y)", 2..=2, "x * y", value::mul),
    function("div(x, y)", 2..=2, "x / y, towards zero", |x| {
        Ok(x[0].try_div_rem(&x[1])?.0)
    }),
    exact(
        "mod(x, m)",
        2..=2,
        "x modulo |m|, never negative; of a fraction too",
        value::modulo,
    ),
    function("quo(x, y)", 2..=2, "the same as div", |x| {
        Ok(x[0].try_div_rem(&x[1])?.0)
    }),
    function(
        "rem(x, y)",
        2..=2,
        "x - y * quo(x, y), with the sign of x",
        |x| Ok(x[0].try_div_rem(&x[1])?.1),
    ),
    exact(
        "divfloor(x, y)",
        2..=2,
        "x // y: the quotient, rounded down",
        value::div_floor,
    ),
    exact(
        "modfloor(x, y)",
        2..=2,
        "x % y: x - y * (x // y), with the sign of y",
        value::rem_floor,
    ),
    exact(
        "divceil(x, y)",
        2..=2,
        "the quotient, rounded up",
        value::div_ceil,
    ),
    function(
        "diveuclid(x, y)",
        2..=2,
        "the quotient that leaves modeuclid",
        |x| x[0].try_div_euclid(&x[1]),
    ),
    function(
        "modeuclid(x, y)",
        2..=2,
        "x modulo |y|, never negative",
        |x| x[0].try_rem_euclid(&x[1]),
    ),
    function("divexact(x, y)", 2..=2, "x / y where y divides x", |x| {
        x[0].try_div_exact(&x[1])
    }),
    function("divides(x, y)", 2..=2, "1 if x divides y, else 0", |x| {
        Ok(truth(x[1].try_is_multiple_of(&x[0])?))
    }),
    exact("pow(x, n)", 2..=2, "x ^ n", value::pow),
    function("powmod(x, n, m)", 3..=3, "x ^ n modulo |m|", |x| {
        x[0].try_pow_mod(&x[1], &x[2])
    }),
    function("invmod(x, m)", 2..=2, "1 / x modulo |m|", |x| {
        x[0].try_mod_inverse(&x[1])
    }),
    function("isqrt(x)", 1..=1, "square root, rounding down", |x| {
        x[0].try_isqrt()
    }),
    function("root(x, n)", 2..=2, "n-th root, towards zero", root),
    function("issquare(x)", 1..=1, "1 for a square, else 0", |x| {
        Ok(truth(x[0].try_is_square()?))
    }),
    function(
        "ispower(x)",
        1..=1,
        "largest n > 1 that makes x an n-th power, else 0",
        |x| power_exponent(&x[0]),
    ),
    exact(
        "cmp(x, y)",
        2..=2,
        "-1, 0 or 1 as x <, = or > y",
        value::cmp,
    ),
    exact("min(x, ...)", MANY, "the smallest", |x| {
        value::first(x, Less)
    }),
    exact("max(x, ...)", MANY, "the largest", |x| {
        value::first(x, Greater)
    }),
    function("gcd(x, ...)", MANY, "greatest common divisor", |x| {
        x[1..].iter().try_fold(x[0].try_abs()?, |g, y| g.try_gcd(y))
    }),
    function("lcm(x, ...)", MANY, "least common multiple", |x| {
        x[1..].iter().try_fold(x[0].try_abs()?, |m, y| lcm(&m, y))
    }),
    function(
        "jacobi(x, n)",
        2..=2,
        "Jacobi symbol; n odd, positive",
        |x| Ok(Int::from(x[0].try_jacobi(&x[1])?)),
    ),
    function(
        "legendre(x, p)",
        2..=2,
        "Legendre symbol; p an odd prime",
        legendre,
    ),
    function("kronecker(x, n)", 2..=2, "Kronecker symbol", |x| {
        Ok(Int::from(x[0].try_kronecker(&x[1])?))
    }),
    function("isprime(x)", 1..=1, "1 for a probable prime, else 0", |x| {
        Ok(truth(x[0].try_is_probable_prime()?))
    }),
    function("nextprime(x)", 1..=1, "next probable prime above x", |x| {
        x[0].try_next_prime()
    }),
    function(
        "prevprime(x)",
        1..=1,
        "last probable prime below x; x above 2",
        |x| x[0].try_prev_prime(),
    ),
    function("phi(n)", 1..=1, "Euler's phi; n positive", |x| {
        theory::totient(&x[0])
    }),
    function(
        "sigma(n, k)",
        1..=2,
        "sum of the k-th powers of the divisors of n; k is 1 unless given",
        sigma,
    ),
    function("tau(n)", 1..=1, "number of divisors; n positive", |x| {
        theory::divisor_count(&x[0])
    }),
    function("moebius(n)", 1..=1, "Moebius function; n positive", |x| {
        Ok(Int::from(theory::moebius(&x[0])?))
    }),
    function("primepi(n)", 1..=1, "number of primes up to n", |x| {
        let n = if x[0].is_negative() {
            0
        } else {
            word(&x[0], "primepi's argument")?
        };
        Ok(Int::from(theory::prime_count(n)?))
    }),
    function("prime(n)", 1..=1, "the n-th prime; prime(1) is 2", |x| {
        Ok(Int::from(theory::nth_prime(word(
            &x[0],
            "prime's argument",
        )?)?))
    }),
    function(
        "znorder(a, m)",
        2..=2,
        "least k > 0 with a^k = 1 modulo m",
        |x| theory::multiplicative_order(&x[0], &x[1]),
    ),
    function(
        "znprimroot(m)",
        1..=1,
        "least primitive root modulo m",
        |x| theory::primitive_root(&x[0]),
    ),
    function(
        "znlog(a, g, m)",
        3..=3,
        "least k >= 0 with g^k = a modulo m",
        |x| theory::discrete_log(&x[0], &x[1], &x[2]),
    ),
    function("sqrtmod(a, m)", 2..=2, "a square root of a modulo m", |x| {
        theory::sqrt_mod(&x[0], &x[1])
    }),
    function(
        "crt(r1, m1, r2, m2, ...)",
        MANY,
        "least number >= 0 that is r1 modulo m1, r2 modulo m2, ...",
        crt,
    ),
    function("not(x)", 1..=1, "~x", |x| x[0].try_not()),
    function("and(x, y)", 2..=2, "x & y", |x| x[0].try_and(&x[1])),
    function("or(x, y)", 2..=2, "x | y", |x| x[0].try_or(&x[1])),
    function("xor(x, y)", 2..=2, "x xor y", |x| x[0].try_xor(&x[1])),
    function("shl(x, n)", 2..=2, "x << n", shl),
    function("shr(x, n)", 2..=2, "x >> n, rounding down", shr),
    function("bits(x)", 1..=1, "length of |x| in bits", |x| {
        Ok(Int::from(x[0].try_bit_length()?))
    }),
    function("log2(x)", 1..=1, "binary logarithm, rounding down", |x| {
        log2(&x[0])
    }),
    function(
        "digits(x, base)",
        1..=2,
        "number of digits of |x|; base 10 unless given",
        digits,
    ),
    function(
        "popcount(x)",
        1..=1,
        "number of set bits; x not negative",
        |x| {
            x[0].try_count_ones()?.map(Int::from).ok_or_else(|| {
                Error::Domain("a negative number has infinitely many set bits".to_string())
            })
        },
    ),
    function(
        "hamming(x, y)",
        2..=2,
        "number of bits that differ; equal signs",
        |x| {
            x[0].try_hamming_distance(&x[1])?
                .map(Int::from)
                .ok_or_else(|| {
                    Error::Domain(
                        "numbers of different sign differ in infinitely many bits".to_string(),
                    )
                })
        },
    ),
    function("bit(x, i)", 2..=2, "bit i", bit),
    function("setbit(x, i)", 2..=2, "x with bit i set", |x| {
        with_bit(x, Int::try_set_bit, !x[0].is_negative())
    }),
    function("clearbit(x, i)", 2..=2, "x with bit i clear", |x| {
        with_bit(x, Int::try_clear_bit, x[0].is_negative())
    }),
    function("flipbit(x, i)", 2..=2, "x with bit i flipped", |x| {
        with_bit(x, Int::try_flip_bit, true)
    }),
    function(
        "scan1(x, from)",
        2..=2,
        "first set bit at or above from, -1 if none",
        |x| scan(x, true),
    ),
    function(
        "scan0(x, from)",
        2..=2,
        "first clear bit at or above from, -1 if none",
        |x| scan(x, false),
    ),
    function("ones(n)", 1..=1, "2^n - 1", |x| {
        let n = size(&x[0], "the number of bits", "ones", 1.0)?;
        Int::try_ones(n)
    }),
    function(
        "fill(limb, count)",
        2..=2,
        "a 64-bit pattern repeated count times",
        fill,
    ),
    function("fib(n)", 1..=1, "Fibonacci number", |x| {
        Int::try_fibonacci(size(
            &x[0],
            "fib's argument",
            "the Fibonacci number",
            0.694,
        )?)
    }),
    function("lucas(n)", 1..=1, "Lucas number", |x| {
        Int::try_lucas(size(&x[0], "lucas's argument", "the Lucas number", 0.694)?)
    }),
    function("factorial(n)", 1..=1, "n!", factorial),
    function(
        "doublefactorial(n)",
        1..=1,
        "n!! = n (n-2) (n-4) ...",
        |x| {
            Int::try_double_factorial(size(
                &x[0],
                "double factorial's argument",
                "the double factorial",
                1.0,
            )?)
        },
    ),
    function("binomial(n, k)", 2..=2, "n over k", binomial),
    function("catalan(n)", 1..=1, "Catalan number", |x| {
        theory::catalan(size(
            &x[0],
            "catalan's argument",
            "the Catalan number",
            1.9,
        )?)
    }),
    exact(
        "bernoulli(n)",
        1..=1,
        "Bernoulli number, a fraction",
        bernoulli,
    ),
    function("partitions(n)", 1..=1, "number of partitions of n", |x| {
        theory::partitions(word(&x[0], "partitions's argument")?)
    }),
    function("bell(n)", 1..=1, "Bell number", |x| {
        theory::bell(word(&x[0], "bell's argument")?)
    }),
    function(
        "stirling(n, k, kind)",
        2..=3,
        "Stirling number of the first kind, or of kind 2",
        stirling,
    ),
    function(
        "sumdigits(x, base)",
        1..=2,
        "sum of the digits of |x|; base 10 unless given",
        sumdigits,
    ),
    function(
        "primorial(n)",
        1..=1,
        "product of the primes up to n",
        |x| {
            // Chebyshev's theta(n) exceeds 0.84 n from n = 101 on, and a primorial has theta(n) /
            // ln 2 bits.
            Int::try_primorial(size(&x[0], "primorial's argument", "the primorial", 1.21)?)
        },
    ),
    function(
        "random(bits, seed)",
        1..=2,
        "a number of exactly that many bits; seed optional",
        random,
    ),
    printer(
        "xgcd(x, y)",
        2..=2,
        "prints g s t: the gcd, and s*x + t*y = g",
        Layout::Row,
        xgcd,
    ),
    printer(
        "factor(n)",
        1..=1,
        "prints n: and its prime factors; n positive",
        Layout::Factors,
        |x| factors(&x[0]),
    ),
    printer(
        "divisors(n)",
        1..=1,
        "prints the divisors of n; n positive",
        Layout::Row,
        |x| theory::divisors(&x[0]),
    ),
    printer(
        "base(x, b)",
        2..=2,
        "prints x in base b, from 2 to 36",
        Layout::Base,
        in_base,
    ),
    printer(
        "hex(x)",
        1..=1,
        "prints x in hexadecimal",
        Layout::Radix(16),
        |x| Ok(x.to_vec()),
    ),
    printer(
        "oct(x)",
        1..=1,
        "prints x in octal",
        Layout::Radix(8),
        |x| Ok(x.to_vec()),
    ),
    printer(
        "bin(x)",
        1..=1,
        "prints x in binary",
        Layout::Radix(2),
        |x| Ok(x.to_vec()),
    ),
    printer(
        "print(x)",
        1..=1,
        "prints all digits of x, on a terminal too",
        Layout::Whole,
        |x| Ok(x.to_vec()),
    ),
];

/// What operators call that have no name of their own.
pub static OPERATORS: [Function; 7] = [
    exact("==()", 2..=2, "", |x| value::is_ordered(x, &[Equal])),
    exact("!=()", 2..=2, "", |x| {
        value::is_ordered(x, &[Less, Greater])
    }),
    exact("<()", 2..=2, "", |x| value::is_ordered(x, &[Less])),
    exact("<=()", 2..=2, "", |x| value::is_ordered(x, &[Less, Equal])),
    exact(">()", 2..=2, "", |x| value::is_ordered(x, &[Greater])),
    exact(">=()", 2..=2, "", |x| {
        value::is_ordered(x, &[Equal, Greater])
    }),
    exact("/()", 2..=2, "", value::div),
];

/// The literal `digits` times ten to the `exponent`. Reading a number is the host's work, whatever
/// the engine.
pub fn scientific(digits: &Int, exponent: &Int) -> Result<Int> {
    Engine::Cpu.scope(|| mul(&[digits.clone(), pow(&[Int::from(10), exponent.clone()])?]))
}
