//! Products of polynomials on a device: typed wrappers around `columns.cu`, `rows.cu` and `split.cu`.

#![allow(unsafe_code)]

mod rows;
mod sums;

pub(crate) use rows::{Pairing, products_of_rows};
pub(crate) use sums::sum_of_kept;

use std::sync::Arc;

use super::plan::{Parts, Plan, Use, VALUES};
use super::roots;
use crate::cuda::{Buffer, Device, DevicePtr, Kernel, Launch, Module, Source, Unit};
use crate::error::Result;
use crate::model::Tuning;

pub(crate) static COLUMNS: Source = Source {
    name: "ntt_columns",
    kernels: &[
        "ntt_columns_forward",
        "ntt_columns_again",
        "ntt_columns_inverse",
    ],
    text: concat!(
        include_str!("../modp/montgomery.cuh"),
        include_str!("ntt.cuh"),
        include_str!("columns.cu")
    ),
};
pub(crate) static ROWS: Source = Source {
    name: "ntt_rows",
    kernels: &[
        "ntt_rows_product",
        "ntt_rows_square",
        "ntt_one_row",
        "ntt_rows_keep",
        "ntt_rows_by_kept",
        "ntt_rows_sum",
        "ntt_rows_pairs",
    ],
    text: concat!(
        include_str!("../modp/montgomery.cuh"),
        include_str!("ntt.cuh"),
        include_str!("rows.cu")
    ),
};
pub(crate) static SPLIT: Source = Source {
    name: "ntt_split",
    kernels: &["ntt_split", "ntt_merge"],
    text: concat!(
        include_str!("../modp/montgomery.cuh"),
        include_str!("ntt.cuh"),
        include_str!("split.cu")
    ),
};

/// What a pass over rows does; its number is `ROW_KIND` of `rows.cu`.
#[derive(Debug, Clone, Copy)]
enum RowKind {
    Product,
    Square,
    /// The whole transform is one row of limbs.
    OneRow,
    /// Forward, to keep.
    Keep,
    /// By a kept transform, and back.
    ByKept,
    /// Products of kept transforms, summed and back.
    Sum,
    /// Products of kept rows with each other, and back.
    Pairs,
}

impl RowKind {
    fn kernel(self) -> &'static str {
        match self {
            RowKind::Product => "ntt_rows_product",
            RowKind::Square => "ntt_rows_square",
            RowKind::OneRow => "ntt_one_row",
            RowKind::Keep => "ntt_rows_keep",
            RowKind::ByKept => "ntt_rows_by_kept",
            RowKind::Sum => "ntt_rows_sum",
            RowKind::Pairs => "ntt_rows_pairs",
        }
    }
}

fn column_defines(plan: &Plan, tuning: &Tuning) -> [(&'static str, i64); 3] {
    [
        ("NTT_RESIDENT", tuning.ntt_resident.into()),
        ("COLUMN_LOG", plan.log_rows.into()),
        ("COLUMN_THREADS", plan.column_threads.into()),
    ]
}

fn row_defines(plan: &Plan, kind: RowKind, tuning: &Tuning) -> [(&'static str, i64); 4] {
    [
        ("NTT_RESIDENT", tuning.ntt_resident.into()),
        ("ROW_LOG", (plan.log_n - plan.log_rows).into()),
        ("ROW_THREADS", plan.row_threads.into()),
        ("ROW_KIND", kind as i64),
    ]
}

fn split_defines(tuning: &Tuning) -> [(&'static str, i64); 1] {
    [("NTT_RESIDENT", tuning.ntt_resident.into())]
}

/// Every module that a product may ask for.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let mut all = vec![Unit::new(&SPLIT, &split_defines(tuning))];
    let mut add = |unit: Unit| {
        if !all.contains(&unit) {
            all.push(unit);
        }
    };
    for (plan, use_of) in Plan::shapes(tuning) {
        let kinds: &[RowKind] = match use_of {
            _ if plan.log_rows == 0 => &[RowKind::OneRow],
            Use::Once => &[RowKind::Product, RowKind::Square],
            Use::Kept => &[RowKind::Keep, RowKind::ByKept, RowKind::Sum],
            Use::Rows => &[RowKind::Keep, RowKind::Pairs],
        };
        for kind in kinds {
            let defines = row_defines(&plan, *kind, tuning);
            add(Unit::new(&ROWS, &defines).only(&[kind.kernel()]));
        }
        if plan.log_rows > 0 {
            add(Unit::new(&COLUMNS, &column_defines(&plan, tuning)));
        }
    }
    all
}

/// The kernels of operations made of products of up to so many limbs: products, transforms that are kept, and sums, of lengths
/// near the powers of two.
pub(crate) fn needed(limbs: u64, tuning: &Tuning) -> Vec<Unit> {
    let mut all: Vec<Unit> = Vec::new();
    let mut add = |plan: Plan, kinds: &[RowKind]| {
        let kinds = match plan.log_rows {
            0 => &[RowKind::OneRow],
            _ => kinds,
        };
        let rows = kinds.iter().map(|kind| {
            Unit::new(&ROWS, &row_defines(&plan, *kind, tuning)).only(&[kind.kernel()])
        });
        let columns = (plan.log_rows > 0).then(|| {
            Unit::new(&COLUMNS, &column_defines(&plan, tuning))
                .only(&["ntt_columns_forward", "ntt_columns_inverse"])
        });
        for unit in rows.chain(columns) {
            if !all.contains(&unit) {
                all.push(unit);
            }
        }
    };
    let (least, most) = Plan::row_logs(tuning);
    let longest = (2 * limbs).next_power_of_two().ilog2().clamp(least, most);
    for log_n in least..=longest {
        let half = 1 << (log_n - 1);
        if let Some(plan) = Plan::new(half, half, tuning) {
            add(plan, &[RowKind::Product]);
        }
        let kept = [RowKind::Keep, RowKind::ByKept, RowKind::Sum];
        // Sums are of short products.
        let kinds = &kept[..if log_n <= 16 { 3 } else { 2 }];
        add(Plan::wrapped(log_n, half, true, tuning), kinds);
        if let Some(plan) = Plan::for_reuse(3 * half, half, tuning) {
            add(plan, &kept[..2]);
        }
    }
    all
}

/// Modules that products of many lengths and shapes ask for.
#[cfg(test)]
pub(crate) fn examples(tuning: &Tuning) -> Vec<Unit> {
    let mut all = Vec::new();
    let mut add = |plan: Option<Plan>, kinds: &[RowKind]| {
        let Some(plan) = plan else { return };
        for kind in kinds {
            match plan.log_rows {
                0 => all.push((plan, RowKind::OneRow)),
                _ => all.push((plan, *kind)),
            }
        }
    };
    for log in 1..30 {
        for a in [1u64 << log, (1 << log) + 1, 3 << log, (5 << log) - 1] {
            for b in [1, 2, a / 1000 + 1, a / 3 + 1, a] {
                use RowKind::*;
                let once = Plan::new(a, b, tuning);
                let pieces = once.filter(|plan| matches!(plan.parts, Parts::Pieces { .. }));
                add(once, &[Product, Square]);
                add(pieces.map(|plan| plan.one()), &[Keep]);
                add(pieces, &[ByKept]);
                let kept = Plan::for_reuse(a + b, b, tuning);
                add(kept, &[Keep, ByKept, Sum]);
                add(kept.and_then(|plan| plan.with_kept(a, b)), &[ByKept]);
                add(Plan::cyclic(a, b, tuning), &[Keep, ByKept, Sum]);
            }
        }
    }
    let (least, most) = Plan::row_logs(tuning);
    for log in least..=most {
        add(
            Some(Plan::rows(log, 5, tuning)),
            &[RowKind::Keep, RowKind::Pairs],
        );
    }
    let units = all.into_iter().flat_map(|(plan, kind)| {
        let columns = Unit::new(&COLUMNS, &column_defines(&plan, tuning));
        let rows = Unit::new(&ROWS, &row_defines(&plan, kind, tuning)).only(&[kind.kernel()]);
        [Some(rows), (plan.log_rows > 0).then_some(columns)]
    });
    units.flatten().collect()
}

/// The limbs of an operand, unsigned.
#[derive(Clone, Copy)]
pub(crate) struct Digits<'a> {
    pub(crate) buffer: &'a Buffer,
    /// The first of them; even, because limbs are loaded in pairs.
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Digits<'_> {
    fn ptr(&self) -> DevicePtr {
        assert!(self.start.is_multiple_of(2));
        assert!(1 <= self.len && self.start + self.len <= self.buffer.limbs());
        self.buffer.ptr().offset_limbs(self.start)
    }
}

/// The transform of an operand: `plan.points()` residues a prime, in the order of `rows.cu`.
pub(crate) struct Kept {
    residues: Buffer,
    plan: Plan,
}

impl Kept {
    #[cfg(test)]
    pub(super) fn into_residues(self) -> Buffer {
        self.residues
    }

    /// The plan it was made with.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// The coefficients of a·b (of a² without b) as residues: `plan.points()` 32-bit words a prime, one prime after another, each in [0, 2p)
/// and multiplied as `release.cu` takes them.
pub(crate) fn product(a: Digits, b: Option<Digits>, plan: &Plan) -> Result<Buffer> {
    let second = b.unwrap_or(a);
    if plan.log_rows == 0 {
        return one_row(a, second, plan);
    }
    if let Parts::Pieces { .. } = plan.parts {
        let (long, short) = if a.len >= second.len {
            (a, second)
        } else {
            (second, a)
        };
        return product_by_kept(long, &keep(short, &plan.one())?, plan);
    }
    let passes = Passes::new(a.buffer.device(), plan)?;
    // One allocation: the second operand's residues lie behind those of all primes.
    let out = passes.alloc(plan.primes + if b.is_some() { plan.group } else { 0 })?;
    let rows = passes.rows(match b {
        Some(_) => RowKind::Product,
        None => RowKind::Square,
    })?;
    let parts = plan.parts.count();
    for prime in (0..plan.primes).step_by(plan.group as usize) {
        let count = plan.group.min(plan.primes - prime);
        let start = Residues {
            buffer: &out,
            first: prime * parts,
            base: 0,
        };
        let start_other = Residues {
            base: i64::from(prime * parts) - i64::from(plan.primes * parts),
            ..start
        };
        passes.split(start, a, count)?;
        if let Some(b) = b {
            passes.split(start_other, b, count)?;
        }
        passes.batches(start.first, count * parts, |first, count| {
            let to = Residues { first, ..start };
            let to_other = Residues {
                first,
                ..start_other
            };
            match b {
                Some(b) => passes.columns_forward(&[(to, a), (to_other, b)], count)?,
                None => passes.columns_forward(&[(to, a)], count)?,
            }
            let shape = passes.row_shape(count);
            let (values, tables) = (passes.at(to, count), passes.tables.ptr());
            // SAFETY: values and the other operand hold n words for each of `count` transforms from `first` on (asserted by at()), the
            // tables all primes; the grid, block and shared cells are those of the kernels' heads.
            unsafe {
                match b {
                    Some(_) => rows.launch(
                        shape,
                        (
                            values,
                            passes.at(to_other, count),
                            tables,
                            first,
                            count,
                            parts,
                            plan.primes,
                            plan.log_n,
                        ),
                    )?,
                    None => rows.launch(
                        shape,
                        (values, tables, first, count, parts, plan.primes, plan.log_n),
                    )?,
                }
            }
            passes.columns_inverse(to, count)
        })?;
        passes.merge(start, count)?;
    }
    Ok(out)
}

/// A product in one block a prime.
fn one_row(a: Digits, b: Digits, plan: &Plan) -> Result<Buffer> {
    let device = a.buffer.device();
    let tuning = Tuning::current();
    let kernel = device
        .module(&ROWS, &row_defines(plan, RowKind::OneRow, &tuning))?
        .kernel(RowKind::OneRow.kernel())?;
    let tables = tables(device)?;
    let out = device.alloc(plan.primes as usize * plan.n() as usize / 2)?;
    for digits in [a, b] {
        assert!(digits.len as u64 <= plan.n());
    }
    // SAFETY: the operands hold the lengths passed (asserted by ptr()); out holds n words for each prime; one
    // block of n / 16 threads a prime, and its shared cells, as the kernel's head asks.
    unsafe {
        kernel.launch(
            Launch {
                shared_bytes: plan.row_shared_bytes(),
                ..Launch::of(plan.primes, plan.row_threads)
            },
            (
                out.ptr(),
                a.ptr(),
                a.len,
                b.ptr(),
                b.len,
                tables.ptr(),
                plan.primes,
            ),
        )?;
    }
    Ok(out)
}

/// The transform of `a` by itself; the plan has two passes and no pieces.
pub(crate) fn keep(a: Digits, plan: &Plan) -> Result<Kept> {
    let passes = Passes::new(a.buffer.device(), plan)?;
    let residues = passes.alloc(plan.primes)?;
    let rows = passes.rows(RowKind::Keep)?;
    passes.forward(&residues, a, |to, count| {
        // SAFETY: as in product().
        unsafe {
            rows.launch(
                passes.row_shape(count),
                (
                    passes.at(to, count),
                    passes.tables.ptr(),
                    to.first,
                    count,
                    plan.parts.count(),
                    plan.log_n,
                ),
            )
        }
    })?;
    Ok(Kept {
        residues,
        plan: *plan,
    })
}

/// As [`product`], of `a` and a kept operand; the plan is the kept one's, or pieces of its length.
pub(crate) fn product_by_kept(a: Digits, kept: &Kept, plan: &Plan) -> Result<Buffer> {
    let passes = Passes::new(a.buffer.device(), plan)?;
    let share = match plan.parts {
        Parts::Pieces { count, .. } => count,
        Parts::One | Parts::Split(_) | Parts::Rows { .. } => 1,
    };
    assert!(Arc::ptr_eq(kept.residues.device(), a.buffer.device()));
    assert_eq!(
        (plan.primes, plan.log_n, plan.row_threads),
        (kept.plan.primes, kept.plan.log_n, kept.plan.row_threads)
    );
    assert_eq!(plan.log_rows, kept.plan.log_rows);
    assert_eq!(plan.parts.count() / share, kept.plan.parts.count());
    let out = passes.alloc(plan.primes)?;
    let rows = passes.rows(RowKind::ByKept)?;
    passes.forward(&out, a, |to, count| {
        // SAFETY: as in product(); the kept transforms are one for each `share` of this plan's (asserted above).
        unsafe {
            rows.launch(
                passes.row_shape(count),
                (
                    passes.at(to, count),
                    kept.residues.ptr(),
                    passes.tables.ptr(),
                    to.first,
                    count,
                    plan.parts.count(),
                    plan.primes,
                    plan.log_n,
                    share,
                ),
            )?;
        }
        passes.columns_inverse(to, count)
    })?;
    passes.merge(Residues::all(&out), plan.primes)?;
    Ok(out)
}

/// Residues of transforms from number `first` of all on, in a buffer that would begin with number `base`.
#[derive(Clone, Copy)]
struct Residues<'a> {
    buffer: &'a Buffer,
    first: u32,
    base: i64,
}

impl<'a> Residues<'a> {
    fn all(buffer: &'a Buffer) -> Residues<'a> {
        Residues {
            buffer,
            first: 0,
            base: 0,
        }
    }
}

/// The kernels of a plan of two passes.
struct Passes<'a> {
    device: &'a Arc<Device>,
    plan: &'a Plan,
    tuning: Tuning,
    tables: Arc<Buffer>,
    columns: Arc<Module>,
    splitter: Option<Splitter>,
}

/// What a split needs besides.
struct Splitter {
    module: Arc<Module>,
    twists: Arc<Buffer>,
    matrices: Arc<Buffer>,
}

impl<'a> Passes<'a> {
    fn new(device: &'a Arc<Device>, plan: &'a Plan) -> Result<Passes<'a>> {
        assert!(plan.log_rows > 0);
        let tuning = Tuning::current();
        let splitter = match plan.parts {
            Parts::One | Parts::Pieces { .. } | Parts::Rows { .. } => None,
            Parts::Split(m) => Some(Splitter {
                module: device.module(&SPLIT, &split_defines(&tuning))?,
                twists: device.constants("ntt/twists", 0, roots::twists)?,
                matrices: device.constants(
                    "ntt/split",
                    u64::from(m) << 8 | u64::from(plan.log_n),
                    || roots::matrices(m as usize, plan.log_n),
                )?,
            }),
        };
        Ok(Passes {
            device,
            plan,
            tables: tables(device)?,
            columns: device.module(&COLUMNS, &column_defines(plan, &tuning))?,
            tuning,
            splitter,
        })
    }

    /// Memory for the residues of `primes` primes.
    fn alloc(&self, primes: u32) -> Result<Buffer> {
        self.device
            .alloc(primes as usize * (self.plan.points() / 2) as usize)
    }

    /// Where residues lie; at least `count` transforms do.
    fn at(&self, residues: Residues, count: u32) -> DevicePtr {
        let words = (self.plan.n() / 2) as usize;
        let before = (i64::from(residues.first) - residues.base) as usize * words;
        assert!(before + count as usize * words <= residues.buffer.limbs());
        residues.buffer.ptr().offset_limbs(before)
    }

    /// The kernel of the pass over rows. Those over columns, which come before and after it, are loaded beside it.
    fn rows(&self, kind: RowKind) -> Result<Kernel> {
        let defines = row_defines(self.plan, kind, &self.tuning);
        let columns = Unit::new(&COLUMNS, &column_defines(self.plan, &self.tuning));
        self.device.prepare(&[
            Unit::new(&ROWS, &defines).only(&[kind.kernel()]),
            columns.only(&["ntt_columns_forward", "ntt_columns_inverse"]),
        ])?;
        self.device.module(&ROWS, &defines)?.kernel(kind.kernel())
    }

    fn row_shape(&self, count: u32) -> Launch {
        let tiles = (self.plan.n() / u64::from(VALUES * self.plan.row_threads)) as u32;
        Launch {
            shared_bytes: self.plan.row_shared_bytes(),
            ..Launch::of(count * tiles, self.plan.row_threads)
        }
    }

    fn column_shape(&self, count: u32) -> Launch {
        let tiles = (self.plan.n() / u64::from(2 * VALUES * self.plan.column_threads)) as u32;
        Launch {
            shared_bytes: self.plan.column_shared_bytes(),
            ..Launch::of(count * tiles, self.plan.column_threads)
        }
    }

    /// Calls `work` with the first and the number of each batch of transforms.
    fn batches(
        &self,
        first: u32,
        count: u32,
        mut work: impl FnMut(u32, u32) -> Result<()>,
    ) -> Result<()> {
        (0..count)
            .step_by(self.plan.batch as usize)
            .try_for_each(|done| work(first + done, self.plan.batch.min(count - done)))
    }

    /// All first passes of one operand into `to`, each batch followed by `then`.
    fn forward(
        &self,
        to: &Buffer,
        a: Digits,
        mut then: impl FnMut(Residues, u32) -> Result<()>,
    ) -> Result<()> {
        let to = Residues::all(to);
        self.split(to, a, self.plan.primes)?;
        let transforms = self.plan.primes * self.plan.parts.count();
        self.batches(0, transforms, |first, count| {
            let to = Residues { first, ..to };
            self.columns_forward(&[(to, a)], count)?;
            then(to, count)
        })
    }

    /// The first pass of one or two operands, of `count` transforms; of residues that are there already where the plan is split.
    fn columns_forward(&self, operands: &[(Residues, Digits)], count: u32) -> Result<()> {
        let plan = self.plan;
        let parts = plan.parts.count();
        let (step, width) = match plan.parts {
            Parts::One | Parts::Split(_) => (plan.n() as u32, plan.n() as u32),
            Parts::Pieces { step, .. } => (step, step),
            Parts::Rows { step, width, .. } => (step, width),
        };
        let (to_a, a) = operands[0];
        let (to_b, b) = operands[operands.len() - 1];
        let shape = self.column_shape(count * operands.len() as u32);
        let (first, number) = (to_a.first, operands.len() as u32);
        let (ptr_a, ptr_b) = (self.at(to_a, count), self.at(to_b, count));
        if self.splitter.is_some() {
            let kernel = self.columns.kernel("ntt_columns_again")?;
            // SAFETY: both hold n words for each of `count` transforms (asserted by at()), the tables all primes; the grid, block and
            // shared cells are those of the kernel's head.
            return unsafe {
                kernel.launch(
                    shape,
                    (
                        ptr_a,
                        ptr_b,
                        self.tables.ptr(),
                        first,
                        count,
                        number,
                        plan.log_n,
                        parts,
                    ),
                )
            };
        }
        for (_, digits) in operands {
            assert!(digits.len as u64 <= u64::from(step) * u64::from(parts));
            assert!(digits.len as u64 > u64::from(step) * u64::from(parts - 1));
        }
        let kernel = self.columns.kernel("ntt_columns_forward")?;
        // SAFETY: as above; the operands hold the lengths passed, and every part begins inside them (asserted above).
        unsafe {
            kernel.launch(
                shape,
                (
                    ptr_a,
                    ptr_b,
                    a.ptr(),
                    a.len,
                    b.ptr(),
                    b.len,
                    self.tables.ptr(),
                    first,
                    count,
                    number,
                    plan.log_n,
                    parts,
                    step,
                    width,
                ),
            )
        }
    }

    fn columns_inverse(&self, at: Residues, count: u32) -> Result<()> {
        let kernel = self.columns.kernel("ntt_columns_inverse")?;
        // SAFETY: the buffer holds n words for each of `count` transforms (asserted by at()), the tables all primes; the grid,
        // block and shared cells are those of the kernel's head.
        unsafe {
            kernel.launch(
                self.column_shape(count),
                (
                    self.at(at, count),
                    self.tables.ptr(),
                    at.first,
                    count,
                    self.plan.log_n,
                    self.plan.parts.count(),
                ),
            )
        }
    }

    fn split_shape(&self, primes: u32) -> Launch {
        let threads = self.plan.split_threads();
        Launch {
            shared_bytes: self.plan.split_shared_bytes(),
            ..Launch::of(
                primes * (self.plan.n() / u64::from(2 * threads)) as u32,
                threads,
            )
        }
    }

    /// The operand modulo the plan's x^N − c_j, for `primes` primes from that of `to` on; nothing where the plan is not split.
    fn split(&self, to: Residues, digits: Digits, primes: u32) -> Result<()> {
        let Some(splitter) = &self.splitter else {
            return Ok(());
        };
        let parts = self.plan.parts.count();
        assert!(digits.len as u64 <= self.plan.points());
        let kernel = splitter.module.kernel("ntt_split")?;
        // SAFETY: the operand holds the length passed (asserted by ptr()), no more than m·n (asserted above); `to` holds m·n words for each prime
        // (asserted by at()); tables, twists and matrices are those of all primes; the shape is that of the kernel's head.
        unsafe {
            kernel.launch(
                self.split_shape(primes),
                (
                    self.at(to, primes * parts),
                    digits.ptr(),
                    digits.len,
                    self.tables.ptr(),
                    splitter.twists.ptr(),
                    splitter.matrices.ptr(),
                    to.first / parts,
                    primes,
                    self.plan.log_n,
                    parts,
                ),
            )
        }
    }

    /// Back to coefficients, in place.
    fn merge(&self, at: Residues, primes: u32) -> Result<()> {
        let Some(splitter) = &self.splitter else {
            return Ok(());
        };
        let parts = self.plan.parts.count();
        let kernel = splitter.module.kernel("ntt_merge")?;
        // SAFETY: as in split().
        unsafe {
            kernel.launch(
                self.split_shape(primes),
                (
                    self.at(at, primes * parts),
                    self.tables.ptr(),
                    splitter.twists.ptr(),
                    splitter.matrices.ptr(),
                    at.first / parts,
                    primes,
                    self.plan.log_n,
                    parts,
                ),
            )
        }
    }
}

/// The tables of all primes on this device.
fn tables(device: &Arc<Device>) -> Result<Arc<Buffer>> {
    device.constants("ntt/roots", 0, roots::tables)
}
