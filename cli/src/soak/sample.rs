//! Operands: how long they are, and what they look like.

use bezout::measure::Tuning;
use bezout::{Engine, Int, Result};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::args;

pub type Rng = Xoshiro256PlusPlus;

/// What an operation is given. An operation uses the fields that it needs.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    pub numbers: Vec<Int>,
    /// Rows of a batch, coefficients of polynomials, or keys.
    pub words: Vec<Vec<u64>>,
    pub text: String,
    /// A shift, an exponent, a radix, a width or a modulus.
    pub count: u64,
}

/// Most cases are about as long as this.
const SHORT_BITS: u64 = 1 << 12;
/// Those of medium length, and how many of 1000 cases they are.
const MEDIUM: (u64, u32) = (1 << 17, 20);
/// How many of 1000 cases are of any length.
const LONG: u32 = 1;
/// A case near a threshold may be so many times longer than others.
const THRESHOLD_REACH: u64 = 32;

/// A list of lengths in bits: `4096`, or all powers of two from one to another, `2^4..2^25`.
pub fn lengths(text: &str) -> Result<Vec<u64>, String> {
    let Some((from, to)) = text.split_once("..") else {
        return args::count(text).map(|bits| vec![bits]);
    };
    let (from, to) = (args::count(from)?, args::count(to)?);
    if !from.is_power_of_two() || !to.is_power_of_two() || from > to {
        return Err("a range goes from a power of two up to another, such as 2^4..2^25".into());
    }
    Ok((from.ilog2()..=to.ilog2()).map(|log| 1 << log).collect())
}

/// The lengths of operands, in bits.
#[derive(Debug)]
pub struct Sizes {
    most: u64,
    /// Limbs at which operations change their ways under the tuning in force, ascending.
    thresholds: Vec<u64>,
}

impl Sizes {
    /// Lengths of up to `most` bits.
    pub fn new(most: u64) -> Sizes {
        let tuning = Tuning::current();
        let parameters = Tuning::PARAMETERS.iter();
        let mut thresholds: Vec<u64> = parameters
            .filter(|parameter| parameter.name.ends_with("_limbs"))
            .filter_map(|parameter| tuning.value(parameter.name))
            .filter(|limbs| (1..=most / 64).contains(limbs))
            .collect();
        thresholds.sort_unstable();
        Sizes { most, thresholds }
    }

    /// A length: uniform in its logarithm, or within a limb of a threshold.
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        let kind = rng.random_range(0..1000);
        let limit = if kind < LONG {
            self.most
        } else if kind < LONG + MEDIUM.1 {
            MEDIUM.0.min(self.most)
        } else {
            SHORT_BITS.min(self.most)
        };
        let reach = limit.saturating_mul(THRESHOLD_REACH) / 64;
        let near = self.thresholds.partition_point(|limbs| *limbs <= reach);
        if near > 0 && rng.random_ratio(1, 8) {
            let limbs = self.thresholds[rng.random_range(0..near)] + rng.random_range(0..3);
            let bits = (64 * limbs).saturating_sub(rng.random_range(64..128));
            return bits.clamp(1, self.most);
        }
        let length = (limit as f64).powf(rng.random::<f64>());
        (length as u64).clamp(1, self.most)
    }
}

/// A number of at most so many bits, of either sign.
pub fn number(bits: u64, rng: &mut Rng) -> Int {
    Int::from_sign_limbs(rng.random(), limbs(bits, rng))
}

/// A number above zero of at most so many bits.
pub fn positive(bits: u64, rng: &mut Rng) -> Int {
    let x = Int::from_limbs(limbs(bits, rng));
    if x.is_zero() { Int::ONE } else { x }
}

/// The limbs of a number of at most so many bits, in a shape that carries, borrows, estimates of
/// quotients or transforms may find hard. Mostly it has all the bits.
pub fn limbs(bits: u64, rng: &mut Rng) -> Vec<u64> {
    let length = bits.div_ceil(64) as usize;
    let mut limbs: Vec<u64> = match rng.random_range(0..16) {
        // Sparse: a few ones.
        0 | 1 => {
            let mut limbs = vec![0; length];
            for _ in 0..rng.random_range(1..6) {
                set(&mut limbs, rng.random_range(0..bits), true);
            }
            limbs
        }
        // Long runs of ones and of zeros.
        2 | 3 => runs(length, rng),
        // All ones.
        4 => vec![u64::MAX; length],
        // Near a power of two, from above and from below.
        5 => near_power(length, 0, rng),
        6 => near_power(length, u64::MAX, rng),
        // Limbs of zeros or of ones in the middle.
        7 | 8 => {
            let mut limbs: Vec<u64> = (0..length).map(|_| rng.random()).collect();
            let (from, to) = (rng.random_range(0..=length), rng.random_range(0..=length));
            let fill = if rng.random() { 0 } else { u64::MAX };
            limbs[from.min(to)..from.max(to)].fill(fill);
            limbs
        }
        9 if rng.random_ratio(1, 8) => vec![0; length],
        _ => (0..length).map(|_| rng.random()).collect(),
    };
    if !bits.is_multiple_of(64)
        && let Some(top) = limbs.last_mut()
    {
        *top &= (1 << (bits % 64)) - 1;
    }
    if limbs.iter().any(|limb| *limb != 0) {
        set(&mut limbs, bits - 1, true);
    }
    limbs
}

fn set(limbs: &mut [u64], bit: u64, one: bool) {
    let (limb, mask) = (&mut limbs[(bit / 64) as usize], 1 << (bit % 64));
    if one { *limb |= mask } else { *limb &= !mask }
}

fn runs(length: usize, rng: &mut Rng) -> Vec<u64> {
    let mut limbs = vec![0u64; length];
    let bits = 64 * length as u64;
    let (mut at, mut one) = (0, rng.random());
    while at < bits {
        let end = (at + rng.random_range(1..=bits / 2)).min(bits);
        for limb in at / 64..end.div_ceil(64) {
            let low = if limb == at / 64 { at % 64 } else { 0 };
            let high = (end - 64 * limb).min(64);
            if one {
                limbs[limb as usize] |= (u64::MAX << low) & (u64::MAX >> (64 - high));
            }
        }
        (at, one) = (end, !one);
    }
    limbs
}

/// Limbs that are all `fill`, but for the lowest, which differs from it in a few bits.
fn near_power(length: usize, fill: u64, rng: &mut Rng) -> Vec<u64> {
    let mut limbs = vec![fill; length];
    if let Some(lowest) = limbs.first_mut() {
        *lowest ^= rng.random_range(0..4);
    }
    limbs
}

/// Two numbers of either sign: the first of at most so many bits, the second mostly as long, at
/// times shorter; the bits of both together where they have a common factor.
pub fn pair(bits: u64, rng: &mut Rng) -> Sample {
    let mut numbers = vec![number(bits, rng), number(other_length(bits, rng), rng)];
    match rng.random_range(0..32) {
        0 => numbers[1] = numbers[0].clone(),
        1 => numbers[1] = -&numbers[0],
        2 => numbers[1] = &numbers[0] + 1,
        _ => {}
    }
    if rng.random() {
        numbers.swap(0, 1);
    }
    Sample {
        numbers,
        ..Sample::default()
    }
}

/// A pair with a planted common factor of a part of their bits.
pub fn pair_with_factor(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let shared = bits * rng.random_range(0..8) / 8;
    let mut sample = pair((bits - shared).max(1), rng);
    if shared > 0 {
        let factor = positive(shared, rng);
        Engine::Cpu.scope(|| {
            for x in &mut sample.numbers {
                *x = x.try_mul(&factor)?;
            }
            Ok(())
        })?;
    }
    Ok(sample)
}

/// The length of another operand: mostly about the same, else anything shorter.
pub fn other_length(bits: u64, rng: &mut Rng) -> u64 {
    match rng.random_range(0..8) {
        0 | 1 => rng.random_range(1..=bits),
        2 => (bits as f64).powf(rng.random()) as u64,
        3 => bits.saturating_sub(rng.random_range(0..64)),
        _ => bits,
    }
    .max(1)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn shapes_have_no_more_bits_than_asked_for() {
        let mut rng = Rng::seed_from_u64(3);
        for bits in (1..300).chain([4095, 4096, 4097]) {
            let mut full = 0;
            for _ in 0..40 {
                let length = Int::from_limbs(limbs(bits, &mut rng)).bit_length();
                assert!(length <= bits);
                full += u32::from(length == bits);
            }
            assert!(full > 20, "{bits}: {full}");
        }
    }

    #[test]
    fn lengths_are_numbers_and_ranges_of_powers() {
        assert_eq!(lengths("4097"), Ok(vec![4097]));
        assert_eq!(lengths("2^4..2^6"), Ok(vec![16, 32, 64]));
        assert_eq!(lengths("2^4..2^25").map(|list| list.len()), Ok(22));
        for bad in [
            "",
            "0",
            "2^4..",
            "..2^4",
            "2^5..2^4",
            "3..2^4",
            "2^4..2^5..2^6",
        ] {
            assert!(lengths(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_stay_within_bounds_and_meet_thresholds() {
        for most in [1, 63, 5000, 1 << 24] {
            let sizes = Sizes::new(most);
            let mut rng = Rng::seed_from_u64(most);
            let drawn: Vec<u64> = (0..20_000).map(|_| sizes.draw(&mut rng)).collect();
            assert!(drawn.iter().all(|bits| (1..=most).contains(bits)));
            for limbs in sizes.thresholds.iter().filter(|limbs| **limbs <= 1024) {
                for near in [limbs - 1, *limbs, limbs + 1] {
                    let met = drawn.iter().any(|bits| bits.div_ceil(64) == near);
                    assert!(met || near == 0 || near > most / 64, "{near} limbs");
                }
            }
        }
    }
}
