//! Work on many ranks: a row for each number of them.

use super::{NONE, Table};
use crate::format::{memory, percent, seconds, significant, size, times};
use crate::record::{Measurement, Record};

/// The same work on one rank.
fn alone<'a>(record: &'a Record, m: &Measurement) -> Option<&'a Measurement> {
    let same = |one: &&Measurement| {
        one.ranks == Some(1) && one.operation == m.operation && one.bits == m.bits
    };
    record.measurements.iter().find(same)
}

/// How much faster than on one rank.
pub fn speed_up(record: &Record, m: &Measurement) -> Option<f64> {
    Some(alone(record, m)?.time.min / m.time.min)
}

/// How fast a core was among the others, compared with that of the one rank.
fn core_speed(record: &Record, m: &Measurement) -> Option<f64> {
    Some(alone(record, m)?.rank_pace? / m.rank_pace?)
}

/// The same for each rank.
pub fn efficiency(record: &Record, m: &Measurement) -> Option<f64> {
    Some(speed_up(record, m)? / m.ranks? as f64)
}

/// All of it.
pub fn table(record: &Record) -> Table {
    let mut list: Vec<&Measurement> = record.measurements.iter().collect();
    list.sort_by(|a, b| (&a.operation, a.bits, a.ranks).cmp(&(&b.operation, b.bits, b.ranks)));
    let row = |m: &&Measurement| {
        vec![
            m.operation.clone(),
            size(m.bits),
            m.ranks.map_or(NONE.into(), |ranks| ranks.to_string()),
            seconds(m.time.min),
            speed_up(record, m).map_or(NONE.into(), times),
            efficiency(record, m).map_or(NONE.into(), percent),
            core_speed(record, m).map_or(NONE.into(), percent),
            m.predicted.map_or(NONE.into(), seconds),
            m.predicted
                .map_or(NONE.into(), |p| significant(p / m.time.min)),
            m.rank_memory.map_or(NONE.into(), memory),
        ]
    };
    Table {
        title: "Ranks of one thread each".into(),
        headers: vec![
            "work",
            "size",
            "ranks",
            "time, best",
            "speed-up",
            "efficiency",
            "speed of a core",
            "predicted",
            "over time",
            "memory of a rank",
        ],
        rows: list.iter().map(row).collect(),
    }
}
