//! Weber's reduction on the CPU modulo primes of up to 62 bits. A thread processes one modulus at a
//! time.

use super::super::plan::Moduli;
use super::super::{Run, Used};
use crate::number::Integer;
use crate::threads;
use crate::word::div::rem_word;
use crate::word::montgomery::Word64;
use crate::word::residue::{inverse, residue, symmetric};

/// Moduli of a unit of work.
const TEAM: usize = 256;

/// One modulus, a prime below 2^62: t, and word and P of the documentation of `weber`.
struct Item {
    q: u64,
    ring: Word64,
    /// None for ∞.
    t: Option<u64>,
    word: u64,
    product: u64,
}

/// The size, the modulus, and the value modulo it. Smaller is better.
type Best = Option<(u64, u64, i64)>;

impl Item {
    fn new(q: u64, u: &[u64], v: &[u64]) -> Item {
        let ring = Word64::new(q);
        let mut item = Item {
            q,
            ring,
            t: None,
            word: 0,
            product: 1,
        };
        let (u, v) = (rem_word(u, q), rem_word(v, q));
        item.t = inverse(v, q).map(|by| item.mul(u, by));
        item.word = if item.t.is_some() { v } else { u };
        item
    }

    /// x·y modulo q, for any x and y < q.
    fn mul(&self, x: u64, y: u64) -> u64 {
        self.ring.mul(self.ring.enter(x), y)
    }

    fn step(&mut self, p: u64, b: i64) {
        let factor = match self.t {
            None => {
                self.t = (self.word != 0).then_some(0);
                1
            }
            Some(t) => {
                let s = self.ring.sub(t, residue(b, self.q));
                self.t = inverse(s, self.q).map(|by| self.mul(p, by));
                if s == 0 { p } else { s }
            }
        };
        self.word = self.mul(factor, self.word);
        self.product = self.mul(p, self.product);
    }

    fn digit(&mut self, p: u64, g: i64) {
        let taken = self.mul(residue(g, self.q), self.product);
        self.word = self.ring.sub(self.word, taken);
        self.product = self.mul(p, self.product);
    }

    fn quotient(&self) -> Best {
        let value = symmetric(self.t?, self.q);
        Some((value.unsigned_abs(), self.q, value))
    }

    /// Returns the digit word/P of this modulus, whose word must not be 0.
    fn own_digit(&self) -> i64 {
        let by = inverse(self.product, self.q).expect("P is a product of other primes");
        symmetric(self.mul(self.word, by), self.q)
    }
}

fn better(a: Best, b: Best) -> Best {
    match (a, b) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (one, other) => one.or(other),
    }
}

/// Does `work` on every modulus and returns the minimum of the results.
fn all(items: &mut [Item], work: impl Fn(&mut Item) -> Best + Sync) -> Best {
    let team = |items: &mut [Item]| items.iter_mut().map(&work).fold(None, better);
    let all = threads::map_chunks_mut(items, TEAM, |_, items| team(items));
    all.into_iter().fold(None, better)
}

/// The steps and the digits.
pub(in super::super) fn run(u: &Integer, v: &Integer, moduli: &Moduli) -> Run {
    let [u, v] = [u, v].map(|x| x.magnitude().limbs());
    let mut items = threads::map(moduli.len(), TEAM, |i| Item::new(moduli.get(i), u, v));
    let mut run = Run::default();
    let mut best = all(&mut items, |item| item.quotient());
    while let Some((_, p, value)) = best {
        run.steps.push(Used { p, value });
        best = all(&mut items, |item| {
            item.step(p, value);
            item.quotient()
        });
    }
    // Moduli descend, so the last one with a word other than 0 is the smallest.
    while let Some(item) = items.iter().rev().find(|item| item.word != 0) {
        let (p, value) = (item.q, item.own_digit());
        run.digits.push(Used { p, value });
        all(&mut items, |item| {
            item.digit(p, value);
            None
        });
    }
    run
}
