//! Roots of unity, laid out as the transforms read them.
//!
//! A transform of length n works modulo x^n − 1 and halves it down to factors of degree one: a node
//! x^2m − w² has the children x^m − w and x^m + w. The nodes form a heap (root 1, children 2h and
//! 2h + 1); the w of the j-th node of a level is W(j) = exp(πi·f(j)) with f(j) = Σ 2^−(t+1) over
//! the bits t of j, whatever the level. So the table of a length is the beginning of the table of
//! twice the length, and nothing has to be put in bit-reversed order.
//!
//! A long transform is cut into rows of `row` coefficients: row r is what a node at the level of
//! the rows holds, modulo x^row − exp(2πi·f(r)). Below it, W(r·2^d + j) = W(j)·exp(πi·f(r)/2^d): a
//! row's roots are one small table times one factor a level, and only those factors are kept for
//! each row.

use std::sync::{Arc, Mutex, PoisonError};

use crate::fork::PerProcess;

use super::field::{self, Prime};
use super::lanes::{Factor, Lanes, Level};
use super::row::{Direction, RowConstants};
use super::scratch::Aligned;

/// The factors of the nodes of a tree, by node.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    pub(super) w: &'a [u64],
    pub(super) q: &'a [u64],
}

impl Tree<'_> {
    pub(super) fn factor(&self, node: usize) -> Factor {
        [self.w[node], self.q[node]]
    }
}

/// The roots for one prime and one way through the tree, down or up.
struct Roots {
    /// The factors of the nodes, two words each in two tables.
    w: Aligned,
    q: Aligned,
    /// The factors of the last three levels of a row, for eight nodes at a time.
    tail: Aligned,
    /// `record_len` words a row.
    records: Aligned,
}

/// Everything the transforms read for one prime.
pub(super) struct Tables {
    /// The level, the prime, the length of a row.
    key: (Level, u64, usize),
    rows: usize,
    record_len: usize,
    down: Roots,
    up: Roots,
}

/// Vectors of the tail table for eight nodes: seven factors of two words.
pub(super) const TAIL: usize = 14;

/// Words of a row's record before the factors of the single levels: twist, then the levels 0 to 2,
/// two words each.
const RECORD_HEAD: usize = 32;

/// Words of a row's record: the head, two for each level of eight nodes or more above the tail, and
/// what keeps the next record at the start of a line.
fn record_len(row: usize) -> usize {
    (RECORD_HEAD + 2 * (row.ilog2() as usize - 6)).next_multiple_of(8)
}

static CACHE: PerProcess<Mutex<Vec<Arc<Tables>>>> = PerProcess::new(Mutex::new(Vec::new()));

/// The tables of a prime for transforms of at most `rows` rows of `row` coefficients. Both are
/// powers of two.
pub(super) fn tables<L: Lanes>(prime: Prime, row: usize, rows: usize) -> Arc<Tables> {
    let key = (L::LEVEL, prime.p, row);
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = cache.iter().position(|tables| tables.key == key);
    if let Some(tables) = place.map(|at| &cache[at])
        && tables.rows >= rows
    {
        return tables.clone();
    }
    let tables = Arc::new(Tables::new::<L>(prime, row, rows));
    match place {
        Some(at) => cache[at] = tables.clone(),
        None => cache.push(tables.clone()),
    }
    tables
}

impl Tables {
    fn new<L: Lanes>(prime: Prime, row: usize, rows: usize) -> Tables {
        assert!(row >= 64 && row.is_power_of_two() && rows.is_power_of_two());
        let nodes = rows.max(row / 8);
        let down = roots(nodes.max(row / 2), prime);
        let twists = row_roots(rows, row, prime);
        let up = inverses(&down, prime.p);
        let twists_back = inverses(&twists, prime.p);
        Tables {
            key: (L::LEVEL, prime.p, row),
            rows,
            record_len: record_len(row),
            down: Roots::new::<L>(&down, &twists, nodes, row, prime),
            up: Roots::new::<L>(&up, &twists_back, nodes, row, prime),
        }
    }

    pub(super) fn down(&self) -> Tree<'_> {
        self.down.tree()
    }

    pub(super) fn up(&self) -> Tree<'_> {
        self.up.tree()
    }

    pub(super) fn row(&self, r: usize) -> RowConstants<'_> {
        let (_, _, row) = self.key;
        RowConstants {
            down: self.down.direction(r, self.record_len, row),
            up: self.up.direction(r, self.record_len, row),
        }
    }
}

impl Roots {
    fn new<L: Lanes>(w: &[u64], twists: &[u64], nodes: usize, row: usize, prime: Prime) -> Roots {
        let p = prime.modulus;
        let mut heap = vec![L::factor(1, p); nodes];
        for (node, factor) in heap.iter_mut().enumerate().skip(1) {
            // The number of the node within its level.
            *factor = L::factor(w[node - (1 << node.ilog2())], p);
        }
        let mut tail = Vec::with_capacity(row / 8 * TAIL);
        for group in 0..row / 64 {
            for (levels, offset) in [(1, 0), (2, 0), (2, 1), (4, 0), (4, 1), (4, 2), (4, 3)] {
                let factors: [Factor; 8] = std::array::from_fn(|lane| {
                    L::factor(w[levels * (8 * group + lane) + offset], p)
                });
                tail.extend(factors.map(|f| f[0]));
                tail.extend(factors.map(|f| f[1]));
            }
        }
        let mut records = Vec::new();
        for &u in twists {
            record::<L>(u, row, prime, &mut records);
        }
        Roots {
            w: heap.iter().map(|factor| factor[0]).collect(),
            q: heap.iter().map(|factor| factor[1]).collect(),
            tail: tail.into_iter().collect(),
            records: records.into_iter().collect(),
        }
    }

    fn tree(&self) -> Tree<'_> {
        Tree {
            w: &self.w,
            q: &self.q,
        }
    }

    fn direction(&self, r: usize, record_len: usize, row: usize) -> Direction<'_> {
        let record = &self.records[r * record_len..][..record_len];
        let (head, levels) = record.split_at(RECORD_HEAD);
        let (head, _) = head.as_chunks::<8>();
        let [twist_w, twist_q, first_w, first_q] = head else {
            unreachable!("the head of a record has four vectors");
        };
        Direction {
            twist: [twist_w, twist_q],
            first: [first_w, first_q],
            levels: levels.as_chunks::<2>().0,
            nodes: self.w[..row / 8].as_chunks::<8>().0,
            tail: self.tail.as_chunks::<8>().0.as_chunks().0,
        }
    }
}

/// W(0), W(1), … below `count`, a power of two.
fn roots(count: usize, prime: Prime) -> Vec<u64> {
    doubled(count, |done| prime.root(done.ilog2() + 2), prime.p)
}

/// u(r) = exp(2πi·f(r)/row): the coefficients of row r times the powers of u(r) are a polynomial
/// modulo x^row − 1.
fn row_roots(rows: usize, row: usize, prime: Prime) -> Vec<u64> {
    let log = 1 + row.ilog2();
    doubled(rows, |done| prime.root(done.ilog2() + log), prime.p)
}

/// Starts with 1 and doubles the list, times `step`, until it has `count` values.
fn doubled(count: usize, step: impl Fn(usize) -> u64, p: u64) -> Vec<u64> {
    let mut values = Vec::with_capacity(count);
    values.push(1);
    while values.len() < count {
        let step = step(values.len());
        for at in 0..values.len() {
            values.push(field::mul(values[at], step, p));
        }
    }
    values
}

fn inverses(values: &[u64], p: u64) -> Vec<u64> {
    // One inversion for all: products from the left, then back.
    let mut before = Vec::with_capacity(values.len());
    let mut all = 1;
    for &value in values {
        before.push(all);
        all = field::mul(all, value, p);
    }
    let mut inverse = field::inverse(all, p);
    for (at, &value) in values.iter().enumerate().rev() {
        before[at] = field::mul(before[at], inverse, p);
        inverse = field::mul(inverse, value, p);
    }
    before
}

/// Appends the record of the row whose root is u.
fn record<L: Lanes>(u: u64, row: usize, prime: Prime, records: &mut Vec<u64>) {
    let Prime { p, modulus, .. } = prime;
    let mut powers = [1; 9];
    for i in 1..9 {
        powers[i] = field::mul(powers[i - 1], u, p);
    }
    // Level d of the row's tree, counted from the row itself, is multiplied by u^(row / 2^(d + 1)).
    let levels = row.ilog2() as usize - 3;
    let mut scale = vec![powers[8]; levels];
    for d in (0..levels - 1).rev() {
        scale[d] = field::mul(scale[d + 1], scale[d + 1], p);
    }
    let first = std::array::from_fn(|h: usize| scale[h.max(1).ilog2() as usize]);
    let head = [*powers.first_chunk::<8>().expect("nine powers"), first];
    for vector in head {
        let factors = vector.map(|w| L::factor(w, modulus));
        records.extend(factors.map(|f| f[0]));
        records.extend(factors.map(|f| f[1]));
    }
    for &w in &scale[3..] {
        records.extend(L::factor(w, modulus));
    }
    records.resize(records.len().next_multiple_of(8), 0);
}
