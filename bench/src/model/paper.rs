//! The tables of Haque, Moreno Maza and Xie, with what the model says of them: by Corollary 1 with
//! a machine's U, and by the calibrated prediction for that machine. Both say ratios of the same
//! program with other parameters, which the paper's times are to be compared with.

use bezout_lab::model::mmm::{Cost, Program, algorithms};
use bezout_lab::model::{Machine, Predict};

use crate::format::significant;
use crate::table::Table;

/// Values of s in Table 1.
pub(crate) const TABLE_1_STEPS: [u64; 4] = [2, 4, 8, 16];

/// Table 1: n, m, and seconds of a plain product for each s.
pub(crate) const TABLE_1: [(u64, u64, [f64; 4]); 9] = [
    (4000, 4000, [0.004107, 0.002775, 0.003727, 0.004811]),
    (5000, 1000, [0.001684, 0.001204, 0.001432, 0.003645]),
    (5000, 5000, [0.008007, 0.005846, 0.007808, 0.011715]),
    (6000, 1000, [0.001830, 0.001298, 0.001500, 0.004129]),
    (6000, 6000, [0.010359, 0.007614, 0.010166, 0.014352]),
    (7000, 1000, [0.001972, 0.001381, 0.001614, 0.004551]),
    (7000, 7000, [0.013068, 0.008821, 0.012166, 0.016938]),
    (8000, 1000, [0.002111, 0.001456, 0.001739, 0.005015]),
    (8000, 8000, [0.016029, 0.010853, 0.014877, 0.019740]),
];

/// s in Table 2.
pub(crate) const TABLE_2_STEPS: u64 = 512;

/// Table 2: n, m, and seconds of plain Euclid with s = 1 and s = 512.
pub(crate) const TABLE_2: [(u64, u64, [f64; 2]); 9] = [
    (2000, 1500, [0.058, 0.024]),
    (3000, 2500, [0.108, 0.039]),
    (4000, 3500, [0.158, 0.053]),
    (5000, 4500, [0.203, 0.069]),
    (6000, 5000, [0.235, 0.056]),
    (7000, 6000, [0.282, 0.066]),
    (8000, 7000, [0.324, 0.076]),
    (9000, 8000, [0.367, 0.087]),
    (10000, 9000, [0.411, 0.097]),
];

/// Threads of a block where the paper leaves them open.
const THREADS: u64 = 512;

/// How many times longer the first takes than the second: by Corollary 1, and as calibrated.
fn ratios(machine: &Machine, costs: [Cost; 2], programs: [Program; 2]) -> [f64; 2] {
    let [first, second] = programs.map(|program| machine.predict(&program));
    [costs[0].ratio(&costs[1], machine.u()), first / second]
}

/// A plain product with parameter s over one with s = 2.
pub(crate) fn product_ratios(machine: &Machine, n: u64, m: u64, s: u64) -> [f64; 2] {
    let cost =
        |s: u64| algorithms::multiplication_cost(n as f64, m as f64, s as f64, THREADS as f64);
    let program = |s: u64| algorithms::multiplication(n, m, s, THREADS);
    ratios(machine, [cost(s), cost(2)], [program(s), program(2)])
}

/// Plain Euclid with one step a kernel over s steps.
pub(crate) fn euclid_ratios(machine: &Machine, n: u64, m: u64, s: u64) -> [f64; 2] {
    let (x, y) = (n as f64, m as f64);
    ratios(
        machine,
        [
            algorithms::naive_euclid_cost(x, y, THREADS as f64),
            algorithms::euclid_cost(x, y, s as f64),
        ],
        [
            algorithms::naive_euclid(n, m, THREADS),
            algorithms::euclid(n, m, s),
        ],
    )
}

/// Plain division with one step a kernel over s steps.
pub(crate) fn division_ratios(machine: &Machine, n: u64, m: u64, s: u64) -> [f64; 2] {
    let (x, y) = (n as f64, m as f64);
    ratios(
        machine,
        [
            algorithms::naive_division_cost(x, y, THREADS as f64),
            algorithms::division_cost(x, y, s as f64),
        ],
        [
            algorithms::naive_division(n, m, THREADS),
            algorithms::division(n, m, s),
        ],
    )
}

/// Radix sort of 32-bit numbers with one bit a pass over s bits.
pub(crate) fn sort_ratios(machine: &Machine, n: u64, s: u64) -> [f64; 2] {
    let (x, l) = (n as f64, THREADS as f64);
    ratios(
        machine,
        [
            algorithms::sort_cost(x, 32.0, 1.0, l),
            algorithms::sort_cost(x, 32.0, s as f64, l),
        ],
        [
            algorithms::sort(n, 32, 1, THREADS),
            algorithms::sort(n, 32, s, THREADS),
        ],
    )
}

/// The paper's tables beside the model of this machine.
pub(super) fn tables(machine: &Machine) -> Vec<Table> {
    let about = |what: &str| {
        format!(
            "{what}: the paper's GPU, and the model of {} (U = {})",
            machine.identity.name,
            significant(machine.u())
        )
    };
    let mut products = Vec::new();
    for (n, m, times) in TABLE_1 {
        for (s, time) in TABLE_1_STEPS.into_iter().zip(times).skip(1) {
            let [bound, calibrated] = product_ratios(machine, n, m, s);
            let paper = time / times[0];
            products.push((format!("{n} × {m}, s = {s}"), [paper, bound, calibrated]));
        }
    }
    let euclid = TABLE_2.map(|(n, m, [naive, steps])| {
        let [bound, calibrated] = euclid_ratios(machine, n, m, TABLE_2_STEPS);
        (format!("{n}, {m}"), [naive / steps, bound, calibrated])
    });
    let table = |title: String, first: &'static str, rows: Vec<(String, [f64; 3])>| Table {
        title,
        headers: vec![first, "paper", "Corollary 1", "calibrated"],
        rows: rows
            .into_iter()
            .map(|(name, ratios)| {
                std::iter::once(name)
                    .chain(ratios.map(significant))
                    .collect()
            })
            .collect(),
    };
    let unmeasured = |title: String, first: &'static str, rows: Vec<(String, [f64; 2])>| Table {
        title,
        headers: vec![first, "Corollary 1", "calibrated"],
        rows: rows
            .into_iter()
            .map(|(name, ratios)| {
                std::iter::once(name)
                    .chain(ratios.map(significant))
                    .collect()
            })
            .collect(),
    };
    let division = [1000, 2000, 4000, 8000].map(|m| {
        (
            format!("{}, {m}, s = 256", 2 * m),
            division_ratios(machine, 2 * m, m, 256),
        )
    });
    let sort = [1u64, 2, 4, 8].map(|s| {
        (
            format!("2^24 numbers, s = {s}"),
            sort_ratios(machine, 1 << 24, s),
        )
    });
    vec![
        table(
            about("Table 1, plain product with s over s = 2"),
            "n × m",
            products,
        ),
        table(
            about("Table 2, plain Euclid with s = 1 over s = 512"),
            "n, m",
            euclid.to_vec(),
        ),
        unmeasured(
            about("Plain division with s = 1 over s"),
            "n, m",
            division.to_vec(),
        ),
        unmeasured(
            about("Radix sort with s = 1 over s"),
            "numbers",
            sort.to_vec(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::record::Record;

    /// A stored measurement: sizes, s, and milliseconds.
    struct Stored {
        sizes: Vec<u64>,
        s: u64,
        milliseconds: f64,
    }

    fn results() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("results")
    }

    fn stored(name: &str) -> Vec<Stored> {
        let record = Record::read(&results().join(format!("h200-{name}.json"))).unwrap();
        let times = record.reproduced.into_iter().filter(|r| r.quantity == "ms");
        times
            .map(|r| Stored {
                // A sort has its size in its name alone.
                sizes: (r.figure.split(", ")).flat_map(str::parse).collect(),
                s: r.x as u64,
                milliseconds: r.here.unwrap(),
            })
            .collect()
    }

    fn h200() -> Machine {
        let text = std::fs::read_to_string(results().join("machines/h200.json")).unwrap();
        let probed: serde_json::Value = serde_json::from_str(&text).unwrap();
        serde_json::from_value(probed["machine"].clone()).unwrap()
    }

    fn program(name: &str, sizes: &[u64], s: u64) -> Program {
        match (name, sizes, s) {
            ("mmm-table1", [n, m], s) => algorithms::multiplication(*n, *m, s, THREADS),
            ("mmm-table2", [n, m], 1) => algorithms::naive_euclid(*n, *m, THREADS),
            ("mmm-table2", [n, m], s) => algorithms::euclid(*n, *m, s),
            ("mmm-division", [n, m], 1) => algorithms::naive_division(*n, *m, THREADS),
            ("mmm-division", [n, m], s) => algorithms::division(*n, *m, s),
            _ => algorithms::sort(1 << 24, 32, s, 256),
        }
    }

    /// The calibrated prediction against what an H200 took: every time, and every ratio of the
    /// first s over s, within a factor of about two; and the s that it would choose, within 60% of
    /// the best of those that were measured, and mostly within 10%.
    #[test]
    fn predictions_are_near_what_was_measured() {
        let machine = h200();
        let mut regrets = Vec::new();
        for name in ["mmm-table1", "mmm-table2", "mmm-division", "mmm-sort"] {
            let all = stored(name);
            assert!(!all.is_empty());
            for row in all.chunk_by(|a, b| a.sizes == b.sizes) {
                let predict = |of: &Stored| 1e3 * machine.predict(&program(name, &of.sizes, of.s));
                let predicted: Vec<f64> = row.iter().map(predict).collect();
                for (of, time) in row.iter().zip(&predicted) {
                    let what = format!("{name} {:?}, s = {}", of.sizes, of.s);
                    let over = time / of.milliseconds;
                    assert!((0.5..2.0).contains(&over), "{what}: {over} of the time");
                    let measured = row[0].milliseconds / of.milliseconds;
                    let over = predicted[0] / time / measured;
                    assert!((0.45..2.2).contains(&over), "{what}: {over} of the ratio");
                }
                let places = 0..row.len();
                let chosen = places.min_by(|a, b| predicted[*a].total_cmp(&predicted[*b]));
                let best = row.iter().map(|of| of.milliseconds);
                let best = best.fold(f64::INFINITY, f64::min);
                regrets.push(row[chosen.unwrap()].milliseconds / best);
            }
        }
        regrets.sort_by(f64::total_cmp);
        let (median, worst) = (regrets[regrets.len() / 2], regrets[regrets.len() - 1]);
        assert!(median <= 1.1 && worst <= 1.6, "{median} {worst}");
    }
}
