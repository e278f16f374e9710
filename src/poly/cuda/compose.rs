//! One polynomial of another: by halves, as on the CPU, but all rows of a level after one another
//! and the first ones by one kernel.

use super::{Field, Slice, poly_rows};
use crate::cuda::Buffer;
use crate::error::Result;
use crate::progress;

/// Coefficients of a first row: a(b) of this many coefficients is computed as a sum of powers of b.
const CHUNK: usize = 8;

impl Field {
    /// a(b), neither with leading zeros; a has more than one coefficient, b at least one.
    pub(super) fn compose(&self, a: Slice, b: Slice) -> Result<Buffer> {
        // Coefficients of k coefficients of a, of b.
        let len = |k: usize| (k - 1) * (b.len - 1) + 1;
        // Rows begin where pairs can be loaded.
        let stride_of = |k: usize| len(k).next_multiple_of(2);
        let (mut k, mut stride) = (CHUNK, stride_of(CHUNK));
        let mut count = a.len.div_ceil(k);
        let powers = self.powers(b, stride, len)?;
        let mut rows = self.first_rows(a, count, stride, &powers)?;
        let last = Slice::all(&powers).part((k - 1) * stride, len(k));
        // b^k with its sign changed, because products are taken from a base.
        let power = self.mul(last, Some(b))?;
        let mut minus = self.scale(Slice::all(&power), self.p.neg(1))?;
        while count > 1 {
            progress::check()?;
            let next_stride = stride_of(2 * k);
            let next = self.device.alloc(count.div_ceil(2) * next_stride)?;
            let row = |i: usize| Slice::all(&rows).part(i * stride, len(k));
            for i in 0..count.div_ceil(2) {
                let (at, low) = (i * next_stride, row(2 * i));
                if 2 * i + 1 < count {
                    let minus = Slice::all(&minus);
                    let all = 0..len(2 * k);
                    self.product_to(&next, at, row(2 * i + 1), Some(minus), all, Some(low))?;
                } else {
                    self.device
                        .copy(low.buffer, low.start, &next, at, low.len)?;
                    self.device
                        .zero(&next, at + low.len, next_stride - low.len)?;
                }
            }
            rows = next;
            (k, stride, count) = (2 * k, next_stride, count.div_ceil(2));
            if count > 1 {
                let square = self.mul(Slice::all(&minus), None)?;
                minus = self.scale(Slice::all(&square), self.p.neg(1))?;
            }
        }
        self.copy(Slice::all(&rows).part(0, len(a.len)), len(a.len))
    }

    /// The powers of b below CHUNK, `stride` apart, zeros above each.
    fn powers(&self, b: Slice, stride: usize, len: impl Fn(usize) -> usize) -> Result<Buffer> {
        let powers = self.device.alloc(CHUNK * stride)?;
        self.device.zero(&powers, 0, CHUNK * stride)?;
        self.device.upload_into(&powers, 0, &[1])?;
        for t in 1..CHUNK {
            let before = Slice::all(&powers).part((t - 1) * stride, len(t));
            self.product_to(&powers, t * stride, before, Some(b), 0..len(t + 1), None)?;
        }
        Ok(powers)
    }

    /// CHUNK coefficients of a at a time, of b.
    fn first_rows(&self, a: Slice, count: usize, stride: usize, powers: &Buffer) -> Result<Buffer> {
        assert!(powers.limbs() == CHUNK * stride);
        let rows = self.device.alloc(count * stride)?;
        let kernel = self.kernel(poly_rows)?;
        // SAFETY: `rows` has count·stride coefficients and is new, a holds its length (asserted by
        // span()), the powers are CHUNK rows of `stride` (asserted above).
        unsafe {
            kernel.launch(
                self.shape(count * stride),
                rows.write(),
                count,
                stride,
                a.read(),
                a.len,
                CHUNK as u32,
                powers.read(),
                self.p.get(),
                self.square,
            )?;
        }
        Ok(rows)
    }
}
