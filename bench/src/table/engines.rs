//! `threads`, `placement`, `programs` and `commands`: a row for each piece of work, a column for each
//! engine.

use super::{NONE, Table};
use crate::commands::EMPTY_CACHE;
use crate::format::{seconds, size, times};
use crate::heavy::threads;
use crate::record::Record;

/// The pieces of work in the order they were measured: operation and size.
fn pieces(record: &Record) -> Vec<(&str, u64)> {
    let mut pieces: Vec<(&str, u64)> = Vec::new();
    for m in &record.measurements {
        let piece = (m.operation.as_str(), m.bits);
        if !pieces.contains(&piece) {
            pieces.push(piece);
        }
    }
    pieces
}

fn median(record: &Record, (operation, bits): (&str, u64), engine: &str) -> Option<f64> {
    let mut list = record.measurements.iter();
    let found = list.find(|m| m.operation == operation && m.bits == bits && m.engine == engine);
    found.map(|m| m.time.median)
}

fn cell(value: Option<f64>, text: fn(f64) -> String) -> String {
    value.map_or(NONE.into(), text)
}

fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

/// Times by number of threads, what all of them gain over one, and their time over that of the best number.
pub fn threads(record: &Record) -> Table {
    let piece = |piece: (&str, u64)| {
        let at = |count: usize| median(record, piece, &threads::engine(count));
        let found: Vec<f64> = threads::COUNTS.iter().filter_map(|(n, _)| at(*n)).collect();
        let best = found.iter().copied().reduce(f64::min);
        let (one, all) = (found.first().copied(), found.last().copied());
        let mut row = vec![piece.0.to_string(), size(piece.1)];
        row.extend(threads::COUNTS.iter().map(|(n, _)| cell(at(*n), seconds)));
        row.push(cell(one.zip(all).map(|(one, all)| one / all), times));
        row.push(cell(all.zip(best).map(|(all, best)| all / best), ratio));
        row
    };
    let mut headers = vec!["operation", "bits"];
    headers.extend(threads::COUNTS.iter().map(|(_, name)| *name));
    headers.extend(["all over one", "all, of the best"]);
    Table {
        title: "Time by number of threads".into(),
        headers,
        rows: pieces(record).into_iter().map(piece).collect(),
    }
}

/// Times on the CPU, on a device and under `auto`, and what `auto` takes of the better one's time.
pub fn engines(record: &Record, title: &str, what: &'static str) -> Table {
    let piece = |piece: (&str, u64)| {
        let measured = record.measurements.iter();
        let device = measured.map(|m| m.engine.as_str());
        let device = device.into_iter().find(|name| name.starts_with("cuda"));
        let at = |engine: &str| median(record, piece, engine);
        let (cpu, device, auto) = (at("cpu"), device.and_then(at), at("auto"));
        let better = cpu.into_iter().chain(device).reduce(f64::min);
        vec![
            piece.0.to_string(),
            size(piece.1),
            cell(cpu, seconds),
            cell(device, seconds),
            cell(auto, seconds),
            cell(auto.zip(better).map(|(auto, better)| auto / better), ratio),
        ]
    };
    Table {
        title: title.into(),
        headers: vec![
            "operation",
            what,
            "cpu",
            "cuda",
            "auto",
            "auto, of the better",
        ],
        rows: pieces(record).into_iter().map(piece).collect(),
    }
}

/// Times of processes by engine with a warm cache, what `auto` takes of the better one's time, and
/// what an empty cache of kernels adds.
pub fn commands(record: &Record) -> Table {
    let piece = |piece: (&str, u64)| {
        let at = |engine: &str| median(record, piece, engine);
        let (cpu, device, auto, empty) = (at("cpu"), at("cuda"), at("auto"), at(EMPTY_CACHE));
        let better = cpu.into_iter().chain(device).reduce(f64::min);
        let added = empty.zip(auto).map(|(empty, auto)| (empty - auto).max(0.0));
        vec![
            piece.0.to_string(),
            if piece.1 == 0 {
                NONE.into()
            } else {
                size(piece.1)
            },
            cell(cpu, seconds),
            cell(device, seconds),
            cell(auto, seconds),
            cell(auto.zip(better).map(|(auto, better)| auto / better), ratio),
            cell(empty, seconds),
            cell(added, |added| format!("{added:.1} s")),
        ]
    };
    Table {
        title: "Time of commands as processes".into(),
        headers: vec![
            "command",
            "size",
            "cpu",
            "cuda",
            "auto",
            "auto, of the better",
            "auto, empty cache",
            "over a warm one",
        ],
        rows: pieces(record).into_iter().map(piece).collect(),
    }
}
