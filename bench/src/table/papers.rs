//! What a paper reports beside what came out here: `wtm` and `weber-brew`.

use super::{NONE, Table, filled};
use crate::format::{count, seconds, significant, size};
use crate::record::{Record, Reproduced};
use crate::weber_brew::{COUNTS as MODULI, HELD, LONG, VARIANTS};
use crate::wtm;

/// How two values are set against each other.
#[derive(Clone, Copy)]
enum Against {
    /// Ours over theirs, less one.
    Relative,
    /// Ours less theirs.
    Absolute,
    /// Theirs over ours.
    Speed,
}

/// Columns of one quantity: theirs, ours, and how far they are apart.
struct Columns {
    quantity: &'static str,
    paper: &'static str,
    here: Option<(&'static str, &'static str, Against)>,
}

/// One figure as a table.
struct Layout {
    figure: &'static str,
    title: &'static str,
    x: &'static str,
    columns: &'static [Columns],
}

const STEPS: [Columns; 2] = [
    Columns {
        quantity: "iterations",
        paper: "iterations, paper",
        here: Some(("here", "apart", Against::Relative)),
    },
    Columns {
        quantity: "bits of b",
        paper: "bits of b, paper",
        here: Some(("here", "apart", Against::Absolute)),
    },
];

const LAYOUTS: [Layout; 5] = [
    Layout {
        figure: "Fig. 3",
        title: "Weber–Trevisan–Martins, Fig. 3: iterations against size, 2^17 moduli of 32 bits",
        x: "bits",
        columns: &STEPS,
    },
    Layout {
        figure: "Fig. 4",
        title: "Fig. 4: iterations against the size of moduli, 2^12 bits, 2^17 moduli",
        x: "bits of a modulus",
        columns: &STEPS,
    },
    Layout {
        figure: "Fig. 5",
        title: "Fig. 5: iterations against the number of moduli, 2^12 bits, moduli of 32 bits",
        x: "moduli",
        columns: &STEPS,
    },
    Layout {
        figure: "Fig. 6",
        title: "Fig. 6: iterations of the accelerated algorithm, and over those of the modular one",
        x: "bits",
        columns: &[
            Columns {
                quantity: "accelerated",
                paper: "accelerated, paper",
                here: Some(("here", "apart", Against::Relative)),
            },
            Columns {
                quantity: "ratio",
                paper: "ratio, paper",
                here: Some(("here", "apart", Against::Absolute)),
            },
        ],
    },
    Layout {
        figure: "Table 2",
        title: "Weber–Brew, Table 2: milliseconds, transfers and conversion included",
        x: "Kibit",
        columns: &[
            Columns {
                quantity: "weber",
                paper: "modular, V100",
                here: Some(("here", "speed-up", Against::Speed)),
            },
            Columns {
                quantity: "GTX 980 Ti",
                paper: "GTX 980 Ti",
                here: None,
            },
            Columns {
                quantity: "GTX 1080",
                paper: "GTX 1080",
                here: None,
            },
            Columns {
                quantity: "P100",
                paper: "P100",
                here: None,
            },
            Columns {
                quantity: "GMP",
                paper: "GMP, Xeon E5-2620",
                here: Some(("here, one core", "speed-up", Against::Speed)),
            },
        ],
    },
];

/// A table of counts that no figure of the paper has: the title, what x is, and the quantities with
/// their headers.
struct Counts {
    figure: &'static str,
    title: &'static str,
    x: &'static str,
    columns: &'static [(&'static str, &'static str)],
}

const COUNTS: [Counts; 3] = [
    Counts {
        figure: wtm::THEORY,
        title: "Weber–Trevisan–Martins, what the theorems say and what was counted: 2^17 moduli of \
            32 bits",
        x: "bits",
        columns: &[
            ("n + 2", "iterations at most, theorem 2"),
            ("most", "most here"),
            ("average", "on average at most, lemma 4"),
            ("2n/w", "2n/w, theorem 5"),
            ("mean", "mean here"),
            ("published b", "bits of b, the paper's model"),
            ("expected b", "the model, mean of the logarithm"),
            ("b", "bits of b here"),
        ],
    },
    Counts {
        figure: wtm::BASIC,
        title: "Weber–Trevisan–Martins, Fig. 1 on integers, ⌈2^12 + n⌉ moduli of 24 bits: what is \
            left to the bounds, the least of all iterations and pairs",
        x: "bits",
        columns: &[
            ("moduli", "moduli"),
            ("iterations", "iterations"),
            ("bits of b", "bits of b"),
            ("theorem 2", "bits of V below theorem 2's"),
            ("lemma 3", "moduli to choose from above lemma 3's"),
            ("theorem 6", "bits of the moduli left above theorem 6's"),
        ],
    },
    Counts {
        figure: wtm::COMPETITORS,
        title: "The algorithms that Weber, Trevisan and Martins name, w = 32: iterations, and \
            products of a limb with a multiplier",
        x: "bits",
        columns: &[
            ("modular", "modular"),
            ("accelerated", "accelerated"),
            ("Sorenson", "Sorenson"),
            ("Chor–Goldreich", "Chor–Goldreich"),
            ("Sedjelmaci", "Sedjelmaci"),
            ("accelerated, work", "accelerated, products"),
            ("Sorenson, work", "Sorenson, products"),
            ("Chor–Goldreich, work", "Chor–Goldreich, products"),
            ("Sedjelmaci, work", "Sedjelmaci, products"),
        ],
    },
];

/// What a device holds, and long numbers.
const WEBER_BREW: [Counts; 2] = [
    Counts {
        figure: HELD,
        title: "Moduli of 32 bits that the kernel holds on the device at once, and numbers of 4096 \
            bits with as many",
        x: "moduli per thread",
        columns: &[
            ("moduli", "moduli"),
            ("blocks", "blocks"),
            ("bits", "bits of numbers that take so many"),
            ("µs per step", "µs per step"),
        ],
    },
    Counts {
        figure: LONG,
        title: "Long numbers on one device, transfers and conversion included",
        x: "bits",
        columns: &[("s", "seconds")],
    },
];

/// The tables of `weber-brew`.
pub fn weber_brew(record: &Record) -> Vec<Table> {
    let [table, line] = [columns(record, &LAYOUTS[4]), projection(record)];
    let [held, long] = WEBER_BREW.map(|counts| plain(record, &counts));
    filled([table, line, held, long, variants(record), moduli(record)])
}

/// The tables of `wtm`.
pub fn wtm(record: &Record) -> Vec<Table> {
    let figures = LAYOUTS[..4].iter().map(|layout| columns(record, layout));
    let counts = COUNTS.iter().map(|counts| plain(record, counts));
    let last = [thresholds(record), distribution(record)];
    filled(figures.chain(counts).chain(last))
}

/// Liu and Tong's product as they published it, which is wrong in some bits, and independent
/// operations on several streams.
pub fn liu_tong(record: &Record) -> Vec<Table> {
    filled([PRODUCTS, STREAMS].map(|counts| plain(record, &counts)))
}

const STREAMS: Counts = Counts {
    figure: "IV.C",
    title: "Liu–Tong, section IV.C: 64 independent operations on one stream and on several",
    x: "32-bit limbs",
    columns: &[
        ("64 sums, one stream: seconds", "sums, one stream"),
        ("64 sums, streams: seconds", "several"),
        ("64 products, one stream: seconds", "products, one stream"),
        ("64 products, streams: seconds", "several"),
    ],
};

const PRODUCTS: Counts = Counts {
    figure: "III.F",
    title: "Liu–Tong, section III.F: the floating-point product as published, by precision",
    x: "32-bit limbs",
    columns: &[
        ("published product, double: seconds", "double"),
        ("published product, double: wrong bits", "wrong bits"),
        ("published product, double: wrong limbs", "wrong limbs"),
        ("published product, single: seconds", "single"),
        ("published product, single: wrong bits", "wrong bits"),
        ("published product, single: wrong limbs", "wrong limbs"),
    ],
};

/// The values of one figure's quantity, by x.
pub fn values<'a>(
    record: &'a Record,
    figure: &'a str,
    quantity: &'a str,
) -> impl Iterator<Item = &'a Reproduced> {
    let all = record.reproduced.iter();
    all.filter(move |r| r.figure == figure && r.quantity == quantity)
}

fn columns(record: &Record, layout: &Layout) -> Table {
    let mut headers = vec![layout.x];
    for column in layout.columns {
        headers.push(column.paper);
        if let Some((here, apart, _)) = column.here {
            headers.extend([here, apart]);
        }
    }
    let rows = values(record, layout.figure, layout.columns[0].quantity).map(|first| {
        let mut row = vec![size(first.x as u64)];
        for column in layout.columns {
            let value = values(record, layout.figure, column.quantity).find(|r| r.x == first.x);
            row.push(number(value.and_then(|r| r.paper)));
            if let Some((_, _, against)) = column.here {
                row.push(number(value.and_then(|r| r.here)));
                row.push(value.and_then(|r| apart(r, against)).unwrap_or(NONE.into()));
            }
        }
        row
    });
    Table {
        title: layout.title.into(),
        rows: rows.collect(),
        headers,
    }
}

fn plain(record: &Record, counts: &Counts) -> Table {
    let mut headers = vec![counts.x];
    headers.extend(counts.columns.iter().map(|(_, header)| header));
    let rows = values(record, counts.figure, counts.columns[0].0).map(|first| {
        let mut row = vec![size(first.x as u64)];
        for (quantity, _) in counts.columns {
            let value = values(record, counts.figure, quantity).find(|r| r.x == first.x);
            let here = value.and_then(|r| r.here);
            row.push(match here {
                Some(here) if quantity.ends_with(": seconds") => seconds(here),
                _ => number(here),
            });
        }
        row
    });
    Table {
        title: counts.title.into(),
        rows: rows.collect(),
        headers,
    }
}

/// Fig. 6's ratio by the threshold of dmod, with the paper's ratio in the last row.
fn thresholds(record: &Record) -> Table {
    const N: [&str; 4] = ["2^11", "2^12", "2^13", "2^14"];
    let of = |n: &str| {
        let quantity = format!("n = {n}");
        let all = record.reproduced.iter();
        all.filter(move |r| r.figure == wtm::THRESHOLD && r.quantity == quantity)
            .collect::<Vec<_>>()
    };
    let known: Vec<&'static str> = N.into_iter().filter(|n| !of(n).is_empty()).collect();
    let columns: Vec<Vec<&Reproduced>> = known.iter().map(|n| of(n)).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for first in columns.first().into_iter().flatten() {
        let mut row = vec![format!("{} bits", first.x)];
        for column in &columns {
            let cell = column.iter().find(|r| r.x == first.x).and_then(|r| r.here);
            row.push(cell.map_or(NONE.into(), |ratio| format!("{ratio:.4}")));
        }
        rows.push(row);
    }
    if !rows.is_empty() {
        let paper = columns.iter().map(|column| {
            let paper = column.first().and_then(|r| r.paper);
            paper.map_or(NONE.into(), |ratio| format!("{ratio:.4}"))
        });
        rows.push(
            std::iter::once("the paper".to_string())
                .chain(paper)
                .collect(),
        );
    }
    let mut headers = vec!["dmod where u is longer by more than"];
    headers.extend(known);
    Table {
        title: "Fig. 6: accelerated over modular iterations, by the difference of lengths from \
            which dmod is taken"
            .into(),
        headers,
        rows,
    }
}

fn apart(value: &Reproduced, against: Against) -> Option<String> {
    let (paper, here) = (value.paper?, value.here?);
    Some(match against {
        Against::Relative => format!("{:+.2}%", 100.0 * (here / paper - 1.0)),
        Against::Absolute => format!("{:+.2}", here - paper),
        Against::Speed => crate::format::times(paper / here),
    })
}

/// Fig. 4 of Weber–Brew and what follows from it.
fn projection(record: &Record) -> Table {
    let rows = record.reproduced.iter().filter(|r| r.figure == "Fig. 4");
    Table {
        title:
            "Weber–Brew, Fig. 4 and section 5: the line through 16 to 160 Kibit, and 50 million \
            bits"
                .into(),
        headers: vec!["", "paper", "here"],
        rows: rows
            .map(|r| vec![r.quantity.clone(), number(r.paper), number(r.here)])
            .collect(),
    }
}

/// The variants of the kernel, a row for each.
fn variants(record: &Record) -> Table {
    let all = || record.reproduced.iter().filter(|r| r.figure == VARIANTS);
    let first = all().next().map(|r| r.quantity.clone());
    let sizes: Vec<f64> = all()
        .filter(|r| Some(&r.quantity) == first.as_ref())
        .map(|r| r.x)
        .collect();
    let names = all().filter(|r| Some(&r.x) == sizes.first());
    let rows = names.map(|name| {
        let cells = [16.0, 64.0, 352.0].map(|kibit| {
            let cell = all().find(|r| r.quantity == name.quantity && r.x == kibit);
            number(cell.and_then(|r| r.here))
        });
        std::iter::once(name.quantity.clone())
            .chain(cells)
            .collect()
    });
    Table {
        title: "Variants of the kernel: milliseconds, transfers and conversion included".into(),
        headers: vec!["variant", "16 Kibit", "64 Kibit", "352 Kibit"],
        rows: rows.collect(),
    }
}

/// Times by the number of moduli, a row for each number.
fn moduli(record: &Record) -> Table {
    let all = || record.reproduced.iter().filter(|r| r.figure == MODULI);
    let mut counts: Vec<f64> = all().map(|r| r.x).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    let row = |count: f64| {
        let cell = |kibit: u64| {
            let quantity = format!("{kibit} Kibit, ms");
            let cell = all().find(|r| r.quantity == quantity && r.x == count);
            number(cell.and_then(|r| r.here))
        };
        vec![size(count as u64), cell(64), cell(352)]
    };
    Table {
        title: "Milliseconds by the number of moduli, transfers and conversion included".into(),
        headers: vec!["moduli", "64 Kibit", "352 Kibit"],
        rows: counts.into_iter().map(row).collect(),
    }
}

/// Table 1 of Weber–Trevisan–Martins: ours, theirs in brackets.
fn distribution(record: &Record) -> Table {
    const N: [&str; 8] = ["2^8", "2^9", "2^10", "2^11", "2^12", "2^13", "2^14", "2^15"];
    let known: Vec<&'static str> = N
        .into_iter()
        .filter(|n| {
            values(record, "Table 1", &format!("n = {n}"))
                .next()
                .is_some()
        })
        .collect();
    let mut headers = vec!["bits of the quotient"];
    headers.extend(&known);
    headers.push("uniform");
    let first = known
        .first()
        .map(|n| format!("n = {n}"))
        .unwrap_or_default();
    let rows = values(record, "Table 1", &first).map(|r| {
        let bits = r.x as usize;
        let small = bits == wtm::SMALL_BITS;
        let mut row = vec![if small {
            format!("up to {bits}")
        } else {
            bits.to_string()
        }];
        for n in &known {
            let quantity = format!("n = {n}");
            let cell = values(record, "Table 1", &quantity).find(|other| other.x == r.x);
            row.push(cell.map_or(NONE.into(), |c| {
                let text = |x: Option<f64>| x.map_or(NONE.into(), |x| format!("{x:.3}"));
                format!("{} ({})", text(c.here), text(c.paper))
            }));
        }
        // A share of 2^-k of the quotients has 32 − k bits; up to a size, as many again as have
        // that size.
        let share = 100.0 * (bits as f64 - if small { 31.0 } else { 32.0 }).exp2();
        row.push(format!("{share:.3}"));
        row
    });
    Table {
        title: "Weber–Trevisan–Martins, Table 1: percent of quotients by size in one iteration, \
            the paper's in brackets"
            .into(),
        rows: rows.collect(),
        headers,
    }
}

pub(super) fn number(x: Option<f64>) -> String {
    match x {
        None => NONE.into(),
        Some(x) if x >= 1e4 => count(x.round() as u64),
        Some(x) if x >= 100.0 => format!("{x:.1}"),
        Some(x) if x >= 10.0 => format!("{x:.2}"),
        Some(x) => significant(x),
    }
}
