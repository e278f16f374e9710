//! Every flag of every command.

use std::path::PathBuf;
use std::process::ExitCode;

use bezout::Engine;
use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::calc::FUNCTIONS;
use crate::failure::Failure;

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
    /// 'auto' uses a GPU where that pays and falls back to the CPU before any work has started. An engine asked for by
    /// name is used or the command fails; only numbers made of machine words, such as 2^4423 or 100!, may then still
    /// come from the CPU. 'cuda:executor' runs the GPU's kernels on the CPU: slow, for tests.
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
    /// CPU threads to use [default: all]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what this machine can compute on
    #[command(after_long_help = DEVICES_JSON)]
    Devices,
    /// Evaluate an expression and print the number
    Calc(Calc),
    /// Print the greatest common divisor of two numbers
    Gcd(Gcd),
    /// Run benchmarks; each verifies what it times
    Bench(Bench),
    /// Turn a directory of benchmark results into one HTML page
    Report(Report),
}

/// Arguments of `calc`.
#[derive(Debug, ClapArgs)]
pub struct Calc {
    /// The expression, or '-' to read it from stdin
    #[arg(value_name = "EXPR", allow_hyphen_values = true, value_parser = not_a_flag)]
    pub expression: String,
    /// Print hexadecimal
    #[arg(long)]
    pub hex: bool,
}

/// Arguments of `gcd`.
#[derive(Debug, ClapArgs)]
pub struct Gcd {
    /// A number: digits, 0x…, an expression, random:BITS[:SEED], @file, or '-' for stdin
    #[arg(value_name = "A", allow_hyphen_values = true, value_parser = not_a_flag)]
    pub a: String,
    /// The other number
    #[arg(value_name = "B", allow_hyphen_values = true, value_parser = not_a_flag)]
    pub b: String,
    /// Print hexadecimal
    #[arg(long)]
    pub hex: bool,
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
}

/// The process's arguments, or the exit code where help or a usage error is all there is to print.
pub fn parse() -> Result<Args, ExitCode> {
    let mut command = command();
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    parsed
        .and_then(|matches| Args::from_arg_matches(&matches))
        .map_err(|error| {
            let text = error.render();
            match text.to_string().strip_prefix("error: ") {
                Some(message) => Failure::bad_input(message.trim_end()).print(),
                None => drop(error.print()),
            }
            ExitCode::from(error.exit_code() as u8)
        })
}

/// The command line's description. The long help of a command ends with the examples of the short one; the list of functions
/// comes from the functions themselves.
fn command() -> clap::Command {
    let calc = format!("{CALC_LANGUAGE}\n{}\n{CALC_JSON}", functions());
    [
        ("calc", calc.as_str(), CALC_EXAMPLES),
        ("gcd", GCD_HELP, GCD_EXAMPLES),
        ("bench", BENCH_HELP, BENCH_EXAMPLES),
        ("report", REPORT_HELP, REPORT_EXAMPLES),
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

fn functions() -> String {
    let width = FUNCTIONS
        .iter()
        .map(|function| function.usage.len())
        .max()
        .unwrap_or(0);
    FUNCTIONS
        .iter()
        .fold("Functions:\n".to_string(), |text, function| {
            format!("{text}  {:width$}  {}\n", function.usage, function.about)
        })
}

/// A number of bits, plain or as a power: 65536, 2^16.
fn bits(text: &str) -> Result<u64, String> {
    let number = match text.split_once('^') {
        Some((base, exponent)) => base.parse().ok().zip(exponent.parse().ok()),
        None => text.parse().ok().map(|n| (n, 1)),
    };
    number
        .and_then(|(base, exponent): (u64, u32)| base.checked_pow(exponent))
        .ok_or_else(|| "not a number of bits, such as 65536 or 2^16".to_string())
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
    match flag {
        true => Err("there is no such flag; see --help".to_string()),
        false => Ok(text.to_string()),
    }
}

const EXAMPLES: &str = "\
Numbers: 123, -0x1f, 2^4423-1, fib(1000), 100!, random:BITS[:SEED], @file, - (stdin)

Examples:
  bezout gcd random:1000000 random:1000000 --verify
  bezout calc '2^127 - 1'
  bezout devices

Exit status: 0 done, 1 failed, 2 bad input.";

const GCD_EXAMPLES: &str = "\
Examples:
  bezout gcd 2^1000-1 2^600-1
  bezout gcd random:1e6:1 random:1e6:2 --verify
  bezout gcd @a.txt -0x1f --json
  echo 123456 | bezout gcd - '100!'";

const GCD_HELP: &str = "\
With --verify the answer comes with a certificate: g divides a, g divides b, and g = s*a + t*b.

JSON fields:
  command, a_bits, b_bits (lengths of the operands), gcd (a string of digits),
  gcd_bits, engine, algorithm, seconds (the gcd alone), verified (true, or null
  without --verify)";

const BENCH_EXAMPLES: &str = "\
Examples:
  bezout bench --list
  bezout bench linear --quick
  bezout bench mul --max-bits 2^26
  bezout bench --out results && bezout report results";

const BENCH_HELP: &str = "\
The CPU is always measured; so is the GPU that --engine names, with 'auto' the first one.
Every answer is compared with those of other libraries, with or without --verify.

JSON fields:
  command, records (a list: what each file of --out holds, with benchmark,
  machine, device, versions, commit, date, copy (the bandwidth of plain copies),
  measurements (operation, engine, bits, time, bandwidth, share_of_copy, ...),
  chains, sweeps, crossovers, leads); with --list: command, benchmarks (name, description)";

const REPORT_EXAMPLES: &str = "\
Examples:
  bezout report results --out report.html
  bezout report results --markdown";

const REPORT_HELP: &str = "\
The page needs nothing else: no script, no font and no picture from elsewhere.

JSON fields:
  command, out (the page); with --markdown: command, markdown (the tables)";

const DEVICES_JSON: &str = "\
JSON fields:
  command, cpu (engine, name, cores, features), cuda (a list, each with engine,
  name, compute_capability, multiprocessors, memory_bytes, memory_limit,
  l2_bytes, shared_bytes_per_block, driver_cuda, compiler; or engine and error),
  cuda_missing (what is missing where the list is empty, else null)";

const CALC_EXAMPLES: &str = "\
Examples:
  bezout calc '2^127 - 1'
  bezout calc 'a = 2^64; a*a - 1' --hex
  bezout calc 'popcount(random:1e6:42 xor ones(1e6))'
  bezout calc 'gcd(fib(1000), fib(600)) == fib(200)'
  bezout calc '@big.txt >> 100' --verify";

const CALC_LANGUAGE: &str = "\
Operators, from the tightest to the loosest:
  !                     factorial
  ^                     power, from the right: 2^3^2 is 2^9
  - + ~                 sign, bitwise not: -2^2 is -4
  * / %                 / rounds towards zero, % has the sign of its left side
  + -
  << >>                 shifts; >> rounds down
  &
  xor
  |
  == != < <= > >=       1 or 0; they do not chain

Operands:
  1_000  1e6  0xff  0b101  0o17   whole numbers
  random:BITS[:SEED]    exactly BITS bits; BITS and SEED are a number, a power or in
                        brackets: random:2^20:7; with a seed always the same number
  @file  @\"a file\"      the number in a file, such as -0x1f; end a bare name with a blank
  name                  after name = ...; statements are separated by ';'

Bits are those of two's complement, endlessly sign-extended.
";

const CALC_JSON: &str = "\
JSON fields:
  command, expression, value (a string of digits), bits (length of the magnitude),
  sign (-1, 0, 1), engine (cuda:N if any step ran there), seconds (evaluation
  alone), verified (true, or null without --verify)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
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
