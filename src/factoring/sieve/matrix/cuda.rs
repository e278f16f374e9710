//! Vectors of block Lanczos on a device: wrappers around `lanczos.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::super::cuda::pairs;
use super::block::Block;
use super::lanczos::Vectors;
use super::sparse::{Lists, Matrix};
use crate::cuda::{Buffer, Device, Kernel, Launch, Read, Span, Unit, Update, Write, kernels};
use crate::error::Result;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static LANCZOS = "factor_sieve_lanczos", include_str!("lanczos.cu");

    const {
        /// Threads of a block.
        LANCZOS_BLOCK: u32 = 256;
        /// Threads that share a short list: 8 indices are a sector of the second-level cache.
        LANCZOS_LANES: u32 = 8;
    }

    fn lanczos_sums(
        starts: Read<u32>[lists + 1], entries: Read<u32>, lists: u32, heavy: u32, x: Read<u64>,
        words: Read<u64>[dense * lists], rows: Read<u64>[64 * dense], dense: u32,
        out: Write<u64>[lists],
    );
    fn lanczos_inner(
        left: Read<u64>[count * n], count: u32, right: Read<u64>[n], n: u32,
        out: Update<u64>[64 * count],
    );
    fn lanczos_advance(
        x: Update<u64>[n], next: Update<u64>[n], mask: u64, v: Read<u64>[n], v1: Read<u64>[n],
        v2: Read<u64>[n], n: u32, by: Read<u64>[4 * 64],
    );
}

/// Entries from which on a list has a separate block.
const HEAVY: u32 = LANCZOS_BLOCK;
/// Minimum rows of two vectors per thread of an inner product, if there are enough.
const LEAST_ROWS: u32 = 32;
/// Maximum blocks of one launch per multiprocessor, if blocks may take any number of rows. Fewer
/// blocks mean fewer atomic additions to the same words of an inner product.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;
/// Maximum inner products that are computed at once.
const MOST_PRODUCTS: usize = 3;

/// Every module of this file.
pub(crate) fn units(_: &Tuning) -> Vec<Unit> {
    vec![Unit::new(&LANCZOS, &[])]
}

/// Lists of indices on a device.
struct DeviceLists {
    starts: Buffer,
    entries: Buffer,
    count: u32,
    /// The first lists that are heavy.
    heavy: u32,
}

impl DeviceLists {
    fn new(device: &Arc<Device>, lists: &Lists) -> Result<DeviceLists> {
        let lengths = lists.starts.windows(2).map(|bounds| bounds[1] - bounds[0]);
        Ok(DeviceLists {
            starts: device.upload(&pairs(&lists.starts))?,
            entries: device.upload(&pairs(&lists.entries))?,
            count: lists.len() as u32,
            heavy: lengths.take_while(|length| *length >= HEAVY).count() as u32,
        })
    }

    fn shape(&self) -> Launch {
        let light = (self.count - self.heavy).div_ceil(LANCZOS_BLOCK / LANCZOS_LANES);
        Launch::of((self.heavy + light).max(1), LANCZOS_BLOCK)
    }
}

/// A matrix on a device, and memory for its products. Only one thread may use it at a time.
pub(super) struct DeviceMatrix<'a> {
    device: Arc<Device>,
    matrix: &'a Matrix,
    by_row: DeviceLists,
    by_column: DeviceLists,
    /// The dense rows, one vector of n words for each 64 of them.
    words: Buffer,
    /// B·x: of the sparse rows, and a block for each 64 dense rows.
    sparse: Buffer,
    dense: Buffer,
    /// Inner products.
    products: Buffer,
    /// The blocks of a step.
    by: Buffer,
    sums: Kernel<lanczos_sums>,
    inner: Kernel<lanczos_inner>,
    advance: Kernel<lanczos_advance>,
}

impl<'a> DeviceMatrix<'a> {
    pub(super) fn new(device: &Arc<Device>, matrix: &'a Matrix) -> Result<DeviceMatrix<'a>> {
        device.prepare(&units(Tuning::in_force()))?;
        let module = device.module(&LANCZOS, &[])?;
        Ok(DeviceMatrix {
            by_row: DeviceLists::new(device, &matrix.by_row)?,
            by_column: DeviceLists::new(device, &matrix.by_column)?,
            words: device.upload(&matrix.dense.concat())?,
            sparse: device.alloc(matrix.by_row.len())?,
            dense: device.alloc(64 * matrix.dense.len())?,
            products: device.alloc(64 * MOST_PRODUCTS)?,
            by: device.alloc(4 * 64)?,
            sums: module.kernel(lanczos_sums)?,
            inner: module.kernel(lanczos_inner)?,
            advance: module.kernel(lanczos_advance)?,
            device: device.clone(),
            matrix,
        })
    }

    /// n.
    fn width(&self) -> u32 {
        self.by_column.count
    }

    /// Maximum blocks of a launch whose blocks take as many rows as necessary.
    fn most_blocks(&self) -> u32 {
        BLOCKS_PER_MULTIPROCESSOR * self.device.info().multiprocessors
    }

    /// Adds leftᵀ·right to a block of `out` for each of `count` vectors that follow each other.
    fn add_inner(&self, left: &Buffer, count: u32, right: &Buffer, out: Span<'_>) -> Result<()> {
        let rows = LEAST_ROWS * (LANCZOS_BLOCK / 64);
        let most = (self.most_blocks() / count).max(1);
        let blocks = self.width().div_ceil(rows).clamp(1, most);
        // SAFETY: the grid is a multiple of `count`. Nobody else uses what is written.
        unsafe {
            self.inner.launch(
                Launch::of(blocks * count, LANCZOS_BLOCK),
                left.read(),
                count,
                right.read(),
                self.width(),
                out.update(),
            )
        }
    }
}

impl Vectors for DeviceMatrix<'_> {
    type Vector = Buffer;

    fn matrix(&self) -> &Matrix {
        self.matrix
    }

    fn put(&self, words: &[u64]) -> Result<Buffer> {
        self.device.upload(words)
    }

    fn get(&self, v: Buffer) -> Result<Vec<u64>> {
        self.device.fetch(&v)
    }

    fn times_twice(&self, v: &Buffer) -> Result<Buffer> {
        assert_eq!(v.limbs(), self.width() as usize);
        let out = self.device.alloc(v.limbs())?;
        let blocks = self.matrix.dense.len() as u32;
        if blocks > 0 {
            self.device.zero(&self.dense, 0, self.dense.limbs())?;
            self.add_inner(&self.words, blocks, v, self.dense.span())?;
        }
        // B·v of the sparse rows, then Bᵀ times that and times the inner products of dense rows.
        let first = (&self.by_row, v, 0, &self.sparse);
        let second = (&self.by_column, &self.sparse, blocks, &out);
        for (lists, x, blocks, out) in [first, second] {
            // SAFETY: the grid is that of the lists, and their entries are below the length of x:
            // columns of B where x has n words (asserted above), sparse rows of B where x has one
            // word per sparse row. Nobody else uses what is written.
            unsafe {
                self.sums.launch(
                    lists.shape(),
                    lists.starts.read(),
                    lists.entries.read(),
                    lists.count,
                    lists.heavy,
                    x.read(),
                    self.words.read(),
                    self.dense.read(),
                    blocks,
                    out.write(),
                )?;
            }
        }
        Ok(out)
    }

    fn inner_products(&self, pairs: &[(&Buffer, &Buffer)]) -> Result<Vec<Block>> {
        assert!(pairs.len() <= MOST_PRODUCTS);
        self.device.zero(&self.products, 0, 64 * pairs.len())?;
        for (k, (v, w)) in pairs.iter().enumerate() {
            self.add_inner(v, 1, w, self.products.skip_limbs(64 * k))?;
        }
        let mut blocks = vec![[0; 64]; pairs.len()];
        let words = blocks.as_flattened_mut();
        self.device.download(&self.products, 0, words)?;
        Ok(blocks)
    }

    fn advance(
        &self,
        x: &mut Buffer,
        next: &mut Buffer,
        mask: u64,
        [v, v1, v2]: [&Buffer; 3],
        by: &[Block; 4],
    ) -> Result<()> {
        self.device.upload_into(&self.by, 0, by.as_flattened())?;
        let blocks = self.width().div_ceil(LANCZOS_BLOCK);
        let blocks = blocks.clamp(1, self.most_blocks());
        // SAFETY: x and next are borrowed for writing, so that they are none of the others. Nobody
        // else uses them.
        unsafe {
            self.advance.launch(
                Launch::of(blocks, LANCZOS_BLOCK),
                x.update(),
                next.update(),
                mask,
                v.read(),
                v1.read(),
                v2.read(),
                self.width(),
                self.by.read(),
            )
        }
    }
}
