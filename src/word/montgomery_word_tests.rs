//! One and two words against remainders from the definition.

use super::super::mul_oracle::{generator, product, remainder};
use super::*;
use rand_xoshiro::rand_core::Rng;

const SPECIAL: [u64; 6] = [
    3,
    5,
    (1 << 32) + 15,
    (1 << 63) + 29,
    u64::MAX - 58,
    u64::MAX,
];

#[test]
fn one_word() {
    let mut random = generator(18);
    let moduli = SPECIAL
        .into_iter()
        .chain((0..200).map(|i| generator(i).next_u64() >> (i % 62) | 3));
    for n in moduli {
        let ring = Word64::new(n);
        assert_eq!(n.wrapping_mul(ring.inverse()), 1);
        assert_eq!(ring.leave(ring.one()), 1 % n);
        let (a, b) = (random.next_u64(), random.next_u64());
        let (x, y) = (ring.enter(a), ring.enter(b));
        let wide = u128::from(n);
        let (a, b) = (u128::from(a) % wide, u128::from(b) % wide);
        assert_eq!(u128::from(ring.leave(ring.mul(x, y))), a * b % wide);
        assert_eq!(u128::from(ring.leave(ring.add(x, y))), (a + b) % wide);
        assert_eq!(
            u128::from(ring.leave(ring.sub(x, y))),
            (a + wide - b) % wide
        );
        assert_eq!(ring.add(ring.half(x), ring.half(x)), x);
        let cube = ring.mul(ring.mul(x, x), x);
        assert_eq!(ring.power(x, 3), cube);
        assert_eq!(ring.power(x, 0), ring.one());
        assert_eq!(ring.power(x, 7), ring.mul(ring.mul(cube, cube), x));
    }
}

#[test]
fn two_words() {
    let mut random = generator(19);
    let limbs = |x: u128| [x as u64, (x >> 64) as u64];
    let number = |x: &[u64]| u128::from(x[1]) << 64 | u128::from(x[0]);
    for i in 0..200 {
        let mut next = || u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
        let n = match i {
            0 => u128::MAX,
            1 => 3,
            2 => (1 << 64) + 13,
            3 => (1 << 127) + 29,
            _ => next() >> (i % 126) | 3,
        };
        let ring = Word128::new(n);
        assert_eq!(n.wrapping_mul(ring.inverse()), 1);
        let (a, b) = (next(), next());
        let (x, y) = (ring.enter(a), ring.enter(b));
        let m = limbs(n);
        let m = if m[1] == 0 { &m[..1] } else { &m[..] };
        let rest = |x: &[u64]| {
            let mut rest = remainder(x, m);
            rest.resize(2, 0);
            number(&rest)
        };
        assert_eq!(
            ring.leave(ring.mul(x, y)),
            rest(&product(&limbs(a), &limbs(b)))
        );
        assert_eq!(ring.leave(x), a % n);
        let (low, high) = wide_128(a, b);
        assert_eq!(
            [limbs(low), limbs(high)].concat(),
            product(&limbs(a), &limbs(b))
        );
        let sum = ring.add(x, y);
        assert_eq!(ring.sub(sum, y), x);
        assert_eq!(ring.add(ring.half(x), ring.half(x)), x);
        assert_eq!(
            ring.power(x, 5),
            ring.mul(ring.power(x, 2), ring.power(x, 3))
        );
    }
}
