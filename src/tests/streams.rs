//! Independent operations on several streams of a device.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::support::{everywhere, random_bits};
use crate::cuda;
use crate::engine::{Engine, concurrently};
use crate::int::Int;
use crate::tuning::Tuning;

fn random(bits: u64, rng: &mut Xoshiro256PlusPlus) -> Int {
    Int::from_limbs_slice(random_bits(bits, rng).limbs())
}

/// Values cross from the first stream to others, between others, and back; some are changed in
/// place or dropped while another stream may still read them.
#[test]
fn values_cross_streams() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(21);
        let shared = random(9_000, &mut rng);
        let numbers: Vec<Int> = (0..12).map(|i| random(500 + 700 * i, &mut rng)).collect();
        let expected: Vec<Int> = Engine::Cpu.scope(|| {
            let products = numbers.iter().map(|x| &shared * x + x);
            products.collect()
        });
        // An operand that the first stream has made, and that all others read.
        let made = &shared + Int::from(1) - Int::from(1);
        let products = concurrently(&numbers, |x| {
            let mut product = made.try_mul(x)?;
            product += x;
            Ok(product)
        });
        let products = products.unwrap();
        drop(made);
        assert!(products == expected, "{engine}");

        // What other streams have made, read by yet others and by the first.
        let products = concurrently(&numbers, |x| shared.try_mul(x)).unwrap();
        let places: Vec<usize> = (0..products.len()).collect();
        let sums = concurrently(&places, |i| {
            let (own, other) = (&products[*i], &products[(i + 1) % products.len()]);
            own.try_add(other)
        });
        let sums = sums.unwrap();
        let mut total = Int::from(0);
        for sum in &sums {
            total += sum;
        }
        let mut all = Int::from(0);
        for mut product in products {
            product += Int::from(1);
            all += &product;
        }
        let all = (all - Int::from(12)) * Int::from(2);
        Engine::Cpu.scope(|| {
            assert!(total == all, "{engine}");
            let expected = &shared * numbers.iter().sum::<Int>() * Int::from(2);
            assert!(total == expected, "{engine}");
        });
    });
}

#[test]
fn operations_of_many_steps_run_side_by_side() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(22);
        let pairs: Vec<(Int, Int)> = (1..=6)
            .map(|i| (random(4_000 * i, &mut rng), random(2_500 * i, &mut rng)))
            .collect();
        let work = |(a, b): &(Int, Int)| {
            let (quotient, remainder) = a.try_div_rem(b)?;
            Ok((quotient, remainder, a.try_gcd(b)?, a.to_string()))
        };
        let found = concurrently(&pairs, work).unwrap();
        let expected: crate::Result<Vec<_>> =
            Engine::Cpu.scope(|| pairs.iter().map(work).collect());
        assert!(found == expected.unwrap(), "{engine}");
    });
}

/// The first error wins, and nothing remains on the device.
#[test]
fn an_error_on_a_stream_is_an_error() {
    everywhere(|engine| {
        let numbers: Vec<Int> = (0..5)
            .map(|i| Int::from(3).pow(2_000) * Int::from(i))
            .collect();
        let divided = concurrently(&numbers, |x| numbers[1].try_div_rem(x));
        assert!(divided.is_err(), "{engine}");
        assert!(
            concurrently(&numbers[..0], |x| x.try_neg())
                .unwrap()
                .is_empty()
        );
    });
}

/// Streams share one limit, and make room for each other.
#[test]
fn streams_share_the_limit() {
    let Ok(device) = cuda::Device::private(crate::engine::EXECUTOR, 1 << 20) else {
        return;
    };
    let engine = Engine::Cuda(device.info().ordinal);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(23);
    let numbers: Vec<Int> = (0..60).map(|_| random(100_000, &mut rng)).collect();
    let expected: Vec<Int> =
        Engine::Cpu.scope(|| numbers.iter().map(|x| &numbers[0] + x).collect());
    Tuning::MINIMAL.scope(|| {
        engine.scope(|| {
            let sums = concurrently(&numbers, |x| numbers[0].try_add(x)).unwrap();
            assert!(device.traffic().evictions > 0);
            assert!(sums == expected);
            drop(sums);
        });
    });
    device.evict_all_idle().unwrap();
    device.synchronize().unwrap();
}
