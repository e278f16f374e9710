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
