//! Montgomery arithmetic modulo an odd number of half a word (32 bits), one word or two (128 bits).
//!
//! R is 2^32, 2^64 or 2^128. A residue x is kept as x·R mod n, below n. A product is reduced by
//! subtraction: with m = (ab mod R)·n⁻¹ mod R the low halves of ab and mn agree, so ab/R ≡ ⌊ab/R⌋ −
//! ⌊mn/R⌋, which lies between −n and n. One factor may be any word: ab < nR is all that is needed.

use crate::word::{inverse_two_words, inverse_word};

/// x/2^32 modulo n, below n, for x < 2^32·n. `inverse` is n⁻¹ modulo 2^32.
#[inline(always)]
pub(crate) const fn reduce_32(x: u64, n: u32, inverse: u32) -> u32 {
    let m = (x as u32).wrapping_mul(inverse);
    let multiple = ((m as u64 * n as u64) >> 32) as u32;
    let (r, borrow) = ((x >> 32) as u32).overflowing_sub(multiple);
    if borrow { r.wrapping_add(n) } else { r }
}

/// x/2^64 modulo n, below n, for x < 2^64·n. `inverse` is n⁻¹ modulo 2^64.
#[inline(always)]
pub(crate) const fn reduce_64(x: u128, n: u64, inverse: u64) -> u64 {
    let m = (x as u64).wrapping_mul(inverse);
    let multiple = ((m as u128 * n as u128) >> 64) as u64;
    let (r, borrow) = ((x >> 64) as u64).overflowing_sub(multiple);
    if borrow { r.wrapping_add(n) } else { r }
}

/// (high·2^128 + low)/2^128 modulo n, below n, for high < n. `inverse` is n⁻¹ modulo 2^128.
#[inline(always)]
pub(crate) const fn reduce_128(low: u128, high: u128, n: u128, inverse: u128) -> u128 {
    let multiple = wide_128(low.wrapping_mul(inverse), n).1;
    let (r, borrow) = high.overflowing_sub(multiple);
    if borrow { r.wrapping_add(n) } else { r }
}

/// The product's low and high half.
#[inline(always)]
pub(crate) const fn wide_128(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a0, a1, b0, b1) = (a & LOW, a >> 64, b & LOW, b >> 64);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let other = a0 * b1 + (middle & LOW);
    (
        (other << 64) | (low & LOW),
        a1 * b1 + (middle >> 64) + (other >> 64),
    )
}

macro_rules! modulus {
    ($name:ident, $word:ty, $inverse:ident, $mul:expr) => {
        /// An odd modulus n > 1. Operands and results are residues in Montgomery form, below n,
        /// unless a function says otherwise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name {
            n: $word,
            /// n⁻¹ modulo R.
            inverse: $word,
            /// R modulo n.
            one: $word,
            /// R² modulo n.
            square: $word,
        }

        impl $name {
            /// The ring of residues modulo n, which is odd and above 1.
            pub(crate) fn new(n: $word) -> $name {
                assert!(n % 2 == 1 && n > 1);
                let one = (<$word>::MAX % n + 1) % n;
                let mut ring = $name {
                    n,
                    inverse: $inverse(n),
                    one,
                    square: 0,
                };
                // 2^(BITS/32)·R, squared five times: (2^k·R)²/R = 2^(2k)·R.
                let mut x = one;
                for _ in 0..<$word>::BITS / 32 {
                    x = ring.add(x, x);
                }
                for _ in 0..5 {
                    x = ring.mul(x, x);
                }
                ring.square = x;
                ring
            }

            /// n.
            #[inline(always)]
            pub(crate) fn modulus(&self) -> $word {
                self.n
            }

            /// n⁻¹ modulo R.
            #[cfg(test)]
            fn inverse(&self) -> $word {
                self.inverse
            }

            /// R modulo n: 1 in Montgomery form.
            #[inline(always)]
            pub(crate) fn one(&self) -> $word {
                self.one
            }

            /// R² mod n: the product with it brings a residue into Montgomery form.
            #[inline(always)]
            pub(crate) fn r_squared(&self) -> $word {
                self.square
            }

            /// ab/R modulo n. One of both may be any word.
            #[inline(always)]
            pub(crate) fn mul(&self, a: $word, b: $word) -> $word {
                $mul(a, b, self.n, self.inverse)
            }

            /// a + b modulo n, for a < n and b ≤ n.
            #[inline(always)]
            pub(crate) fn add(&self, a: $word, b: $word) -> $word {
                self.sub(a, self.n - b)
            }

            /// a − b modulo n, for a < n and b ≤ n; below n.
            #[inline(always)]
            pub(crate) fn sub(&self, a: $word, b: $word) -> $word {
                let (r, borrow) = a.overflowing_sub(b);
                if borrow { r.wrapping_add(self.n) } else { r }
            }

            /// a/2.
            #[inline(always)]
            pub(crate) fn half(&self, a: $word) -> $word {
                if a & 1 == 0 {
                    a >> 1
                } else {
                    (a >> 1) + (self.n >> 1) + 1
                }
            }

            /// Any word x in Montgomery form.
            #[inline(always)]
            pub(crate) fn enter(&self, x: $word) -> $word {
                self.mul(x, self.square)
            }

            /// The residue, below n, that a stands for.
            #[inline(always)]
            pub(crate) fn leave(&self, a: $word) -> $word {
                self.mul(a, 1)
            }

            /// Miller and Rabin's strong test of n to a base, which may be any word and is not in
            /// Montgomery form. A multiple of n passes.
            pub(crate) fn is_strong_probable_prime(&self, base: $word) -> bool {
                let minus_one = self.n - self.one;
                let base = self.enter(base);
                if base == 0 {
                    return true;
                }
                let twos = (self.n - 1).trailing_zeros();
                let exponent = self.n >> twos;
                let mut x = base;
                for bit in (0..exponent.ilog2()).rev() {
                    x = self.mul(x, x);
                    if exponent >> bit & 1 == 1 {
                        x = self.mul(x, base);
                    }
                }
                if x == self.one || x == minus_one {
                    return true;
                }
                (1..twos).any(|_| {
                    x = self.mul(x, x);
                    x == minus_one
                })
            }
        }
    };
}

#[inline(always)]
fn mul_64(a: u64, b: u64, n: u64, inverse: u64) -> u64 {
    reduce_64(u128::from(a) * u128::from(b), n, inverse)
}

#[inline(always)]
fn mul_128(a: u128, b: u128, n: u128, inverse: u128) -> u128 {
    let (low, high) = wide_128(a, b);
    reduce_128(low, high, n, inverse)
}

modulus!(Word64, u64, inverse_word, mul_64);
modulus!(Word128, u128, inverse_two_words, mul_128);

impl Word64 {
    /// a^exponent.
    pub(crate) fn power(&self, a: u64, exponent: u64) -> u64 {
        let mut x = self.one;
        for i in (0..64 - exponent.leading_zeros()).rev() {
            x = self.mul(x, x);
            if exponent >> i & 1 == 1 {
                x = self.mul(x, a);
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::oracle::{generator, product, remainder};
    use rand_xoshiro::rand_core::Rng;

    #[test]
    fn half_a_word() {
        let mut random = generator(20);
        for n in [3, 5, 0x7fff_ffff, 0x8000_0001, u32::MAX, 1_000_003] {
            let inverse = inverse_word(n.into()) as u32;
            assert_eq!(n.wrapping_mul(inverse), 1);
            for _ in 0..100 {
                let x = random.next_u64() % (u64::from(n) << 32);
                let r = reduce_32(x, n, inverse);
                assert!(r < n);
                assert_eq!((u64::from(r) << 32) % u64::from(n), x % u64::from(n));
            }
        }
    }

    #[test]
    fn strong_tests() {
        for n in (3..3000u64).step_by(2) {
            let is_prime = (3..n).take_while(|d| d * d <= n).all(|d| n % d != 0);
            let passes = |n: u64, base: u64| {
                let passes = Word64::new(n).is_strong_probable_prime(base);
                let wide = Word128::new(n.into()).is_strong_probable_prime(base.into());
                assert_eq!(passes, wide);
                passes
            };
            // 2047 = 23·89 is the least composite number that passes to base 2.
            let passes_both = passes(n, 2) && passes(n, 3);
            assert_eq!(passes_both, is_prime, "{n}");
            assert_eq!(passes(n, 2), is_prime || n == 2047, "{n}");
        }
    }

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
        }
    }
}
