//! Under `auto`, operations on polynomials, rows and arrays on the host go to a device where that
//! pays. The executor is the device here.

use bezout::measure::Tuning;
use bezout::poly::{Modulus, Poly};
use bezout::sort::{Array, Options};
use bezout::{Batch, Engine, cuda, engine};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Makes the executor the device that `auto` sends work to, and wakes it. False where there is no
/// C++ compiler.
fn has_device() -> bool {
    engine::send_to(engine::EXECUTOR);
    cuda::device(engine::EXECUTOR).is_ok()
}

/// Checks that `work` runs on the device under `auto` if every size is worth sending and on the CPU
/// under the shipped thresholds, with the results of the CPU engine each time. `fresh` returns
/// operands on the host.
fn goes_where_it_pays<T, R: PartialEq + std::fmt::Debug>(
    name: &str,
    fresh: impl Fn() -> T,
    work: impl Fn(&T) -> R,
) {
    let expected = Engine::Cpu.scope(|| work(&fresh()));
    let all = [("sort_auto_device_keys", 2), ("poly_gcd_block_len", 1024)];
    let all = Tuning::MINIMAL.with(&all).expect("a tuning");
    for (tuning, used) in [
        (all, Engine::Cuda(engine::EXECUTOR)),
        (Tuning::DEFAULT, Engine::Cpu),
    ] {
        let (operands, result) = tuning.scope(|| {
            let operands = fresh();
            let result = work(&operands);
            assert_eq!(Engine::last_used(), Some(used), "{name}");
            (operands, result)
        });
        assert_eq!(result, expected, "{name}");
        drop(operands);
    }
}

#[test]
fn polynomials() {
    if !has_device() {
        return;
    }
    for p in [2, 3, 1_000_003, (1 << 61) - 1] {
        let p = Modulus::new(p).expect("a prime");
        let fresh = || {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            [90, 50, 3].map(|len| Poly::random(len, p, &mut rng))
        };
        type Operands = [Poly; 3];
        let points: Vec<u64> = (0..20).collect();
        goes_where_it_pays("product", fresh, |[a, b, _]: &Operands| a * b);
        goes_where_it_pays("square", fresh, |[a, ..]: &Operands| {
            a.try_square().expect("a square")
        });
        goes_where_it_pays("division", fresh, |[a, b, _]: &Operands| {
            a.try_div_rem(b).expect("a quotient")
        });
        goes_where_it_pays("gcd", fresh, |[a, b, _]: &Operands| {
            a.try_gcd(b).expect("a gcd")
        });
        goes_where_it_pays("cofactors", fresh, |[a, b, _]: &Operands| {
            a.try_extended_gcd(b).expect("cofactors")
        });
        goes_where_it_pays("resultant", fresh, |[a, b, _]: &Operands| {
            a.try_resultant(b).expect("a resultant")
        });
        goes_where_it_pays("composition", fresh, |[_, b, c]: &Operands| {
            b.try_compose(c).expect("a composition")
        });
        goes_where_it_pays("power", fresh, |[a, b, _]: &Operands| {
            a.try_pow_mod(&1000.into(), b).expect("a power")
        });
        goes_where_it_pays("values", fresh, |[a, ..]: &Operands| {
            a.try_evaluate(&points).expect("values")
        });
        goes_where_it_pays("gcds", fresh, |[a, b, c]: &Operands| {
            let pairs = [[a.clone(), b.clone()], [b.clone(), c.clone()]];
            Poly::try_gcd_many(&pairs[0], &pairs[1]).expect("gcds")
        });
    }
    let p = Modulus::new(1_000_003).expect("a prime");
    let points: Vec<u64> = (0..20).collect();
    let values: Vec<u64> = points.iter().map(|x| x * x % 1_000_003).collect();
    goes_where_it_pays(
        "interpolation",
        || (),
        |()| Poly::try_interpolate(&points, &values, p).expect("a polynomial"),
    );
}

#[test]
fn rows() {
    if !has_device() {
        return;
    }
    for width in [1, 2, 5] {
        let fresh = || {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
            [0, 1, 2].map(|_| {
                let limbs = (0..10 * width).map(|_| rng.random::<u64>() | 1).collect();
                Batch::from_limbs(limbs, width).expect("rows")
            })
        };
        type Operands = [Batch; 3];
        let limbs = |batch: Batch| batch.try_limbs().expect("limbs").to_vec();
        goes_where_it_pays("product", fresh, |[a, b, _]: &Operands| {
            limbs(a.all().try_mul(&b.all()).expect("products"))
        });
        goes_where_it_pays("wide product", fresh, |[a, b, _]: &Operands| {
            limbs(a.all().try_mul_wide(&b.all()).expect("products"))
        });
        goes_where_it_pays("quotient", fresh, |[a, b, _]: &Operands| {
            let (q, r) = a.all().try_div_rem(&b.all()).expect("quotients");
            (limbs(q), limbs(r))
        });
        goes_where_it_pays("root", fresh, |[a, ..]: &Operands| {
            limbs(a.all().try_sqrt().expect("roots"))
        });
        goes_where_it_pays("gcd", fresh, |[a, b, _]: &Operands| {
            limbs(a.all().try_gcd(&b.all()).expect("gcds"))
        });
        goes_where_it_pays("inverse", fresh, |[a, b, _]: &Operands| {
            let (inverses, exists) = a.all().try_mod_inverse(&b.all()).expect("inverses");
            (limbs(inverses), exists)
        });
        goes_where_it_pays("power", fresh, |[a, b, c]: &Operands| {
            limbs(a.all().try_pow_mod(&b.all(), &c.all()).expect("powers"))
        });
        goes_where_it_pays("primality", fresh, |[a, ..]: &Operands| {
            a.all().try_is_probable_prime().expect("verdicts")
        });
        goes_where_it_pays("trial division", fresh, |[a, ..]: &Operands| {
            a.all().try_smallest_factor(100).expect("factors")
        });
    }
}

#[test]
fn arrays() {
    if !has_device() {
        return;
    }
    let fresh = || {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let keys: Vec<u64> = (0..500).map(|_| rng.random_range(0..100)).collect();
        Array::from(keys)
    };
    let host = |array: Array<u64>| array.try_host().expect("keys").to_vec();
    goes_where_it_pays("keys", fresh, |keys| {
        host(keys.try_sorted(Options::default()).expect("sorted keys"))
    });
    goes_where_it_pays("keys and values", fresh, |keys| {
        let values = Array::from((0..500).collect::<Vec<u64>>());
        let sorted = keys.try_sorted_with(&values, Options::default());
        let (keys, values) = sorted.expect("sorted keys");
        (host(keys), host(values))
    });
}

/// A result stays on the device that computed it, and work on it follows, however short it is.
#[test]
fn results_stay() {
    if !has_device() {
        return;
    }
    let p = Modulus::new(1_000_003).expect("a prime");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let (a, b) = (Poly::random(90, p, &mut rng), Poly::random(50, p, &mut rng));
    let product = Tuning::MINIMAL.scope(|| &a * &b);
    assert!(product.is_on_device());
    let sum = &product + &a;
    assert_eq!(Engine::last_used(), Some(Engine::Cuda(engine::EXECUTOR)));
    assert_eq!(sum, Engine::Cpu.scope(|| &a * &b + &a));
}
