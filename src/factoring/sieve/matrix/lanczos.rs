//! Block Lanczos over GF(2) with blocks of 64 vectors (Montgomery, *A block Lanczos algorithm for
//! finding dependencies over GF(2)*, Eurocrypt '95). Names of matrices are those of the paper.
//!
//! A = BᵀB is symmetric. From a random Y of n×64 bits the iteration finds X with AX = AY, up to
//! the last subspace, which is spanned by V. The kernel of B meets the span of X − Y and V.

use super::block::{self, Block};
use super::sparse::Matrix;
use crate::error::Result;
use crate::threads;

/// Each iteration except the last removes 64 dimensions minus a fraction of one on average (0.76 in
/// the paper). If the average falls below this number, the run has failed.
const LEAST_DIMENSIONS: usize = 56;
const MORE_ITERATIONS: usize = 16;
/// Rows that one thread takes at a time once the iteration is over.
const ROWS: usize = 1 << 12;
/// Maximum dependencies that are returned.
const MOST: usize = 64;

/// Where the vectors of the iteration are kept and multiplied: the host or a device. A vector is a
/// matrix of n×64 bits.
pub(super) trait Vectors {
    type Vector;

    /// B on the host.
    fn matrix(&self) -> &Matrix;

    /// The vector of these n words.
    fn put(&self, words: &[u64]) -> Result<Self::Vector>;

    /// The words of a vector.
    fn get(&self, v: Self::Vector) -> Result<Vec<u64>>;

    /// BᵀB·v.
    fn times_twice(&self, v: &Self::Vector) -> Result<Self::Vector>;

    /// vᵀ·w for each of at most three pairs.
    fn inner_products(&self, pairs: &[(&Self::Vector, &Self::Vector)]) -> Result<Vec<Block>>;

    /// x += last[0]·by[0], and next becomes its columns in `mask` + Σ last[i]·by[i + 1].
    fn advance(
        &self,
        x: &mut Self::Vector,
        next: &mut Self::Vector,
        mask: u64,
        last: [&Self::Vector; 3],
        by: &[Block; 4],
    ) -> Result<()>;
}

/// Matrices that one iteration leaves to the next.
#[derive(Clone, Copy)]
struct Step {
    winv: Block,
    /// VᵀAV.
    vav: Block,
    /// VᵀA²V·SSᵀ + VᵀAV.
    vaav: Block,
    /// The columns that S selects.
    mask: u64,
}

/// Independent vectors x ≠ 0 with B·x = 0, each as the list of its ones. Empty if the iteration
/// fails, in which case another seed may succeed, or if `keep_going` stops the work. An error
/// describes the failure of a device.
pub(super) fn kernel<V: Vectors>(
    vectors: &V,
    seed: u64,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<usize>>> {
    let matrix = vectors.matrix();
    let mut random = Random(seed);
    let y: Vec<u64> = (0..matrix.width()).map(|_| random.word()).collect();
    let Some((x, v)) = iterate(vectors, &y, keep_going)? else {
        return Ok(Vec::new());
    };
    Ok(combine(matrix, &vectors.get(x)?, &vectors.get(v)?))
}

/// A splitmix64 generator.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// X − Y and the last V.
fn iterate<V: Vectors>(
    vectors: &V,
    y: &[u64],
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<(V::Vector, V::Vector)>> {
    let n = y.len();
    let mut x = vectors.put(y)?;
    let mut v = vectors.times_twice(&x)?;
    // The first V, computed a second time. That takes no longer than one of many iterations.
    let v_first = vectors.times_twice(&x)?;
    // V of the last two iterations.
    let (mut v1, mut v2) = (vectors.put(&vec![0; n])?, vectors.put(&vec![0; n])?);
    let none = Step {
        winv: [0; 64],
        vav: [0; 64],
        vaav: [0; 64],
        mask: !0,
    };
    let (mut step1, mut step2) = (none, none);
    // VᵀV₀ of this iteration and of the last two.
    let (mut start, mut start1, mut start2) = ([0; 64], [0; 64], [0; 64]);
    for iteration in 0..n / LEAST_DIMENSIONS + MORE_ITERATIONS {
        if !keep_going() {
            return Ok(None);
        }
        let mut next = vectors.times_twice(&v)?;
        // VᵀAV, VᵀA²V, and VᵀV₀ where the recurrence does not give it.
        let pairs = [(&v, &next), (&next, &next), (&v, &v_first)];
        let wanted = if iteration < 3 { 3 } else { 2 };
        let products = vectors.inner_products(&pairs[..wanted])?;
        let (vav, vaav) = (products[0], products[1]);
        if vav == [0; 64] {
            return Ok(Some((x, v)));
        }
        if let Some(product) = products.get(2) {
            start = *product;
        }
        let Some((winv, mask)) = select(&vav, step1.mask) else {
            return Ok(None);
        };
        // Columns that neither this nor the last S has would be lost.
        if mask | step1.mask != !0 {
            return Ok(None);
        }
        let step = Step {
            winv,
            vav,
            vaav: block::sum(&block::masked(&vaav, mask), &vav),
            mask,
        };
        let d = block::sum(&block::identity(), &block::product(&winv, &step.vaav));
        let e = block::product(&step1.winv, &block::masked(&vav, mask));
        let rest = block::sum(&block::identity(), &block::product(&step1.vav, &step1.winv));
        let f = block::product(&block::product(&step2.winv, &rest), &step1.vaav);
        let f = block::masked(&f, mask);
        // X += V·W^inv·VᵀV₀, and the next V is AV·SSᵀ + V·d + V₁·e + V₂·f.
        let by = [block::product(&winv, &start), d, e, f];
        vectors.advance(&mut x, &mut next, mask, [&v, &v1, &v2], &by)?;
        // V_{i+1}ᵀV₀ by the same recurrence: V_iᵀAV₀ = 0 from i = 2 on.
        let terms = [(&d, &start), (&e, &start1), (&f, &start2)];
        let next_start = terms.iter().fold([0; 64], |total, (by, start)| {
            block::sum(&total, &block::product(&block::transposed(by), start))
        });
        (start2, start1, start) = (start1, start, next_start);
        (step2, step1) = (step1, step);
        (v2, v1, v) = (v1, v, next);
    }
    Ok(None)
}

/// W^inv and the columns that S selects, from VᵀAV and the columns of the last S: figure 1 of the
/// paper.
fn select(vav: &Block, last: u64) -> Option<(Block, u64)> {
    let (mut left, mut right) = (*vav, block::identity());
    // Columns that were not in the last S come first, so that they get into this one.
    let is_in = |column: &usize| last >> column & 1 == 1;
    let (old, new): (Vec<usize>, Vec<usize>) = (0..64).partition(is_in);
    let order = [new, old].concat();
    let mut mask = 0;
    for (t, &column) in order.iter().enumerate() {
        let bit = 1 << column;
        let pivot = |rows: &Block| order[t..].iter().copied().find(|row| rows[*row] & bit != 0);
        if let Some(row) = pivot(&left) {
            left.swap(row, column);
            right.swap(row, column);
            mask |= bit;
            let (l, r) = (left[column], right[column]);
            for row in (0..64).filter(|row| *row != column) {
                if left[row] & bit != 0 {
                    left[row] ^= l;
                    right[row] ^= r;
                }
            }
        } else {
            let row = pivot(&right)?;
            left.swap(row, column);
            right.swap(row, column);
            let (l, r) = (left[column], right[column]);
            for row in (0..64).filter(|row| *row != column) {
                if right[row] & bit != 0 {
                    left[row] ^= l;
                    right[row] ^= r;
                }
            }
            (left[column], right[column]) = (0, 0);
        }
    }
    Some((right, mask))
}

/// Independent vectors of the kernel of B in the span of the columns of x and v.
fn combine(matrix: &Matrix, x: &[u64], v: &[u64]) -> Vec<Vec<usize>> {
    let both = |x: u64, v: u64| u128::from(x) | u128::from(v) << 64;
    let (bx, bv) = (matrix.times(x), matrix.times(v));
    let dense = bx.dense.iter().flatten().zip(bv.dense.iter().flatten());
    let image = bx.sparse.iter().zip(&bv.sparse).chain(dense);
    let image: Vec<u128> = image.map(|(x, v)| both(*x, *v)).collect();
    let image = Echelon::of_many(&image);
    // Bit j of rows[i]: whether vector j of the kernel has column i of (x, v).
    let rows = image.kernel();
    let vectors = threads::map(x.len(), ROWS, |i| {
        let (mut word, mut total) = (both(x[i], v[i]), 0);
        while word != 0 {
            total ^= rows[word.trailing_zeros() as usize];
            word &= word - 1;
        }
        total
    });
    // Columns with a pivot in the echelon form are independent.
    let independent: Vec<usize> = Echelon::of_many(&vectors).pivots().take(MOST).collect();
    threads::map(independent.len(), 1, |k| {
        let has_it = |word: &u128| word >> independent[k] & 1 == 1;
        let all = vectors.iter().enumerate();
        all.filter(|(_, word)| has_it(word))
            .map(|(i, _)| i)
            .collect()
    })
}

/// A reduced echelon form of rows of 128 bits.
struct Echelon {
    /// The row whose pivot is in each column.
    rows: [Option<u128>; 128],
}

impl Echelon {
    /// The only reduced echelon form of these rows: from those of parts of them.
    fn of_many(all: &[u128]) -> Echelon {
        let parts = threads::map(all.len().div_ceil(ROWS), 1, |i| {
            Echelon::new(threads::chunk(all, ROWS, i).iter().copied())
        });
        Echelon::new(parts.iter().flat_map(|part| part.rows).flatten())
    }

    fn new(all: impl Iterator<Item = u128>) -> Echelon {
        let mut rows: [Option<u128>; 128] = [None; 128];
        for mut row in all {
            let mut rest = row;
            while rest != 0 {
                let column = rest.trailing_zeros() as usize;
                if let Some(pivot) = rows[column] {
                    row ^= pivot;
                    rest ^= pivot;
                }
                rest &= !(1 << column);
            }
            if row == 0 {
                continue;
            }
            let column = row.trailing_zeros() as usize;
            for other in rows.iter_mut().flatten() {
                if *other >> column & 1 == 1 {
                    *other ^= row;
                }
            }
            rows[column] = Some(row);
        }
        Echelon { rows }
    }

    fn pivots(&self) -> impl Iterator<Item = usize> {
        (0..128).filter(|column| self.rows[*column].is_some())
    }

    /// A basis of the vectors that are orthogonal to all rows: bit j of word i is place i of the
    /// j-th of them.
    fn kernel(&self) -> [u128; 128] {
        let mut kernel = [0; 128];
        let free = (0..128).filter(|column| self.rows[*column].is_none());
        for (j, column) in free.enumerate() {
            kernel[column] |= 1 << j;
            for pivot in self.pivots() {
                let has_it = self.rows[pivot].is_some_and(|row| row >> column & 1 == 1);
                kernel[pivot] |= u128::from(has_it) << j;
            }
        }
        kernel
    }
}
