//! Arguments of the commands that compute with numbers and polynomials.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use bezout::factor::Method;
use bezout::poly::Format;
use bezout::{GcdAlgorithm, WeberCount};
use clap::Args as ClapArgs;

use super::values::{count, not_a_flag, time, within};

/// Arguments of `calc`.
#[derive(Debug, ClapArgs)]
pub struct Calc {
    /// The expression, or '-' for those on the lines of stdin [default: a prompt, or '-']
    #[arg(value_name = "EXPR", value_parser = not_a_flag)]
    pub expression: Vec<String>,
    /// Print hexadecimal
    #[arg(long)]
    pub hex: bool,
}

/// Arguments of `gcd`.
#[derive(Debug, ClapArgs)]
pub struct Gcd {
    /// Two numbers or more: digits, 0x…, an expression, random:BITS[:SEED], @file, or '-' for stdin;
    /// or one FILE, @FILE or '-' that holds them all [default: those on stdin]
    #[arg(value_names = ["A", "B", "C"], num_args = 0.., value_parser = not_a_flag)]
    pub numbers: Vec<String>,
    /// Also print a cofactor for each number, a line each: their products with the numbers add up
    /// to the gcd
    #[arg(long)]
    pub cofactors: bool,
    /// How to find it: auto, weber, accelerated, lattice, half or host
    #[arg(long, default_value = "auto", value_name = "ALGORITHM")]
    pub algorithm: GcdAlgorithm,
    /// How many moduli weber begins with: auto, estimated (as published), worst (enough for all
    /// numbers) or a number [default: auto]
    #[arg(long, value_name = "COUNT")]
    pub count: Option<WeberCount>,
    /// Bits of a modulus of weber: 16 to 62 [default: 32]
    #[arg(long, value_name = "L", value_parser = within::<u32>(0, u64::from(u32::MAX)))]
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
    #[arg(value_name = "NUMBER", value_parser = not_a_flag)]
    pub numbers: Vec<String>,
    /// Use these methods alone, after trial division: fermat, rho, p-1, p+1, ecm, siqs, and as
    /// published, up to 2048 bits, rho-v1, rho-v2; with commas between them
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
        allow_hyphen_values = true,
        value_parser = within::<u64>(0, u64::MAX)
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
    #[arg(value_name = "OPERATION", index = 1, value_parser = not_a_flag)]
    pub operation: String,
    /// What to compute it of: expressions such as '3*x^2 + x + 5', random:LEN[:SEED], @file, or '-'
    /// for stdin
    #[arg(value_name = "OPERAND", index = 2, value_parser = not_a_flag)]
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
