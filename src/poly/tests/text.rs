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
        ("x +\n 101*x", 2, 2),
        ("x +\n + y", 2, 2),
        ("é", 1, 1),
        ("2*é", 1, 3),
        ("x + - 3", 1, 5),
        ("x^99999999999999999999", 1, 3),
        ("3*5", 1, 3),
        ("1.5*x", 1, 2),
        ("x y", 1, 3),
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
fn lines() {
    let p = modulus(101);
    let text = "5\n\n -1 \n# a comment\n0\r\n3 # the last\n0\n";
    let poly = Poly::parse_as(text, Format::Lines, p).unwrap();
    assert_eq!(poly.coefficients(), [5, 100, 0, 3]);
    let printed = poly.try_to_text(Format::Lines).unwrap();
    assert_eq!(printed, "5\n100\n0\n3");
    assert_eq!(Poly::parse_as(&printed, Format::Lines, p).unwrap(), poly);
    assert_eq!(Poly::zero(p).try_to_text(Format::Lines).unwrap(), "0");
    for (text, line, position) in [
        ("", 1, 1),
        ("5\n101\n", 2, 1),
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
