//! The elliptic curve method: curves a second of each engine, a row for each size, and the times of
//! planted factors.

use super::contenders::Lane;
use super::papers::values;
use super::{NONE, Table};
use crate::ecm::{BOTH, CURVES_A_SECOND, PLANTED, PUBLISHED, SECONDS, STAGE_1};
use crate::format::{per_second, seconds, times};
use crate::record::{Record, Reproduced};

const COLUMNS: [(&str, &str, Lane); 6] = [
    ("GPU, stage 1", STAGE_1, Lane::Device),
    ("GPU, both stages", BOTH, Lane::Device),
    ("CPU, stage 1", STAGE_1, Lane::AllThreads),
    ("CPU, both stages", BOTH, Lane::AllThreads),
    ("1 thread, stage 1", STAGE_1, Lane::OneThread),
    ("1 thread, both stages", BOTH, Lane::OneThread),
];

/// Curves a second of an operation in a lane at a size.
pub fn rate(record: &Record, operation: &str, lane: Lane, bits: u64) -> Option<f64> {
    let mut list = record.measurements.iter();
    let found =
        list.find(|m| m.operation == operation && m.bits == bits && Lane::of(&m.engine) == lane);
    found.map(|m| 1.0 / m.time.median)
}

/// The times of the planted factors, ascending.
pub fn planted(record: &Record) -> Vec<f64> {
    let mut times: Vec<f64> = values(record, PLANTED, SECONDS)
        .filter_map(|r| r.here)
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

/// All tables.
pub fn tables(record: &Record) -> Vec<Table> {
    let mut sizes: Vec<u64> = record.measurements.iter().map(|m| m.bits).collect();
    sizes.dedup();
    let used: Vec<_> = COLUMNS
        .iter()
        .filter(|(_, operation, lane)| {
            let any = |bits: &u64| rate(record, operation, *lane, *bits).is_some();
            sizes.iter().any(any)
        })
        .collect();
    let device = used.iter().any(|(_, _, lane)| *lane == Lane::Device);
    let row = |bits: &u64| {
        let cell = |(_, operation, lane): &&(&str, &str, Lane)| {
            rate(record, operation, *lane, *bits).map_or(NONE.into(), per_second)
        };
        let mut row = vec![bits.to_string()];
        row.extend(used.iter().map(cell));
        if device {
            let both = |lane| rate(record, BOTH, lane, *bits);
            let ratio = both(Lane::Device).zip(both(Lane::AllThreads));
            row.push(ratio.map_or(NONE.into(), |(gpu, cpu)| times(gpu / cpu)));
        }
        row
    };
    let mut headers = vec!["bits"];
    headers.extend(used.iter().map(|(name, ..)| *name));
    headers.extend(device.then_some("GPU / CPU, both stages"));
    let found = planted(record);
    let quantile = |q: usize| seconds(found[(found.len() - 1) * q / 4]);
    let summary = Table {
        title: "Planted factors".into(),
        headers: vec!["numbers", "fastest", "median", "slowest"],
        rows: if found.is_empty() {
            Vec::new()
        } else {
            vec![vec![
                found.len().to_string(),
                quantile(0),
                quantile(2),
                quantile(4),
            ]]
        },
    };
    let rates = Table {
        title: "Elliptic curve method: curves a second".into(),
        headers,
        rows: sizes.iter().map(row).collect(),
    };
    let row = |r: &Reproduced| {
        let rate = |value: Option<f64>| value.map_or(NONE.into(), per_second);
        let ratio = r.here.zip(r.paper).map(|(here, paper)| here / paper);
        vec![
            PUBLISHED.to_string(),
            rate(r.paper),
            rate(r.here),
            ratio.map_or(NONE.into(), times),
        ]
    };
    let published = Table {
        title: "Both stages beside a published figure".into(),
        headers: vec!["curves", "RTX 2080 Ti, published", "here", "here / there"],
        rows: values(record, PUBLISHED, CURVES_A_SECOND)
            .map(row)
            .collect(),
    };
    [rates, summary, published]
        .into_iter()
        .filter(|t| !t.rows.is_empty())
        .collect()
}
