//! The sizes of a sieve.

use crate::number::Natural;

use super::base::{Base, multiplier};
use super::wide::Wide;

/// Maximum shared memory that a device's kernel needs beside the interval.
const OWN_SHARED_BYTES: usize = 1 << 10;
/// The largest sum of logarithms in a byte of the sieve, in units.
const MOST_UNITS: f64 = 120.0;

/// The parameters of a sieve for numbers of a certain size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) bits: u64,
    /// Odd primes in the factor base.
    pub(super) primes: usize,
    /// Places that are sieved per polynomial. They are bytes of the first-level cache of a core,
    /// and then a power of 2 from 2^12 to 2^15, or of a multiprocessor, and then a multiple of
    /// 2^12.
    pub(super) interval: usize,
    /// The bound of large primes, in multiples of the largest prime of the factor base.
    pub(super) large: u32,
    /// The average size of the primes of a, in eighths of a bit.
    pub(super) factor_bits: u32,
    /// Primes below this are not sieved.
    pub(super) first: u32,
    /// Bits that the sum of logarithms may miss, besides the large primes.
    pub(super) slack: u32,
    /// The bound of the product of two large primes is the bound of one to this power. 0 if a
    /// relation has at most one.
    pub(super) two: f64,
    /// Whether X is 2ax + b, and not ax + b, where kn is 1 modulo 8.
    pub(super) doubles: bool,
}

/// The sizes in the order of the fields of `Sizes`.
#[expect(clippy::too_many_arguments, reason = "a line of a table")]
const fn sizes(
    bits: u64,
    primes: usize,
    interval: usize,
    large: u32,
    factor_bits: u32,
    first: u32,
    slack: u32,
    two: f64,
) -> Sizes {
    Sizes {
        bits,
        primes,
        interval,
        large,
        factor_bits,
        first,
        slack,
        two,
        doubles: false,
    }
}

/// Measured on a Xeon (Cascade Lake, two cores) with one number each of 166, 182, 199, 215, 233 and
/// 265 bits: the polynomials that are needed, times the time of one, for some sizes around these.
/// The others are from few trials.
const SIZES: [Sizes; 15] = [
    sizes(60, 40, 1 << 12, 20, 56, 11, 8, 0.0),
    sizes(80, 65, 1 << 12, 30, 60, 13, 9, 0.0),
    sizes(100, 125, 1 << 13, 40, 64, 17, 10, 0.0),
    sizes(120, 220, 1 << 13, 50, 68, 23, 11, 0.0),
    sizes(140, 520, 1 << 14, 50, 70, 29, 12, 0.0),
    sizes(160, 1200, 1 << 14, 50, 74, 53, 15, 0.0),
    sizes(180, 2400, 1 << 14, 60, 78, 90, 17, 0.0),
    sizes(200, 4300, 1 << 14, 60, 82, 150, 20, 0.0),
    sizes(216, 8800, 1 << 14, 70, 84, 200, 21, 0.0),
    sizes(232, 17_000, 1 << 15, 80, 86, 256, 22, 0.0),
    sizes(248, 30_000, 1 << 15, 90, 88, 256, 22, 0.0),
    sizes(265, 54_000, 1 << 15, 90, 90, 256, 21, 0.0),
    sizes(298, 85_000, 1 << 15, 100, 92, 256, 20, 1.8),
    sizes(330, 130_000, 1 << 15, 120, 94, 256, 20, 1.8),
    sizes(400, 350_000, 1 << 15, 150, 96, 256, 20, 1.8),
];

/// Sizes for a device: more places per polynomial, and fewer primes, because a device processes
/// every prime for every polynomial. The slack for two large primes is small: if most polynomials
/// had a candidate, most would be processed twice. Measured on an H200.
const ON_DEVICE: [Sizes; 12] = [
    sizes(60, 40, 1 << 12, 20, 56, 11, 8, 0.0),
    sizes(100, 125, 1 << 13, 40, 64, 17, 10, 0.0),
    sizes(140, 520, 1 << 14, 50, 70, 29, 12, 0.0),
    sizes(165, 1500, 1 << 15, 60, 76, 80, 16, 0.0),
    sizes(200, 3500, 1 << 16, 80, 84, 200, 20, 0.0),
    sizes(232, 7000, 1 << 16, 100, 88, 256, 18, 0.0),
    sizes(265, 18_000, 1 << 17, 120, 92, 256, 16, 0.0),
    sizes(298, 36_000, 7 << 15, 150, 92, 256, 13, 1.6),
    sizes(315, 55_000, 7 << 15, 150, 94, 256, 12, 1.65),
    sizes(332, 85_000, 7 << 15, 150, 94, 256, 12, 1.7),
    sizes(350, 122_000, 7 << 15, 200, 95, 256, 12, 1.8),
    sizes(400, 330_000, 7 << 15, 200, 96, 256, 12, 1.8),
];

impl Sizes {
    /// The sizes for numbers of `bits` bits on the CPU.
    pub(super) fn for_bits(bits: u64) -> Sizes {
        Sizes {
            doubles: true,
            ..Sizes::nearest(&SIZES, bits)
        }
    }

    /// The sizes for numbers of `bits` bits on a device whose blocks have at least `shared_bytes`
    /// bytes of shared memory. The kernel needs a few of these bytes beside the interval.
    pub(super) fn on_device(bits: u64, shared_bytes: u32) -> Sizes {
        let sizes = Sizes::nearest(&ON_DEVICE, bits);
        let most = (shared_bytes as usize - OWN_SHARED_BYTES) & !((1 << 12) - 1);
        Sizes {
            interval: sizes.interval.min(most),
            ..sizes
        }
    }

    /// The nearest entry of an ascending table, with the primes interpolated.
    fn nearest(table: &[Sizes], bits: u64) -> Sizes {
        let above = table.partition_point(|sizes| sizes.bits < bits);
        let (Some(high), Some(low)) = (table.get(above), above.checked_sub(1)) else {
            return table[above.min(table.len() - 1)];
        };
        let low = &table[low];
        let part = (bits - low.bits) as f64 / (high.bits - low.bits) as f64;
        let nearest = if part < 0.5 { low } else { high };
        let ratio = (high.primes as f64 / low.primes as f64).powf(part);
        Sizes {
            bits,
            primes: (low.primes as f64 * ratio) as usize,
            ..*nearest
        }
    }
}

pub(super) struct SievePlan {
    pub(super) n: Natural,
    /// k.
    pub(super) multiplier: u32,
    /// k·n modulo 2^256.
    pub(super) kn: Wide,
    /// Whether X is 2ax + b, not ax + b.
    pub(super) doubles: bool,
    pub(super) sizes: Sizes,
    pub(super) base: Base,
    /// The first prime of the base that is sieved.
    pub(super) first: usize,
    /// The first prime of the base above the interval.
    pub(super) buckets: usize,
    /// Half of the interval: −half ≤ x < half.
    pub(super) half: usize,
    /// log2 of the best leading coefficient, √(2kn)/half, or half of it with `doubles`.
    pub(super) leading: f64,
    /// Bits per unit of the sieve's bytes.
    pub(super) unit: f64,
    /// The initial value of a byte of the sieve. It reaches 128 at a candidate.
    pub(super) start: u8,
    /// Maximum bits of a candidate's cofactor after the primes below `first` are divided out: the
    /// bits of large primes and the errors of logarithms.
    pub(super) rest: f64,
    /// Large primes are below this, and this is below the square of every prime that is not in the
    /// base.
    pub(super) large: u64,
    /// Products of two large primes are in this range.
    pub(super) products: std::ops::Range<u64>,
}

impl SievePlan {
    /// The plan for n, or a divisor of n that the search for the factor base met.
    pub(super) fn new(n: &Natural, sizes: &Sizes) -> Result<SievePlan, Natural> {
        let k = multiplier(n);
        let mut base = Base::new(n, k, sizes.primes).map_err(Natural::from)?;
        let interval = sizes.interval;
        let buckets = base.p.partition_point(|p| (*p as usize) < interval);
        let most = u64::from(base.p.last().copied().unwrap_or(3));
        let large = (most * u64::from(sizes.large))
            .min(most * most)
            .min(u32::MAX.into());
        let half = interval / 2;
        let doubles = sizes.doubles && n.limbs()[0].wrapping_mul(k.into()) % 8 == 1;
        let halved = f64::from(u8::from(doubles));
        let limbs = (n * Natural::from(k)).to_vec();
        let root_bits = log2(&limbs) / 2.0;
        let value = root_bits - 0.5 + (half as f64).log2() - halved;
        let large_bits = (large as f64).log2();
        let rest = large_bits * sizes.two.max(1.0);
        let threshold = (value - rest - f64::from(sizes.slack)).max(8.0);
        let unit = (threshold / MOST_UNITS).max(1.0);
        base.complete(unit);
        Ok(SievePlan {
            n: n.clone(),
            multiplier: k,
            kn: Wide::from_limbs(&limbs),
            sizes: *sizes,
            first: base.p.partition_point(|p| *p < sizes.first).min(buckets),
            buckets,
            half,
            leading: root_bits + 0.5 - (half as f64).log2() - halved,
            doubles,
            unit,
            start: 128 - (threshold / unit) as u8,
            rest: rest + 4.0,
            large,
            products: if sizes.two > 0.0 {
                most * most..(large_bits * sizes.two).exp2() as u64
            } else {
                0..0
            },
            base,
        })
    }

    /// Columns of the matrix: the sign, 2, and the odd primes of the base.
    pub(super) fn columns(&self) -> usize {
        self.base.p.len() + 2
    }

    /// The prime of each column; 1 for the sign.
    pub(super) fn primes(&self) -> Vec<u32> {
        [&[1, 2], self.base.p.as_slice()].concat()
    }
}

fn log2(limbs: &[u64]) -> f64 {
    let value = limbs
        .iter()
        .rev()
        .fold(0.0, |value, limb| value * 2f64.powi(64) + *limb as f64);
    value.log2()
}
