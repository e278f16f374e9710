use malachite_base::num::conversion::traits::ToStringBase;
use proptest::prelude::*;

use super::{boundaries, integers, tunings};
use crate::error::Error;
use crate::int::Int;

fn round_trips(a: &malachite_nz::integer::Integer) {
    tunings(|| {
        let x = Int::from(a);
        for radix in 2..=36 {
            let text = x.to_string_radix(radix);
            assert_eq!(text, a.to_string_base(radix as u8));
            assert_eq!(Int::from_str_radix(&text, radix).unwrap(), x);
            assert_eq!(Int::from_str_radix(&text.to_uppercase(), radix).unwrap(), x);
        }
        assert_eq!(x.to_string(), a.to_string());
        for text in [
            format!("{x}"),
            format!("{x:#x}"),
            format!("{x:#X}"),
            format!("{x:#o}"),
            format!("{x:#b}"),
        ] {
            assert_eq!(text.parse::<Int>().unwrap(), x, "{text}");
        }
    });
}

#[test]
fn at_boundaries() {
    for a in boundaries() {
        round_trips(&a);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn in_every_radix(a in integers(30)) {
        round_trips(&a);
    }

    #[test]
    fn underscores_change_nothing(a in integers(5), radix in 2u32..=36, step in 1usize..5) {
        let x = Int::from(a).abs();
        let digits = x.to_string_radix(radix);
        let groups: Vec<&str> = digits
            .as_bytes()
            .chunks(step)
            .map(|group| std::str::from_utf8(group).unwrap())
            .collect();
        prop_assert_eq!(Int::from_str_radix(&groups.join("_"), radix).unwrap(), x);
    }

    #[test]
    fn no_text_panics(text in "[-+_0xXbo1-9a-fZ é🦀\\s]{0,12}", radix in 0u32..50) {
        for result in [text.parse(), Int::from_str_radix(&text, radix)] {
            match result {
                Ok(x) => prop_assert_eq!(x.to_string().parse::<Int>().unwrap(), x),
                Err(Error::Parse { position, .. }) => prop_assert!(text.is_char_boundary(position)),
                Err(Error::Radix(bad)) => prop_assert!(bad == radix && !(2..=36).contains(&bad)),
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }
}

#[test]
fn accepted() {
    for (text, value) in [
        ("0", 0),
        ("-0", 0),
        ("+0", 0),
        ("007", 7),
        ("+12", 12),
        ("-1_000_000", -1_000_000),
        ("0xFf", 255),
        ("-0X1f", -31),
        ("0b1010_1010", 0xaa),
        ("0B1", 1),
        ("+0o777", 0o777),
        ("0O17", 0o17),
        ("0x0000000000000000000000000000000000000001", 1),
    ] {
        assert_eq!(text.parse::<Int>().unwrap(), value, "{text}");
    }
}

#[test]
fn refused_with_position_and_reason() {
    for (text, at, reason) in [
        ("", 0, "nothing there"),
        ("-", 1, "a sign alone"),
        ("+", 1, "a sign alone"),
        ("0x", 2, "a prefix alone"),
        ("-0b", 3, "a prefix alone"),
        ("x", 0, "'x' is not a decimal digit"),
        ("--1", 1, "'-' is not"),
        ("+-1", 1, "'-' is not"),
        ("1-", 1, "'-' is not"),
        (" 1", 0, "' ' is not"),
        ("1 ", 1, "' ' is not"),
        ("12\n", 2, "'\\n' is not"),
        ("1.5", 1, "'.' is not"),
        ("1e9", 1, "'e' is not"),
        ("12a4", 2, "'a' is not a decimal digit"),
        ("0xfg", 3, "'g' is not a hexadecimal digit"),
        ("0b12", 3, "'2' is not a digit in radix 2"),
        ("0o8", 2, "'8' is not a digit in radix 8"),
        ("0x-1", 2, "'-' is not"),
        ("_1", 0, "'_' must stand between two digits"),
        ("-_1", 1, "'_' must"),
        ("1_", 1, "'_' must"),
        ("1__2", 2, "'_' must"),
        ("0x_1", 2, "'_' must"),
        ("0_x1", 2, "'x' is not"),
        ("12é", 2, "'é' is not"),
        ("١", 0, "'١' is not"),
        ("1\u{0}", 1, "'\\0' is not"),
    ] {
        match text.parse::<Int>() {
            Err(Error::Parse {
                position,
                reason: why,
            }) => {
                assert_eq!(position, at, "{text:?}: {why}");
                assert!(why.starts_with(reason), "{text:?}: {why}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    for radix in [0, 1, 37, u32::MAX] {
        assert_eq!(Int::from_str_radix("1", radix), Err(Error::Radix(radix)));
        assert_eq!(
            Int::ONE.try_to_string_radix(radix),
            Err(Error::Radix(radix))
        );
    }
    // A prefix is a part of the text only where no radix is given.
    assert!(Int::from_str_radix("0x1", 16).is_err());
}

/// Every flag as Rust's own integers take it.
#[test]
fn flags() {
    macro_rules! same {
        ($($flags:literal),*) => {
            for value in [0i128, 1, 255, 12345678901234567890123456789] {
                let x = Int::from(value);
                $(assert_eq!(format!($flags, x), format!($flags, value), "{}", $flags);)*
            }
        };
    }
    same!(
        "{}", "{:+}", "{:5}", "{:<5}", "{:^9}", "{:*>9}", "{:05}", "{:+09}", "{:50}", "{:x}",
        "{:#x}", "{:X}", "{:#X}", "{:#b}", "{:b}", "{:o}", "{:#o}", "{:08x}", "{:#010x}", "{:+#x}",
        "{:#12b}", "{:?}"
    );
    let x = Int::from(-31);
    assert_eq!(format!("{x:#x}"), "-0x1f");
    assert_eq!(format!("{x:X}"), "-1F");
    assert_eq!(format!("{x:#010x}"), "-0x000001f");
    assert_eq!(format!("{x:6}|{x:<6}|{x:06}"), "   -31|-31   |-00031");
}

#[test]
fn debug_is_bounded() {
    tunings(|| {
        let edge = Int::from(10).pow(199);
        assert_eq!(format!("{edge:?}"), edge.to_string());
        let large = -((Int::ONE << 1_000_000) + 5);
        assert_eq!(
            format!("{large:?}"),
            "Int(-0x1…0000000000000005, 1000001 bits)"
        );
    });
}
