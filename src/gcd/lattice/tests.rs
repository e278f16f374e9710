//! Every engine and both tunings against the host library's gcd.

use std::cell::Cell;

use malachite_base::num::arithmetic::traits::Gcd;
use malachite_base::num::basic::traits::{One, Zero};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::{EXECUTOR, Engine};
use crate::error::Error;
use crate::modp::primes;
use crate::tests::support;

thread_local! {
    /// A fault to come: in which step, which word of which entry is off by one.
    static FAULT: Cell<Option<(u64, usize, usize)>> = const { Cell::new(None) };
    /// A block, the first residue of which is off by one.
    static FAULT_IN_BLOCK: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The step as the leader tells it: as it is, or with the fault of this test.
pub(super) fn faulty(number: u64, step: Step) -> Step {
    match FAULT.get() {
        Some((at, word, entry)) if at == number => {
            let mut words = step.words().to_vec();
            let last = words.len() - 1;
            words[word.min(last)][entry] ^= 1;
            Step::from_words(words, step.signs())
        }
        _ => step,
    }
}

/// The residues of a block as the leader takes them: as they are, or with the fault of this test.
pub(super) fn faulty_residue(block: usize, u: &mut [u32]) {
    if FAULT_IN_BLOCK.get() == Some(block) {
        u[0] ^= 1;
    }
}

type Random = Xoshiro256PlusPlus;

fn random(bits: u64, rng: &mut impl Rng) -> Natural {
    if bits == 0 {
        return Natural::ZERO;
    }
    let limbs = (0..bits.div_ceil(64)).map(|_| rng.random()).collect();
    let low = Natural::from_owned_limbs_asc(limbs) >> (bits.div_ceil(64) * 64 - bits);
    low | (Natural::ONE << (bits - 1))
}

fn limbs(x: &Natural) -> Resident {
    Resident::from(Integer::from(x))
}

fn check(a: &Natural, b: &Natural, what: &str) -> Stats {
    let (g, stats) = gcd(&limbs(a), &limbs(b), &|_| Ok(())).unwrap();
    let expected = Integer::from(a.gcd(b));
    let on = Engine::current();
    assert!(*g.host().unwrap() == expected, "{what}: {stats:?} on {on}");
    stats
}

/// `test` on every engine under both tunings, with a source of randomness and a scale for lengths:
/// the executor is slow.
fn everywhere(test: impl Fn(&mut Random, u64)) {
    support::everywhere(|engine| {
        let scale = if engine == Engine::Cuda(EXECUTOR) {
            1
        } else {
            4
        };
        test(&mut Random::seed_from_u64(42), scale);
    });
}

#[test]
fn random_pairs() {
    everywhere(|rng, scale| {
        for bits in [1, 2, 31, 64, 65, 700, 2000 * scale, 10000 * scale] {
            let (a, b) = (random(bits, rng), random(bits, rng));
            let stats = check(&a, &b, "random");
            assert_eq!(stats.retries, Some(0));
            check(&b, &(a + Natural::ONE), "random and one more");
        }
    });
}

#[test]
fn special_pairs() {
    everywhere(|rng, scale| {
        let n = 600 * scale;
        let (a, one) = (random(n, rng), Natural::ONE);
        check(&a, &a, "equal");
        check(&a, &Natural::ZERO, "zero");
        check(&Natural::ZERO, &a, "zero first");
        check(&a, &one, "one");
        check(&one, &one, "ones");
        check(&(&a * random(n, rng)), &a, "one divides the other");
        check(&random(20 * n, rng), &random(64, rng), "unbalanced");
        check(
            &random(64, rng),
            &random(20 * n, rng),
            "unbalanced, the short one first",
        );
        check(&(&one << n), &(&one << (n + 77)), "powers of two");
        check(&(&one << n), &a, "a power of two");
        let mersenne = |bits: u64| (Natural::ONE << bits) - Natural::ONE;
        check(&mersenne(n), &mersenne(n * 2 / 3), "Mersenne numbers");
        check(&mersenne(n), &mersenne(n), "all ones");
        check(&((&one << n) + &one), &((&one << (n - 1)) + &one), "sparse");
        for (g, what) in [(1, "coprime"), (n / 2, "half"), (n - 40, "nearly all")] {
            let planted = random(g, rng);
            let (x, y) = (random(n - g + 1, rng), random(n - g + 1, rng));
            check(
                &(&planted * x),
                &(&planted * y),
                &format!("planted: {what}"),
            );
        }
        let (mut f, mut next) = (Natural::ZERO, Natural::ONE);
        for _ in 0..n {
            (f, next) = (next.clone(), f + next);
        }
        check(&next, &f, "Fibonacci numbers");
        check(&(&next * &a), &(&f * &a), "multiples of Fibonacci numbers");
    });
}

#[test]
fn signs() {
    for engine in Engine::usable() {
        engine.scope(|| {
            for (a, b) in [(-12, 18), (12, -18), (-12, -18), (-7, 0), (0, -7), (0, 0)] {
                let [x, y] = [a, b].map(|n: i64| Resident::from(Integer::from(n)));
                let expected = Integer::from(a.unsigned_abs().gcd(b.unsigned_abs()));
                assert!(
                    *gcd(&x, &y, &|_| Ok(())).unwrap().0.host().unwrap() == expected,
                    "{a} {b}"
                );
            }
        });
    }
}

#[test]
fn multiples_of_the_moduli() {
    everywhere(|rng, scale| {
        let q: Vec<Natural> = primes::largest(MODULUS_BITS, 400)
            .iter()
            .map(|q| Natural::from(*q))
            .collect();
        let product = |range: std::ops::Range<usize>| -> Natural { q[range].iter().product() };
        let n = 15 * scale as usize;
        let few = |rng: &mut Random| random(200, rng);
        let (all, even, odd) = (
            product(0..n),
            q[..n].iter().step_by(2).product::<Natural>(),
            q[1..n].iter().step_by(2).product::<Natural>(),
        );
        check(&all, &few(rng), "the moduli");
        check(&few(rng), &all, "the moduli as the shorter one");
        check(
            &all,
            &random(31 * n as u64 - 3, rng),
            "the moduli and another as long",
        );
        check(&all, &all, "the moduli twice");
        check(
            &(&all * few(rng)),
            &(&all * few(rng)),
            "multiples of the moduli",
        );
        check(&(&even * few(rng)), &(&odd * few(rng)), "every other one");
        check(
            &(&even * few(rng)),
            &(&all * few(rng)),
            "half of them common",
        );
        check(&product(0..n / 2), &product(n / 3..n), "overlapping");
        check(&(&q[0] * &q[0] * &q[0]), &(&q[0] * &q[1]), "powers");
        check(&(&all * &all), &(&even * few(rng)), "squares");
        check(&(product(0..3) + &q[3]), &product(0..3), "small remainders");
        for q in &q[..8] {
            check(&(few(rng) * q), &(few(rng) * q), "one modulus");
            check(&few(rng), &(few(rng) * q), "a modulus divides the second");
            check(&(few(rng) * q), &few(rng), "a modulus divides the first");
        }
    });
}

#[test]
fn small_pairs() {
    for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
        tuning.scope(|| {
            Engine::Cpu.scope(|| {
                for a in 0..50u32 {
                    for b in 0..50u32 {
                        check(&Natural::from(a), &Natural::from(b), &format!("{a} {b}"));
                    }
                }
            })
        });
    }
}

#[test]
fn shapes_of_blocks() {
    let mut rng = Random::seed_from_u64(9);
    for engine in Engine::usable() {
        for (lattice_block, lattice_ahead) in
            [(1, 0), (1, 3), (2, 1), (16, 0), (33, 4), (128, 1), (999, 2)]
        {
            let tuning = Tuning {
                lattice_block,
                lattice_ahead,
                ..Tuning::MINIMAL
            };
            tuning.scope(|| {
                engine.scope(|| {
                    let g = random(300, &mut rng);
                    let (a, b) = (random(2000, &mut rng) * &g, random(1500, &mut rng) * g);
                    check(
                        &a,
                        &b,
                        &format!("blocks of {lattice_block}, {lattice_ahead} ahead"),
                    );
                })
            });
        }
    }
}

#[test]
fn lengths_around_blocks() {
    let mut rng = Random::seed_from_u64(10);
    Engine::Cpu.scope(|| {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| {
                for blocks in [1, 2, 3] {
                    let bits = 31 * blocks * tuning.lattice_block as u64;
                    for n in [
                        bits / 2 - 1,
                        bits / 2,
                        bits / 2 + 1,
                        bits - 1,
                        bits,
                        bits + 1,
                    ] {
                        check(
                            &random(n, &mut rng),
                            &random(n, &mut rng),
                            &format!("{n} bits"),
                        );
                    }
                }
            });
        }
    });
}

/// Every step takes as many bits off as the plan counts on.
#[test]
fn progress() {
    let mut rng = Random::seed_from_u64(11);
    Engine::Cpu.scope(|| {
        for (k, bits) in [(2, 3000), (16, 20000), (64, 60000)] {
            let tuning = Tuning {
                lattice_block: k,
                ..Tuning::DEFAULT
            };
            tuning.scope(|| {
                let stats = check(&random(bits, &mut rng), &random(bits, &mut rng), "progress");
                let most = (2.0 * bits as f64 / (30.99 * k as f64 - 1.25)).ceil() as u64;
                assert!(stats.iterations <= Some(most + 1), "{stats:?}");
            });
        }
    });
}

/// A wrong bit in a step, which makes the residues wrong too, never gives an answer.
#[test]
fn faults_are_found() {
    let mut rng = Random::seed_from_u64(12);
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            for (at, word, entry) in [(0, 0, 0), (0, 1, 1), (1, 0, 2), (2, 9, 3)] {
                let (a, b) = (random(6000, &mut rng), random(6000, &mut rng));
                FAULT.set(Some((at, word, entry)));
                let found =
                    tuning.scope(|| engine.scope(|| gcd(&limbs(&a), &limbs(&b), &|_| Ok(()))));
                FAULT.set(None);
                assert!(
                    matches!(found, Err(Error::Verification(_))),
                    "{engine} {at} {word} {entry}"
                );
            }
            let (a, b) = (random(6000, &mut rng), random(6000, &mut rng));
            FAULT_IN_BLOCK.set(Some(1));
            let found = tuning.scope(|| engine.scope(|| gcd(&limbs(&a), &limbs(&b), &|_| Ok(()))));
            FAULT_IN_BLOCK.set(None);
            assert!(
                matches!(found, Err(Error::Verification(_))),
                "{engine}: a residue"
            );
        }
    }
}
