use super::*;

/// Beránek's N, the square of 1067982407.
const SQUARE: u64 = 1_140_586_421_661_513_649;

/// As Figs. 1 and 10 have it, for one thread after another: the least step, then the least thread.
fn by_definition(n: u64, variant: Variant, runners: u32) -> Option<u64> {
    let f = |x: u128, c: u128| (x * x + c) % u128::from(n);
    let gcd = |mut a: u128, mut b: u128| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a as u64
    };
    let first = (1..=u128::from(runners)).filter_map(|c| {
        let (mut x, mut y) = match variant {
            Variant::First => (c, c),
            Variant::Second => (7, f(7, c)),
        };
        for step in 0.. {
            (x, y) = (f(x, c), f(f(y, c), c));
            match gcd(x.abs_diff(y), n.into()) {
                1 => {}
                all if all == n => return None,
                factor => return Some((step, c, factor)),
            }
        }
        None
    });
    first.min().map(|(_, _, factor)| factor)
}

fn everywhere(check: impl Fn(Engine)) {
    for engine in Engine::usable() {
        engine.scope(|| check(engine));
    }
}

#[test]
fn the_first_factor_wins() {
    let shape = Shape {
        blocks: 3,
        threads: 5,
    };
    everywhere(|engine| {
        for n in [
            9u64,
            15,
            21,
            25,
            27,
            33,
            49,
            77,
            121,
            8051,
            10403,
            455459,
            1009 * 100_003,
            1_000_003 * 1_000_033,
            65537 * 65537,
            4294967291 * 3,
        ] {
            for variant in [Variant::First, Variant::Second] {
                let found = rho_in_shape(&Natural::from(n), variant, shape, &|| true).unwrap();
                let expected = by_definition(n, variant, shape.runners()).map(Natural::from);
                assert_eq!(found, expected, "{engine} {n} {variant:?}");
            }
        }
    });
}

#[test]
fn primes_and_trivial_numbers() {
    let shape = Shape {
        blocks: 1,
        threads: 4,
    };
    everywhere(|engine| {
        for variant in [Variant::First, Variant::Second] {
            let run = |n: u64| rho_in_shape(&Natural::from(n), variant, shape, &|| true);
            for prime in [2u64, 3, 5, 101] {
                assert_eq!(run(prime), Ok(None), "{engine} {prime}");
            }
            assert_eq!(run(14), Ok(Some(Natural::from(2u32))));
            assert!(run(0).is_err() && run(1).is_err());
            let stopped = rho_in_shape(&Natural::from(SQUARE), variant, shape, &|| false);
            assert_eq!(stopped, Ok(None));
        }
    });
    assert!(rho(&(Natural::ONE << 2048), Variant::First, 8, &|| true).is_err());
}

#[test]
fn wide_numbers_have_small_factors() {
    let shape = Shape {
        blocks: 2,
        threads: 4,
    };
    let mersenne = |p: u64| (Natural::ONE << p) - Natural::ONE;
    for (other, factor) in [
        (mersenne(89), 10007u64),
        (mersenne(127), 65537),
        (mersenne(521), 1009),
        (mersenne(1279) * mersenne(607), 101),
    ] {
        let n = other * Natural::from(factor);
        for engine in Engine::usable() {
            for variant in [Variant::First, Variant::Second] {
                let found = engine.scope(|| rho_in_shape(&n, variant, shape, &|| true));
                assert_eq!(found, Ok(Some(Natural::from(factor))), "{engine} {n}");
            }
        }
    }
}
