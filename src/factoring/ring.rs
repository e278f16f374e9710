//! The arithmetic of curves modulo an odd number of one word (64 bits) or two (128 bits):
//! Montgomery arithmetic of `word`, and inverses.

use crate::word::montgomery::{Word64, Word128};

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
    ($name:ident, $word:ty, $bits:literal) => {
        impl Ring for $name {
            type Word = $word;

            #[inline(always)]
            fn modulus(&self) -> u128 {
                $name::modulus(self).into()
            }

            #[inline(always)]
            fn one(&self) -> $word {
                $name::one(self)
            }

            #[inline(always)]
            fn mul(&self, a: $word, b: $word) -> $word {
                $name::mul(self, a, b)
            }

            #[inline(always)]
            fn add(&self, a: $word, b: $word) -> $word {
                $name::add(self, a, b)
            }

            #[inline(always)]
            fn sub(&self, a: $word, b: $word) -> $word {
                $name::sub(self, a, b)
            }

            #[inline(always)]
            fn half(&self, a: $word) -> $word {
                $name::half(self, a)
            }

            fn residue(&self, x: u128) -> $word {
                self.enter((x % u128::from(self.modulus())) as $word)
            }

            /// Kaliski's almost inverse (IEEE Trans. Comput. 44 (1995)): as·1 ≡ 2^k v and ar ≡ −2^k
            /// u modulo n, us + vr = n, so that r and s stay below n; k ≤ 2·BITS.
            fn invert(&self, a: $word) -> Result<$word, u128> {
                if a == 0 {
                    return Err(self.modulus().into());
                }
                let (mut u, mut v, mut r, mut s) = (self.modulus(), a, 0, 1);
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
                    return Err(u.into());
                }
                // The inverse of a = xR in this form is x⁻¹R = R²·2^−k·s.
                let mut left = 2 * $bits - k;
                while left >= $bits {
                    s = self.mul(s, self.r_squared());
                    left -= $bits;
                }
                Ok(self.mul(self.mul(s, 1 << left), self.r_squared()))
            }
        }
    };
}

ring!(Word64, u64, 64);
ring!(Word128, u128, 128);
