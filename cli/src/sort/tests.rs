//! Exact orders against scaled integers of malachite, which the code under test does not use so.

use std::cmp::Ordering;

use malachite_base::num::arithmetic::traits::Pow;
use malachite_base::num::conversion::traits::FromStringBase;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;

/// Every number below is a multiple of 10^-SCALE.
const SCALE: i64 = 100;

/// A text and 10^SCALE times its value.
#[derive(Debug, Clone)]
struct Written {
    text: String,
    scaled: Integer,
    is_written_whole: bool,
}

impl Written {
    /// The order of decimals, where -0 is before 0, or of integers, where -0 is 0.
    fn order(&self, other: &Written, kind: Type) -> Ordering {
        let is_positive = |number: &Written| !number.text.starts_with('-');
        let signs = is_positive(self).cmp(&is_positive(other));
        let by_value = self.scaled.cmp(&other.scaled);
        if kind == Type::Decimal && self.scaled == 0 {
            return by_value.then(signs);
        }
        by_value
    }
}

fn written(sign: &str, digits: &str, point: Option<usize>, exponent: Option<i64>) -> Written {
    let mut text = format!("{sign}{digits}");
    let mut power = SCALE + exponent.unwrap_or(0);
    if let Some(behind) = point {
        let behind = behind % digits.len();
        text.insert(text.len() - behind, '.');
        power -= behind as i64;
    }
    if let Some(exponent) = exponent {
        text.push_str(&format!("e{exponent}"));
    }
    let magnitude = Natural::from_string_base(10, digits).unwrap();
    let scaled = Integer::from(magnitude * Natural::from(10u32).pow(power as u64));
    Written {
        text,
        scaled: if sign == "-" { -scaled } else { scaled },
        is_written_whole: point.is_none() && exponent.is_none(),
    }
}

fn hexadecimal(sign: &str, digits: &str) -> Written {
    let magnitude = Natural::from_string_base(16, digits).unwrap();
    let scaled = Integer::from(magnitude * Natural::from(10u32).pow(SCALE as u64));
    Written {
        text: format!("{sign}0x{digits}"),
        scaled: if sign == "-" { -scaled } else { scaled },
        is_written_whole: true,
    }
}

fn sign() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just(""), Just("-"), Just("-"), Just("+")]
}

/// Digits of which many are 0 or 9, and many texts have the same first ones.
fn digits() -> impl Strategy<Value = String> {
    let digit = prop_oneof![Just('0'), Just('9'), prop::char::range('0', '9')];
    let start = prop_oneof![
        Just(""),
        Just("9007199254740992"),
        Just("1844674407370955161"),
        Just("000000000000000000000000"),
    ];
    let random = vec(digit, 1..24).prop_map(String::from_iter);
    (start, random).prop_map(|(start, random)| format!("{start}{random}"))
}

fn integer() -> impl Strategy<Value = Written> {
    let decimal = (sign(), digits()).prop_map(|(sign, digits)| written(sign, &digits, None, None));
    let hex = (sign(), digits()).prop_map(|(sign, digits)| hexadecimal(sign, &digits));
    prop_oneof![decimal, hex]
}

fn number() -> impl Strategy<Value = Written> {
    let decimal = (
        sign(),
        digits(),
        option::of(0usize..40),
        option::of(-40i64..40),
    );
    let decimal =
        decimal.prop_map(|(sign, digits, point, exponent)| written(sign, &digits, point, exponent));
    prop_oneof![decimal, integer()]
}

/// Sorts as the command does, and compares with a sort of the scaled integers.
fn check(numbers: &[Written], descending: bool) {
    let texts: Vec<&str> = numbers.iter().map(|number| number.text.as_str()).collect();
    let keys = Keys::of(&texts, None).unwrap();
    let kind = keys.kind();
    let is_whole = numbers.iter().all(|number| number.is_written_whole);
    assert_eq!(kind != Type::Decimal, is_whole);
    let mut expected: Vec<u64> = (0..numbers.len() as u64).collect();
    expected.sort_by(|a, b| {
        let order = numbers[*a as usize].order(&numbers[*b as usize], kind);
        if descending { order.reverse() } else { order }
    });
    let mut how = Options::default();
    how.descending = descending;
    let places = keys.order(&texts, how).unwrap();
    assert_eq!(places, expected, "{texts:?}");
    keys.verify(&texts, &places, descending).unwrap();
    for at in 1..places.len() {
        let mut swapped = places.clone();
        swapped.swap(at - 1, at);
        let refused = keys.verify(&texts, &swapped, descending);
        assert!(refused.is_err(), "{texts:?} {swapped:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn integers_are_in_order(numbers in vec(integer(), 0..12), descending: bool) {
        check(&numbers, descending);
    }

    #[test]
    fn decimals_are_in_order(numbers in vec(number(), 0..12), descending: bool) {
        check(&numbers, descending);
    }

    #[test]
    fn two_numbers_compare(a in number(), b in number()) {
        let expected = a.order(&b, Type::Decimal);
        let values = (Decimal::parse(&a.text).unwrap(), Decimal::parse(&b.text).unwrap());
        prop_assert_eq!(values.0.order(&values.1), expected);
        // Keys may be equal where values are not, but are never in another order.
        let keys = values.0.key().cmp(&values.1.key());
        prop_assert!(keys.is_eq() || keys == expected);
    }

    #[test]
    fn values_round_as_their_texts(sign in sign(), digits in digits(), exponent in -340i64..340) {
        let text = format!("{sign}{digits}e{exponent}");
        let short = Decimal::parse(&text).unwrap().for_rounding();
        let (expected, found): (f64, f64) = (text.parse().unwrap(), short.parse().unwrap());
        prop_assert_eq!(expected.to_bits(), found.to_bits());
    }
}

#[test]
fn many_equal_keys_are_sorted_by_all_threads() {
    let start = "12345678901234567890";
    let numbers: Vec<Written> = (0..3000u64)
        .map(|i| written("", &format!("{start}{:04}", i * 7919 % 1511), Some(3), None))
        .collect();
    let texts: Vec<&str> = numbers.iter().map(|number| number.text.as_str()).collect();
    let keys = Keys::of(&texts, None).unwrap();
    let mut expected: Vec<u64> = (0..3000).collect();
    expected.sort_by_key(|place| &numbers[*place as usize].scaled);
    assert_eq!(keys.order(&texts, Options::default()).unwrap(), expected);
}

#[test]
fn types_are_as_narrow_as_the_numbers() {
    for (numbers, kind) in [
        (&["1", "-2", "3"][..], Type::I64),
        (&["1", "18446744073709551615"], Type::U64),
        (&["-1", "18446744073709551615"], Type::Integer),
        (&["1", "0x10000000000000000"], Type::Integer),
        (&["1", "2.5"], Type::Decimal),
        (&["1", "1e3"], Type::Decimal),
        (&[], Type::I64),
    ] {
        assert_eq!(Keys::of(numbers, None).unwrap().kind(), kind, "{numbers:?}");
    }
}

#[test]
fn extreme_exponents_cost_nothing() {
    let ordered = [
        "-nan",
        "-Infinity",
        "-1e1000000000000000000000000000000000000",
        "-1e999999999999",
        "-1e400",
        "-1e-999999999999",
        "-0e999999999999",
        "0",
        "1e-1000000000000000000000000000000000000",
        "1e-4097",
        "1e-4096",
        "9e-4097",
        "0.5",
        "1e4094",
        "9e4094",
        "1e4095",
        "1e4096",
        "1e999999999999",
        "1.0000000000000000000000001e999999999999",
        "10.1e999999999998",
        "1e1000000000000",
        "inf",
        "NaN",
    ];
    // All are in order but these two.
    let mut expected: Vec<&str> = ordered.to_vec();
    expected.swap(10, 11);
    let keys = Keys::of(&ordered, Some(Type::Decimal)).unwrap();
    let places = keys.order(&ordered, Options::default()).unwrap();
    let found: Vec<&str> = places
        .iter()
        .map(|place| ordered[*place as usize])
        .collect();
    assert_eq!(found, expected);
    keys.verify(&ordered, &places, false).unwrap();
}

#[test]
fn mistakes_have_their_place() {
    for (text, at, reason) in [
        ("", 0, "ends too early"),
        ("-", 1, "ends too early"),
        ("+-5", 1, "unexpected '-'"),
        ("2.5.5", 3, "unexpected '.'"),
        (".", 1, "ends too early"),
        ("1e", 2, "ends too early"),
        ("1e+", 3, "ends too early"),
        ("1e5x", 3, "unexpected 'x'"),
        ("0x", 2, "ends too early"),
        ("0x1g", 3, "unexpected 'g'"),
        ("0x1.8", 3, "unexpected '.'"),
        ("1 2", 1, "unexpected ' '"),
        ("1_000", 1, "unexpected '_'"),
        ("12é", 2, "unexpected 'é'"),
        ("words", 0, "unexpected 'w'"),
        (
            "1e9999999999999999999999999999999999999",
            2,
            "exponent is too large",
        ),
        (
            "1e-99999999999999999999999999999999999999999",
            2,
            "exponent is too large",
        ),
    ] {
        let mistake = Decimal::parse(text).unwrap_err();
        assert_eq!(mistake.span.start, at, "{text}");
        assert!(
            mistake.reason.contains(reason),
            "{text}: {}",
            mistake.reason
        );
    }
    for text in [
        "1.",
        ".5",
        "+0x1F",
        "-0X1f",
        "INFINITY",
        "-nAn",
        "1E+5",
        "1e00000000000000000000000000000000000000000000000000",
    ] {
        assert!(Decimal::parse(text).is_ok(), "{text}");
    }
}
