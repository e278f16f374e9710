//! Products of polynomials over Z_p: the coefficients are those of the integers below p, found
//! modulo as many primes as hold them, and reduced modulo p.

use super::crt::{Crt, Target};
use super::lanes::{Lanes, Level};
use super::plan::HostPlan;
use super::portable::Portable;
use super::row::Term;
use super::scratch::{self, Buffer};
use super::{Context, Operand, at_level, for_primes, residues};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, avx512_float};
use crate::threads;

/// a·b modulo p; a² without b. All coefficients are below p, for which the plan was made; modulo
/// x^n − 1 if the plan is cyclic.
pub(crate) fn product(
    level: Level,
    plan: HostPlan,
    p: u64,
    a: &[u64],
    b: Option<&[u64]>,
) -> Vec<u64> {
    let other = b.unwrap_or(a).len();
    assert!(plan.holds(a.len(), other));
    let operand = || b.map_or(Operand::Same, Operand::Limbs);
    at_level!(level, L => {
        let found = for_primes(plan, |prime| residues::<L>(plan, prime, a, &operand()));
        modulo::<L>(plan, &found, p, plan.coefficients(a.len(), other))
    })
}

/// For each list of pairs of operands, by their places, the sum of the products modulo p; no
/// operand is empty.
pub(crate) fn sums_of_products(
    level: Level,
    plan: HostPlan,
    p: u64,
    operands: &[&[u64]],
    sums: &[&[(usize, usize)]],
) -> Vec<Vec<u64>> {
    let lengths = |&(a, b): &(usize, usize)| (operands[a].len(), operands[b].len());
    let mut all = sums.iter().copied().flatten().map(lengths);
    assert!(all.all(|(a, b)| plan.holds(a, b)));
    at_level!(level, L => {
        let by_prime = for_primes(plan, |prime| {
            let context = Context::<L>::new(plan, prime);
            let transforms: Vec<Buffer> = operands.iter().map(|x| context.transform(x)).collect();
            let back = sums.iter().map(|pairs| sum_back(&context, &transforms, pairs));
            back.collect::<Vec<_>>()
        });
        let mut by_prime: Vec<_> = by_prime.into_iter().map(Vec::into_iter).collect();
        let one = |pairs: &&[(usize, usize)]| {
            let found: Vec<Buffer> = by_prime.iter_mut().filter_map(Iterator::next).collect();
            let len = pairs.iter().map(lengths).map(|(a, b)| plan.coefficients(a, b)).max();
            modulo::<L>(plan, &found, p, len.unwrap_or(0))
        };
        sums.iter().map(one).collect()
    })
}

/// The coefficients of a sum modulo one prime.
pub(super) fn sum_back<L: Lanes>(
    context: &Context<L>,
    transforms: &[Buffer],
    pairs: &[(usize, usize)],
) -> Buffer {
    let plan = context.plan;
    let mut residues = Buffer::new(plan.words());
    context.for_rows(&mut residues, |r, row| {
        let part = |i: usize| &transforms[i][r * plan.pitch()..][..plan.row];
        let term = |&(a, b): &(usize, usize)| Term {
            a: part(a),
            b: part(b),
            negative: false,
        };
        let terms: Vec<Term> = pairs.iter().map(term).collect();
        scratch::with_tree(|tree| {
            let row = &mut row[..plan.row];
            L::row_sum(context.k, &context.row(r), row, &terms, tree);
        });
    });
    context.columns_back(&mut residues, None);
    residues
}

fn modulo<L: Lanes>(plan: HostPlan, residues: &[Buffer], p: u64, len: usize) -> Vec<u64> {
    match residues {
        [a] => from_residues::<L, 1>(plan, [a], p, len),
        [a, b] => from_residues::<L, 2>(plan, [a, b], p, len),
        [a, b, c] => from_residues::<L, 3>(plan, [a, b, c], p, len),
        [a, b, c, d] => from_residues::<L, 4>(plan, [a, b, c, d], p, len),
        _ => unreachable!("a plan for polynomials has one to four primes"),
    }
}

/// The first `len` coefficients modulo p from those modulo N primes.
fn from_residues<L: Lanes, const N: usize>(
    plan: HostPlan,
    residues: [&Buffer; N],
    p: u64,
    len: usize,
) -> Vec<u64> {
    let crt = Crt::<L>::new(&plan);
    let target = Target::new(p);
    let mut out = vec![0; len];
    let row = |r: usize, out: &mut [u64]| {
        let rows = residues.map(|x| &x[r * plan.pitch()..][..plan.row]);
        L::coefficients::<N>(&crt, &target, rows, out);
    };
    if plan.parallel {
        threads::chunks_mut(&mut out, plan.row, plan.parts_per_task(plan.row), row);
    } else {
        (0..)
            .zip(out.chunks_mut(plan.row))
            .for_each(|(r, out)| row(r, out));
    }
    out
}
