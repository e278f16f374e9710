//! Arguments of the commands whose operands are files: `batch-gcd` and `sort`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::values::within;
use crate::batch_gcd::args::KeyOptions;
use crate::sort::Type;

/// Arguments of `batch-gcd`.
#[derive(Debug, ClapArgs)]
pub struct BatchGcd {
    /// Files of moduli and keys, folders to search for such, or '-' for stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Print factors in hexadecimal
    #[arg(long)]
    pub hex: bool,
    #[command(flatten)]
    pub keys: KeyOptions,
}

/// Arguments of `sort`.
#[derive(Debug, ClapArgs)]
pub struct Sort {
    /// Files of one number a line, sorted together, or '-' for stdin
    #[arg(value_name = "FILE", default_value = "-")]
    pub files: Vec<String>,
    /// What the numbers are [default: i64, u64, integer or decimal, the first that holds all]
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub kind: Option<Type>,
    /// Read and write raw little-endian words instead of text
    #[arg(long)]
    pub binary: bool,
    /// From the largest to the smallest
    #[arg(long, short = 'r', visible_alias = "reverse")]
    pub descending: bool,
    /// Print numbers that are equal once, as they are first written
    #[arg(long, short = 'u', conflicts_with = "binary")]
    pub unique: bool,
    /// Has no effect: the order is that of numbers anyway
    #[arg(
        long = "numeric-sort",
        short = 'n',
        visible_alias = "numeric",
        hide = true
    )]
    pub numeric: bool,
    /// Print where each number stood in the input, counted from 0, instead of the numbers
    #[arg(long)]
    pub permutation: bool,
    /// Write the result to this file, which may be one of the inputs
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Bits of the digits that a GPU sorts by [default: 8, or as tuned for the plain algorithm]
    #[arg(long, value_name = "S", value_parser = within::<u32>(1, 8))]
    pub bits: Option<u32>,
    /// How a GPU sorts
    #[arg(long, value_enum, default_value = "onesweep")]
    pub algorithm: SortAlgorithm,
}

/// How a GPU sorts.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum SortAlgorithm {
    /// In one sweep over memory a digit
    Onesweep,
    /// As the machine-model paper has it, for comparison
    Plain,
}

impl From<SortAlgorithm> for bezout::sort::Algorithm {
    fn from(algorithm: SortAlgorithm) -> bezout::sort::Algorithm {
        match algorithm {
            SortAlgorithm::Onesweep => bezout::sort::Algorithm::Onesweep,
            SortAlgorithm::Plain => bezout::sort::Algorithm::Plain,
        }
    }
}
