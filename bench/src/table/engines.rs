//! `threads`, `placement`, `programs` and `commands`: a row for each piece of work, a column for
//! each engine.

use super::{NONE, Table};
use crate::commands::{EMPTY_CACHE, PACKED};
use crate::contenders::threads;
use crate::format::{seconds, size, times};
use crate::record::Record;

/// The columns of YAFU's published times, in the order of `bench/baselines/yafu.json`.
const YAFU: [&str; 2] = ["YAFU, 16 cores", "YAFU, one thread"];

/// The pieces of work in the order they were measured: operation and size.
pub fn pieces(record: &Record) -> Vec<(&str, u64)> {
    let mut pieces: Vec<(&str, u64)> = Vec::new();
    for m in &record.measurements {
        let piece = (m.operation.as_str(), m.bits);
        if !pieces.contains(&piece) {
            pieces.push(piece);
        }
    }
    pieces
}

/// The median time of a piece of work on an engine.
pub fn median(record: &Record, (operation, bits): (&str, u64), engine: &str) -> Option<f64> {
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

/// Times by number of threads, what all of them gain over one, and their time over that of the best
/// number.
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
/// times with an empty cache, without packs beside the CPU and with packs beside the warm cache.
pub fn commands(record: &Record) -> Table {
    let piece = |piece: (&str, u64)| {
        let at = |engine: &str| median(record, piece, engine);
        let (cpu, device, auto) = (at("cpu"), at("cuda"), at("auto"));
        let (empty, packed) = (at(EMPTY_CACHE), at(PACKED));
        let better = cpu.into_iter().chain(device).reduce(f64::min);
        let added = packed
            .zip(auto)
            .map(|(packed, auto)| (packed - auto).max(0.0));
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
            cell(empty.zip(cpu).map(|(empty, cpu)| empty / cpu), ratio),
            cell(packed, seconds),
            cell(added, |added| format!("{added:.2} s")),
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
            "empty cache, no packs",
            "of the cpu",
            "empty cache, packs",
            "over a warm cache",
        ],
        rows: pieces(record).into_iter().map(piece).collect(),
    }
}

/// Times of factoring by engine, and those that YAFU's author published.
pub fn sieve(record: &Record) -> Vec<Table> {
    [sieve_times(record), sieve_stages(record)]
        .into_iter()
        .filter(|table| !table.rows.is_empty())
        .collect()
}

/// Seconds of each stage, a row for each size.
fn sieve_stages(record: &Record) -> Table {
    const NAMES: [&str; 4] = ["sieving", "filtering", "matrix", "square root"];
    let timed = |digits: Option<f64>, stage: Option<&str>| {
        let all = record.reproduced.iter();
        all.filter(|v| v.figure == crate::sieve::STAGES)
            .filter(move |v| digits.is_none_or(|x| v.x == x))
            .filter(move |v| stage.is_none_or(|name| v.quantity == name))
            .collect::<Vec<_>>()
    };
    let mut sizes: Vec<f64> = timed(None, None).iter().map(|v| v.x).collect();
    sizes.dedup();
    let row = |digits: &f64| {
        let time = |name: &&str| {
            let all = timed(Some(*digits), Some(name));
            let sum = all.iter().filter_map(|v| v.here).sum::<f64>();
            cell((!all.is_empty()).then_some(sum), seconds)
        };
        let times = NAMES.iter().map(time);
        std::iter::once(digits.to_string()).chain(times).collect()
    };
    Table {
        title: "Stages of the sieve by digits".into(),
        headers: std::iter::once("digits").chain(NAMES).collect(),
        rows: sizes.iter().map(row).collect(),
    }
}

fn sieve_times(record: &Record) -> Table {
    let mut machines: Vec<&str> = Vec::new();
    for value in &record.reproduced {
        if value.paper.is_some() && !machines.contains(&value.figure.as_str()) {
            machines.push(&value.figure);
        }
    }
    let mut sizes: Vec<u64> = record.measurements.iter().map(|m| m.bits).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let row = |digits: &u64| {
        let at = |engine: &str| median(record, (crate::sieve::OPERATION, *digits), engine);
        let published = machines.iter().map(|machine| {
            let mut values = record.reproduced.iter();
            let value = values.find(|v| v.figure == *machine && v.x == *digits as f64);
            cell(value.and_then(|value| value.paper), seconds)
        });
        let ours = [cell(at("cpu"), seconds), cell(at("auto"), seconds)];
        std::iter::once(digits.to_string())
            .chain(ours)
            .chain(published)
            .collect()
    };
    Table {
        title: "Time of `bezout factor` by digits".into(),
        headers: ["digits", "cpu", "auto"].into_iter().chain(YAFU).collect(),
        rows: sizes.iter().map(row).collect(),
    }
}
