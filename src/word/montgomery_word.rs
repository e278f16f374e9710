//! Montgomery arithmetic modulo an odd number of one word (64 bits) or two (128 bits).
//!
//! R is 2^64 or 2^128. A residue x is kept as x·R mod n, below n. A product is reduced by
//! subtraction: with m = (ab mod R)·n⁻¹ mod R the low halves of ab and mn agree, so ab/R ≡ ⌊ab/R⌋ −
//! ⌊mn/R⌋, which lies between −n and n. One factor may be any word: ab < nR is all that is needed.

/// n⁻¹ modulo 2^64, for odd n.
#[inline]
pub(crate) const fn inverse_64(n: u64) -> u64 {
    // n·(3n xor 2) ≡ 1 modulo 32. Each step doubles the number of right bits.
    let mut inverse = n.wrapping_mul(3) ^ 2;
    let mut step = 0;
    while step < 4 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// n⁻¹ modulo 2^128, for odd n.
#[inline]
pub(crate) const fn inverse_128(n: u128) -> u128 {
    let inverse = inverse_64(n as u64) as u128;
    inverse.wrapping_mul(2u128.wrapping_sub(n.wrapping_mul(inverse)))
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

            #[inline(always)]
            pub(crate) fn modulus(&self) -> $word {
                self.n
            }

            /// n⁻¹ modulo R.
            #[inline(always)]
            pub(crate) fn inverse(&self) -> $word {
                self.inverse
            }

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

            #[inline(always)]
            pub(crate) fn add(&self, a: $word, b: $word) -> $word {
                self.sub(a, self.n - b)
            }

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

            /// a^exponent.
            pub(crate) fn power(&self, a: $word, exponent: $word) -> $word {
                let mut x = self.one;
                for i in (0..<$word>::BITS - exponent.leading_zeros()).rev() {
                    x = self.mul(x, x);
                    if exponent >> i & 1 == 1 {
                        x = self.mul(x, a);
                    }
                }
                x
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

modulus!(Word64, u64, inverse_64, mul_64);
modulus!(Word128, u128, inverse_128, mul_128);

#[cfg(test)]
#[path = "montgomery_word_tests.rs"]
mod tests;
