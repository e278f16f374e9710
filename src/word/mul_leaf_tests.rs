//! Schoolbook products against the definition, with the assembly and with its twins.

use super::super::mul_oracle::{SHAPES, generator, product, shaped};
use super::*;

#[test]
fn products() {
    let mut random = generator(5);
    for n in 1..=40 {
        for m in 1..=40 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n);
                let b = shaped(&mut random, (shape + n % 2) % SHAPES, m);
                let right = product(&a, &b);
                let mut out = vec![5; n + m];
                mul(&mut out, &a, &b);
                assert_eq!(out, right);
                portable::mul(&mut out, &a, &b);
                assert_eq!(out, right);
                if let Some(leaves) = asm::leaves() {
                    out.fill(6);
                    leaves.mul(&mut out, &a, &b);
                    assert_eq!(out, right);
                }
            }
        }
    }
}

#[test]
fn squares() {
    let mut random = generator(6);
    for n in 1..=90 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, n);
            let right = product(&a, &a);
            let mut out = vec![5; 2 * n];
            square(&mut out, &a);
            assert_eq!(out, right);
            portable::square(&mut out, &a);
            assert_eq!(out, right);
            if let Some(leaves) = asm::leaves() {
                out.fill(6);
                leaves.square(&mut out, &a);
                assert_eq!(out, right);
            }
        }
    }
}

#[test]
fn unrolled() {
    let mut random = generator(7);
    for shape in 0..SHAPES * 20 {
        let a = shaped(&mut random, shape % SHAPES, 4);
        let b = shaped(&mut random, shape / SHAPES % SHAPES, 4);
        let mut out = [0; 8];
        fixed::<3>(&mut out[..6], &a[..3], &b[..3]);
        assert_eq!(&out[..6], product(&a[..3], &b[..3]));
        fixed::<4>(&mut out, &a, &b);
        assert_eq!(&out[..], product(&a, &b));
    }
}
