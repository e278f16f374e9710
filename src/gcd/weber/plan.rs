//! The choice of the moduli and their number, and the proof at the end that they were enough.

use std::str::FromStr;
use std::sync::Arc;

use super::{Options, Run, Used};
use crate::error::{Error, Result};
use crate::modp::primes;

/// The number of moduli with which Weber's algorithm starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Count {
    /// About the 2·N_u/L moduli that the steps use up and a margin of 2^(L/2 − 3), but no more than
    /// [`Count::Estimated`]. This is the least work for nearly all inputs. A device uses more if it
    /// has idle threads.
    Auto,
    /// Fig. 2 of Weber–Brew, N_Q = ⌈C_L·N_u / log10 N_u⌉ with C_L = 1.6 − 0.015·L: enough for
    /// nearly all inputs.
    Estimated,
    /// Fig. 1, ⌈2^(L/2) + N_u⌉: enough for all (Weber–Trevisan–Martins, theorem 6).
    Worst,
    /// This number, for experiments.
    Exactly(usize),
}

impl FromStr for Count {
    type Err = Error;

    /// `auto`, `estimated`, `worst`, or a number of moduli above 0.
    fn from_str(text: &str) -> Result<Count> {
        match text {
            "auto" => Ok(Count::Auto),
            "estimated" => Ok(Count::Estimated),
            "worst" => Ok(Count::Worst),
            digits => match digits.parse() {
                Ok(count) if count > 0 => Ok(Count::Exactly(count)),
                _ => Err(Error::Domain(format!(
                    "unknown count of moduli '{text}': use auto, estimated, worst or a number \
                     above 0"
                ))),
            },
        }
    }
}

/// The largest primes of `bits` bits, in descending order.
#[derive(Debug, Clone)]
pub(super) struct Moduli {
    pub(super) bits: u32,
    list: List,
    count: usize,
}

#[derive(Debug, Clone)]
enum List {
    /// Up to 32 bits. The process caches them.
    Words(Arc<Vec<u32>>),
    Wide(Arc<Vec<u64>>),
}

impl Moduli {
    /// For numbers of at most `size` bits, with primes of at most `widest` bits. An error if there
    /// are too few primes of `options.bits` bits (Weber–Brew, Fig. 2, line 3).
    pub(super) fn new(options: Options, size: u64, widest: u32) -> Result<Moduli> {
        if !(16..=widest).contains(&options.bits) {
            return Err(Error::Domain(format!(
                "moduli of {} bits: 16 to {widest} are possible here",
                options.bits
            )));
        }
        let wanted = wanted(options, size);
        let chosen = Moduli::of(options.bits, wanted, widest, size)?;
        if chosen.bits == options.bits {
            return Ok(chosen);
        }
        Err(Error::Domain(format!(
            "{wanted} moduli of {} bits for numbers of {size} bits: there are fewer such primes; \
             moduli of {} bits are enough",
            options.bits, chosen.bits
        )))
    }

    /// Twice as many moduli, of more bits if there are too few of these bits.
    pub(super) fn more(&self, widest: u32, size: u64) -> Result<Moduli> {
        Moduli::of(self.bits, 2 * self.count.max(1), widest, size)
    }

    fn of(bits: u32, count: usize, widest: u32, size: u64) -> Result<Moduli> {
        /// More than there are primes of 32 bits, and as many words of 64 bits as fit in a
        /// gibibyte.
        const MOST: usize = 1 << 27;
        if count > MOST {
            return Err(Error::Domain(format!(
                "{count} moduli of {bits} bits for numbers of {size} bits: at most {MOST} are \
                 possible"
            )));
        }
        for bits in bits..=widest {
            let (list, found) = if bits <= 32 {
                let list = primes::largest(bits, count);
                let found = list.len();
                (List::Words(list), found)
            } else {
                let list = primes::largest_wide(bits, count);
                let found = list.len();
                (List::Wide(list), found)
            };
            if found >= count {
                return Ok(Moduli { bits, list, count });
            }
        }
        Err(Error::TooLarge {
            what: "the modular gcd",
            bits: size,
            limit: size / 2,
        })
    }

    /// The number of moduli.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Number i.
    pub(super) fn get(&self, i: usize) -> u64 {
        match &self.list {
            List::Words(list) => list[i].into(),
            List::Wide(list) => list[i],
        }
    }
}

/// The number of moduli with which a run with numbers of `size` bits starts.
pub(crate) fn wanted(options: Options, size: u64) -> usize {
    // At least 8: the formula is meant for long numbers, and is not finite for one bit.
    let estimated = estimate(options.bits, size).max(8);
    match options.count {
        Count::Auto => used_up(options.bits, size).min(estimated),
        Count::Estimated => estimated,
        Count::Worst => (2f64.powf(f64::from(options.bits) / 2.0) + size as f64).ceil() as usize,
        Count::Exactly(count) => count,
    }
}

/// The options for numbers of `size` bits if `spare` moduli take no longer than fewer.
pub(super) fn with_spare(options: Options, size: u64, spare: usize) -> Options {
    if options.count != Count::Auto {
        return options;
    }
    let estimated = Options {
        count: Count::Estimated,
        ..options
    };
    let count = wanted(options, size).max(spare.min(wanted(estimated, size)));
    Options {
        count: Count::Exactly(count),
        ..options
    }
}

/// A count that is enough for the steps of numbers of `size` bits: about the 2·size/L moduli that
/// they use up, and a margin, which is most of the count for short numbers. With L = 32, numbers of
/// 65,536 bits have 12,416 moduli and use 4,406 of them; numbers of 360,448 bits have 31,136 and
/// use 23,429.
///
/// With r moduli left, b of a step has about L − 1 − log2 r bits, and a step takes min(L/2, 1 +
/// log2 r) bits off the numbers: L/2 as long as r ≥ 2^(L/2 − 1). Until r = 2^(L/2 − 4) all steps
/// below that bound together fall short by 0.89·2^(L/2 − 1) bits, which further steps of L/2 bits
/// make up for; L ≥ 16, so these and the r left are fewer than 2^(L/2 − 3). The largest of many
/// primes are less than 2^L, for which one modulus in 64 is added, and b scatters, for which 64
/// are.
fn used_up(bits: u32, size: u64) -> usize {
    let steps = (2 * size).div_ceil(u64::from(bits));
    let more = 1 << (bits / 2 - 3);
    usize::try_from(steps + steps / 64 + more + 64).unwrap_or(usize::MAX)
}

/// N_Q of Fig. 2 for numbers of `size` bits.
pub(crate) fn estimate(bits: u32, size: u64) -> usize {
    let size = size.max(16) as f64;
    ((1.6 - 0.015 * f64::from(bits)) * size / size.log10()).ceil() as usize
}

/// The maximum bits of numbers that need at most `moduli` moduli.
pub(super) fn most_bits(options: Options, moduli: usize) -> u64 {
    // Every count grows with the numbers: n/log10 n from n = 16 on.
    let (mut fits, mut exceeds) = (16, 1 << 40);
    while exceeds - fits > 1 {
        let middle = fits + (exceeds - fits) / 2;
        if wanted(options, middle) <= moduli {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    fits
}

/// Returns an upper bound of the bits of |U| if the steps prove that V = 0 and that U is the number
/// with these digits, for U_0 and V_0 below 2^bits each. Returns None otherwise.
pub(super) fn proved(bits: [u64; 2], run: &Run, moduli: &Moduli) -> Option<u64> {
    let left = moduli.len().saturating_sub(run.steps.len());
    if left == 0 {
        return None;
    }
    let (u, v) = sizes(bits, &run.steps);
    // The smallest modulus is a lower bound of each remaining modulus. A power of two below it
    // bounds their product.
    let least = moduli.get(moduli.len() - 1);
    let product = (left as f64) * ((least as f64).log2() - 1e-9);
    let enough = u.log2() + 1.0 < product && v.log2() < product;
    enough.then(|| u.log2().max(0.0).ceil() as u64)
}

/// Bounds of |U| and |V| after the steps.
fn sizes(bits: [u64; 2], steps: &[Used]) -> (Bound, Bound) {
    let [u, v] = bits.map(|bits| Bound {
        mantissa: 1.0,
        exponent: bits as i64,
    });
    steps.iter().fold((u, v), |(u, v), step| {
        let next = u.reduced(v, step.value.unsigned_abs() as f64, step.p as f64);
        (v, next)
    })
}

/// mantissa·2^exponent with 1 ≤ mantissa < 2: an upper bound.
#[derive(Debug, Clone, Copy)]
struct Bound {
    mantissa: f64,
    exponent: i64,
}

impl Bound {
    /// (|U| + b·|V|)/p. Seven roundings of at most 2^-53 each, two of them of b and p themselves,
    /// are covered by the factor 1 + 2^-49. A step waits for the previous one, but not for a
    /// division: 1/p does not depend on the previous step.
    fn reduced(self, v: Bound, b: f64, p: f64) -> Bound {
        const MORE: f64 = 1.0 + 1.0 / (1u64 << 49) as f64;
        let top = self.exponent.max(v.exponent);
        // A term that is far smaller counts as 2^-200, which is too large, not too small.
        let scaled = |x: Bound| x.mantissa * power_of_two((x.exponent - top).max(-200));
        let sum = (scaled(self) + b * scaled(v)) * (MORE / p);
        // A normal number: 2^-264 < sum < 2^65, as 2^-200 <= scaled(self) < 2, p < 2^64 and
        // b < 2^63.
        let shift = (sum.to_bits() >> 52) as i64 - 1023;
        Bound {
            mantissa: sum * power_of_two(-shift),
            exponent: top + shift,
        }
    }

    /// Its logarithm, rounded up.
    fn log2(self) -> f64 {
        self.exponent as f64 + self.mantissa.log2() + 1e-9
    }
}

/// 2^exponent, for the exponents of normal numbers.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_the_papers() {
        // Weber–Brew section 5: around 7.27 million moduli for 50 million bits.
        assert_eq!(estimate(32, 50_000_000) / 1000, 7273);
        assert_eq!(estimate(32, 352 << 10) / 100, 726);
        let worst = Options {
            bits: 32,
            count: Count::Worst,
        };
        assert_eq!(Moduli::new(worst, 1000, 32).unwrap().len(), 66_536);
    }

    #[test]
    fn long_numbers_take_as_many_moduli_as_their_steps() {
        let options = Options::default();
        assert_eq!(wanted(options, 50_000_000), 3_125_000 + 48_828 + 8192 + 64);
        let spared = |size, spare| wanted(with_spare(options, size, spare), size);
        assert_eq!(spared(50_000_000, 1 << 22), 1 << 22);
        for size in [1, 100, 1 << 14, 1 << 16] {
            assert!(wanted(options, size) <= estimate(32, size).max(8));
            assert_eq!(spared(size, 0), wanted(options, size));
            assert_eq!(spared(size, 1 << 20), estimate(32, size).max(8));
        }
    }

    #[test]
    fn sizes_are_bounded_from_above_and_closely() {
        let steps: Vec<Used> = (0..4000)
            .map(|i| Used {
                p: 4_294_967_291 - 2 * i,
                value: (i as i64 % 1000 - 500) << 8,
            })
            .collect();
        // log2 of the true sizes, computed in f64.
        let (mut u, mut v) = (64_000f64, 63_999f64);
        for step in &steps {
            let b = step.value.unsigned_abs() as f64;
            let top = u.max(v);
            let sum = (u - top).exp2() + b * (v - top).exp2();
            (u, v) = (v, top + sum.log2() - (step.p as f64).log2());
        }
        let (x, y) = sizes([64_000, 63_999], &steps);
        assert!((0.0..1e-3).contains(&(x.log2() - u)), "{x:?} {u}");
        assert!((0.0..1e-3).contains(&(y.log2() - v)), "{y:?} {v}");
    }
}
