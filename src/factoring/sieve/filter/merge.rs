//! Elimination of columns that few rows have, before the linear algebra, as in the number field
//! sieve (Cavallar, *Strategies in filtering in the number field sieve*, ANTS-IV, 2000).
//!
//! A column that w rows have is eliminated by w − 1 sums of two of them, along a spanning tree of
//! least weight. The matrix loses a row and a column and gains entries. Block Lanczos takes about
//! n·(W + FIXED·n) steps for n rows with W entries: sums are made as long as that decreases.

use super::prune;

/// The cost per row of the vectors of block Lanczos and of the dense columns, in entries.
const FIXED: i64 = 35;
/// A column is dense if more than one row in this many has it. Dense columns are not considered.
const DENSE_PART: usize = 8;
/// Columns that more rows have are not eliminated.
const MOST_ROWS: usize = 10;
/// Rows beyond the number of columns that are kept.
const SURPLUS: usize = 160;

/// A set of relations and the sparse columns with an odd exponent in its product, both ascending.
struct Row {
    members: Vec<u32>,
    columns: Vec<u32>,
}

struct Table {
    /// Eliminated rows are None.
    rows: Vec<Option<Row>>,
    /// How many rows have each column.
    weights: Vec<u32>,
    /// The rows that have each column, or None if more than a few do.
    holders: Vec<Option<Vec<u32>>>,
    /// The number of remaining rows, and of their entries.
    count: i64,
    entries: i64,
}

/// Sets of relations that have as many dependencies as the given ones, less a surplus, and a
/// cheaper matrix. `rows` has the columns with an odd exponent in the product of each set,
/// ascending.
pub(super) fn merge(sets: Vec<Vec<u32>>, rows: Vec<Vec<u32>>, columns: usize) -> Vec<Vec<u32>> {
    let mut active: Vec<usize> = (0..rows.len()).collect();
    prune::drop_singletons(&rows, &mut active, columns);
    prune::drop_heaviest(&rows, &mut active, columns, SURPLUS);
    let weights = prune::weights(&rows, &active, columns);
    let dense = (active.len() / DENSE_PART).max(MOST_ROWS);
    let is_sparse = |column: &u32| weights[*column as usize] as usize <= dense;
    let mut table = Table {
        rows: Vec::new(),
        weights: vec![0; columns],
        holders: vec![None; columns],
        count: 0,
        entries: 0,
    };
    table.rows.resize_with(rows.len(), || None);
    let mut pairs: Vec<_> = sets.into_iter().zip(rows).map(Some).collect();
    for i in active {
        if let Some((members, columns)) = pairs[i].take() {
            let columns = columns.into_iter().filter(is_sparse).collect();
            table.put(i as u32, Row { members, columns });
        }
    }
    for most in 2..=MOST_ROWS {
        table.eliminate(most);
    }
    let rows = table.rows.into_iter().flatten();
    rows.map(|row| row.members).collect()
}

impl Table {
    /// Puts a row in an empty place.
    fn put(&mut self, place: u32, row: Row) {
        for column in row.columns.iter().map(|column| *column as usize) {
            self.weights[column] += 1;
            if let Some(holders) = &mut self.holders[column] {
                holders.push(place);
            }
        }
        self.count += 1;
        self.entries += row.columns.len() as i64;
        self.rows[place as usize] = Some(row);
    }

    fn take(&mut self, place: u32) -> Option<Row> {
        let row = self.rows[place as usize].take()?;
        for column in row.columns.iter().map(|column| *column as usize) {
            self.weights[column] -= 1;
            if let Some(holders) = &mut self.holders[column] {
                holders.retain(|holder| *holder != place);
            }
        }
        self.count -= 1;
        self.entries -= row.columns.len() as i64;
        Some(row)
    }

    /// Lists the rows of all columns that at most `most` rows have.
    fn list_holders(&mut self, most: usize) {
        for (holders, weight) in self.holders.iter_mut().zip(&self.weights) {
            *holders = (*weight as usize <= most).then(Vec::new);
        }
        for (row, place) in self.rows.iter().zip(0u32..) {
            for column in row.iter().flat_map(|row| &row.columns) {
                if let Some(holders) = &mut self.holders[*column as usize] {
                    holders.push(place);
                }
            }
        }
    }

    /// Eliminates columns that at most `most` rows have, as long as that pays.
    fn eliminate(&mut self, most: usize) {
        self.list_holders(2 * most);
        let is_light = |weight: u32| (1..=most).contains(&(weight as usize));
        let columns = 0..self.weights.len() as u32;
        let mut queue: Vec<u32> = columns
            .filter(|column| is_light(self.weights[*column as usize]))
            .collect();
        queue.sort_by_key(|column| std::cmp::Reverse(self.weights[*column as usize]));
        while let Some(column) = queue.pop() {
            if !is_light(self.weights[column as usize]) {
                continue;
            }
            let Some(places) = self.holders[column as usize].clone() else {
                continue;
            };
            let before = self.weights_of(&places);
            if places.len() == 1 {
                self.take(places[0]);
            } else if !self.add_up(&places) {
                continue;
            }
            // Columns that cancelled may have come within reach.
            let lighter = before.into_iter().filter(|(column, weight)| {
                let now = self.weights[*column as usize];
                now < *weight && is_light(now)
            });
            queue.extend(lighter.map(|(column, _)| column));
        }
    }

    /// The columns of some rows that have lists, with their weights.
    fn weights_of(&self, places: &[u32]) -> Vec<(u32, u32)> {
        let rows = places
            .iter()
            .filter_map(|place| self.rows[*place as usize].as_ref());
        let mut columns: Vec<u32> = rows.flat_map(|row| row.columns.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        let listed = columns
            .iter()
            .filter(|c| self.holders[**c as usize].is_some());
        listed.map(|c| (*c, self.weights[*c as usize])).collect()
    }

    /// Replaces rows by the sums along a least spanning tree, if that pays.
    fn add_up(&mut self, places: &[u32]) -> bool {
        let rows = places
            .iter()
            .filter_map(|place| self.rows[*place as usize].as_ref());
        let lists: Vec<&[u32]> = rows.map(|row| row.columns.as_slice()).collect();
        let (tree, entries) = spanning_tree(&lists);
        let before: usize = lists.iter().map(|list| list.len()).sum();
        let more = entries as i64 - before as i64;
        let cost = |count: i64, entries: i64| count * (entries + FIXED * count);
        let now = cost(self.count, self.entries);
        if cost(self.count - 1, self.entries + more) >= now {
            return false;
        }
        let taken: Vec<Row> = places
            .iter()
            .filter_map(|place| self.take(*place))
            .collect();
        for (place, (a, b)) in places.iter().zip(tree) {
            let (a, b) = (&taken[a], &taken[b]);
            let row = Row {
                members: symmetric_difference(&a.members, &b.members).collect(),
                columns: symmetric_difference(&a.columns, &b.columns).collect(),
            };
            self.put(*place, row);
        }
        true
    }
}

/// The edges of a spanning tree (Prim's) of lists, where an edge weighs as many entries as one of
/// its two lists has alone; and its weight.
fn spanning_tree(lists: &[&[u32]]) -> (Vec<(usize, usize)>, usize) {
    let distance = |a: usize, b: usize| {
        let (a, b) = (lists[a], lists[b]);
        a.len() + b.len() - 2 * common(a, b)
    };
    // For each list outside the tree, the nearest one in it.
    let mut outside: Vec<(usize, usize, usize)> =
        (1..lists.len()).map(|i| (distance(i, 0), i, 0)).collect();
    let (mut tree, mut total) = (Vec::new(), 0);
    while let Some(at) = (0..outside.len()).min_by_key(|at| outside[*at]) {
        let (weight, new, near) = outside.swap_remove(at);
        tree.push((near, new));
        total += weight;
        for (weight, i, near) in &mut outside {
            let other = distance(*i, new);
            if other < *weight {
                (*weight, *near) = (other, new);
            }
        }
    }
    (tree, total)
}

/// How many elements two ascending lists share. Without a branch on their order, which is random.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        count += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

/// The elements that are in only one of two ascending lists, ascending.
fn symmetric_difference(a: &[u32], b: &[u32]) -> impl Iterator<Item = u32> {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    std::iter::from_fn(move || {
        loop {
            return match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x == y => {
                    a.next();
                    b.next();
                    continue;
                }
                (Some(x), Some(y)) if x > y => b.next(),
                (None, _) => b.next(),
                _ => a.next(),
            };
        }
    })
}
