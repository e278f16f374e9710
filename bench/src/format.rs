//! Numbers as people read them: three significant digits and a unit.

/// Three significant digits.
pub fn significant(x: f64) -> String {
    // Rounding may add a digit, so the digits are counted afterwards: 9.996 is 10.0.
    match x.abs() {
        a if a >= 99.95 => format!("{x:.0}"),
        a if a >= 9.995 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

/// Seconds, from nanoseconds up.
pub fn seconds(t: f64) -> String {
    scaled(t, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")])
}

/// Bytes per second.
pub fn bandwidth(rate: f64) -> String {
    scaled(rate, &[(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s")])
}

/// Keys per second.
pub fn rate(keys: f64) -> String {
    scaled(keys, &[(1e9, "Gkey/s"), (1e6, "Mkey/s"), (1e3, "kkey/s")])
}

/// Anything per second.
pub fn per_second(n: f64) -> String {
    scaled(n, &[(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")])
}

/// Bytes of memory, in powers of 1024.
pub fn memory(bytes: u64) -> String {
    let gibi = (1u64 << 30) as f64;
    scaled(bytes as f64, &[(gibi, "GiB"), (gibi / 1024.0, "MiB")])
}

/// In the first unit that is not larger, or the last; `999.7 µs` becomes 1.00 ms, since it would
/// print as 1000 µs.
fn scaled(x: f64, units: &[(f64, &str)]) -> String {
    let fits = |(scale, _): &&(f64, &str)| x.abs() >= scale * 0.9995;
    match units.iter().find(fits).or(units.last()) {
        Some((scale, unit)) => format!("{} {unit}", significant(x / scale)),
        None => significant(x),
    }
}

/// A speed-up.
pub fn times(ratio: f64) -> String {
    format!("{}×", significant(ratio))
}

/// A share.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A count in groups of three digits.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A size, as a power of two where it is one.
pub fn size(n: u64) -> String {
    if n.is_power_of_two() {
        format!("2^{}", n.trailing_zeros())
    } else {
        count(n)
    }
}

/// `2^k` for a page.
pub fn power(k: u32) -> String {
    power_of(2, k)
}

/// `base^k` for a page.
pub fn power_of(base: u32, k: u32) -> String {
    let raised = |digit: char| match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32('⁰' as u32 + (digit as u32 - '0' as u32)).unwrap_or(digit),
    };
    let exponent: String = k.to_string().chars().map(raised).collect();
    format!("{base}{exponent}")
}

/// [`size`] for a page.
pub fn size_raised(n: u64) -> String {
    if n.is_power_of_two() {
        power(n.trailing_zeros())
    } else {
        count(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(seconds(9.4e-5), "94.0 µs");
        assert_eq!(seconds(0.9999e-3), "1.00 ms");
        assert_eq!(seconds(12.0), "12.0 s");
        assert_eq!(seconds(2.5e-10), "0.25 ns");
        assert_eq!(seconds(9.996e-6), "10.0 µs");
        assert_eq!(bandwidth(4.27e12), "4.27 TB/s");
        assert_eq!(bandwidth(8.1e11), "810 GB/s");
        assert_eq!(rate(5.76e10), "57.6 Gkey/s");
        assert_eq!(memory(24 << 30), "24.0 GiB");
        assert_eq!(times(512.3), "512×");
        assert_eq!(percent(0.8766), "87.7%");
    }

    #[test]
    fn sizes() {
        assert_eq!(size(1 << 30), "2^30");
        assert_eq!(size_raised(1 << 10), "2¹⁰");
        assert_eq!(power(29), "2²⁹");
        assert_eq!(power(43), "2⁴³");
        assert_eq!(power_of(10, 6), "10⁶");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(size(999), "999");
    }
}
