//! Products on the CPU.
//!
//! The shorter operand decides:
//!
//! | limbs of the shorter | served by |
//! |---|---|
//! | `cpu_digits_limbs` to `cpu_digits_most_limbs`, where the processor has 52-bit multiply-adds | digits (`short`) |
//! | below `cpu_ntt_limbs` (`cpu_ntt_plain_limbs` without vector instructions) | the floor (`word::mul`) |
//! | from there on | transforms (`ntt::cpu`), all threads from `cpu_ntt_parallel_limbs` limbs of the longer on |
//!
//! A longer operand of more than four times that length is cut into pieces, for which the shorter
//! one is transformed once; operands whose product no transform can hold are cut in halves.

#[cfg(target_arch = "x86_64")]
mod short;

use crate::number::{Buffer, Holder, Integer, Store};

use crate::ntt::cpu::{self, HostPlan, Level, Number, Pairs, Prepared};
use crate::threads;
use crate::tuning::Tuning;
use crate::word;

/// a·b.
pub(super) fn product(a: &Integer, b: &Integer) -> Integer {
    if std::ptr::eq(a, b) {
        return signed_square(a.limbs());
    }
    let negative = a.is_negative() != b.is_negative();
    signed_product(negative, a.limbs(), b.limbs())
}

/// The product of two magnitudes without leading zeros, with this sign.
pub(super) fn signed_product<T: Holder>(negative: bool, a: &[u64], b: &[u64]) -> T {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() {
        return T::of(Store::ZERO);
    }
    if is_floors(short.len()) {
        let len = long.len() + short.len();
        return Store::build(negative, len, |out| by_floor(out, long, short));
    }
    let number = |limbs| Number {
        limbs,
        negative: false,
    };
    let limbs = match by_digits(number(long), number(short)) {
        Some(product) => product,
        None => mul(long, short),
    };
    Store::from_buffer(negative, limbs.into())
}

/// The square of a magnitude without leading zeros.
pub(super) fn signed_square<T: Holder>(a: &[u64]) -> T {
    if a.is_empty() {
        return T::of(Store::ZERO);
    }
    if is_floors(a.len()) {
        return Store::build(false, 2 * a.len(), |out| square_by_floor(out, a));
    }
    Store::from_buffer(false, square(a).into())
}

/// Whether products whose shorter operand has `shorter` limbs use the algorithms of `word`.
fn is_floors(shorter: usize) -> bool {
    if shorter < Tuning::short_limbs() {
        return true;
    }
    let tuning = Tuning::in_force();
    shorter < least(tuning, Level::best()) && !suits_digits(shorter, tuning)
}

/// out = long·short by the floor.
fn by_floor(out: &mut [u64], long: &[u64], short: &[u64]) {
    match word::mul::mul_scratch(long.len(), short.len()) {
        0 => word::mul::mul(out, long, short, &mut []),
        limbs => word::mul::mul(out, long, short, &mut Buffer::unspecified(limbs)),
    }
}

/// out = a² by the floor.
fn square_by_floor(out: &mut [u64], a: &[u64]) {
    match word::mul::square_scratch(a.len()) {
        0 => word::mul::square(out, a, &mut []),
        limbs => word::mul::square(out, a, &mut Buffer::unspecified(limbs)),
    }
}

/// Whether a product by a number of `limbs` limbs is computed from digits.
fn suits_digits(limbs: usize, tuning: &Tuning) -> bool {
    #[cfg(target_arch = "x86_64")]
    return (tuning.cpu_digits_limbs..=tuning.cpu_digits_most_limbs.min(short::MOST_LIMBS))
        .contains(&limbs)
        && short::is_available();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// The size of a·b from digits, where that serves.
fn by_digits(a: Number, b: Number) -> Option<Vec<u64>> {
    let shorter = a.limbs.len().min(b.limbs.len());
    if !suits_digits(shorter, Tuning::in_force()) {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    return short::sums(&[a, b], &[vec![(0, 1)]]).pop().map(|sum| sum.0);
    #[cfg(not(target_arch = "x86_64"))]
    return None;
}

/// The fewest limbs of the shorter operand for transforms.
fn least(tuning: &Tuning, level: Level) -> usize {
    match level {
        // The floor has the faster loop; threads are what transforms have over it.
        Level::Portable if threads::count() == 1 => usize::MAX,
        Level::Portable => tuning.cpu_ntt_plain_limbs.max(1),
        Level::Avx512 | Level::Avx512Float | Level::Avx2 => tuning.cpu_ntt_limbs.max(1),
    }
}

/// The product, of as many limbs as both operands have together.
pub(super) fn mul(a: &[u64], b: &[u64]) -> Vec<u64> {
    mul_with(&Tuning::current(), Level::best(), a, b)
}

/// The square, of twice as many limbs.
pub(super) fn square(a: &[u64]) -> Vec<u64> {
    let tuning = Tuning::current();
    if a.len() < least(&tuning, Level::best()) {
        let mut square = vec![0; 2 * a.len()];
        if !a.is_empty() {
            square_by_floor(&mut square, a);
        }
        return square;
    }
    match HostPlan::new(a.len(), a.len(), &tuning) {
        Some(plan) => cpu::square(Level::best(), plan, a),
        None => mul_with(&tuning, Level::best(), a, a),
    }
}

fn mul_with(tuning: &Tuning, level: Level, a: &[u64], b: &[u64]) -> Vec<u64> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if short.len() < least(tuning, level) {
        let mut product = vec![0; long.len() + short.len()];
        if !short.is_empty() {
            by_floor(&mut product, long, short);
        }
        return product;
    }
    // Pieces of three times the shorter operand, or a little less: each costs two transforms, where
    // one product of the whole costs three.
    let pieces = long.len().div_ceil(3 * short.len());
    let piece = long.len().div_ceil(pieces.max(1));
    if long.len() > 4 * short.len()
        && let Some(plan) = HostPlan::new(piece, short.len(), tuning)
    {
        let short = Prepared::new(level, plan, short);
        return sum_of_pieces(long, piece, |part| short.mul(part));
    }
    match HostPlan::new(long.len(), short.len(), tuning) {
        Some(plan) => cpu::mul(level, plan, long, short),
        None => sum_of_pieces(long, long.len().div_ceil(2), |part| {
            mul_with(tuning, level, part, short)
        }),
    }
}

/// The product from those of the pieces of `long` with `short`.
fn sum_of_pieces(long: &[u64], piece: usize, product: impl Fn(&[u64]) -> Vec<u64>) -> Vec<u64> {
    let mut sum: Vec<u64> = Vec::new();
    for (at, part) in long.chunks(piece).enumerate() {
        let product = product(part);
        // The sum so far ends within the first `short.len()` limbs of this product.
        let below = sum.len().saturating_sub(at * piece);
        let from = sum.len();
        sum.extend_from_slice(&product[below..]);
        let carry = cpu::add(&mut sum[at * piece..from], &product[..below]);
        cpu::add(&mut sum[from..], &[u64::from(carry)]);
    }
    sum
}

/// An operand whose transform is kept for products with others of about its length or longer.
pub(super) struct PreparedOperand {
    transform: Prepared,
    plan: HostPlan,
}

impl PreparedOperand {
    /// None if products by x need no transforms, or are too long for one.
    pub(super) fn new(x: &Integer) -> Option<PreparedOperand> {
        let tuning = Tuning::current();
        let limbs = x.magnitude().limbs();
        if limbs.len() < least(&tuning, Level::best()) {
            return None;
        }
        let plan = HostPlan::new(limbs.len(), limbs.len(), &tuning)?;
        Some(PreparedOperand {
            transform: Prepared::new(Level::best(), plan, limbs),
            plan,
        })
    }

    /// x·y, for the x that this was made of.
    pub(super) fn product(&self, x: &Integer, y: &Integer) -> Integer {
        let [len, other] = [x, y].map(|x| x.magnitude().limb_count());
        // Two transforms of the kept length against three of the product's, or none.
        if 3 * other < len || is_floors(len.min(other)) {
            return product(x, y);
        }
        let long = y.magnitude().limbs();
        let pieces = other.div_ceil(self.plan.room(len));
        let limbs = sum_of_pieces(long, other.div_ceil(pieces), |part| {
            self.transform.mul(part)
        });
        Integer::from_vec((*x < 0) != (*y < 0), limbs)
    }
}

/// For each list of pairs of operands, given by their indices, returns the sum of the products.
/// With `within`, all sums are known to be in −2^within ≤ x < 2^within. None if neither transforms
/// nor digits apply: the lengths are too different, too long, or so short that the products of
/// `word` take less time.
pub(super) fn sums(
    operands: &[&Integer],
    sums: &[Pairs],
    within: Option<u64>,
) -> Option<Vec<Integer>> {
    let numbers: Vec<Number> = operands.iter().map(|x| number(x)).collect();
    let found = sums_at_once(&numbers, sums, within)?.into_iter();
    let integer = |(limbs, negative)| Integer::from_vec(negative, limbs);
    Some(found.map(integer).collect())
}

/// The sums of the products of limbs: sizes, and whether they are those of negative numbers.
pub(crate) fn sums_of_limbs(numbers: &[Number], sums: &[Pairs]) -> Vec<(Vec<u64>, bool)> {
    if let Some(found) = sums_at_once(numbers, sums, None) {
        return found;
    }
    let integer = |x: &Number| Integer::from_limbs(x.negative, x.limbs);
    let numbers: Vec<Integer> = numbers.iter().map(integer).collect();
    let one = |pairs: &Pairs| {
        let mut sum = Integer::default();
        for (a, b) in pairs {
            sum += product(&numbers[*a], &numbers[*b]);
        }
        let negative = sum < 0;
        (sum.into_magnitude().into_vec(), negative)
    };
    sums.iter().map(one).collect()
}

/// [`sums`] of limbs.
fn sums_at_once(
    numbers: &[Number],
    sums: &[Pairs],
    within: Option<u64>,
) -> Option<Vec<(Vec<u64>, bool)>> {
    let tuning = Tuning::in_force();
    let level = Level::best();
    let pair = |(a, b): &(usize, usize)| (numbers[*a].limbs.len(), numbers[*b].limbs.len());
    let pairs: Vec<_> = sums.iter().flatten().map(pair).collect();
    #[cfg(target_arch = "x86_64")]
    if is_short(&pairs, tuning) {
        return Some(short::sums(numbers, sums));
    }
    let lengths = pairs.iter().map(|(a, b)| a + b);
    let shorter = pairs.iter().map(|(a, b)| *a.min(b)).min()?;
    if 2 * lengths.clone().min()? < lengths.max()? || shorter < least(tuning, level) {
        return None;
    }
    // Twice a power of two, for coefficients of both signs.
    let terms = |sum: &Pairs| sum.iter().map(pair).map(|(a, b)| a.min(b)).sum::<usize>();
    let terms = 2 * sums.iter().map(terms).max()?.next_power_of_two();
    let plan = match within.and_then(|bits| HostPlan::wrapped(&pairs, terms, bits, tuning)) {
        Some(plan) => plan,
        // Very different operands are better cut.
        None if pairs.iter().any(|(a, b)| *a.max(b) > 4 * shorter) => return None,
        None => HostPlan::for_sums(&pairs, terms, tuning)?,
    };
    Some(cpu::sums(level, plan, numbers, sums))
}

/// Whether sums of products of numbers of these many limbs are computed from their digits.
#[cfg(target_arch = "x86_64")]
fn is_short(pairs: &[(usize, usize)], tuning: &Tuning) -> bool {
    let shorter = || pairs.iter().map(|(a, b)| *a.min(b));
    let longest = shorter().max().unwrap_or(0);
    // Below, malachite's products take less time than this one's digits.
    longest >= 16.min(tuning.cpu_short_limbs)
        && longest <= tuning.cpu_short_limbs
        && short::fits(pairs.iter().copied())
        && short::is_available()
}

fn number(x: &Integer) -> Number<'_> {
    Number {
        limbs: x.magnitude().limbs(),
        negative: *x < 0,
    }
}

#[cfg(test)]
mod tests;
