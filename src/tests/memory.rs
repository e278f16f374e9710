//! Device memory that runs out in the middle of an operation: there is the right answer or an error
//! that says so, every value is as it was, nothing stays allocated, and with memory again the same
//! operation succeeds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::cuda::Device;
use crate::engine::{EXECUTOR, Engine};
use crate::error::{Error, Result};
use crate::int::Int;
use crate::tuning::Tuning;
use crate::{Divisor, keys, tree};

const A_BITS: u64 = 64 * 150;
const B_BITS: u64 = 64 * 60;

/// An operation on two numbers, of which it may change the first in place if it succeeds.
struct Operation {
    name: &'static str,
    run: fn(&mut Int, &Int) -> Result<Vec<Int>>,
    in_place: bool,
}

macro_rules! operations {
    ($($name:literal: $run:expr;)* in place: $($change_name:literal: $change:expr;)*) => {
        [
            $(Operation { name: $name, run: |a, b| $run(a, b), in_place: false },)*
            $(Operation {
                name: $change_name,
                run: |a, b| changed(a, b, $change),
                in_place: true,
            },)*
        ]
    };
}

/// In-place operators have no way to report but to panic; the panic's text is the error's.
fn changed(a: &mut Int, b: &Int, change: fn(&mut Int, &Int)) -> Result<Vec<Int>> {
    match catch_unwind(AssertUnwindSafe(|| change(a, b))) {
        Ok(()) => Ok(vec![a.clone()]),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            assert!(text.starts_with("out of device memory"), "{text}");
            Err(Error::DeviceMemory {
                needed: 0,
                available: 0,
                limit: 0,
            })
        }
    }
}

fn pair((a, b): (Int, Int)) -> Vec<Int> {
    vec![a, b]
}

/// Every kind of work that asks for device memory. A launch of the executor takes its time, so long
/// chains get short numbers.
fn operations() -> Vec<Operation> {
    operations! {
        "product": |a: &Int, b| Ok(vec![a.try_mul(b)?]);
        "square": |a: &Int, _| Ok(vec![a.try_square()?]);
        "prepared product": |a: &Int, b: &Int| {
            let prepared = b.try_prepare()?;
            Ok(vec![prepared.try_mul(a)?, prepared.try_mul(b)?])
        };
        "sum of products": |a: &Int, b: &Int| {
            Ok(vec![Int::try_sum_of_products(&[(a, b), (b, a), (a, b)])?])
        };
        "halves": |a: &Int, b| Ok(vec![a.try_mul_low(b, 1000)?, a.try_mul_high(b, 1000)?]);
        "division": |a: &Int, b| Ok(pair(a.try_div_rem_floor(b)?));
        "exact division": |a: &Int, b: &Int| Ok(vec![a.try_mul(b)?.try_div_exact(b)?]);
        "removal": |a: &Int, b: &Int| {
            let factor = b.try_shr(B_BITS - 200)?;
            let (rest, count) = factor.try_pow(3)?.try_mul(a)?.try_remove(&factor)?;
            Ok(vec![rest, Int::from(count)])
        };
        "prepared divisor": |a: &Int, b| Ok(pair(Divisor::new(b)?.try_div_rem(a)?));
        "power": |_: &Int, b: &Int| Ok(vec![b.try_pow(3)?]);
        "modular power": |a: &Int, b: &Int| {
            let modulus = b.try_shr(B_BITS - 200)?;
            Ok(vec![a.try_pow_mod(&Int::from(1234), &modulus)?])
        };
        "square root": |a: &Int, _| Ok(pair(a.try_abs()?.try_sqrt_rem()?));
        "cube root": |a: &Int, _| Ok(pair(a.try_shr(A_BITS - 900)?.try_root_rem(3)?));
        "radix": |a: &Int, _| {
            let text = a.try_to_string_radix(10)?;
            Ok(vec![Int::from_str_radix(&text, 10)?, Int::from(text.len())])
        };
        "trees": |a: &Int, b: &Int| {
            let moduli = [b.clone(), b.try_shr(2000)?, b.try_add_small(2)?];
            let mut all = tree::remainders(a, &moduli)?;
            all.push(tree::product(&moduli)?);
            Ok(all)
        };
        "shared factors": |a: &Int, b: &Int| {
            let a = a.try_abs()?;
            let [short, long] = [a.try_shl(5000)?, a.try_shl(6000)?.try_add_small(1)?];
            let moduli = [short, a.try_add_small(1)?, b.clone(), long];
            let shared = keys::shared_factors(&moduli)?;
            Ok(shared.into_iter().map(|shared| shared.factor).collect())
        };
        "sequences": |_: &Int, _: &Int| {
            Ok(vec![
                Int::try_fibonacci(3000)?,
                Int::try_factorial(600)?,
                Int::try_double_factorial(901)?,
                Int::try_multi_factorial(2000, 3)?,
                Int::try_binomial(1300, 600)?,
            ])
        };
        "linear": |a: &Int, b: &Int| {
            let sum = a.try_sub(b)?.try_and(b)?.try_shl(77)?.try_not()?;
            Ok(vec![sum.try_abs()?, Int::from(sum.bit_length()), Int::from(u8::from(sum.bit(300)))])
        };
        in place:
        "+=": |a, b| *a += b;
        "-=": |a, b| *a -= b;
        "*=": |a, b| *a *= b;
        "/=": |a, b| *a /= b;
        "%=": |a, b| *a %= b;
        "&=": |a, b| *a &= b;
        "<<=": |a, _| *a <<= 100;
        ">>=": |a, _| *a >>= 100;
    }
    .into()
}

struct Numbers {
    a: Int,
    b: Int,
}

impl Numbers {
    /// Two numbers known to the host alone. Every call gives the same numbers.
    fn new() -> Numbers {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(71);
        let mut random = |bits| Int::random_bits(bits, &mut rng);
        let (a, b) = (random(A_BITS), random(B_BITS));
        let a = Engine::Cpu.scope(|| -a);
        Numbers { a, b }
    }

    /// The numbers of `new`, known to this device alone.
    fn on(device: &Arc<Device>) -> Numbers {
        let Numbers { a, b } = Numbers::new();
        let [a, b] = [a, b].map(|x| {
            let below = Engine::Cpu.scope(|| x.try_add_small(-1)).unwrap();
            engine(device).scope(|| below.try_add_small(1)).unwrap()
        });
        assert!(!a.is_on_host() && !b.is_on_host());
        Numbers { a, b }
    }

    /// Runs the operation and checks what must hold if it succeeds and if it does not.
    fn check(&mut self, what: &str, operation: &Operation, expected: &[Int]) -> Result<()> {
        let done = (operation.run)(&mut self.a, &self.b);
        let Numbers { a, b } = Numbers::new();
        assert_eq!(self.b.host(), b.host(), "{what}");
        if done.is_err() || !operation.in_place {
            assert_eq!(self.a.host(), a.host(), "{what}");
        }
        match done {
            Ok(found) => {
                let equal = found
                    .iter()
                    .zip(expected)
                    .all(|(x, y)| x.host() == y.host());
                assert!(equal && found.len() == expected.len(), "{what}");
                Ok(())
            }
            Err(error @ Error::DeviceMemory { .. }) => Err(error),
            Err(other) => panic!("{what}: {other}"),
        }
    }
}

fn engine(device: &Arc<Device>) -> Engine {
    Engine::Cuda(device.info().ordinal)
}

/// Runs `test` with each operation and what it gives.
fn each(test: impl Fn(&Operation, &[Int])) {
    for operation in operations() {
        Tuning::MINIMAL.scope(|| {
            let Numbers { mut a, b } = Numbers::new();
            let expected = Engine::Cpu.scope(|| (operation.run)(&mut a, &b)).unwrap();
            test(&operation, &expected);
        });
    }
}

/// Under a forced engine each allocation fails in turn (of many, some); under `Auto` the CPU then
/// takes over.
#[test]
fn any_allocation_may_fail() {
    let Ok(device) = Device::private(EXECUTOR, 1 << 28) else {
        return;
    };
    each(|operation, expected| {
        for forced in [true, false] {
            let engine = if forced {
                engine(&device)
            } else {
                Engine::Auto
            };
            let mut number = 1;
            loop {
                let what = format!("{}: {engine}, allocation {number}", operation.name);
                let mut numbers = Numbers::on(&device);
                device.fail_allocation(number);
                let done = engine.scope(|| numbers.check(&what, operation, expected));
                let failed = device.fail_allocation(0) == 0;
                assert!(done.is_ok() || (failed && forced), "{what}: {done:?}");
                if done.is_err() {
                    let again = engine.scope(|| numbers.check(&what, operation, expected));
                    assert!(again.is_ok(), "{what}: {again:?}");
                }
                drop(numbers);
                assert_eq!(device.memory_used(), device.permanent_bytes(), "{what}");
                if !failed {
                    break;
                }
                number += number.div_ceil(3);
            }
        }
    });
}

/// Every limit from one that holds nothing to one that holds everything.
#[test]
fn every_limit() {
    if Device::private(EXECUTOR, 1).is_err() {
        return;
    }
    each(|operation, expected| {
        let mut limit = 1 << 10;
        loop {
            let device = Device::private(EXECUTOR, limit).unwrap();
            let what = format!("{}: {limit} bytes", operation.name);
            let mut numbers = Numbers::new();
            let done = engine(&device).scope(|| numbers.check(&what, operation, expected));
            drop(numbers);
            assert_eq!(device.memory_used(), device.permanent_bytes(), "{what}");
            if done.is_ok() {
                break;
            }
            limit *= 2;
            assert!(limit < 1 << 26, "{what}: {done:?}");
        }
    });
}

/// A transform that is kept goes where memory runs short, and comes back with the next product.
#[test]
fn kept_transforms_make_room() {
    let Ok(device) = Device::private(EXECUTOR, 1 << 26) else {
        return;
    };
    Tuning::MINIMAL.scope(|| {
        engine(&device).scope(|| {
            let Numbers { a, b } = Numbers::on(&device);
            let expected = a.host() * b.host();
            let prepared = b.prepare();
            assert_eq!(*prepared.mul(&a).host(), expected);
            let with = device.memory_used();
            assert!(device.evict_all_idle().unwrap() >= 3);
            assert_eq!(device.memory_used(), device.permanent_bytes());
            assert_eq!(*prepared.mul(&a).host(), expected);
            assert_eq!(device.memory_used(), with);
        });
    });
}
