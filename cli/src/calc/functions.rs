//! What expressions can call. Every operator is one of these too; the work is the library's.
//!
//! Bit positions and shift counts are non-negative; numbers are seen in two's complement, as if endlessly sign-extended.

use std::ops::RangeInclusive;

use bezout::{Engine, Error, Int};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::memory;

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
    /// Its value; the slice is as long as `arguments` says.
    apply: fn(&[Int]) -> Result<Int>,
}

impl Function {
    /// Its value on the engine in force. Numbers made of machine words, such as 2^4423 or 100!, are notation for input:
    /// where the engine cannot make them, the host does.
    pub fn call(&self, arguments: &[Int]) -> Result<Int> {
        match (self.apply)(arguments) {
            Err(Error::Unsupported { .. }) if arguments.iter().all(|x| x.bit_length() <= 64) => {
                Engine::Cpu.scope(|| (self.apply)(arguments))
            }
            result => result,
        }
    }
}

const fn function(
    usage: &'static str,
    arguments: RangeInclusive<usize>,
    about: &'static str,
    apply: fn(&[Int]) -> Result<Int>,
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
    function("pow(x, n)", 2..=2, "x ^ n", pow),
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
    function("not(x)", 1..=1, "~x", |x| x[0].try_not()),
    function("and(x, y)", 2..=2, "x & y", |x| x[0].try_and(&x[1])),
    function("or(x, y)", 2..=2, "x | y", |x| x[0].try_or(&x[1])),
    function("xor(x, y)", 2..=2, "x xor y", |x| x[0].try_xor(&x[1])),
    function("shl(x, n)", 2..=2, "x << n", shl),
    function("shr(x, n)", 2..=2, "x >> n, rounding down", |x| {
        x[0].try_shr(position(&x[1], "shift count")?)
    }),
    function("bits(x)", 1..=1, "length of |x| in bits", |x| {
        Ok(Int::from(x[0].bit_length()))
    }),
    function(
        "popcount(x)",
        1..=1,
        "number of set bits; x not negative",
        |x| {
            x[0].count_ones().map(Int::from).ok_or_else(|| {
                Error::Domain("a negative number has infinitely many set bits".to_string())
            })
        },
    ),
    function(
        "hamming(x, y)",
        2..=2,
        "number of bits that differ; equal signs",
        |x| {
            x[0].hamming_distance(&x[1]).map(Int::from).ok_or_else(|| {
                Error::Domain(
                    "numbers of different sign differ in infinitely many bits".to_string(),
                )
            })
        },
    ),
    function("bit(x, i)", 2..=2, "bit i", |x| {
        Ok(Int::from(u8::from(
            x[0].bit(position(&x[1], "bit position")?),
        )))
    }),
    function("setbit(x, i)", 2..=2, "x with bit i set", |x| {
        with_bit(x, Int::set_bit, !x[0].is_negative())
    }),
    function("clearbit(x, i)", 2..=2, "x with bit i clear", |x| {
        with_bit(x, Int::clear_bit, x[0].is_negative())
    }),
    function("flipbit(x, i)", 2..=2, "x with bit i flipped", |x| {
        with_bit(x, Int::flip_bit, true)
    }),
    function(
        "scan1(x, from)",
        2..=2,
        "first set bit at or above from, -1 if none",
        |x| Ok(found(x[0].first_set_bit(position(&x[1], "bit position")?))),
    ),
    function(
        "scan0(x, from)",
        2..=2,
        "first clear bit at or above from, -1 if none",
        |x| {
            Ok(found(
                x[0].first_clear_bit(position(&x[1], "bit position")?),
            ))
        },
    ),
    function("ones(n)", 1..=1, "2^n - 1", |x| {
        let n = size(&x[0], "the number of bits", "ones", 1.0)?;
        Int::ones(n)
    }),
    function(
        "fill(limb, count)",
        2..=2,
        "a 64-bit pattern repeated count times",
        fill,
    ),
    function("fib(n)", 1..=1, "Fibonacci number", |x| {
        Int::fibonacci(size(
            &x[0],
            "fib's argument",
            "the Fibonacci number",
            0.694,
        )?)
    }),
    function("lucas(n)", 1..=1, "Lucas number", |x| {
        Int::lucas(size(&x[0], "lucas's argument", "the Lucas number", 0.694)?)
    }),
    function("factorial(n)", 1..=1, "n!", factorial),
    function(
        "primorial(n)",
        1..=1,
        "product of the primes up to n",
        |x| {
            // Chebyshev's theta(n) exceeds 0.84 n from n = 101 on, and a primorial has theta(n) / ln 2 bits.
            Int::primorial(size(&x[0], "primorial's argument", "the primorial", 1.21)?)
        },
    ),
    function(
        "random(bits, seed)",
        1..=2,
        "a number of exactly that many bits; seed optional",
        random,
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

/// The function of this name.
pub fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|f| f.name == name)
}

/// The name among `names` most like `wrong`, if any is close.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_ascii_lowercase();
    let allowed = 1 + wrong.len() / 4;
    names
        .map(|name| (strsim::damerau_levenshtein(&wrong, name), name))
        .filter(|(distance, name)| {
            *distance <= allowed || name.starts_with(&wrong) || wrong.starts_with(name)
        })
        .min()
        .map(|(_, name)| name)
}

/// The literal `digits` times ten to the `exponent`. Reading a number is the host's work, whatever the engine.
pub fn scientific(digits: &Int, exponent: &Int) -> Result<Int> {
    Engine::Cpu.scope(|| mul(&[digits.clone(), pow(&[Int::from(10), exponent.clone()])?]))
}

/// `x` as a u64, saturated; an error if it is negative.
fn position(x: &Int, what: &str) -> Result<u64> {
    if x.is_negative() {
        return Err(Error::Domain(format!("{what} must not be negative")));
    }
    Ok(u64::try_from(x.try_host()?).unwrap_or(u64::MAX))
}

/// An argument that sets a result's size: `bits_per_unit` bits for each unit, if that fits in memory.
fn size(x: &Int, argument: &str, what: &'static str, bits_per_unit: f64) -> Result<u64> {
    let n = position(x, argument)?;
    memory::check(what, (n as f64 * bits_per_unit) as u128)?;
    Ok(n)
}

fn found(position: Option<u64>) -> Int {
    position.map_or_else(|| Int::from(-1), Int::from)
}

fn mul(x: &[Int]) -> Result<Int> {
    let bits = u128::from(x[0].bit_length()) + u128::from(x[1].bit_length());
    memory::check("the product", bits)?;
    x[0].try_mul(&x[1])
}

fn pow(x: &[Int]) -> Result<Int> {
    let (base, exponent) = (&x[0], &x[1]);
    if exponent.is_negative() {
        return Err(Error::Domain("exponent must not be negative".to_string()));
    }
    let bits = base.bit_length();
    if bits <= 1 {
        // 0, 1 and -1 take any exponent: past zero, only its parity matters.
        let small = if exponent.is_zero() {
            0
        } else {
            2 - u64::from(exponent.bit(0))
        };
        return base.try_pow(small);
    }
    let n = position(exponent, "exponent")?;
    memory::check("the power", u128::from(bits - 1) * u128::from(n))?;
    base.try_pow(n)
}

fn shl(x: &[Int]) -> Result<Int> {
    let n = position(&x[1], "shift count")?;
    if x[0].is_zero() {
        return Ok(x[0].clone());
    }
    memory::check("the shift", u128::from(x[0].bit_length()) + u128::from(n))?;
    x[0].try_shl(n)
}

/// `x[0]` with `change` made to bit `x[1]`; only where it `grows` may that be far above the top.
fn with_bit(x: &[Int], change: fn(&mut Int, u64) -> Result<()>, grows: bool) -> Result<Int> {
    let i = position(&x[1], "bit position")?;
    let mut result = x[0].clone();
    if i > x[0].bit_length() {
        if !grows {
            return Ok(result);
        }
        memory::check("the number", u128::from(i) + 1)?;
    }
    change(&mut result, i)?;
    Ok(result)
}

fn fill(x: &[Int]) -> Result<Int> {
    let limb = u64::try_from(x[0].try_host()?)
        .map_err(|_| Error::Domain("fill's pattern must be between 0 and 2^64 - 1".to_string()))?;
    let count = size(&x[1], "fill's count", "the filled number", 64.0)?;
    match usize::try_from(count) {
        Ok(count) => Int::fill(limb, count),
        Err(_) => Err(Error::Domain("fill's count is too large".to_string())),
    }
}

fn factorial(x: &[Int]) -> Result<Int> {
    let n = position(&x[0], "factorial's argument")?;
    // Stirling: ln n! > n ln n - n.
    let bits = n as f64 * ((n as f64).max(1.0).log2() - std::f64::consts::LOG2_E);
    memory::check("the factorial", bits.max(0.0) as u128)?;
    Int::factorial(n)
}

fn lcm(x: &Int, y: &Int) -> Result<Int> {
    let divisor = x.try_gcd(y)?;
    if divisor.is_zero() {
        return Ok(divisor);
    }
    mul(&[x.try_div_rem(&divisor)?.0, y.try_abs()?])
}

/// Bits and seed; where an expression names no seed, its compilation has drawn one.
fn random(x: &[Int]) -> Result<Int> {
    let bits = size(&x[0], "the number of bits", "the random number", 1.0)?;
    let seed = u64::try_from(x[1].try_host()?)
        .map_err(|_| Error::Domain("a seed must be between 0 and 2^64 - 1".to_string()))?;
    Int::random_bits(bits, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
}
