//! What expressions can call. Every operator is one of these too; the work is the library's.
//!
//! Bit positions and shift counts are non-negative; numbers are seen in two's complement, as if
//! endlessly sign-extended.

use std::ops::RangeInclusive;

use bezout::{Engine, Error, Int};

use super::apply::{
    binomial, bit, factorial, fill, lcm, mul, pow, power_exponent, random, root, scan, shl, shr,
    size, truth, with_bit,
};
use super::theory::{crt, digits, factors, legendre, log2, phi, xgcd};

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
    /// Several numbers with blanks between them.
    Row,
    /// A number, a colon and its prime factors.
    Factors,
}

/// A function's value; the slice is as long as `arguments` says.
#[derive(Debug)]
enum Apply {
    Number(fn(&[Int]) -> Result<Int>),
    Several(fn(&[Int]) -> Result<Vec<Int>>),
}

impl Function {
    /// Its numbers on the engine in force: one, or for some layouts several. Numbers made of
    /// machine words, such as gcd(12, 18), are notation for input: where the engine cannot make
    /// them, the host does.
    pub fn call(&self, arguments: &[Int]) -> Result<Vec<Int>> {
        match self.on_engine(arguments) {
            Err(Error::Unsupported { .. }) if arguments.iter().all(|x| x.bit_length() <= 64) => {
                Engine::Cpu.scope(|| self.on_engine(arguments))
            }
            result => result,
        }
    }

    fn on_engine(&self, arguments: &[Int]) -> Result<Vec<Int>> {
        match self.apply {
            Apply::Number(apply) => apply(arguments).map(|value| vec![value]),
            Apply::Several(apply) => apply(arguments),
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
    function("abs(x)", 1..=1, "magnitude", |x| x[0].try_abs()),
    function("neg(x)", 1..=1, "-x", |x| x[0].try_neg()),
    function("sign(x)", 1..=1, "-1, 0 or 1", |x| {
        Ok(Int::from(x[0].signum()))
    }),
    function("add(x, y)", 2..=2, "x + y", |x| x[0].try_add(&x[1])),
    function("sub(x, y)", 2..=2, "x - y", |x| x[0].try_sub(&x[1])),
    function("mul(x, y)", 2..=2, "x * y", mul),
    function("div(x, y)", 2..=2, "x / y, towards zero", |x| {
        Ok(x[0].try_div_rem(&x[1])?.0)
    }),
    function("mod(x, y)", 2..=2, "x % y, with the sign of x", |x| {
        Ok(x[0].try_div_rem(&x[1])?.1)
    }),
    function("quo(x, y)", 2..=2, "the same as div", |x| {
        Ok(x[0].try_div_rem(&x[1])?.0)
    }),
    function("rem(x, y)", 2..=2, "the same as mod", |x| {
        Ok(x[0].try_div_rem(&x[1])?.1)
    }),
    function("divfloor(x, y)", 2..=2, "x / y, rounding down", |x| {
        x[0].try_div_floor(&x[1])
    }),
    function("modfloor(x, y)", 2..=2, "x - y * divfloor(x, y)", |x| {
        x[0].try_rem_floor(&x[1])
    }),
    function("divceil(x, y)", 2..=2, "x / y, rounding up", |x| {
        x[0].try_div_ceil(&x[1])
    }),
    function("diveuclid(x, y)", 2..=2, "x / y, leaving modeuclid", |x| {
        x[0].try_div_euclid(&x[1])
    }),
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
    function("pow(x, n)", 2..=2, "x ^ n", pow),
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
    function("cmp(x, y)", 2..=2, "-1, 0 or 1 as x <, = or > y", |x| {
        Ok(Int::from(x[0].cmp(&x[1]) as i32))
    }),
    function("min(x, ...)", MANY, "the smallest", |x| {
        Ok(x[1..].iter().fold(&x[0], Ord::min).clone())
    }),
    function("max(x, ...)", MANY, "the largest", |x| {
        Ok(x[1..].iter().fold(&x[0], Ord::max).clone())
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
    function("phi(n)", 1..=1, "Euler's phi; n positive", |x| phi(&x[0])),
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
    function("binomial(n, k)", 2..=2, "n over k", binomial),
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

/// What comparisons call; they have no name of their own.
pub static COMPARISONS: [Function; 6] = [
    function("==()", 2..=2, "", |x| Ok(Int::from(u8::from(x[0] == x[1])))),
    function("!=()", 2..=2, "", |x| Ok(Int::from(u8::from(x[0] != x[1])))),
    function("<()", 2..=2, "", |x| Ok(Int::from(u8::from(x[0] < x[1])))),
    function("<=()", 2..=2, "", |x| Ok(Int::from(u8::from(x[0] <= x[1])))),
    function(">()", 2..=2, "", |x| Ok(Int::from(u8::from(x[0] > x[1])))),
    function(">=()", 2..=2, "", |x| Ok(Int::from(u8::from(x[0] >= x[1])))),
];

/// The literal `digits` times ten to the `exponent`. Reading a number is the host's work, whatever
/// the engine.
pub fn scientific(digits: &Int, exponent: &Int) -> Result<Int> {
    Engine::Cpu.scope(|| mul(&[digits.clone(), pow(&[Int::from(10), exponent.clone()])?]))
}
