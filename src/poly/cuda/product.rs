//! Products by transforms: coefficients are digits of `ntt`, and `reduce.cu` brings the sums back
//! modulo p.

use std::ops::Range;

use super::{Field, Slice, defines};
use crate::cuda::{Buffer, DevicePtr, Launch, Read, Unit, Write, kernels};
use crate::error::{Error, Result};
use crate::ntt::cuda::{self as ntt, Digits};
use crate::ntt::plan::{DevicePlan, MAX_LOG, MAX_PARTS, PRIMES, Parts, wrap_log};
use crate::tuning::Tuning;

kernels! {
    pub(crate) static REDUCE = "poly_reduce", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../field.cuh"),
        include_str!("../reduce.cu")
    );

    fn poly_reduce_2 | poly_reduce_3 | poly_reduce_4 | poly_reduce_5 | poly_reduce_6(
        out: Write<u64>[n], n: u64, residues: Read<u32>[2 * stride], stride: u64, pieces: u32,
        length: u32, step: u32, from: u64, count: u64, base: Option<Read<u64>>[len], len: u64,
        fold: u64, p: u64, square: u64,
    );
}

kernels! {
    pub(crate) static DIRECT = "poly_direct", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../field.cuh"),
        include_str!("../direct.cu")
    );
    const {
        /// Coefficients of a thread.
        DIRECT_EACH: usize = 4;
    }

    fn poly_products(list: Read<u64>, tiles: u32, p: u64, square: u64);
}

/// The `-D` values of `reduce.cu`.
pub(crate) fn reduce_defines(tuning: &Tuning, bits: u32) -> Vec<(&'static str, i64)> {
    let mut all = defines(tuning, bits);
    let names = [
        "NTT_PRIME_0",
        "NTT_PRIME_1",
        "NTT_PRIME_2",
        "NTT_PRIME_3",
        "NTT_PRIME_4",
        "NTT_PRIME_5",
    ];
    all.extend(names.into_iter().zip(PRIMES.map(|(p, _)| i64::from(p))));
    all
}

/// Transforms of coefficients below p, kept for sums of products.
pub(super) type KeptTransform = ntt::DeviceTransform;

/// How many primes hold sums of `terms` products of coefficients below p: terms·(p − 1)² ≤ P·(1 −
/// 2^-26), with a bit to spare for rounding.
fn primes_for(p: u64, terms: usize, tuning: &Tuning) -> u32 {
    let largest = terms as f64 * (p - 1) as f64 * (p - 1) as f64;
    let mut product = f64::from(PRIMES[0].0);
    for (count, (prime, _)) in (2..).zip(&PRIMES[1..]) {
        product *= f64::from(*prime);
        let more = count == 5 && terms as u64 > tuning.ntt_five_prime_terms;
        if largest <= product * (1.0 - 1.0 / f64::from(1 << 25)) && !more {
            return count;
        }
    }
    PRIMES.len() as u32
}

/// The products for which [`needed`] lists kernels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Products {
    /// One, of polynomials of about the length.
    One,
    /// Of polynomials of all lengths up to it.
    AllLengths,
    /// Those, and sums of products of kept transforms.
    Kept,
}

/// The kernels of products of polynomials of up to about `len` coefficients modulo p.
pub(super) fn needed(products: Products, len: u64, p: u64, tuning: &Tuning) -> Vec<Unit> {
    let bits = super::kind(p);
    let halvings = match products {
        Products::One => 2,
        Products::AllLengths | Products::Kept => u64::BITS,
    };
    let direct = Unit::new(&DIRECT, &defines(tuning, bits));
    let reduce = |primes: u32| {
        let kernel = &REDUCE.kernels[primes as usize - 2];
        Unit::new(&REDUCE, &reduce_defines(tuning, bits)).only(&[kernel])
    };
    let mut all = vec![direct];
    let least = tuning.poly_direct_len as u64;
    for len in (0..halvings).map(|i| len >> i).take_while(|n| *n > least) {
        let primes = primes_for(p, len as usize, tuning);
        let once = DevicePlan::in_primes(primes, len, len, tuning);
        let kept = DevicePlan::for_reuse(primes, 2 * len, tuning);
        let kept = kept.filter(|_| products == Products::Kept);
        let units = once.map(|plan| ntt::of_plan(&plan, tuning)).into_iter();
        let units = units.chain(kept.map(|plan| ntt::of_kept(&plan, tuning)));
        for unit in units.flatten().chain([reduce(primes)]) {
            if !all.contains(&unit) {
                all.push(unit);
            }
        }
    }
    all
}

impl Field {
    /// [`primes_for`] this field.
    pub(super) fn primes(&self, terms: usize) -> u32 {
        primes_for(self.p.get(), terms, &self.tuning)
    }

    /// a·b, or a².
    pub(super) fn mul(&self, a: Slice, b: Option<Slice>) -> Result<Buffer> {
        let count = (a.len + b.unwrap_or(a).len).saturating_sub(1);
        self.product(a, b, 0..count, None)
    }

    /// The coefficients of this range of a·b (of a² without b), or these taken from those of
    /// `base`.
    pub(super) fn product(
        &self,
        a: Slice,
        b: Option<Slice>,
        range: Range<usize>,
        base: Option<Slice>,
    ) -> Result<Buffer> {
        let out = self.device.alloc(range.len())?;
        self.product_to(&out, 0, a, b, range, base)?;
        Ok(out)
    }

    /// Writes the coefficients of this range of a·b (of a² without b), or those of `base` minus
    /// these, to `out` from `at` on. The destination must not overlap the operands.
    pub(super) fn product_to(
        &self,
        out: &Buffer,
        at: usize,
        a: Slice,
        b: Option<Slice>,
        range: Range<usize>,
        base: Option<Slice>,
    ) -> Result<()> {
        let second = b.unwrap_or(a);
        let n = range.len();
        if n == 0 {
            return Ok(());
        }
        if a.len == 0 || second.len == 0 {
            let mut len = 0;
            if let Some(base) = base.map(|base| base.part(0, n)) {
                len = base.len;
                self.device.copy(base.buffer, base.start, out, at, len)?;
            }
            return self.device.zero(out, at + len, n - len);
        }
        let full = a.len + second.len - 1;
        let tuning = &self.tuning;
        let short = a.len.max(second.len) <= tuning.poly_direct_len
            || a.len.min(second.len) <= tuning.poly_short_len;
        if short && base.is_none() && range == (0..full) {
            assert!(at + n <= out.limbs());
            return self.direct(&[(out.skip_limbs(at).ptr(), a, second)]);
        }
        let plan = self.plan(a.len, second.len, &range)?;
        let (whole_a, whole_b) = (self.aligned(a)?, b.map(|b| self.aligned(b)).transpose()?);
        let residues = ntt::product(
            digits(whole_a.as_ref(), a),
            b.map(|b| digits(whole_b.as_ref().and_then(Option::as_ref), b)),
            &plan,
        )?;
        let count = full.min(plan.points() as usize);
        self.reduce_residues((out, at, n), &residues, &plan, range.start, count, base)
    }

    /// Products from coefficients, each written to a separate destination that is long enough. No
    /// operand may be empty.
    fn direct(&self, products: &[(DevicePtr, Slice, Slice)]) -> Result<()> {
        let full = |(_, a, b): &(DevicePtr, Slice, Slice)| a.len + b.len - 1;
        let longest = products.iter().map(full).max().unwrap_or(0);
        let tiles = longest.div_ceil(DIRECT_EACH * self.tuning.poly_block as usize);
        // The loop runs over the shorter operand.
        let words = |(to, a, b): &(DevicePtr, Slice, Slice)| {
            let (a, b) = if a.len >= b.len { (a, b) } else { (b, a) };
            let lens = (a.len as u64, b.len as u64);
            [
                to.address(),
                a.span().ptr().address(),
                lens.0,
                b.span().ptr().address(),
                lens.1,
            ]
        };
        let list: Vec<u64> = products.iter().flat_map(words).collect();
        let list = self.device.upload(&list)?;
        let kernel = self.kernel(poly_products)?;
        let shape = Launch::of((products.len() * tiles) as u32, self.tuning.poly_block);
        // SAFETY: the list has five words a product: operands hold their lengths (asserted by
        // span()), and the caller vouches for the room of the products.
        unsafe { kernel.launch(shape, list.read(), tiles as u32, self.p.get(), self.square) }
    }

    /// The products of pairs: short ones together.
    pub(super) fn mul_many(&self, pairs: &[(Slice, Slice)]) -> Result<Vec<Buffer>> {
        let mut out = Vec::with_capacity(pairs.len());
        let mut together = Vec::new();
        for (a, b) in pairs {
            let short = a.len.min(b.len) > 0 && a.len.max(b.len) <= self.tuning.poly_many_len;
            if short {
                let buffer = self.device.alloc(a.len + b.len - 1)?;
                together.push((buffer.ptr(), *a, *b));
                out.push(buffer);
            } else {
                out.push(self.mul(*a, Some(*b))?);
            }
        }
        if !together.is_empty() {
            self.direct(&together)?;
        }
        Ok(out)
    }

    /// a − q·b, which is known to have at most `n` coefficients: modulo x^N − 1 for an N of at
    /// least that.
    pub(super) fn rest(&self, a: Slice, q: Slice, b: Slice, n: usize) -> Result<Buffer> {
        let (least, full) = (n.max(q.len).max(b.len), q.len + b.len - 1);
        let Some(log_n) = wrap_log(least as u64, full as u64, &self.tuning) else {
            return self.product(q, Some(b), 0..n, Some(a));
        };
        let primes = self.primes(q.len.min(b.len));
        let plan = DevicePlan::wrapped(primes, log_n, false, &self.tuning);
        let out = self.device.alloc(n)?;
        let (whole_q, whole_b) = (self.aligned(q)?, self.aligned(b)?);
        let (dq, db) = (digits(whole_q.as_ref(), q), digits(whole_b.as_ref(), b));
        let residues = ntt::product(dq, Some(db), &plan)?;
        let count = full.min(plan.points() as usize);
        self.reduce_residues((&out, 0, n), &residues, &plan, 0, count, Some(a))?;
        Ok(out)
    }

    /// The plan for this range of a product: modulo x^N − 1 where that leaves the range alone and
    /// is no dearer.
    fn plan(&self, la: usize, lb: usize, range: &Range<usize>) -> Result<DevicePlan> {
        let tuning = &self.tuning;
        let (primes, full) = (self.primes(la.min(lb)), la + lb - 1);
        // Coefficient i + N falls on i.
        let least = range.end.min(full).max(full - range.start.min(full));
        let least = least.max(la).max(lb) as u64;
        if least < full as u64
            && let Some(log_n) = wrap_log(least, full as u64, tuning)
        {
            return Ok(DevicePlan::wrapped(primes, log_n, false, tuning));
        }
        DevicePlan::in_primes(primes, la as u64, lb as u64, tuning).ok_or_else(|| too_long(full))
    }

    /// A copy of a at an address from which pairs can be loaded, if a is not at such an address.
    fn aligned(&self, a: Slice) -> Result<Option<Buffer>> {
        match a.start % 2 {
            0 => Ok(None),
            _ => self.copy(a, a.len).map(Some),
        }
    }

    /// The plan for kept transforms of products of at most `count` coefficients that are sums of
    /// `terms` products; or modulo x^N − 1 for any N ≥ count.
    pub(super) fn kept_plan(&self, count: usize, terms: usize) -> Result<DevicePlan> {
        DevicePlan::for_reuse(self.primes(terms), count as u64, &self.tuning)
            .ok_or_else(|| too_long(count))
    }

    /// The transform of a, kept.
    pub(super) fn keep(&self, a: Slice, plan: &DevicePlan) -> Result<KeptTransform> {
        let whole = self.aligned(a)?;
        ntt::keep(digits(whole.as_ref(), a), plan)
    }

    /// The coefficients of this range of the sum of products of kept transforms, or these taken
    /// from those of `base`.
    pub(super) fn sum_of_kept(
        &self,
        pairs: &[(&KeptTransform, &KeptTransform)],
        range: Range<usize>,
        base: Option<Slice>,
    ) -> Result<Buffer> {
        let out = self.device.alloc(range.len())?;
        if out.limbs() > 0 {
            let plan = *pairs[0].0.plan();
            let residues = ntt::sum_of_kept(pairs)?;
            let count = plan.points() as usize;
            let to = (&out, 0, range.len());
            self.reduce_residues(to, &residues, &plan, range.start, count, base)?;
        }
        Ok(out)
    }

    /// The base, if any, is folded to the plan's points: it is longer only where the product is
    /// known modulo x^N − 1.
    fn reduce_residues(
        &self,
        (out, at, n): (&Buffer, usize, usize),
        residues: &Buffer,
        plan: &DevicePlan,
        from: usize,
        count: usize,
        base: Option<Slice>,
    ) -> Result<()> {
        let (pieces, step) = match plan.parts {
            Parts::One | Parts::Split(_) | Parts::Rows { .. } => (1, 0),
            Parts::Pieces { count, step } => (count, step),
        };
        assert!(plan.primes as usize * plan.points() as usize / 2 <= residues.limbs());
        assert!(pieces == 1 || plan.points() <= u64::from(u32::MAX));
        let defines = reduce_defines(&self.tuning, self.bits);
        let kernel = self
            .device
            .module(&REDUCE, &defines)?
            .kernel(match plan.primes {
                2 => poly_reduce_2,
                3 => poly_reduce_3,
                4 => poly_reduce_4,
                5 => poly_reduce_5,
                _ => poly_reduce_6,
            })?;
        assert!(at + n <= out.limbs());
        // SAFETY: out holds n coefficients from `at` on (asserted above), which nobody reads; the
        // residues are points() words for each prime (asserted above), and no coefficient from
        // `count` ≤ points() on is read; the base holds its length (asserted by span()).
        unsafe {
            kernel.launch(
                self.shape(n),
                out.skip_limbs(at).write(),
                n,
                residues.read(),
                plan.points(),
                pieces,
                plan.n() as u32,
                step,
                from,
                count,
                base.map(Slice::read),
                base.map_or(0, |base| base.len),
                plan.points(),
                self.p.get(),
                self.square,
            )
        }
    }
}

fn digits<'a>(whole: Option<&'a Buffer>, a: Slice<'a>) -> Digits<'a> {
    Digits {
        buffer: whole.unwrap_or(a.buffer),
        start: whole.map_or(a.start, |_| 0),
        len: a.len,
    }
}

fn too_long(count: usize) -> Error {
    Error::TooLarge {
        what: "a product of polynomials",
        bits: 64 * count as u64,
        limit: u64::from(64 * MAX_PARTS) << MAX_LOG,
    }
}
