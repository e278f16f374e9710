//! The linear operations on the CPU.
//!
//! Values are signs and magnitudes; negative ones behave as infinite two's complement, as in GMP.
//! Short values go to host number's own operators. From `Tuning::cpu_parallel_limbs` on, all
//! threads of the rayon pool share the work, in one pass over memory:
//!
//! | limbs | served by |
//! |---|---|
//! | below `cpu_parallel_limbs` | the floor, one thread (counting bits: own loops at any size) |
//! | from there on | own loops on blocks of `cpu_chunk_limbs` limbs, all threads |
//!
//! The relevant length is that of the result, or for assigning forms that of the part that changes.

mod block;
mod carry;
mod count;
mod logic;
mod scan;
mod search;
mod shift;
mod sum;
mod team;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::mem;

use crate::error::Result;
use crate::memory;
use crate::number::Integer;
use crate::word;

use self::logic::{Logic, LogicPlan, Operand};
use self::team::Team;
use super::BitChange;

pub(crate) use self::scan::{scan_clear, scan_set};

/// A value taken apart: whether it is below zero, and the limbs of its magnitude, the highest of
/// them not zero.
#[derive(Clone, Copy)]
struct Signed<'a> {
    negative: bool,
    limbs: &'a [u64],
}

impl<'a> Signed<'a> {
    fn of(x: &'a Integer) -> Self {
        Signed {
            negative: *x < 0,
            limbs: x.magnitude().limbs(),
        }
    }

    fn small(x: i64, magnitude: &'a [u64; 1]) -> Self {
        Signed {
            negative: x < 0,
            limbs: &magnitude[usize::from(x == 0)..],
        }
    }

    fn negated(self) -> Self {
        Signed {
            negative: !self.negative,
            ..self
        }
    }

    fn operand(self) -> Operand<'a> {
        Operand::new(self.negative, self.limbs)
    }
}

fn integer(negative: bool, limbs: Vec<u64>) -> Integer {
    Integer::from_vec(negative, limbs)
}

/// The limbs of the magnitude, taken out of `x`, which is left zero.
fn take(x: &mut Integer) -> Vec<u64> {
    mem::replace(x, Integer::ZERO).into_magnitude().into_vec()
}

fn limb_count(x: &Integer) -> usize {
    x.magnitude().limbs().len()
}

fn longer(a: &Integer, b: &Integer) -> usize {
    limb_count(a).max(limb_count(b))
}

/// a + b.
pub(crate) fn add(a: &Integer, b: &Integer) -> Integer {
    match Team::of(longer(a, b)) {
        Some(team) => sum_of(team, Signed::of(a), Signed::of(b)),
        None => a + b,
    }
}

/// a - b.
pub(crate) fn sub(a: &Integer, b: &Integer) -> Integer {
    match Team::of(longer(a, b)) {
        Some(team) => sum_of(team, Signed::of(a), Signed::of(b).negated()),
        None => a - b,
    }
}

/// a + b for a small b.
pub(crate) fn add_small(a: &Integer, b: i64) -> Integer {
    match Team::of(limb_count(a)) {
        Some(team) => sum_of(team, Signed::of(a), Signed::small(b, &[b.unsigned_abs()])),
        None => a + Integer::from(b),
    }
}

fn sum_of(team: Team, a: Signed, b: Signed) -> Integer {
    if a.negative == b.negative {
        let (long, short) = if a.limbs.len() >= b.limbs.len() {
            (a.limbs, b.limbs)
        } else {
            (b.limbs, a.limbs)
        };
        return integer(a.negative, sum::add(team, long, short));
    }
    let (order, len) = sum::compare(a.limbs, b.limbs);
    let (more, less) = match order {
        Ordering::Equal => return Integer::ZERO,
        Ordering::Greater => (a, b),
        Ordering::Less => (b, a),
    };
    let difference = sum::sub(team, &more.limbs[..len], team::part(less.limbs, 0, len));
    integer(more.negative, difference)
}

/// a += b, in the memory of a where it is long enough.
pub(crate) fn add_assign(a: &mut Integer, b: &Integer) {
    match Team::of(longer(a, b)) {
        Some(team) => sum_assign(team, a, Signed::of(b)),
        None => *a += b,
    }
}

/// a -= b, in the memory of a where it is long enough.
pub(crate) fn sub_assign(a: &mut Integer, b: &Integer) {
    match Team::of(longer(a, b)) {
        Some(team) => sum_assign(team, a, Signed::of(b).negated()),
        None => *a -= b,
    }
}

fn sum_assign(team: Team, a: &mut Integer, b: Signed) {
    let negative = *a < 0;
    if limb_count(a) < b.limbs.len() {
        *a = sum_of(team, Signed::of(a), b);
    } else if negative == b.negative {
        let mut limbs = take(a);
        sum::add_assign(team, &mut limbs, b.limbs);
        *a = integer(negative, limbs);
    } else {
        let (order, len) = sum::compare(Signed::of(a).limbs, b.limbs);
        let mut limbs = take(a);
        limbs.truncate(len);
        let less = team::part(b.limbs, 0, len);
        match order {
            Ordering::Equal => {}
            Ordering::Greater => sum::sub_assign(team, &mut limbs, less),
            Ordering::Less => sum::sub_reverse_assign(team, &mut limbs, less),
        }
        *a = integer(negative != (order == Ordering::Less), limbs);
    }
}

/// -a.
pub(crate) fn neg(a: &Integer) -> Integer {
    match copy(a) {
        Some(limbs) => integer(*a >= 0, limbs),
        None => -a,
    }
}

/// |a|.
pub(crate) fn abs(a: &Integer) -> Integer {
    match copy(a) {
        Some(limbs) => integer(false, limbs),
        None => a.abs(),
    }
}

fn copy(a: &Integer) -> Option<Vec<u64>> {
    let limbs = Signed::of(a).limbs;
    Some(
        Team::of(limbs.len())?.build(limbs.len(), limbs, None, |_, block| {
            block.keep();
            None
        }),
    )
}

/// The complement, -a - 1.
pub(crate) fn not(a: &Integer) -> Integer {
    let Signed { negative, limbs } = Signed::of(a);
    match Team::of(limbs.len()) {
        Some(team) if negative => integer(false, sum::sub(team, limbs, &[1])),
        Some(team) => integer(true, sum::add(team, limbs, &[1])),
        None => !a,
    }
}

/// a & b.
pub(crate) fn and(a: &Integer, b: &Integer) -> Integer {
    combine(Logic::And, a, b).unwrap_or_else(|| a & b)
}

/// a | b.
pub(crate) fn or(a: &Integer, b: &Integer) -> Integer {
    combine(Logic::Or, a, b).unwrap_or_else(|| a | b)
}

/// a ^ b.
pub(crate) fn xor(a: &Integer, b: &Integer) -> Integer {
    combine(Logic::Xor, a, b).unwrap_or_else(|| a ^ b)
}

fn combine(logic: Logic, a: &Integer, b: &Integer) -> Option<Integer> {
    let (a, b) = (Signed::of(a), Signed::of(b));
    let plan = LogicPlan::new(logic, a.negative, b.negative);
    let len = plan.len(a.limbs.len(), b.limbs.len());
    let team = Team::of(len)?;
    let limbs = plan.combine(team, a.operand(), b.operand(), len);
    Some(integer(plan.negative, limbs))
}

/// a &= b, in the memory of a where it is long enough.
pub(crate) fn and_assign(a: &mut Integer, b: &Integer) {
    if !combine_assign(Logic::And, a, b) {
        *a &= b;
    }
}

/// a |= b, in the memory of a where it is long enough.
pub(crate) fn or_assign(a: &mut Integer, b: &Integer) {
    if !combine_assign(Logic::Or, a, b) {
        *a |= b;
    }
}

/// a ^= b, in the memory of a where it is long enough.
pub(crate) fn xor_assign(a: &mut Integer, b: &Integer) {
    if !combine_assign(Logic::Xor, a, b) {
        *a ^= b;
    }
}

/// Whether the operation was done; if not, it is too short for threads.
fn combine_assign(logic: Logic, a: &mut Integer, b: &Integer) -> bool {
    let (x, y) = (Signed::of(a), Signed::of(b));
    let plan = LogicPlan::new(logic, x.negative, y.negative);
    if plan.len(x.limbs.len(), y.limbs.len()) > x.limbs.len() {
        return match combine(logic, a, b) {
            Some(result) => {
                *a = result;
                true
            }
            None => false,
        };
    }
    let x_lowest = x.operand().lowest();
    let touched = plan.touched(x.limbs.len(), x_lowest, y.limbs.len());
    let Some(team) = Team::of(touched) else {
        return false;
    };
    let mut limbs = take(a);
    plan.combine_assign(team, &mut limbs, x_lowest, y.operand(), touched);
    *a = integer(plan.negative, limbs);
    true
}

/// a * 2^bits. The caller has checked that the result fits in memory.
pub(crate) fn shl(a: &Integer, bits: u64) -> Integer {
    let Signed { negative, limbs } = Signed::of(a);
    let Some(&top) = limbs.last() else {
        return Integer::ZERO;
    };
    let (by, bits_left) = shift::split(bits).expect(FITS);
    let len = shift::left_len(limbs.len(), top, by, bits_left).expect(FITS);
    match Team::of(len) {
        Some(team) => integer(negative, shift::left(team, limbs, by, bits_left, len)),
        None => a << bits,
    }
}

const FITS: &str = "the caller checks that a shifted value fits in memory";

/// floor(a / 2^bits).
pub(crate) fn shr(a: &Integer, bits: u64) -> Integer {
    let Signed { negative, limbs } = Signed::of(a);
    let Some((by, bits_left)) = shift::split(bits).filter(|&(by, _)| by < limbs.len()) else {
        return if negative {
            Integer::NEGATIVE_ONE
        } else {
            Integer::ZERO
        };
    };
    match Team::of(limbs.len() - by) {
        Some(team) => {
            let up = negative && shift::loses_ones(limbs, by, bits_left);
            integer(negative, shift::right(team, limbs, by, bits_left, up))
        }
        None => a >> bits,
    }
}

/// a <<= bits, in the memory of a where that is long enough. The caller has checked that the result
/// fits in memory.
pub(crate) fn shl_assign(a: &mut Integer, bits: u64) {
    match Team::of(limb_count(a)) {
        Some(team) if within_limb(bits) => {
            let negative = *a < 0;
            let mut limbs = take(a);
            shift::left_assign(team, &mut limbs, bits as u32);
            *a = integer(negative, limbs);
        }
        _ => *a <<= bits,
    }
}

/// a >>= bits, rounding down, in the memory of a.
pub(crate) fn shr_assign(a: &mut Integer, bits: u64) {
    match Team::of(limb_count(a)) {
        Some(team) if within_limb(bits) => {
            let Signed { negative, limbs } = Signed::of(a);
            let up = negative && shift::loses_ones(limbs, 0, bits as u32);
            let mut limbs = take(a);
            shift::right_assign(team, &mut limbs, bits as u32, up);
            *a = integer(negative, limbs);
        }
        _ => *a >>= bits,
    }
}

/// Whether a shift in place can use threads: where whole limbs move, each would wait for the
/// others' reads. One thread in place is still faster than all of them in new memory (measured:
/// Sapphire Rapids, 2 cores).
fn within_limb(bits: u64) -> bool {
    0 < bits && bits < 64
}

/// The limb repeated `count` times with `top` above it, as a value that is not negative.
pub(crate) fn fill(limb: u64, count: usize, top: u64) -> Integer {
    let mut limbs = match Team::of(count) {
        Some(team) => team.build(count, &[], None, |_, block| {
            block.fill(limb);
            None
        }),
        None => vec![limb; count],
    };
    if top != 0 {
        limbs.push(top);
    }
    integer(false, limbs)
}

/// Number of ones; none for a negative value, which has infinitely many.
pub(crate) fn popcount(a: &Integer) -> Option<u64> {
    let Signed { negative, limbs } = Signed::of(a);
    if negative {
        return None;
    }
    Some(match Team::of(limbs.len()) {
        Some(team) => team.total(limbs.len(), |range| count::ones(&limbs[range], 0)),
        None => count::ones(limbs, 0),
    })
}

/// Number of bits in which two values differ. None if their signs differ, because then infinitely
/// many bits differ.
pub(crate) fn hamming(a: &Integer, b: &Integer) -> Option<u64> {
    let (a, b) = (Signed::of(a), Signed::of(b));
    if a.negative != b.negative {
        return None;
    }
    let len = a.limbs.len().max(b.limbs.len());
    let (a, b) = (a.operand(), b.operand());
    Some(match Team::of(len) {
        Some(team) => team.total(len, |range| logic::differences(&a, &b, range)),
        None => logic::differences(&a, &b, 0..len),
    })
}

/// The order of a and b.
pub(crate) fn compare(a: &Integer, b: &Integer) -> Ordering {
    let (x, y) = (Signed::of(a), Signed::of(b));
    match (x.negative, y.negative) {
        (false, false) => sum::compare(x.limbs, y.limbs).0,
        (true, true) => sum::compare(y.limbs, x.limbs).0,
        (x_negative, y_negative) => y_negative.cmp(&x_negative),
    }
}

/// Bit number `index` in two's complement.
pub(crate) fn bit(a: &Integer, index: u64) -> bool {
    a.bit(index)
}

/// From this many limbs on, a value is long: its memory is asked for and may be refused.
const LONG: usize = 64;

/// The value that a bit changes to. None if it has that value already.
pub(crate) fn changed_bit(a: &Integer, index: u64, change: BitChange) -> Option<bool> {
    let old = a.bit(index);
    let new = match change {
        BitChange::Set => true,
        BitChange::Clear => false,
        BitChange::Flip => !old,
    };
    (new != old).then_some(new)
}

/// Changes a bit. In case of an error `a` keeps its value.
pub(crate) fn change_bit(a: &mut Integer, index: u64, change: BitChange) -> Result<()> {
    let Some(value) = changed_bit(a, index, change) else {
        return Ok(());
    };
    let (at, count, negative) = ((index / 64) as usize, limb_count(a), *a < 0);
    if at.max(count) < LONG {
        a.assign_bit(index, value);
        return Ok(());
    }
    // The value of a bit is 2^index whatever the sign.
    let power = 1 << (index % 64);
    let limbs = if value == negative {
        // The bit of a negative value is 0, or that of another value is 1. So the magnitude is at
        // least 2^index.
        let mut limbs = take(a);
        word::sum::sub_word(&mut limbs[at..], power);
        limbs
    } else {
        // A bit that is set in a value that is not negative causes no carry.
        let mut limbs = take_extended(a, count.max(at + 1) + usize::from(negative))?;
        word::sum::add_word(&mut limbs[at..], power);
        limbs
    };
    *a = integer(negative, limbs);
    Ok(())
}

/// The limbs of the magnitude with zeros above them, `len` limbs in all, taken out of `a`. In case
/// of an error `a` keeps its value.
fn take_extended(a: &mut Integer, len: usize) -> Result<Vec<u64>> {
    if a.capacity() >= len {
        let mut limbs = take(a);
        limbs.resize(len, 0);
        return Ok(limbs);
    }
    let mut limbs = memory::zeros("bit index", len)?;
    limbs[..limb_count(a)].copy_from_slice(a.magnitude().limbs());
    *a = Integer::ZERO;
    Ok(limbs)
}

/// A copy of `a`, with room for `len` limbs.
pub(crate) fn copy_with_room(a: &Integer, len: usize) -> Result<Integer> {
    let own = a.magnitude().limbs();
    let mut limbs = memory::room("bit index", len.max(own.len()))?;
    limbs.extend_from_slice(own);
    Ok(integer(*a < 0, limbs))
}
