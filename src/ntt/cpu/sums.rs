//! Sums of products that share transforms: every number is transformed once, every sum comes back
//! once.

use super::lanes::{Factor, Lanes, Level};
use super::plan::HostPlan;
use super::portable::Portable;
use super::row::Term;
use super::scratch::{self, Buffer};
use super::{Context, at_level, field, for_primes, limbs, wrapped};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, avx512_float};
use crate::threads;
use crate::word::sum::negate;

/// A number other than zero.
#[derive(Clone, Copy)]
pub(crate) struct Number<'a> {
    /// Its size.
    pub(crate) limbs: &'a [u64],
    pub(crate) negative: bool,
}

/// A sum of products of pairs of numbers, by their places in a list.
pub(crate) type Pairs = Vec<(usize, usize)>;

/// The sums: their size, and whether they are negative.
pub(crate) fn sums(
    level: Level,
    plan: HostPlan,
    numbers: &[Number],
    sums: &[Pairs],
) -> Vec<(Vec<u64>, bool)> {
    let len = |i: usize| numbers[i].limbs.len();
    let mut pairs = sums.iter().flatten();
    assert!(pairs.all(|(a, b)| plan.fits(len(*a), len(*b))));
    at_level!(level, L => compute::<L>(plan, numbers, sums))
}

/// The common data of all sums of a call.
struct Work<'a> {
    plan: HostPlan,
    numbers: &'a [Number<'a>],
    /// log2 of the offset that is added to every coefficient, so that none is negative.
    log_offset: u32,
}

impl Work<'_> {
    fn is_negative(&self, (a, b): (usize, usize)) -> bool {
        self.numbers[a].negative != self.numbers[b].negative
    }

    /// The sign of all products of a sum. None if they, or their coefficients, may have both signs.
    fn sign(&self, sum: &Pairs) -> Option<bool> {
        let mut signs = sum.iter().map(|pair| self.is_negative(*pair));
        let first = signs.next().unwrap_or(false);
        (!self.plan.wrapped && signs.all(|sign| sign == first)).then_some(first)
    }

    /// The coefficients of a sum modulo one prime.
    fn back<L: Lanes>(&self, context: &Context<L>, transforms: &[Buffer], sum: &Pairs) -> Buffer {
        let (plan, p, sign) = (self.plan, context.p, self.sign(sum));
        let mut residues = Buffer::new(plan.words());
        context.for_rows(&mut residues, |r, row| {
            let part = |i: usize| &transforms[i][r * plan.pitch()..][..plan.row];
            let term = |&(a, b): &(usize, usize)| Term {
                a: part(a),
                b: part(b),
                negative: sign.is_none() && self.is_negative((a, b)),
            };
            let terms: Vec<Term> = sum.iter().map(term).collect();
            scratch::with_tree(|tree| {
                let row = &mut row[..plan.row];
                L::row_sum(context.k, &context.row(r), row, &terms, tree);
            });
        });
        let offset = || -> Factor {
            let scale = field::mul(plan.scale() % p, L::product_bias(p), p);
            let offset = field::pow(2, self.log_offset.into(), p);
            L::factor(field::mul(offset, scale, p), p)
        };
        if plan.wrapped {
            context.columns_back_wrapped(&mut residues, offset());
        } else {
            context.columns_back(&mut residues, sign.is_none().then(offset));
        }
        residues
    }

    /// Subtracts the sum of all offsets. The result is in two's complement.
    fn take_off(&self, limbs: &mut [u64]) {
        let plan = self.plan;
        let first = (self.log_offset / 64) as usize;
        let offset = 1 << (self.log_offset % 64);
        let values = plan.rows * plan.row;
        let mut borrow = false;
        for (at, limb) in limbs.iter_mut().skip(first).enumerate() {
            let there = at.is_multiple_of(plan.limbs) && at / plan.limbs < values;
            (*limb, borrow) = limb.borrowing_sub(if there { offset } else { 0 }, borrow);
        }
    }
}

/// Replaces a number in two's complement by its size; whether it was negative.
fn to_size(limbs: &mut [u64]) -> bool {
    let negative = limbs.last().is_some_and(|top| top >> 63 == 1);
    if negative {
        negate(limbs);
    }
    negative
}

fn compute<L: Lanes>(plan: HostPlan, numbers: &[Number], sums: &[Pairs]) -> Vec<(Vec<u64>, bool)> {
    let shorter = |&(a, b): &(usize, usize)| numbers[a].limbs.len().min(numbers[b].limbs.len());
    let terms = |sum: &Pairs| sum.iter().map(shorter).sum::<usize>();
    let terms = sums.iter().map(terms).max().unwrap_or(1);
    let growth = if plan.wrapped { wrapped::LOG_GROWTH } else { 0 };
    let work = Work {
        plan,
        numbers,
        log_offset: 128 * plan.limbs as u32 + terms.next_power_of_two().ilog2() + growth,
    };
    let by_prime = for_primes(plan, |prime| {
        let context = Context::<L>::new(plan, prime);
        let transforms = each(plan, numbers, |x| context.transform(x.limbs));
        each(plan, sums, |sum| work.back(&context, &transforms, sum))
    });
    let mut by_prime: Vec<_> = by_prime.into_iter().map(Vec::into_iter).collect();
    let all: Vec<(&Pairs, Vec<Buffer>)> = sums
        .iter()
        .map(|sum| {
            let residues = by_prime.iter_mut().filter_map(Iterator::next);
            (sum, residues.collect())
        })
        .collect();
    each(plan, &all, |(sum, residues)| {
        // The last value has at most four limbs above its position, including the sign.
        let mut limbs =
            limbs::propagate_carries::<L>(plan, residues, plan.rows * plan.row_limbs() + 4);
        if let Some(negative) = work.sign(sum) {
            return (limbs, negative);
        }
        work.take_off(&mut limbs);
        if plan.wrapped {
            wrapped::lift(plan, &mut limbs);
        }
        let negative = to_size(&mut limbs);
        (limbs, negative)
    })
}

/// Returns `work` of each item, on several threads if the plan says so.
fn each<T: Sync, U: Send>(plan: HostPlan, items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    if plan.parallel {
        threads::map(items.len(), plan.parts_per_task(plan.words()), |i| {
            work(&items[i])
        })
    } else {
        items.iter().map(work).collect()
    }
}
