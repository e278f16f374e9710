//! Every flag of every command.
//!
//! | file | what |
//! |---|---|
//! | `compute.rs` | `calc`, `gcd`, `factor`, `ecm`, `poly` |
//! | `files.rs` | `batch-gcd`, `sort` |
//! | `measure.rs` | `bench`, `report`, `soak` |
//! | `model.rs` | `model`, `tune` |
//! | `kernels.rs` | `kernels` |
//! | `values.rs` | the values of flags, from their text |
//! | `operands.rs` | operands that start with a hyphen |
//! | `meant.rs` | what was meant by a word that is no command |
//!
//! `constant`, `completions` and `man` have their flags beside their code.

mod compute;
#[cfg(test)]
mod documents;
mod files;
mod fit;
mod kernels;
mod meant;
#[cfg(feature = "bench")]
mod measure;
#[cfg(feature = "bench")]
mod model;
mod operands;
mod values;

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use bezout::Engine;
use clap::error::ErrorKind;
use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use compute::{Calc, Ecm, Factor, Gcd, Poly};
pub use files::{BatchGcd, Sort};
pub use kernels::{Kernels, KernelsAction};
#[cfg(feature = "bench")]
pub use measure::{Bench, Measure, Report};
#[cfg(feature = "bench")]
pub use model::{
    Equations, Explain, Form, MachineParameters, ModelAction, Optimise, Pram, Project, Regret, Tune,
};
use values::threads;
pub use values::{bits, count, time, within};

use crate::calc;
use crate::constant;
use crate::failure::Failure;
use crate::help::*;
use crate::output;
use crate::pages::{Completions, Manual};
use crate::poly::OPERATIONS;

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
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_parser = threads
    )]
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
    /// List the GPU's kernels, or compile them before they are needed
    #[command(after_long_help = KERNELS_HELP)]
    Kernels(Kernels),
    /// Run a program that uses GMP, with its long calls served by bezout
    #[command(after_long_help = RUN_HELP)]
    Run(Run),
    #[cfg(feature = "bench")]
    #[command(flatten)]
    Measure(Measure),
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

/// Help or a usage error, where that is all there is to print.
#[derive(Debug)]
pub struct Refusal {
    error: clap::Error,
    /// The command that was meant.
    meant: Option<String>,
}

impl Refusal {
    /// Prints a usage error to stderr and help to stdout, with styles on a terminal.
    pub fn print(&self) -> Result<(), Failure> {
        let text = self.error.render();
        if let Some(message) = text.to_string().strip_prefix("error: ") {
            match &self.meant {
                Some(meant) => {
                    let first = message.lines().next().unwrap_or(message);
                    Failure::bad_input(first).hint(meant.as_str()).print();
                }
                None => Failure::bad_input(message.trim_end()).print(),
            }
        } else if self.error.use_stderr() {
            output::report(text.to_string().trim_end());
        } else if io::stdout().is_terminal() {
            let _ = self.error.print();
        } else {
            output::text(&text.to_string())?;
        }
        Ok(())
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.error.exit_code() as u8
    }
}

/// The arguments of the command line, the program's name first.
pub fn parse(arguments: Vec<OsString>) -> Result<Args, Refusal> {
    let mut command = fit::to_terminal(command());
    command.build();
    let arguments = operands::numbers_last(&command, arguments);
    let parsed = command.try_get_matches_from_mut(&arguments);
    parsed
        .and_then(|matches| Args::from_arg_matches(&matches))
        .map_err(|error| {
            let is_no_command = error.kind() == ErrorKind::InvalidSubcommand;
            let is_version = error.kind() == ErrorKind::UnknownArgument
                && arguments.get(1).is_some_and(|first| first == "-v");
            let is_no_command = is_no_command || is_version;
            let meant = is_no_command.then(|| meant::command(&arguments)).flatten();
            Refusal { error, meant }
        })
}

/// The command line's description. The long help of a command ends with the examples of the short
/// one; the list of functions comes from the functions themselves.
pub fn command() -> clap::Command {
    let calc = format!("{CALC_LANGUAGE}\n{}\n{CALC_JSON}", calc::list_functions());
    let poly = format!("{}\n{POLY_HELP}", operations());
    let texts = [
        ("calc", calc.as_str(), CALC_EXAMPLES),
        ("gcd", GCD_HELP, GCD_EXAMPLES),
        ("factor", FACTOR_HELP, FACTOR_EXAMPLES),
        ("poly", poly.as_str(), POLY_EXAMPLES),
        ("sort", SORT_HELP, SORT_EXAMPLES),
        ("batch-gcd", BATCH_GCD_HELP, BATCH_GCD_EXAMPLES),
        ("constant", constant::HELP, constant::EXAMPLES),
    ];
    #[cfg(feature = "bench")]
    let texts = texts.into_iter().chain(measure::TEXTS);
    texts
        .into_iter()
        .fold(Args::command(), |command, (name, help, examples)| {
            command.mut_subcommand(name, |command| {
                command
                    .after_help(examples)
                    .after_long_help(format!("{help}\n\n{examples}"))
            })
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }
}
