//! Division by Newton's iteration: the quotient, its coefficients reversed, is a product of power
//! series.

use super::{Field, Slice, poly_series_inverse};
use crate::cuda::{Buffer, Launch};
use crate::error::Result;
use crate::progress;

impl Field {
    /// (q, r) for operands without leading zeros, b ≠ 0.
    pub(super) fn div_rem(&self, a: Slice, b: Slice) -> Result<(Buffer, Buffer)> {
        if a.len < b.len {
            return Ok((self.device.alloc(0)?, self.copy(a, a.len)?));
        }
        if b.len == 1 {
            return Ok((self.divide_by(a, b, 0)?, self.device.alloc(0)?));
        }
        let q = self.quotient(a, b)?;
        let r = self.rest(a, Slice::all(&q), b, b.len - 1)?;
        Ok((q, r))
    }

    /// a^exponent modulo m, neither with leading zeros, m ≠ 0; the exponent as limbs, low one
    /// first.
    pub(super) fn pow_mod(&self, a: Slice, exponent: &[u64], m: Slice) -> Result<Buffer> {
        let degree = m.len - 1;
        if degree == 0 {
            return self.device.alloc(0);
        }
        let (_, base) = self.div_rem(a, m)?;
        let base = Slice::all(&base);
        // Quotients of products have fewer coefficients than `degree`.
        let reversed = self.reverse(m, m.len)?;
        let inverse = self.series_inverse(Slice::all(&reversed), degree.max(2) - 1)?;
        let inverse = Slice::all(&inverse);
        let rem = |x: Buffer| -> Result<Buffer> {
            let n = x.limbs().saturating_sub(degree);
            if n == 0 {
                return Ok(x);
            }
            let x = Slice::all(&x);
            let top = self.reverse(x.part(degree, n), n)?;
            let q = self.product(Slice::all(&top), Some(inverse.part(0, n)), 0..n, None)?;
            let q = self.reverse(Slice::all(&q), n)?;
            self.rest(x, Slice::all(&q), m, degree)
        };
        let bits = match exponent.last() {
            Some(top) => 64 * exponent.len() as u64 - u64::from(top.leading_zeros()),
            None => 0,
        };
        progress::stage("polynomial power", bits, |stage| {
            let mut power = self.device.upload(&[1])?;
            for bit in (0..bits).rev() {
                power = rem(self.mul(Slice::all(&power), None)?)?;
                if exponent[(bit / 64) as usize] >> (bit % 64) & 1 == 1 {
                    power = rem(self.mul(Slice::all(&power), Some(base))?)?;
                }
                stage.advance(1)?;
            }
            Ok(power)
        })
    }

    /// The quotient of operands as above, a no shorter than b.
    fn quotient(&self, a: Slice, b: Slice) -> Result<Buffer> {
        let n = a.len - b.len + 1;
        let top = |x: Slice| x.len.min(n);
        // The quotient depends on the n leading coefficients of both alone.
        let a = self.reverse(a.part(a.len - top(a), n), n)?;
        let b = self.reverse(b.part(b.len - top(b), n), n)?;
        let reversed = self.series_quotient(Slice::all(&a), Slice::all(&b))?;
        self.reverse(Slice::all(&reversed), n)
    }

    /// a/b modulo x^n, both of n coefficients, b(0) ≠ 0. The last step of the iteration is for the
    /// quotient itself (Karp and Markstein): with 1/b to half the precision and the quotient to
    /// that, its rest times 1/b is the other half.
    fn series_quotient(&self, a: Slice, b: Slice) -> Result<Buffer> {
        let n = a.len;
        let half = n.div_ceil(2);
        let inverse = self.series_inverse(b, half)?;
        let inverse = Slice::all(&inverse);
        let out = self.device.alloc(n)?;
        self.product_to(&out, 0, a.part(0, half), Some(inverse), 0..half, None)?;
        let low = Slice::all(&out).part(0, half);
        let rest = self.product(b, Some(low), half..n, Some(a.part(half, n)))?;
        let rest = Slice::all(&rest);
        self.product_to(&out, half, rest, Some(inverse), 0..n - half, None)?;
        Ok(out)
    }

    /// 1/b modulo x^n for b(0) ≠ 0, of at least n coefficients: from 1/b modulo x^m, modulo x^2m by
    /// one step.
    pub(super) fn series_inverse(&self, b: Slice, n: usize) -> Result<Buffer> {
        let mut precisions = vec![n];
        while let Some(last) = precisions
            .last()
            .filter(|n| **n > self.tuning.poly_newton_base)
        {
            precisions.push(last.div_ceil(2));
        }
        let out = self.device.alloc(n)?;
        let mut half = precisions.pop().unwrap_or(n);
        self.short_inverse(&out, b, half)?;
        for n in precisions.into_iter().rev() {
            let inverse = Slice::all(&out).part(0, half);
            // b·inverse = 1 + x^half·e, and the other half is −inverse·e.
            let e = self.product(b.part(0, n), Some(inverse), half..n, None)?;
            let (e, none) = (Slice::all(&e), inverse.part(0, 0));
            self.product_to(&out, half, e, Some(inverse), 0..n - half, Some(none))?;
            half = n;
        }
        Ok(out)
    }

    /// Writes 1/b modulo x^n for b(0) ≠ 0 to the beginning of `out`, a coefficient at a time.
    fn short_inverse(&self, out: &Buffer, b: Slice, n: usize) -> Result<()> {
        assert!(n <= out.limbs());
        let kernel = self.kernel(poly_series_inverse)?;
        let shape = Launch {
            shared_bytes: 2 * n as u32 * self.word_bytes(),
            ..Launch::of(1, self.tuning.poly_block)
        };
        // SAFETY: out holds n coefficients (asserted above), b its length (asserted by span());
        // shared memory as the kernel's head asks.
        unsafe {
            kernel.launch(
                shape,
                out.write(),
                n as u32,
                b.read(),
                b.len,
                self.p.get(),
                self.square,
            )
        }
    }
}
