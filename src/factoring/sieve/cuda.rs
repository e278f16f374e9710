//! Polynomials of the sieve on a device: wrappers around `sieve.cu`, and relations from its
//! records.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::candidate::{Candidate, Part};
use super::plan::SievePlan;
use super::polynomial::{Leading, MOST_FACTORS};
use super::relation::Relation;
use super::wide::Wide;
use crate::cuda::{Buffer, Device, Launch, Module, Read, Unit, Update, Write, kernels};
use crate::error::Result;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static SIEVE = "factor_sieve", include_str!("sieve.cu");

    const {
        /// Maximum primes of a leading coefficient.
        SIEVE_FACTORS: usize = MOST_FACTORS;
        /// Words of a record: the polynomial, the place with the sum of logarithms in its highest
        /// byte, how many primes there are, and primes.
        SIEVE_RECORD: usize = 32;
        /// Threads of a block that sieves.
        SIEVE_BLOCK: u32 = 1024;
    }

    fn sieve_roots(
        primes: Read<u32>[count], roots: Read<u32>[count], count: u32,
        parts: Read<u32>[2 * SIEVE_FACTORS as u64 * leadings], leadings: u32, factors: u32,
        low_bits: u32, half: u32, low: Write<u32>[(leadings * count) << low_bits],
        high: Write<u32>[(leadings * count) << (factors - 1 - low_bits)],
        apart: Write<u32>[leadings * count],
    );
    fn sieve_polynomials(
        primes: Read<u32>[count], count: u32, first: u32, middle: u32, low: Read<u32>,
        high: Read<u32>, apart: Read<u32>, low_bits: u32, high_bits: u32, interval: u32, start: u32,
        records: Write<u32>[SIEVE_RECORD as u64 * capacity], capacity: u32, state: Update<u32>[1],
    );
}

/// Threads of a block that computes roots.
const ROOTS_BLOCK: u32 = 256;
/// The marks of a prime below this are shared by the lanes of a warp.
const SHARED_PRIME: u32 = 4096;
/// Polynomials of one launch, at least where the tables allow it: several for each multiprocessor.
const LEAST_POLYNOMIALS: usize = 2048;
/// Maximum words of the tables of one launch.
const MOST_TABLE_WORDS: usize = 1 << 26;
/// Maximum records of one launch. Further records are lost, which loses relations but causes no
/// error.
const CAPACITY: usize = 1 << 18;

/// Every module of this file.
pub(crate) fn units(_: &Tuning) -> Vec<Unit> {
    vec![Unit::new(&SIEVE, &[])]
}

/// The arrays that a device needs for one plan.
pub(super) struct Sieve<'a> {
    device: Arc<Device>,
    module: Arc<Module>,
    plan: &'a SievePlan,
    /// p, and its logarithm above the low 24 bits.
    primes: Buffer,
    roots: Buffer,
    low: Buffer,
    high: Buffer,
    apart: Buffer,
    records: Buffer,
    state: Buffer,
    /// Primes of a leading coefficient.
    factors: usize,
    /// Leading coefficients of one launch.
    leadings: usize,
}

/// The records that sieving has found for some leading coefficients.
pub(super) struct SievedRecords {
    leadings: Vec<Leading>,
    /// Records, one after the other.
    words: Vec<u64>,
    low_and_high_bits: u32,
}

impl<'a> Sieve<'a> {
    /// Allocates memory for a plan whose leading coefficients have `factors` primes.
    pub(super) fn new(
        device: Arc<Device>,
        plan: &'a SievePlan,
        factors: usize,
    ) -> Result<Sieve<'a>> {
        let base = &plan.base;
        let count = base.p.len();
        assert!((2..=SIEVE_FACTORS).contains(&factors));
        assert!(base.p.iter().all(|p| *p < 1 << 24) && plan.sizes.interval <= 1 << 24);
        let (low_bits, high_bits) = halves(factors);
        let rows = (1 << low_bits) + (1 << high_bits) + 1;
        let leadings = (LEAST_POLYNOMIALS >> (factors - 1))
            .min(MOST_TABLE_WORDS / (rows * count))
            .max(1);
        let primes = base.p.iter().zip(&base.log);
        let primes: Vec<u32> = primes.map(|(p, log)| p | u32::from(*log) << 24).collect();
        let roots: Vec<u32> = base.root.iter().map(|root| *root as u32).collect();
        let table = |rows: usize| device.alloc((leadings * count * rows).div_ceil(2));
        Ok(Sieve {
            module: device.module(&SIEVE, &[])?,
            primes: device.upload(&pairs(&primes))?,
            roots: device.upload(&pairs(&roots))?,
            low: table(1 << low_bits)?,
            high: table(1 << high_bits)?,
            apart: table(1)?,
            records: device.alloc(CAPACITY * SIEVE_RECORD / 2)?,
            state: device.alloc(1)?,
            device,
            plan,
            factors,
            leadings,
        })
    }

    /// Leading coefficients that one launch takes.
    pub(super) fn leadings(&self) -> usize {
        self.leadings
    }

    /// Sieves all polynomials of these leading coefficients; none if there are none.
    pub(super) fn sieve(&self, leadings: Vec<Leading>) -> Result<Option<SievedRecords>> {
        if leadings.is_empty() {
            return Ok(None);
        }
        let (plan, count) = (self.plan, self.plan.base.p.len() as u32);
        assert!(leadings.len() <= self.leadings);
        let (low_bits, high_bits) = halves(self.factors);
        let mut parts = vec![0; 2 * SIEVE_FACTORS * leadings.len()];
        for (leading, parts) in leadings.iter().zip(parts.chunks_mut(2 * SIEVE_FACTORS)) {
            assert_eq!(leading.factors.len(), self.factors);
            for (i, (place, part)) in leading.factors.iter().zip(&leading.parts).enumerate() {
                parts[2 * i] = plan.base.p[*place];
                parts[2 * i + 1] = part.1;
            }
        }
        let parts = self.device.upload(&pairs(&parts))?;
        self.device.zero(&self.state, 0, 1)?;
        let blocks = count.div_ceil(ROOTS_BLOCK) * leadings.len() as u32;
        let kernel = self.module.kernel(sieve_roots)?;
        // SAFETY: the grid has a thread for each prime of each leading coefficient, and tables were
        // allocated for that many (asserted above). Nobody else uses them.
        unsafe {
            kernel.launch(
                Launch::of(blocks, ROOTS_BLOCK),
                self.primes.read(),
                self.roots.read(),
                count,
                parts.read(),
                leadings.len() as u32,
                self.factors as u32,
                low_bits,
                plan.half as u32,
                self.low.write(),
                self.high.write(),
                self.apart.write(),
            )?;
        }
        let p = &plan.base.p;
        let most = SHARED_PRIME.min(plan.sizes.interval as u32);
        let middle = p.partition_point(|p| *p < most).max(plan.first);
        let kernel = self.module.kernel(sieve_polynomials)?;
        let shape = Launch {
            shared_bytes: plan.sizes.interval as u32,
            ..Launch::of(
                (leadings.len() as u32) << (low_bits + high_bits),
                SIEVE_BLOCK,
            )
        };
        // SAFETY: the tables hold a row for every choice of signs of these leading coefficients,
        // which the launch above has written. The interval is a power of two of at least four
        // bytes.
        unsafe {
            kernel.launch(
                shape,
                self.primes.read(),
                count,
                plan.first as u32,
                middle as u32,
                self.low.read(),
                self.high.read(),
                self.apart.read(),
                low_bits,
                high_bits,
                plan.sizes.interval as u32,
                u32::from(plan.start),
                self.records.write(),
                CAPACITY as u32,
                self.state.update(),
            )?;
        }
        let mut state = [0];
        self.device.download(&self.state, 0, &mut state)?;
        let mut words = vec![0; (state[0] as u32 as usize).min(CAPACITY) * SIEVE_RECORD / 2];
        if !words.is_empty() {
            self.device.download(&self.records, 0, &mut words)?;
        }
        Ok(Some(SievedRecords {
            leadings,
            words,
            low_and_high_bits: low_bits + high_bits,
        }))
    }
}

/// The number of signs of a polynomial in the first half and in the second half. Its leading
/// coefficient has `factors` primes, and the last one has no sign.
fn halves(factors: usize) -> (u32, u32) {
    let free = factors as u32 - 1;
    (free / 2, free - free / 2)
}

/// Words of 32 bits as those of 64 that a device takes.
pub(super) fn pairs(words: &[u32]) -> Vec<u64> {
    let pair = |pair: &[u32]| {
        let high = pair.get(1).copied().unwrap_or(0);
        u64::from(pair[0]) | u64::from(high) << 32
    };
    words.chunks(2).map(pair).collect()
}

impl SievedRecords {
    /// The relations among the candidates.
    pub(super) fn relations(&self, plan: &SievePlan) -> Vec<Relation> {
        let records = self.words.chunks_exact(SIEVE_RECORD / 2);
        let mut met = Vec::new();
        records
            .filter_map(|record| self.relation(plan, record, &mut met))
            .collect()
    }

    /// The relation of one record, if there is one. If a record lacks primes, the cofactor is too
    /// large. Primes that do not divide are left out. A record therefore cannot make a wrong
    /// relation.
    fn relation(&self, plan: &SievePlan, record: &[u64], met: &mut Vec<usize>) -> Option<Relation> {
        let word = |i: usize| (record[i / 2] >> (32 * (i % 2))) as u32;
        let index = word(0);
        let leading = &self.leadings[(index >> self.low_and_high_bits) as usize];
        let (place, sum) = (word(1) & 0xff_ffff, word(1) >> 24);
        let b = leading
            .parts
            .iter()
            .enumerate()
            .fold(Wide::default(), |b, (i, (part, _))| {
                let is_minus = i + 1 < leading.parts.len() && index >> i & 1 == 1;
                if is_minus { b - *part } else { b + *part }
            });
        let c = (b.product(b) - plan.kn).product(leading.a.inverse());
        let x = i64::from(place) - plan.half as i64;
        let known = (word(2) as usize).min(SIEVE_RECORD - 3);
        let candidate = Candidate::new(leading, b, c, x);
        let sum = (sum as u8).saturating_sub(plan.start);
        candidate.relation(plan, sum, met, |part, met| match part {
            Part::Unsieved => met.extend(0..plan.first),
            Part::Sieved => met.extend((3..3 + known).map(|i| word(i) as usize)),
        })
    }
}
