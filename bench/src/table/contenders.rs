//! Products, division, radix conversion, greatest common divisors and polynomials: contenders side
//! by side, a row for each size.

use super::{NONE, Table};
use crate::contenders::{FLINT, FLINT_ALL};
use crate::format::{percent, seconds, significant, size, times};
use crate::poly::COEFFICIENT_BITS;
use crate::record::{Lead, Measurement, Record};

/// The columns of engines, by what their names begin and end with.
const LANES: [(&str, Lane); 4] = [
    ("GPU", Lane::Device),
    ("GPU, transfers", Lane::Transfers),
    ("CPU", Lane::AllThreads),
    ("CPU, 1 thread", Lane::OneThread),
];

const LIBRARIES: [&str; 4] = ["malachite", "GMP", FLINT, FLINT_ALL];

/// The speed-ups that are shown: whose, over whom.
const RATIOS: [(&str, Lane, &str); 11] = [
    ("GPU / GMP", Lane::Device, "GMP"),
    ("GPU / FLINT", Lane::Device, FLINT),
    ("GPU / FLINT, all threads", Lane::Device, FLINT_ALL),
    ("GPU, transfers / GMP", Lane::Transfers, "GMP"),
    (
        "GPU, transfers / FLINT, all threads",
        Lane::Transfers,
        FLINT_ALL,
    ),
    ("CPU / GMP", Lane::AllThreads, "GMP"),
    ("CPU / FLINT, all threads", Lane::AllThreads, FLINT_ALL),
    ("CPU, 1 thread / malachite", Lane::OneThread, "malachite"),
    ("CPU, 1 thread / GMP", Lane::OneThread, "GMP"),
    ("CPU, 1 thread / FLINT", Lane::OneThread, FLINT),
    ("CPU / CPU, 1 thread", Lane::AllThreads, "cpu, 1 thread"),
];

/// Which engine a measurement is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    Device,
    Transfers,
    AllThreads,
    OneThread,
}

impl Lane {
    /// The lane of an engine's name.
    pub fn of(engine: &str) -> Lane {
        match (engine.starts_with("cuda"), engine.contains(", ")) {
            (true, false) => Lane::Device,
            (true, true) => Lane::Transfers,
            (false, false) => Lane::AllThreads,
            (false, true) => Lane::OneThread,
        }
    }
}

/// What sizes are counted in.
pub struct Unit {
    pub name: &'static str,
    bits: u64,
}

impl Unit {
    pub fn of(record: &Record) -> Unit {
        match record.benchmark.as_str() {
            "poly" => Unit {
                name: "coefficients",
                bits: COEFFICIENT_BITS,
            },
            _ => Unit {
                name: "bits",
                bits: 1,
            },
        }
    }

    /// Of a measurement.
    pub fn size(&self, m: &Measurement) -> u64 {
        m.bits / self.bits
    }
}

/// Whether an operation was measured at more than one size.
pub fn is_series(record: &Record, operation: &str) -> bool {
    let mut sizes = record
        .measurements
        .iter()
        .filter(|m| m.operation == operation)
        .map(|m| m.bits);
    let first = sizes.next();
    sizes.any(|bits| Some(bits) != first)
}

/// Times and speed-ups of each operation at the sizes that are wanted, and sizes from which the
/// device leads. Operations of one size share a table.
pub fn tables(record: &Record, wanted: impl Fn(u64) -> bool) -> Vec<Table> {
    let unit = Unit::of(record);
    let rows = |operation: &str, label: &dyn Fn(String) -> String| -> Vec<Row> {
        let list = record.measurements.iter();
        let list = list.filter(|m| m.operation == operation && wanted(m.bits));
        let mut rows: Vec<Row> = Vec::new();
        for m in list {
            match rows.iter_mut().find(|row| row.list[0].bits == m.bits) {
                Some(row) => row.list.push(m),
                None => rows.push(Row {
                    label: label(size(unit.size(m))),
                    list: vec![m],
                }),
            }
        }
        rows
    };
    let (series, single): (Vec<_>, Vec<_>) = operations(record)
        .into_iter()
        .partition(|operation| is_series(record, operation));
    let mut tables = Vec::new();
    for operation in series {
        let rows = rows(operation, &|size| size);
        tables.extend(both(operation, unit.name, &rows));
    }
    let single: Vec<Row> = single
        .into_iter()
        .flat_map(|operation| rows(operation, &|size| format!("{operation}: {size}")))
        .collect();
    tables.extend(both("one size", unit.name, &single));
    tables.push(leads(record));
    tables.retain(|t| !t.rows.is_empty());
    tables
}

/// Times, and what is made of them.
fn both(title: &str, first: &'static str, rows: &[Row]) -> [Table; 2] {
    [
        filled(format!("{title}: time"), first, &times_columns(), rows),
        filled(
            format!("{title}: speed-up and shares"),
            first,
            &ratio_columns(),
            rows,
        ),
    ]
}

/// Operations in the order they were measured.
pub fn operations(record: &Record) -> Vec<&str> {
    let mut operations: Vec<&str> = Vec::new();
    for m in &record.measurements {
        if !operations.contains(&m.operation.as_str()) {
            operations.push(&m.operation);
        }
    }
    operations
}

/// What was measured of one operation at one size.
struct Row<'a> {
    label: String,
    list: Vec<&'a Measurement>,
}

type Column = (&'static str, Box<dyn Fn(&Row) -> Option<String>>);

impl Row<'_> {
    fn lane(&self, lane: Lane) -> Option<&Measurement> {
        self.list
            .iter()
            .copied()
            .find(|m| Lane::of(&m.engine) == lane)
    }

    /// What a library takes, or another lane by its engine's name.
    fn rival(&self, name: &str) -> Option<f64> {
        let engine = self.list.iter().find(|m| m.engine == name);
        let library = self.list.iter().find_map(|m| m.baseline(name));
        engine
            .map(|m| m.time.median)
            .or(library.map(|b| b.time.median))
    }
}

fn times_columns() -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (header, lane) in LANES {
        let cell = move |row: &Row| Some(seconds(row.lane(lane)?.time.median));
        columns.push((header, Box::new(cell)));
    }
    for name in LIBRARIES {
        columns.push((
            name,
            Box::new(move |row: &Row| row.rival(name).map(seconds)),
        ));
    }
    columns
}

fn ratio_columns() -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (header, lane, rival) in RATIOS {
        let cell = move |row: &Row| {
            let ours = row.lane(lane)?.time.median;
            Some(times(row.rival(rival)? / ours))
        };
        columns.push((header, Box::new(cell)));
    }
    let device = |of: fn(&Measurement) -> Option<String>| {
        Box::new(move |row: &Row| of(row.lane(Lane::Device)?))
    };
    columns.push((
        "GPU, of its limit",
        device(|m| m.share_of_limit.map(percent)),
    ));
    columns.push((
        "GPU memory / operands",
        device(|m| m.device_memory.map(significant)),
    ));
    columns.push(("GPU, in products", device(|m| m.products.map(significant))));
    let cell = |row: &Row| row.lane(Lane::OneThread)?.products.map(significant);
    columns.push(("CPU, 1 thread, in products", Box::new(cell)));
    columns
}

/// A table of the columns in which some row has something.
fn filled(title: String, first: &'static str, columns: &[Column], rows: &[Row]) -> Table {
    let used: Vec<&Column> = columns
        .iter()
        .filter(|(_, cell)| rows.iter().any(|row| cell(row).is_some()))
        .collect();
    let line = |row: &Row| {
        let cells = used
            .iter()
            .map(|(_, cell)| cell(row).unwrap_or_else(|| NONE.into()));
        std::iter::once(row.label.clone()).chain(cells).collect()
    };
    Table {
        title,
        headers: std::iter::once(first)
            .chain(used.iter().map(|(h, _)| *h))
            .collect(),
        rows: if used.is_empty() {
            Vec::new()
        } else {
            rows.iter().map(line).collect()
        },
    }
}

fn leads(record: &Record) -> Table {
    let row = |l: &Lead| {
        vec![
            l.operation.clone(),
            l.engine.clone(),
            from(l),
            l.rival.clone(),
        ]
    };
    Table {
        title: "Size in bits from which the GPU is ahead of everything on the host".into(),
        headers: vec!["operation", "engine", "from", "fastest on the host there"],
        rows: record.leads.iter().map(row).collect(),
    }
}

/// Where a lead begins, in words.
pub fn from(lead: &Lead) -> String {
    match lead.bits {
        Some(bits) if lead.always => format!("{} or below", size(bits)),
        Some(bits) => size(bits),
        None => "not reached".into(),
    }
}
