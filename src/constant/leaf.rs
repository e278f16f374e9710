//! The bottom of a series' tree: some hundred terms at a time, in one piece of memory.
//!
//! A few terms are processed one by one: each multiplies P, Q and T by numbers of one or two limbs.
//! Above that, neighbours are merged as everywhere in the tree. All numbers of a block are stored
//! one after another in an arena, so that a block allocates a few times and not once for each term.

use super::polynomial::{VALUE_LIMBS, Value};
use super::series::{Node, Series};
use crate::error::Result;
use crate::int::Int;
use crate::word::{self, mul, row, sum};

/// Terms that are taken one by one.
const RUN: u64 = 8;

/// Limbs of a number made of a run of terms: T has the values of one more term in it, and the sum
/// may carry.
const ROW_LIMBS: usize = (RUN as usize + 2) * VALUE_LIMBS + 1;

/// P, Q and T of the terms from `from` up to `to`, without it.
pub(super) fn block(series: &Series, from: u64, to: u64) -> Result<Node> {
    let mut arena = Arena::default();
    let parts = arena.parts(series, from, to)?;
    let int = |part: Part| {
        let value = Int::from_limbs_slice(arena.limbs(part));
        if part.is_negative {
            value.try_neg()
        } else {
            Ok(value)
        }
    };
    Ok(Node {
        p: Some(int(parts.p)?),
        q: int(parts.q)?,
        t: int(parts.t)?,
    })
}

/// A signed number in the arena.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    len: usize,
    is_negative: bool,
}

/// P, Q and T of some terms.
struct Parts {
    p: Part,
    q: Part,
    t: Part,
}

/// Numbers stored one after another. The numbers of a finished part start where its caller's end.
#[derive(Default)]
pub(super) struct Arena {
    limbs: Vec<u64>,
    scratch: Vec<u64>,
    rows: Rows,
}

impl Arena {
    fn limbs(&self, part: Part) -> &[u64] {
        &self.limbs[part.start..part.start + part.len]
    }

    /// Writes P, Q and T of the terms from `from` up to `to`, without it, to rows of zeros that
    /// have room for them. Which of them are negative; none for 0.
    pub(super) fn leaf(
        &mut self,
        series: &Series,
        from: u64,
        to: u64,
        rows: [&mut [u64]; 3],
    ) -> Result<[Option<bool>; 3]> {
        let parts = self.parts(series, from, to)?;
        let mut signs = [None; 3];
        for ((part, row), sign) in [parts.p, parts.q, parts.t]
            .into_iter()
            .zip(rows)
            .zip(&mut signs)
        {
            row[..part.len].copy_from_slice(self.limbs(part));
            *sign = (part.len > 0).then_some(part.is_negative);
        }
        self.limbs.clear();
        Ok(signs)
    }

    fn parts(&mut self, series: &Series, from: u64, to: u64) -> Result<Parts> {
        if to - from <= RUN {
            self.rows.run(series, from, to)?;
            return Ok(Parts {
                p: push(&mut self.limbs, &self.rows.p),
                q: push(&mut self.limbs, &self.rows.q),
                t: push(&mut self.limbs, &self.rows.t),
            });
        }
        let base = self.limbs.len();
        let middle = from.midpoint(to);
        let left = self.parts(series, from, middle)?;
        let right = self.parts(series, middle, to)?;
        let end = self.limbs.len();
        let mut merged = Parts {
            p: self.product(left.p, right.p),
            q: self.product(left.q, right.q),
            t: self.sum_of_products((left.t, right.q), (left.p, right.t)),
        };
        // The children's numbers are not needed any more.
        self.limbs.drain(base..end);
        for part in [&mut merged.p, &mut merged.q, &mut merged.t] {
            part.start -= end - base;
        }
        Ok(merged)
    }

    /// Appends a·b.
    fn product(&mut self, a: Part, b: Part) -> Part {
        let start = self.limbs.len();
        self.limbs.resize(start + a.len + b.len, 0);
        let (below, out) = self.limbs.split_at_mut(start);
        multiply(out, of(below, a), of(below, b), &mut self.scratch);
        let len = word::significant(out);
        self.limbs.truncate(start + len);
        Part {
            start,
            len,
            is_negative: a.is_negative ^ b.is_negative,
        }
    }

    /// Appends a·b + c·d.
    fn sum_of_products(&mut self, (a, b): (Part, Part), (c, d): (Part, Part)) -> Part {
        let start = self.limbs.len();
        let room = (a.len + b.len).max(c.len + d.len) + 1;
        self.limbs.resize(start + room + c.len + d.len, 0);
        let (below, out) = self.limbs.split_at_mut(start);
        let (sum, product) = out.split_at_mut(room);
        let scratch = &mut self.scratch;
        multiply(
            &mut sum[..a.len + b.len],
            of(below, a),
            of(below, b),
            scratch,
        );
        multiply(product, of(below, c), of(below, d), scratch);
        let mut is_negative = a.is_negative ^ b.is_negative;
        if is_negative == c.is_negative ^ d.is_negative {
            // The room has a limb for the carry.
            sum::add_assign(sum, product);
        } else if sum::sub_assign(sum, product) {
            sum::negate(sum);
            is_negative = !is_negative;
        }
        let len = word::significant(sum);
        self.limbs.truncate(start + len);
        Part {
            start,
            len,
            is_negative,
        }
    }
}

fn of(limbs: &[u64], part: Part) -> &[u64] {
    &limbs[part.start..part.start + part.len]
}

/// Appends the number of a row.
fn push(limbs: &mut Vec<u64>, row: &Row) -> Part {
    let start = limbs.len();
    limbs.extend_from_slice(&row.limbs[..row.len]);
    Part {
        start,
        len: row.len,
        is_negative: row.is_negative,
    }
}

/// out = a·b for zeros in `out`. Either may have no limbs.
fn multiply(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut Vec<u64>) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    let needed = mul::mul_scratch(a.len(), b.len());
    if scratch.len() < needed {
        scratch.resize(needed, 0);
    }
    mul::mul(out, a, b, scratch);
}

/// P, Q and T of a run of terms.
#[derive(Default)]
struct Rows {
    p: Row,
    q: Row,
    t: Row,
}

impl Rows {
    /// Term k takes P·p(k) for P, T·q(k) + P·p(k)·a(k) for T and Q·q(k) for Q.
    fn run(&mut self, series: &Series, from: u64, to: u64) -> Result<()> {
        self.p.set_one();
        self.q.set_one();
        self.t.len = 0;
        for k in from..to {
            let term = series.term(k)?;
            self.p.multiply(&term.p);
            self.t.multiply(&term.q);
            self.t.add_product(&self.p, &term.a);
            self.q.multiply(&term.q);
        }
        Ok(())
    }
}

/// A number that grows by a few limbs at a time.
struct Row {
    limbs: Vec<u64>,
    spare: Vec<u64>,
    len: usize,
    is_negative: bool,
}

impl Default for Row {
    fn default() -> Row {
        Row {
            limbs: vec![0; ROW_LIMBS],
            spare: vec![0; ROW_LIMBS],
            len: 0,
            is_negative: false,
        }
    }
}

impl Row {
    fn set_one(&mut self) {
        self.limbs[0] = 1;
        self.len = 1;
        self.is_negative = false;
    }

    fn multiply(&mut self, value: &Value) {
        let len = self.len;
        let (Some((first, rest)), true) = (value.limbs().split_first(), len > 0) else {
            self.len = 0;
            return;
        };
        self.is_negative ^= value.is_negative;
        if rest.is_empty() {
            self.limbs[len] = row::mul_word_assign(&mut self.limbs[..len], *first, 0);
        } else {
            let (from, out) = (&self.limbs[..len], &mut self.spare);
            out[len] = row::mul_word(&mut out[..len], from, *first);
            for (at, word) in (1..).zip(rest) {
                out[at + len] = row::addmul_word(&mut out[at..at + len], from, *word);
            }
            std::mem::swap(&mut self.limbs, &mut self.spare);
        }
        let most = len + 1 + rest.len();
        self.len = most - usize::from(self.limbs[most - 1] == 0);
    }

    /// Adds `other` times `value`.
    fn add_product(&mut self, other: &Row, value: &Value) {
        let (limbs, words) = (&other.limbs[..other.len], value.limbs());
        let room = self.len.max(limbs.len() + words.len()) + 1;
        self.limbs[self.len..room].fill(0);
        let is_negative = other.is_negative ^ value.is_negative;
        if self.len == 0 {
            self.is_negative = is_negative;
        }
        let sum = &mut self.limbs[..room];
        let mut is_below = false;
        for (i, word) in words.iter().enumerate() {
            let (low, high) = sum[i..].split_at_mut(limbs.len());
            if self.is_negative == is_negative {
                let carry = row::addmul_word(low, limbs, *word);
                sum::add_word(high, carry);
            } else {
                let borrow = row::submul_word(low, limbs, *word);
                is_below |= sum::sub_word(high, borrow);
            }
        }
        if is_below {
            sum::negate(sum);
            self.is_negative = is_negative;
        }
        self.len = word::significant(sum);
    }
}
