//! Weber's algorithm on every engine against the host's.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use malachite_base::num::arithmetic::traits::{DivisibleBy, Gcd};
use malachite_base::num::logic::traits::{BitConvertible, SignificantBits};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::variant::{Meeting, Variant};
use super::*;
use crate::engine::Engine;
use crate::modp::primes;
use crate::tests::support::everywhere;

fn random(bits: u64, rng: &mut Xoshiro256PlusPlus) -> Integer {
    let mut list: Vec<bool> = (0..bits).map(|_| rng.random()).collect();
    if let Some(top) = list.last_mut() {
        *top = true;
    }
    Natural::from_bits_asc(list.into_iter()).into()
}

fn product(factors: &[u32]) -> Integer {
    factors.iter().map(|p| Integer::from(*p)).product()
}

fn check(a: &Integer, b: &Integer, options: Options, what: &str) -> Stats {
    let (g, stats) = gcd(&a.clone().into(), &b.clone().into(), options).unwrap();
    let expected = Integer::from(a.unsigned_abs_ref().gcd(b.unsigned_abs_ref()));
    assert_eq!(*g.host().unwrap(), expected, "{what}");
    stats
}

const ESTIMATED: Options = Options {
    bits: 32,
    count: Count::Estimated,
};

/// Pairs of every kind, of about `bits` bits.
fn pairs(bits: u64, rng: &mut Xoshiro256PlusPlus) -> Vec<(&'static str, Integer, Integer)> {
    let (a, b) = (random(bits, rng), random(bits, rng));
    let ones = |n: u64| (Integer::from(1) << n) - Integer::from(1);
    let planted = |share: u64, rng: &mut Xoshiro256PlusPlus| {
        let g = random((bits * share / 16).max(1), rng);
        let rest = (bits - bits * share / 16).max(1);
        (random(rest, rng) * &g, random(rest, rng) * &g)
    };
    let half = planted(8, rng);
    let most = planted(15, rng);
    let (mut old, mut new) = (Integer::from(0), Integer::from(1));
    while new.significant_bits() < bits {
        (old, new) = (new.clone(), old + &new);
    }
    vec![
        ("random", a.clone(), b.clone()),
        ("equal", a.clone(), a.clone()),
        ("zero", a.clone(), Integer::from(0)),
        ("one", a.clone(), Integer::from(1)),
        ("divides", &a * &b, b.clone()),
        ("unbalanced", a.clone(), random(bits / 10 + 1, rng)),
        ("planted half", half.0, half.1),
        ("planted most", most.0, most.1),
        ("fibonacci", new.clone(), old.clone()),
        (
            "fibonacci multiples",
            &new * Integer::from(12),
            &old * Integer::from(18),
        ),
        (
            "powers of two",
            Integer::from(1) << bits,
            Integer::from(1) << (bits / 2),
        ),
        ("mersenne", ones(bits), ones(bits / 2 + 1)),
        (
            "ones and sparse",
            ones(bits),
            (Integer::from(1) << bits) + Integer::from(1),
        ),
    ]
}

#[test]
fn pairs_of_all_kinds() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(21);
        let sizes: &[u64] = match engine {
            Engine::Cpu => &[1, 2, 31, 32, 33, 63, 64, 65, 300, 1000, 5000],
            _ => &[1, 32, 33, 65, 300, 900],
        };
        for bits in sizes {
            for (kind, a, b) in pairs(*bits, &mut rng) {
                check(&a, &b, ESTIMATED, &format!("{kind} {bits} {engine}"));
            }
        }
    });
}

#[test]
fn ten_thousand_small_pairs() {
    Engine::Cpu.scope(|| {
        for a in 1..=100 {
            for b in 1..=100 {
                check(&Integer::from(a), &Integer::from(b), ESTIMATED, "small");
            }
        }
    });
}

#[test]
fn moduli_of_every_size() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(22);
        for bits in [15, 16, 17, 20, 24, 31, 32, 33, 40, 41, 50, 61, 62, 63] {
            let (a, b) = (random(500, &mut rng), random(490, &mut rng));
            let options = Options {
                bits,
                count: Count::Estimated,
            };
            if (16..=62).contains(&bits) {
                let stats = check(&a, &b, options, &format!("{bits} {engine}"));
                assert_eq!(stats.modulus_bits, Some(bits));
            } else {
                assert!(gcd(&a.into(), &b.into(), options).is_err());
            }
        }
    });
}

#[test]
fn wide_moduli_on_pairs_of_all_kinds() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(30);
        for bits in [33, 40, 62] {
            let options = Options {
                bits,
                count: Count::Estimated,
            };
            for size in [1, 61, 62, 63, 64, 65, 700] {
                for (kind, a, b) in pairs(size, &mut rng) {
                    let what = format!("{kind} {size}, moduli of {bits} on {engine}");
                    check(&a, &b, options, &what);
                }
            }
            // Moduli that divide one number, and both.
            let list = primes::largest_wide(bits, 20);
            let product =
                |range: &[u64]| -> Integer { range.iter().map(|p| Integer::from(*p)).product() };
            let few = Options {
                bits,
                count: Count::Exactly(20),
            };
            let what = format!("moduli of {bits} on {engine}");
            let (low, high) = (product(&list[..12]), product(&list[8..20]));
            check(&low, &high, few, &what);
            check(&(&low * &high), &high, few, &what);
            check(&(&low + Integer::from(1)), &low, few, &what);
            let all = product(&list[..20]);
            let stats = check(
                &(&all * Integer::from(6)),
                &(&all * Integer::from(4)),
                few,
                &what,
            );
            assert!(stats.retries > Some(0), "{what}");
        }
    });
}

#[test]
fn engines_do_the_same_wide_steps() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
    let g = random(300, &mut rng);
    let (a, b) = (random(700, &mut rng) * &g, random(690, &mut rng) * &g);
    let (a, b) = (Resident::from(a), Resident::from(b));
    for bits in [33, 40, 41, 62] {
        // More than a multiprocessor of the executor holds at one modulus for each thread.
        for count in [Count::Estimated, Count::Exactly(3000)] {
            let moduli = Moduli::new(Options { bits, count }, 1000, 62).unwrap();
            let (u, v) = (a.host().unwrap(), b.host().unwrap());
            let expected = wide::cpu::run(u, v, &moduli);
            if bits <= 40 {
                assert_eq!(cpu::run(u, v, &moduli, None).0, expected, "{bits}");
            }
            everywhere(|engine| {
                let Engine::Cuda(n) = engine else { return };
                let device = crate::cuda::device(n).unwrap();
                let found = run_on(&device, &a, &b, &moduli).unwrap();
                assert_eq!(found, expected, "{engine} {bits} {count:?}");
            });
        }
    }
}

#[test]
fn the_worst_case_count_needs_no_second_try() {
    Engine::Cpu.scope(|| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(23);
        let options = Options {
            bits: 16,
            count: Count::Worst,
        };
        for (kind, a, b) in pairs(300, &mut rng) {
            let stats = check(&a, &b, options, kind);
            assert_eq!(stats.retries, Some(0), "{kind}");
        }
    });
}

#[test]
fn numbers_made_of_the_moduli() {
    everywhere(|engine| {
        let list = primes::largest(32, 60);
        let few = Options {
            bits: 32,
            count: Count::Exactly(20),
        };
        let (all, low, high) = (
            product(&list[..20]),
            product(&list[..12]),
            product(&list[8..20]),
        );
        let what = format!("{engine}");
        // Every modulus divides both: nothing is left to work with.
        let stats = check(
            &(&all * Integer::from(6)),
            &(&all * Integer::from(4)),
            few,
            &what,
        );
        assert!(stats.retries > Some(0));
        check(&all, &all, few, &what);
        check(&low, &high, few, &what);
        check(&(&low * &all), &high, few, &what);
        check(&low, &Integer::from(list[3]), few, &what);
        check(&(&low + Integer::from(1)), &low, few, &what);
        let squares = product(&list[..5]) * product(&list[..5]);
        check(&squares, &product(&list[2..9]), ESTIMATED, &what);
        check(&(&squares * &all), &(&squares * &high), ESTIMATED, &what);
    });
}

#[test]
fn too_few_moduli_are_found_out() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(24);
        for count in [1, 2, 5, 17, 30] {
            let g = random(200, &mut rng);
            let (a, b) = (random(300, &mut rng) * &g, random(300, &mut rng) * &g);
            let options = Options {
                bits: 32,
                count: Count::Exactly(count),
            };
            let stats = check(&a, &b, options, &format!("{count} {engine}"));
            assert!(stats.retries > Some(0));
        }
    });
}

#[test]
fn engines_do_the_same_steps() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(25);
    let (a, b) = (random(700, &mut rng), random(690, &mut rng));
    let g = random(300, &mut rng);
    let (a, b) = (Resident::from(&a * &g), Resident::from(&b * &g));
    for bits in [18, 32] {
        let options = Options {
            bits,
            count: Count::Estimated,
        };
        let moduli = Moduli::new(options, 1000, 32).unwrap();
        let expected = cpu::run(a.host().unwrap(), b.host().unwrap(), &moduli, None).0;
        everywhere(|engine| {
            let Engine::Cuda(n) = engine else { return };
            let device = crate::cuda::device(n).unwrap();
            let found = cuda::run(&a.on(&device).unwrap(), &b.on(&device).unwrap(), &moduli);
            assert_eq!(found.unwrap(), expected, "{engine} {bits}");
        });
    }
}

#[test]
fn variants_do_the_same_steps() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(28);
    let g = random(200, &mut rng);
    let (a, b) = (random(400, &mut rng) * &g, random(390, &mut rng) * &g);
    let (a, b) = (Resident::from(a), Resident::from(b));
    let all = Variant {
        meeting: Meeting::Barrier,
        quotients: true,
        early: false,
        patience: 0,
        resident: 3,
    };
    for bits in [17, 31, 32] {
        let options = Options {
            bits,
            count: Count::Estimated,
        };
        let moduli = Moduli::new(options, 600, 32).unwrap();
        let expected = cpu::run(a.host().unwrap(), b.host().unwrap(), &moduli, None).0;
        everywhere(|engine| {
            let Engine::Cuda(n) = engine else { return };
            let device = crate::cuda::device(n).unwrap();
            let [u, v] = [&a, &b].map(|x| x.on(&device).unwrap());
            // Every kernel is compiled for each number of bits.
            let some = match bits {
                32 => &Variant::ALL[..],
                _ => &[],
            };
            for (name, variant) in some.iter().copied().chain([("all", all)]) {
                let found = cuda::run_by(&u, &v, &moduli, variant).unwrap();
                if variant.patience == 0 {
                    assert_eq!(found, expected, "{name} {bits} {engine}");
                } else {
                    assert!(
                        plan::proved([600, 590], &found, &moduli).is_some(),
                        "{name}"
                    );
                }
            }
        });
    }
}

// With a patience of 1 hardly an inverse is in time, so that most meetings are held twice.
#[test]
fn meetings_that_do_not_wait_find_the_same_gcd() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(29);
    for bits in [20, 300, 900] {
        for (what, a, b) in pairs(bits, &mut rng) {
            let (a, b) = if a < b { (b, a) } else { (a, b) };
            if b == 0 {
                continue;
            }
            let expected = Integer::from(a.unsigned_abs_ref().gcd(b.unsigned_abs_ref()));
            everywhere(|engine| {
                let Engine::Cuda(_) = engine else { return };
                for patience in [1, 3, 6] {
                    let variant = Variant {
                        patience,
                        ..Variant::default()
                    };
                    let [u, v] = [&a, &b].map(|x| Resident::from(x.clone()));
                    let (g, _) = variant::gcd_by(&u, &v, Options::default(), variant).unwrap();
                    let what = format!("{what} {bits} {patience} {engine}");
                    assert_eq!(*g.host().unwrap(), expected, "{what}");
                }
            });
        }
    }
}

#[test]
fn a_thread_may_hold_a_thousand_moduli() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(29);
    let (a, b) = (random(150, &mut rng), random(140, &mut rng));
    let (a, b) = (Resident::from(a), Resident::from(b));
    let options = Options {
        bits: 32,
        count: Count::Exactly(70_000),
    };
    let moduli = Moduli::new(options, 150, 32).unwrap();
    let expected = cpu::run(a.host().unwrap(), b.host().unwrap(), &moduli, None).0;
    everywhere(|engine| {
        let Engine::Cuda(n) = engine else { return };
        let device = crate::cuda::device(n).unwrap();
        let found = cuda::run(&a.on(&device).unwrap(), &b.on(&device).unwrap(), &moduli);
        assert_eq!(found.unwrap(), expected, "{engine}");
    });
}

#[test]
fn what_a_device_holds_runs_on_it() {
    // 7.27 million moduli for 50 million bits, and 98 million for 777 million (section 5).
    let near = |x: u64, y: f64| (x as f64 / y - 1.0).abs() < 0.01;
    assert!(near(plan::most_bits(ESTIMATED, 7_274_000), 50e6));
    assert!(near(plan::most_bits(ESTIMATED, 98_182_656), 777e6));
    // As many as the steps use up.
    let usual = Options::default();
    assert!(near(plan::most_bits(usual, 98_182_656), 1546e6));
    for (options, moduli) in [
        (ESTIMATED, 100),
        (ESTIMATED, 1 << 20),
        (usual, 12_345),
        (usual, 1 << 20),
    ] {
        let most = plan::most_bits(options, moduli);
        let wanted = |bits| plan::wanted(options, bits);
        assert!(wanted(most) <= moduli && wanted(most + 1) > moduli);
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(34);
    let (a, b) = (random(90, &mut rng), random(80, &mut rng));
    everywhere(|engine| {
        let Engine::Cuda(n) = engine else { return };
        let device = crate::cuda::device(n).unwrap();
        // Each is compiled, so that all would take long.
        for items in [1, 2] {
            let held = cuda::capacity(&device, items).unwrap();
            let threads = u64::from(held.block) * u64::from(held.blocks);
            assert_eq!(held.moduli, u64::from(items) * threads);
            let options = Options {
                bits: 32,
                count: Count::Exactly(held.moduli as usize),
            };
            let stats = check(&a, &b, options, &format!("{held:?} {engine}"));
            assert_eq!(stats.moduli, Some(held.moduli));
        }
    });
}

/// Threads that hold a part of the moduli each.
struct Threads<'a> {
    place: usize,
    words: &'a [AtomicU64],
    barrier: &'a Barrier,
}

impl Holders for Threads<'_> {
    fn count(&self) -> usize {
        self.words.len()
    }

    fn place(&self) -> usize {
        self.place
    }

    fn least(&self, word: u64) -> u64 {
        self.words[self.place].store(word, Ordering::Relaxed);
        self.barrier.wait();
        let all = self.words.iter().map(|word| word.load(Ordering::Relaxed));
        let least = all.min().unwrap();
        self.barrier.wait();
        least
    }
}

#[test]
fn holders_on_devices_and_on_the_cpu_do_the_same_steps() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(32);
    let g = random(150, &mut rng);
    let (a, b) = (random(500, &mut rng) * &g, random(480, &mut rng) * &g);
    let (a, b) = (Resident::from(a), Resident::from(b));
    let (u, v) = (a.host().unwrap(), b.host().unwrap());
    // The last of seven holders has none of 180 moduli.
    for (count, holders) in [(400, 1), (400, 3), (180, 7)] {
        let count = Count::Exactly(count);
        let moduli = Moduli::new(Options { bits: 32, count }, 650, 32).unwrap();
        let expected = cpu::run(u, v, &moduli, None).0;
        for engine in Engine::usable() {
            let words: Vec<AtomicU64> = (0..holders).map(|_| AtomicU64::new(0)).collect();
            let barrier = Barrier::new(holders);
            std::thread::scope(|scope| {
                for place in 0..holders {
                    let (a, b, moduli, expected) = (&a, &b, &moduli, &expected);
                    let (words, barrier) = (&words[..], &barrier);
                    scope.spawn(move || {
                        let own = Threads {
                            place,
                            words,
                            barrier,
                        };
                        // Every third is on the CPU.
                        let found = match engine {
                            Engine::Cuda(n) if place % 3 != 2 => {
                                let device = crate::cuda::device(n).unwrap();
                                let [u, v] = [a, b].map(|x| x.on(&device).unwrap());
                                part::run_shared(&u, &v, moduli, &own).unwrap()
                            }
                            _ => {
                                cpu::run_shared(a.host().unwrap(), b.host().unwrap(), moduli, &own)
                            }
                        };
                        assert_eq!(found, *expected, "{place} of {holders} on {engine}");
                    });
                }
            });
        }
    }
}

#[test]
fn shared_gcds_on_every_engine() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(33);
        for (kind, a, b) in pairs(200, &mut rng) {
            let (a, b) = if a < b { (b, a) } else { (a, b) };
            let expected = Integer::from(a.unsigned_abs_ref().gcd(b.unsigned_abs_ref()));
            let (g, _) = gcd_shared(&a.into(), &b.into(), &OneProcess).unwrap();
            assert_eq!(*g.host().unwrap(), expected, "{kind} {engine}");
        }
    });
}

#[test]
fn steps_as_in_the_paper() {
    // Weber–Trevisan–Martins, Fig. 5: 2^13 moduli of 32 bits, numbers of 2^12 bits: 280.8 steps,
    // 17.68 bits of b.
    Engine::Cpu.scope(|| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(26);
        let options = Options {
            bits: 32,
            count: Count::Exactly(1 << 13),
        };
        let (mut steps, mut bits) = (0.0, 0.0);
        for _ in 0..4 {
            let (a, b) = (random(4096, &mut rng), random(4096, &mut rng));
            let stats = check(&a, &b, options, "paper");
            steps += stats.iterations.unwrap() as f64 / 4.0;
            bits += stats.average_b_bits.unwrap() / 4.0;
        }
        assert!((steps / 280.8 - 1.0).abs() < 0.01, "{steps}");
        assert!((bits - 17.68).abs() < 0.15, "{bits}");
    });
}

/// Whether what came out of a faulty run is found out: by the proof, or by a division.
fn found_out(run: &Run, moduli: &Moduli, a: &Integer, b: &Integer) -> bool {
    let bits = [a, b].map(|x| x.significant_bits());
    let Some(most) = plan::proved(bits, run, moduli) else {
        return true;
    };
    let Ok((g, _)) = finish(run, moduli, most, 0) else {
        return true;
    };
    let g = Integer::from(g.into_host().unwrap());
    g == 0 || !a.divisible_by(&g) || !b.divisible_by(&g)
}

#[test]
fn a_fault_in_a_residue_is_found_out() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(27);
    let g = random(100, &mut rng);
    let (a, b) = (random(400, &mut rng) * &g, random(400, &mut rng) * &g);
    let moduli = Moduli::new(ESTIMATED, 500, 32).unwrap();
    assert!(!found_out(
        &cpu::run(&(&a).into(), &(&b).into(), &moduli, None).0,
        &moduli,
        &a,
        &b
    ));
    for lane in [0, 7, 31] {
        let mut chunks = cpu::begin(&(&a).into(), &(&b).into(), &moduli, &OneProcess);
        chunks[1].t[lane] += 1.0;
        let run = cpu::reduce(&mut chunks, None, &OneProcess).0;
        assert!(found_out(&run, &moduli, &a, &b), "lane {lane}");
    }
    everywhere(|engine| {
        let Engine::Cuda(n) = engine else { return };
        let device = crate::cuda::device(n).unwrap();
        let [u, v] = [&a, &b].map(|x| Resident::from(x.clone()).on(&device).unwrap());
        let primes = crate::modp::cuda::primes_on(&device, 32, moduli.len()).unwrap();
        let residues = crate::modp::cuda::residues(&u, &v, &primes, moduli.len()).unwrap();
        let mut words = vec![0; residues.limbs()];
        device.download(&residues, 0, &mut words).unwrap();
        for at in [0, words.len() / 2, words.len() - 1] {
            let mut faulty = words.clone();
            faulty[at] ^= 1 << 7;
            device.upload_into(&residues, 0, &faulty).unwrap();
            let run = cuda::reduce(&device, &residues, &moduli, Variant::default()).unwrap();
            assert!(found_out(&run, &moduli, &a, &b), "word {at} on {engine}");
        }
    });
}
