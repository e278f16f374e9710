//! The machine types of numbers: from text as keys of a radix sort, and in files of raw words.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Display;
use std::str::FromStr;

use bezout::sort::{self, Key};

use super::decimal::{Decimal, Mistake};
use super::input::Contents;
use super::{Type, deliver, options_of, timed};
use crate::args::{Global, Sort};
use crate::failure::Failure;
use crate::output;

/// Texts of at most so many bytes are read correctly by the standard library's `parse::<f64>()`,
/// which misreads exponents above 65535 that as many zeros in front make up for.
const SHORT: usize = 10_000;

/// A key type in text and in bytes.
pub trait Number: Key {
    const TYPE: Type;
    /// The number that a text is, or for floating-point numbers the one it rounds to.
    fn parse(text: &str) -> Result<Self, Mistake>;
    fn print(self) -> String;
    fn read(bytes: &[u8]) -> Vec<Self>;
    fn write(self, to: &mut Vec<u8>);
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! numbers {
    ($($number:ty = $kind:ident, $parse:expr, $print:expr, $order:expr;)*) => {$(
        impl Number for $number {
            const TYPE: Type = Type::$kind;
            fn parse(text: &str) -> Result<$number, Mistake> {
                $parse(text, <$number>::MIN, <$number>::MAX)
            }
            fn print(self) -> String {
                $print(self)
            }
            fn read(bytes: &[u8]) -> Vec<$number> {
                let words = bytes.as_chunks().0.iter();
                words.map(|word| <$number>::from_le_bytes(*word)).collect()
            }
            fn write(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
            fn order(&self, other: &$number) -> Ordering {
                $order(self, other)
            }
        }
    )*};
}
numbers! {
    u32 = U32, integer, |x: u32| x.to_string(), Ord::cmp;
    u64 = U64, integer, |x: u64| x.to_string(), Ord::cmp;
    i32 = I32, integer, |x: i32| x.to_string(), Ord::cmp;
    i64 = I64, integer, |x: i64| x.to_string(), Ord::cmp;
    f32 = F32, rounded, |x: f32| floating(x.is_sign_negative(), x.is_nan(), x), f32::total_cmp;
    f64 = F64, rounded, |x: f64| floating(x.is_sign_negative(), x.is_nan(), x), f64::total_cmp;
}

/// An integer written in decimal or as -0x1f, if it is of type `N`.
pub fn plain_integer<N: TryFrom<i128>>(text: &str) -> Option<N> {
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if magnitude.starts_with(['+', '-']) {
        return None;
    }
    let hexadecimal = magnitude.strip_prefix("0x");
    let value = match hexadecimal.or_else(|| magnitude.strip_prefix("0X")) {
        Some(digits) if digits.starts_with(['+', '-']) => return None,
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None => magnitude.parse().ok()?,
    };
    N::try_from(if negative { -value } else { value }).ok()
}

/// A number that is exactly of type `N`; 1e3 and 2.0 are, too.
fn integer<N: Number + TryFrom<i128> + Display>(
    text: &str,
    least: N,
    most: N,
) -> Result<N, Mistake> {
    if let Some(value) = plain_integer(text) {
        return Ok(value);
    }
    let refuse = |why: String| {
        let kind = N::TYPE.name();
        Mistake::of_type(text, format!("not a number of type {kind}: {why}"))
    };
    let Some(value) = Decimal::parse(text)?.whole() else {
        return Err(refuse("it is not a whole number".into()));
    };
    let value = value.to_i128().and_then(|value| N::try_from(value).ok());
    value.ok_or_else(|| refuse(format!("it is outside {least} to {most}")))
}

/// The floating-point number nearest to a text.
fn rounded<N: Number + FromStr + Into<f64>>(text: &str, _least: N, most: N) -> Result<N, Mistake> {
    if text.len() <= SHORT
        && let Ok(value) = text.parse::<N>()
        && value.into().is_finite()
    {
        return Ok(value);
    }
    let exact = Decimal::parse(text)?;
    let value = exact.for_rounding().parse::<N>();
    let value = value.map_err(|_| Mistake::of_type(text, "not a number".into()))?;
    if exact.is_finite() && !value.into().is_finite() {
        let (kind, most): (_, f64) = (N::TYPE.name(), most.into());
        return Err(Mistake::of_type(
            text,
            format!(
                "not a number of type {kind}: it is outside {:e} to {most:e}",
                -most
            ),
        ));
    }
    Ok(value)
}

/// As Rust prints it, which reads back as the same number; a NaN has its sign, as it counts in the
/// order.
fn floating(negative: bool, is_nan: bool, number: impl Display) -> String {
    if is_nan && negative {
        return "-NaN".into();
    }
    number.to_string()
}

/// Reads, sorts and writes raw words of one type.
pub fn sorted<N: Number>(
    inputs: &[Contents],
    options: &Sort,
    global: &Global,
) -> Result<(), Failure> {
    let how = options_of(options);
    let input = output::watch(global, "reading", || read::<N>(inputs))?;
    let mut keys = input.clone();
    let mut places: Vec<u64> = Vec::new();
    if options.permutation {
        places.extend(0..keys.len() as u64);
    }
    let time = timed(global, || {
        if options.permutation {
            sort::sort_with_values(&mut keys, &mut places, how)
        } else {
            sort::sort(&mut keys, how)
        }
    })?;
    if global.verify {
        output::watch(global, "verifying", || {
            verify(&input, &keys, &places, options.descending)
        })?;
        output::remark(
            global,
            "verified: the standard library's sort gives the same",
        );
    }
    let words = || {
        let mut words = Vec::new();
        if options.permutation {
            words.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        } else {
            keys.iter().for_each(|key| key.write(&mut words));
        }
        words
    };
    let shown = || -> Vec<Cow<'_, str>> {
        if options.permutation {
            places
                .iter()
                .map(|place| place.to_string().into())
                .collect()
        } else {
            keys.iter().map(|key| key.print().into()).collect()
        }
    };
    deliver(options, global, N::TYPE, keys.len(), time, words, shown)
}

fn read<N: Number>(inputs: &[Contents]) -> Result<Vec<N>, Failure> {
    let mut words = Vec::new();
    for (name, bytes) in inputs {
        if !bytes.len().is_multiple_of(size_of::<N>()) {
            return Err(Failure::bad_input(format!(
                "{name}: {} bytes are not whole words of type {}",
                bytes.len(),
                N::TYPE.name()
            )));
        }
        words.extend(N::read(bytes));
    }
    Ok(words)
}

/// Compares with the standard library's stable sort.
fn verify<N: Number>(
    input: &[N],
    keys: &[N],
    places: &[u64],
    descending: bool,
) -> Result<(), Failure> {
    let mut pairs: Vec<(N, u64)> = input.iter().copied().zip(0..).collect();
    pairs.sort_by(|a, b| {
        let order = a.0.order(&b.0);
        if descending { order.reverse() } else { order }
    });
    let same = pairs
        .iter()
        .zip(keys)
        .all(|(pair, key)| pair.0.order(key).is_eq());
    let same_places = pairs
        .iter()
        .zip(places)
        .all(|(pair, place)| pair.1 == *place);
    if same && same_places && pairs.len() == keys.len() {
        return Ok(());
    }
    Err(Failure::failed(
        "verification failed: the standard library's sort differs",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_their_type() {
        assert_eq!(u32::parse("4294967295"), Ok(u32::MAX));
        assert_eq!(i64::parse("-0x1f"), Ok(-31));
        assert_eq!(i64::parse("-0X1F"), Ok(-31));
        assert_eq!(i32::parse("+5"), Ok(5));
        assert_eq!(i64::parse("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(i32::parse("-2.50e1"), Ok(-25));
        assert_eq!(u64::parse("1e3"), Ok(1000));
        let long = format!("{}7", "0".repeat(100));
        assert_eq!(u32::parse(&long), Ok(7));
        for bad in [
            "",
            "-",
            "4294967296",
            "-1",
            "1.5",
            "0x",
            "--1",
            "0x-1",
            "0x+1",
            "1 2",
            "abc",
            "1e10",
            "1e999999999999",
            "1e-1",
            "inf",
            "nan",
            "-+1",
        ] {
            assert!(u32::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn floating_point_numbers_are_rounded() {
        assert!(f64::parse("nan").is_ok_and(f64::is_nan));
        assert!(f64::parse("-nan").is_ok_and(f64::is_sign_negative));
        assert_eq!(f64::parse("-Infinity"), Ok(f64::NEG_INFINITY));
        assert_eq!(f32::parse("-1e3"), Ok(-1000.0));
        assert_eq!(f64::parse("0x1F"), Ok(31.0));
        assert_eq!(f64::parse("9007199254740993"), Ok(9007199254740992.0));
        assert_eq!(f64::parse("0x20000000000003"), Ok(9007199254740996.0));
        assert_eq!(f64::parse("1e-999999999999"), Ok(0.0));
        for bad in ["one", "1e400", "-1e999999999999", "1.5.5"] {
            assert!(f64::parse(bad).is_err(), "{bad}");
        }
        assert!(f32::parse("1e39").is_err());
        // The standard library alone reads 0 here.
        let zeros = format!("0.{}15e700001", "0".repeat(700_000));
        assert_eq!(f64::parse(&zeros), Ok(1.5));
        // Half way between two, and a digit far behind that decides.
        let tie = format!("9007199254740993.{}", "0".repeat(20_000));
        assert_eq!(f64::parse(&tie), Ok(9007199254740992.0));
        assert_eq!(f64::parse(&format!("{tie}1")), Ok(9007199254740994.0));
    }

    #[test]
    fn floating_point_numbers_keep_their_signs() {
        assert_eq!((-0.0f64).print(), "-0");
        assert_eq!((-f32::NAN).print(), "-NaN");
        assert_eq!(f64::NAN.print(), "NaN");
        assert_eq!(0.1f32.print(), "0.1");
    }

    #[test]
    fn verification_refuses_a_wrong_order() {
        let input = [3u32, 1, 2];
        assert!(verify(&input, &[1, 2, 3], &[1, 2, 0], false).is_ok());
        assert!(verify(&input, &[3, 2, 1], &[], true).is_ok());
        assert!(verify(&input, &[1, 3, 2], &[], false).is_err());
        assert!(verify(&input, &[1, 2, 3], &[1, 0, 2], false).is_err());
        assert!(verify(&input, &[1, 2], &[], false).is_err());
    }
}
