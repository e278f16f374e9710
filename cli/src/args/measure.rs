//! The commands that measure, and the arguments of `bench` and `report`. `soak` has its flags
//! beside its code.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::model::{Model, Tune};
use super::values::bits;
use crate::help::measuring::*;
use crate::soak::Soak;

/// What to measure.
#[derive(Debug, Subcommand)]
pub enum Measure {
    /// Run benchmarks; each verifies what it times
    Bench(Bench),
    /// Turn a directory of benchmark results into one HTML page
    Report(Report),
    /// Measure this machine, and show what its model predicts and chooses
    Model(Model),
    /// Measure the choices of every operation and keep the best for this machine
    Tune(Tune),
    /// Compare random operations with another engine, with GMP or with their own checks
    #[command(after_long_help = SOAK_HELP)]
    Soak(Soak),
}

/// Commands with their long help and their examples.
pub const TEXTS: [(&str, &str, &str); 4] = [
    ("bench", BENCH_HELP, BENCH_EXAMPLES),
    ("report", REPORT_HELP, REPORT_EXAMPLES),
    ("model", MODEL_HELP, MODEL_EXAMPLES),
    ("tune", TUNE_HELP, TUNE_EXAMPLES),
];

/// Arguments of `bench`.
#[derive(Debug, ClapArgs)]
pub struct Bench {
    /// Benchmarks to run [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List the benchmarks and run none
    #[arg(long)]
    pub list: bool,
    /// Smaller sizes and fewer repetitions
    #[arg(long)]
    pub quick: bool,
    /// Leave out numbers of more bits than this, such as 2^26
    #[arg(long, value_name = "BITS", value_parser = bits)]
    pub max_bits: Option<u64>,
    /// Also write the results as JSON files to this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `report`.
#[derive(Debug, ClapArgs)]
pub struct Report {
    /// Directory that 'bezout bench --out' wrote
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The page to write [default: report.html in DIR]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the main tables as Markdown instead, and write no page
    #[arg(long, conflicts_with = "out")]
    pub markdown: bool,
    /// Write the first picture of every result as an SVG file to this directory instead
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "markdown"])]
    pub pictures: Option<PathBuf>,
}
