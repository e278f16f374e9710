//! Numbers of equal width, stored one after another, and all products of neighbours at once.
//!
//! Up to SHORT_LIMBS limbs, products of rows are sums of products of words (`rows.cu`), for any
//! width. Longer ones are transforms of rows whose width is a power of two: a product of two rows
//! of w limbs then fills a row of 2w, so the products of all neighbours are one long number, whose
//! carries never leave a row.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::{RELEASE, RELEASE_HEAD, RELEASE_ROWS, defines, mul_carry_sum_5, mul_carry_sum_6};
use crate::cuda::{Buffer, Device, Launch, Lent, Read, Unit, Update, Write, kernels};
use crate::error::Result;
use crate::limbs::{self, DeviceLimbs, Resident};
use crate::ntt::cuda::{self as ntt, DeviceTransform, Digits, Pairing};
use crate::ntt::plan::DevicePlan;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static ROWS = "mul_rows", concat!(
        include_str!("../../limbs/carry.cuh"),
        include_str!("../rows.cu")
    );
    const {
        /// Threads of a block.
        ROWS_BLOCK: u32 = 256;
    }

    fn mul_rows(
        out: Write<u64>[(count - 1) * out_step + out_width as u64], out_step: u64, out_width: u32,
        low: u32, round: u32, a: Read<u64>[(count - 1) * a_step + a_width as u64], a_step: u64,
        a_width: u32, b: Read<u64>[(count - 1) * b_step + b_width as u64], b_step: u64,
        b_width: u32, c: Option<Read<u64>>[(count - 1) * a_step + a_width as u64],
        d: Option<Read<u64>>[(count - 1) * b_step + b_width as u64], count: u64,
    );
    fn mul_rows_exchange(
        u: Update<u64>[2 * pairs * width], v: Update<u64>[2 * pairs * width], width: u64,
        pairs: u64,
    );
}

/// Maximum limbs of a product by `rows.cu`, including dropped limbs: a thread has four.
pub(crate) const SHORT_LIMBS: usize = 4 * ROWS_BLOCK as usize;

/// Every module of this file.
pub(super) fn units() -> Vec<Unit> {
    vec![Unit::new(&ROWS, &[])]
}

/// Threads of a block that exchanges rows.
const EXCHANGE_BLOCK: u32 = 256;

/// `count` unsigned numbers of `width` limbs. Each starts `step` limbs after the previous one.
pub(crate) struct Rows {
    buffer: Buffer,
    start: usize,
    pub(crate) step: usize,
    pub(crate) width: usize,
    pub(crate) count: usize,
}

impl Rows {
    /// Rows from the host, `width` limbs each.
    pub(crate) fn upload(device: &Arc<Device>, limbs: &[u64], width: usize) -> Result<Rows> {
        assert!(limbs.len().is_multiple_of(width));
        let rows = Rows::new(device, limbs.len() / width, width)?;
        device.upload_into(&rows.buffer, 0, limbs)?;
        Ok(rows)
    }

    /// Rows of `width` limbs in a buffer.
    pub(crate) fn from_buffer(buffer: Buffer, width: usize, count: usize) -> Rows {
        assert!(width > 0 && count * width <= buffer.limbs());
        Rows {
            buffer,
            start: 0,
            step: width,
            width,
            count,
        }
    }

    /// Limbs of the shortest rows that transforms can pair.
    pub(crate) fn least_width() -> usize {
        1 << (DevicePlan::row_logs(&Tuning::current()).0 - 1)
    }

    /// Memory for rows.
    fn new(device: &Arc<Device>, count: usize, width: usize) -> Result<Rows> {
        Ok(Rows::from_buffer(
            device.alloc(count * width)?,
            width,
            count,
        ))
    }

    /// Rows of numbers on the device, all below 2^(64·width).
    pub(crate) fn gather(
        device: &Arc<Device>,
        numbers: &[DeviceLimbs],
        width: usize,
    ) -> Result<Rows> {
        let rows = Rows::new(device, numbers.len(), width)?;
        for (i, number) in numbers.iter().enumerate() {
            let limbs = number.len().min(width);
            let to = i * width;
            device.copy(&number.buffer, number.start(), &rows.buffer, to, limbs)?;
            device.zero(&rows.buffer, to + limbs, width - limbs)?;
        }
        Ok(rows)
    }

    /// Whether transforms can multiply neighbours.
    pub(crate) fn can_pair(&self) -> bool {
        let (least, most) = DevicePlan::row_logs(&Tuning::current());
        let has_length = (least..=most).contains(&(2 * self.width).ilog2());
        self.count > 1 && self.width.is_power_of_two() && has_length
    }

    /// All rows.
    pub(crate) fn all(&self) -> Operand<'_> {
        Operand {
            buffer: &self.buffer,
            start: self.start,
            step: self.step,
            width: self.width,
            count: self.count,
        }
    }

    /// The first `count` rows.
    pub(crate) fn first(&self, count: usize) -> Operand<'_> {
        assert!(count <= self.count);
        Operand {
            count,
            ..self.all()
        }
    }

    /// The numbers a_j·b_j, which the caller has proved to be below 2^(64·width).
    pub(crate) fn products(a: Operand<'_>, b: Operand<'_>, width: usize) -> Result<Rows> {
        Rows::sums(a, b, None, width)
    }

    /// The numbers a_j·b_j + c_j·d_j, which the caller has proved to be below 2^(64·width). c has
    /// the shape of a, and d that of b.
    pub(crate) fn sums_of_products(
        (a, b): (Operand<'_>, Operand<'_>),
        (c, d): (Operand<'_>, Operand<'_>),
        width: usize,
    ) -> Result<Rows> {
        Rows::sums(a, b, Some((c, d)), width)
    }

    fn sums(
        a: Operand<'_>,
        b: Operand<'_>,
        plus: Option<(Operand<'_>, Operand<'_>)>,
        width: usize,
    ) -> Result<Rows> {
        let out = Rows::new(a.buffer.device(), a.count, width)?;
        let part = Part {
            low: 0,
            is_rounded: false,
        };
        short(out.all(), part, (a, b), plus)?;
        Ok(out)
    }

    /// The numbers a_j·b_j without their lowest `low` limbs, at least one, rounded to the nearest,
    /// which the caller has proved to be below 2^(64·width).
    pub(crate) fn rounded(
        a: Operand<'_>,
        b: Operand<'_>,
        low: usize,
        width: usize,
    ) -> Result<Rows> {
        let out = Rows::new(a.buffer.device(), a.count, width)?;
        let part = Part {
            low,
            is_rounded: true,
        };
        short(out.all(), part, (a, b), None)?;
        Ok(out)
    }

    /// For rows f of W limbs, the highest w of the lowest W limbs of f_⌊j/2⌋·p_(j xor 1), for each
    /// of the rows p of w limbs: at most 2W − w limbs, which must be short.
    pub(crate) fn times_short_siblings(&self, p: &Rows) -> Result<Rows> {
        let out = Rows::new(self.buffer.device(), p.count, p.width)?;
        assert!(self.width >= p.width);
        let part = Part {
            low: self.width - p.width,
            is_rounded: false,
        };
        let (to, f, p) = (out.all(), self.first(p.count / 2), p.all());
        short(to.even(), part, (f, p.odd()), None)?;
        short(to.odd(), part, (f, p.even()), None)?;
        Ok(out)
    }

    /// Exchanges the odd rows of two arrays of an even count of rows.
    pub(crate) fn exchange_odd(&mut self, other: &mut Rows) -> Result<()> {
        assert!(self.count.is_multiple_of(2) && self.count == other.count);
        for rows in [&*self, &*other] {
            assert!(rows.start == 0 && rows.step == rows.width && rows.width == self.width);
        }
        if self.count == 0 {
            return Ok(());
        }
        let kernel = self.buffer.device().kernel(mul_rows_exchange, &[])?;
        let (pairs, width) = (self.count / 2, self.width);
        let blocks = (pairs * width).div_ceil(EXCHANGE_BLOCK as usize);
        let launch = Launch::of(blocks.min(1 << 16) as u32, EXCHANGE_BLOCK);
        // SAFETY: both buffers hold 2·pairs rows (asserted above and when they were made), and
        // nobody else uses them.
        unsafe {
            let (u, v) = (self.buffer.update(), other.buffer.update());
            kernel.launch(launch, u, v, width, pairs)
        }
    }

    /// The buffer of rows that are stored one after another.
    pub(crate) fn into_buffer(self) -> Buffer {
        assert!(self.start == 0 && self.step == self.width);
        self.buffer
    }

    /// Fetches rows from `first` on until `into` is full, with the limbs between the rows. A row is
    /// the upper `width` limbs of each `step` limbs.
    pub(crate) fn fetch(&self, first: usize, into: &mut [u64]) -> Result<()> {
        assert!(self.start + self.width == self.step && into.len().is_multiple_of(self.step));
        let device = self.buffer.device();
        device.download(&self.buffer, first * self.step, into)
    }

    /// Row `i` by itself.
    pub(crate) fn row(&self, i: usize) -> Result<Buffer> {
        assert!(i < self.count);
        let device = self.buffer.device();
        let out = device.alloc(self.width)?;
        device.copy(
            &self.buffer,
            self.start + i * self.step,
            &out,
            0,
            self.width,
        )?;
        Ok(out)
    }

    /// One more row, of this number, where the count is odd.
    pub(crate) fn make_even(&mut self, number: u64) -> Result<()> {
        if self.count.is_multiple_of(2) {
            return Ok(());
        }
        assert!(self.start == 0 && self.step == self.width);
        let device = self.buffer.device().clone();
        let used = self.count * self.width;
        if self.buffer.limbs() < used + self.width {
            let larger = device.alloc(used + self.width)?;
            device.copy(&self.buffer, 0, &larger, 0, used)?;
            self.buffer = larger;
        }
        device.zero(&self.buffer, used, self.width)?;
        device.upload_into(&self.buffer, used, &[number])?;
        self.count += 1;
        Ok(())
    }

    /// The transforms of some rows.
    fn keep(&self, first: usize, count: usize, plan: &DevicePlan) -> Result<DeviceTransform> {
        assert!(0 < count && first + count <= self.count);
        let digits = Digits {
            buffer: &self.buffer,
            start: self.start + first * self.step,
            len: (count - 1) * self.step + self.width,
        };
        let plan = plan.of_rows(count as u32, self.step as u32, self.width as u32);
        ntt::keep(digits, &plan)
    }

    /// The numbers p_2j·p_2j+1, which the caller has proved to be below 2^(128·width), for the even
    /// count of rows p that this is.
    pub(crate) fn products_of_neighbours(&self) -> Result<Rows> {
        assert!(self.count.is_multiple_of(2));
        let (count, n) = (self.count / 2, 2 * self.width);
        let products = Rows::new(self.buffer.device(), count, n)?;
        let at_once = (Tuning::current().rows_points / n / 2).clamp(1, count);
        let plan = DevicePlan::rows(n.ilog2(), n as u64, &Tuning::current());
        for first in (0..count).step_by(at_once) {
            let number = at_once.min(count - first);
            let kept = self.keep(2 * first, 2 * number, &plan)?;
            let residues = ntt::products_of_rows(&kept, &kept, Pairing::Neighbours)?;
            propagate_carries(&residues, &plan, &products, first, number)?;
        }
        Ok(products)
    }

    /// The numbers p_2j·p_2j+1 and s_2j·p_2j+1 + s_2j+1·p_2j, which the caller has proved to be
    /// below 2^(128·width), for the even count of rows p that this is, and as many s.
    pub(crate) fn pair(&self, s: &Rows) -> Result<(Rows, Rows)> {
        assert!(self.count.is_multiple_of(2) && (s.count, s.width) == (self.count, self.width));
        let device = self.buffer.device();
        let (count, n) = (self.count / 2, 2 * self.width);
        let products = Rows::new(device, count, n)?;
        let sums = Rows::new(device, count, n)?;
        let at_once = (Tuning::current().rows_points / n / 2).clamp(1, count);
        let plan = DevicePlan::rows(n.ilog2(), n as u64, &Tuning::current());
        for first in (0..count).step_by(at_once) {
            let number = at_once.min(count - first);
            let p_kept = self.keep(2 * first, 2 * number, &plan)?;
            let s_kept = s.keep(2 * first, 2 * number, &plan)?;
            let residues = ntt::products_of_rows(&p_kept, &p_kept, Pairing::Neighbours)?;
            propagate_carries(&residues, &plan, &products, first, number)?;
            let residues = ntt::products_of_rows(&s_kept, &p_kept, Pairing::BothWays)?;
            propagate_carries(&residues, &plan, &sums, first, number)?;
        }
        Ok((products, sums))
    }

    /// For rows u = p_0, q_1, p_2, q_3, … and v = q_0, p_1, q_2, p_3, … of even count, and as many
    /// t, the numbers p_2j·p_2j+1, q_2j·q_2j+1 and t_2j·q_2j+1 + p_2j·t_2j+1, which the caller has
    /// proved to be below 2^(128·width).
    pub(crate) fn pair_three(u: &Rows, v: &Rows, t: &Rows) -> Result<(Rows, Rows, Rows)> {
        assert!(u.count.is_multiple_of(2) && (u.count, u.width) == (v.count, v.width));
        assert!((u.count, u.width) == (t.count, t.width));
        let device = u.buffer.device();
        let (count, n) = (u.count / 2, 2 * u.width);
        let (p, q) = (Rows::new(device, count, n)?, Rows::new(device, count, n)?);
        let sums = Rows::new(device, count, n)?;
        let at_once = (Tuning::current().rows_points / n / 2).clamp(1, count);
        let plan = DevicePlan::rows(n.ilog2(), n as u64, &Tuning::current());
        for first in (0..count).step_by(at_once) {
            let number = at_once.min(count - first);
            let u_kept = u.keep(2 * first, 2 * number, &plan)?;
            let v_kept = v.keep(2 * first, 2 * number, &plan)?;
            let residues = ntt::products_of_rows(&u_kept, &v_kept, Pairing::Neighbours)?;
            propagate_carries(&residues, &plan, &p, first, number)?;
            let residues = ntt::products_of_rows(&v_kept, &u_kept, Pairing::Neighbours)?;
            propagate_carries(&residues, &plan, &q, first, number)?;
            drop(v_kept);
            let t_kept = t.keep(2 * first, 2 * number, &plan)?;
            let residues = ntt::products_of_rows(&t_kept, &u_kept, Pairing::BothWays)?;
            propagate_carries(&residues, &plan, &sums, first, number)?;
        }
        Ok((p, q, sums))
    }

    /// The numbers x_2j + x_2j+1·p for an even count of rows x. The caller has proved that p is
    /// below 2^(64·width), and that the results are below 2^(128·width − 1).
    pub(crate) fn joined(self, p: &DeviceLimbs) -> Result<Rows> {
        assert!(self.count.is_multiple_of(2) && self.start == 0 && self.step == self.width);
        let device = self.buffer.device().clone();
        let (count, n) = (self.count / 2, 2 * self.width);
        let products = Rows::new(&device, count, n)?;
        let p = Rows::gather(&device, std::slice::from_ref(p), self.width)?;
        let plan = DevicePlan::rows(n.ilog2(), self.width as u64, &Tuning::current());
        let p_kept = p.keep(0, 1, &plan)?;
        let upper = Rows {
            start: self.width,
            step: n,
            count,
            ..self
        };
        let at_once = (Tuning::current().rows_points / n).clamp(1, count);
        for first in (0..count).step_by(at_once) {
            let number = at_once.min(count - first);
            let kept = upper.keep(first, number, &plan)?;
            let residues = ntt::products_of_rows(&kept, &p_kept, Pairing::ByOne)?;
            propagate_carries(&residues, &plan, &products, first, number)?;
        }
        for row in 0..count {
            device.zero(&upper.buffer, row * n + self.width, self.width)?;
        }
        // The rest of x has its rows at the positions of the products, and no carry leaves a row.
        let bits = 64 * (count * n) as u64 - 1;
        let mut sum = limbs::add(
            &Resident::from_device(upper.buffer, bits),
            &Resident::from_device(products.buffer, bits),
        )?
        .narrow(bits);
        let buffer = match sum.take_device(&device) {
            Some((buffer, _)) => buffer,
            // Evicted meanwhile.
            None => {
                let (buffer, sum) = (device.alloc(count * n)?, sum.on(&device)?);
                device.copy(&sum.buffer, sum.start(), &buffer, 0, count * n)?;
                buffer
            }
        };
        Ok(Rows::from_buffer(buffer, n, count))
    }

    /// For rows f of W limbs, the middle limbs, from W/2 to W, of f_⌊j/2⌋·p_(j xor 1), for each of
    /// the rows p of half the width, which are below 2^(32·W − 64). Never below the true ones, and
    /// above by at most one unit of the lowest limb.
    ///
    /// Products are computed modulo 2^(64·W) − 1: the limbs above the W limbs are added to the
    /// lowest ones. They are fewer than W/2 limbs, and so is the carry of a row's coefficients into
    /// the next row (at most 117 bits).
    pub(crate) fn times_siblings(&self, p: &Rows) -> Result<Rows> {
        let n = self.width;
        assert!(p.count.is_multiple_of(2) && p.count <= 2 * self.count);
        assert!(2 * p.width == n && n >= 8);
        let device = self.buffer.device();
        let out = Rows::new(device, p.count, n)?;
        let count = p.count / 2;
        let at_once = (Tuning::current().rows_points / n / 2).clamp(1, count);
        let plan = DevicePlan::rows(n.ilog2(), p.width as u64, &Tuning::current());
        for first in (0..count).step_by(at_once) {
            let number = at_once.min(count - first);
            let f_kept = self.keep(first, number, &plan)?;
            let p_kept = p.keep(2 * first, 2 * number, &plan)?;
            let residues = ntt::products_of_rows(&f_kept, &p_kept, Pairing::Siblings)?;
            propagate_carries(&residues, &plan, &out, 2 * first, 2 * number)?;
        }
        Ok(Rows {
            start: n / 2,
            width: n / 2,
            ..out
        })
    }
}

/// Rows as a kernel takes them.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    buffer: &'a Buffer,
    start: usize,
    step: usize,
    width: usize,
    count: usize,
}

impl<'a> Operand<'a> {
    fn read(&self) -> Lent<'a, Read<u64>> {
        self.buffer.skip_limbs(self.start).read()
    }

    /// `width` limbs of each, from limb `start` on.
    pub(crate) fn limbs(self, start: usize, width: usize) -> Self {
        assert!(start + width <= self.width);
        Operand {
            start: self.start + start,
            width,
            ..self
        }
    }

    /// The even rows of an even count.
    pub(crate) fn even(self) -> Self {
        assert!(self.count.is_multiple_of(2));
        Operand {
            step: 2 * self.step,
            count: self.count / 2,
            ..self
        }
    }

    /// The odd rows of an even count.
    pub(crate) fn odd(self) -> Self {
        Operand {
            start: self.start + self.step,
            ..self.even()
        }
    }

    /// The first of them, `count` times.
    pub(crate) fn repeated(self, count: usize) -> Self {
        assert!(self.count > 0);
        Operand {
            step: 0,
            count,
            ..self
        }
    }

    fn check(&self) {
        let last = self.start + self.count.saturating_sub(1) * self.step + self.width;
        assert!(self.width > 0 && last <= self.buffer.limbs());
    }
}

/// Which limbs of a product are wanted.
#[derive(Clone, Copy)]
struct Part {
    /// The limbs below are cut.
    low: usize,
    /// Half a unit is added before.
    is_rounded: bool,
}

/// Writes a_j·b_j + c_j·d_j, or their parts, to the rows of `out`, by `rows.cu`.
fn short(
    out: Operand<'_>,
    part: Part,
    (a, b): (Operand<'_>, Operand<'_>),
    plus: Option<(Operand<'_>, Operand<'_>)>,
) -> Result<()> {
    let (limbs, count) = (part.low + out.width, out.count);
    assert!(limbs <= SHORT_LIMBS && (part.low > 0 || !part.is_rounded));
    assert!(a.count == count && b.count == count);
    if let Some((c, d)) = plus {
        assert!((c.step, c.width, c.count) == (a.step, a.width, count));
        assert!((d.step, d.width, d.count) == (b.step, b.width, count));
    }
    let operands = [
        Some(out),
        Some(a),
        Some(b),
        plus.map(|p| p.0),
        plus.map(|p| p.1),
    ];
    operands.iter().flatten().for_each(Operand::check);
    if count == 0 {
        return Ok(());
    }
    let row_threads = limbs.div_ceil(2).div_ceil(2);
    let rows = ROWS_BLOCK as usize / row_threads;
    let pairs = if plus.is_some() { 2 } else { 1 };
    let shared = rows * pairs * (8 * (a.width + b.width) + 24);
    let launch = Launch {
        shared_bytes: shared as u32,
        ..Launch::of(count.div_ceil(rows).min(1 << 20) as u32, ROWS_BLOCK)
    };
    let kernel = out.buffer.device().kernel(mul_rows, &[])?;
    // SAFETY: every operand has its rows (checked above); the shared memory is what the kernel asks
    // for; `out` is apart from the operands, and nobody else uses it.
    unsafe {
        kernel.launch(
            launch,
            out.buffer.skip_limbs(out.start).write(),
            out.step,
            out.width as u32,
            part.low as u32,
            u32::from(part.is_rounded),
            a.read(),
            a.step,
            a.width as u32,
            b.read(),
            b.step,
            b.width as u32,
            plus.map(|(c, _)| c.read()),
            plus.map(|(_, d)| d.read()),
            count,
        )
    }
}

/// Rows from the residues of their coefficients, written from row `first` of `out` on.
fn propagate_carries(
    residues: &Buffer,
    plan: &DevicePlan,
    out: &Rows,
    first: usize,
    count: usize,
) -> Result<()> {
    let tuning = Tuning::current();
    let device = out.buffer.device();
    let (n, points) = (plan.n() as usize * count, plan.n() * count as u64);
    assert!(out.step == plan.n() as usize && (first + count) * out.step <= out.buffer.limbs());
    assert!(u64::from(plan.primes) * points / 2 <= residues.limbs() as u64);
    let tiles = (n as u64).div_ceil(RELEASE_ROWS * u64::from(tuning.carry_block));
    let workspace = device.workspace("mul/release", RELEASE_HEAD + tiles as usize)?;
    let module = device.module(&RELEASE, &defines(&tuning, false))?;
    let kernel = module.kernel(plan.by_primes(mul_carry_sum_5, mul_carry_sum_6))?;
    // SAFETY: n limbs of `out` from the first row on are this launch's alone (asserted above); the
    // residues are `points` words for each prime (asserted above); there are no pairs in the list;
    // the workspace has its head and a state for every tile.
    unsafe {
        kernel.launch(
            Launch::of(tiles.clamp(1, i32::MAX as u64) as u32, tuning.carry_block),
            out.buffer.skip_limbs(first * out.step).write(),
            n,
            residues.read(),
            points,
            points,
            None,
            0u32,
            workspace.update(),
        )
    }
}
