//! Montgomery arithmetic modulo an odd number of one word (64 bits) or two (128 bits), for any modulus of that size.
//!
//! Residues are below n. A product is reduced by subtraction: with R = 2^64 or 2^128 and m = (ab mod R)·n⁻¹ mod R, the low halves of ab and mn
//! agree, so ab/R ≡ ⌊ab/R⌋ − ⌊mn/R⌋, which lies between −n and n. One factor may be any word: ab < nR is all that is needed.

/// Arithmetic modulo one odd n > 1. Words are residues in Montgomery form unless said otherwise.
pub(super) trait Ring: Copy {
    type Word: Copy + Eq + Default;
    fn modulus(&self) -> u128;
    fn one(&self) -> Self::Word;
    fn mul(&self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn add(&self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn sub(&self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// x/2.
    fn half(&self, a: Self::Word) -> Self::Word;
    /// x mod n in Montgomery form.
    fn residue(&self, x: u128) -> Self::Word;
    /// The inverse, or else the greatest common divisor with n, which is then above 1.
    fn invert(&self, a: Self::Word) -> Result<Self::Word, u128>;

    fn square(&self, a: Self::Word) -> Self::Word {
        self.mul(a, a)
    }

    /// The greatest common divisor with n; n itself for 0.
    fn gcd(&self, a: Self::Word) -> u128 {
        self.invert(a).err().unwrap_or(1)
    }
}

macro_rules! ring {
    ($name:ident, $word:ty, $bits:literal, $wide:ident, $high:ident) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name {
            n: $word,
            /// n⁻¹ mod R.
            inverse: $word,
            /// R mod n.
            one: $word,
            /// R² mod n.
            square: $word,
        }

        impl $name {
            /// n must be odd and above 1.
            pub(super) fn new(n: $word) -> $name {
                debug_assert!(n % 2 == 1 && n > 1);
                // Five bits are right at first (n·(3n xor 2) ≡ 1 mod 32); each step doubles them.
                let mut inverse = n.wrapping_mul(3) ^ 2;
                for _ in 0..(if $bits == 64 { 4 } else { 5 }) {
                    inverse =
                        inverse.wrapping_mul((2 as $word).wrapping_sub(n.wrapping_mul(inverse)));
                }
                let one = (<$word>::MAX % n + 1) % n;
                let mut ring = $name {
                    n,
                    inverse,
                    one,
                    square: 0,
                };
                // R·2^(BITS/2^5) doubled up by five squarings: (2^k R)² / R = 2^2k R.
                let mut x = one;
                for _ in 0..$bits >> 5 {
                    x = ring.add(x, x);
                }
                for _ in 0..5 {
                    x = ring.mul(x, x);
                }
                ring.square = x;
                ring
            }
        }

        impl Ring for $name {
            type Word = $word;

            fn modulus(&self) -> u128 {
                self.n as u128
            }

            fn one(&self) -> $word {
                self.one
            }

            #[inline(always)]
            fn mul(&self, a: $word, b: $word) -> $word {
                let (low, high) = $wide(a, b);
                let m = low.wrapping_mul(self.inverse);
                let (r, borrow) = high.overflowing_sub($high(m, self.n));
                if borrow { r.wrapping_add(self.n) } else { r }
            }

            #[inline(always)]
            fn add(&self, a: $word, b: $word) -> $word {
                self.sub(a, self.n - b)
            }

            #[inline(always)]
            fn sub(&self, a: $word, b: $word) -> $word {
                let (r, borrow) = a.overflowing_sub(b);
                if borrow { r.wrapping_add(self.n) } else { r }
            }

            fn half(&self, a: $word) -> $word {
                match a & 1 {
                    0 => a >> 1,
                    _ => (a >> 1) + (self.n >> 1) + 1,
                }
            }

            fn residue(&self, x: u128) -> $word {
                self.mul((x % self.n as u128) as $word, self.square)
            }

            /// Kaliski's almost inverse (IEEE Trans. Comput. 44 (1995)): as·1 ≡ 2^k v and ar ≡ −2^k u modulo n, us + vr = n, so that r and s
            /// stay below n; k ≤ 2·BITS.
            fn invert(&self, a: $word) -> Result<$word, u128> {
                if a == 0 {
                    return Err(self.modulus());
                }
                let (mut u, mut v, mut r, mut s) = (self.n, a, 0, 1);
                let mut k = v.trailing_zeros();
                v >>= k;
                while u != v {
                    if u > v {
                        u -= v;
                        r += s;
                        let zeros = u.trailing_zeros();
                        u >>= zeros;
                        s <<= zeros;
                        k += zeros;
                    } else {
                        v -= u;
                        s += r;
                        let zeros = v.trailing_zeros();
                        v >>= zeros;
                        r <<= zeros;
                        k += zeros;
                    }
                }
                if u != 1 {
                    return Err(u as u128);
                }
                // The inverse of a = xR in this form is x⁻¹R = R²·2^−k·s.
                let mut left = 2 * $bits - k;
                while left >= $bits {
                    s = self.mul(s, self.square);
                    left -= $bits;
                }
                Ok(self.mul(self.mul(s, 1 << left), self.square))
            }
        }
    };
}

ring!(Ring64, u64, 64, wide_64, high_64);
ring!(Ring128, u128, 128, wide_128, high_128);

#[inline(always)]
fn wide_64(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

#[inline(always)]
fn high_64(a: u64, b: u64) -> u64 {
    wide_64(a, b).1
}

#[inline(always)]
fn wide_128(a: u128, b: u128) -> (u128, u128) {
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

#[inline(always)]
fn high_128(a: u128, b: u128) -> u128 {
    wide_128(a, b).1
}
