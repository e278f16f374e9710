//! `mmm-table1`, `mmm-table2` and `mmm-division`: a row for each size and s.

use super::papers::{number, values};
use super::{NONE, Table};
use crate::format::times;
use crate::poly::mmm::{BOUND, CALIBRATED, RATIO, TIME};
use crate::record::{Record, Reproduced};

/// What a benchmark reproduces: title, and the s that the others are compared with.
pub fn title(record: &Record) -> &'static str {
    match record.benchmark.as_str() {
        "mmm-table1" => "Haque–Moreno Maza–Xie, Table 1: plain products, s = 2 over s",
        "mmm-table2" => "Haque–Moreno Maza–Xie, Table 2: plain Euclid, s = 1 over s",
        _ => "Haque–Moreno Maza–Xie, section 3: plain division, s = 1 over s",
    }
}

/// The sizes, in the order of the record.
pub fn sizes(record: &Record) -> Vec<&str> {
    let mut sizes: Vec<&str> = record.reproduced.iter().map(|r| &*r.figure).collect();
    sizes.dedup();
    sizes
}

type Cell = fn(&dyn Fn(&'static str) -> Option<Reproduced>) -> Option<String>;

const COLUMNS: [(&str, Cell); 7] = [
    ("ms, paper", |at| at(TIME)?.paper.map(|x| number(Some(x)))),
    ("ms, here", |at| at(TIME)?.here.map(|x| number(Some(x)))),
    ("faster", |at| {
        let time = at(TIME)?;
        Some(times(time.paper? / time.here?))
    }),
    ("ratio, paper", |at| {
        at(RATIO)?.paper.map(|x| number(Some(x)))
    }),
    ("ratio, here", |at| at(RATIO)?.here.map(|x| number(Some(x)))),
    (BOUND, |at| at(BOUND)?.here.map(|x| number(Some(x)))),
    (CALIBRATED, |at| {
        at(CALIBRATED)?.here.map(|x| number(Some(x)))
    }),
];

/// The table.
pub fn by_steps(record: &Record) -> Table {
    let rows: Vec<&Reproduced> = sizes(record)
        .into_iter()
        .flat_map(|figure| values(record, figure, TIME))
        .collect();
    let cell = |row: &Reproduced, cell: Cell| {
        cell(&|quantity| {
            values(record, &row.figure, quantity)
                .find(|r| r.x == row.x)
                .cloned()
        })
    };
    let used: Vec<_> = COLUMNS
        .into_iter()
        .filter(|(_, of)| rows.iter().any(|row| cell(row, *of).is_some()))
        .collect();
    let line = |row: &&Reproduced| {
        let cells: Vec<_> = used.iter().map(|(_, of)| cell(row, *of)).collect();
        // Without a device, and where the paper has nothing.
        cells.iter().find(|text| text.is_some())?;
        let cells = cells.into_iter().map(|text| text.unwrap_or(NONE.into()));
        let place = [row.figure.clone(), format!("{}", row.x)];
        Some(place.into_iter().chain(cells).collect())
    };
    Table {
        title: title(record).into(),
        headers: ["n, m", "s"]
            .into_iter()
            .chain(used.iter().map(|(header, _)| *header))
            .collect(),
        rows: rows.iter().filter_map(line).collect(),
    }
}
