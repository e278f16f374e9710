//! Digits against published values, formulas against each other, trees against sums of fractions.

use std::collections::HashMap;
use std::sync::Mutex;

use super::cancel::Sieve;
use super::fixed::{inverse_root, quotient, root};
use super::formula::{self, Formula};
use super::series::Tree;
use super::*;
use crate::engine::Engine;
use crate::tests::support::everywhere;
use crate::tuning::Tuning;

/// Fifty digits of each, from the On-Line Encyclopedia of Integer Sequences: A000796, A001113,
/// A002193, A001622, A002162, A002117, A006752, A001620.
const PUBLISHED: [(Constant, &str); 8] = [
    (
        Constant::Pi,
        "3.14159265358979323846264338327950288419716939937510",
    ),
    (
        Constant::E,
        "2.71828182845904523536028747135266249775724709369995",
    ),
    (
        Constant::Sqrt2,
        "1.41421356237309504880168872420969807856967187537694",
    ),
    (
        Constant::Phi,
        "1.61803398874989484820458683436563811772030917980576",
    ),
    (
        Constant::Ln2,
        "0.69314718055994530941723212145817656807550013436025",
    ),
    (
        Constant::Zeta3,
        "1.20205690315959428539973816151144999076498629234049",
    ),
    (
        Constant::Catalan,
        "0.91596559417721901505460351493238411077414937428167",
    ),
    (
        Constant::Gamma,
        "0.57721566490153286060651209008240243104215933593992",
    ),
];

#[test]
fn the_first_fifty_digits() {
    assert_eq!(PUBLISHED.map(|(constant, _)| constant), Constant::ALL);
    for (constant, text) in PUBLISHED {
        assert_eq!(constant.digits(0), text[..1]);
        for count in 1..=50 {
            assert_eq!(constant.digits(count), text[..2 + count as usize]);
        }
        assert_eq!(constant.name().parse::<Constant>().unwrap(), constant);
    }
    assert!("tau".parse::<Constant>().is_err());
}

/// Digits of π that end at a place: 10^4 and 10^5 from the tables of the time.
#[test]
fn the_last_digits_of_pi() {
    assert!(Constant::Pi.digits(1000).ends_with("2164201989"));
    assert!(Constant::Pi.digits(10_000).ends_with("5256375678"));
    assert!(Constant::Pi.digits(100_000).ends_with("5493624646"));
}

#[test]
fn two_formulas_agree_at_every_size() {
    for constant in Constant::ALL {
        for bits in [0, 1, 2, 63, 64, 65, 100, 500, 1023, 4096, 20_000] {
            let [fast, check] =
                [Formula::Fast, Formula::Check].map(|x| formula::value(constant, x, bits, None));
            let difference = (fast.unwrap() - check.unwrap()).abs();
            assert!(difference <= 1, "{constant} {bits}: {difference}");
        }
    }
}

/// Digits in every radix are those of the same fraction: read back, they are within one unit.
#[test]
fn every_radix() {
    for radix in 2..=36 {
        for (constant, count) in [(Constant::Pi, 40), (Constant::E, 333), (Constant::Ln2, 1)] {
            let digits = Digits::new(constant, count).radix(radix);
            let text = digits.try_text().unwrap();
            digits.try_verify(&text).unwrap();
            assert_eq!(text.split_once('.').unwrap().1.len() as u64, count);
        }
    }
    let hexadecimal = |constant| Digits::new(constant, 16).radix(16).try_text().unwrap();
    assert_eq!(hexadecimal(Constant::Pi), "3.243f6a8885a308d3");
    let binary = Digits::new(Constant::Sqrt2, 12).radix(2).try_text();
    assert_eq!(binary.unwrap(), "1.011010100000");
    for radix in [0, 1, 37] {
        let refused = Digits::new(Constant::Pi, 5).radix(radix).try_text();
        assert_eq!(refused, Err(Error::Radix(radix)));
    }
}

#[test]
fn both_engines_and_both_presets() {
    for engine in Engine::usable() {
        let tunings = [Tuning::MINIMAL, Tuning::DEFAULT];
        let count = if engine == Engine::Cpu { 3000 } else { 150 };
        for tuning in tunings {
            for constant in Constant::ALL {
                let expected = Engine::Cpu.scope(|| constant.digits(count));
                let found = tuning.scope(|| engine.scope(|| constant.try_digits(count).unwrap()));
                assert!(found == expected, "{constant} on {engine}");
            }
        }
    }
}

#[test]
fn wrong_digits_are_refused() {
    for constant in Constant::ALL {
        let digits = Digits::new(constant, 300);
        let text = digits.try_text().unwrap();
        digits.try_verify(&text).unwrap();
        for at in [0, 2, 150, 300, 301] {
            let mut wrong = text.clone().into_bytes();
            wrong[at] = if wrong[at] == b'5' { b'6' } else { b'5' };
            let wrong = String::from_utf8(wrong).unwrap();
            let refused = digits.try_verify(&wrong);
            assert!(
                matches!(refused, Err(Error::Verification(_))),
                "{constant} {at}"
            );
        }
        assert!(digits.try_verify(&text[..300]).is_err());
    }
}

#[test]
fn more_than_fits() {
    for count in [1 << 50, u64::MAX / 64, u64::MAX] {
        let refused = Constant::Pi.try_digits(count);
        assert!(
            matches!(refused, Err(Error::TooLarge { .. } | Error::Memory { .. })),
            "{count}"
        );
    }
    let most = Digits::new(Constant::Pi, 1).most();
    assert!(most > 1_000_000, "{most}");
}

/// The sum term by term, as fractions.
fn plain_sum(
    p: &Polynomial,
    q: &Polynomial,
    a: &Polynomial,
    b: &Polynomial,
    terms: u64,
) -> (Int, Int) {
    let (mut numerator, mut denominator) = (Int::ZERO, Int::ONE);
    let (mut top, mut bottom) = (Int::ONE, Int::ONE);
    for n in 0..terms {
        if n > 0 {
            top *= p.try_at(n).unwrap();
            bottom *= q.try_at(n).unwrap();
        }
        let term = (&top * a.try_at(n).unwrap(), &bottom * b.try_at(n).unwrap());
        numerator = numerator * &term.1 + term.0 * &denominator;
        denominator *= term.1;
    }
    (numerator, denominator)
}

#[test]
fn series_of_a_user() {
    let n = |c: i64, slope: i64| Polynomial::new(&[c, slope]);
    let cases = [
        (Polynomial::ONE, n(0, 1), Polynomial::ONE, Polynomial::ONE),
        (n(-7, 2), n(3, 5), n(1, -3), n(1, 2)),
        (
            n(0, -1).pow(3),
            n(1, 2).pow(5),
            Polynomial::new(&[5, -20, 3]),
            Polynomial::ONE,
        ),
        (
            Polynomial::new(&[i64::MIN]),
            Polynomial::new(&[i64::MAX, 1]),
            n(-5, 1),
            n(9, 1).pow(2),
        ),
    ];
    for (p, q, a, b) in cases {
        let series = Series::new(p.clone(), q.clone(), a.clone()).over(b.clone());
        for terms in [1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64, 150, 400] {
            let sum = series.try_sum(terms).unwrap();
            let (numerator, denominator) = plain_sum(&p, &q, &a, &b, terms);
            assert!(
                sum.t * denominator == numerator * sum.q,
                "{series:?} {terms}"
            );
        }
    }
    let zero = Series::new(Polynomial::ONE, n(-3, 1), Polynomial::ONE);
    assert_eq!(zero.try_sum(10), Err(Error::DivisionByZero));
    let long = Series::new(n(1, i64::MAX).pow(11), n(1, 1), Polynomial::ONE);
    assert!(matches!(long.try_sum(10), Err(Error::Domain(_))));
}

#[test]
fn roots_and_quotients() {
    for d in [1u32, 2, 3, 5, 10_005, u32::MAX] {
        for bits in [1, 64, 200, 201, 1000, 5001] {
            let exact = ((Int::ONE << (2 * bits)) / d).isqrt();
            let difference = (inverse_root(d, bits).unwrap() - exact).abs();
            assert!(difference <= 1, "1/√{d} to {bits} bits: {difference}");
            let exact = (Int::from(d) << (2 * bits)).isqrt();
            let difference = (root(d, bits).unwrap() - exact).abs();
            assert!(
                difference <= u64::from(d) + 1,
                "√{d} to {bits} bits: {difference}"
            );
        }
    }
    let (a, b) = (Int::from(7).pow(2994), Int::from(3).pow(5300));
    for bits in [0, 1, 64, 1000, 20_000] {
        let exact = (&a << bits) / &b;
        let difference = (quotient(&a, &b, bits).unwrap() - exact).abs();
        assert!(difference <= 2, "{bits}: {difference}");
    }
}

/// Cut nodes give the sum to the precision asked for, also where the last terms count.
#[test]
fn cut_to_a_precision() {
    let linear = |slope, constant| Polynomial::new(&[constant, slope]);
    let chudnovsky = Series::new(
        Polynomial::new(&[-1]) * linear(6, -5) * linear(2, -1) * linear(6, -1),
        linear(1, 0).pow(3) * Polynomial::new(&[10_939_058_860_032_000]),
        linear(545_140_134, 13_591_409),
    );
    let geometric = Series::new(Polynomial::ONE, Polynomial::new(&[4]), linear(1, 3));
    let divergent = Series::new(linear(1, 0), Polynomial::new(&[-2]), linear(1, 3));
    let without_first = Series::new(Polynomial::ONE, Polynomial::new(&[4]), linear(1, 0));
    for engine in Engine::usable() {
        for series in [&chudnovsky, &geometric, &divergent, &without_first] {
            for terms in [1, 2, 3, 50, 999, 5000] {
                if terms > 1000 && engine != Engine::Cpu {
                    continue;
                }
                let exact = engine.scope(|| series.try_sum(terms)).unwrap();
                for bits in [1, 64, 500, 5000, 100_000] {
                    let run = || Tree::new(series, terms, None).run(false, Some(bits));
                    let cut = engine.scope(run).unwrap();
                    // |t/q − T/Q| ≤ 2^-bits·|T/Q|
                    let off = ((&cut.t * &exact.q - &exact.t * &cut.q) << bits).abs();
                    let whole = (&exact.t * &cut.q).abs();
                    assert!(off <= whole, "{engine} {series:?} {terms} {bits}");
                }
            }
        }
    }
}

/// What the sieve finds divides P, Q and T, and is most of what they have in common.
#[test]
fn common_factors_divide() {
    let linear = |slope, constant| Polynomial::new(&[constant, slope]);
    let chudnovsky = (
        linear(6, -5) * linear(2, -1) * linear(6, -1),
        linear(1, 0).pow(3) * Polynomial::new(&[10_939_058_860_032_000]),
    );
    let zeta3 = (
        linear(1, 0).pow(5) * Polynomial::new(&[-1]),
        linear(2, 1).pow(5) * Polynomial::new(&[32]),
    );
    let zeros = (linear(1, -7) * linear(-3, 30), linear(1, 0) * linear(5, 1));
    for (p, q) in [chudnovsky, zeta3, zeros] {
        let series = Series::new(p.clone(), q.clone(), linear(545, 13));
        let sieve = Sieve::new(&p, &q);
        for (from, to) in [(0, 1), (0, 200), (1, 3), (1000, 1600), (123_456, 123_900)] {
            let node = leaf::block(&series, from, to).unwrap();
            let p = node.p.clone().unwrap();
            let common = p.gcd(&node.q).gcd(&node.t);
            let reduced = sieve.reduce(node, from, to).unwrap();
            let left = reduced.p.clone().unwrap().gcd(&reduced.q).gcd(&reduced.t);
            assert!(
                &left * sieve.common(from, to).unwrap() == common,
                "{series:?} {from} {to}"
            );
            // If p is 0 somewhere, all of Q after it is common.
            let is_most = left.bit_length() <= common.bit_length() / 4 + 64;
            assert!(is_most || p.is_zero(), "{series:?} {from} {to}");
        }
    }
}

/// Published by D. Bailey, P. Borwein and S. Plouffe: the digits from number 10^6 on begin with
/// 26c65e52.
#[test]
fn hexadecimal_digits_at_a_place() {
    let text = Digits::new(Constant::Pi, 2000)
        .radix(16)
        .try_text()
        .unwrap();
    for place in [0, 1, 2, 100, 999, 1992] {
        let expected = u32::from_str_radix(&text[2 + place..10 + place], 16).unwrap();
        assert_eq!(
            pi_hexadecimal_at(place as u64).unwrap(),
            expected,
            "{place}"
        );
    }
    assert_eq!(pi_hexadecimal_at(999_999).unwrap(), 0x26c6_5e52);
    // The place that verifies all longer numbers must be one whose digits are decided.
    let farthest = hexadecimal::pi_hexadecimal_near(hexadecimal::FARTHEST).unwrap();
    assert_eq!(farthest, (hexadecimal::FARTHEST, 0x17af_5863));
    assert!(pi_hexadecimal_at(1 << 24).is_err());
}

/// Parts in memory.
#[derive(Default)]
struct Shelf {
    parts: Mutex<HashMap<String, Vec<Int>>>,
    /// Saves that still succeed.
    left: Mutex<Option<u32>>,
}

impl Storage for Shelf {
    fn load(&self, name: &str) -> Result<Option<Vec<Int>>> {
        Ok(self.parts.lock().unwrap().get(name).cloned())
    }

    fn save(&self, name: &str, numbers: &[&Int]) -> Result<()> {
        if let Some(left) = self.left.lock().unwrap().as_mut() {
            *left = left.checked_sub(1).ok_or(Error::Cancelled)?;
        }
        let numbers = numbers.iter().map(|x| (*x).clone()).collect();
        self.parts.lock().unwrap().insert(name.to_string(), numbers);
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.parts.lock().unwrap().remove(name);
        Ok(())
    }

    fn least_bits(&self) -> u64 {
        0
    }
}

#[test]
fn stopped_and_taken_up_again() {
    // All halves have gone into the whole: that of the series, and the constant itself.
    for (constant, count, wholes) in [
        (Constant::Pi, 20_000, 2),
        (Constant::Gamma, 3000, 5),
        (Constant::Sqrt2, 3000, 1),
    ] {
        let expected = constant.digits(count);
        for saves in 0..20 {
            let shelf = Shelf::default();
            *shelf.left.lock().unwrap() = Some(saves);
            let digits = Digits::new(constant, count).storage(&shelf);
            let stopped = digits.try_text();
            assert!(stopped == Err(Error::Cancelled) || stopped.as_ref() == Ok(&expected));
            let kept = shelf.parts.lock().unwrap().len();
            assert!(kept > 0 || saves == 0);
            *shelf.left.lock().unwrap() = None;
            assert!(digits.try_text().unwrap() == expected);
            assert_eq!(shelf.parts.lock().unwrap().len(), wholes, "{constant}");
            digits.try_verify(&expected).unwrap();
        }
    }
}

/// What was kept is used: nothing of the series is saved again.
#[test]
fn the_value_is_taken_up() {
    let shelf = Shelf::default();
    let digits = Digits::new(Constant::Gamma, 2000).storage(&shelf);
    let expected = digits.try_text().unwrap();
    shelf
        .parts
        .lock()
        .unwrap()
        .retain(|name, _| name.starts_with("value"));
    *shelf.left.lock().unwrap() = Some(0);
    assert_eq!(digits.try_text().unwrap(), expected);
}

#[test]
fn parts_make_the_text() {
    everywhere(|_| {
        for (constant, radix) in [
            (Constant::Pi, 10),
            (Constant::E, 3),
            (Constant::Sqrt2, 16),
            (Constant::Ln2, 36),
        ] {
            for count in [0, 1, 2, 63, 64, 65, 1000] {
                let digits = Digits::new(constant, count).radix(radix);
                let expected = digits.try_text().unwrap();
                for part in [1, 7, 64, 999, 1000, 5000] {
                    if count / part > 100 {
                        continue;
                    }
                    let mut text = String::new();
                    let mut each = |at: u64, part: String| {
                        assert_eq!(at, text.len() as u64);
                        text.push_str(&part);
                        Ok(())
                    };
                    digits.in_parts(part, &mut each).unwrap();
                    assert!(text == expected, "{constant} {radix} {count} {part}");
                }
            }
        }
    });
}

/// π has six nines from place 762 on, so that four digits after place 761 decide nothing.
#[test]
fn an_undecided_end_begins_again() {
    let digits = Digits::new(Constant::Pi, 761);
    let (mut text, mut starts) = (String::new(), 0);
    let mut each = |at: u64, part: String| {
        starts += u32::from(at == 0);
        text.truncate(at as usize);
        text.push_str(&part);
        Ok(())
    };
    assert!(!digits.attempt(16.0, 100, &mut each).unwrap());
    assert!(digits.attempt(40.0, 100, &mut each).unwrap());
    assert_eq!(starts, 2);
    assert_eq!(text, digits.try_text().unwrap());
    assert!(text.ends_with("721134"), "{text}");
}

#[test]
fn few_digits_are_verified() {
    for radix in [2, 3, 10, 16, 36] {
        for count in 0..40 {
            let digits = Digits::new(Constant::Pi, count).radix(radix);
            let text = digits.try_text().unwrap();
            digits.try_verify(&text).unwrap();
        }
    }
}

#[test]
fn progress_is_heard_and_stops_the_work() {
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    let heard = Arc::new(AtomicU32::new(0));
    let (counted, mut last) = (heard.clone(), 0.0);
    let observer = move |progress: progress::Progress| {
        counted.fetch_add(1, Ordering::Relaxed);
        let fraction = progress.fraction.unwrap_or(0.0);
        assert!(fraction >= last);
        last = fraction;
        ControlFlow::Continue(())
    };
    progress::scope(observer, || Constant::Pi.try_digits(5000)).unwrap();
    assert!(heard.load(Ordering::Relaxed) > 10);
    let stopped = progress::scope(
        |progress| match progress.fraction {
            Some(fraction) if fraction > 0.3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        },
        || Constant::Pi.try_digits(20_000),
    );
    assert_eq!(stopped, Err(Error::Cancelled));
}

/// The bottom of the tree is cut at other places than the rest: every count of terms is a tree of
/// its own shape.
#[test]
fn trees_of_every_shape() {
    let series = Series::new(
        Polynomial::new(&[-1, 2]) * Polynomial::new(&[-1]),
        Polynomial::new(&[0, 1]) * Polynomial::new(&[640_320]),
        Polynomial::new(&[13, 545]),
    );
    let mut expected = Int::ZERO;
    let (mut p, mut q) = (Int::ONE, Int::ONE);
    for k in 0..700u64 {
        if k > 0 {
            p = -p * (2 * k - 1);
            q *= k * 640_320;
            expected *= k * 640_320;
        }
        expected += &p * (13 + 545 * k);
        let node = Tree::new(&series, k + 1, None).run(true, None).unwrap();
        assert!(node.q == q && node.t == expected, "{k}");
        assert!(node.p.as_ref() == Some(&p), "{k}");
    }
}

/// Sums by rows on a device against those on the host, for counts of terms around those of leaves
/// and rows: all of one sign, alternating, with denominators, and with signs that rows cannot have.
#[test]
fn sums_on_devices() {
    let n = || Polynomial::new(&[0, 1]);
    let number = |x: i64| Polynomial::new(&[x]);
    let linear = |slope: i64, constant: i64| Polynomial::new(&[constant, slope]);
    let all = [
        Series::new(Polynomial::ONE, n(), Polynomial::ONE),
        Series::new(number(-1), n().pow(2), linear(7, 3)),
        Series::new(
            number(-1) * linear(6, -5) * linear(2, -1) * linear(6, -1),
            n().pow(3) * number(10_939_058_860_032_000),
            linear(545_140_134, 13_591_409),
        ),
        Series::new(number(-3), number(5), linear(3, 1)).over(linear(2, 1)),
        // The sign of a term changes where no leaf begins.
        Series::new(linear(1, -700), n() * number(3), Polynomial::ONE),
        Series::new(n(), n().pow(2), linear(1, -333)),
    ];
    for engine in Engine::usable()
        .into_iter()
        .filter(|engine| *engine != Engine::Cpu)
    {
        for series in &all {
            for terms in [1, 2, 17, 35, 500, 1025, 2500, 20_000] {
                let expected = Engine::Cpu.scope(|| series.try_sum(terms)).unwrap();
                for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
                    let sum = || engine.scope(|| series.try_sum(terms)).unwrap();
                    let found = tuning.scope(sum);
                    let is_same = &found.t * &expected.q == &expected.t * &found.q
                        && &found.p * &expected.q == &expected.p * &found.q;
                    assert!(is_same, "{engine} {series:?} {terms}");
                }
            }
        }
    }
}
