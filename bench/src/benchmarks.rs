//! Every benchmark, registered once: its name, what it says of itself, how it runs, and how its
//! record is shown in tables and pictures. A new benchmark is one entry of [`BENCHMARKS`].

use crate::record::Record;
use crate::report::{self, Parts};
use crate::session::Session;
use crate::table::{self, Table, engines, papers};
use crate::{
    Error, batch, batch_gcd, beranek, cluster, commands, constant, contenders, ecm, linear, lists,
    liu_tong, poly, programs, semiprimes, sieve, small, sort, weber_brew, wtm,
};

/// One benchmark.
#[derive(Debug)]
pub struct Benchmark {
    /// The name on the command line and in records.
    pub name: &'static str,
    /// What it measures, in a line.
    pub about: &'static str,
    /// Measures into the session's record, and verifies what it measured.
    pub run: fn(&mut Session) -> Result<(), Error>,
    /// How its record is shown.
    pub shown: Shown,
}

/// How a record is shown.
#[derive(Debug)]
pub struct Shown {
    /// All tables, what sums them up last, where a terminal ends.
    pub tables: fn(&Record) -> Vec<Table>,
    /// The tables of the Markdown pages; all where none are named.
    pub brief: Option<fn(&Record) -> Vec<Table>>,
    /// Title, headlines and pictures of the report.
    pub parts: fn(&Record) -> Parts,
    /// What is said below every record.
    pub note: Option<fn() -> String>,
}

/// A record that no benchmark of this version knows, and what the others differ from.
pub const GENERAL: Shown = Shown {
    tables: table::general,
    brief: Some(table::general_brief),
    parts: |_| ("Results", Vec::new(), String::new()),
    note: None,
};

/// One list of tables for all purposes.
const ALONE: Shown = Shown {
    brief: None,
    ..GENERAL
};

/// Products, division, radix conversion, greatest common divisors and polynomials: contenders stand
/// side by side, and pages show every second power of two.
const SIDE_BY_SIDE: Shown = Shown {
    tables: |record| table::contenders::tables(record, |_| true),
    brief: Some(|record| table::contenders::tables(record, is_even_power)),
    ..GENERAL
};

fn is_even_power(bits: u64) -> bool {
    bits.is_power_of_two() && bits.ilog2().is_multiple_of(2)
}

/// The benchmark of this name.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|benchmark| benchmark.name == name)
}

/// How a record is shown.
pub fn shown(record: &Record) -> &'static Shown {
    find(&record.benchmark).map_or(&GENERAL, |benchmark| &benchmark.shown)
}

/// All benchmarks, in the order in which they run.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        name: "linear",
        about: "linear operations on values of 2^10 to 2^30 bits: bandwidth, and speed against \
            malachite and GMP",
        run: linear::run,
        shown: Shown {
            parts: |record| {
                (
                    "Linear operations",
                    report::linear::headlines(record),
                    report::linear::pictures(record),
                )
            },
            ..GENERAL
        },
    },
    Benchmark {
        name: "liu-tong",
        about: "Liu and Tong's Figs. 1-12: time against launch shape, speed-up over one core \
            against data size",
        run: liu_tong::run,
        shown: Shown {
            tables: table::liu_tong,
            brief: Some(table::liu_tong_brief),
            parts: |record| {
                (
                    "Liu and Tong’s figures",
                    report::liu_tong::headlines(record),
                    report::liu_tong::pictures(record),
                )
            },
            ..GENERAL
        },
    },
    Benchmark {
        name: "small",
        about: "numbers of 64 to 2^18 bits on one core, by operators, beside GMP and malachite",
        run: small::run,
        shown: Shown {
            tables: table::small::tables,
            parts: report::small::parts,
            ..ALONE
        },
    },
    Benchmark {
        name: "mul",
        about: "products and squares of 2^10 to 2^32 bits, with and without transfers, against \
            malachite, GMP and FLINT",
        run: contenders::mul::run,
        shown: Shown {
            parts: |record| report::contenders::parts("Products", record),
            ..SIDE_BY_SIDE
        },
    },
    Benchmark {
        name: "threads",
        about: "products of 2^12 to 2^26 bits and gcds of 2^22 and 2^24 on the CPU, with 1, 2, 4 \
            ... threads",
        run: contenders::threads::run,
        shown: Shown {
            tables: |record| vec![engines::threads(record)],
            parts: |record| report::engines::threads("Number of CPU threads", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "placement",
        about: "nine operations at 2^10 to 2^30 bits from the host and back: auto beside the CPU \
            and the GPU",
        run: contenders::placement::run,
        shown: Shown {
            tables: |record| {
                vec![engines::engines(
                    record,
                    "Time from the host and back to it",
                    "bits",
                )]
            },
            parts: |record| report::engines::choice("Placement by size", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "lists",
        about: "polynomials, rows and arrays of 2^6 to 2^22 terms from the host and back: auto \
            beside the CPU and the GPU",
        run: lists::run,
        shown: Shown {
            tables: |record| {
                vec![engines::engines(
                    record,
                    "Time from the host and back to it, by terms, rows or keys",
                    "count",
                )]
            },
            parts: |record| report::engines::choice("Placement of polynomials and rows", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "programs",
        about: "whole programs under auto, cpu and cuda: pi, e, a factorial, Lucas-Lehmer, a \
            determinant, RSA keys",
        run: programs::run,
        shown: Shown {
            tables: |record| vec![engines::engines(record, "Time of whole programs", "size")],
            parts: |record| report::engines::choice("Whole programs", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "commands",
        about: "commands as processes: by engine, with kernels in the cache and with an empty \
            cache",
        run: commands::run,
        shown: Shown {
            tables: |record| vec![engines::commands(record)],
            parts: |record| report::engines::choice("Commands as processes", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "div",
        about: "division of 2n by n bits, n from 2^10 to 2^28, in times and in products",
        run: contenders::div::run,
        shown: Shown {
            parts: |record| report::contenders::parts("Division", record),
            ..SIDE_BY_SIDE
        },
    },
    Benchmark {
        name: "radix",
        about: "numbers of 2^10 to 2^28 bits to decimal digits and back",
        run: contenders::radix::run,
        shown: Shown {
            parts: |record| report::contenders::parts("Decimal digits", record),
            ..SIDE_BY_SIDE
        },
    },
    Benchmark {
        name: "gcd",
        about: "greatest common divisors of numbers of 2^10 to 2^24 and 50 million bits, with \
            cofactors and without, and by Weber's algorithm",
        run: contenders::gcd::run,
        shown: Shown {
            // The sizes that papers ask for are no powers of two.
            brief: Some(|record| {
                table::contenders::tables(record, |bits| {
                    is_even_power(bits) || !bits.is_power_of_two()
                })
            }),
            parts: |record| report::contenders::parts("Greatest common divisors", record),
            ..SIDE_BY_SIDE
        },
    },
    Benchmark {
        name: "weber-brew",
        about: "Weber and Brew's Table 2 and Figs. 3-4: the modular GCD against GMP, its line, and \
            50 million bits",
        run: weber_brew::run,
        shown: Shown {
            tables: papers::weber_brew,
            parts: report::papers::weber_brew,
            ..ALONE
        },
    },
    Benchmark {
        name: "wtm",
        about: "Weber, Trevisan and Martins' Figs. 3-6 and Table 1: iterations of the modular GCD \
            and sizes of b",
        run: wtm::run,
        shown: Shown {
            tables: papers::wtm,
            parts: report::papers::wtm,
            note: Some(|| wtm::NOTE.to_string()),
            ..ALONE
        },
    },
    Benchmark {
        name: "sort",
        about: "radix sort of 2^10 to 2^28 keys, with and without values, against CUB and the \
            standard library",
        run: sort::run,
        shown: Shown {
            tables: |record| table::sort::tables(record, |_| true),
            brief: Some(|record| {
                table::sort::tables(record, |keys| keys.ilog2().is_multiple_of(4))
            }),
            parts: report::sort::parts,
            ..ALONE
        },
    },
    Benchmark {
        name: "mmm-sort",
        about: "Haque, Moreno Maza and Xie's radix sort with s = 1 to 8 bits a pass, beside what \
            their model and the calibrated one predict",
        run: sort::mmm::run,
        shown: Shown {
            tables: |record| vec![table::sort::by_bits(record)],
            parts: report::sort::by_bits,
            ..ALONE
        },
    },
    Benchmark {
        name: "poly",
        about: "polynomials over Z_p of 10^3 to 10^6 coefficients against FLINT: products, \
            division, gcds, many pairs, and as published",
        run: poly::run,
        shown: Shown {
            brief: None,
            parts: |record| report::contenders::parts("Polynomials over Z_p", record),
            ..SIDE_BY_SIDE
        },
    },
    Benchmark {
        name: "mmm-table1",
        about: "Haque, Moreno Maza and Xie's Table 1: plain products with s = 2 to 16, beside what \
            both models predict",
        run: poly::mmm::products,
        shown: Shown {
            tables: |record| vec![table::mmm::by_steps(record)],
            parts: |record| report::mmm::parts("Plain products by s", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "mmm-table2",
        about: "their Table 2: plain Euclid with s = 1 and 512, beside what both models predict",
        run: poly::mmm::euclid,
        shown: Shown {
            tables: |record| vec![table::mmm::by_steps(record)],
            parts: |record| report::mmm::parts("Plain Euclid by s", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "mmm-division",
        about: "their section 3: plain division with s = 1 to 512, beside what both models predict",
        run: poly::mmm::division,
        shown: Shown {
            tables: |record| vec![table::mmm::by_steps(record)],
            parts: |record| report::mmm::parts("Plain division by s", record),
            ..ALONE
        },
    },
    Benchmark {
        name: "semiprimes",
        about: "products of two primes of the same size, 32 to 128 bits, factored a second",
        run: semiprimes::run,
        shown: Shown {
            tables: |record| vec![table::semiprimes::table(record)],
            parts: report::semiprimes::parts,
            ..ALONE
        },
    },
    Benchmark {
        name: "sieve",
        about: "products of two primes of 40 to 100 digits factored by processes, beside YAFU's \
            published times",
        run: sieve::run,
        shown: Shown {
            tables: engines::sieve,
            parts: report::sieve::parts,
            ..ALONE
        },
    },
    Benchmark {
        name: "ecm",
        about: "elliptic curves a second modulo numbers of 192 to 1024 bits, stage 1 and both, and \
            the time to find planted factors",
        run: ecm::run,
        shown: Shown {
            tables: table::ecm::tables,
            parts: report::ecm::parts,
            ..ALONE
        },
    },
    Benchmark {
        name: "batch-gcd",
        about: "shared factors among 1000 to ten million moduli of 2048 bits, against all pairs",
        run: batch_gcd::run,
        shown: Shown {
            tables: |record| vec![table::keys::shared_factors(record)],
            parts: report::keys::batch_gcd,
            ..ALONE
        },
    },
    Benchmark {
        name: "constant",
        about: "decimal digits of pi, e, ln 2 and zeta(3), 10^5 to 10^10 of them, and factorials, \
            to text in memory",
        run: constant::run,
        shown: Shown {
            tables: |record| vec![engines::engines(record, "Time to text in memory", "size")],
            parts: report::constant::parts,
            ..ALONE
        },
    },
    Benchmark {
        name: "beranek",
        about: "Beránek's Figs. 4, 7 and 11: his number by both variants of his Pollard rho, by \
            blocks and threads",
        run: beranek::run,
        shown: Shown {
            tables: table::keys::beranek,
            parts: report::keys::beranek,
            note: Some(|| beranek::NOTE.to_string()),
            ..ALONE
        },
    },
    Benchmark {
        name: "batch",
        about: "arithmetic on many numbers of 64 to 32768 bits at once, against GMP on all cores, \
            and CGBN's own tests of 2026-11-15 on an H200",
        run: batch::run,
        shown: Shown {
            tables: |record| table::batch::tables(record, |_| true),
            brief: Some(|record| {
                table::batch::tables(record, |bits| (1024..=4096).contains(&bits))
            }),
            parts: report::batch::parts,
            note: Some(batch::cgbn_source),
        },
    },
    Benchmark {
        name: "cluster",
        about: "greatest common divisors, curves, short numbers and moduli on 1 to 16 ranks of one \
            machine: speed-up and memory",
        run: cluster::run,
        shown: Shown {
            tables: |record| vec![table::cluster::table(record)],
            parts: report::cluster::parts,
            ..ALONE
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Reproduced;
    use crate::record::tests::sample;

    #[test]
    fn every_name_is_registered_once() {
        for benchmark in BENCHMARKS {
            let same = BENCHMARKS.iter().filter(|b| b.name == benchmark.name);
            assert_eq!(same.count(), 1, "{}", benchmark.name);
        }
        assert!(find("other").is_none());
    }

    #[test]
    fn products_as_published_stand_behind_the_other_tables() {
        let mut record = sample("liu-tong");
        let before: Vec<String> = table::all(&record).into_iter().map(|t| t.title).collect();
        record.reproduced.push(Reproduced {
            figure: "III.F".into(),
            quantity: "published product, double: seconds".into(),
            x: 64.0,
            paper: None,
            here: Some(0.5),
        });
        let after = table::all(&record);
        let titles: Vec<&String> = after.iter().map(|table| &table.title).collect();
        assert_eq!(titles[..before.len()], before.iter().collect::<Vec<_>>());
        assert_eq!(after.len(), before.len() + 1);
        assert_eq!(after[before.len()].rows.len(), 1);
    }
}
