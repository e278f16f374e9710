//! Digits in a radix from 2 to 36.
//!
//! A chunk is as many digits as fit a limb, and P is the radix to their number.
//!
//! **Printing.** Up to [`LEAF`] limbs, v < P^L becomes a fraction F/2^(64(L+1)) ≈ (v + 1/2)/P^L by
//! a product with a known reciprocal; then each product with P gives the next chunk, as its
//! integral part, and needs a limb less. (After Bernstein, *Scaled remainder trees*, 2004.) The
//! reciprocal X = ⌊2^(64(2L+1))/P^L⌋ is less than 1 too small, times v < 2^(64L) over 2^(64L) less
//! than a unit of F. Cutting off that product and the 1/2 takes less than two more, and each limb
//! dropped on the way less than one of its own. With r chunks to come there are r + 1 limbs, and
//! the fraction is (v' + 1/2)/P^r for an integer v', so it may be off by 1/(2P^r) >
//! 2^(64r)/P^r·2^63 units of 2^(−64(r+1)): far more than the L + 3 that it is.
//!
//! Longer numbers are divided by P^(L·2^k), and the two parts have half the digits each.
//!
//! **Reading** is Horner's rule by chunks up to [`READ_CHUNKS`], and above that upper half times
//! P^(2^k) plus lower half.

use std::sync::OnceLock;

use crate::fork::PerProcess;

use super::div::{Divisor, div_rem, div_rem_scratch};
use super::mul::leaf;
use super::mul::{mul, mul_scratch, square, square_scratch};
use super::row::mul_word_assign;
use super::shift::shr;
use super::sum::add_assign;
use super::{bit_length, significant, trimmed};

mod word;

use word::{read_chunk, write_chunk};

/// Longest numbers in limbs that are printed by one fraction; at least 2. Measured on Cascade Lake
/// at 2.5 GHz, 2026-11-16.
const LEAF: usize = 28;

/// Most chunks that are read by Horner's rule; at least 1.
const READ_CHUNKS: usize = 32;

/// What a radix needs, computed once.
struct Radix {
    radix: u32,
    /// Digits of a chunk, and the radix to their number.
    digits: usize,
    power: u64,
    /// By the number L of chunks, from 0 on.
    fractions: Vec<Fraction>,
    /// P^LEAF.
    print_power: Vec<u64>,
    /// P^READ_CHUNKS.
    read_power: Vec<u64>,
}

/// For numbers below P^L.
struct Fraction {
    /// The bits of P^L.
    bits: u64,
    /// X of the head of this file.
    reciprocal: Vec<u64>,
    /// ⌊X/2⌋ over 2^(64L).
    half: Vec<u64>,
}

/// The digits of a radix that fit one limb, and the radix to their number.
const fn chunk(radix: u32) -> (usize, u64) {
    let (mut digits, mut power) = (1, radix as u64);
    while let Some(next) = power.checked_mul(radix as u64) {
        (digits, power) = (digits + 1, next);
    }
    (digits, power)
}

const CHUNKS: [(usize, u64); 37] = {
    let mut chunks = [(0, 0); 37];
    let mut radix = 2;
    while radix <= 36 {
        chunks[radix] = chunk(radix as u32);
        radix += 1;
    }
    chunks
};

impl Radix {
    fn of(radix: u32) -> &'static Radix {
        static KNOWN: [PerProcess<OnceLock<Radix>>; 37] =
            [const { PerProcess::new(OnceLock::new()) }; 37];
        KNOWN[radix as usize].get_or_init(|| Radix::new(radix))
    }

    fn new(radix: u32) -> Radix {
        let (digits, power) = CHUNKS[radix as usize];
        let power_of = |chunks: usize| {
            let mut whole = vec![1];
            for _ in 0..chunks {
                let above = mul_word_assign(&mut whole, power, 0);
                whole.push(above);
                whole.truncate(significant(&whole));
            }
            whole
        };
        // P > 2^59, so LEAF + 3 chunks are enough for LEAF limbs.
        let fraction = |chunks| Fraction::new(&power_of(chunks), chunks);
        Radix {
            radix,
            digits,
            power,
            fractions: (0..=LEAF + 3).map(fraction).collect(),
            print_power: power_of(LEAF),
            read_power: power_of(READ_CHUNKS),
        }
    }

    /// The least L with P^L > v for v of so many bits, at most 64·LEAF.
    fn chunks_for(&self, bits: u64) -> usize {
        let mut chunks = bits as usize / 64;
        while self.fractions[chunks].bits <= bits {
            chunks += 1;
        }
        chunks
    }

    /// Gives all chunks of v < P^L for L ≥ 1, most significant first, zeros too. v has at most
    /// LEAF + 1 limbs, and at most L.
    #[inline(always)]
    fn chunks(&self, v: &[u64], chunks: usize, give: impl FnMut(u64)) {
        // Less memory to clear for short numbers.
        if chunks <= 8 {
            self.chunks_in(&mut [0; 26], v, chunks, give);
        } else {
            self.chunks_in(&mut [0; 2 * LEAF + 40], v, chunks, give);
        }
    }

    /// [`Radix::chunks`] with room for the product, all zero.
    #[inline(always)]
    fn chunks_in(&self, room: &mut [u64], v: &[u64], chunks: usize, mut give: impl FnMut(u64)) {
        debug_assert!(v.len() <= chunks);
        let fraction = &self.fractions[chunks];
        let (reciprocal, half) = (&fraction.reciprocal, &fraction.half);
        if !v.is_empty() {
            leaf::mul(&mut room[..v.len() + reciprocal.len()], reciprocal, v);
        }
        let fraction = &mut room[chunks..=2 * chunks];
        add_assign(fraction, half);
        for i in 0..chunks {
            give(mul_word_assign(&mut fraction[i..], self.power, 0));
        }
    }

    /// Appends the digits of v > 0 without leading zeros; v has at most LEAF limbs.
    fn append_leaf(&self, text: &mut Vec<u8>, v: &[u64]) {
        let chunks = self.chunks_for(bit_length(v));
        text.reserve(chunks * self.digits);
        let mut begun = false;
        self.chunks(v, chunks, |word| {
            if begun {
                let start = text.len();
                text.resize(start + self.digits, 0);
                write_chunk(&mut text[start..], word, self.radix);
            } else if word != 0 {
                word::append(text, word, self.radix);
                begun = true;
            }
        });
    }
}

impl Fraction {
    /// For `power` = P^L without leading zero limbs.
    fn new(power: &[u64], chunks: usize) -> Fraction {
        let mut dividend = vec![0; 2 * chunks + 2];
        dividend[2 * chunks + 1] = 1;
        let (m, n) = (dividend.len(), power.len());
        let mut reciprocal = vec![0; m - n + 1];
        let mut scratch = vec![0; div_rem_scratch(m, n)];
        div_rem(&mut reciprocal, &mut dividend, power, &mut scratch);
        reciprocal.truncate(significant(&reciprocal));
        let mut half = vec![0; reciprocal.len() - chunks.min(reciprocal.len())];
        let upper = &reciprocal[reciprocal.len() - half.len()..];
        shr(&mut half, upper, 1);
        half.truncate(significant(&half));
        Fraction {
            bits: bit_length(power),
            reciprocal,
            half,
        }
    }
}

/// Appends the digits of a, without leading zeros; 0 has one digit.
pub(crate) fn to_text(text: &mut Vec<u8>, a: &[u64], radix: u32) {
    assert!((2..=36).contains(&radix));
    let a = trimmed(a);
    if a.len() <= 1 {
        return word::append(text, a.first().copied().unwrap_or(0), radix);
    }
    if radix.is_power_of_two() {
        return word::append_bits(text, a, radix);
    }
    if let (10, [low, high]) = (radix, a) {
        return word::append_two_words(text, *high, *low);
    }
    let radix = Radix::of(radix);
    if a.len() <= LEAF {
        return radix.append_leaf(text, a);
    }
    let printer = Printer::new(radix, a.len());
    let mut v = a.to_vec();
    let mut scratch = vec![0; printer.scratch(v.len())];
    text.reserve((v.len() + 1) * radix.digits + v.len() * radix.digits / 16);
    printer.append(text, &mut v, printer.divisors.len(), &mut scratch);
}

/// The digits of one chunk: as many as `text` has bytes.
pub(crate) fn chunk_to_text(text: &mut [u8], chunk: u64, radix: u32) {
    write_chunk(text, chunk, radix);
}

/// Numbers of up to so many limbs to chunks.
pub(crate) struct Chunks {
    printer: Printer,
    len: usize,
}

impl Chunks {
    /// For numbers of at most `len` limbs in a radix that is no power of two.
    pub(crate) fn new(radix: u32, len: usize) -> Chunks {
        assert!((3..=36).contains(&radix) && !radix.is_power_of_two());
        Chunks {
            printer: Printer::new(Radix::of(radix), len),
            len,
        }
    }

    /// The chunks of v, least significant first, with leading zeros.
    pub(crate) fn of(&self, v: &[u64]) -> Vec<u64> {
        assert!(v.len() <= self.len);
        let k = self.printer.divisors.len();
        let mut chunks = Vec::with_capacity(LEAF << k);
        let mut v = v.to_vec();
        let mut scratch = vec![0; self.printer.scratch(v.len())];
        self.printer
            .give(&mut v, k, &mut scratch, &mut |chunk| chunks.push(chunk));
        chunks.reverse();
        chunks
    }
}

/// first = P^k, P^(2k), P^(4k) …, all that have at most about half of `len` limbs.
fn powers(first: &[u64], len: usize) -> Vec<Vec<u64>> {
    let mut power = first.to_vec();
    let mut powers = Vec::new();
    loop {
        let next = 2 * power.len();
        powers.push(power);
        if next > len + 1 {
            return powers;
        }
        let power_before = powers.last().expect("just pushed");
        // Only the upper limbs of an even radix's powers are not zero.
        let zeros = power_before.iter().take_while(|limb| **limb == 0).count();
        let mut square_of = vec![0; next];
        let mut scratch = vec![0; square_scratch(power_before.len() - zeros)];
        square(
            &mut square_of[2 * zeros..],
            &power_before[zeros..],
            &mut scratch,
        );
        square_of.truncate(significant(&square_of));
        power = square_of;
    }
}

struct Printer {
    radix: &'static Radix,
    /// P^(LEAF·2^k).
    divisors: Vec<Divisor>,
}

impl Printer {
    /// For numbers of at most `len` limbs.
    fn new(radix: &'static Radix, len: usize) -> Printer {
        let powers = powers(&radix.print_power, len);
        let divisors = powers.iter().map(|power| Divisor::new(power)).collect();
        Printer { radix, divisors }
    }

    /// Limbs of scratch for a number of so many limbs: the quotients of all levels, and what the
    /// first division needs.
    fn scratch(&self, len: usize) -> usize {
        let within = self.divisors.iter().map(Divisor::scratch).max();
        3 * len + 8 * self.divisors.len() + 2 + within.unwrap_or(0)
    }

    /// Appends the digits of v without leading zeros, for v < P^(LEAF·2^k). v is destroyed.
    fn append(&self, text: &mut Vec<u8>, v: &mut [u64], k: usize, scratch: &mut [u64]) {
        let len = significant(v);
        let v = &mut v[..len];
        if len <= LEAF {
            return self.radix.append_leaf(text, v);
        }
        let divisor = &self.divisors[k - 1];
        if divisor.is_above(v) {
            return self.append(text, v, k - 1, scratch);
        }
        let (q, rest, scratch) = divide(divisor, v, scratch);
        self.append(text, q, k - 1, scratch);
        let start = text.len();
        text.resize(start + ((LEAF * self.radix.digits) << (k - 1)), 0);
        let mut places = text[start..].chunks_exact_mut(self.radix.digits);
        self.give(rest, k - 1, scratch, &mut |chunk| {
            let place = places.next().expect("as many as chunks");
            write_chunk(place, chunk, self.radix.radix);
        });
    }

    /// Gives all chunks of v < P^(LEAF·2^k), most significant first, zeros too. v is destroyed.
    fn give(&self, v: &mut [u64], k: usize, scratch: &mut [u64], give: &mut impl FnMut(u64)) {
        let len = significant(v);
        let v = &mut v[..len];
        if k == 0 {
            return self.radix.chunks(v, LEAF, give);
        }
        let divisor = &self.divisors[k - 1];
        if divisor.is_above(v) {
            (0..LEAF << (k - 1)).for_each(|_| give(0));
            return self.give(v, k - 1, scratch, give);
        }
        let (q, rest, scratch) = divide(divisor, v, scratch);
        self.give(q, k - 1, scratch, give);
        self.give(rest, k - 1, scratch, give);
    }
}

/// Quotient, remainder and the scratch that is left. v is not below the divisor.
fn divide<'a>(
    divisor: &Divisor,
    v: &'a mut [u64],
    scratch: &'a mut [u64],
) -> (&'a mut [u64], &'a mut [u64], &'a mut [u64]) {
    let (q, scratch) = scratch.split_at_mut(v.len() + 1 - divisor.len());
    let len = divisor.len();
    divisor.div_rem(q, v, scratch);
    (q, &mut v[..len], scratch)
}

/// Limbs that hold any number of so many digits.
pub(crate) fn limbs_for(digits: usize, radix: u32) -> usize {
    digits / CHUNKS[radix as usize].0 + 1
}

/// out = the number with these digits, most significant first, each below `radix`. `out` has at
/// least [`limbs_for`] limbs.
pub(crate) fn from_digits(out: &mut [u64], digits: &[u8], radix: u32) {
    assert!(out.len() >= limbs_for(digits.len(), radix));
    let count = CHUNKS[radix as usize].0;
    let chunks = digits.len().div_ceil(count);
    if radix.is_power_of_two() {
        word::read_bits(out, digits, radix);
    } else if chunks <= READ_CHUNKS {
        let len = horner(out, digits, radix);
        out[len..].fill(0);
    } else {
        let radix = Radix::of(radix);
        let powers = powers(&radix.read_power, chunks);
        let reader = Reader {
            radix,
            powers: powers
                .iter()
                .map(|power| {
                    let zeros = power.iter().take_while(|limb| **limb == 0).count();
                    (zeros, &power[zeros..])
                })
                .collect(),
        };
        let mut scratch = vec![0; reader.scratch(chunks)];
        let len = reader.read(out, digits, reader.powers.len(), &mut scratch);
        out[len..].fill(0);
    }
}

/// out = the number with these digits; how many limbs it has. The limbs above mean nothing.
fn horner(out: &mut [u64], digits: &[u8], radix: u32) -> usize {
    let (count, power) = CHUNKS[radix as usize];
    let (first, rest) = digits.split_at(digits.len() % count);
    let mut len = 0;
    let value = read_chunk(first, radix);
    if value != 0 {
        out[0] = value;
        len = 1;
    }
    for chunk in rest.chunks_exact(count) {
        let above = mul_word_assign(&mut out[..len], power, read_chunk(chunk, radix));
        if above != 0 {
            out[len] = above;
            len += 1;
        }
    }
    len
}

struct Reader<'a> {
    radix: &'static Radix,
    /// P^(READ_CHUNKS·2^k): limbs of zero below, and the limbs above those.
    powers: Vec<(usize, &'a [u64])>,
}

impl Reader<'_> {
    /// Limbs of scratch for so many chunks: a half and its own half and so on, and a product's.
    fn scratch(&self, chunks: usize) -> usize {
        2 * chunks
            + 2 * self.powers.len()
            + mul_scratch(chunks, chunks).max(mul_scratch(chunks, chunks / 2))
    }

    /// [`horner`] for fewer than P^(READ_CHUNKS·2^(k + 1)) chunks; `out` has a limb more than
    /// chunks at most.
    fn read(&self, out: &mut [u64], digits: &[u8], k: usize, scratch: &mut [u64]) -> usize {
        let lower = |k: usize| (READ_CHUNKS * self.radix.digits) << k;
        let Some(k) = (0..k).rev().find(|k| lower(*k) < digits.len()) else {
            return horner(out, digits, self.radix.radix);
        };
        let (above, below) = digits.split_at(digits.len() - lower(k));
        let (part, scratch) =
            scratch.split_at_mut(above.len().max(below.len()) / self.radix.digits + 2);
        let len = self.read(part, above, k, scratch);
        let (zeros, power) = self.powers[k];
        let total = if len == 0 {
            0
        } else {
            out[..zeros].fill(0);
            let total = zeros + power.len() + len;
            mul(&mut out[zeros..total], power, &part[..len], scratch);
            total
        };
        let len = self.read(part, below, k, scratch);
        if total == 0 {
            out[..len].copy_from_slice(&part[..len]);
            return len;
        }
        let over = add_assign(&mut out[..total], &part[..len]);
        debug_assert!(!over);
        total - usize::from(out[total - 1] == 0)
    }
}

#[cfg(test)]
mod tests;
