//! A check of the order of numbers in text that shares nothing with the sort but the texts.
//!
//! Each text is read as an integer times a power of ten or as a hexadecimal integer, and neighbours
//! of the result are compared by integer arithmetic. If all neighbours are in order, equal ones by
//! their place in the input, and every place occurs once, the result is the one stable order.

use std::cmp::Ordering;

use bezout::{Engine, Int, Result as Computed};
use rayon::prelude::*;

use crate::failure::Failure;

/// What decides the order.
#[derive(Debug, Clone, Copy)]
pub enum Rule<'a> {
    /// The exact value. -0 is before 0 if `signed_zeros`.
    Exact { signed_zeros: bool },
    /// The exact value where the rounded values differ.
    Rounded(&'a [f64]),
}

/// Checks that `places` is the stable order of `numbers`.
pub fn check(
    numbers: &[&str],
    places: &[u64],
    descending: bool,
    rule: Rule<'_>,
) -> Result<(), Failure> {
    let refuse = |what: &str| Err(Failure::failed(format!("verification failed: {what}")));
    let mut seen = vec![false; numbers.len()];
    for place in places {
        match seen.get_mut(*place as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => return refuse("the result is not a permutation of the input"),
        }
    }
    if places.len() != numbers.len() {
        return refuse("the result has fewer numbers than the input");
    }
    let is_ordered = |pair: &[u64]| -> Computed<bool> {
        let (a, b) = (pair[0] as usize, pair[1] as usize);
        if let Rule::Rounded(keys) = rule
            && keys[a].total_cmp(&keys[b]).is_eq()
        {
            return Ok(a < b);
        }
        let signed_zeros = !matches!(
            rule,
            Rule::Exact {
                signed_zeros: false
            }
        );
        let order = order(numbers[a], numbers[b], signed_zeros)?;
        let order = if descending { order.reverse() } else { order };
        let is_tie_kept = order.is_eq() && a < b && !matches!(rule, Rule::Rounded(_));
        Ok(order.is_lt() || is_tie_kept)
    };
    let wrong = places
        .par_windows(2)
        .map(|pair| Engine::Cpu.scope(|| is_ordered(pair)));
    let wrong = wrong.find_any(|ordered| !matches!(ordered, Ok(true)));
    match wrong {
        None => Ok(()),
        Some(Err(error)) => Err(error.into()),
        Some(Ok(_)) => refuse("two neighbours of the result are not in order"),
    }
}

/// The order of the exact values of two texts that are numbers.
fn order(a: &str, b: &str, signed_zeros: bool) -> Computed<Ordering> {
    if let (Some(a), Some(b)) = (word(a), word(b))
        && (a != 0 || b != 0)
    {
        return Ok(a.cmp(&b));
    }
    let (a, b) = (Value::of(a)?, Value::of(b)?);
    let rank = |value: &Value| match value.class {
        // A negative zero is the only zero of a negative rank.
        0 if !signed_zeros => 0,
        class => {
            let rank = 2 * class + 1;
            if value.negative { -rank } else { rank }
        }
    };
    let by_rank = rank(&a).cmp(&rank(&b));
    if by_rank.is_ne() || a.class != FINITE {
        return Ok(by_rank);
    }
    let order = a.compare_magnitude(&b)?;
    Ok(if a.negative { order.reverse() } else { order })
}

/// A text of at most 18 decimal digits as a machine word.
fn word(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

const ZERO: i8 = 0;
const FINITE: i8 = 1;
const INFINITE: i8 = 2;
const NOT_A_NUMBER: i8 = 3;

/// ± magnitude × 10^exponent, or what is infinite or NaN.
struct Value {
    negative: bool,
    class: i8,
    magnitude: Int,
    exponent: i128,
    /// The magnitude is below 10^digits.
    digits: u64,
}

impl Value {
    fn of(text: &str) -> Computed<Value> {
        let unsigned = text.trim_start_matches(['+', '-']);
        let lower = unsigned.to_ascii_lowercase();
        let mut value = Value {
            negative: text.starts_with('-'),
            class: FINITE,
            magnitude: Int::ZERO,
            exponent: 0,
            // A hexadecimal digit counts for less than two decimal ones.
            digits: 2 * lower.len() as u64,
        };
        if let Some(digits) = lower.strip_prefix("0x") {
            value.magnitude = Int::from_str_radix(digits, 16)?;
        } else if lower.starts_with("inf") {
            value.class = INFINITE;
        } else if lower == "nan" {
            value.class = NOT_A_NUMBER;
        } else {
            let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            value.magnitude = Int::from_str_radix(&format!("{whole}{fraction}"), 10)?;
            let exponent: i128 = exponent.parse().unwrap_or_default();
            value.exponent = exponent - fraction.len() as i128;
        }
        if value.class == FINITE && value.magnitude.is_zero() {
            value.class = ZERO;
        }
        Ok(value)
    }

    /// The order of |self| and |other|, both finite and not 0.
    fn compare_magnitude(&self, other: &Value) -> Computed<Ordering> {
        if self.exponent < other.exponent {
            return Ok(other.compare_magnitude(self)?.reverse());
        }
        // The difference of two exponents of a text is below 2^122.
        let difference = self.exponent - other.exponent;
        match u64::try_from(difference) {
            Ok(power) if power <= other.digits => {
                let scaled = self.magnitude.try_mul(&Int::from(10).try_pow(power)?)?;
                Ok(scaled.cmp(&other.magnitude))
            }
            // 10^difference alone is at least 10^digits.
            _ => Ok(Ordering::Greater),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Rule<'static> = Rule::Exact { signed_zeros: true };

    #[test]
    fn a_wrong_order_is_refused() {
        let numbers = [
            "18446744073709551617",
            "18446744073709551616",
            "1e400",
            "0.5",
        ];
        let check = |places: &[u64], descending| check(&numbers, places, descending, EXACT);
        assert!(check(&[3, 1, 0, 2], false).is_ok());
        assert!(check(&[2, 0, 1, 3], true).is_ok());
        for wrong in [
            &[3, 0, 1, 2][..],
            &[1, 3, 0, 2],
            &[3, 1, 0],
            &[3, 1, 0, 0],
            &[3, 1, 0, 4],
            &[3, 1, 0, 2, 2],
            &[],
        ] {
            let refused = check(wrong, false).unwrap_err();
            assert_eq!(refused.code(), 1, "{wrong:?}");
        }
    }

    #[test]
    fn equal_values_keep_their_order() {
        let equal = ["7", "+7", "0x7", "7.0", "70e-1", "0.7E+1"];
        let zeros = ["-0", "0"];
        for descending in [false, true] {
            assert!(check(&equal, &[0, 1, 2, 3, 4, 5], descending, EXACT).is_ok());
            assert!(check(&equal, &[0, 1, 2, 4, 3, 5], descending, EXACT).is_err());
            assert_eq!(
                check(&zeros, &[0, 1], descending, EXACT).is_ok(),
                !descending
            );
            let unsigned = Rule::Exact {
                signed_zeros: false,
            };
            assert!(check(&zeros, &[0, 1], descending, unsigned).is_ok());
            assert!(check(&zeros, &[1, 0], descending, unsigned).is_err());
        }
    }

    #[test]
    fn rounded_values_are_ties() {
        let numbers = ["9007199254740993", "9007199254740992", "1"];
        let keys = [9007199254740992.0, 9007199254740992.0, 1.0];
        assert!(check(&numbers, &[2, 0, 1], false, Rule::Rounded(&keys)).is_ok());
        assert!(check(&numbers, &[2, 1, 0], false, Rule::Rounded(&keys)).is_err());
        assert!(check(&numbers, &[0, 1, 2], false, Rule::Rounded(&keys)).is_err());
        // Keys that are not in the order of the values.
        let wrong = [1.0, 2.0, 3.0];
        assert!(check(&numbers, &[0, 1, 2], false, Rule::Rounded(&wrong)).is_err());
    }
}
