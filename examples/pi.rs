//! Digits of pi by Chudnovsky's series: `cargo run --release --example pi -- 1000000`.
//!
//! Binary splitting as a textbook has it. Nothing here says where to compute.

use bezout::Int;

/// 1/pi = 12·Σ (−1)^k (6k)! (A + Bk) / ((3k)! (k!)³ C^(3k + 3/2)) with C = 640320.
const A: u64 = 13_591_409;
const B: u64 = 545_140_134;
const C: u64 = 640_320;
/// Digits that a term of the series adds.
const DIGITS_PER_TERM: f64 = 14.181647462725477;

/// P, Q and T of the terms from a to b.
fn split(a: u64, b: u64) -> (Int, Int, Int) {
    if b - a == 1 {
        let p = match a {
            0 => Int::ONE,
            _ => Int::from(6 * a - 5) * (2 * a - 1) * (6 * a - 1),
        };
        let q = match a {
            0 => Int::ONE,
            _ => Int::from(a) * a * a * (C * C / 24 * C),
        };
        let t = &p * (A + B * a);
        return (p, q, if a % 2 == 1 { -t } else { t });
    }
    let middle = a.midpoint(b);
    let (left, right) = if b - a > 64 {
        rayon::join(|| split(a, middle), || split(middle, b))
    } else {
        (split(a, middle), split(middle, b))
    };
    let ((p1, q1, t1), (p2, q2, t2)) = (left, right);
    let t = t1 * &q2 + &p1 * t2;
    (p1 * p2, q1 * q2, t)
}

fn main() {
    let digits: u32 = match std::env::args().nth(1).map(|text| text.parse()) {
        None => 1000,
        Some(Ok(digits)) => digits,
        Some(Err(_)) => {
            eprintln!("usage: pi [DIGITS]");
            std::process::exit(2);
        }
    };
    // Ten digits more than are printed.
    let places = u64::from(digits) + 10;
    let terms = (places as f64 / DIGITS_PER_TERM) as u64 + 2;
    let (_, q, t) = split(0, terms);
    let one = Int::from(10).pow(places);
    let root = (Int::from(10_005) * &one * &one).isqrt();
    let pi = (q * 426_880u64 * root) / t;
    let text = pi.to_string();
    println!("{}.{}", &text[..1], &text[1..=digits as usize]);
}
