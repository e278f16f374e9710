//! Half products against full ones from the definition, with the assembly and with its twins.

use super::super::mul_oracle::{SHAPES, generator, product, shaped, total};
use super::*;

/// Whether upper − high is in [0, n).
fn close(high: &[u64], upper: &[u64]) -> bool {
    let n = high.len();
    (0..n as u64).any(|e| total(high, &[e], n) == upper)
}

#[test]
fn halves() {
    let mut random = generator(12);
    for n in 1..=80 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, n);
            let b = shaped(&mut random, (shape + n % 2) % SHAPES, n);
            let right = product(&a, &b);
            for full in [1, FULL, 1000] {
                let mut out = vec![3; n];
                let mut scratch = vec![u64::MAX; half_scratch_with(full, n)];
                mul_low_with(full, &mut out, &a, &b, &mut scratch);
                assert_eq!(out, right[..n]);
                mul_high_with(full, &mut out, &a, &b, &mut scratch);
                assert!(close(&out, &right[n..]), "{n} limbs");
            }
            let mut out = vec![3; n];
            portable::mul_low(&mut out, &a, &b);
            assert_eq!(out, right[..n]);
            portable::mul_high(&mut out, &a, &b, &mut vec![0; n + 1]);
            assert!(close(&out, &right[n..]), "{n} limbs");
        }
    }
}
