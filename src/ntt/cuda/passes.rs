//! The passes of a transform over columns and rows, and the split of long ones.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::units::{
    COLUMNS, ROWS, SPLIT, column_defines, ntt_columns_again, ntt_columns_forward,
    ntt_columns_inverse, ntt_merge, ntt_split, row_defines, split_defines,
};
use super::{Digits, tables};
use crate::cuda::{Buffer, Device, Handle, Kernel, Launch, Module, Span, load_together};
use crate::error::Result;
use crate::ntt::plan::{DevicePlan, Parts, VALUES};
use crate::ntt::roots;
use crate::tuning::Tuning;

/// Residues of transforms from transform `first` on, in a buffer whose first transform has the
/// number `base`.
#[derive(Clone, Copy)]
pub(super) struct Residues<'a> {
    pub(super) buffer: &'a Buffer,
    pub(super) first: u32,
    pub(super) base: i64,
}

impl<'a> Residues<'a> {
    pub(super) fn all(buffer: &'a Buffer) -> Residues<'a> {
        Residues {
            buffer,
            first: 0,
            base: 0,
        }
    }
}

/// The kernels of a plan of two passes.
pub(super) struct Passes<'a> {
    device: &'a Arc<Device>,
    plan: &'a DevicePlan,
    tuning: Tuning,
    pub(super) tables: Arc<Buffer>,
    columns: Arc<Module>,
    splitter: Option<Splitter>,
}

/// The additional data of a split.
struct Splitter {
    module: Arc<Module>,
    twists: Arc<Buffer>,
    matrices: Arc<Buffer>,
}

impl<'a> Passes<'a> {
    pub(super) fn new(device: &'a Arc<Device>, plan: &'a DevicePlan) -> Result<Passes<'a>> {
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
    pub(super) fn alloc(&self, primes: u32) -> Result<Buffer> {
        self.device
            .alloc(primes as usize * (self.plan.points() / 2) as usize)
    }

    /// The memory of the residues. It has at least `count` transforms.
    pub(super) fn at<'b>(&self, residues: Residues<'b>, count: u32) -> Span<'b> {
        let words = (self.plan.n() / 2) as usize;
        let before = (i64::from(residues.first) - residues.base) as usize * words;
        assert!(before + count as usize * words <= residues.buffer.limbs());
        residues.buffer.skip_limbs(before)
    }

    /// The kernel of the pass over rows. Those over columns, which come before and after it, are
    /// loaded beside it.
    pub(super) fn rows<K: Handle>(&self, kernel: K) -> Result<Kernel<K>> {
        let defines = row_defines(self.plan, kernel.place(), &self.tuning);
        let rows = self.device.module(&ROWS, &defines)?;
        load_together(&[
            (&rows, kernel.declaration()),
            (&self.columns, ntt_columns_forward.declaration()),
            (&self.columns, ntt_columns_inverse.declaration()),
        ])?;
        rows.kernel(kernel)
    }

    pub(super) fn row_shape(&self, count: u32) -> Launch {
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
    pub(super) fn batches(
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
    pub(super) fn forward(
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

    /// The first pass of one or two operands, of `count` transforms. If the plan is split, the pass
    /// reads residues that exist already.
    pub(super) fn columns_forward(
        &self,
        operands: &[(Residues, Digits)],
        count: u32,
    ) -> Result<()> {
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
        let (to_a, to_b) = (self.at(to_a, count), self.at(to_b, count));
        if self.splitter.is_some() {
            let kernel = self.columns.kernel(ntt_columns_again)?;
            // SAFETY: both hold n words for each of `count` transforms (asserted by at()), the
            // tables all primes; the grid, block and shared cells are those of the kernel's head.
            return unsafe {
                kernel.launch(
                    shape,
                    to_a.update(),
                    to_b.update(),
                    self.tables.read(),
                    first,
                    count,
                    number,
                    plan.log_n,
                    parts,
                )
            };
        }
        for (_, digits) in operands {
            assert!(digits.len as u64 <= u64::from(step) * u64::from(parts));
            assert!(digits.len as u64 > u64::from(step) * u64::from(parts - 1));
        }
        let kernel = self.columns.kernel(ntt_columns_forward)?;
        // SAFETY: as above; the operands hold the lengths passed, and every part begins inside them
        // (asserted above).
        unsafe {
            kernel.launch(
                shape,
                to_a.write(),
                to_b.write(),
                a.read(),
                a.len,
                b.read(),
                b.len,
                self.tables.read(),
                first,
                count,
                number,
                plan.log_n,
                parts,
                step,
                width,
            )
        }
    }

    pub(super) fn columns_inverse(&self, at: Residues, count: u32) -> Result<()> {
        let kernel = self.columns.kernel(ntt_columns_inverse)?;
        // SAFETY: the buffer holds n words for each of `count` transforms (asserted by at()), the
        // tables all primes; the grid, block and shared cells are those of the kernel's head.
        unsafe {
            kernel.launch(
                self.column_shape(count),
                self.at(at, count).update(),
                self.tables.read(),
                at.first,
                count,
                self.plan.log_n,
                self.plan.parts.count(),
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

    /// The operand modulo the plan's x^N − c_j, for `primes` primes from that of `to` on; nothing
    /// where the plan is not split.
    pub(super) fn split(&self, to: Residues, digits: Digits, primes: u32) -> Result<()> {
        let Some(splitter) = &self.splitter else {
            return Ok(());
        };
        let parts = self.plan.parts.count();
        assert!(digits.len as u64 <= self.plan.points());
        let kernel = splitter.module.kernel(ntt_split)?;
        // SAFETY: the operand holds the length passed (asserted by read()), no more than m·n
        // (asserted above); `to` holds m·n words for each prime (asserted by at()); tables, twists
        // and matrices are those of all primes; the shape is that of the kernel's head.
        unsafe {
            kernel.launch(
                self.split_shape(primes),
                self.at(to, primes * parts).write(),
                digits.read(),
                digits.len,
                self.tables.read(),
                splitter.twists.read(),
                splitter.matrices.read(),
                to.first / parts,
                primes,
                self.plan.log_n,
                parts,
            )
        }
    }

    /// Back to coefficients, in place.
    pub(super) fn merge(&self, at: Residues, primes: u32) -> Result<()> {
        let Some(splitter) = &self.splitter else {
            return Ok(());
        };
        let parts = self.plan.parts.count();
        let kernel = splitter.module.kernel(ntt_merge)?;
        // SAFETY: as in split().
        unsafe {
            kernel.launch(
                self.split_shape(primes),
                self.at(at, primes * parts).update(),
                self.tables.read(),
                splitter.twists.read(),
                splitter.matrices.read(),
                at.first / parts,
                primes,
                self.plan.log_n,
                parts,
            )
        }
    }
}
