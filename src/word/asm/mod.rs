//! The leaves for x86-64 with BMI1, BMI2 (mulx), ADX (adcx, adox) and AVX2: safe functions around
//! the assembly.
//!
//! Every function here has a portable twin of the same name beside its caller. `none.rs` stands
//! in for this file on other processors and under Miri.

#![allow(unsafe_code)]

use std::arch::asm;
use std::cmp;
use std::sync::atomic::{AtomicU8, Ordering};

use super::gcd::portable;

mod half;
mod product;
mod row;
mod shift;
mod step;

/// 0: not asked yet; 1: the processor lacks what the leaves need; 2: it has it.
static KNOWN: AtomicU8 = AtomicU8::new(0);

/// Says that the processor has BMI1, BMI2, ADX and AVX2. Only [`leaves`] makes one.
#[derive(Clone, Copy)]
pub(super) struct Leaves(());

/// The leaves, where the processor has what they need.
#[inline]
pub(super) fn leaves() -> Option<Leaves> {
    let found = match KNOWN.load(Ordering::Relaxed) {
        0 => detect(),
        known => known == 2,
    };
    found.then_some(Leaves(()))
}

/// The leaves, for operands of at least `least` limbs.
#[inline]
pub(super) fn leaves_from(least: usize, len: usize) -> Option<Leaves> {
    if len >= least { leaves() } else { None }
}

#[cold]
fn detect() -> bool {
    let found = is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("avx2");
    KNOWN.store(1 + u8::from(found), Ordering::Relaxed);
    found
}

/// The order of two numbers of one length, at least 1. Every x86-64 processor has what this needs.
///
/// The loop lies within 32 bytes: processors from Skylake to Cascade Lake take twice as long for a
/// jump that crosses such a border.
#[inline(always)]
pub(super) fn compare(a: &[u64], b: &[u64]) -> cmp::Ordering {
    assert!(!a.is_empty() && a.len() == b.len());
    let order: i8;
    // SAFETY: Limbs a.len() − 1 down to 0 of both are read and nothing else is touched. Below the
    // loop the flags are those of the last comparison, which is one of equals where all limbs are.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "mov {x}, qword ptr [{a} + 8*{n} - 8]",
            "cmp {x}, qword ptr [{b} + 8*{n} - 8]",
            "jne 3f",
            "dec {n}",
            "jnz 2b",
            "cmp {x}, {x}",
            "3:",
            "seta {order}",
            "sbb {order}, 0",
            a = in(reg) a.as_ptr(),
            b = in(reg) b.as_ptr(),
            n = inout(reg) a.len() => _,
            x = out(reg) _,
            order = out(reg_byte) order,
            options(nostack, readonly),
        );
    }
    match order {
        0 => cmp::Ordering::Equal,
        1 => cmp::Ordering::Greater,
        _ => cmp::Ordering::Less,
    }
}

impl Leaves {
    /// out = a + b; the carry. All have one length, at least 1.
    #[inline]
    pub(super) fn add(self, out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
        assert!(!out.is_empty() && out.len() == a.len() && a.len() == b.len());
        // SAFETY: All three have out.len() ≥ 1 limbs. The borrows say that out overlaps neither
        // operand.
        unsafe { row::add(out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), out.len()) != 0 }
    }

    /// a += b; the carry. Both have one length, at least 1.
    #[inline]
    pub(super) fn add_assign(self, a: &mut [u64], b: &[u64]) -> bool {
        assert!(!a.is_empty() && a.len() == b.len());
        let out = a.as_mut_ptr();
        // SAFETY: Both have a.len() ≥ 1 limbs. The result is a itself, which does not overlap b.
        unsafe { row::add(out, out, b.as_ptr(), a.len()) != 0 }
    }

    /// out = a − b modulo 2^(64n); the borrow. All have n limbs, n ≥ 1.
    #[inline]
    pub(super) fn sub(self, out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
        assert!(!out.is_empty() && out.len() == a.len() && a.len() == b.len());
        // SAFETY: All three have out.len() ≥ 1 limbs. The borrows say that out overlaps neither
        // operand.
        unsafe { row::sub(out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), out.len()) != 0 }
    }

    /// a −= b modulo 2^(64n); the borrow. Both have n limbs, n ≥ 1.
    #[inline]
    pub(super) fn sub_assign(self, a: &mut [u64], b: &[u64]) -> bool {
        assert!(!a.is_empty() && a.len() == b.len());
        let out = a.as_mut_ptr();
        // SAFETY: Both have a.len() ≥ 1 limbs. The result is a itself, which does not overlap b.
        unsafe { row::sub(out, out, b.as_ptr(), a.len()) != 0 }
    }

    /// a = b − a modulo 2^(64n); the borrow. Both have n limbs, n ≥ 1.
    #[inline]
    pub(super) fn sub_from(self, a: &mut [u64], b: &[u64]) -> bool {
        assert!(!a.is_empty() && a.len() == b.len());
        let out = a.as_mut_ptr();
        // SAFETY: Both have a.len() ≥ 1 limbs. The result is a itself, which does not overlap b.
        unsafe { row::sub(out, b.as_ptr(), out, a.len()) != 0 }
    }

    /// out = a·word; the limb above. Both have one length, at least 1.
    #[inline]
    pub(super) fn mul_word(self, out: &mut [u64], a: &[u64], word: u64) -> u64 {
        assert!(!out.is_empty() && out.len() == a.len());
        // SAFETY: The processor has the instructions. Both have out.len() ≥ 1 limbs and do not
        // overlap.
        unsafe { row::mul_word(out.as_mut_ptr(), a.as_ptr(), out.len(), word, 0) }
    }

    /// a = a·word + add; the limb above. a has at least 1 limb.
    #[inline]
    pub(super) fn mul_word_assign(self, a: &mut [u64], word: u64, add: u64) -> u64 {
        assert!(!a.is_empty());
        let out = a.as_mut_ptr();
        // SAFETY: The processor has the instructions. The operand has a.len() ≥ 1 limbs and is the
        // result.
        unsafe { row::mul_word(out, out, a.len(), word, add) }
    }

    /// sum += a·word; the limb above. Both have one length, at least 1.
    #[inline]
    pub(super) fn addmul_word(self, sum: &mut [u64], a: &[u64], word: u64) -> u64 {
        assert!(!sum.is_empty() && sum.len() == a.len());
        // SAFETY: The processor has the instructions. Both have sum.len() ≥ 1 limbs and do not
        // overlap.
        unsafe { row::addmul_word(sum.as_mut_ptr(), a.as_ptr(), sum.len(), word) }
    }

    /// rest −= a·word modulo 2^(64n); the borrow, a limb. Both have n limbs, n ≥ 1.
    #[inline]
    pub(super) fn submul_word(self, rest: &mut [u64], a: &[u64], word: u64) -> u64 {
        assert!(!rest.is_empty() && rest.len() == a.len());
        // SAFETY: The processor has the instructions. Both have rest.len() ≥ 1 limbs and do not
        // overlap.
        unsafe { row::submul_word(rest.as_mut_ptr(), a.as_ptr(), rest.len(), word) }
    }

    /// a /= d, for a multiple of d, where `word` is (2^64 − 1)/d.
    #[inline]
    pub(super) fn divide_exactly(self, a: &mut [u64], word: u64) {
        // SAFETY: The processor has the instructions. The length is a's own.
        unsafe { row::divide_exactly(a.as_mut_ptr(), a.len(), word) }
    }

    /// out = a·b. Both have at least 1 limb, out as many as both together. Fastest where b is the
    /// shorter.
    #[inline]
    pub(super) fn mul(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        assert!(!a.is_empty() && !b.is_empty() && out.len() == a.len() + b.len());
        // SAFETY: The processor has the instructions. The lengths are the slices' own, out has both
        // together, and the borrows say that it overlaps neither.
        unsafe { product::mul(out.as_mut_ptr(), a.as_ptr(), a.len(), b.as_ptr(), b.len()) }
    }

    /// out = a². a has at least 1 limb, out twice as many.
    #[inline]
    pub(super) fn square(self, out: &mut [u64], a: &[u64]) {
        assert!(!a.is_empty() && out.len() == 2 * a.len());
        // SAFETY: The processor has the instructions. The length is a's own, out has twice as many
        // limbs, and the borrows say that they do not overlap.
        unsafe { product::square(out.as_mut_ptr(), a.as_ptr(), a.len()) }
    }

    /// gcd(a, b) of odd words.
    #[inline]
    pub(super) fn gcd_odd_words(self, a: u64, b: u64) -> u64 {
        #[target_feature(enable = "bmi1,bmi2")]
        fn compiled(a: u64, b: u64) -> u64 {
            portable::gcd_odd_words(a, b)
        }
        // SAFETY: The processor has the instructions.
        unsafe { compiled(a, b) }
    }

    /// gcd(a, b) of odd numbers of two words.
    #[inline]
    pub(super) fn gcd_odd_pairs(self, a: u128, b: u128) -> u128 {
        #[target_feature(enable = "bmi1,bmi2")]
        fn compiled(a: u128, b: u128) -> u128 {
            portable::gcd_odd_pairs(a, b)
        }
        // SAFETY: The processor has the instructions.
        unsafe { compiled(a, b) }
    }

    /// Makes the lower half of x zero by adding a multiple of m, and puts the carries into the
    /// upper half there instead: the sum of both halves is (x + q·m)/2^(64n). m has n ≥ 1 limbs, x
    /// twice as many. `minus_inverse` is −1/m modulo 2^64.
    #[inline]
    pub(super) fn reduce(self, x: &mut [u64], m: &[u64], minus_inverse: u64) {
        assert!(!m.is_empty() && x.len() == 2 * m.len());
        // SAFETY: The processor has the instructions. The length is m's own, x has twice as many
        // limbs, and the borrows say that they do not overlap.
        unsafe { half::reduce(x.as_mut_ptr(), m.as_ptr(), m.len(), minus_inverse) }
    }

    /// out = x/2^(64n) modulo m, below m. m has n limbs, 1 ≤ n ≤ 8, and is odd. x < m·2^(64n) has
    /// twice as many and is destroyed. `minus_inverse` is −1/m modulo 2^64.
    #[inline]
    pub(super) fn reduce_short(
        self,
        out: &mut [u64],
        x: &mut [u64],
        m: &[u64],
        minus_inverse: u64,
    ) {
        let n = m.len();
        assert!((1..=8).contains(&n) && out.len() == n && x.len() == 2 * n);
        let (x, out) = (x.as_mut_ptr(), out.as_mut_ptr());
        // SAFETY: The processor has the instructions. m and out have n limbs, x has 2n, and the
        // borrows say that none overlaps another.
        unsafe { half::reduce_short(x, out, m.as_ptr(), n, minus_inverse) }
    }

    /// out = a·b modulo 2^(64n). All have n limbs, n ≥ 1.
    #[inline]
    pub(super) fn mul_low(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        assert!(!out.is_empty() && out.len() == a.len() && a.len() == b.len());
        // SAFETY: The processor has the instructions. All three have out.len() ≥ 1 limbs, and the
        // borrows say that out overlaps neither operand.
        unsafe { half::mul_low(out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), out.len()) }
    }

    /// out = a·2^bits modulo 2^(64n). Both have n ≥ 1 limbs. bits < 64.
    #[inline]
    pub(super) fn shl(self, out: &mut [u64], a: &[u64], bits: u32) {
        assert!(!a.is_empty() && out.len() == a.len() && bits < 64);
        // SAFETY: The processor has the instructions. Both have a.len() ≥ 1 limbs and do not
        // overlap.
        unsafe { shift::shl(out.as_mut_ptr(), a.as_ptr(), a.len(), bits) }
    }

    /// a = a·2^bits modulo 2^(64n), n ≥ 1. bits < 64.
    #[inline]
    pub(super) fn shl_assign(self, a: &mut [u64], bits: u32) {
        assert!(!a.is_empty() && bits < 64);
        let out = a.as_mut_ptr();
        // SAFETY: The processor has the instructions. The operand has a.len() ≥ 1 limbs and is the
        // result.
        unsafe { shift::shl(out, out, a.len(), bits) }
    }

    /// out = ⌊a / 2^bits⌋. Both have one length, at least 1. bits < 64.
    #[inline]
    pub(super) fn shr(self, out: &mut [u64], a: &[u64], bits: u32) {
        assert!(!a.is_empty() && out.len() == a.len() && bits < 64);
        // SAFETY: The processor has the instructions. Both have a.len() ≥ 1 limbs and do not
        // overlap.
        unsafe { shift::shr(out.as_mut_ptr(), a.as_ptr(), a.len(), bits) }
    }

    /// a = ⌊a / 2^bits⌋. a has at least 1 limb. bits < 64.
    #[inline]
    pub(super) fn shr_assign(self, a: &mut [u64], bits: u32) {
        assert!(!a.is_empty() && bits < 64);
        let out = a.as_mut_ptr();
        // SAFETY: The processor has the instructions. The operand has a.len() ≥ 1 limbs and is the
        // result.
        unsafe { shift::shr(out, out, a.len(), bits) }
    }
}
