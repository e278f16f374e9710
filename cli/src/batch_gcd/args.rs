//! The flags of `batch-gcd` about what is read and what is written.

use std::path::PathBuf;
use std::time::Duration;

use bezout_keyfile::Format;
use clap::Args;

use crate::args::{bits, count, time, within};

/// How keys are read, and what is said of them.
#[derive(Debug, Args)]
pub struct KeyOptions {
    /// What the files hold [default: recognised by the content]
    ///
    /// text (numbers, PEM and OpenSSH mixed), pem, der, openssh, known_hosts, authorized_keys, jwk,
    /// dns, dnskey, dkim, csv, jsonl, decimal or hex. Files may be compressed by gzip or zstd.
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<Format>,
    /// The column of a CSV file, or the member of JSON lines (a.b.c), that holds the keys
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Leave out moduli of fewer bits
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = bits)]
    pub min_bits: u64,
    /// Say what the files call the keys: comments, hosts, subjects, key ids, owners
    #[arg(long)]
    pub names: bool,
    /// Also say which moduli are prime, squares, have small or close prime factors, look as ROCA's
    /// do, or are shorter than 512 bits, and which exponents are even, 1, or below 65537
    #[arg(long)]
    pub check: bool,
    /// End with code 3 if a key shares a factor, is a copy of another or is weak, else with 0
    #[arg(long)]
    pub exit_code: bool,
    /// What to write
    #[arg(
        long,
        value_enum,
        default_value = "text",
        requires_if("fastgcd", "out")
    )]
    pub format: OutputFormat,
    /// The folder for the files of --format fastgcd
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the private keys that shared primes give to PEM files in this folder; the public
    /// exponent is taken to be 65537
    #[arg(long, value_name = "DIR")]
    pub private_keys: Option<PathBuf>,
    /// Compare the keys with those of a store too, a folder that --add made
    #[arg(long, value_name = "STORE")]
    pub against: Option<PathBuf>,
    /// Add the keys to the store of --against, which is made where there is none
    #[arg(long, requires = "against")]
    pub add: bool,
    /// Work in groups of keys in this folder; the same command goes on where it was stopped
    #[arg(long, value_name = "DIR", conflicts_with_all = ["against", "check"])]
    pub checkpoint: Option<PathBuf>,
    /// Keys of a group of --checkpoint: more take more memory and less time
    #[arg(long, value_name = "N", default_value_t = 200_000, requires = "checkpoint",
        value_parser = count)]
    pub group_keys: u64,
    /// Pieces of a group, which the host reads one after the other: more of them take less memory
    /// and more time [default: 16 with a GPU, 1 without]
    #[arg(long, value_name = "N", requires = "checkpoint",
        value_parser = within::<u64>(1, 1000))]
    pub group_pieces: Option<u64>,
    /// Stop after so long, such as 90, 1.5 or 10m
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    pub timeout: Option<Duration>,
}

/// What `batch-gcd` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum OutputFormat {
    /// A line for each shared factor
    Text,
    /// The files vulnerable_moduli and gcds, hexadecimal, in the folder --out
    Fastgcd,
}
