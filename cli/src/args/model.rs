//! Arguments of `model` and `tune`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::values::{bits, count, within};

/// Arguments of `model`.
#[derive(Debug, ClapArgs)]
pub struct Model {
    #[command(subcommand)]
    pub action: ModelAction,
}

/// What to show of the model.
#[derive(Debug, Subcommand)]
pub enum ModelAction {
    /// Measure launches, accesses, operations, barriers and transfers of the engine's machine
    Probe(Form),
    /// Compare the choices of an operation at a size: predicted, measured, and the one in force
    ///
    /// A row of the table is a way to run the operation, such as an algorithm or a block size, with
    /// the time that the model of this machine predicts and the time measured now. The row 'chosen'
    /// is what bezout does, and 'over best' is a time over the lowest of its column: a chosen row
    /// with 1.00 beside its measured time cannot be improved.
    Explain(Explain),
    /// Compare the choices of operations at many sizes: the one in force over the best
    Regret(Regret),
    /// List every tuning value in force, with where it comes from
    Show(Form),
    /// Compare the tables of the model's paper with what it says of the engine's machine
    Paper(Form),
    /// Choose the parameter s of one of the paper's algorithms by its strategy: ratios of work,
    /// overhead and time, and the check by Corollary 1
    Optimise(Optimise),
    /// Print the paper's equations (5) to (15) with their values for a machine
    Equations(Equations),
    /// Project the modular GCDs of two numbers to many ranks, beside Weber and Brew's projection
    Project(Project),
    /// Count the modular GCD's time and processors on a parallel random access machine (Weber,
    /// Trevisan and Martins)
    Pram(Pram),
}

/// Arguments of `model pram`.
#[derive(Debug, ClapArgs)]
pub struct Pram {
    /// Bits of each number, such as 50000000 or 2^20
    #[arg(value_name = "BITS", value_parser = bits)]
    pub bits: u64,
    /// Bits of a modulus, and of a word [default: the least that has enough primes]
    #[arg(value_name = "W", value_parser = within::<u32>(4, 64))]
    pub width: Option<u32>,
    #[command(flatten)]
    pub form: Form,
}

/// The paper's machine.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct MachineParameters {
    /// U, local operations in the time of a transfer [default: as probed]
    #[arg(long, value_name = "U", value_parser = parameter)]
    pub u: Option<f64>,
    /// Z, words of a local memory [default: as probed]
    #[arg(long, value_name = "Z", value_parser = parameter)]
    pub z: Option<f64>,
}

/// Arguments of `model optimise`.
#[derive(Debug, ClapArgs)]
pub struct Optimise {
    /// division, sort, multiplication or euclid
    #[arg(value_name = "ALGORITHM")]
    pub algorithm: String,
    /// Coefficients of the longer polynomial, or numbers to sort, such as 8000 or 2^24
    #[arg(value_name = "N", value_parser = count)]
    pub n: u64,
    /// Coefficients of the shorter polynomial [default: as many]
    #[arg(value_name = "M", value_parser = count)]
    pub m: Option<u64>,
    /// Threads of a block where s does not decide them [default: 256; for division and euclid what
    /// the local memory holds, as the equations have it]
    #[arg(long, value_name = "L", value_parser = count)]
    pub block: Option<u64>,
    /// Bits of the numbers to sort
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 32,
        value_parser = within::<u64>(1, 64)
    )]
    pub bits: u64,
    #[command(flatten)]
    pub machine: MachineParameters,
    #[command(flatten)]
    pub form: Form,
}

/// Arguments of `model equations`.
#[derive(Debug, ClapArgs)]
pub struct Equations {
    /// n, coefficients of each polynomial, in (11) to (14)
    #[arg(short, long, value_name = "N", default_value = "8000", value_parser = count)]
    pub n: u64,
    /// s in (8), (9), (11) and (12)
    #[arg(short, long, value_name = "S", default_value = "4", value_parser = count)]
    pub s: u64,
    /// Threads of a block in (8) to (10)
    #[arg(long, value_name = "L", default_value = "256", value_parser = count)]
    pub block: u64,
    #[command(flatten)]
    pub machine: MachineParameters,
    #[command(flatten)]
    pub form: Form,
}

/// Arguments of `model project`.
#[derive(Debug, ClapArgs)]
pub struct Project {
    /// Bits of each number, such as 50000000 or 2^20
    #[arg(long, value_name = "N", value_parser = bits)]
    pub bits: u64,
    #[command(flatten)]
    pub ranks: ProjectRanks,
    /// Microseconds of a message between two ranks [default: as probed under mpirun, or as shipped]
    #[arg(long, value_name = "US", value_parser = microseconds)]
    pub latency: Option<f64>,
    #[command(flatten)]
    pub form: Form,
}

/// How many ranks, and of what.
#[derive(Debug, Clone, Copy, ClapArgs)]
#[group(required = true, multiple = false)]
pub struct ProjectRanks {
    /// Ranks with an H200 each
    #[arg(long, value_name = "R", value_parser = within::<u32>(1, 1_000_000))]
    pub gpus: Option<u32>,
    /// Ranks with a thread of a Xeon each
    #[arg(long, value_name = "R", value_parser = within::<u32>(1, 1_000_000))]
    pub ranks: Option<u32>,
}

/// How tables are printed.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct Form {
    /// Print tables as Markdown
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `model explain`.
#[derive(Debug, ClapArgs)]
pub struct Explain {
    /// What is chosen, such as cpu-product, or product-auto for where a product runs; 'bezout tune
    /// --list' lists them
    #[arg(value_name = "OP")]
    pub kernel: String,
    /// The size in limbs of 64 bits, such as 1000 or 2^14
    #[arg(value_name = "SIZE", value_parser = limbs)]
    pub size: u64,
    /// One more choice, such as linear_block=256,linear_items=4; may be given several times
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub set: Vec<String>,
    /// Seconds to measure for
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 2,
        value_parser = within::<u16>(1, 3600)
    )]
    pub seconds: u16,
    /// Also draw the choices to this SVG file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub form: Form,
}

/// Arguments of `model regret`.
#[derive(Debug, ClapArgs)]
pub struct Regret {
    /// What is chosen, such as cpu-product
    #[arg(value_name = "OP", required = true)]
    pub kernels: Vec<String>,
    /// Sizes of each, from its least to its largest
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = within::<u16>(1, 1000)
    )]
    pub sizes: u16,
    /// Seconds to measure for at each size
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 1,
        value_parser = within::<u16>(1, 3600)
    )]
    pub seconds: u16,
    #[command(flatten)]
    pub form: Form,
}

/// Arguments of `tune`.
#[derive(Debug, ClapArgs)]
pub struct Tune {
    /// Only this, such as cpu-product; may be given several times
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// List what can be tuned and tune nothing
    #[arg(long)]
    pub list: bool,
    /// Two seconds for each instead of ten, beside compiling
    #[arg(long)]
    pub quick: bool,
    /// Measure anew what an earlier run has measured
    #[arg(long)]
    pub again: bool,
    #[command(flatten)]
    pub form: Form,
}

/// A number of limbs, plain or as a power.
fn limbs(text: &str) -> Result<u64, String> {
    bits(text).map_err(|_| "not a number of limbs, such as 1000 or 2^14".to_string())
}

/// A parameter of the paper's machine.
fn parameter(text: &str) -> Result<f64, String> {
    let value = text.parse().ok();
    let sane = value.filter(|x: &f64| (1.0..=1e15).contains(x));
    sane.ok_or_else(|| "not a number from 1 on, such as 38.7".to_string())
}

/// A time in microseconds.
fn microseconds(text: &str) -> Result<f64, String> {
    let value = text.parse().ok();
    let sane = value.filter(|us: &f64| (0.0..=1e6).contains(us));
    sane.ok_or_else(|| "not a number of microseconds, such as 1.5".to_string())
}
