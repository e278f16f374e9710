//! What an observer hears, and what is left when it stops the work.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::int::Int;
use crate::keys;
use crate::progress::{self, Progress};
use crate::tree;
use crate::tuning::Tuning;

type Operation = (&'static str, fn(&Int, &Int) -> Result<()>);

/// Long work, by the name of its outermost stage.
const OPERATIONS: [Operation; 18] = [
    ("power", |a, _| a.try_pow(5).map(drop)),
    ("division", |a, b| a.try_div_rem(b).map(drop)),
    ("square root", |a, _| a.try_isqrt().map(drop)),
    ("root", |a, _| a.try_root(3).map(drop)),
    ("modular power", |_, b| {
        let base = b.try_shr(1)?;
        base.try_pow_mod(&Int::from(123_456), b).map(drop)
    }),
    ("printing", |a, _| a.try_to_string_radix(10).map(drop)),
    ("reading", |_, _| {
        Int::from_str_radix(&"7".repeat(3000), 10).map(drop)
    }),
    ("product", |a, b| {
        let factors = vec![a.clone(), b.clone(), a.clone(), b.clone()];
        tree::product(&factors).map(drop)
    }),
    ("product tree", |a, b| {
        tree::ProductTree::new(&[a.clone(), b.clone(), b.clone()]).map(drop)
    }),
    ("factorial", |_, _| Int::try_factorial(1000).map(drop)),
    ("double factorial", |_, _| {
        Int::try_double_factorial(2001).map(drop)
    }),
    ("unpacking", |_, _| {
        Int::try_ones(1 << 16)?.try_unpack(1).map(drop)
    }),
    ("packing", |_, _| {
        Int::try_pack(&vec![Int::ONE; 1 << 16], 3).map(drop)
    }),
    ("product", |_, _| Int::try_primorial(20_000).map(drop)),
    ("product", |_, _| {
        Int::try_multi_factorial(60_000, 3).map(drop)
    }),
    ("fibonacci", |_, _| Int::try_fibonacci(20_000).map(drop)),
    ("shared factors", |a, _| {
        keys::shared_factors(&[a.clone(), a.try_add_small(1)?, Int::ONE]).map(drop)
    }),
    ("binomial", |_, _| Int::try_binomial(100_000, 600).map(drop)),
];

fn operands() -> (Int, Int) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(81);
    let mut random = |bits| Int::random_bits(bits, &mut rng);
    (random(64 * 120), random(64 * 50))
}

/// Runs the operation under an observer that stops it at the call of this number; gives what was
/// heard.
fn observe(operation: Operation, stop_at: usize) -> (Result<()>, Vec<Progress>) {
    let (a, b) = operands();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    let observer = move |progress: Progress| {
        let mut heard = ears.lock().unwrap();
        heard.push(progress);
        // An observer may compute; nobody observes that.
        assert_eq!(Int::from(3).pow(4), 81);
        if heard.len() >= stop_at {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let done = progress::scope(observer, || (operation.1)(&a, &b));
    let (x, y) = operands();
    assert!(a == x && b == y, "{}: operands changed", operation.0);
    let heard = heard.lock().unwrap().clone();
    (done, heard)
}

#[test]
fn fractions_rise_to_one() {
    Tuning::MINIMAL.scope(|| {
        for operation in OPERATIONS {
            let (done, heard) = observe(operation, usize::MAX);
            assert_eq!(done, Ok(()));
            let mut last = 0.0;
            let stages = heard.iter().filter_map(|p| Some((p.stage, p.fraction?)));
            for (stage, fraction) in stages.clone() {
                assert_eq!(stage, operation.0);
                assert!(
                    (last..=1.0).contains(&fraction),
                    "{stage}: {last} {fraction}"
                );
                last = fraction;
            }
            assert_eq!(last, 1.0, "{}", operation.0);
            let between = stages.filter(|(_, f)| *f > 0.0 && *f < 1.0).count();
            assert!(between > 0, "{}: {heard:?}", operation.0);
        }
    });
}

#[test]
fn work_stops_when_asked() {
    for engine in Engine::usable() {
        Tuning::MINIMAL.scope(|| {
            engine.scope(|| {
                for operation in OPERATIONS {
                    for stop_at in [1, 2, 5] {
                        let (done, heard) = observe(operation, stop_at);
                        assert_eq!(done, Err(Error::Cancelled), "{engine} {}", operation.0);
                        assert_eq!(heard.len(), stop_at, "{engine} {}", operation.0);
                    }
                }
            });
        });
    }
    // The thread's later work is not observed.
    assert_eq!(Int::from(2).try_pow(3), Ok(Int::from(8)));
}

#[test]
fn work_ends_when_it_is_not_to_go_on() {
    let (a, b) = operands();
    let work = || Tuning::MINIMAL.scope(|| a.try_div_rem(&b).map(drop));
    assert_eq!(
        progress::while_going(&|| false, work),
        Err(Error::Cancelled)
    );
    assert_eq!(progress::while_going(&|| true, work), Ok(()));
    // It may end in the middle, and on other threads.
    let start = std::time::Instant::now();
    let keep_going = || start.elapsed().as_millis() < 50;
    let endless = || -> Result<()> {
        loop {
            work()?;
        }
    };
    assert_eq!(
        progress::while_going(&keep_going, endless),
        Err(Error::Cancelled)
    );
    // An observer around it still hears of the work, and still stops it.
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    let observer = move |progress: Progress| {
        ears.lock().unwrap().push(progress);
        ControlFlow::Break(())
    };
    let stopped = progress::scope(observer, || progress::while_going(&|| true, work));
    assert_eq!(stopped, Err(Error::Cancelled));
    assert_eq!(heard.lock().unwrap().len(), 1);
}

type Work = Box<dyn Fn() -> Result<()>>;

/// Work without a long number in it, by default settings: a power by a long exponent, and lists of
/// numbers that take some milliseconds each.
#[test]
fn work_on_short_numbers_stops_when_asked() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(82);
    let mut random = |bits| Int::random_bits(bits, &mut rng);
    let [base, exponent] = [random(64), random(1 << 23)];
    let moduli = [1, 2, 3, 20, 200].map(|limbs| Int::ones(64 * limbs) - random(20));
    let semiprime = (1u128 << 63).wrapping_sub(25) * ((1 << 63) - 165);
    let mut operations: Vec<(String, Work)> = Vec::new();
    for modulus in moduli {
        let (base, exponent) = (base.clone(), exponent.clone());
        for modulus in [&modulus - u64::from(modulus.is_even()), &modulus << 1u32] {
            let name = format!("a power modulo {} bits", modulus.bit_length());
            let (base, exponent) = (base.clone(), exponent.clone());
            let power = move || base.try_pow_mod(&exponent, &modulus).map(drop);
            operations.push((name, Box::new(power)));
        }
    }
    operations.push((
        "a list to factor".into(),
        Box::new(move || crate::factor::factor_many(&[semiprime; 4096]).map(drop)),
    ));
    for (name, operation) in operations {
        let calls = Arc::new(Mutex::new(0));
        let ears = calls.clone();
        let observer = move |_| {
            *ears.lock().unwrap() += 1;
            if *ears.lock().unwrap() < 3 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let start = std::time::Instant::now();
        let done = Engine::Cpu.scope(|| progress::scope(observer, operation));
        assert_eq!(done, Err(Error::Cancelled), "{name}");
        assert_eq!(*calls.lock().unwrap(), 3, "{name}");
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds < 5.0, "{name}: {seconds} s");
    }
}
