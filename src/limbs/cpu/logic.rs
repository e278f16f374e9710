//! And, or, xor and hamming distance of signed values, threaded.
//!
//! In two's complement a negative x is the complement of x' = |x| - 1. With x' = x for x >= 0, each
//! operation on two values is one boolean function of x' and y', limb by limb, and the sign of the
//! result is known beforehand; a negative result is -(r' + 1), which a carry into the lowest limb
//! makes in the same pass. x' needs no pass either: it is all ones below the lowest nonzero limb of
//! |x|, one less there, and |x| above.

use std::ops::Range;

use super::block::Block;
use super::carry::{Carry, Chain, first_other};
use super::sum::push_one;
use super::team::Team;
use super::{count, search};

/// An operation of the user.
#[derive(Clone, Copy)]
pub(super) enum Logic {
    And,
    Or,
    Xor,
}

/// A boolean function of x' and y'. All give 0 for 0 and 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    And,
    Or,
    Xor,
    /// x & !y
    AndNot,
    /// !x & y
    NotAnd,
}

/// One value: its magnitude and sign, and where the run of zeros at its low end stops.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    limbs: &'a [u64],
    /// The value is negative, and this is its lowest nonzero limb.
    lowest: Option<usize>,
}

/// Limbs of x' in a row.
enum Run<'a> {
    Limbs(&'a [u64]),
    Filled(u64),
}

impl<'a> Operand<'a> {
    pub(super) fn new(negative: bool, limbs: &'a [u64]) -> Self {
        let lowest = if negative { lowest(limbs, 0) } else { None };
        Operand { limbs, lowest }
    }

    /// The lowest nonzero limb of a negative value.
    pub(super) fn lowest(&self) -> Option<usize> {
        self.lowest
    }

    /// The limbs of x' from `range.start` on that can be had in one piece, and where they end.
    fn run(&self, range: Range<usize>) -> (Run<'a>, usize) {
        let Range { start, end } = range;
        match self.lowest {
            Some(lowest) if start < lowest => (Run::Filled(u64::MAX), end.min(lowest)),
            Some(lowest) if start == lowest => {
                // Nonzero, as the lowest limb that is.
                (Run::Filled(self.limbs[lowest] - 1), start + 1)
            }
            _ if start >= self.limbs.len() => (Run::Filled(0), end),
            _ => {
                let end = end.min(self.limbs.len());
                (Run::Limbs(&self.limbs[start..end]), end)
            }
        }
    }
}

/// The lowest nonzero limb at or above `from`.
pub(super) fn lowest(limbs: &[u64], from: usize) -> Option<usize> {
    next_other(limbs, from, 0)
}

/// The first limb at or above `from` that is not `value`.
pub(super) fn next_other(limbs: &[u64], from: usize, value: u64) -> Option<usize> {
    let limbs = limbs.get(from..)?;
    let index = search::first(limbs.len(), |range| {
        let start = range.start;
        first_other(&limbs[range], value).map(|i| start + i)
    })?;
    Some(from + index)
}

/// The plan of an operation on values of these signs.
pub(super) struct LogicPlan {
    function: Function,
    /// The result is negative.
    pub(super) negative: bool,
}

impl LogicPlan {
    pub(super) fn new(logic: Logic, x_negative: bool, y_negative: bool) -> LogicPlan {
        let (function, negative) = match (logic, x_negative, y_negative) {
            (Logic::And, false, false) => (Function::And, false),
            (Logic::And, false, true) => (Function::AndNot, false),
            (Logic::And, true, false) => (Function::NotAnd, false),
            (Logic::And, true, true) => (Function::Or, true),
            (Logic::Or, false, false) => (Function::Or, false),
            (Logic::Or, false, true) => (Function::NotAnd, true),
            (Logic::Or, true, false) => (Function::AndNot, true),
            (Logic::Or, true, true) => (Function::And, true),
            (Logic::Xor, _, _) => (Function::Xor, x_negative != y_negative),
        };
        LogicPlan { function, negative }
    }

    /// Limbs of the result, before a carry, for operands of `x` and `y` limbs.
    pub(super) fn len(&self, x: usize, y: usize) -> usize {
        match self.function {
            Function::And => x.min(y),
            Function::Or | Function::Xor => x.max(y),
            Function::AndNot => x,
            Function::NotAnd => y,
        }
    }

    /// The magnitude of the result, `len` limbs and a carry.
    pub(super) fn combine(&self, team: Team, x: Operand, y: Operand, len: usize) -> Vec<u64> {
        let chain = self.chain(team, len);
        let mut out = team.build(len, x.limbs, chain.as_ref(), |at, block| {
            self.block(at, block, x.lowest, y);
            Some(false)
        });
        if chain.is_some_and(|chain| chain.out()) {
            out.push(1);
        }
        out
    }

    /// How many low limbs of x the operation changes in place, the carry aside, where x need not
    /// grow.
    pub(super) fn touched(&self, x: usize, x_lowest: Option<usize>, y: usize) -> usize {
        match self.function {
            Function::And | Function::NotAnd => self.len(x, y),
            // Above the end of y they leave x' as it is, which is |x| above its lowest limb.
            Function::Or | Function::Xor | Function::AndNot => {
                y.max(x_lowest.map_or(0, |lowest| lowest + 1)).min(x)
            }
        }
    }

    /// Replaces the magnitude of x, which is `xs`, by that of the result. `touched` limbs are
    /// changed, as [`LogicPlan::touched`] gives them.
    pub(super) fn combine_assign(
        &self,
        team: Team,
        xs: &mut Vec<u64>,
        x_lowest: Option<usize>,
        y: Operand,
        touched: usize,
    ) {
        xs.truncate(self.len(xs.len(), y.limbs.len()));
        let (low, high) = xs.split_at_mut(touched);
        let chain = self.chain(team, touched);
        team.change(low, chain.as_ref(), |at, block| {
            self.block(at, block, x_lowest, y);
            Some(false)
        });
        if chain.is_some_and(|chain| chain.out()) && Carry::Up.ripple_far(high) {
            push_one(xs);
        }
    }

    fn chain(&self, team: Team, len: usize) -> Option<Chain> {
        self.negative
            .then(|| Chain::new(Carry::Up, team.blocks(len), true))
    }

    /// One block: the function of x' and y', from |x|.
    fn block(&self, at: usize, block: Block, x_lowest: Option<usize>, y: Operand) {
        match self.function {
            Function::And => apply(at, block, x_lowest, y, |x, y| x & y),
            Function::Or => apply(at, block, x_lowest, y, |x, y| x | y),
            Function::Xor => apply(at, block, x_lowest, y, |x, y| x ^ y),
            Function::AndNot => apply(at, block, x_lowest, y, |x, y| x & !y),
            Function::NotAnd => apply(at, block, x_lowest, y, |x, y| !x & y),
        }
    }
}

fn apply(
    at: usize,
    block: Block,
    x_lowest: Option<usize>,
    y: Operand,
    function: impl Fn(u64, u64) -> u64 + Copy,
) {
    let Some(lowest) = x_lowest.filter(|&lowest| lowest >= at) else {
        return apply_runs(at, block, y, function);
    };
    let (ones, rest) = block.split_at(lowest - at);
    apply_runs(at, ones, y, |_, y| function(u64::MAX, y));
    let (less_one, rest) = rest.split_at(1);
    apply_runs(lowest, less_one, y, |x, y| function(x.wrapping_sub(1), y));
    apply_runs(lowest + 1, rest, y, function);
}

/// function(x, y') for all limbs of a block that starts at `at`.
fn apply_runs(
    mut at: usize,
    mut block: Block,
    y: Operand,
    function: impl Fn(u64, u64) -> u64 + Copy,
) {
    let end = at + block.len();
    while at < end {
        let (run, stop) = y.run(at..end);
        let (xs, rest) = block.split_at(stop - at);
        match run {
            Run::Limbs(ys) => xs.map_with(ys, function),
            Run::Filled(y) => xs.map(|x| function(x, y)),
        }
        (at, block) = (stop, rest);
    }
}

/// Number of ones in x' ^ y' at `range`.
pub(super) fn differences(x: &Operand, y: &Operand, range: Range<usize>) -> u64 {
    let mut total = 0;
    let mut start = range.start;
    while start < range.end {
        let stop = x.run(start..range.end).1.min(y.run(start..range.end).1);
        total += match (x.run(start..stop).0, y.run(start..stop).0) {
            (Run::Limbs(xs), Run::Limbs(ys)) => count::differences(xs, ys),
            (Run::Limbs(limbs), Run::Filled(value)) | (Run::Filled(value), Run::Limbs(limbs)) => {
                count::ones(limbs, value)
            }
            (Run::Filled(x), Run::Filled(y)) => {
                u64::from((x ^ y).count_ones()) * (stop - start) as u64
            }
        };
        start = stop;
    }
    total
}
