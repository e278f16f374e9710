//! `small`: a row for each operation, a column for each size; times, and speed-ups over each
//! library.

use super::contenders::operations;
use super::{NONE, Table};
use crate::format::{seconds, times};
use crate::record::{Measurement, Record};

/// Libraries that speed-ups are shown over, and the titles of their tables.
const LIBRARIES: [(&str, &str); 2] = [
    ("GMP", "Small numbers: speed-up over GMP"),
    ("malachite", "Small numbers: speed-up over malachite"),
];

/// The columns of sizes, from 2^5 bits on.
const SIZES: [&str; 14] = [
    "2^5", "2^6", "2^7", "2^8", "2^9", "2^10", "2^11", "2^12", "2^13", "2^14", "2^15", "2^16",
    "2^17", "2^18",
];
const SMALLEST: u32 = 5;

/// Times first. A library that was not measured has no table.
pub fn tables(record: &Record) -> Vec<Table> {
    let mut tables = vec![table(record, "Small numbers: time on one core", |m| {
        Some(seconds(m.time.median))
    })];
    for (name, title) in LIBRARIES {
        let is_there = |m: &Measurement| m.baseline(name).is_some();
        if record.measurements.iter().any(is_there) {
            tables.push(table(record, title, |m| {
                m.baseline(name).map(|b| times(b.ratio))
            }));
        }
    }
    tables
}

fn table(record: &Record, title: &str, cell: impl Fn(&Measurement) -> Option<String>) -> Table {
    let of_size = |bits: u64| record.measurements.iter().any(|m| m.bits == bits);
    let sizes: Vec<(u64, &'static str)> = SIZES
        .into_iter()
        .enumerate()
        .map(|(k, name)| (1 << (k as u32 + SMALLEST), name))
        .filter(|(bits, _)| of_size(*bits))
        .collect();
    let row = |operation: &str| {
        let at = |(bits, _): &(u64, &str)| {
            let mut list = record.measurements.iter();
            let found = list.find(|m| m.operation == operation && m.bits == *bits);
            found.and_then(&cell).unwrap_or_else(|| NONE.into())
        };
        let cells = sizes.iter().map(at);
        std::iter::once(operation.to_string())
            .chain(cells)
            .collect()
    };
    Table {
        title: title.to_string(),
        headers: std::iter::once("bits")
            .chain(sizes.iter().map(|(_, name)| *name))
            .collect(),
        rows: operations(record).into_iter().map(row).collect(),
    }
}
