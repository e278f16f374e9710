//! Sorts: keys a second of each contender, a row for each number of keys.

use super::contenders::{Lane, operations};
use super::papers::{number, values};
use super::{NONE, Table};
use crate::format::{rate, size, times};
use crate::record::{Measurement, Record, Reproduced};
use crate::sort::{CUB, STD, keys, mmm};

type Cell = fn(&dyn Fn(Lane) -> Option<f64>, &dyn Fn(&str) -> Option<f64>) -> Option<String>;

/// From seconds of the lanes and of others, for each number of keys.
const COLUMNS: [(&str, Cell); 8] = [
    ("GPU", |ours, _| ours(Lane::Device).map(rate)),
    (CUB, |_, theirs| theirs(CUB).map(rate)),
    ("GPU / CUB", |ours, theirs| {
        Some(times(ours(Lane::Device)? / theirs(CUB)?))
    }),
    ("GPU, transfers", |ours, _| ours(Lane::Transfers).map(rate)),
    ("CPU", |ours, _| ours(Lane::AllThreads).map(rate)),
    ("std, one core", |_, theirs| theirs(STD).map(rate)),
    ("CPU / std", |ours, theirs| {
        Some(times(ours(Lane::AllThreads)? / theirs(STD)?))
    }),
    ("GPU / CPU", |ours, _| {
        Some(times(ours(Lane::Device)? / ours(Lane::AllThreads)?))
    }),
];

/// A table for each kind of keys, with the numbers of keys that are wanted.
pub fn tables(record: &Record, wanted: impl Fn(u64) -> bool) -> Vec<Table> {
    let one = |kind: &str| {
        let list: Vec<&Measurement> = record
            .measurements
            .iter()
            .filter(|m| m.operation == kind && wanted(keys(m)))
            .collect();
        let mut counts: Vec<u64> = list.iter().map(|m| keys(m)).collect();
        counts.dedup();
        let cell = |count: u64, cell: Cell| {
            let here = || list.iter().filter(move |m| keys(m) == count);
            let rate = |seconds: f64| count as f64 / seconds;
            cell(
                &|lane| {
                    let ours = here().find(|m| Lane::of(&m.engine) == lane);
                    ours.map(|m| rate(m.time.median))
                },
                &|name| {
                    let theirs = here().find_map(|m| m.baseline(name));
                    theirs.map(|b| rate(b.time.median))
                },
            )
        };
        let used: Vec<&(&str, Cell)> = COLUMNS
            .iter()
            .filter(|column| counts.iter().any(|count| cell(*count, column.1).is_some()))
            .collect();
        let row = |count: &u64| {
            let cells = used.iter().map(|column| cell(*count, column.1));
            let cells = cells.map(|text| text.unwrap_or_else(|| NONE.into()));
            std::iter::once(size(*count)).chain(cells).collect()
        };
        Table {
            title: format!("Sort of {kind}"),
            headers: std::iter::once("keys")
                .chain(used.iter().map(|column| column.0))
                .collect(),
            rows: counts.iter().map(row).collect(),
        }
    };
    operations(record).into_iter().map(one).collect()
}

/// `mmm-sort`: a row for each s.
pub fn by_bits(record: &Record) -> Table {
    let at = |quantity, x: f64| values(record, mmm::SECTION, quantity).find(|r| r.x == x);
    let row = |first: &Reproduced| {
        let paper = |quantity| number(at(quantity, first.x).and_then(|r| r.paper));
        let here = |quantity| number(at(quantity, first.x).and_then(|r| r.here));
        vec![
            format!("{}", first.x),
            here(mmm::TIME),
            here(mmm::RATIO),
            paper(mmm::RATIO),
            here(mmm::CALIBRATED),
            paper(mmm::WORK),
            paper(mmm::OVERHEAD),
        ]
    };
    Table {
        title: "Haque–Moreno Maza–Xie, section 4: radix sort with s = 1 over s bits a pass".into(),
        headers: vec![
            "s",
            "ms",
            "time, here",
            "time, Corollary 1",
            "time, calibrated",
            "work, paper (8)",
            "overhead, paper (9)",
        ],
        rows: values(record, mmm::SECTION, mmm::TIME).map(row).collect(),
    }
}
