//! Finished parts of a series that outlive the process.

use super::series::Node;
use crate::error::Result;
use crate::int::Int;

/// Levels of the tree, from the top, whose parts are kept.
const LEVELS: u32 = 6;

/// Where a long computation keeps its finished parts. Each part has a name and a few numbers.
///
/// A stored part replaces the parts from which it was computed. A name has the series and the range
/// of terms. The storage must know to which constant and precision the parts belong.
pub trait Storage: Sync {
    /// Loads the numbers stored under this name, if any.
    fn load(&self, name: &str) -> Result<Option<Vec<Int>>>;

    /// Stores numbers under this name.
    fn save(&self, name: &str, numbers: &[&Int]) -> Result<()>;

    /// Removes the numbers stored under this name, if any.
    fn remove(&self, name: &str) -> Result<()>;

    /// Parts with shorter numbers than this are not stored: they are computed again.
    fn least_bits(&self) -> u64 {
        1 << 26
    }
}

/// The part of a storage that is for one series.
#[derive(Clone, Copy)]
pub(super) struct Keep<'a> {
    pub(super) storage: &'a dyn Storage,
    pub(super) series: &'a str,
}

impl Keep<'_> {
    /// Whether a node at this depth, with numbers of `bits` bits, is stored.
    pub(super) fn wants(&self, depth: u32, bits: u64) -> bool {
        depth < LEVELS && bits >= self.storage.least_bits()
    }

    fn name(&self, from: u64, to: u64) -> String {
        format!("{}-{from}-{to}", self.series)
    }

    /// The numbers that are kept of the terms `from` to `to`, if there are any.
    pub(super) fn load_numbers(&self, from: u64, to: u64) -> Result<Option<Vec<Int>>> {
        self.storage.load(&self.name(from, to))
    }

    /// Keeps numbers of these terms, and forgets those of their halves.
    pub(super) fn save_numbers(&self, from: u64, to: u64, numbers: &[&Int]) -> Result<()> {
        self.storage.save(&self.name(from, to), numbers)?;
        let middle = from.midpoint(to);
        self.storage.remove(&self.name(from, middle))?;
        self.storage.remove(&self.name(middle, to))
    }

    pub(super) fn load(&self, from: u64, to: u64, with_p: bool) -> Result<Option<Node>> {
        let Some(numbers) = self.load_numbers(from, to)? else {
            return Ok(None);
        };
        let mut numbers = numbers.into_iter();
        let (Some(q), Some(t)) = (numbers.next(), numbers.next()) else {
            return Ok(None);
        };
        let p = numbers.next();
        if with_p && p.is_none() {
            return Ok(None);
        }
        Ok(Some(Node { p, q, t }))
    }

    /// Keeps a node, and forgets its halves.
    pub(super) fn save(&self, from: u64, to: u64, node: &Node) -> Result<()> {
        let numbers: Vec<&Int> = [&node.q, &node.t].into_iter().chain(&node.p).collect();
        self.save_numbers(from, to, &numbers)
    }
}
