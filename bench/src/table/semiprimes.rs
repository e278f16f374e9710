//! `semiprimes`: numbers a second, a row for each size.

use super::contenders::Lane;
use super::{NONE, Table};
use crate::format::{per_second, times};
use crate::record::Record;

/// The only table.
pub fn table(record: &Record) -> Table {
    let mut sizes: Vec<u64> = record.measurements.iter().map(|m| m.bits).collect();
    sizes.dedup();
    let speed = |bits: u64, lane: Lane| {
        let mut here = record.measurements.iter().filter(|m| m.bits == bits);
        here.find(|m| Lane::of(&m.engine) == lane)
            .map(|m| 1.0 / m.time.median)
    };
    let row = |bits: &u64| {
        let of = |lane| speed(*bits, lane);
        let ratio = || Some(times(of(Lane::Transfers)? / of(Lane::AllThreads)?));
        let cells = [
            of(Lane::Transfers).map(per_second),
            of(Lane::AllThreads).map(per_second),
            of(Lane::OneThread).map(per_second),
            ratio(),
        ];
        let cells = cells.map(|cell| cell.unwrap_or_else(|| NONE.into()));
        std::iter::once(bits.to_string()).chain(cells).collect()
    };
    Table {
        title: "Balanced semiprimes factored a second".into(),
        headers: vec![
            "bits",
            "GPU",
            "CPU, all threads",
            "CPU, one thread",
            "GPU / CPU",
        ],
        rows: sizes.iter().map(row).collect(),
    }
}
