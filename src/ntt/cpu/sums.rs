//! Sums of products that share transforms: every number is transformed once, every sum comes back once.

use super::lanes::{Lanes, Level};
use super::plan::Plan;
use super::portable::Portable;
use super::row::Term;
use super::scratch::{self, Buffer};
use super::{Context, at_level, field, for_primes, release};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// A number other than zero.
#[derive(Clone, Copy)]
pub(crate) struct Number<'a> {
    /// Its size.
    pub(crate) limbs: &'a [u64],
    pub(crate) negative: bool,
}

/// For each list of pairs of numbers, by their places, the sum of the products: its size, and whether it is negative.
pub(crate) fn sums(
    level: Level,
    plan: Plan,
    numbers: &[Number],
    sums: &[Vec<(usize, usize)>],
) -> Vec<(Vec<u64>, bool)> {
    let len = |i: usize| numbers[i].limbs.len();
    for (a, b) in sums.iter().flatten() {
        assert!(plan.fits(len(*a), len(*b)));
    }
    at_level!(level, L => compute::<L>(plan, numbers, sums))
}

/// log2 of a power of two that is no less than the terms of a coefficient of any of the sums.
fn log_terms(numbers: &[Number], sums: &[Vec<(usize, usize)>]) -> u32 {
    let shorter = |&(a, b): &(usize, usize)| numbers[a].limbs.len().min(numbers[b].limbs.len());
    let terms = sums.iter().map(|pairs| pairs.iter().map(shorter).sum());
    terms
        .max()
        .unwrap_or(1usize)
        .max(1)
        .next_power_of_two()
        .ilog2()
}

fn compute<L: Lanes>(
    plan: Plan,
    numbers: &[Number],
    sums: &[Vec<(usize, usize)>],
) -> Vec<(Vec<u64>, bool)> {
    let negative = |&(a, b): &(usize, usize)| numbers[a].negative != numbers[b].negative;
    // The sign of each sum whose terms all have it.
    let signs: Vec<Option<bool>> = sums
        .iter()
        .map(|pairs| {
            let first = pairs.first().is_some_and(negative);
            pairs
                .iter()
                .all(|pair| negative(pair) == first)
                .then_some(first)
        })
        .collect();
    let offset = Offset {
        log: 128 * plan.limbs as u32 + log_terms(numbers, sums),
    };
    let by_prime = for_primes(plan, |prime| {
        let context = Context::<L>::new(plan, prime);
        let transforms: Vec<Buffer> = numbers
            .iter()
            .map(|number| context.transform(number.limbs))
            .collect();
        let back = |(pairs, sign): (&Vec<(usize, usize)>, &Option<bool>)| {
            let mut sum = Buffer::new(plan.words());
            context.for_rows(&mut sum, |r, row| {
                let part = |i: usize| &transforms[i][r * plan.pitch()..][..plan.row];
                let term = |&(a, b): &(usize, usize)| Term {
                    a: part(a),
                    b: part(b),
                    negative: sign.is_none() && negative(&(a, b)),
                };
                let terms: Vec<Term> = pairs.iter().map(term).collect();
                scratch::with_tree(|tree| {
                    let row = &mut row[..plan.row];
                    L::row_sum(context.k, &context.tables.row(r), row, &terms, tree);
                });
            });
            let p = context.p;
            let factor = || {
                let scale = field::mul(plan.scale() % p, L::product_bias(p), p);
                L::factor(field::mul(field::pow(2, offset.log.into(), p), scale, p), p)
            };
            context.columns_back(&mut sum, sign.is_none().then(factor));
            sum
        };
        sums.iter().zip(&signs).map(back).collect::<Vec<_>>()
    });
    // What the residues of one sum are held in, prime by prime.
    let mut by_prime: Vec<_> = by_prime.into_iter().map(Vec::into_iter).collect();
    signs
        .into_iter()
        .map(|sign| {
            let residues: Vec<Buffer> = by_prime.iter_mut().filter_map(Iterator::next).collect();
            // Above the last value's own place stand at most four limbs of it.
            let mut limbs = release::<L>(plan, &residues, plan.rows * plan.row_limbs() + 4);
            let negative = sign.unwrap_or_else(|| offset.take_off(plan, &mut limbs));
            (limbs, negative)
        })
        .collect()
}

/// 2^log, which is added to every coefficient so that none is negative.
struct Offset {
    log: u32,
}

impl Offset {
    /// Takes all offsets off again; the size is left, and whether it is that of a negative number.
    fn take_off(&self, plan: Plan, limbs: &mut [u64]) -> bool {
        let (first, word) = ((self.log / 64) as usize, 1 << (self.log % 64));
        let values = plan.rows * plan.row;
        let mut borrow = false;
        for (at, limb) in limbs.iter_mut().enumerate().skip(first) {
            let place = at - first;
            let there = place.is_multiple_of(plan.limbs) && place / plan.limbs < values;
            let (less, one) = limb.overflowing_sub(if there { word } else { 0 });
            let (less, two) = less.overflowing_sub(u64::from(borrow));
            *limb = less;
            borrow = one | two;
        }
        if borrow {
            let mut carry = true;
            for limb in limbs.iter_mut() {
                (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
            }
        }
        borrow
    }
}
