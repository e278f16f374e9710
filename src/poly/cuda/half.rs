//! Half-GCDs: matrices of many steps of Euclid's algorithm from the leading halves of polynomials,
//! by products.
//!
//! The quotients of a and b down to a remainder of degree d − k, d = deg a, depend on the
//! coefficients from x^(d − 2k) on alone. So half of the way is found from the leading coefficients
//! by recursion, applied, and the other half the same way; matrices of long steps are products of
//! matrices. Polynomials of up to `poly_device_half_len` coefficients go to the leader of
//! `euclid.rs`.

use super::euclid::{Noted, Piece, Reduced};
use super::product::KeptTransform;
use super::{Field, Slice};
use crate::error::Result;
use crate::ntt::plan::DevicePlan;
use crate::progress;

impl Field {
    /// Remainders of a and b, neither with leading zeros, until the second one has a degree below
    /// `stop`. The rows are computed only if `rows`; otherwise they are unspecified.
    pub(super) fn reduce(
        &self,
        a: Piece,
        b: Piece,
        stop: usize,
        rows: bool,
        matrix: bool,
        noted: &mut Option<Noted>,
    ) -> Result<Reduced> {
        progress::check()?;
        if a.len() < b.len() {
            if let Some(noted) = noted {
                noted.units.reverse();
            }
            let mut found = self.reduce(b, a, stop, rows, matrix, noted)?;
            found.matrix = found
                .matrix
                .map(|[m00, m01, m10, m11]| [m01, m00, m11, m10]);
            return Ok(found);
        }
        if b.len() <= stop || a.len() <= self.tuning.poly_device_half_len {
            return self.lehmer(a.slice(), b.slice(), stop, matrix, noted);
        }
        let degree = a.len() - 1;
        let first = (degree - stop) / 2;
        let shift = degree - 2 * first;
        let top = |x: &Piece| x.part(shift, usize::MAX);
        let mut found = self.reduce_top(&a, &b, top(&a), top(&b), first, noted)?;
        // If quotients are long, the leading coefficients may not determine them: then a division
        // computes one quotient.
        let left = |found: &Reduced| (found.rows[0].len() - 1).saturating_sub(stop);
        if found.rows[1].len() > stop && 4 * left(&found) > 3 * (degree - stop) {
            found = self.divided(found, noted)?;
        }
        if found.rows[1].len() > stop {
            let [a, b] = &found.rows;
            let degree = a.len() - 1;
            let shift = (2 * stop).saturating_sub(degree);
            let top = |x: &Piece| x.part(shift, usize::MAX);
            let whole = shift == 0 && rows;
            let more = self.reduce(top(a), top(b), stop - shift, whole, true, noted)?;
            let second = more.matrix.expect("asked for");
            let after = match (rows, shift) {
                (false, _) => more.rows,
                (true, 0) => more.rows,
                (true, _) => self.applied(&second, a, b)?,
            };
            let first = found.matrix.expect("asked for");
            found = Reduced {
                rows: after,
                matrix: if matrix {
                    Some(self.composed(&second, &first)?)
                } else {
                    None
                },
            };
        }
        Ok(found)
    }

    /// The rows and the matrix of a step from the leading parts `top_a` and `top_b`, down to degree
    /// `stop` of these.
    fn reduce_top(
        &self,
        a: &Piece,
        b: &Piece,
        top_a: Piece,
        top_b: Piece,
        stop: usize,
        noted: &mut Option<Noted>,
    ) -> Result<Reduced> {
        let whole = top_a.len() == a.len();
        let found = self.reduce(top_a, top_b, stop, whole, true, noted)?;
        if whole {
            return Ok(found);
        }
        let matrix = found.matrix.expect("asked for");
        Ok(Reduced {
            rows: self.applied(&matrix, a, b)?,
            matrix: Some(matrix),
        })
    }

    /// One division: rows (b, a − q·b), and the matrix with it.
    fn divided(&self, found: Reduced, noted: &mut Option<Noted>) -> Result<Reduced> {
        let [a, b] = found.rows;
        if let Some(noted) = noted {
            let mut leading = [0];
            let top = b.slice().start + b.len() - 1;
            self.device.download(b.slice().buffer, top, &mut leading)?;
            noted.division(a.len() - b.len(), leading[0]);
        }
        let (q, r) = self.div_rem(a.slice(), b.slice())?;
        let [len] = self.lengths([Slice::all(&r)])?;
        let [m00, m01, m10, m11] = found.matrix.expect("asked for");
        let less = |m: &Piece, by: &Piece| {
            let n = m.len().max(by.len() + q.limbs() - 1);
            let product = self.product(by.slice(), Some(Slice::all(&q)), 0..n, Some(m.slice()))?;
            Ok(Piece::from(product))
        };
        let (m20, m21) = (less(&m00, &m10)?, less(&m01, &m11)?);
        Ok(Reduced {
            rows: [b, Piece::from(r).part(0, len)],
            matrix: Some([m10, m11, m20, m21]),
        })
    }

    /// The matrix times (a, b), without leading zeros, the longer one first as the matrix has it.
    /// Both are shorter than a, so sums of products may wrap.
    fn applied(&self, matrix: &[Piece; 4], a: &Piece, b: &Piece) -> Result<[Piece; 2]> {
        let entry = matrix.iter().map(Piece::len).max().unwrap_or(0);
        let plan = self.wrapped_plan(a.len(), a.len() + entry - 1, 2 * entry)?;
        let kept: Vec<KeptTransform> = matrix
            .iter()
            .chain([a, b])
            .map(|x| self.keep(x.slice(), &plan))
            .collect::<Result<_>>()?;
        let row = |k: usize| {
            let pairs = [(&kept[2 * k], &kept[4]), (&kept[2 * k + 1], &kept[5])];
            self.sum_of_kept(&pairs, 0..a.len(), None)
        };
        let rows = [row(0)?, row(1)?];
        let lengths = self.lengths([Slice::all(&rows[0]), Slice::all(&rows[1])])?;
        let [first, second] = rows.map(Piece::from);
        Ok([first.part(0, lengths[0]), second.part(0, lengths[1])])
    }

    /// The product of two matrices.
    fn composed(&self, second: &[Piece; 4], first: &[Piece; 4]) -> Result<[Piece; 4]> {
        let longest = |m: &[Piece; 4]| m.iter().map(Piece::len).max().unwrap_or(0);
        let (l2, l1) = (longest(second), longest(first));
        let count = l1 + l2 - 1;
        let plan = self.wrapped_plan(count, count, 2 * l1.min(l2))?;
        let keep = |x: &Piece| self.keep(x.slice(), &plan);
        let left: Vec<KeptTransform> = second.iter().map(keep).collect::<Result<_>>()?;
        let right: Vec<KeptTransform> = first.iter().map(keep).collect::<Result<_>>()?;
        let entry = |i: usize| {
            let (row, column) = (2 * (i / 2), i % 2);
            let pairs = [
                (&left[row], &right[column]),
                (&left[row + 1], &right[2 + column]),
            ];
            Ok(Piece::from(self.sum_of_kept(&pairs, 0..count, None)?))
        };
        Ok([entry(0)?, entry(1)?, entry(2)?, entry(3)?])
    }

    /// The plan for sums of products of which at most `count` coefficients are not 0 modulo p:
    /// modulo x^N − 1, or of all `full` coefficients where these are too many for that.
    fn wrapped_plan(&self, count: usize, full: usize, terms: usize) -> Result<DevicePlan> {
        match DevicePlan::cyclic(self.primes(terms), count as u64, &self.tuning) {
            Some(plan) => Ok(plan),
            None => self.kept_plan(full, terms),
        }
    }
}
