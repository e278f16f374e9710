//! Parsing and printing.

use super::*;
use crate::error::Error;
use crate::poly::Format;

fn modulus(p: u64) -> Modulus {
    Modulus::new(p).unwrap()
}

#[test]
fn expressions() {
    let p = modulus(101);
    for (text, coefficients) in [
        ("3*x^2 + x + 5", vec![5, 1, 3]),
        ("0", vec![]),
        ("-1", vec![100]),
        ("x", vec![0, 1]),
        ("-x", vec![0, 100]),
        ("2x", vec![0, 2]),
        ("x**3 - 2 * x ^ 2", vec![0, 0, 99, 1]),
        (" + 7x^0\n - x^1 ", vec![7, 100]),
        ("x + x + x", vec![0, 3]),
        ("x - x", vec![]),
        ("50*x^3+51*x^3", vec![]),
        ("5 − x", vec![5, 100]),
        ("x + -1", vec![100, 1]),
        ("x - -1", vec![1, 1]),
        ("x + - 3", vec![98, 1]),
        ("--x", vec![0, 1]),
        ("-+-x", vec![0, 1]),
        ("x*x", vec![0, 0, 1]),
        ("x * -x", vec![0, 0, 100]),
        ("xx", vec![0, 0, 1]),
        ("3*5", vec![15]),
        ("2*x^3", vec![0, 0, 0, 2]),
        ("-x^2", vec![0, 0, 100]),
        ("(-x)^2", vec![0, 0, 1]),
        ("(x+1)^2", vec![1, 2, 1]),
        ("(x + 1) ** 2", vec![1, 2, 1]),
        ("(x+1)(x-1)", vec![100, 0, 1]),
        ("2(x+1)", vec![2, 2]),
        ("x(x+1)", vec![0, 1, 1]),
        ("x^2(x+1)", vec![0, 0, 1, 1]),
        ("(x+1)x", vec![0, 1, 1]),
        ("(x+1)*3", vec![3, 3]),
        ("-(x+1)", vec![100, 100]),
        ("((x))", vec![0, 1]),
        ("(((x+1))^2 - (x^2 + 1))^3", vec![0, 0, 0, 8]),
        ("(x+1)^0", vec![1]),
        ("0^0", vec![1]),
        ("(x-x)^0", vec![1]),
        ("(x-x)^5", vec![]),
        ("0*x^5", vec![]),
        ("0*(x+1)", vec![]),
        ("2^10", vec![14]),
        ("2^1000000000000000001 - 2^0", vec![1]),
        ("x^(3)", vec![0, 0, 0, 1]),
        ("x^(2^3 - 2*3)", vec![0, 0, 1]),
        ("x^(2^1^5)", vec![0, 0, 1]),
        ("x^0x2", vec![0, 0, 1]),
        ("x^1_0 - x^10", vec![]),
        ("101*x + 102", vec![1]),
        ("-102", vec![100]),
        ("0xff*x", vec![0, 53]),
        ("0xffx", vec![0, 53]),
        ("-0X1F", vec![70]),
        ("0x + 1", vec![1]),
        ("0x^2 + 3", vec![3]),
        ("1_000_000x", vec![0, 100]),
        ("123456789012345678901234567890*x^2", vec![0, 0, 46]),
        ("(x + 1)\n * (x - 1)", vec![100, 0, 1]),
    ] {
        let poly = Poly::parse(text, p).unwrap();
        assert_eq!(poly.coefficients(), coefficients, "{text}");
        assert_eq!(Poly::parse(&poly.to_string(), p).unwrap(), poly, "{text}");
    }
    assert_eq!(Poly::zero(p).to_string(), "0");
    let poly = Poly::new(vec![1, 1, 0, 2, 1], p).unwrap();
    assert_eq!(poly.to_string(), "x^4 + 2*x^3 + x + 1");
    assert_eq!(format!("{poly:?}"), "x^4 + 2*x^3 + x + 1 (mod 101)");
}

#[test]
fn bad_expressions_say_where() {
    for (text, line, position) in [
        ("", 1, 1),
        ("  ", 1, 3),
        ("3*", 1, 3),
        ("3 5", 1, 3),
        ("x^", 1, 3),
        ("x^-1", 1, 3),
        ("x +\n 101*y", 2, 6),
        ("x +\n + y", 2, 4),
        ("é", 1, 1),
        ("2*é", 1, 3),
        ("x + - ", 1, 7),
        ("x^99999999999999999999", 1, 3),
        ("1.5*x", 1, 2),
        ("x y", 1, 3),
        ("x5", 1, 2),
        ("x + 1\nx + 2", 2, 1),
        ("x\n(x)", 2, 1),
        ("(x", 1, 1),
        ("x + ((x)", 1, 5),
        ("(x 5)", 1, 4),
        ("x)", 1, 2),
        ("()", 1, 2),
        ("x * * x", 1, 5),
        ("1_", 1, 3),
        ("1__0", 1, 3),
        ("x^2^3", 1, 4),
        ("x^2 ** 3", 1, 5),
        ("x^x", 1, 3),
        ("x^(1-2)", 1, 3),
        ("x^(2^100)", 1, 5),
        ("x^(9*9999999999999999999)", 1, 6),
        ("x^274877906944", 1, 3),
        ("(x+1)^274877906944", 1, 7),
        ("x^200000000000 * x^200000000000", 1, 18),
        ("(x+1) * x^274877906943", 1, 9),
    ] {
        match Poly::parse(text, modulus(101)) {
            Err(Error::Polynomial {
                line: l,
                position: c,
                ..
            }) => assert_eq!((l, c), (line, position), "{text:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let p = modulus(101);
    let nested = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(Poly::parse(&nested(200), p), Ok(Poly::x(p)));
    for text in [
        nested(201),
        nested(1_000_000),
        format!("x^({}1)", "2^".repeat(1_000_000)),
        format!("x^{}", "(".repeat(1_000_000)),
    ] {
        let error = Poly::parse(&text, p).unwrap_err().to_string();
        assert!(error.contains("nest more than 200 deep"), "{error}");
    }
    let signs = format!("{}x", "-".repeat(1_000_000));
    assert_eq!(Poly::parse(&signs, p), Ok(Poly::x(p)));
}

#[test]
fn long_texts() {
    // Terms in rising and in falling order, and a power of a sum.
    let p = modulus(101);
    let term = |i: usize| format!("{}*x^{i}", i % 101);
    let rising: Vec<String> = (0..50_000).map(term).collect();
    let falling: Vec<String> = rising.iter().rev().cloned().collect();
    let expected: Vec<u64> = (0..50_000).map(|i| i % 101).collect();
    for text in [rising.join(" + "), falling.join("+")] {
        let found = Poly::parse(&text, p).unwrap();
        assert_eq!(found.coefficients(), expected);
    }
    // (x + 1)^(p^k) = x^(p^k) + 1.
    let power = Poly::parse("(x + 1)^(101^2)", p).unwrap();
    assert_eq!(power, Poly::parse("x^10201 + 1", p).unwrap());
}

#[test]
fn lines() {
    let p = modulus(101);
    let large = "-0xff\n+102\n1_000\n";
    let poly = Poly::parse_as(large, Format::Lines, p).unwrap();
    assert_eq!(poly.coefficients(), [48, 1, 91]);
    let text = "5\n\n -1 \n# a comment\n0\r\n3 # the last\n0\n";
    let poly = Poly::parse_as(text, Format::Lines, p).unwrap();
    assert_eq!(poly.coefficients(), [5, 100, 0, 3]);
    let printed = poly.try_to_text(Format::Lines).unwrap();
    assert_eq!(printed, "5\n100\n0\n3");
    assert_eq!(Poly::parse_as(&printed, Format::Lines, p).unwrap(), poly);
    assert_eq!(Poly::zero(p).try_to_text(Format::Lines).unwrap(), "0");
    for (text, line, position) in [
        ("", 1, 1),
        ("5\n  x\n", 2, 3),
        ("5\n7 8\n", 2, 3),
        ("5\n-\n", 2, 2),
    ] {
        match Poly::parse_as(text, Format::Lines, p) {
            Err(Error::Polynomial {
                line: l,
                position: c,
                ..
            }) => assert_eq!((l, c), (line, position), "{text:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}
