//! Shifts against products with a power of two, with the vectors and with their twins.

use super::*;
use crate::word::oracle::{SHAPES, generator, product, shaped};

#[test]
fn shifts() {
    let mut random = generator(20);
    for n in 0..40 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, n);
            for bits in [0, 1, 7, 32, 63] {
                let right = product(&a, &[1 << bits]);
                let mut out = vec![3; n];
                assert_eq!((shl(&mut out, &a, bits), &out[..]), (right[n], &right[..n]));
                let mut out = a.clone();
                assert_eq!(
                    (shl_assign(&mut out, bits), &out[..]),
                    (right[n], &right[..n])
                );
                // ⌊a·2^(64 − bits)/2^64⌋, and the limb below.
                let wide = product(&a, &[0, 1]);
                let wide = if bits == 0 {
                    wide
                } else {
                    product(&a, &[1 << (64 - bits), 0])
                };
                let (low, right) = (wide[0], &wide[1..=n]);
                let mut out = vec![3; n];
                assert_eq!((shr(&mut out, &a, bits), &out[..]), (low, right));
                let mut out = a.clone();
                assert_eq!((shr_assign(&mut out, bits), &out[..]), (low, right));
                let mut out = vec![3; n];
                assert_eq!((portable::shr(&mut out, &a, bits), &out[..]), (low, right));
                let mut out = a.clone();
                assert_eq!(
                    (portable::shr_assign(&mut out, bits), &out[..]),
                    (low, right)
                );
                let mut out = vec![3; n];
                let above = portable::shl(&mut out, &a, bits);
                let mut again = a.clone();
                assert_eq!(
                    (above, &out),
                    (portable::shl_assign(&mut again, bits), &again)
                );
                assert_eq!([&out[..], &[above]].concat(), product(&a, &[1 << bits]));
            }
        }
    }
}

/// Fields against shifts by whole limbs and by a part of one.
#[test]
fn fields() {
    let mut random = generator(21);
    let bit =
        |limbs: &[u64], at: usize| limbs.get(at / 64).is_some_and(|l| l >> (at % 64) & 1 == 1);
    for n in 0..7 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, n);
            for len in 0..5 {
                for from in [0, 1, 63, 64, 65, 127, 128, 200, 448, u64::MAX] {
                    let mut out = vec![3; len];
                    extract(&mut out, &a, from);
                    for at in 0..64 * len {
                        let there = from
                            .checked_add(at as u64)
                            .is_some_and(|place| bit(&a, place as usize));
                        assert_eq!(bit(&out, at), there, "{n} {len} {from} {at}");
                    }
                }
            }
            for from in [0, 1, 63, 64, 65, 130] {
                let mut out = vec![0; n + 4];
                out[0] = 1;
                insert(&mut out, &a, from);
                for at in 0..64 * (n + 4) {
                    let moved = at >= from as usize && bit(&a, at - from as usize);
                    assert_eq!(bit(&out, at), moved || at == 0, "{n} {from} {at}");
                }
            }
        }
    }
}
