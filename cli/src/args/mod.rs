//! Every flag of every command.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use bezout::factor::Method;
use bezout::poly::Format;
use bezout::{Engine, GcdAlgorithm, WeberCount};
use clap::{ArgAction, Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::batch_gcd::args::KeyOptions;
use crate::calc;
use crate::constant;
use crate::failure::Failure;
use crate::help::*;
use crate::output;
use crate::pages::{Completions, Manual};
use crate::poly::OPERATIONS;
use crate::soak::Soak;
use crate::sort::Type;

/// Exact arithmetic at GPU speed.
#[derive(Debug, Parser)]
#[command(name = "bezout", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: Global,
}

/// What every command takes.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Everywhere")]
pub struct Global {
    /// Where to compute: auto, cpu, cuda (the first GPU) or cuda:N
    ///
    /// 'auto' uses a GPU where that pays and falls back to the CPU before any work has started. An
    /// engine asked for by name is used or the command fails; only what is too short to pay for a
    /// launch, such as 2^4423 or 100!, still comes from the CPU. 'cuda:executor' runs the GPU's
    /// kernels on the CPU: slow, for tests.
    #[arg(long, global = true, default_value = "auto", value_name = "ENGINE")]
    pub engine: Engine,
    /// Print one JSON object instead of text; errors stay text on stderr
    #[arg(long, global = true)]
    pub json: bool,
    /// Check the result by an independent way; a wrong one is an error
    #[arg(long, global = true)]
    pub verify: bool,
    /// No notices and no progress on stderr; errors still show
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// CPU threads to use, of each rank [default: all, or a rank's part of its machine]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what this machine can compute on
    #[command(after_long_help = DEVICES_JSON)]
    Devices,
    /// Evaluate expressions and print the numbers
    Calc(Calc),
    /// Print the greatest common divisor of two numbers or more
    Gcd(Gcd),
    /// Print the prime factors of numbers
    Factor(Factor),
    /// Run elliptic curves on numbers, with the arguments of GMP-ECM
    #[command(disable_help_flag = true)]
    Ecm(Ecm),
    /// Compute with polynomials modulo a prime
    Poly(Poly),
    /// Sort the numbers of a file
    Sort(Sort),
    /// Find the keys of files that share a prime
    BatchGcd(BatchGcd),
    /// Print digits of a mathematical constant
    Constant(constant::Constant),
    /// Run benchmarks; each verifies what it times
    Bench(Bench),
    /// Turn a directory of benchmark results into one HTML page
    Report(Report),
    /// Measure this machine, and show what its model predicts and chooses
    Model(Model),
    /// Measure the choices of every operation and keep the best for this machine
    Tune(Tune),
    /// List the GPU's kernels, or compile them before they are needed
    #[command(after_long_help = KERNELS_HELP)]
    Kernels(Kernels),
    /// Run a program that uses GMP, with its long calls served by bezout
    #[command(after_long_help = RUN_HELP)]
    Run(Run),
    /// Compare random operations with another engine, with GMP or with their own checks
    #[command(after_long_help = SOAK_HELP)]
    Soak(Soak),
    /// Print the script with which a shell completes bezout's commands and flags
    #[command(after_long_help = COMPLETIONS_HELP)]
    Completions(Completions),
    /// Print the manual page, or write the pages of all commands to a directory
    Man(Manual),
}

/// Arguments of `run`.
#[derive(Debug, ClapArgs)]
pub struct Run {
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "PROGRAM ARGS")]
    pub program: Vec<OsString>,
}

/// Arguments of `kernels`.
#[derive(Debug, ClapArgs)]
pub struct Kernels {
    #[command(subcommand)]
    pub action: Option<KernelsAction>,
    /// Architectures, such as sm_90 or sm_80,sm_120 [default: that of the first GPU]
    #[arg(long, global = true, value_name = "ARCH", value_delimiter = ',', value_parser = architecture)]
    pub arch: Vec<u32>,
}

/// What to do with kernels.
#[derive(Debug, Subcommand)]
pub enum KernelsAction {
    /// Compile all kernels, also for GPUs that are not here, and keep them in the cache
    Prepare(Prepare),
}

/// Arguments of `kernels prepare`.
#[derive(Debug, ClapArgs)]
pub struct Prepare {
    /// Write them to this file too, which BEZOUT_KERNELS can name on another machine
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// 90 from sm_90.
fn architecture(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("sm_").unwrap_or(text);
    match number.parse() {
        Ok(number) if (10..1000).contains(&number) => Ok(number),
        _ => Err("write it as sm_90, or several as sm_80,sm_90".into()),
    }
}

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
    #[arg(value_name = "N", value_parser = bits)]
    pub bits: u64,
    /// Bits of a modulus, and of a word [default: the least that has enough primes]
    #[arg(value_name = "W", value_parser = clap::value_parser!(u32).range(4..=64))]
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
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=64))]
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
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub gpus: Option<u32>,
    /// Ranks with a thread of a Xeon each
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
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
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=3600))]
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
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub sizes: u16,
    /// Seconds to measure for at each size
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=3600))]
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

/// Arguments of `calc`.
#[derive(Debug, ClapArgs)]
pub struct Calc {
    /// The expression, or '-' for those on the lines of stdin [default: a prompt, or '-']
    #[arg(value_name = "EXPR", allow_hyphen_values = true, value_parser = not_a_flag)]
    pub expression: Option<String>,
    /// Print hexadecimal
    #[arg(long)]
    pub hex: bool,
}

/// Arguments of `gcd`.
#[derive(Debug, ClapArgs)]
pub struct Gcd {
    /// Two numbers or more: digits, 0x…, an expression, random:BITS[:SEED], @file, or '-' for stdin
    #[arg(value_names = ["A", "B", "C"], num_args = 2.., required = true, value_parser = not_a_flag)]
    pub numbers: Vec<String>,
    /// Also print a cofactor for each number, a line each: their products with the numbers add up
    /// to the gcd
    #[arg(long)]
    pub cofactors: bool,
    /// How to find it: auto, weber, accelerated, lattice, half or host
    #[arg(long, default_value = "auto", value_name = "ALGORITHM")]
    pub algorithm: GcdAlgorithm,
    /// How many moduli weber begins with: estimated, worst (enough for all numbers) or a number
    /// [default: estimated]
    #[arg(long, value_name = "COUNT")]
    pub count: Option<WeberCount>,
    /// Bits of a modulus of weber: 16 to 62 [default: 32]
    #[arg(long, value_name = "L")]
    pub modulus_bits: Option<u32>,
    /// Print what the algorithm did to stderr
    #[arg(long)]
    pub stats: bool,
    /// Print hexadecimal
    #[arg(long)]
    pub hex: bool,
}

/// Arguments of `factor`.
#[derive(Debug, ClapArgs)]
pub struct Factor {
    /// Numbers: digits, 0x…, an expression, random:BITS[:SEED], or @FILE or FILE with many numbers
    /// [default: those on stdin, which '-' stands for]
    #[arg(value_name = "N", value_parser = not_a_flag)]
    pub numbers: Vec<String>,
    /// Use these methods alone, after trial division: rho, p-1, p+1, ecm, siqs, and as published,
    /// up to 2048 bits, rho-v1, rho-v2; with commas between them
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub methods: Vec<Method>,
    /// Stop after so long with each number and print what was found, such as 90, 1.5 or 10m
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    pub timeout: Option<Duration>,
    /// Print p^e for a prime p that divides a number e > 1 times
    #[arg(long)]
    pub exponents: bool,
    /// Use other curves
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_hyphen_values = true
    )]
    pub seed: u64,
    /// Stop after so many curves with each number
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = count)]
    pub curves: Option<u64>,
    /// First bound of p-1, p+1 and curves, such as 1e6
    #[arg(long, value_name = "BOUND", allow_hyphen_values = true, value_parser = count)]
    pub b1: Option<u64>,
    /// Second bound [default: 100 times the first]
    #[arg(long, value_name = "BOUND", allow_hyphen_values = true, value_parser = count)]
    pub b2: Option<u64>,
    /// Keep what is known in this file while the search goes on
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Go on where the checkpoint ends
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// Arguments of `ecm`.
#[derive(Debug, ClapArgs)]
pub struct Ecm {
    /// Options and bounds as GMP-ECM has them: -c 100 11e3 < numbers
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub arguments: Vec<OsString>,
}

/// Arguments of `poly`.
#[derive(Debug, ClapArgs)]
pub struct Poly {
    /// What to compute: mul, div, gcd, xgcd, eval, ...; --help lists all
    #[arg(value_name = "OPERATION", value_parser = not_a_flag)]
    pub operation: String,
    /// What to compute it of: expressions such as '3*x^2 + x + 5', random:LEN[:SEED], @file, or '-'
    /// for stdin
    #[arg(value_name = "OPERAND", value_parser = not_a_flag)]
    pub operands: Vec<String>,
    /// The modulus: a prime below 2^63, such as 101 or 2^61-1
    #[arg(
        long = "mod",
        value_name = "P",
        required = true,
        allow_hyphen_values = true
    )]
    pub modulus: String,
    /// How polynomials are written in files and in the output: expr or lines (a coefficient each,
    /// constant term first)
    #[arg(long, default_value = "expr", value_name = "FORMAT")]
    pub format: Format,
}

/// Arguments of `batch-gcd`.
#[derive(Debug, ClapArgs)]
pub struct BatchGcd {
    /// Files of moduli and keys, or '-' for stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
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
    /// Print where each number stood in the input, counted from 0, instead of the numbers
    #[arg(long)]
    pub permutation: bool,
    /// Write the result to this file, which may be one of the inputs
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Bits of the digits that a GPU sorts by [default: 8, or as tuned for the plain algorithm]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=8))]
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

/// Help or a usage error, where that is all there is to print.
#[derive(Debug)]
pub struct Refusal(clap::Error);

impl Refusal {
    /// Prints a usage error to stderr and help to stdout, with styles on a terminal.
    pub fn print(&self) -> Result<(), Failure> {
        let text = self.0.render();
        if let Some(message) = text.to_string().strip_prefix("error: ") {
            Failure::bad_input(message.trim_end()).print();
        } else if self.0.use_stderr() {
            output::report(text.to_string().trim_end());
        } else if io::stdout().is_terminal() {
            let _ = self.0.print();
        } else {
            output::text(&text.to_string())?;
        }
        Ok(())
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.0.exit_code() as u8
    }
}

/// The arguments of the command line, the program's name first.
pub fn parse(arguments: Vec<OsString>) -> Result<Args, Refusal> {
    let mut command = command();
    command.build();
    let arguments = numbers_last(&command, arguments);
    let parsed = command.try_get_matches_from_mut(arguments);
    parsed
        .and_then(|matches| Args::from_arg_matches(&matches))
        .map_err(Refusal)
}

/// The command line's description. The long help of a command ends with the examples of the short
/// one; the list of functions comes from the functions themselves.
pub fn command() -> clap::Command {
    let calc = format!("{CALC_LANGUAGE}\n{}\n{CALC_JSON}", calc::list_functions());
    let poly = format!("{}\n{POLY_HELP}", operations());
    [
        ("calc", calc.as_str(), CALC_EXAMPLES),
        ("gcd", GCD_HELP, GCD_EXAMPLES),
        ("factor", FACTOR_HELP, FACTOR_EXAMPLES),
        ("poly", poly.as_str(), POLY_EXAMPLES),
        ("sort", SORT_HELP, SORT_EXAMPLES),
        ("batch-gcd", BATCH_GCD_HELP, BATCH_GCD_EXAMPLES),
        ("constant", constant::HELP, constant::EXAMPLES),
        ("bench", BENCH_HELP, BENCH_EXAMPLES),
        ("report", REPORT_HELP, REPORT_EXAMPLES),
        ("model", MODEL_HELP, MODEL_EXAMPLES),
        ("tune", TUNE_HELP, TUNE_EXAMPLES),
    ]
    .into_iter()
    .fold(Args::command(), |command, (name, help, examples)| {
        command.mut_subcommand(name, |command| {
            command
                .after_help(examples)
                .after_long_help(format!("{help}\n\n{examples}"))
        })
    })
}

/// The arguments of `gcd`, `factor` and `poly` with their operands after a '--', others as they
/// are; the command is built, so that it knows its global flags. Operands may start with a hyphen
/// and there are any number of them: left to itself, the parser would take every flag after the
/// first for one more.
fn numbers_last(command: &clap::Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let values_of = |command: &clap::Command, argument: &OsString| {
        let argument = argument.to_str()?;
        let (name, has_value) = match argument.split_once('=') {
            Some((name, _)) => (name, true),
            None => (argument, false),
        };
        let flag = match name.strip_prefix("--") {
            Some(long) => command
                .get_arguments()
                .find(|flag| flag.get_long() == Some(long)),
            None => {
                let short = name.strip_prefix('-')?;
                let known =
                    |flag: &&clap::Arg| flag.get_short().is_some_and(|c| short == c.to_string());
                command.get_arguments().find(known)
            }
        }?;
        let takes_value = matches!(flag.get_action(), ArgAction::Set | ArgAction::Append);
        Some(usize::from(takes_value && !has_value))
    };
    let mut at = 1;
    while let Some(values) = arguments.get(at).and_then(|next| values_of(command, next)) {
        at += 1 + values;
    }
    let name = arguments.get(at).and_then(|name| name.to_str());
    let known = name.filter(|name| ["gcd", "poly", "factor"].contains(name));
    let Some(subcommand) = known.and_then(|name| command.find_subcommand(name)) else {
        return arguments;
    };
    let mut rest = arguments.split_off(at + 1).into_iter();
    let mut numbers = Vec::new();
    while let Some(next) = rest.next() {
        if next == "--" {
            numbers.extend(rest.by_ref());
        } else if let Some(values) = values_of(subcommand, &next) {
            arguments.push(next);
            arguments.extend(rest.by_ref().take(values));
        } else {
            numbers.push(next);
        }
    }
    if !numbers.is_empty() {
        arguments.push("--".into());
    }
    arguments.extend(numbers);
    arguments
}

fn operations() -> String {
    OPERATIONS
        .iter()
        .fold("Operations:\n".to_string(), |text, operation| {
            let names: Vec<&str> = operation.takes.iter().map(|(name, _)| *name).collect();
            let usage = format!("{} {}", operation.name, names.join(" "));
            format!("{text}  {usage:27}  {}\n", operation.about)
        })
}

/// A number of bits, plain or as a power: 65536, 2^16.
pub fn bits(text: &str) -> Result<u64, String> {
    let number = match text.split_once('^') {
        Some((base, exponent)) => base.parse().ok().zip(exponent.parse().ok()),
        None => text.parse().ok().map(|n| (n, 1)),
    };
    number
        .and_then(|(base, exponent): (u64, u32)| base.checked_pow(exponent))
        .ok_or_else(|| "not a number of bits, such as 65536 or 2^16".to_string())
}

/// A whole number from 1 on, plain, as a power or with an exponent of ten: 250000, 2^20, 1e6.
pub fn count(text: &str) -> Result<u64, String> {
    let power_of_ten = || {
        let (digits, exponent) = text.split_once(['e', 'E'])?;
        let ten = 10u64.checked_pow(exponent.parse().ok()?)?;
        digits.parse::<u64>().ok()?.checked_mul(ten)
    };
    bits(text)
        .ok()
        .or_else(power_of_ten)
        .filter(|number| *number > 0)
        .ok_or_else(|| "not a whole number from 1 on, such as 250000, 2^20 or 1e6".to_string())
}

/// A time: seconds, or with s, m, h or d behind it.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((end, unit)) if unit.is_ascii_alphabetic() => (&text[..end], unit),
        _ => (text, 's'),
    };
    let scale = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86400.0,
        _ => f64::NAN,
    };
    let seconds = number.parse::<f64>().unwrap_or(f64::NAN) * scale;
    if seconds.is_finite() && (0.0..=1e9).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("not a time from 0 on, such as 90, 1.5, 10m or 2h".to_string())
    }
}

/// A number of limbs, plain or as a power.
fn limbs(text: &str) -> Result<u64, String> {
    bits(text).map_err(|_| "not a number of limbs, such as 1000 or 2^14".to_string())
}

fn parameter(text: &str) -> Result<f64, String> {
    let value = text.parse().ok();
    let sane = value.filter(|x: &f64| (1.0..=1e15).contains(x));
    sane.ok_or_else(|| "not a number from 1 on, such as 38.7".to_string())
}

fn microseconds(text: &str) -> Result<f64, String> {
    let value = text.parse().ok();
    let sane = value.filter(|us: &f64| (0.0..=1e6).contains(us));
    sane.ok_or_else(|| "not a number of microseconds, such as 1.5".to_string())
}

/// Numbers may start with a hyphen, so a mistyped flag would pass for one.
fn not_a_flag(text: &str) -> Result<String, String> {
    let flag = text.strip_prefix("--").is_some_and(|rest| {
        let name = rest.split('=').next().unwrap_or(rest);
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    });
    if flag {
        Err("there is no such flag; see --help".to_string())
    } else {
        Ok(text.to_string())
    }
}

#[cfg(test)]
mod documents;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn counts_and_times() {
        for (text, expected) in [
            ("7", 7),
            ("1e6", 1_000_000),
            ("25E1", 250),
            ("2^20", 1 << 20),
        ] {
            assert_eq!(count(text), Ok(expected));
        }
        for bad in ["", "0", "-1", "1.5", "1e", "e6", "1e30", "2^64", "abc"] {
            assert!(count(bad).is_err(), "{bad}");
        }
        for (text, expected) in [("90", 90.0), ("1.5", 1.5), ("10m", 600.0), ("2h", 7200.0)] {
            assert_eq!(time(text), Ok(Duration::from_secs_f64(expected)));
        }
        for bad in ["", "-1", "m", "1x", "nan", "inf", "1e99", "1m1"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_of_a_gcd_come_last() {
        let mut command = command();
        command.build();
        let moved = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let words = numbers_last(&command, words);
            let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
            words.join(" ")
        };
        for (line, expected) in [
            ("bezout gcd 1 -2 3", "bezout gcd -- 1 -2 3"),
            (
                "bezout gcd 1 -2 --json 3 -q",
                "bezout gcd --json -q -- 1 -2 3",
            ),
            (
                "bezout gcd 1 --engine cpu 2 --algorithm=half --threads 2",
                "bezout gcd --engine cpu --algorithm=half --threads 2 -- 1 2",
            ),
            (
                "bezout --engine cpu -q gcd - -hamming(1,2)",
                "bezout --engine cpu -q gcd -- - -hamming(1,2)",
            ),
            ("bezout gcd 1 -- 2 --json", "bezout gcd -- 1 2 --json"),
            ("bezout gcd 1 2 --engine", "bezout gcd --engine -- 1 2"),
            ("bezout gcd --help", "bezout gcd --help"),
            ("bezout help gcd", "bezout help gcd"),
            (
                "bezout poly sub -x^2 --mod 7 -x -q",
                "bezout poly --mod 7 -q -- sub -x^2 -x",
            ),
            ("bezout calc gcd --json", "bezout calc gcd --json"),
            ("bezout", "bezout"),
        ] {
            assert_eq!(moved(line), expected, "{line}");
        }
    }

    #[test]
    fn bits_are_numbers_or_powers() {
        assert_eq!(bits("65536"), Ok(65536));
        assert_eq!(bits("2^26"), Ok(1 << 26));
        for bad in ["", "x", "2^", "2^64", "-5", "2^2^2"] {
            assert!(bits(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn flags_are_told_from_numbers() {
        for number in [
            "-5",
            "--5",
            "-",
            "-0x1f",
            "-(3)",
            "--fib(10)",
            "-hamming(1,2)",
            "",
        ] {
            assert_eq!(not_a_flag(number).as_deref(), Ok(number));
        }
        for flag in ["--verfy", "--jsn", "--engin=cpu", "--no-such"] {
            assert!(not_a_flag(flag).is_err(), "{flag}");
        }
    }
}
