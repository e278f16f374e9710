//! Arithmetic on rows: numbers a second of each contender, a row for each size.

use super::contenders::{Lane, operations};
use super::{NONE, Table};
use crate::batch::{CGBN, GMP};
use crate::format::{count, per_second, times};
use crate::record::{Measurement, Record};

/// Rates of one operation at one size.
struct Rates<'a> {
    list: Vec<&'a Measurement>,
    known: Option<f64>,
}

impl Rates<'_> {
    fn ours(&self, lane: Lane) -> Option<f64> {
        let of = self.list.iter().find(|m| Lane::of(&m.engine) == lane);
        of.map(|m| 1.0 / m.time.median)
    }

    fn gmp(&self) -> Option<f64> {
        let theirs = self.list.iter().find_map(|m| m.baseline(GMP));
        theirs.map(|b| 1.0 / b.time.median)
    }
}

type Cell = fn(&Rates) -> Option<String>;

const COLUMNS: [(&str, Cell); 7] = [
    ("GPU", |r| r.ours(Lane::Device).map(per_second)),
    (CGBN, |r| r.known.map(per_second)),
    ("GPU / CGBN", |r| {
        Some(times(r.ours(Lane::Device)? / r.known?))
    }),
    ("GMP, all cores", |r| r.gmp().map(per_second)),
    ("GPU / GMP", |r| {
        Some(times(r.ours(Lane::Device)? / r.gmp()?))
    }),
    ("CPU", |r| r.ours(Lane::AllThreads).map(per_second)),
    ("CPU / GMP", |r| {
        Some(times(r.ours(Lane::AllThreads)? / r.gmp()?))
    }),
];

/// A table for each operation, with the sizes that are wanted.
pub fn tables(record: &Record, wanted: impl Fn(u64) -> bool) -> Vec<Table> {
    let one = |operation: &str| {
        let list: Vec<&Measurement> = record
            .measurements
            .iter()
            .filter(|m| m.operation == operation && wanted(m.bits))
            .collect();
        let mut sizes: Vec<u64> = list.iter().map(|m| m.bits).collect();
        sizes.dedup();
        let rates: Vec<(u64, Rates)> = sizes
            .into_iter()
            .map(|bits| {
                let mut known = record.reproduced.iter();
                let known = known.find(|r| {
                    (r.figure.as_str(), r.quantity.as_str(), r.x) == (CGBN, operation, bits as f64)
                });
                let rates = Rates {
                    list: list.iter().copied().filter(|m| m.bits == bits).collect(),
                    known: known.and_then(|r| r.paper),
                };
                (bits, rates)
            })
            .collect();
        let used: Vec<&(&str, Cell)> = COLUMNS
            .iter()
            .filter(|column| rates.iter().any(|(_, r)| column.1(r).is_some()))
            .collect();
        let row = |(bits, r): &(u64, Rates)| {
            let cells = used.iter().map(|column| column.1(r));
            let cells = cells.map(|text| text.unwrap_or_else(|| NONE.into()));
            std::iter::once(count(*bits)).chain(cells).collect()
        };
        Table {
            title: format!("Rows: {operation}, numbers a second"),
            headers: std::iter::once("bits")
                .chain(used.iter().map(|column| column.0))
                .collect(),
            rows: rates.iter().map(row).collect(),
        }
    };
    operations(record).into_iter().map(one).collect()
}
