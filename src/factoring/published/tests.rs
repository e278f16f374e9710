use super::*;

/// Beránek's N, the square of 1067982407.
const SQUARE: u64 = 1_140_586_421_661_513_649;

/// As Figs. 1 and 10 have it, for one thread after another: the least step, then the least thread.
/// The factor, the steps, and the number of the runner.
fn by_definition(n: u64, start: Start, runners: u32) -> Option<RunnerFound> {
    let f = |x: u128, c: u128| (x * x + c) % u128::from(n);
    let gcd = |mut a: u128, mut b: u128| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a as u64
    };
    let first = (1..=u128::from(runners)).filter_map(|i| {
        let random = |seed, of| u128::from(random_word(seed, 2 * (i as u64 - 1) + of) % n);
        let (mut x, mut y, c) = match start {
            Start::Numbered => (i, i, i),
            Start::Ahead => (7, f(7, i), i),
            Start::Random(seed) => (random(seed, 0), random(seed, 0), random(seed, 1)),
        };
        for step in 0u32.. {
            (x, y) = (f(x, c), f(f(y, c), c));
            match gcd(x.abs_diff(y), n.into()) {
                1 => {}
                all if all == n => return None,
                factor => return Some((step, i as u32 - 1, factor)),
            }
        }
        None
    });
    let least = first.min()?;
    Some(RunnerFound::new(Natural::from(least.2), least.0, least.1))
}

fn everywhere(check: impl Fn(Engine)) {
    for engine in Engine::usable() {
        engine.scope(|| check(engine));
    }
}

#[test]
fn the_first_factor_wins() {
    let shape = RunnerGrid::new(3, 5);
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
                for start in [None, Some(Start::Ahead), Some(Start::Random(n))] {
                    let shape = RunnerGrid { start, ..shape };
                    let found = rho_in_shape(&Natural::from(n), variant, shape, &|| true).unwrap();
                    let start = shape.start_of(variant);
                    let expected = by_definition(n, start, shape.runners());
                    assert_eq!(found, expected, "{engine} {n} {variant:?} {start:?}");
                }
            }
        }
    });
}

/// However many steps a launch has, and whatever memory it prefers, the same runner is the first.
#[test]
fn launches_of_one_step_and_of_many() {
    everywhere(|engine| {
        for n in [10403u64, 455459, 1009 * 100_003] {
            let expected = by_definition(n, Start::Numbered, 6);
            for (steps, prefers_l1) in [(1, false), (7, true), (16, false), (1000, true)] {
                let shape = RunnerGrid {
                    steps,
                    prefers_l1,
                    ..RunnerGrid::new(2, 3)
                };
                let found = rho_in_shape(&Natural::from(n), Variant::First, shape, &|| true);
                assert_eq!(found, Ok(expected.clone()), "{engine} {n} {steps}");
            }
        }
    });
}

/// His section 2.3: 54443 iterations of one runner with c = 1, which is what y one step ahead of x
/// takes; with x = y it is one more.
#[test]
fn the_papers_number_of_iterations() {
    let n = Natural::from(SQUARE);
    let one = |start| RunnerGrid {
        start: Some(start),
        ..RunnerGrid::new(1, 1)
    };
    for (start, iterations) in [(Start::Ahead, 54443), (Start::Numbered, 54444)] {
        let run = || rho_in_shape(&n, Variant::First, one(start), &|| true);
        let found = Engine::Cpu.scope(run).unwrap().unwrap();
        assert_eq!(found.factor, 1_067_982_407u64);
        assert_eq!((found.iterations, found.runner), (iterations, 1));
    }
}

/// Rounds of a GCD by shifts and differences, which are those of the kernel.
fn rounds_of_gcd(x: u64, y: u64, n: u64) -> u64 {
    let (mut a, mut b) = (x.abs_diff(y), n);
    if a == 0 {
        return 0;
    }
    a >>= a.trailing_zeros();
    let mut rounds = 0;
    while a != b {
        let difference = a.abs_diff(b);
        b = a.min(b);
        a = difference >> difference.trailing_zeros();
        rounds += 1;
    }
    rounds
}

/// A warp has as many rounds as its slowest lane, and counts those that have work: against runners
/// taken one by one, in Montgomery's form as the kernel has them.
#[test]
fn active_lanes_are_counted() {
    let (n, threads, blocks) = (455_459u64, 35u64, 2);
    let enter = |x: u64| ((u128::from(x) << 64) % u128::from(n)) as u64;
    let inverse = (0..64).fold(1u128, |power, _| {
        // 1/2 modulo n, to the 64th.
        power * u128::from(n.div_ceil(2)) % u128::from(n)
    });
    let next = |x: u64, c: u64| {
        let square = u128::from(x) * u128::from(x) % u128::from(n) * inverse % u128::from(n);
        ((square + u128::from(c)) % u128::from(n)) as u64
    };
    let shape = RunnerGrid::new(blocks, threads as u32);
    let found = by_definition(n, Start::Numbered, shape.runners()).unwrap();
    // A launch goes on to its end for all runners that have nothing yet.
    let steps = found.iterations.next_multiple_of(shape.steps.into());
    let (mut warp_steps, mut step_lanes, mut gcd_rounds, mut gcd_lanes) = (0, 0, 0, 0);
    for block in 0..u64::from(blocks) {
        for lanes in [0..32, 32..threads] {
            let mut runners: Vec<_> = lanes
                .map(|lane| enter(block * threads + lane + 1))
                .map(|c| (c, c, c))
                .collect();
            for _ in 0..steps {
                if runners.is_empty() {
                    break;
                }
                let rounds = runners.iter_mut().map(|(x, y, c)| {
                    (*x, *y) = (next(*x, *c), next(next(*y, *c), *c));
                    rounds_of_gcd(*x, *y, n)
                });
                let rounds: Vec<u64> = rounds.collect();
                warp_steps += 1;
                step_lanes += rounds.len() as u64;
                gcd_rounds += rounds.iter().max().unwrap();
                gcd_lanes += rounds.iter().sum::<u64>();
                let natural = Natural::from(n);
                let common =
                    |x: u64, y: u64| Natural::from(x.abs_diff(y)).gcd(&natural) == Natural::ONE;
                runners.retain(|(x, y, _)| x != y && common(*x, *y));
            }
        }
    }
    for engine in Engine::usable() {
        let run = || activity(&Natural::from(n), Variant::First, shape, &|| true);
        let counted = engine.scope(run).unwrap();
        assert_eq!(counted.is_none(), engine == Engine::Cpu);
        if let Some(counted) = counted {
            let all = (
                counted.warp_steps,
                counted.step_lanes,
                counted.gcd_rounds,
                counted.gcd_lanes,
            );
            assert_eq!(all, (warp_steps, step_lanes, gcd_rounds, gcd_lanes));
            assert!(counted.resident_runners > 0);
            assert!((0.0..=1.0).contains(&counted.gcd_efficiency()));
            assert!((0.0..=1.0).contains(&counted.step_efficiency()));
        }
    }
    let wide = (Natural::ONE << 89) - Natural::ONE;
    let device = Engine::usable().into_iter().find(|e| *e != Engine::Cpu);
    if let Some(engine) = device {
        let run = || activity(&wide, Variant::First, shape, &|| true);
        assert!(engine.scope(run).is_err());
    }
}

#[test]
fn primes_and_trivial_numbers() {
    let shape = RunnerGrid::new(1, 4);
    everywhere(|engine| {
        for variant in [Variant::First, Variant::Second] {
            let run = |n: u64| {
                let found = rho_in_shape(&Natural::from(n), variant, shape, &|| true);
                found.map(|found| found.map(|found| found.factor))
            };
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
    let shape = RunnerGrid::new(2, 4);
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
                let found = found.unwrap().unwrap().factor;
                assert_eq!(found, Natural::from(factor), "{engine} {n}");
            }
        }
    }
}
