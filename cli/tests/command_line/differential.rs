//! Random expressions, thousands of lines to a process, against an evaluator of its own: the tree
//! is generated, printed in the calculator's syntax and evaluated with malachite, without a parser.

use std::process::Command;

use malachite_base::num::arithmetic::traits::{Abs, DivMod, Factorial, Pow, UnsignedAbs};
use malachite_base::num::basic::traits::{NegativeOne, One, Zero};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use crate::{Run, bezout, run_with_stdin};

/// Larger values are not computed with further.
const MOST_BITS: usize = 2000;
/// Variables of a session.
const VARIABLES: [&str; 4] = ["a", "b", "x_1", "total"];

const INFIX: [&str; 16] = [
    "+", "-", "*", "//", "%", "mod", "&", "|", "xor", "==", "!=", "<", "<=", ">", ">=", "-",
];
const UNARY: [&str; 7] = ["abs", "neg", "sign", "bits", "not", "issquare", "digits"];
const BINARY: [&str; 19] = [
    "divfloor",
    "modfloor",
    "divceil",
    "diveuclid",
    "modeuclid",
    "quo",
    "rem",
    "gcd",
    "lcm",
    "min",
    "max",
    "cmp",
    "add",
    "sub",
    "mul",
    "div",
    "hamming",
    "divides",
    "mod",
];
/// Functions of a number and a bit position.
const OF_BITS: [&str; 7] = [
    "bit", "scan0", "scan1", "setbit", "clearbit", "flipbit", "shr",
];

enum Tree {
    Literal(Integer),
    Name(&'static str, Option<Integer>),
    Prefix(char, Box<Tree>),
    Infix(&'static str, Box<Tree>, Box<Tree>),
    Shift(bool, Box<Tree>, u64),
    Power(bool, Box<Tree>, u64),
    Factorial(u64),
    Call(&'static str, Vec<Tree>),
}

impl Tree {
    /// How tightly its outermost operator binds.
    fn level(&self) -> u32 {
        match self {
            Tree::Infix("==" | "!=" | "<" | "<=" | ">" | ">=", ..) => 1,
            Tree::Infix("|", ..) => 2,
            Tree::Infix("xor", ..) => 3,
            Tree::Infix("&", ..) => 4,
            Tree::Shift(..) => 5,
            Tree::Infix("+" | "-", ..) => 6,
            Tree::Infix(..) => 7,
            Tree::Prefix(..) => 8,
            Tree::Power(..) => 9,
            Tree::Factorial(_) => 10,
            Tree::Literal(_) | Tree::Name(..) | Tree::Call(..) => 11,
        }
    }

    /// Its text, in brackets only if it binds less tightly than `level`.
    fn print(&self, level: u32) -> String {
        let own = self.level();
        let text = match self {
            Tree::Literal(n) if (n & Integer::ONE) == 1 => format!("{n:#x}"),
            Tree::Literal(n) => n.to_string(),
            Tree::Name(name, _) => name.to_string(),
            Tree::Prefix(operator, x) => format!("{operator}{}", x.print(own)),
            Tree::Shift(left, x, n) => {
                format!("{}{}{n}", x.print(own), if *left { "<<" } else { ">>" })
            }
            Tree::Power(python, x, n) => {
                format!(
                    "{}{}{n}",
                    x.print(own + 1),
                    if *python { "**" } else { "^" }
                )
            }
            Tree::Factorial(n) => format!("{n}!"),
            Tree::Call(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|x| x.print(0)).collect();
                format!("{name}({})", arguments.join(", "))
            }
            Tree::Infix(operator, x, y) => {
                // Comparisons do not chain on either side; the others associate to the left.
                let left = if own == 1 { own + 1 } else { own };
                format!("{} {operator} {}", x.print(left), y.print(own + 1))
            }
        };
        if own < level {
            format!("({text})")
        } else {
            text
        }
    }

    /// Its value; `None` if the line has to fail.
    fn value(&self) -> Option<Integer> {
        Some(match self {
            Tree::Literal(n) => n.clone(),
            Tree::Name(_, value) => value.clone()?,
            Tree::Prefix('-', x) => -x.value()?,
            Tree::Prefix('~', x) => -x.value()? - Integer::ONE,
            Tree::Prefix(_, x) => x.value()?,
            Tree::Shift(true, x, n) => x.value()? * power_of_two(*n),
            Tree::Shift(false, x, n) => x.value()?.div_mod(power_of_two(*n)).0,
            Tree::Power(_, x, n) => x.value()?.pow(*n),
            Tree::Factorial(n) => Integer::from(Natural::factorial(*n)),
            Tree::Infix(operator, x, y) => infix(operator, x.value()?, y.value()?)?,
            Tree::Call(name, arguments) => {
                let values: Option<Vec<_>> = arguments.iter().map(Tree::value).collect();
                call(name, values?)?
            }
        })
    }
}

fn truth(value: bool) -> Integer {
    Integer::from(u8::from(value))
}

fn power_of_two(n: u64) -> Integer {
    Integer::ONE << n
}

/// The quotient rounded down, and its remainder.
fn floored(x: Integer, y: &Integer) -> Option<(Integer, Integer)> {
    (*y != 0).then(|| x.div_mod(y))
}

fn infix(operator: &str, x: Integer, y: Integer) -> Option<Integer> {
    Some(match operator {
        "+" => x + y,
        "-" => x - y,
        "*" => x * y,
        "//" => floored(x, &y)?.0,
        "%" => floored(x, &y)?.1,
        "mod" => floored(x, &y.abs())?.1,
        "&" => x & y,
        "|" => x | y,
        "xor" => x ^ y,
        "==" => truth(x == y),
        "!=" => truth(x != y),
        "<" => truth(x < y),
        "<=" => truth(x <= y),
        ">" => truth(x > y),
        ">=" => truth(x >= y),
        _ => unreachable!("{operator}"),
    })
}

/// Euclid's algorithm.
fn gcd(x: Natural, y: Natural) -> Natural {
    let (mut x, mut y) = (x, y);
    while y != 0 {
        (x, y) = (y.clone(), x % y);
    }
    x
}

/// The binary digits of a number from 0 on, least significant first; none for 0.
fn bits(n: &Natural) -> Vec<bool> {
    let digits = format!("{n:b}");
    let digits = digits.bytes().rev().map(|digit| digit == b'1');
    if *n == 0 {
        Vec::new()
    } else {
        digits.collect()
    }
}

/// Bit `i` in two's complement.
fn bit(x: &Integer, i: &Integer) -> bool {
    // ~x has the same bits the other way round, and no sign.
    let is_negative = *x < 0;
    let plain = if is_negative {
        -x - Integer::ONE
    } else {
        x.clone()
    };
    let index = usize::try_from(i).unwrap_or(usize::MAX);
    let plain = bits(&plain.unsigned_abs()).get(index).copied();
    plain.unwrap_or(false) != is_negative
}

/// The first position from `from` on whose bit is `wanted`. Above the top all bits are equal.
fn scan(x: &Integer, from: &Integer, wanted: bool) -> Integer {
    let mut at = from.clone();
    for _ in 0..=MOST_BITS * 4 {
        if bit(x, &at) == wanted {
            return at;
        }
        at += Integer::ONE;
    }
    Integer::NEGATIVE_ONE
}

fn call(name: &str, mut x: Vec<Integer>) -> Option<Integer> {
    let second = if x.len() > 1 { x.pop() } else { None };
    let y = second.unwrap_or(Integer::ZERO);
    let x = x.pop()?;
    let (magnitude, other) = ((&x).unsigned_abs(), (&y).unsigned_abs());
    Some(match name {
        "abs" => Integer::from(magnitude),
        "neg" => -x,
        "sign" => infix("-", truth(x > 0), truth(x < 0))?,
        "not" => -x - Integer::ONE,
        "bits" => Integer::from(bits(&magnitude).len()),
        "digits" => Integer::from(magnitude.to_string().len()),
        "issquare" => {
            // Bit by bit from the top.
            let mut root = Natural::ZERO;
            for i in (0..bits(&magnitude).len().div_ceil(2)).rev() {
                let larger = &root + (Natural::ONE << i);
                if &larger * &larger <= magnitude {
                    root = larger;
                }
            }
            truth(x >= 0 && &root * &root == magnitude)
        }
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "div" | "quo" | "rem" if y == 0 => return None,
        "div" | "quo" => x / y,
        "rem" => x % y,
        "mod" => infix("mod", x, y)?,
        "divfloor" => floored(x, &y)?.0,
        "modfloor" => floored(x, &y)?.1,
        "divceil" => -floored(-x, &y)?.0,
        "modeuclid" => floored(x, &Integer::from(other))?.1,
        "diveuclid" => {
            let rest = floored(x.clone(), &Integer::from(other))?.1;
            (x - rest) / y
        }
        "gcd" => Integer::from(gcd(magnitude, other)),
        "lcm" if magnitude == 0 || other == 0 => Integer::ZERO,
        "lcm" => Integer::from(&magnitude / gcd(magnitude.clone(), other.clone()) * other),
        "min" => x.min(y),
        "max" => x.max(y),
        "cmp" => infix("-", truth(x > y), truth(x < y))?,
        "divides" => truth(if x == 0 { y == 0 } else { y % x == 0 }),
        "hamming" if (x < 0) != (y < 0) => return None,
        "hamming" => {
            let difference = (x ^ y).unsigned_abs();
            Integer::from(bits(&difference).into_iter().filter(|bit| *bit).count())
        }
        _ if y < 0 => return None,
        "bit" => truth(bit(&x, &y)),
        "scan0" => scan(&x, &y, false),
        "scan1" => scan(&x, &y, true),
        // Above the top, only these leave a number as it is; others would not fit in memory.
        "shr" if y > 1_000_000 => -truth(x < 0),
        "setbit" if y > 1_000_000 => (x < 0).then_some(x)?,
        "clearbit" if y > 1_000_000 => (x >= 0).then_some(x)?,
        "flipbit" if y > 1_000_000 => return None,
        "shr" => x.div_mod(power_of_two(u64::try_from(&y).ok()?)).0,
        "setbit" | "clearbit" | "flipbit" => {
            let is_set = bit(&x, &y);
            let weight = power_of_two(u64::try_from(&y).ok()?);
            match (name, is_set) {
                ("setbit" | "flipbit", false) => x + weight,
                ("clearbit" | "flipbit", true) => x - weight,
                _ => x,
            }
        }
        _ => unreachable!("{name}"),
    })
}

/// The source of randomness, and the variables so far.
struct Generator {
    random: Xoshiro256PlusPlus,
    variables: Vec<(&'static str, Option<Integer>)>,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let names = VARIABLES.into_iter().chain(["_", "ans"]);
        Generator {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            variables: names.map(|name| (name, None)).collect(),
        }
    }

    fn below(&mut self, end: usize) -> usize {
        (self.random.next_u64() % end as u64) as usize
    }

    fn choose(&mut self, names: &[&'static str]) -> &'static str {
        names[self.below(names.len())]
    }

    fn literal(&mut self) -> Tree {
        let words = (0..self.below(4)).map(|_| self.random.next_u64());
        let n = Natural::from_owned_limbs_asc(words.collect());
        Tree::Literal(match self.below(3) {
            0 => Integer::from(self.below(20)),
            1 => Integer::from(self.random.next_u64() >> self.below(64)),
            _ => Integer::from(n) + truth(self.below(2) == 0),
        })
    }

    fn leaf(&mut self) -> Tree {
        if self.below(3) > 0 {
            return self.literal();
        }
        let index = self.below(self.variables.len());
        let (name, value) = self.variables[index].clone();
        // A name without a value makes the whole line fail: once in a while is enough.
        if value.is_none() && self.below(40) > 0 {
            return self.literal();
        }
        Tree::Name(name, value)
    }

    /// A position, now and then beyond the words of the machine.
    fn position(&mut self) -> Tree {
        let n = match self.below(4) {
            0 => power_of_two(64) - Integer::from(self.below(3)),
            1 => power_of_two(64 + self.below(30) as u64) + Integer::from(self.below(3)),
            _ => Integer::from(self.below(300)),
        };
        Tree::Literal(n)
    }

    fn tree(&mut self, depth: usize) -> Tree {
        if depth == 0 {
            return self.leaf();
        }
        let tree = match self.below(12) {
            0..5 => {
                let operator = self.choose(&INFIX);
                let (x, y) = (self.tree(depth - 1), self.tree(depth - 1));
                Tree::Infix(operator, Box::new(x), Box::new(y))
            }
            5 => {
                let operator = ['-', '+', '~'][self.below(3)];
                Tree::Prefix(operator, Box::new(self.tree(depth - 1)))
            }
            6 => {
                let (left, n) = (self.below(2) == 0, self.below(200) as u64);
                Tree::Shift(left, Box::new(self.tree(depth - 1)), n)
            }
            7 => {
                let (python, n) = (self.below(2) == 0, self.below(5) as u64);
                Tree::Power(python, Box::new(self.tree(depth - 1)), n)
            }
            8 => Tree::Factorial(self.below(30) as u64),
            9 => Tree::Call(self.choose(&UNARY), vec![self.tree(depth - 1)]),
            10 => {
                let arguments = vec![self.tree(depth - 1), self.tree(depth - 1)];
                Tree::Call(self.choose(&BINARY), arguments)
            }
            _ => {
                let arguments = vec![self.tree(depth - 1), self.position()];
                Tree::Call(self.choose(&OF_BITS), arguments)
            }
        };
        match tree.value() {
            Some(value) if bits(value.unsigned_abs_ref()).len() > MOST_BITS => self.leaf(),
            _ => tree,
        }
    }

    /// A line and its value; keeps what the line assigns.
    fn line(&mut self) -> (String, Option<Integer>) {
        let depth = 1 + self.below(5);
        let tree = self.tree(depth);
        let (mut text, value) = (tree.print(0), tree.value());
        let assigned = self.below(VARIABLES.len() * 3);
        if let Some(name) = VARIABLES.get(assigned) {
            text = format!("{name} = {text}");
        }
        if let Some(value) = &value {
            for (name, variable) in &mut self.variables {
                let is_last = ["_", "ans"].contains(name);
                if is_last || VARIABLES.get(assigned) == Some(name) {
                    *variable = Some(value.clone());
                }
            }
        }
        (text, value)
    }
}

/// Sends `count` lines through one process.
fn compare(seed: u64, count: usize, engine: &str, tuning: &str) {
    let mut generator = Generator::new(seed);
    let lines: Vec<_> = (0..count).map(|_| generator.line()).collect();
    let input: String = lines.iter().map(|(text, _)| format!("{text}\n")).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
    command
        .args(["calc", "-", "--json", "--engine", engine])
        .env("BEZOUT_TUNING", tuning);
    let Run { code, stdout, .. } = run_with_stdin(command, &input);
    let failures = lines.iter().filter(|(_, value)| value.is_none()).count();
    assert!(failures * 3 < count, "too many lines fail to be of use");
    assert_eq!(code, Some(if failures > 0 { 2 } else { 0 }), "seed {seed}");
    let record: Value = serde_json::from_str(&stdout).unwrap();
    let answers = record["answers"].as_array().unwrap();
    assert_eq!(answers.len(), count);
    for (answer, (text, value)) in answers.iter().zip(&lines) {
        match value {
            Some(value) => assert_eq!(answer["value"], value.to_string(), "{text}\n{answer}"),
            None => assert!(answer["error"].is_string(), "{text}\n{answer}"),
        }
    }
}

#[test]
fn random_expressions_on_the_cpu() {
    compare(1, 3000, "cpu", "default");
    compare(2, 1000, "cpu", "minimal");
}

#[test]
fn random_expressions_on_the_executor() {
    if bezout(&["calc", "1", "--engine", "cuda:executor"]).code == Some(0) {
        compare(3, 60, "cuda:executor", "minimal");
    }
}
