//! Sums of products of short numbers by 52-bit multiply-adds (AVX-512 IFMA), from the definition.
//!
//! Numbers are cut into digits of 52 bits, eight to a line. Every line of the result gathers the
//! low and the high halves of the products that belong there, one digit of the shorter factor times
//! a line of the other at a time; only the end goes over the result digit by digit, for the
//! carries. That is two to three times as fast as products of 64-bit limbs.
//!
//! A lane gathers at most `MOST_TERMS` halves below 2^52 of each sign, so it stays below 2^62, and
//! the sum of a low and a high one below 2^63.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::ntt::cpu::Number;
use crate::word::sum::negate;

const DIGIT: u64 = (1 << 52) - 1;
/// Maximum digits of all shorter factors of a sum together.
const MOST_TERMS: usize = 1 << 10;
/// Limbs that make no more digits.
pub(super) const MOST_LIMBS: usize = MOST_TERMS * 52 / 64;

/// Whether the processor has what this takes.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")
}

/// Whether the sum of these products is short enough.
pub(super) fn fits(lengths: impl Iterator<Item = (usize, usize)>) -> bool {
    let terms = |(a, b): (usize, usize)| digits_of(a.min(b));
    lengths.map(terms).sum::<usize>() <= MOST_TERMS
}

fn digits_of(limbs: usize) -> usize {
    (64 * limbs).div_ceil(52)
}

/// Eight digits.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

struct Digits {
    lines: Vec<Line>,
    negative: bool,
}

impl Digits {
    fn new(number: &Number) -> Digits {
        let len = digits_of(number.limbs.len());
        let limb = |i: usize| number.limbs.get(i).copied().unwrap_or(0);
        let digit = |i: usize| {
            let (word, shift) = (52 * i / 64, 52 * i % 64);
            // Shifted twice: by 64 in all where nothing of the next limb is needed.
            (limb(word) >> shift | limb(word + 1) << 1 << (63 - shift)) & DIGIT
        };
        let line = |i: usize| Line(std::array::from_fn(|j| digit(8 * i + j)));
        Digits {
            lines: (0..len.div_ceil(8)).map(line).collect(),
            negative: number.negative,
        }
    }
}

/// For each list of pairs of numbers, by their places, the sum of the products: its size, and
/// whether it is negative.
pub(super) fn sums(numbers: &[Number], sums: &[Vec<(usize, usize)>]) -> Vec<(Vec<u64>, bool)> {
    assert!(is_available());
    let digits: Vec<Digits> = numbers.iter().map(Digits::new).collect();
    let one = |pairs: &Vec<(usize, usize)>| {
        let length = |(a, b): &(usize, usize)| (numbers[*a].limbs.len(), numbers[*b].limbs.len());
        assert!(fits(pairs.iter().map(length)));
        let longest = pairs.iter().map(length).map(|(a, b)| a + b).max();
        // One more limb for the sign, and for the carry of many terms.
        let limbs = longest.unwrap_or(0) + 1;
        let mut gathered = vec![Line([0; 8]); (limbs + 2 * 8).div_ceil(6)];
        for (a, b) in pairs {
            let (a, b) = (&digits[*a], &digits[*b]);
            let ordered = if a.lines.len() <= b.lines.len() {
                (a, b)
            } else {
                (b, a)
            };
            // SAFETY: the processor has AVX-512 with IFMA, asserted above.
            unsafe { gather(ordered, a.negative != b.negative, &mut gathered) };
        }
        propagate_carries(&gathered, limbs)
    };
    sums.iter().map(one).collect()
}

/// Adds short·long, or its negative, to the digits gathered.
#[target_feature(enable = "avx512f,avx512ifma")]
fn gather((short, long): (&Digits, &Digits), negative: bool, gathered: &mut [Line]) {
    let (short, long) = (&short.lines[..], &long.lines[..]);
    let load = |line: &Line| {
        // SAFETY: a line is 64 bytes, aligned to 64.
        unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
    };
    let zero = _mm512_setzero_si512();
    let mut above = zero;
    assert!(gathered.len() > short.len() + long.len());
    for (at, out) in gathered[..=short.len() + long.len()].iter_mut().enumerate() {
        // Lane j of `low[s]` belongs to digit 8·at + s + j, that of `high[s]` to the next: from
        // line i of the one factor and line at − i of the other.
        let (mut low, mut high) = ([zero; 8], [zero; 8]);
        let from = (at + 1).saturating_sub(long.len());
        let to = short.len().min(at + 1);
        for i in from..to {
            let digits = load(&long[at - i]);
            for (s, factor) in short[i].0.iter().enumerate() {
                let factor = _mm512_set1_epi64(*factor as i64);
                low[s] = _mm512_madd52lo_epu64(low[s], factor, digits);
                high[s] = _mm512_madd52hi_epu64(high[s], factor, digits);
            }
        }
        // Σ (low[s] + high[s − 1])·B^s by Horner's rule, B a lane.
        let (mut line, mut next) = (high[7], zero);
        for s in (0..8).rev() {
            next = _mm512_alignr_epi64::<7>(next, line);
            line = _mm512_alignr_epi64::<7>(line, zero);
            let own = match s {
                0 => low[0],
                _ => _mm512_add_epi64(low[s], high[s - 1]),
            };
            line = _mm512_add_epi64(line, own);
        }
        line = _mm512_add_epi64(line, above);
        above = next;
        let sum = if negative {
            _mm512_sub_epi64(load(out), line)
        } else {
            _mm512_add_epi64(load(out), line)
        };
        // SAFETY: a line is 64 bytes, aligned to 64, and borrowed for this alone.
        unsafe { _mm512_store_si512(out.0.as_mut_ptr().cast(), sum) };
    }
}

/// The limbs of the size of a number of these digits, which may be negative each, and its sign.
fn propagate_carries(digits: &[Line], limbs: usize) -> (Vec<u64>, bool) {
    let mut out = Vec::with_capacity(limbs);
    let (mut carry, mut held, mut bits) = (0i64, 0u64, 0u32);
    for digit in digits.iter().flat_map(|line| &line.0) {
        let sum = *digit as i64 + carry;
        carry = sum >> 52;
        let digit = sum as u64 & DIGIT;
        held |= digit << bits;
        bits += 52;
        if bits >= 64 {
            out.push(held);
            bits -= 64;
            held = digit >> (52 - bits);
            if out.len() == limbs {
                break;
            }
        }
    }
    let negative = out.last().is_some_and(|top| top >> 63 == 1);
    if negative {
        negate(&mut out);
    }
    (out, negative)
}

#[cfg(test)]
mod tests {
    use malachite_nz::integer::Integer;
    use malachite_nz::natural::Natural;
    use rand::{Rng, RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn sums_are_right() {
        if !is_available() {
            return;
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for round in 0..400 {
            let kind = round % 4;
            let mut some = || -> Vec<u64> {
                let limb = |rng: &mut Xoshiro256PlusPlus| match kind {
                    0 => u64::MAX,
                    1 if rng.random_ratio(1, 2) => 0,
                    _ => rng.next_u64(),
                };
                let len = rng.random_range(0..=2 + round / 4);
                (0..len).map(|_| limb(&mut rng)).collect()
            };
            let limbs: Vec<Vec<u64>> = (0..4).map(|_| some()).collect();
            let signs: [bool; 4] = rng.random();
            let numbers: Vec<Number> = limbs
                .iter()
                .zip(signs)
                .map(|(limbs, negative)| Number { limbs, negative })
                .collect();
            let value = |i: usize| {
                Integer::from_sign_and_abs(!signs[i], Natural::from_limbs_asc(&limbs[i]))
            };
            let lists = [vec![(0, 2), (1, 3)], vec![(0, 1)], vec![]];
            for (pairs, (limbs, negative)) in lists.iter().zip(sums(&numbers, &lists)) {
                let expected: Integer = pairs.iter().map(|(a, b)| value(*a) * value(*b)).sum();
                let found = Natural::from_owned_limbs_asc(limbs);
                assert_eq!(Integer::from_sign_and_abs(!negative, found), expected);
            }
        }
    }
}
