//! Montgomery arithmetic modulo an odd number of n limbs, and powers.
//!
//! R = 2^(64n). A residue x is kept as x·R mod m, below m. P. L. Montgomery, *Modular
//! multiplication without trial division*, Math. Comp. 44 (1985).

mod word;

pub(crate) use word::*;

use super::asm;
use super::mul::low::{mul_low, mul_low_scratch};
use super::mul::{mul, mul_scratch, square, square_scratch};
use super::row::{addmul_word, mul_word_assign, submul_word};
use super::sum::{add, add_word, compare_same, sub_assign};
use super::{bit_length, inverse_word};

/// From how many limbs on a reduction is two products instead of rows. Measured on Cascade Lake at
/// 2.5 GHz, 2026-11-16.
const BY_PRODUCTS: usize = 200;

/// Up to how many limbs one piece of assembly does the whole reduction.
const SHORT: usize = 8;

/// Products of limbs between two questions whether to go on: less than a millisecond.
const PRODUCTS_AT_ONCE: u64 = 1 << 18;

/// The course of a power: who hears how many bits of the exponent are done says whether to go on.
pub(crate) struct Course<'a> {
    go_on: &'a mut dyn FnMut(u64) -> bool,
    /// Bits after which to ask.
    interval: u64,
    /// Bits since the last question.
    bits: u64,
}

impl<'a> Course<'a> {
    /// For a modulus of so many limbs.
    pub(crate) fn new(limbs: usize, go_on: &'a mut dyn FnMut(u64) -> bool) -> Course<'a> {
        let products = (limbs as u64).saturating_pow(2).max(1);
        Course {
            go_on,
            interval: (PRODUCTS_AT_ONCE / products).max(1),
            bits: 0,
        }
    }

    /// So many more bits are done. Whether to go on.
    pub(crate) fn advance(&mut self, bits: u64) -> bool {
        self.bits += bits;
        self.bits < self.interval || (self.go_on)(std::mem::take(&mut self.bits))
    }
}

/// An odd modulus of n limbs with its constants.
pub(crate) struct Modulus {
    m: Vec<u64>,
    /// −1/m modulo 2^64, or modulo R where reductions are two products.
    minus_inverse: Vec<u64>,
    /// R modulo m.
    one: Vec<u64>,
    /// R² modulo m.
    square: Vec<u64>,
}

impl Modulus {
    /// `m` is odd and above 1. Its top limb is not zero.
    pub(crate) fn new(m: &[u64]) -> Modulus {
        Modulus::with_threshold(m, BY_PRODUCTS)
    }

    fn with_threshold(m: &[u64], by_products: usize) -> Modulus {
        assert!(m.last().is_some_and(|top| *top != 0) && m[0] % 2 == 1 && *m != [1]);
        let n = m.len();
        let mut modulus = Modulus {
            m: m.to_vec(),
            minus_inverse: vec![inverse_word(m[0]).wrapping_neg()],
            one: vec![0; n],
            square: vec![0; n],
        };
        if n >= by_products {
            modulus.minus_inverse = minus_inverse(m);
        }
        // 2^bits − m with bits the length of m is below m, and is doubled up to 2^(64n).
        let bits = bit_length(m);
        let mut one = vec![0; n];
        sub_assign(&mut one, m);
        if bits < 64 * n as u64 {
            one[n - 1] &= (1 << (bits % 64)) - 1;
            for _ in bits..64 * n as u64 {
                double(&mut one, m);
            }
        }
        modulus.one = one;
        let mut scratch = vec![0; modulus.scratch()];
        let mut square = vec![0; n];
        let exponent = [64 * n as u64];
        let to_its_end = &mut |_| true;
        let course = &mut Course::new(n, to_its_end);
        let is_done =
            modulus.power_of_word_in_form(&mut square, 2, &exponent, &mut scratch, course);
        debug_assert!(is_done);
        modulus.square = square;
        modulus
    }

    /// n.
    pub(crate) fn limbs(&self) -> usize {
        self.m.len()
    }

    /// One in Montgomery form.
    pub(crate) fn one(&self) -> &[u64] {
        &self.one
    }

    /// Limbs of scratch that every function here needs.
    pub(crate) fn scratch(&self) -> usize {
        let n = self.limbs();
        // A product of 2n limbs; for its reduction by products a quotient of n and a product of 2n.
        5 * n
            + mul_scratch(n, n)
                .max(square_scratch(n))
                .max(mul_low_scratch(n))
    }

    /// out = a·b/R modulo m, below m. a·b < m·R.
    pub(crate) fn mul(&self, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
        let (product, rest) = scratch.split_at_mut(2 * self.limbs());
        mul(product, a, b, rest);
        self.reduce(out, product, rest);
    }

    /// out = a²/R modulo m, below m. a² < m·R.
    pub(crate) fn square(&self, out: &mut [u64], a: &[u64], scratch: &mut [u64]) {
        let (product, rest) = scratch.split_at_mut(2 * self.limbs());
        square(product, a, rest);
        self.reduce(out, product, rest);
    }

    /// out = a in Montgomery form. a has n limbs and may be above m.
    pub(crate) fn enter(&self, out: &mut [u64], a: &[u64], scratch: &mut [u64]) {
        self.mul(out, a, &self.square, scratch);
    }

    /// out = the residue, below m, that a stands for.
    pub(crate) fn leave(&self, out: &mut [u64], a: &[u64], scratch: &mut [u64]) {
        let n = self.limbs();
        let (product, rest) = scratch.split_at_mut(2 * n);
        product[..n].copy_from_slice(a);
        product[n..].fill(0);
        self.reduce(out, product, rest);
    }

    /// out = x/R modulo m, below m. x has 2n limbs, is below m·R, and is destroyed. `scratch` has
    /// 2n limbs and what `mul` and `mul_low` need, where reductions are two products.
    pub(crate) fn reduce(&self, out: &mut [u64], x: &mut [u64], scratch: &mut [u64]) {
        let n = self.limbs();
        assert!(out.len() == n && x.len() == 2 * n);
        if let (1..=SHORT, Some(leaves)) = (n, asm::leaves()) {
            return leaves.reduce_short(out, x, &self.m, self.minus_inverse[0]);
        }
        let over = if let [inverse] = *self.minus_inverse {
            reduce_rows(out, x, &self.m, inverse)
        } else {
            let (quotient, rest) = scratch.split_at_mut(n);
            mul_low(quotient, &x[..n], &self.minus_inverse, rest);
            // x + quotient·m is a multiple of R: the low halves add up to 0 or to R.
            let carry = x[..n].iter().any(|limb| *limb != 0);
            let (low, high) = x.split_at_mut(n);
            let (product, rest) = rest.split_at_mut(2 * n);
            mul(product, quotient, &self.m, rest);
            low.copy_from_slice(&product[n..]);
            let over = add(out, low, high);
            over | (carry && add_word(out, 1))
        };
        if over || compare_same(out, &self.m).is_ge() {
            sub_assign(out, &self.m);
        }
    }

    /// out = base^exponent modulo m, below m, all in the usual form. base has n limbs and may be
    /// above m. False where it was stopped: then `out` is of no use.
    #[must_use]
    pub(crate) fn power(
        &self,
        out: &mut [u64],
        base: &[u64],
        exponent: &[u64],
        scratch: &mut [u64],
        course: &mut Course,
    ) -> bool {
        let n = self.limbs();
        assert!(out.len() == n && base.len() == n);
        if super::significant(base) <= 1 {
            return self.power_of_word(out, base[0], exponent, scratch, course);
        }
        let bits = bit_length(exponent);
        let window = window(bits);
        // The odd powers base, base³, … in Montgomery form.
        let mut table = vec![0; n << (window - 1)];
        self.enter(&mut table[..n], base, scratch);
        let mut step = vec![0; n];
        self.square(&mut step, &table[..n], scratch);
        for at in (n..table.len()).step_by(n) {
            let (done, next) = table.split_at_mut(at);
            self.mul(&mut next[..n], &done[at - n..], &step, scratch);
        }
        let (mut x, mut y) = (self.one.clone(), step);
        let mut started = false;
        let mut at = bits;
        while at > 0 {
            if !bit(exponent, at - 1) {
                self.square(&mut y, &x, scratch);
                (x, y) = (y, x);
                at -= 1;
                if !course.advance(1) {
                    return false;
                }
                continue;
            }
            // The longest window from here on that ends with a set bit.
            let mut end = at.saturating_sub(window);
            while !bit(exponent, end) {
                end += 1;
            }
            let odd = (end..at)
                .rev()
                .fold(0, |odd, i| odd << 1 | usize::from(bit(exponent, i)));
            let factor = &table[odd / 2 * n..][..n];
            if started {
                for _ in end..at {
                    self.square(&mut y, &x, scratch);
                    (x, y) = (y, x);
                }
                self.mul(&mut y, &x, factor, scratch);
                (x, y) = (y, x);
            } else {
                x.copy_from_slice(factor);
                started = true;
            }
            if !course.advance(at - end) {
                return false;
            }
            at = end;
        }
        self.leave(out, &x, scratch);
        true
    }

    /// out = base^exponent modulo m, below m, all in the usual form.
    ///
    /// Several bits of the exponent at once multiply by a word, base^bits: a row instead of a
    /// product.
    fn power_of_word(
        &self,
        out: &mut [u64],
        base: u64,
        exponent: &[u64],
        scratch: &mut [u64],
        course: &mut Course,
    ) -> bool {
        let mut x = vec![0; self.limbs()];
        let is_done = self.power_of_word_in_form(&mut x, base, exponent, scratch, course);
        self.leave(out, &x, scratch);
        is_done
    }

    /// out = base^exponent in Montgomery form; false where it was stopped.
    fn power_of_word_in_form(
        &self,
        out: &mut [u64],
        base: u64,
        exponent: &[u64],
        scratch: &mut [u64],
        course: &mut Course,
    ) -> bool {
        // So many bits that base^(2^bits − 1) is a word; one bit for a base of more than 32 bits.
        let mut window = 1;
        while base.checked_pow((2 << window) - 1).is_some() && window < 6 {
            window += 1;
        }
        let (mut x, mut y) = (self.one.clone(), vec![0; self.limbs()]);
        let bits = bit_length(exponent);
        let mut at = bits.next_multiple_of(window);
        while at > 0 {
            if at < bits.next_multiple_of(window) {
                for _ in 0..window {
                    self.square(&mut y, &x, scratch);
                    (x, y) = (y, x);
                }
            }
            let digit = (at - window..at)
                .rev()
                .fold(0, |digit, i| digit << 1 | u32::from(bit(exponent, i)));
            if digit != 0 {
                self.mul_by_word(&mut x, base.pow(digit));
            }
            at -= window;
            if !course.advance(window) {
                return false;
            }
        }
        out.copy_from_slice(&x);
        true
    }

    /// a = a·word modulo m, below m.
    ///
    /// With top = ⌊m/2^(L − 64)⌋ for m of L bits, the quotient a·word/m is estimated by the upper
    /// bits of a·word over top + 1. That is at most the quotient, and less by at most 3 in all: the
    /// quotient is below 2^64, top ≥ 2^63, so the error of the divisor costs at most 2, and the
    /// bits cut off one. For a modulus below 2^64 the limb itself takes the place of top + 1.
    fn mul_by_word(&self, a: &mut [u64], word: u64) {
        let n = self.limbs();
        if n == 1 {
            a[0] = (u128::from(a[0]) * u128::from(word) % u128::from(self.m[0])) as u64;
            return;
        }
        let shift = self.m[n - 1].leading_zeros();
        let window = |high: u64, low: u64| {
            ((u128::from(high) << 64 | u128::from(low)) << shift >> 64) as u64
        };
        let top = window(self.m[n - 1], self.m[n - 2]);
        let mut above = mul_word_assign(a, word, 0);
        let high = window(above, a[n - 1]);
        let low = window(a[n - 1], a[n - 2]);
        let upper = u128::from(high) << 64 | u128::from(low);
        let quotient = (upper / (u128::from(top) + 1)) as u64;
        above -= submul_word(a, &self.m, quotient);
        while above != 0 || compare_same(a, &self.m).is_ge() {
            above -= u64::from(sub_assign(a, &self.m));
        }
    }
}

/// Reduction limb by limb: out = (x + q·m)/R or that less R, and whether it is less. Each limb of q
/// clears a limb of x. The carry is kept there and added at the end.
fn reduce_rows(out: &mut [u64], x: &mut [u64], m: &[u64], minus_inverse: u64) -> bool {
    if let Some(leaves) = asm::leaves() {
        leaves.reduce(x, m, minus_inverse);
    } else {
        portable_reduce(x, m, minus_inverse);
    }
    let (carries, high) = x.split_at(m.len());
    add(out, high, carries)
}

/// The twin of the assembly.
fn portable_reduce(x: &mut [u64], m: &[u64], minus_inverse: u64) {
    for i in 0..m.len() {
        let quotient = x[i].wrapping_mul(minus_inverse);
        x[i] = addmul_word(&mut x[i..i + m.len()], m, quotient);
    }
}

/// −1/m modulo R, by Newton's iteration: y → y·(2 − m·y) doubles the right limbs.
fn minus_inverse(m: &[u64]) -> Vec<u64> {
    let n = m.len();
    let mut scratch = vec![0; mul_low_scratch(n)];
    let (mut y, mut next, mut error) = (vec![0; n], vec![0; n], vec![0; n]);
    y[0] = inverse_word(m[0]);
    let mut right = 1;
    while right < n {
        right = (2 * right).min(n);
        mul_low(&mut error[..right], &m[..right], &y[..right], &mut scratch);
        // 2 − m·y, then the product.
        super::sum::negate(&mut error[..right]);
        add_word(&mut error[..right], 2);
        mul_low(
            &mut next[..right],
            &y[..right],
            &error[..right],
            &mut scratch,
        );
        y[..right].copy_from_slice(&next[..right]);
    }
    super::sum::negate(&mut y);
    y
}

/// a = 2a modulo m, for a below m.
fn double(a: &mut [u64], m: &[u64]) {
    let over = super::shift::shl_assign(a, 1) != 0;
    if over || compare_same(a, m).is_ge() {
        sub_assign(a, m);
    }
}

/// base^exponent by squarings and products; none where it was stopped.
pub(crate) fn power_in<T: Copy>(
    exponent: &[u64],
    one: T,
    base: T,
    course: &mut Course,
    mul: impl Fn(T, T) -> T,
) -> Option<T> {
    let mut x = one;
    for (i, limb) in exponent.iter().enumerate().rev() {
        let bits = if i + 1 == exponent.len() {
            64 - limb.leading_zeros()
        } else {
            64
        };
        for bit in (0..bits).rev() {
            x = mul(x, x);
            if limb >> bit & 1 == 1 {
                x = mul(x, base);
            }
        }
        if !course.advance(64) {
            return None;
        }
    }
    Some(x)
}

fn bit(a: &[u64], i: u64) -> bool {
    a.get((i / 64) as usize)
        .is_some_and(|limb| limb >> (i % 64) & 1 == 1)
}

/// Bits of a window for an exponent of so many: 2^(w − 1) products for the table against bits/(w +
/// 1).
fn window(bits: u64) -> u64 {
    [7, 25, 81, 241, 673, 1793, 4609]
        .iter()
        .position(|most| bits <= *most)
        .unwrap_or(7) as u64
        + 1
}

#[cfg(test)]
mod tests;
