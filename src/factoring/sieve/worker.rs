//! The polynomials of one leading coefficient: their roots modulo the primes of the base, the
//! places that the sieve finds, and the relations at these places.

use super::bucket::{BATCH, Buckets, Roots, Step};
use super::candidate::{Candidate, Part};
use super::inner_loops;
use super::mark::{Classes, Marked};
use super::plan::SievePlan;
use super::polynomial::{Leading, MOST_FACTORS};
use super::relation::Relation;
use super::wide::Wide;

/// Primes whose first roots are computed together, so that their data stay in the first-level
/// cache.
const BLOCK: usize = 512;

/// The arrays that one thread needs.
pub(super) struct Worker<'a> {
    plan: &'a SievePlan,
    sieve: Vec<u8>,
    classes: Classes,
    /// Both roots modulo each prime, as places in the sieve, and how they change with the sign of
    /// each part of b. For primes below the interval these are the roots of the first polynomial.
    first: Vec<u32>,
    second: Vec<u32>,
    deltas: Vec<Vec<u32>>,
    short: Short,
    /// Logarithms, 0 at the primes of a.
    logs: Vec<u8>,
    flags: Vec<u8>,
    candidates: Vec<u32>,
    buckets: Option<Buckets>,
    met: Vec<usize>,
}

/// The properties of the primes below the interval, in short words: they must fit in the
/// first-level cache beside the sieve.
struct Short {
    p: Vec<u16>,
    /// ⌊2^16/p⌋ + 1.
    scaled: Vec<u16>,
    first: Vec<u16>,
    second: Vec<u16>,
    deltas: Vec<Vec<u16>>,
}

impl Short {
    fn new(p: &[u32]) -> Short {
        Short {
            p: p.iter().map(|p| *p as u16).collect(),
            scaled: p.iter().map(|p| ((1 << 16) / p + 1) as u16).collect(),
            first: vec![0; p.len()],
            second: vec![0; p.len()],
            deltas: vec![vec![0; p.len()]; MOST_FACTORS],
        }
    }
}

/// One polynomial: x → ax² + 2bx + c, or ax² + bx + c.
struct Polynomial<'a> {
    leading: &'a Leading,
    b: Wide,
    c: Wide,
    /// Its place in the batch.
    index: usize,
}

impl<'a> Worker<'a> {
    pub(super) fn new(plan: &'a SievePlan) -> Worker<'a> {
        let p = &plan.base.p;
        let len = p.len();
        let interval = plan.sizes.interval;
        // Roots modulo p, and sums of two of them, are short words.
        assert!(interval <= 1 << 15);
        let short = Short::new(&p[..plan.buckets]);
        Worker {
            plan,
            sieve: vec![0; interval],
            classes: Classes::new(&short.p[plan.first..], interval),
            short,
            first: vec![0; len],
            second: vec![0; len],
            deltas: vec![vec![0; len]; MOST_FACTORS],
            logs: plan.base.log.clone(),
            flags: vec![0; plan.buckets],
            candidates: Vec::new(),
            buckets: (plan.buckets < len).then(|| Buckets::new(plan)),
            met: Vec::new(),
        }
    }

    /// The relations of the polynomials with this leading coefficient. If `keep_going` stops the
    /// work between two batches of polynomials, the relations so far.
    pub(super) fn relations(
        &mut self,
        leading: &Leading,
        keep_going: &dyn Fn() -> bool,
    ) -> Vec<Relation> {
        let inverse = leading.a.inverse();
        let mut b = leading
            .parts
            .iter()
            .fold(Wide::default(), |b, (part, _)| b + *part);
        // Adding a makes it odd.
        let adds_a = leading.doubles && !b.is_odd();
        if adds_a {
            b = b + leading.a;
        }
        self.begin(leading, adds_a);
        let mut found = Vec::new();
        let count = 1u32 << (leading.factors.len() - 1);
        for start in (0..count).step_by(BATCH) {
            if !keep_going() {
                break;
            }
            // The last part keeps its sign but after the last polynomial, whose step leads to no
            // other one.
            let steps: Vec<Step> = (start + 1..=count.min(start + BATCH as u32))
                .map(Step::to)
                .collect();
            if let Some(buckets) = &mut self.buckets {
                let roots = Roots {
                    p: &self.plan.base.p,
                    first: &mut self.first,
                    second: &mut self.second,
                    deltas: &self.deltas,
                };
                buckets.fill(roots, &steps);
            }
            for (index, step) in steps.iter().enumerate() {
                // The division is exact, and the quotient fits: it may be made modulo 2^256.
                let c = (b.product(b) - self.plan.kn).product(inverse);
                let c = if leading.doubles { c.quarter() } else { c };
                let polynomial = Polynomial {
                    leading,
                    b,
                    c,
                    index,
                };
                self.polynomial(&polynomial, &mut found);
                b = self.step(leading, b, *step);
            }
        }
        for place in &leading.factors {
            self.logs[*place] = self.plan.base.log[*place];
        }
        found
    }

    /// Computes the roots of the first polynomial, and the differences. Its b is the sum of all
    /// parts, and a with `adds_a`.
    fn begin(&mut self, leading: &Leading, adds_a: bool) {
        let base = &self.plan.base;
        for place in &leading.factors {
            self.logs[*place] = 0;
        }
        let len = base.p.len();
        for start in (0..len).step_by(BLOCK) {
            let range = start..len.min(start + BLOCK);
            let block = base.block(range.clone());
            let (inverse, sum) = (
                &mut [1.0; BLOCK][..range.len()],
                &mut [0.0; BLOCK][..range.len()],
            );
            for (i, delta) in self.deltas[..leading.factors.len()].iter_mut().enumerate() {
                let delta = &mut delta[range.clone()];
                let inverses = &leading.inverses[i][range.clone()];
                inner_loops::part(leading.parts[i].1, inverses, &block, delta, sum, inverse);
                if leading.doubles {
                    inner_loops::halve_words(delta, &block);
                }
            }
            if leading.doubles {
                inner_loops::halve(inverse, 0.0, &block);
                inner_loops::halve(sum, f64::from(u8::from(adds_a)), &block);
            }
            inner_loops::roots(
                inverse,
                sum,
                self.plan.half,
                &block,
                &mut self.first[range.clone()],
                &mut self.second[range],
            );
        }
        let short = &mut self.short;
        copy(&self.first, &mut short.first);
        copy(&self.second, &mut short.second);
        for (delta, short) in self.deltas.iter().zip(&mut short.deltas) {
            copy(delta, short);
        }
    }

    /// Changes the roots of primes that are in no bucket to those of the next polynomial, and gives
    /// its b.
    fn step(&mut self, leading: &Leading, b: Wide, step: Step) -> Wide {
        let short = &mut self.short;
        let (p, delta) = (&short.p, &short.deltas[step.part]);
        let (first, second) = (&mut short.first, &mut short.second);
        let part = leading.parts[step.part].0;
        if step.lower {
            inner_loops::lower_roots(delta, p, first, second);
            b + part + part
        } else {
            inner_loops::raise_roots(delta, p, first, second);
            b - part - part
        }
    }

    /// Sieves a polynomial and adds its relations.
    fn polynomial(&mut self, polynomial: &Polynomial, found: &mut Vec<Relation>) {
        self.sieve(polynomial.index);
        let candidates = std::mem::take(&mut self.candidates);
        found.extend(
            candidates
                .iter()
                .filter_map(|place| self.relation(polynomial, *place)),
        );
        self.candidates = candidates;
    }

    /// Adds up logarithms and collects candidates.
    fn sieve(&mut self, index: usize) {
        let plan = self.plan;
        self.sieve.fill(plan.start);
        let range = plan.first..plan.buckets;
        let marked = Marked {
            p: &self.short.p[range.clone()],
            logs: &self.logs[range.clone()],
            first: &self.short.first[range.clone()],
            second: &self.short.second[range],
        };
        marked.mark(&mut self.sieve, &self.classes);
        if let Some(buckets) = &self.buckets {
            buckets.mark(index, &mut self.sieve);
        }
        self.candidates.clear();
        inner_loops::candidates(&self.sieve, &mut self.candidates);
    }

    /// The relation of a candidate, if there is one.
    fn relation(&mut self, polynomial: &Polynomial, place: u32) -> Option<Relation> {
        let plan = self.plan;
        let x = i64::from(place) - plan.half as i64;
        let sum = self.sieve[place as usize] - plan.start;
        let candidate = Candidate::new(polynomial.leading, polynomial.b, polynomial.c, x);
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        let relation = candidate.relation(plan, sum, &mut met, |part, met| match part {
            Part::Unsieved => self.meets(place, 0..plan.first, met),
            Part::Sieved => {
                self.meets(place, plan.first..plan.buckets, met);
                if let Some(buckets) = &self.buckets {
                    buckets.meets(polynomial.index, place, met);
                }
            }
        });
        self.met = met;
        relation
    }

    /// Notes the primes of a range of the base that have a root at this place of the interval.
    fn meets(&mut self, place: u32, range: std::ops::Range<usize>, met: &mut Vec<usize>) {
        let (short, flags) = (&self.short, &mut self.flags[range.clone()]);
        inner_loops::meets(
            place as u16,
            &short.p[range.clone()],
            &short.scaled[range.clone()],
            &short.first[range.clone()],
            &short.second[range.clone()],
            flags,
        );
        inner_loops::flagged(flags, range.start, met);
    }
}

/// Copies the first words of `from`, which fit short ones.
fn copy(from: &[u32], to: &mut [u16]) {
    from.iter()
        .zip(to)
        .for_each(|(from, to)| *to = *from as u16);
}
