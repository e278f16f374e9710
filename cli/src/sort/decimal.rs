//! The exact value of a number's text, in a form that compares without arithmetic.
//!
//! A finite value other than zero is ±0.d₁d₂…dₙ × 10^point with d₁ ≠ 0 and dₙ ≠ 0. This form is
//! unique: magnitudes compare by `point` first and by the digits as text second. An exponent is
//! never written out as digits, so `1e999999999999` costs no more than `1`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::iter;
use std::ops::Range;

use bezout::{Engine, Int};

/// The largest magnitude of an exponent. Adding the length of a text to it cannot overflow.
const LARGEST_EXPONENT: i128 = 10i128.pow(36);

/// Values from 10^-4097 up to 10^4095 have a radix key of their own power of ten.
const POINT_BIAS: i128 = 1 << 12;
/// Powers of ten that a radix key distinguishes.
const POINTS: i128 = 2 * POINT_BIAS;
/// Leading digits that a radix key holds.
const KEY_DIGITS: usize = 15;
/// Bits of those digits: 10^15 < 2^50.
const KEY_DIGIT_BITS: u32 = 50;

/// More digits than these never decide how a value rounds to an f64 or f32: only whether any of
/// them is not 0 does. The longest exact f64 has 767 digits, and a midpoint of two has one more.
const ROUNDING_DIGITS: usize = 1000;
/// Every value of at least 10^9999 is beyond an f64, and every value below 10^-9999 rounds to 0.
const ROUNDING_POINT: i128 = 9999;

/// Why a text is refused, the part of the text that the reason is about, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    pub span: Range<usize>,
    pub reason: String,
    pub hint: &'static str,
}

impl Mistake {
    /// A number that is not of the type that was asked for.
    pub fn of_type(text: &str, reason: String) -> Mistake {
        Mistake {
            span: 0..text.len(),
            reason,
            hint: "without --type, numbers of any size are sorted by their exact values",
        }
    }

    /// A text that stops being a number at byte `at`.
    fn unexpected(text: &str, at: usize) -> Mistake {
        let next = text[at..].chars().next();
        let reason = match next {
            Some(c) => format!("not a number: unexpected '{}'", c.escape_debug()),
            None => "not a number: it ends too early".into(),
        };
        Mistake {
            span: at..at + next.map_or(0, char::len_utf8),
            reason,
            hint: "a file has one number a line, such as -12, 0x1f, 2.5 or 1e400",
        }
    }
}

/// The exact value of a text.
#[derive(Debug)]
pub struct Decimal<'a> {
    negative: bool,
    magnitude: Magnitude<'a>,
}

#[derive(Debug)]
enum Magnitude<'a> {
    Zero,
    Finite(Digits<'a>),
    Infinite,
    NotANumber,
}

/// 0.d₁d₂…dₙ × 10^point, where the digits are those of `head` and then those of `tail`.
#[derive(Debug)]
struct Digits<'a> {
    point: i128,
    head: Cow<'a, [u8]>,
    tail: &'a [u8],
}

impl<'a> Decimal<'a> {
    /// Reads a decimal integer, a hexadecimal one as `-0x1f`, a decimal fraction with or without
    /// an exponent, `nan`, `inf` or `infinity` in either case; each with an optional sign.
    pub fn parse(text: &'a str) -> Result<Decimal<'a>, Mistake> {
        let start = usize::from(text.starts_with(['+', '-']));
        let rest = &text[start..];
        let is = |word: &str| rest.eq_ignore_ascii_case(word);
        let magnitude = if matches!(rest.as_bytes(), [b'0', b'x' | b'X', ..]) {
            hexadecimal(text, start + 2)?
        } else if is("nan") {
            Magnitude::NotANumber
        } else if is("inf") || is("infinity") {
            Magnitude::Infinite
        } else {
            decimal(text, start)?
        };
        Ok(Decimal {
            negative: text.starts_with('-'),
            magnitude,
        })
    }

    /// The value as an integer, for which -0 is 0; none if it is not whole.
    pub fn whole(self) -> Option<Decimal<'a>> {
        match self.magnitude {
            Magnitude::Zero => Some(Decimal {
                negative: false,
                ..self
            }),
            Magnitude::Finite(ref digits) => digits.is_whole().then_some(self),
            Magnitude::Infinite | Magnitude::NotANumber => None,
        }
    }

    /// The value as an i128, if it is whole and has at most 38 digits.
    pub fn to_i128(&self) -> Option<i128> {
        let magnitude = match &self.magnitude {
            Magnitude::Zero => 0,
            Magnitude::Finite(digits) if digits.is_whole() && digits.point <= 38 => digits
                .leading(digits.point as usize)
                .fold(0, |value, digit| 10 * value + i128::from(digit - b'0')),
            _ => return None,
        };
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// Whether it is neither infinite nor NaN.
    pub fn is_finite(&self) -> bool {
        matches!(self.magnitude, Magnitude::Zero | Magnitude::Finite(_))
    }

    /// A text of at most some thousand characters that rounds to the same f32 and f64. The
    /// standard library reads it correctly. It misreads exponents above 65535, which matter only
    /// in a text with as many zeros in front.
    pub fn for_rounding(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let digits = match &self.magnitude {
            Magnitude::Zero => return format!("{sign}0"),
            Magnitude::Infinite => return format!("{sign}inf"),
            Magnitude::NotANumber => return format!("{sign}nan"),
            Magnitude::Finite(digits) => digits,
        };
        let kept = digits.leading(digits.count().min(ROUNDING_DIGITS));
        let kept: String = kept.map(char::from).collect();
        // The last digit is not 0.
        let rest = if digits.count() > ROUNDING_DIGITS {
            "1"
        } else {
            ""
        };
        let point = digits.point.clamp(-ROUNDING_POINT, ROUNDING_POINT);
        format!("{sign}0.{kept}{rest}e{point}")
    }

    /// A key that is never greater than the key of a greater value. Values of equal keys may
    /// differ: `order` tells.
    pub fn key(&self) -> i64 {
        let size = match &self.magnitude {
            Magnitude::Zero => 0,
            Magnitude::Finite(digits) => digits.key(),
            Magnitude::Infinite => i64::MAX - 1,
            Magnitude::NotANumber => i64::MAX,
        };
        if self.negative { !size } else { size }
    }

    /// -NaN < -inf < … < -0 < 0 < … < inf < NaN.
    pub fn order(&self, other: &Decimal<'_>) -> Ordering {
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.magnitude.order(&other.magnitude),
            (true, true) => other.magnitude.order(&self.magnitude),
        }
    }
}

impl Magnitude<'_> {
    fn order(&self, other: &Magnitude<'_>) -> Ordering {
        if let (Magnitude::Finite(a), Magnitude::Finite(b)) = (self, other) {
            return a.point.cmp(&b.point).then_with(|| a.compare_digits(b));
        }
        let rank = |magnitude: &Magnitude<'_>| match magnitude {
            Magnitude::Zero => 0,
            Magnitude::Finite(_) => 1,
            Magnitude::Infinite => 2,
            Magnitude::NotANumber => 3,
        };
        rank(self).cmp(&rank(other))
    }
}

impl Digits<'_> {
    fn count(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    fn is_whole(&self) -> bool {
        self.point >= self.count() as i128
    }

    /// The first `count` digits, with zeros behind the last one.
    fn leading(&self, count: usize) -> impl Iterator<Item = u8> {
        let digits = self.head.iter().chain(self.tail).copied();
        digits.chain(iter::repeat(b'0')).take(count)
    }

    /// At least 1 and at most i64::MAX - 2.
    fn key(&self) -> i64 {
        match self.point + POINT_BIAS {
            point @ 0..POINTS => {
                let count = self.count().min(KEY_DIGITS);
                let digits = self.head.iter().chain(self.tail).take(count);
                let digits = digits.fold(0, |key, digit| 10 * key + i64::from(digit - b'0'));
                let digits = digits * 10i64.pow((KEY_DIGITS - count) as u32);
                1 + ((point as i64) << KEY_DIGIT_BITS | digits)
            }
            ..0 => 1,
            _ => i64::MAX - 2,
        }
    }

    /// The order of 0.d₁d₂…dₙ.
    fn compare_digits(&self, other: &Digits<'_>) -> Ordering {
        let (mut a, mut a_tail) = (&*self.head, self.tail);
        let (mut b, mut b_tail) = (&*other.head, other.tail);
        loop {
            if a.is_empty() {
                (a, a_tail) = (a_tail, &[]);
            }
            if b.is_empty() {
                (b, b_tail) = (b_tail, &[]);
            }
            let both = a.len().min(b.len());
            if both == 0 {
                return a.len().cmp(&b.len());
            }
            match a[..both].cmp(&b[..both]) {
                Ordering::Equal => (a, b) = (&a[both..], &b[both..]),
                different => return different,
            }
        }
    }
}

/// The hexadecimal digits from byte `start` on.
fn hexadecimal(text: &str, start: usize) -> Result<Magnitude<'static>, Mistake> {
    let digits = &text[start..];
    let strange = digits.bytes().position(|byte| !byte.is_ascii_hexdigit());
    if let Some(at) = strange.or(digits.is_empty().then_some(0)) {
        return Err(Mistake::unexpected(text, start + at));
    }
    let converted = Engine::Cpu.scope(|| Int::from_str_radix(digits, 16)?.try_to_string_radix(10));
    let converted = converted.map_err(|error| Mistake {
        span: 0..text.len(),
        reason: error.to_string(),
        hint: "fewer numbers at a time, or shorter ones, need less memory",
    })?;
    let mut head = converted.into_bytes();
    let point = head.len() as i128;
    head.truncate(without_zeros_behind(&head).len());
    if head.is_empty() {
        return Ok(Magnitude::Zero);
    }
    let head = Cow::Owned(head);
    Ok(Magnitude::Finite(Digits {
        point,
        head,
        tail: &[],
    }))
}

/// The decimal digits from byte `start` on, with a point among them and an exponent behind them
/// where there is one.
fn decimal(text: &str, start: usize) -> Result<Magnitude<'_>, Mistake> {
    let bytes = text.as_bytes();
    let end_of_digits = |from: usize| {
        let digits = bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        from + digits.count()
    };
    let whole_end = end_of_digits(start);
    let (fraction_start, fraction_end) = match bytes.get(whole_end) {
        Some(b'.') => (whole_end + 1, end_of_digits(whole_end + 1)),
        _ => (whole_end, whole_end),
    };
    if start == whole_end && fraction_start == fraction_end {
        return Err(Mistake::unexpected(text, fraction_end));
    }
    let (exponent, end) = match bytes.get(fraction_end) {
        Some(b'e' | b'E') => {
            let sign = fraction_end + 1;
            let has_sign = matches!(bytes.get(sign), Some(b'+' | b'-'));
            let digits = sign + usize::from(has_sign);
            let end = end_of_digits(digits);
            if digits == end {
                return Err(Mistake::unexpected(text, end));
            }
            (sign..end, end)
        }
        _ => (fraction_end..fraction_end, fraction_end),
    };
    if end < text.len() {
        return Err(Mistake::unexpected(text, end));
    }
    let power = match &text[exponent.clone()] {
        "" => Some(0),
        digits => digits.parse().ok(),
    };
    let power = power.filter(|power: &i128| power.abs() <= LARGEST_EXPONENT);
    let power = power.ok_or_else(|| Mistake {
        span: exponent,
        reason: "its exponent is too large".into(),
        hint: "exponents may be up to 10^36",
    })?;
    Ok(normalised(
        &bytes[start..whole_end],
        &bytes[fraction_start..fraction_end],
        power,
    ))
}

/// whole.fraction × 10^power.
fn normalised<'a>(whole: &'a [u8], fraction: &'a [u8], power: i128) -> Magnitude<'a> {
    let zeros = |digits: &[u8]| digits.iter().take_while(|digit| **digit == b'0').count();
    let whole = &whole[zeros(whole)..];
    let (fraction, point) = if whole.is_empty() {
        let zeros = zeros(fraction);
        (&fraction[zeros..], power - zeros as i128)
    } else {
        (fraction, power + whole.len() as i128)
    };
    let tail = without_zeros_behind(fraction);
    let head = if tail.is_empty() {
        without_zeros_behind(whole)
    } else {
        whole
    };
    if head.is_empty() && tail.is_empty() {
        return Magnitude::Zero;
    }
    let head = Cow::Borrowed(head);
    Magnitude::Finite(Digits { point, head, tail })
}

fn without_zeros_behind(digits: &[u8]) -> &[u8] {
    let last = digits.iter().rposition(|digit| *digit != b'0');
    &digits[..last.map_or(0, |last| last + 1)]
}
