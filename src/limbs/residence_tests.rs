//! Where values live: results stay on the device, nothing is copied in a chain, idle copies make
//! room, nothing is lost.

use std::sync::{Arc, Mutex};

use malachite_nz::integer::Integer;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::cuda::Device;
use crate::engine::EXECUTOR;
use crate::error::Error;
use crate::notice;
use crate::tests::support::random_limbs as random;

const LIMBS: usize = 4096;

/// A private executor with room for about `values` values of [`LIMBS`] limbs, or None if there is
/// no C++ compiler.
fn small_device(values: usize) -> Option<Arc<Device>> {
    Device::private(EXECUTOR, (values * (8 * LIMBS + 512) + 4096) as u64).ok()
}

#[test]
fn a_chain_of_operations_copies_nothing() {
    for engine in Engine::usable() {
        let Engine::Cuda(n) = engine else { continue };
        // The device of the process is shared with other tests, which copy; a private one is not.
        let device = Device::private(n, 1 << 30).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let (x, y) = (random(LIMBS, &mut rng), random(LIMBS, &mut rng));
        let (mut a, b) = (Resident::from(x.clone()), Resident::from(y.clone()));
        a.on(&device).unwrap();
        b.on(&device).unwrap();
        let before = device.traffic();
        let mut expected = x;
        for step in 0..100u64 {
            (a, expected) = match step % 7 {
                0 => (add(&a, &b).unwrap(), expected + &y),
                1 => (xor(&a, &b).unwrap(), expected ^ &y),
                2 => (shl(&a, step).unwrap(), expected << step),
                3 => (sub(&a, &b).unwrap(), expected - &y),
                4 => (shr(&a, step).unwrap(), expected >> step),
                5 => (not(&a).unwrap(), !expected),
                _ => (or(&a, &b).unwrap(), expected | &y),
            };
        }
        let after = device.traffic();
        assert_eq!(
            (before.uploaded, before.downloaded),
            (after.uploaded, after.downloaded),
            "{engine}"
        );
        assert_eq!(after.launches - before.launches, 100);
        assert!(!a.is_on_host());
        assert_eq!(a.host().unwrap(), &expected);
    }
}

#[test]
fn values_three_times_the_limit_are_all_kept() {
    let Some(device) = small_device(8) else {
        return;
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let values: Vec<Integer> = (0..24).map(|_| random(LIMBS, &mut rng)).collect();
    let numbers: Vec<Resident> = values.iter().cloned().map(Resident::from).collect();
    for number in &numbers {
        number.on(&device).unwrap();
    }
    // Results that only the device has, more than it can hold: the oldest move to the host.
    let sums: Vec<Resident> = (0..24)
        .map(|i| {
            let (a, b) = (&numbers[i], &numbers[(i + 1) % 24]);
            cuda::add(&a.on(&device).unwrap(), &b.on(&device).unwrap()).unwrap()
        })
        .collect();
    assert!(device.traffic().evictions > 20);
    assert!(device.memory_used() <= device.info().memory_limit);
    assert!(sums.iter().any(|sum| !sum.is_on_host()), "the newest stay");
    assert!(sums[0].is_on_host(), "the oldest went first");
    for i in (0..24).rev() {
        let expected = &values[i] + &values[(i + 1) % 24];
        // Once more on the device, from wherever the sum is now.
        let back = cuda::sub(
            &sums[i].on(&device).unwrap(),
            &numbers[(i + 1) % 24].on(&device).unwrap(),
        );
        assert_eq!(back.unwrap().host().unwrap(), &values[i]);
        assert_eq!(sums[i].host().unwrap(), &expected);
    }
}

#[test]
fn a_full_device_hands_over_to_the_cpu_only_under_auto() {
    let Some(device) = small_device(3) else {
        return;
    };
    static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    notice::set_listener(|text| HEARD.lock().unwrap().push(text.to_string()));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let (x, y) = (random(LIMBS, &mut rng), random(LIMBS, &mut rng));
    let (a, b) = (Resident::from(x.clone()), Resident::from(y.clone()));
    // Both operands and the result are in use at once: with one more held, there is no room.
    let held = (a.on(&device).unwrap(), b.on(&device).unwrap());
    let third = Resident::from(random(LIMBS - 20, &mut rng)).on(&device);
    assert!(third.is_ok());
    assert!(matches!(
        cuda::add(&held.0, &held.1),
        Err(Error::DeviceMemory { .. })
    ));
    let sum = Engine::Auto.scope(|| add(&a, &b)).unwrap();
    assert_eq!(sum.host().unwrap(), &(&x + &y));
    assert!(sum.is_on_host() && sum.device().is_none());
    assert!(
        HEARD
            .lock()
            .unwrap()
            .iter()
            .any(|text| text.contains("using the CPU"))
    );
    // Nothing was lost on the way, and with room again the device works on.
    drop(third);
    let sum = cuda::add(&held.0, &held.1).unwrap();
    assert_eq!(sum.host().unwrap(), &(x + y));
}

#[test]
fn threads_share_values_and_devices() {
    let Some(device) = small_device(12) else {
        return;
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let values: Vec<Integer> = (0..12).map(|_| random(LIMBS / 2, &mut rng)).collect();
    let numbers: Vec<Resident> = values.iter().cloned().map(Resident::from).collect();
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let (device, values, numbers) = (&device, &values, &numbers);
            scope.spawn(move || {
                for i in 0..20 {
                    let (j, k) = ((thread + i) % 12, (5 * thread + 3 * i) % 12);
                    let (a, b) = (
                        numbers[j].on(device).unwrap(),
                        numbers[k].on(device).unwrap(),
                    );
                    let sum = cuda::add(&a, &b).unwrap();
                    assert_eq!(sum.host().unwrap(), &(&values[j] + &values[k]));
                    let order = cuda::compare(&a, &b).unwrap();
                    assert_eq!(order, values[j].cmp(&values[k]));
                }
            });
        }
    });
}

#[test]
fn a_lost_device_takes_only_what_it_alone_had() {
    let Some(device) = small_device(8) else {
        return;
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let (x, y) = (random(LIMBS, &mut rng), random(LIMBS, &mut rng));
    let (a, b) = (Resident::from(x.clone()), Resident::from(y.clone()));
    a.on(&device).unwrap();
    b.on(&device).unwrap();
    let there = add(&a, &b).unwrap();
    assert!(!there.is_on_host());
    device.lose();
    let failed = |done: Result<Resident>| match done {
        Err(Error::Device { .. } | Error::Lost { .. }) => {}
        other => panic!("{:?}", other.map(|_| "a value")),
    };
    failed(a.on(&device).and_then(|a| cuda::add(&a, &b.on(&device)?)));
    Engine::Auto.scope(|| {
        // What has a copy on the host goes on there.
        assert_eq!(
            Integer::from(sub(&a, &b).unwrap().into_host().unwrap()),
            &x - &y
        );
        assert_eq!(Integer::from(a.host().unwrap().clone()), x);
        // What has none is gone, and the error says so.
        failed(add(&there, &b));
        let error = there.host().unwrap_err().to_string();
        let wanted = format!("a value of {} limbs that lay on", LIMBS + 1);
        assert!(
            error.starts_with(&wanted) && error.contains("alone is gone"),
            "{error}"
        );
    });
}
