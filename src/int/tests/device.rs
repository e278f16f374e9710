use std::hash::{BuildHasher, RandomState};

use super::tunings;
use crate::cuda::{device, device_count};
use crate::engine::{EXECUTOR, Engine};
use crate::int::Int;

/// Values that only a device holds look the same from outside.
#[test]
fn values_on_a_device() {
    for n in [EXECUTOR].into_iter().chain(0..device_count().min(1)) {
        if let Err(reason) = device(n) {
            println!("not run on {}: {reason}", Engine::Cuda(n));
            continue;
        }
        tunings(|| {
            let a = Int::from_sign_limbs(true, vec![0x0123_4567_89ab_cdef; 2000]);
            let expected = &a + 1;
            a.to_device(n);
            assert!(a.is_on_device() && a.is_on_host());

            let there = || Engine::Cuda(n).scope(|| a.try_add_small(1)).unwrap();
            let b = there();
            assert!(b.is_on_device() && !b.is_on_host());
            assert!(format!("{b:?}").contains("on a device"));
            assert_eq!(b.bit_length(), expected.bit_length());
            assert_eq!(b.signum(), -1);
            assert!(!b.is_on_host(), "a question about its size fetched it");
            assert_eq!(b, expected);
            assert_eq!(b.to_string(), expected.to_string());
            assert!(b.is_on_host());

            let hasher = RandomState::new();
            assert_eq!(hasher.hash_one(there()), hasher.hash_one(&expected));
            assert_eq!(there().limbs(), expected.limbs());
            assert_eq!(there().into_limbs(), expected.limbs());
            assert_eq!(there() * 3, &expected * 3);
            assert_eq!(there().gcd(&expected), expected.abs());
            let c = there();
            c.drop_device();
            assert!(!c.is_on_device() && c.is_on_host());
            assert_eq!(c, expected);
        });
    }
}
