//! The values of flags, from their text.

use std::time::Duration;

/// A number of bits, plain or as a power: 65536, 2^16.
pub fn bits(text: &str) -> Result<u64, String> {
    let number = match text.split_once('^') {
        Some((base, exponent)) => base.parse().ok().zip(exponent.parse().ok()),
        None => text.parse().ok().map(|n| (n, 1)),
    };
    number
        .and_then(|(base, exponent): (u64, u32)| base.checked_pow(exponent))
        .ok_or_else(|| "not a number of bits, such as 65536 or 2^16".to_string())
}

/// A whole number from 1 on, plain, as a power or with an exponent of ten: 250000, 2^20, 1e6.
pub fn count(text: &str) -> Result<u64, String> {
    let power_of_ten = || {
        let (digits, exponent) = text.split_once(['e', 'E'])?;
        let ten = 10u64.checked_pow(exponent.parse().ok()?)?;
        digits.parse::<u64>().ok()?.checked_mul(ten)
    };
    bits(text)
        .ok()
        .or_else(power_of_ten)
        .filter(|number| *number > 0)
        .ok_or_else(|| "not a whole number from 1 on, such as 250000, 2^20 or 1e6".to_string())
}

/// A reader of whole numbers from `least` to `most`.
pub fn within<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text: &str| {
        let number: Option<u64> = text.parse().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| {
            if most == u64::MAX {
                format!("not a whole number from {least} on")
            } else {
                format!("not a whole number from {least} to {most}")
            }
        })
    }
}

/// A time: seconds, or with s, m, h or d behind it.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((end, unit)) if unit.is_ascii_alphabetic() => (&text[..end], unit),
        _ => (text, 's'),
    };
    let scale = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86400.0,
        _ => f64::NAN,
    };
    let seconds = number.parse::<f64>().unwrap_or(f64::NAN) * scale;
    if seconds.is_finite() && (0.0..=1e9).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("not a time from 0 on, such as 90, 1.5, 10m or 2h".to_string())
    }
}

/// A number of threads.
pub fn threads(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| (1..=4096).contains(count));
    count.ok_or_else(|| "not a number of threads from 1 to 4096".to_string())
}

/// Numbers may start with a hyphen, so a mistyped flag would pass for one.
pub fn not_a_flag(text: &str) -> Result<String, String> {
    if is_like_a_flag(text) {
        Err("there is no such flag; see --help".to_string())
    } else {
        Ok(text.to_string())
    }
}

/// Whether a word looks like a long flag.
pub fn is_like_a_flag(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|rest| {
        let name = rest.split('=').next().unwrap_or(rest);
        let is_of_flag = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
        !name.is_empty() && name.bytes().all(is_of_flag)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times() {
        for (text, expected) in [
            ("7", 7),
            ("1e6", 1_000_000),
            ("25E1", 250),
            ("2^20", 1 << 20),
        ] {
            assert_eq!(count(text), Ok(expected));
        }
        for bad in ["", "0", "-1", "1.5", "1e", "e6", "1e30", "2^64", "abc"] {
            assert!(count(bad).is_err(), "{bad}");
        }
        for (text, expected) in [("90", 90.0), ("1.5", 1.5), ("10m", 600.0), ("2h", 7200.0)] {
            assert_eq!(time(text), Ok(Duration::from_secs_f64(expected)));
        }
        for bad in ["", "-1", "m", "1x", "nan", "inf", "1e99", "1m1"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_outside_a_range_are_told_what_is_wanted() {
        let read = within::<u32>(2, 36);
        assert_eq!((read("2"), read("36")), (Ok(2), Ok(36)));
        for bad in ["x", "1", "37", "-3", "", "2.5"] {
            assert_eq!(read(bad).unwrap_err(), "not a whole number from 2 to 36");
        }
        let seed = within::<u64>(0, u64::MAX);
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(seed("x").unwrap_err(), "not a whole number from 0 on");
    }

    #[test]
    fn bits_are_numbers_or_powers() {
        assert_eq!(bits("65536"), Ok(65536));
        assert_eq!(bits("2^26"), Ok(1 << 26));
        for bad in ["", "x", "2^", "2^64", "-5", "2^2^2"] {
            assert!(bits(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn flags_are_told_from_numbers() {
        for number in [
            "-5",
            "--5",
            "-",
            "-0x1f",
            "-(3)",
            "--fib(10)",
            "-hamming(1,2)",
            "",
        ] {
            assert_eq!(not_a_flag(number).as_deref(), Ok(number));
        }
        for flag in ["--verfy", "--jsn", "--engin=cpu", "--no-such"] {
            assert!(not_a_flag(flag).is_err(), "{flag}");
        }
    }
}
