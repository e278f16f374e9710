//! Arithmetic on rows on a device: wrappers around the kernels of this folder.
//!
//! A module is compiled for the lanes that share a row and for what each of them has; the width
//! itself is an argument.

#![allow(unsafe_code)]

mod units;

pub(crate) use units::units;
pub(super) use units::{of_gcds, of_powers, of_primality, of_products, of_quotients, of_trials};

use std::sync::Arc;

use super::plan::Share;
use crate::batch::cuda::DeviceRows;
use crate::batch::{Batch, Rows};
use crate::cuda::{Buffer, Device, Handle, Kernel, Launch, Lent, Write};
use crate::error::Result;
use crate::tuning::Tuning;
use units::{
    GCD, MUL, PRIME_PASSES, PRIME_UNDECIDED, SCAN_EVEN, SCAN_ZERO, batch_divide, batch_gcd,
    batch_gcd_pairs, batch_inverse, batch_kinds, batch_mul, batch_mul_again, batch_power,
    batch_prepare, batch_prime, batch_product_mod, batch_root, batch_sum_mod, batch_trial, defines,
    gcd_defines, mul_defines,
};

/// Maximum blocks of a launch. Each block takes rows until none is left.
const MOST_BLOCKS: usize = 1 << 20;

/// Rows of one shape on a device, and how kernels take them.
struct Task<'a> {
    device: &'a Arc<Device>,
    tuning: Tuning,
    count: usize,
    width: usize,
}

impl<'a> Task<'a> {
    fn new(device: &'a Arc<Device>, rows: &Rows<'_>) -> Task<'a> {
        Task {
            device,
            tuning: Tuning::current(),
            count: rows.count,
            width: rows.batch.width,
        }
    }

    fn words(&self) -> u32 {
        2 * self.width as u32
    }

    /// An operand, which has all the rows.
    fn take(&self, rows: &Rows<'_>) -> Result<DeviceRows> {
        let taken = rows.on(self.device)?;
        assert_eq!(taken.limbs, self.count * self.width);
        Ok(taken)
    }

    fn kernel<K: Handle>(&self, handle: K) -> Result<Kernel<K>> {
        let source = K::source();
        let defines = match source {
            _ if std::ptr::eq(source, &MUL) => mul_defines,
            _ if std::ptr::eq(source, &GCD) => gcd_defines,
            _ => defines,
        };
        let defines = defines(&self.tuning, self.width);
        self.device.kernel(handle, &defines)
    }

    /// A launch with blocks for all rows, each row on `lanes` lanes.
    fn launch(&self, lanes: usize) -> Launch {
        let block = self.tuning.batch_block;
        let blocks = self.count.div_ceil(block as usize / lanes).min(MOST_BLOCKS);
        Launch::of(blocks as u32, block)
    }

    fn by_words(&self) -> Launch {
        self.launch(Share::words(&self.tuning, self.width).lanes)
    }

    fn by_factors(&self) -> Launch {
        self.launch(Share::factors(&self.tuning, self.width).lanes)
    }

    fn by_steps(&self) -> Launch {
        self.launch(Share::steps(&self.tuning, self.width).lanes)
    }

    /// Room for a result of `times` rows for each row.
    fn room(&self, times: usize) -> Result<Buffer> {
        self.device.alloc(times * self.count * self.width)
    }

    fn batch(&self, buffer: Buffer) -> Batch {
        Batch::from_device(buffer, self.count, self.width)
    }

    /// Which kinds of rows there are.
    fn kinds(&self, rows: &DeviceRows) -> Result<u32> {
        let kinds = self.device.alloc(1)?;
        self.device.zero(&kinds, 0, 1)?;
        let kernel = self.device.kernel(batch_kinds, &[])?;
        // SAFETY: kinds is a zero word; the rows are count rows of `words` words (asserted by
        // take()).
        unsafe {
            kernel.launch(
                self.launch(1),
                kinds.update(),
                rows.read(),
                self.count,
                self.words(),
            )?;
        }
        let mut word = [0];
        self.device.download(&kinds, 0, &mut word)?;
        Ok(word[0] as u32)
    }
}

/// Whether any row is zero, and whether any is even but not zero.
pub(super) fn kinds(device: &Arc<Device>, rows: &Rows<'_>) -> Result<(bool, bool)> {
    if rows.count == 0 {
        return Ok((false, false));
    }
    let task = Task::new(device, rows);
    let kinds = task.kinds(&task.take(rows)?)?;
    Ok((kinds & SCAN_ZERO != 0, kinds & SCAN_EVEN != 0))
}

pub(super) fn mul(device: &Arc<Device>, a: &Rows<'_>, b: &Rows<'_>, whole: bool) -> Result<Batch> {
    let task = Task::new(device, a);
    let times = if whole { 2 } else { 1 };
    let out = task.room(times)?;
    if a.count > 0 {
        let (x, y) = (task.take(a)?, task.take(b)?);
        let kernel = task.kernel(batch_mul)?;
        // SAFETY: out is new and holds `times` rows for each row; x and y hold count rows (asserted
        // by take()).
        unsafe {
            kernel.launch(
                task.by_factors(),
                out.write(),
                x.read(),
                y.read(),
                task.count,
                task.words(),
                u32::from(whole),
            )?;
        }
    }
    Ok(Batch::from_device(out, a.count, times * a.batch.width))
}

/// The low half of a·b·b·…, for benchmarks, with many products in one kernel.
pub(crate) fn mul_again(
    device: &Arc<Device>,
    a: &Rows<'_>,
    b: &Rows<'_>,
    times: u32,
) -> Result<Batch> {
    let task = Task::new(device, a);
    let (x, y, out) = (task.take(a)?, task.take(b)?, task.room(1)?);
    let kernel = task.kernel(batch_mul_again)?;
    // SAFETY: out is new; out, x and y hold count rows (asserted by take()).
    unsafe {
        kernel.launch(
            task.by_factors(),
            out.write(),
            x.read(),
            y.read(),
            task.count,
            task.words(),
            times,
        )?;
    }
    Ok(task.batch(out))
}

/// Quotients and remainders, those that are wanted; no divisor is zero.
pub(super) fn div_rem(
    device: &Arc<Device>,
    a: &Rows<'_>,
    b: &Rows<'_>,
    wanted: (bool, bool),
) -> Result<(Batch, Batch)> {
    let task = Task::new(device, a);
    let (quotients, remainders) = (task.room(1)?, task.room(1)?);
    if a.count > 0 {
        let (x, y) = (task.take(a)?, task.take(b)?);
        let kernel = task.kernel(batch_divide)?;
        // SAFETY: quotients and remainders are new and null where the kernel is not to write them;
        // all hold count rows (asserted by take()).
        unsafe {
            kernel.launch(
                task.by_words(),
                wanted.0.then(|| quotients.write()),
                wanted.1.then(|| remainders.write()),
                x.read(),
                y.read(),
                task.count,
                task.words(),
            )?;
        }
    }
    Ok((task.batch(quotients), task.batch(remainders)))
}

pub(super) fn sqrt(device: &Arc<Device>, a: &Rows<'_>) -> Result<Batch> {
    let task = Task::new(device, a);
    let out = task.room(1)?;
    if a.count > 0 {
        let x = task.take(a)?;
        let kernel = task.kernel(batch_root)?;
        // SAFETY: out is new; out and x hold count rows (asserted by take()).
        unsafe {
            kernel.launch(
                task.by_words(),
                out.write(),
                x.read(),
                task.count,
                task.words(),
            )?;
        }
    }
    Ok(task.batch(out))
}

/// Row by row greatest common divisor.
pub(crate) fn gcd(device: &Arc<Device>, a: &Rows<'_>, b: &Rows<'_>) -> Result<Batch> {
    let task = Task::new(device, a);
    let out = task.room(1)?;
    if a.count > 0 {
        let (x, y) = (task.take(a)?, task.take(b)?);
        let kernel = task.kernel(batch_gcd)?;
        // SAFETY: out is new; out, x and y hold count rows (asserted by take()).
        unsafe {
            kernel.launch(
                task.by_steps(),
                out.write(),
                x.read(),
                y.read(),
                task.count,
                task.words(),
            )?;
        }
    }
    Ok(task.batch(out))
}

/// The pairs of rows that have a common divisor, in no particular order. No row may be zero. None
/// if there are more than `most` pairs.
pub(crate) fn not_coprime(
    device: &Arc<Device>,
    rows: &Rows<'_>,
    most: usize,
) -> Result<Option<Vec<(usize, usize)>>> {
    let task = Task::new(device, rows);
    assert!(task.count < 1 << 31);
    let found = device.alloc(1 + most)?;
    device.zero(&found, 0, 1)?;
    let pairs = Task {
        count: task.count * task.count.saturating_sub(1) / 2,
        ..task
    };
    if pairs.count > 0 {
        let all = rows.on(device)?;
        assert_eq!(all.limbs, rows.count * rows.batch.width);
        let kernel = pairs.kernel(batch_gcd_pairs)?;
        // SAFETY: found has a zero and room for `most` words after it; `all` holds the rows,
        // asserted above.
        unsafe {
            kernel.launch(
                pairs.by_steps(),
                found.update(),
                most as u64,
                all.read(),
                rows.count as u64,
                pairs.words(),
            )?;
        }
    }
    let mut count = [0];
    device.download(&found, 0, &mut count)?;
    let count = count[0] as usize;
    if count > most {
        return Ok(None);
    }
    let mut list = vec![0; count];
    device.download(&found, 1, &mut list)?;
    let pair = |word: u64| ((word >> 32) as usize, (word & 0xffff_ffff) as usize);
    Ok(Some(list.into_iter().map(pair).collect()))
}

/// Inverses modulo odd rows, and which rows have one. Results modulo even rows are unspecified.
pub(super) fn mod_inverse(
    device: &Arc<Device>,
    a: &Rows<'_>,
    modulus: &Rows<'_>,
) -> Result<(Batch, Vec<bool>)> {
    let task = Task::new(device, a);
    let (out, found) = (task.room(1)?, device.alloc(a.count)?);
    let mut words = vec![0; a.count];
    if a.count > 0 {
        let (x, n) = (task.take(a)?, task.take(modulus)?);
        let kernel = task.kernel(batch_inverse)?;
        // SAFETY: out and found are new; out, x and n hold count rows (asserted by take()), found a
        // word for each.
        unsafe {
            kernel.launch(
                task.by_steps(),
                out.write(),
                found.write(),
                x.read(),
                n.read(),
                task.count,
                task.words(),
            )?;
        }
        device.download(&found, 0, &mut words)?;
    }
    let found = words.into_iter().map(|word| word == 1).collect();
    Ok((task.batch(out), found))
}

/// Powers modulo odd rows. Results modulo even rows are unspecified.
pub(super) fn pow_mod(
    device: &Arc<Device>,
    base: &Rows<'_>,
    exponent: &Rows<'_>,
    modulus: &Rows<'_>,
) -> Result<Batch> {
    let task = Task::new(device, base);
    let out = task.room(1)?;
    if base.count > 0 {
        let (x, e, n) = (task.take(base)?, task.take(exponent)?, task.take(modulus)?);
        let kernel = task.kernel(batch_power)?;
        let share = Share::words(&task.tuning, task.width);
        let mut launch = task.by_words();
        launch.grid = launch.grid.min(kernel.resident_blocks(launch.block, 0)?);
        let groups = (launch.grid * launch.block) as usize / share.lanes;
        let words = (groups * share.lanes * share.part) << task.tuning.batch_window;
        let tables = device.alloc(words.div_ceil(2))?;
        // SAFETY: out and tables are new; out, x, e and n hold count rows (asserted by take()),
        // tables 2^window numbers for each group.
        unsafe {
            kernel.launch(
                launch,
                out.write(),
                x.read(),
                e.read(),
                n.read(),
                task.count,
                task.words(),
                tables.write(),
            )?;
        }
    }
    Ok(task.batch(out))
}

/// R mod n and R² mod n of odd rows.
pub(super) fn prepare(device: &Arc<Device>, moduli: &Rows<'_>) -> Result<(Batch, Batch)> {
    let task = Task::new(device, moduli);
    let (ones, squares) = (task.room(1)?, task.room(1)?);
    if moduli.count > 0 {
        let n = task.take(moduli)?;
        let kernel = task.kernel(batch_prepare)?;
        // SAFETY: ones and squares are new; they and n hold count rows (asserted by take()).
        unsafe {
            kernel.launch(
                task.by_words(),
                ones.write(),
                squares.write(),
                n.read(),
                task.count,
                task.words(),
            )?;
        }
    }
    Ok((task.batch(ones), task.batch(squares)))
}

/// a·b/R modulo odd rows; a/R where there is no b.
pub(super) fn product_mod(
    device: &Arc<Device>,
    a: &Rows<'_>,
    b: Option<&Rows<'_>>,
    moduli: &Rows<'_>,
) -> Result<Batch> {
    let task = Task::new(device, a);
    let out = task.room(1)?;
    if a.count > 0 {
        let (x, n) = (task.take(a)?, task.take(moduli)?);
        let y = b.map(|b| task.take(b)).transpose()?;
        let kernel = task.kernel(batch_product_mod)?;
        // SAFETY: out is new; out, x, n and y, unless it is null, hold count rows (asserted by
        // take()).
        unsafe {
            kernel.launch(
                task.by_words(),
                out.write(),
                x.read(),
                y.as_ref().map(|y| y.read()),
                n.read(),
                task.count,
                task.words(),
            )?;
        }
    }
    Ok(task.batch(out))
}

/// a ± b modulo rows, for a and b below them.
pub(super) fn sum_mod(
    device: &Arc<Device>,
    a: &Rows<'_>,
    b: &Rows<'_>,
    moduli: &Rows<'_>,
    minus: bool,
) -> Result<Batch> {
    let task = Task::new(device, a);
    let out = task.room(1)?;
    if a.count > 0 {
        let (x, y, n) = (task.take(a)?, task.take(b)?, task.take(moduli)?);
        let kernel = task.kernel(batch_sum_mod)?;
        // SAFETY: out is new; out, x, y and n hold count rows (asserted by take()).
        unsafe {
            kernel.launch(
                task.by_words(),
                out.write(),
                x.read(),
                y.read(),
                n.read(),
                task.count,
                task.words(),
                u32::from(minus),
            )?;
        }
    }
    Ok(task.batch(out))
}

/// One word a row.
fn answers(
    task: &Task<'_>,
    launch: impl FnOnce(Lent<Write<u64>>) -> Result<()>,
) -> Result<Vec<u64>> {
    let out = task.device.alloc(task.count)?;
    launch(out.write())?;
    let mut words = vec![0; task.count];
    task.device.download(&out, 0, &mut words)?;
    Ok(words)
}

pub(super) fn trial(
    device: &Arc<Device>,
    a: &Rows<'_>,
    primes: &[u32],
) -> Result<Vec<Option<u64>>> {
    if a.count == 0 {
        return Ok(Vec::new());
    }
    let task = Task::new(device, a);
    let x = task.take(a)?;
    let pair = |pair: &[u32]| u64::from(*pair.get(1).unwrap_or(&0)) << 32 | u64::from(pair[0]);
    let table = device.upload(&primes.chunks(2).map(pair).collect::<Vec<u64>>())?;
    assert!(table.limbs() >= primes.len().div_ceil(2));
    let kernel = device.kernel(batch_trial, &[])?;
    let words = answers(&task, |out| {
        // SAFETY: out holds a word for each row; x holds count rows (asserted by take()), the table
        // the primes (asserted above).
        unsafe {
            kernel.launch(
                task.launch(32),
                out,
                x.read(),
                task.count,
                task.words(),
                table.read(),
                primes.len() as u32,
            )
        }
    })?;
    Ok(words.into_iter().map(|p| (p > 0).then_some(p)).collect())
}

/// Whether each row is a probable prime. None for a row that the device cannot decide.
pub(super) fn primes(device: &Arc<Device>, a: &Rows<'_>) -> Result<Vec<Option<bool>>> {
    if a.count == 0 {
        return Ok(Vec::new());
    }
    let task = Task::new(device, a);
    let x = task.take(a)?;
    let kernel = task.kernel(batch_prime)?;
    let words = answers(&task, |out| {
        // SAFETY: out holds a word for each row; x holds count rows (asserted by take()).
        unsafe { kernel.launch(task.by_words(), out, x.read(), task.count, task.words()) }
    })?;
    let verdict = |word| (word != PRIME_UNDECIDED).then_some(word == PRIME_PASSES);
    Ok(words.into_iter().map(verdict).collect())
}
