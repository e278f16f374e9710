//! `batch-gcd`: seconds by the number of moduli; `beranek`: milliseconds by blocks and threads.

use super::papers::{number, values};
use super::{NONE, Table};
use crate::batch_gcd::{PAIRWISE, moduli};
use crate::beranek;
use crate::format::{count, seconds, times};
use crate::record::{Measurement, Record};

/// `batch-gcd`.
pub fn shared_factors(record: &Record) -> Table {
    let row = |m: &Measurement| {
        let pairwise = m.baseline(PAIRWISE);
        vec![
            count(moduli(m)),
            m.engine.clone(),
            seconds(m.time.median),
            count((moduli(m) as f64 / m.time.median) as u64),
            pairwise.map_or(NONE.into(), |b| seconds(b.time.median)),
            pairwise.map_or(NONE.into(), |b| times(b.ratio)),
        ]
    };
    Table {
        title: "Shared factors of moduli of 2048 bits".into(),
        headers: vec![
            "moduli",
            "engine",
            "time",
            "moduli a second",
            "all pairs on the CPU",
            "over all pairs",
        ],
        rows: record.measurements.iter().map(row).collect(),
    }
}

/// `beranek`.
pub fn beranek(record: &Record) -> Vec<Table> {
    let mut tables: Vec<Table> = beranek::FIGURES
        .iter()
        .map(|figure| shapes(record, figure.name))
        .filter(|table| !table.rows.is_empty())
        .collect();
    let mut rows = Vec::new();
    for r in record.reproduced.iter().filter(|r| r.x == 0.0) {
        let unit = beranek::unit(&r.quantity);
        let is_time = unit.ends_with('s');
        let with_unit =
            |x: Option<f64>| x.map_or(NONE.into(), |x| format!("{}{unit}", number(Some(x))));
        rows.push(vec![
            format!("{}, {}", r.figure, r.quantity),
            with_unit(r.paper),
            with_unit(r.here),
            r.paper
                .zip(r.here)
                .filter(|_| is_time)
                .map_or(NONE.into(), |(paper, here)| times(paper / here)),
        ]);
    }
    tables.push(Table {
        title: "Beránek's N = 1067982407²".into(),
        headers: vec!["what", "paper", "here", "speed-up"],
        rows,
    });
    tables
}

/// A row for each number of blocks, a column for each number of threads.
fn shapes(record: &Record, figure: &str) -> Table {
    const HEADERS: [&str; 7] = ["10 threads", "110", "210", "410", "610", "810", "1010"];
    let at = |blocks: &str, threads: u32| {
        let cell = values(record, figure, blocks).find(|r| r.x == f64::from(threads));
        cell.and_then(|r| r.here)
    };
    let used = |threads: &u32| {
        beranek::BLOCKS
            .iter()
            .any(|b| at(&beranek::blocks(*b), *threads).is_some())
    };
    let columns: Vec<(u32, &'static str)> = beranek::THREADS
        .into_iter()
        .zip(HEADERS)
        .filter(|(t, _)| used(t))
        .collect();
    let row = |blocks: &u32| {
        let name = beranek::blocks(*blocks);
        let cells: Vec<Option<f64>> = columns
            .iter()
            .map(|(threads, _)| at(&name, *threads))
            .collect();
        cells.iter().any(Option::is_some).then(|| {
            let cells = cells.into_iter().map(number);
            std::iter::once(name.clone()).chain(cells).collect()
        })
    };
    Table {
        title: format!("Beránek, {figure}: milliseconds by blocks and threads a block"),
        headers: std::iter::once("")
            .chain(columns.iter().map(|(_, name)| *name))
            .collect(),
        rows: beranek::BLOCKS.iter().filter_map(row).collect(),
    }
}
