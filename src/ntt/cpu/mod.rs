//! Exact products by number-theoretic transforms on the CPU.
//!
//! Operands are cut into coefficients and multiplied as polynomials modulo three or six primes just
//! below 2^49; Chinese remainders and carries make the limbs of the product. `plan` has the bounds:
//! why no coefficient overflows; `lanes` and `butterfly` those of the lazy residues. A transform
//! goes over memory twice. First the columns, in strips that fit the second cache; then the rows,
//! in the first cache: forward for both operands, product, and back. No value is moved to
//! bit-reversed order, and lengths are any number of rows (`column`).
//!
//! | level | residues | factors |
//! |---|---|---|
//! | AVX-512 with IFMA | 52-bit integers | Shoup |
//! | AVX-512 without IFMA | floating-point | multiply-adds |
//! | AVX2 | floating-point | multiply-adds |
//! | plain Rust | 64-bit integers | Shoup |

mod base;
mod butterfly;
mod column;
mod crt;
mod field;
mod lanes;
mod leaves;
mod limbs;
mod plan;
mod polynomials;
mod portable;
mod row;
mod scratch;
mod sums;
mod tables;
mod wrapped;

#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_float;

use std::sync::Arc;

use self::column::{Columns, Inverse};
use self::lanes::{Factor, Lanes};
use self::portable::Portable;
use self::row::RowConstants;
use self::scratch::{Buffer, MatrixShape, Strip};
use self::tables::Tables;

pub(crate) use self::base::Base;
pub(crate) use self::lanes::Level;
pub(crate) use self::limbs::add;
pub(crate) use self::plan::HostPlan;
pub(crate) use self::polynomials::{product, sums_of_products};
pub(crate) use self::sums::{Number, Pairs, sums};

/// Runs `$work` with the type `$lanes` standing for the level.
macro_rules! at_level {
    ($level:expr, $lanes:ident => $work:expr) => {{
        let level: Level = $level;
        assert!(level.is_available(), "this machine has no {level:?}");
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                type $lanes = avx512::Avx512;
                $work
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Float => {
                type $lanes = avx512_float::Avx512Float;
                $work
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                type $lanes = avx2::Avx2;
                $work
            }
            _ => {
                type $lanes = Portable;
                $work
            }
        }
    }};
}
use crate::threads;
use at_level;

/// The product, of as many limbs as both operands have together.
pub(crate) fn mul(level: Level, plan: HostPlan, a: &[u64], b: &[u64]) -> Vec<u64> {
    assert!(plan.fits(a.len(), b.len()));
    at_level!(level, L => multiply::<L>(plan, a, Operand::Limbs(b)))
}

/// The square, of twice as many limbs.
pub(crate) fn square(level: Level, plan: HostPlan, a: &[u64]) -> Vec<u64> {
    assert!(plan.fits(a.len(), a.len()));
    at_level!(level, L => multiply::<L>(plan, a, Operand::Same))
}

/// An operand that is kept transformed, for products of one plan.
pub(crate) struct Prepared {
    level: Level,
    plan: HostPlan,
    len: usize,
    residues: Vec<Buffer>,
}

impl Prepared {
    /// b, at least one limb, for products with numbers of at least one limb.
    pub(crate) fn new(level: Level, plan: HostPlan, b: &[u64]) -> Prepared {
        assert!(plan.fits(1, b.len()));
        let residues = at_level!(level, L => {
            for_primes(plan, |prime| Context::<L>::new(plan, prime).transform(b))
        });
        Prepared {
            level,
            plan,
            len: b.len(),
            residues,
        }
    }

    /// The product with a.
    pub(crate) fn mul(&self, a: &[u64]) -> Vec<u64> {
        assert!(self.plan.fits(a.len(), self.len));
        at_level!(self.level, L => multiply::<L>(self.plan, a, Operand::Prepared(self)))
    }
}

/// The other factor of a product.
enum Operand<'a> {
    Limbs(&'a [u64]),
    Prepared(&'a Prepared),
    Same,
}

/// The constants of all steps of one prime's transforms.
struct Context<L: Lanes> {
    plan: HostPlan,
    k: L::K,
    /// The modulus of the lanes.
    p: u64,
    tables: Arc<Tables>,
}

impl<L: Lanes> Context<L> {
    fn new(plan: HostPlan, prime: usize) -> Self {
        let prime = plan.prime(prime);
        Context {
            plan,
            k: L::modulus(prime.modulus),
            p: prime.modulus,
            tables: tables::tables::<L>(prime, plan.row, plan.tree_rows()),
        }
    }

    /// Calls `work` for every strip of columns, with a buffer for all rows of the tree, and as many
    /// again if the plan wraps.
    fn for_strips(&self, residues: &mut [u64], work: impl Fn(Strip, &mut [u64]) + Sync) {
        let HostPlan {
            rows,
            row,
            strip,
            parallel,
            ..
        } = self.plan;
        let at_once = parallel.then(|| self.plan.parts_per_task(rows * strip));
        let pitch = self.plan.pitch();
        let trees = 1 + usize::from(self.plan.wrapped);
        let len = trees * self.plan.tree_rows() * strip;
        let shape = MatrixShape { rows, row, pitch };
        scratch::for_strips(residues, shape, strip, at_once, len, work);
    }

    /// The residues of the coefficients of row r, from column `first` on.
    fn load_row(&self, limbs: &[u64], r: usize, first: usize, out: &mut [u64]) {
        let HostPlan {
            row, limbs: per, ..
        } = self.plan;
        let from = (r * row + first) * per;
        let ahead = from + scratch::AHEAD * row * per;
        for word in (0..out.len() * per).step_by(8) {
            scratch::prefetch(limbs.as_ptr().wrapping_add(ahead + word));
        }
        let rest = limbs.get(from..).unwrap_or_default();
        let some = &rest[..rest.len().min(out.len() * per)];
        L::residues(self.k, some, per == 2, out);
    }

    /// The residues of the coefficients, columns transformed.
    fn columns(&self, limbs: &[u64], residues: &mut [u64]) {
        if self.plan.wrapped {
            return self.columns_wrapped(limbs, residues);
        }
        let HostPlan { rows, strip, .. } = self.plan;
        let columns = Columns::<L> {
            k: self.k,
            tree: self.tables.down(),
            width: strip,
        };
        let filled = limbs.len().div_ceil(self.plan.row_limbs());
        self.for_strips(residues, |mut part, buffer| {
            for (r, out) in buffer.chunks_exact_mut(strip).enumerate().take(filled) {
                self.load_row(limbs, r, part.first(), out);
            }
            columns.forward(buffer, 1, filled, rows);
            part.put(0, buffer);
        });
    }

    /// Undoes `columns` but for the residues, times the number of rows; then adds `offset` to all
    /// of them.
    fn columns_back(&self, residues: &mut [u64], offset: Option<Factor>) {
        let HostPlan { rows, strip, .. } = self.plan;
        let inverse = Inverse::<L> {
            up: Columns {
                k: self.k,
                tree: self.tables.up(),
                width: strip,
            },
            down: self.tables.down(),
            half: L::factor(self.p.div_ceil(2), self.p),
        };
        self.for_strips(residues, |mut part, buffer| {
            part.get(0, buffer);
            buffer[rows * strip..].fill(0);
            inverse.inverse(buffer, 1, rows);
            if let Some(offset) = offset {
                L::add_to_all(self.k, offset, &mut buffer[..rows * strip]);
            }
            part.put(0, buffer);
        });
    }

    /// The constants of the transforms of row r.
    fn row(&self, r: usize) -> RowConstants<'_> {
        self.tables.row(self.plan.leaf(r))
    }

    /// Calls `work(r, row)` for every row.
    fn for_rows(&self, residues: &mut [u64], work: impl Fn(usize, &mut [u64]) + Sync) {
        let pitch = self.plan.pitch();
        if self.plan.parallel {
            threads::chunks_mut(residues, pitch, self.plan.parts_per_task(pitch), work);
        } else {
            let rows = residues.chunks_exact_mut(pitch).enumerate();
            rows.for_each(|(r, row)| work(r, row));
        }
    }

    fn row_product(&self, r: usize, row: &mut [u64], other: Option<&[u64]>) {
        scratch::with_tree(|tree| {
            let row = &mut row[..self.plan.row];
            L::row_product(self.k, &self.row(r), row, other, tree);
        });
    }

    /// The transform of an operand.
    fn transform(&self, limbs: &[u64]) -> Buffer {
        let mut residues = Buffer::new(self.plan.words());
        self.columns(limbs, &mut residues);
        self.for_rows(&mut residues, |r, row| {
            scratch::with_tree(|tree| {
                let row = &mut row[..self.plan.row];
                L::row_forward(self.k, &self.row(r), row, tree);
            });
        });
        residues
    }

    /// Rows of a times rows of b, both with their columns transformed.
    fn for_row_pairs(&self, a: &mut [u64], b: &mut [u64]) {
        let pitch = self.plan.pitch();
        let work = |r: usize, a: &mut [u64], b: &mut [u64]| {
            let b = &mut b[..self.plan.row];
            scratch::with_tree(|tree| {
                L::row_forward(self.k, &self.row(r), b, tree);
            });
            self.row_product(r, a, Some(b));
        };
        if self.plan.parallel {
            threads::chunk_pairs_mut(a, b, pitch, self.plan.parts_per_task(2 * pitch), work);
        } else {
            let pairs = a.chunks_exact_mut(pitch).zip(b.chunks_exact_mut(pitch));
            (0..).zip(pairs).for_each(|(r, (a, b))| work(r, a, b));
        }
    }
}

fn multiply<L: Lanes>(plan: HostPlan, a: &[u64], b: Operand) -> Vec<u64> {
    let products = for_primes(plan, |prime| residues::<L>(plan, prime, a, &b));
    let len = a.len()
        + match b {
            Operand::Limbs(b) => b.len(),
            Operand::Prepared(b) => b.len,
            Operand::Same => a.len(),
        };
    limbs::propagate_carries::<L>(plan, &products, len)
}

/// Maximum words of one prime's residues for which the transforms of the primes run in parallel.
const SIDE_BY_SIDE: usize = 3 << 16;

/// `work` for each prime. Short transforms have too little work for all threads: their primes run
/// side by side, at the price of memory.
fn for_primes<T: Send>(plan: HostPlan, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if plan.parallel && plan.words() <= SIDE_BY_SIDE {
        threads::map(plan.primes, 1, work)
    } else {
        (0..plan.primes).map(work).collect()
    }
}

/// The coefficients of the product modulo one prime.
fn residues<L: Lanes>(plan: HostPlan, prime: usize, a: &[u64], b: &Operand) -> Buffer {
    let context = Context::<L>::new(plan, prime);
    let mut first = Buffer::new(plan.words());
    context.columns(a, &mut first);
    match b {
        Operand::Limbs(b) => {
            let mut second = Buffer::new(plan.words());
            context.columns(b, &mut second);
            context.for_row_pairs(&mut first, &mut second);
        }
        Operand::Prepared(b) => {
            let other: &[u64] = &b.residues[prime];
            let pitch = plan.pitch();
            context.for_rows(&mut first, |r, row| {
                let other = &other[r * pitch..][..plan.row];
                context.row_product(r, row, Some(other));
            });
        }
        Operand::Same => context.for_rows(&mut first, |r, row| context.row_product(r, row, None)),
    }
    context.columns_back(&mut first, None);
    first
}
