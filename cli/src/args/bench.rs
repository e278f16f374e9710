//! Arguments of `bench` and `report`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::values::bits;

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
