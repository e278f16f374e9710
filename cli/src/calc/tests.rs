//! The parser against random text, and the evaluator against expression trees evaluated by
//! malachite.

use malachite_base::num::arithmetic::traits::{Abs, DivMod, Factorial, Mod, Pow};
use malachite_base::num::basic::traits::{One, Zero};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use proptest::prelude::*;

use super::Program;
use super::compile::{MAX_CHAIN, MAX_DEPTH};
use super::functions::FUNCTIONS;

fn evaluate(text: &str) -> Option<Integer> {
    let value = Program::compile(text).ok()?.whole().ok()?;
    let magnitude = Natural::from_limbs_asc(value.limbs());
    Some(Integer::from_sign_and_abs(!value.is_negative(), magnitude))
}

#[test]
fn functions_have_distinct_names() {
    for (i, function) in FUNCTIONS.iter().enumerate() {
        assert!(
            FUNCTIONS[..i]
                .iter()
                .all(|earlier| earlier.name != function.name)
        );
        assert!(function.usage.starts_with(function.name) && !function.about.is_empty());
    }
}

#[test]
fn nesting_is_limited_before_the_stack_is() {
    let brackets = |n| format!("{}1{}", "(".repeat(n), ")".repeat(n));
    let calls = |n| format!("{}1{}", "abs(".repeat(n), ")".repeat(n));
    let powers = |n| format!("{}1", "1^".repeat(n));
    let signs = |n| format!("{}1", "+".repeat(n));
    // Three signs and powers to a bracket reach both limits at once.
    let all = |n| format!("{}1{}", "-1^+abs(".repeat(n), ")".repeat(n));
    assert_eq!(MAX_CHAIN, 3 * MAX_DEPTH);
    let by_depth: [fn(usize) -> String; 3] = [brackets, calls, all];
    let by_chain: [fn(usize) -> String; 2] = [powers, signs];
    // The smallest main stack of any system.
    let checks = move || {
        let by_depth = by_depth.map(|shape| (MAX_DEPTH, shape));
        let by_chain = by_chain.map(|shape| (MAX_CHAIN, shape));
        for (limit, shape) in by_depth.into_iter().chain(by_chain) {
            let value = evaluate(&shape(limit)).expect("the limit itself is allowed");
            assert!(value == 1 || value == -1);
            for n in [limit + 1, 100_000] {
                assert!(Program::compile(&shape(n)).is_err());
            }
        }
    };
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(checks)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn length_is_not_limited() {
    let text = format!("{}0", "1 + ".repeat(100_000));
    assert_eq!(evaluate(&text), Some(Integer::from(100_000)));
    let text = format!("{}x", "x = 1; ".repeat(10_000));
    assert_eq!(evaluate(&text), Some(Integer::ONE));
}

/// Sums, products, quotients and remainders of fractions of small numbers, by their definition.
#[test]
fn fractions_are_exact() {
    let text = |text: &str| {
        let value = Program::compile(text).unwrap().run().unwrap().value;
        format!("{}/{}", value.numerator(), value.denominator())
    };
    let lowest = |over: i64, under: i64| {
        let (mut g, mut rest) = (over.abs(), under.abs());
        while rest != 0 {
            (g, rest) = (rest, g % rest);
        }
        let g = g * under.signum();
        format!("{}/{}", over / g, under / g)
    };
    for a in -6..=6i64 {
        for b in [-4, -3, 1, 2, 6i64] {
            for c in -5..=5i64 {
                for d in [-2, 1, 3, 4i64] {
                    let with =
                        |operator: &str| text(&format!("({a})/({b}) {operator} (({c})/({d}))"));
                    assert_eq!(with("+"), lowest(a * d + b * c, b * d));
                    assert_eq!(with("-"), lowest(a * d - b * c, b * d));
                    assert_eq!(with("*"), lowest(a * c, b * d));
                    assert_eq!(
                        with("<"),
                        format!("{}/1", u8::from((a * d - b * c) * b * d < 0))
                    );
                    if c != 0 {
                        assert_eq!(with("/"), lowest(a * d, b * c));
                        let quotient = (a as f64 * d as f64 / (b as f64 * c as f64)).floor() as i64;
                        assert_eq!(with("//"), format!("{quotient}/1"));
                        assert_eq!(with("%"), lowest(a * d - b * c * quotient, b * d));
                    }
                }
            }
            if a != 0 {
                assert_eq!(text(&format!("(({a})/({b}))^-2")), lowest(b * b, a * a));
                assert_eq!(
                    text(&format!("(({a})/({b}))^3")),
                    lowest(a * a * a, b * b * b)
                );
                assert_eq!(text(&format!("(({a})/({b}))^0")), "1/1");
            }
            // 7 divides no denominator here.
            let rest = (0..7).find(|x| (x * b - a).rem_euclid(7) == 0).unwrap();
            assert_eq!(text(&format!("({a})/({b}) mod 7")), format!("{rest}/1"));
            assert_eq!(text(&format!("({a})/({b}) mod -7")), format!("{rest}/1"));
        }
    }
    assert_eq!(text("3^-1 mod 7"), "5/1");
    assert_eq!(text("-7 mod 3"), "2/1");
    for refused in [
        "1/0",
        "0^-1",
        "1/7 mod 7",
        "2^(1/2)",
        "gcd(1/2, 3)",
        "1/2 & 1",
        "5 mod (1/2)",
    ] {
        assert!(
            Program::compile(refused).unwrap().run().is_err(),
            "{refused}"
        );
    }
    assert!(Program::compile("1/2").unwrap().whole().is_err());
}

#[test]
fn running_again_gives_the_same_random_numbers() {
    let program = Program::compile("random:100 + random(100) * random:64:7").unwrap();
    assert_eq!(program.run().unwrap().value, program.run().unwrap().value);
}

/// An expression whose values stay small: shifts, powers and factorials have small literal
/// operands.
#[derive(Debug, Clone)]
enum Tree {
    Literal(u64),
    Prefix(char, Box<Tree>),
    Infix(&'static str, Box<Tree>, Box<Tree>),
    Shift(bool, Box<Tree>, u8),
    Power(Box<Tree>, u8),
    Factorial(u8),
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0..20_u64).prop_map(Tree::Literal),
        any::<u64>().prop_map(Tree::Literal),
        (0..25_u8).prop_map(Tree::Factorial),
    ];
    let infix = prop::sample::select(vec![
        "+", "-", "*", "//", "%", "mod", "&", "xor", "|", "==", "!=", "<", "<=", ">", ">=",
    ]);
    leaf.prop_recursive(6, 60, 2, move |inner| {
        let child = inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => (infix.clone(), child.clone(), child.clone())
                .prop_map(|(o, l, r)| Tree::Infix(o, l, r)),
            1 => (prop::sample::select(vec!['-', '+', '~']), child.clone())
                .prop_map(|(o, x)| Tree::Prefix(o, x)),
            1 => (any::<bool>(), child.clone(), any::<u8>())
                .prop_map(|(o, x, n)| Tree::Shift(o, x, n)),
            1 => (child, 0..4_u8).prop_map(|(x, n)| Tree::Power(x, n)),
        ]
    })
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
            Tree::Literal(_) => 11,
        }
    }

    /// Its text, in brackets only if it binds less tightly than `level`.
    fn print(&self, level: u32) -> String {
        let own = self.level();
        let text = match self {
            Tree::Literal(n) if n % 3 == 0 => format!("{n:#x}"),
            Tree::Literal(n) => n.to_string(),
            Tree::Factorial(n) => format!("{n}!"),
            Tree::Prefix(operator, x) => format!("{operator}{}", x.print(own)),
            Tree::Power(x, n) => format!("{}^{n}", x.print(own + 1)),
            Tree::Shift(left, x, n) => {
                format!("{}{}{n}", x.print(own), if *left { "<<" } else { ">>" })
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

    /// Its value; `None` if a division by zero is in it.
    fn value(&self) -> Option<Integer> {
        let truth = |b: bool| if b { Integer::ONE } else { Integer::ZERO };
        Some(match self {
            Tree::Literal(n) => Integer::from(*n),
            Tree::Factorial(n) => Integer::from(Natural::factorial(u64::from(*n))),
            Tree::Prefix('-', x) => -x.value()?,
            Tree::Prefix('~', x) => !x.value()?,
            Tree::Prefix(_, x) => x.value()?,
            Tree::Power(x, n) => x.value()?.pow(u64::from(*n)),
            Tree::Shift(true, x, n) => x.value()? << u64::from(*n),
            Tree::Shift(false, x, n) => x.value()? >> u64::from(*n),
            Tree::Infix(operator, x, y) => {
                let (x, y) = (x.value()?, y.value()?);
                match *operator {
                    "+" => x + y,
                    "-" => x - y,
                    "*" => x * y,
                    "//" | "%" | "mod" if y == 0 => return None,
                    "//" => x.div_mod(y).0,
                    "%" => x.mod_op(y),
                    "mod" => x.mod_op(y.abs()),
                    "&" => x & y,
                    "|" => x | y,
                    "xor" => x ^ y,
                    "==" => truth(x == y),
                    "!=" => truth(x != y),
                    "<" => truth(x < y),
                    "<=" => truth(x <= y),
                    ">" => truth(x > y),
                    _ => truth(x >= y),
                }
            }
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn trees_evaluate_as_in_malachite(tree in tree()) {
        prop_assert_eq!(evaluate(&tree.print(0)), tree.value(), "{}", tree.print(0));
    }

    #[test]
    fn any_text_gives_a_program_or_an_error(text in any::<String>()) {
        let _ = Program::compile(&text);
    }

    /// Text made of the language's own pieces gets further into the parser.
    #[test]
    fn any_pieces_give_a_program_or_an_error(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "0", "1", "7_0", "0x", "0xf", "0b1", "1e2", "_", "a", "xor", "fib", "gcd", "random",
            "random:", ":", "@", "@\"", "\"", "(", ")", ",", ";", "=", "==", "!", "!=", "~", "-",
            "+", "*", "/", "%", "^", "&", "|", "<", "**", "//", "mod", "hex", "xgcd", "<<", ">",
            ">>", ">=", " ", "\n", "é", ".",
        ]), 0..24)) {
        // Exponents may stack up to numbers that take long to compute: only parsing is of interest
        // here.
        let _ = Program::compile(&pieces.concat());
    }
}
