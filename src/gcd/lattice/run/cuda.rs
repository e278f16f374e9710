//! Followers on a device: one kernel that stays for the whole run. It communicates with the host by
//! a mailbox in shared memory.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::super::basis::{OperandBounds, Step};
use super::super::moduli::{MODULUS_BITS, Moduli, first_blocks};
use super::super::plan::LatticePlan;
use super::followers::MailboxFollowers;
use super::leader::{Leader, Outcome, PassOutcome};
use super::mailbox::{LeaderEnd, MAX_WORDS, Mailbox, MailboxLengths};
use crate::cuda::{Buffer, Device, Launch, Module, Read, Unit, Update, Write, kernels};
use crate::error::Result;
use crate::limbs::DeviceLimbs;
use crate::mul;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static LATTICE = "gcd_lattice", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("lattice.cu")
    );

    fn lattice_convert(
        state: Write<u64>[count], primes: Read<u64>[count], count: u64, u: Read<u64>[len_u],
        len_u: u64, v: Read<u64>[len_v], len_v: u64, segments: u32, length: u32,
    );
    fn lattice_follow(
        state: Update<u64>[count], primes: Read<u64>[count], count: u64, k: u32, soon: u32,
        headers: Read<u64>[relay_headers], payload: Read<u64>, published: Write<u64>,
        relay: Update<u64>[relay_headers], relay_headers: u64,
    );
    fn lattice_products(
        out: Write<u64>[targets], state: Read<u64>[first + targets],
        primes: Read<u64>[end.max(first + targets)], first: u64, targets: u64, end: u64,
    );
}

/// The kernels of a greatest common divisor of numbers of `bits` bits.
pub(crate) fn needed(bits: u64, tuning: &Tuning) -> Vec<Unit> {
    let mut all = units(tuning);
    all.extend(mul::cuda::needed(bits / 64, tuning));
    all
}

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    vec![Unit::new(&LATTICE, &defines(tuning))]
}

/// The `-D` values of `lattice.cu`.
pub(crate) fn defines(tuning: &Tuning) -> [(&'static str, i64); 2] {
    [
        ("LATTICE_BLOCK", tuning.lattice_threads.into()),
        ("LATTICE_WORDS", MAX_WORDS as i64),
    ]
}

/// Maximum blocks of the follower per multiprocessor. Every block reads every step.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;
/// Minimum threads per multiprocessor that the conversion should have, and the maximum number of
/// pieces into which it cuts a number.
const CONVERTERS: usize = 1024;
const MOST_SEGMENTS: usize = 32;

/// One run on a device.
pub(crate) struct DeviceRun {
    device: Arc<Device>,
    module: Arc<Module>,
    primes: Arc<Buffer>,
    state: Buffer,
    threads: u32,
    count: usize,
}

impl DeviceRun {
    /// Room for a run of this plan.
    pub(crate) fn new(device: &Arc<Device>, plan: &LatticePlan) -> Result<DeviceRun> {
        let tuning = Tuning::current();
        let count = plan.moduli();
        // Tables for a power of two serve many plans. The primes are looked for here: `constants`
        // is locked while it makes a table.
        let kept = count.next_power_of_two();
        let moduli = Moduli::new(kept).or_else(|| Moduli::new(count));
        let make = || {
            let pairs = moduli.iter().flat_map(|m| m.q.iter().zip(m.ninv.iter()));
            let words = pairs.map(|(q, ninv)| u64::from(*q) | u64::from(*ninv) << 32);
            words.take(kept).collect()
        };
        Ok(DeviceRun {
            device: device.clone(),
            module: device.module(&LATTICE, &defines(&tuning))?,
            primes: device.constants("gcd/lattice", kept as u64, make)?,
            state: device.alloc(count)?,
            threads: tuning.lattice_threads,
            count,
        })
    }

    /// Room for a run with the moduli `q` out of a longer list. `ninv` has −1/q modulo 2^32 of
    /// each. There is at least one modulus.
    pub(crate) fn of(device: &Arc<Device>, q: &[u32], ninv: &[u32]) -> Result<DeviceRun> {
        let tuning = Tuning::current();
        let pairs = q.iter().zip(ninv);
        let words: Vec<u64> = pairs
            .map(|(q, ninv)| u64::from(*q) | u64::from(*ninv) << 32)
            .collect();
        Ok(DeviceRun {
            device: device.clone(),
            module: device.module(&LATTICE, &defines(&tuning))?,
            primes: Arc::new(device.upload(&words)?),
            state: device.alloc(q.len())?,
            threads: tuning.lattice_threads,
            count: q.len(),
        })
    }

    /// How the conversion cuts numbers of `plan.words` words: pieces, and words of each.
    pub(crate) fn segments(&self, plan: &LatticePlan) -> (usize, usize) {
        let wanted = CONVERTERS * self.device.info().multiprocessors as usize / self.count;
        let most = MOST_SEGMENTS.min(self.threads as usize).min(plan.words / 2);
        let segments = match wanted.clamp(1, most.max(1)) {
            n if n.is_power_of_two() => n,
            n => n.next_power_of_two() / 2,
        };
        (segments, plan.words.div_ceil(2 * segments) * 2)
    }

    /// Queues the conversion of the operands; both are positive, and their limbs above the bounds
    /// are zero.
    pub(crate) fn convert(
        &self,
        plan: &LatticePlan,
        u: &DeviceLimbs,
        v: &DeviceLimbs,
    ) -> Result<()> {
        let (segments, length) = self.segments(plan);
        assert!((self.threads as usize).is_multiple_of(segments) && length.is_multiple_of(2));
        let digits = |x: &DeviceLimbs| {
            let len = x.bits.div_ceil(64) as usize;
            assert!(x.start() + len <= x.buffer.limbs() && 2 * len <= segments * length);
            len
        };
        let width = self.threads as usize / segments;
        let grid = self.count.div_ceil(width) as u32;
        let kernel = self.module.kernel(lattice_convert)?;
        // SAFETY: state and primes hold `count` words; the operands hold the lengths passed, which
        // the segments cover (asserted above); the number of segments divides the block.
        unsafe {
            kernel.launch(
                Launch::of(grid, self.threads),
                self.state.write(),
                self.primes.read(),
                self.count,
                u.read(),
                digits(u),
                v.read(),
                digits(v),
                segments as u32,
                length as u32,
            )
        }
    }

    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Leads the run to the end with the kernel as the follower. None if the moduli were too few.
    pub(crate) fn lead(
        &self,
        plan: &LatticePlan,
        moduli: &Moduli,
        bounds: OperandBounds,
    ) -> Result<Option<Outcome>> {
        self.with_followers(plan, moduli, bounds, |leader| leader.lead_to_end())
    }

    /// Leads through all blocks with the kernel as the follower. Calls `note` with every step.
    pub(crate) fn lead_through_all_blocks(
        &self,
        plan: &LatticePlan,
        moduli: &Moduli,
        bounds: OperandBounds,
        note: impl FnMut(Step),
    ) -> Result<PassOutcome> {
        self.with_followers(plan, moduli, bounds, |leader| {
            leader.lead_through_all_blocks(note)
        })
    }

    fn with_followers<T>(
        &self,
        plan: &LatticePlan,
        moduli: &Moduli,
        bounds: OperandBounds,
        lead: impl FnOnce(Leader<MailboxFollowers<'_>>) -> Result<T>,
    ) -> Result<T> {
        let blocks = first_blocks(moduli, plan.k, plan.blocks);
        let soon = (plan.ahead + 1).min(plan.blocks);
        self.with_kernel(plan.k, plan.mailbox_lengths(), soon, |mailbox| {
            let followers = MailboxFollowers {
                mailbox,
                moduli,
                blocks: &blocks,
            };
            let least = moduli.q[plan.moduli() - 1];
            lead(Leader::new(
                *plan,
                followers,
                least,
                bounds,
                self.exponent(plan),
            ))
        })
    }

    /// The initial residues are R^-this times those of the operands.
    pub(crate) fn exponent(&self, plan: &LatticePlan) -> u64 {
        let (segments, length) = self.segments(plan);
        (segments * length) as u64
    }

    /// Runs `lead` while the kernel follows. The kernel publishes the residues of the first `soon`
    /// blocks of k moduli without a request.
    pub(crate) fn with_kernel<T>(
        &self,
        k: usize,
        lengths: MailboxLengths,
        soon: usize,
        lead: impl FnOnce(LeaderEnd<'_>) -> Result<T>,
    ) -> Result<T> {
        let mapped = self.device.mapped(lengths.words())?;
        let mailbox = Mailbox::new(mapped.words(), lengths);
        let relay = self.device.alloc(lengths.headers + lengths.payload)?;
        self.device.zero(&relay, 0, lengths.headers)?;
        let most = (k * MODULUS_BITS as usize).div_ceil(32) + 3;
        assert!(
            most <= MAX_WORDS
                && self.state.limbs() >= self.count
                && self.primes.limbs() >= self.count
        );
        let kernel = self.module.kernel(lattice_follow)?;
        let wanted = self.count.div_ceil(self.threads as usize) as u32;
        let resident = kernel.resident_blocks(self.threads, 0)?;
        let few = BLOCKS_PER_MULTIPROCESSOR * self.device.info().multiprocessors;
        let launch = Launch {
            cooperative: true,
            ..Launch::of(wanted.min(resident).min(few).max(1), self.threads)
        };
        let headers = mapped.span();
        let payload = headers.skip_bytes(8 * lengths.headers as u64);
        let published = payload.skip_bytes(8 * lengths.payload as u64);
        // SAFETY: state and primes hold `count` words (asserted above); the mailbox's parts lie in
        // the mapping as its lengths say, and the relay has room for as much; steps have at most
        // MAX_WORDS words. The leader's end of the mailbox ends the log when it is dropped, and
        // with it the kernel.
        let follow = || unsafe {
            kernel.launch(
                launch,
                self.state.update(),
                self.primes.read(),
                self.count,
                k as u32,
                soon as u32,
                headers.read(),
                payload.read(),
                published.write(),
                relay.update(),
                lengths.headers,
            )
        };
        self.device
            .beside(follow, |alive| lead(LeaderEnd::new(mailbox, alive, k)))
    }

    /// Returns the residues of U modulo some of the moduli.
    pub(crate) fn residues(&self, range: std::ops::Range<usize>) -> Result<Vec<u32>> {
        let mut pairs = vec![0; range.len()];
        self.device.download(&self.state, range.start, &mut pairs)?;
        Ok(pairs.into_iter().map(|pair| pair as u32).collect())
    }

    /// For each modulus from which U is reconstructed, returns the residue of U, and the product of
    /// all moduli so far except that modulus.
    pub(crate) fn products(&self, range: std::ops::Range<usize>) -> Result<(Vec<u32>, Vec<u32>)> {
        assert!(range.end <= self.count);
        let out = self.device.alloc(range.len())?;
        let kernel = self.module.kernel(lattice_products)?;
        let grid = range.len().div_ceil(self.threads as usize / 32) as u32;
        // SAFETY: out holds the targets, state and primes all primes up to `end` (asserted above).
        unsafe {
            kernel.launch(
                Launch::of(grid, self.threads),
                out.write(),
                self.state.read(),
                self.primes.read(),
                range.start,
                range.len(),
                range.end,
            )?;
        }
        let mut pairs = vec![0; range.len()];
        self.device.download(&out, 0, &mut pairs)?;
        Ok(pairs
            .into_iter()
            .map(|pair| (pair as u32, (pair >> 32) as u32))
            .unzip())
    }
}
