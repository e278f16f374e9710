//! What the modular GCD costs on a parallel random access machine: lemmas 7 and 8 and theorems 9
//! and 10 of Weber, Trevisan and Martins, with numbers in place of O().
//!
//! The machine is the *w-bit modular common CRCW PRAM*: any number of processors read and write one
//! memory of words of w bits, several may write the same value to the same word, and each takes one
//! unit of time for a sum, a product, a quotient, a comparison or a modular inverse. Every O(1) of
//! the proofs counts as one unit here, and so does an iteration, so a number is right up to a
//! constant factor that does not depend on n and w. Times of one machine can be compared, times of
//! the two machines cannot.

use std::f64::consts::LN_2;

use serde::Serialize;

/// Time units, in the worst case and on average, and processors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// In the worst case, which is proved.
    pub worst: f64,
    /// On average, by the paper's heuristic model.
    pub average: f64,
    /// Processors.
    pub processors: f64,
}

impl Cost {
    fn same(time: f64, processors: f64) -> Cost {
        Cost {
            worst: time,
            average: time,
            processors,
        }
    }

    /// One after the other.
    fn then(self, next: Cost) -> Cost {
        Cost {
            worst: self.worst + next.worst,
            average: self.average + next.average,
            processors: self.processors.max(next.processors),
        }
    }
}

/// The costs of numbers of n bits with moduli of w bits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Pram {
    /// Bits of the numbers.
    pub bits: u64,
    /// Bits of a modulus, and of a word.
    pub width: u32,
    /// ⌈2^(w/2) + n⌉ moduli.
    pub moduli: f64,
    /// Primes of w bits that could be moduli, by an estimate that is below their number.
    pub primes: f64,
    /// Whether these are enough, for the moduli and for the 9 that the paper asks for at least.
    /// Where they are not, the costs are those of a machine that cannot be.
    pub has_enough_primes: bool,
    /// Processors of a minimum of all moduli (lemma 7).
    pub minimum_processors: f64,
    /// MGCD1 to MGCD4: to find the moduli, to convert, to reduce, to convert back.
    pub steps: [Cost; 4],
    /// All four (theorem 9).
    pub total: Cost,
    /// Bit processors for one that handles words, w·lg lg w (lemma 8).
    pub emulation: f64,
    /// Bits of the tables of the emulation, w·2^(w/2) (lemma 8).
    pub table_bits: f64,
    /// All on a machine of bit processors, with its tables (theorem 10).
    pub bit_total: Cost,
}

/// The least number of bits that has enough primes for the worst-case count (Fig. 2, MGCD1, line
/// 2), by an estimate of their number that is below it: 2^(w − 1)/(w·ln 2).
pub fn least_width(bits: u64) -> u32 {
    let enough = |w: &u32| has_enough_primes(bits, *w);
    (4..64).find(enough).unwrap_or(64)
}

/// An estimate of the number of primes of so many bits, which is below it.
fn primes(width: u32) -> f64 {
    f64::from(width - 1).exp2() / (f64::from(width) * LN_2)
}

fn has_enough_primes(bits: u64, width: u32) -> bool {
    primes(width) >= moduli(bits, width).max(9.0)
}

fn moduli(bits: u64, width: u32) -> f64 {
    ((f64::from(width) / 2.0).exp2() + bits as f64).ceil()
}

/// max(‖A‖, 2^⌊w/4⌋·(2^⌊w/4⌋ − 1)) processors for the least of a set (lemma 7).
pub fn minimum_processors(count: f64, width: u32) -> f64 {
    let quarter = f64::from(width / 4).exp2();
    count.max(quarter * (quarter - 1.0))
}

impl Pram {
    /// For numbers of `bits` bits, and moduli of `width` bits, 4 to 64.
    pub fn new(bits: u64, width: u32) -> Pram {
        let (n, w) = (bits as f64, f64::from(width));
        let moduli = moduli(bits, width);
        let minimum_processors = minimum_processors(moduli, width);
        let golden = (1.0 + 5f64.sqrt()) / 2.0;
        // Theorem 2, and lemma 4 with moduli above 2^(w − 1).
        let worst = n + 2.0;
        let average = (2.0 * n / (w - 1.0 - 2.0 * golden.log2())).ceil() + 1.0;
        let words = (n / w).ceil();
        let root = (w / 2.0).exp2();
        let steps = [
            // A sieve (Sorenson and Parberry).
            Cost::same(root, root),
            // Naive divisions of both numbers, one number after the other.
            Cost::same(2.0 * words, moduli),
            Cost {
                worst,
                average: average.min(worst),
                processors: minimum_processors,
            },
            // A word of the result in each round.
            Cost::same(words, moduli.max(n)),
        ];
        let total = steps.into_iter().fold(Cost::same(0.0, 0.0), Cost::then);
        let emulation = w * w.log2().log2().max(1.0);
        let quarter = (w / 4.0).exp2();
        let tables = Cost::same(quarter, quarter);
        let bit_total = tables.then(total);
        Pram {
            bits,
            width,
            moduli,
            primes: primes(width),
            has_enough_primes: has_enough_primes(bits, width),
            minimum_processors,
            steps,
            total,
            emulation,
            table_bits: w * root,
            bit_total: Cost {
                processors: bit_total.processors * emulation,
                ..bit_total
            },
        }
    }
}

/// The largest of `values` below 2^(4·quarter) as lemma 7 finds it, and the most pairs that one
/// round compares: four rounds, each of which keeps those whose next quarter is the largest. The
/// quarters that occur are at most 2^quarter, and are compared in pairs, all at once.
#[cfg(test)]
fn largest(values: &[u64], quarter: u32) -> (u64, usize) {
    let mut left = values.to_vec();
    let mut most_pairs = 0;
    for round in 1..=4 {
        let part = |x: &u64| x >> ((4 - round) * quarter) & ((1 << quarter) - 1);
        // Processors of equal parts write the same word: a table of the parts that occur.
        let mut present = vec![false; 1 << quarter];
        left.iter().for_each(|x| present[part(x) as usize] = true);
        let parts: Vec<u64> = (0..1 << quarter).filter(|&x| present[x as usize]).collect();
        most_pairs = most_pairs.max(parts.len() * parts.len().saturating_sub(1));
        let mut beaten = vec![false; 1 << quarter];
        for x in &parts {
            for y in &parts {
                beaten[*x as usize] |= x < y;
            }
        }
        left.retain(|x| !beaten[part(x) as usize]);
    }
    (left[0], most_pairs)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn a_minimum_takes_no_more_processors_than_lemma_7_has() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(61);
        for quarter in [1, 2, 4, 6] {
            let top = 1u64 << (4 * quarter);
            for count in [1, 2, 17, 300, 5000] {
                let values: Vec<u64> = (0..count).map(|_| rng.random_range(0..top)).collect();
                let complements: Vec<u64> = values.iter().map(|x| top - 1 - x).collect();
                let (found, pairs) = largest(&complements, quarter);
                assert_eq!(Some(top - 1 - found), values.iter().copied().min());
                let processors = minimum_processors(count as f64, 4 * quarter);
                assert!(pairs as f64 <= processors, "{quarter} {count}");
            }
        }
    }

    #[test]
    fn costs_are_of_the_papers_order() {
        // Fig. 3's largest numbers, and the 2^17 moduli of section 2 for 2^16 bits.
        let fig3 = Pram::new(1 << 15, 32);
        assert_eq!(fig3.moduli, 98_304.0);
        assert_eq!(fig3.steps[2].worst, 32_770.0);
        assert!((2048.0..2250.0).contains(&fig3.steps[2].average));
        assert_eq!(Pram::new(1 << 16, 32).moduli, 131_072.0);
        assert_eq!(fig3.minimum_processors, fig3.moduli.max(256.0 * 255.0));
        assert_eq!(fig3.table_bits, 32.0 * 65_536.0);
        // There are 75 primes of 10 bits, for 32,800 moduli.
        let narrow = Pram::new(1 << 15, 10);
        assert_eq!(narrow.moduli, 32_800.0);
        assert!(narrow.primes <= 75.0 && !narrow.has_enough_primes);
        assert!(fig3.has_enough_primes);
        // w = Θ(log n): O(n) time in the worst case, O(n/log n) on average, O(n log n log log n)
        // bit processors. The constants stay within a factor of two over thirteen doublings.
        let at = |log: u32| {
            let n = 1u64 << log;
            let width = least_width(n);
            let (n, lg, cost) = (n as f64, f64::from(log), Pram::new(n, width).bit_total);
            [
                cost.worst / n,
                cost.average * lg / n,
                cost.processors / (n * lg * lg.log2()),
            ]
        };
        let (first, last) = (at(12), at(25));
        for (first, last) in first.into_iter().zip(last) {
            assert!((0.5..2.0).contains(&(last / first)), "{first} {last}");
        }
    }

    #[test]
    fn widths_have_enough_primes() {
        for bits in [1, 9, 100, 1000, 10_000, 100_000] {
            let width = least_width(bits);
            let wanted = moduli(bits, width).max(9.0) as usize;
            // All primes of so many bits, counted one by one.
            let from = 1u64 << (width - 1);
            let is_prime = |x: &u64| {
                (2..)
                    .take_while(|d| d * d <= *x)
                    .all(|d| !x.is_multiple_of(d))
            };
            let found = (from..2 * from).filter(is_prime).take(wanted).count();
            assert_eq!(found, wanted, "{bits} {width}");
        }
    }
}
