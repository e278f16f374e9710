//! The benchmarks behind `bezout bench`, and the report made of their results.
//!
//! Each benchmark measures, verifies what it measured in the same run, prints a table and may write
//! one JSON file. The report and the README's tables are made of those files only.

mod baseline;
mod batch;
mod batch_gcd;
mod benchmarks;
mod beranek;
mod cluster;
mod commands;
mod constant;
mod contenders;
mod device;
mod ecm;
mod format;
mod linear;
mod lists;
mod liu_tong;
mod machine;
mod measure;
pub mod model;
mod operation;
mod plain;
mod poly;
mod process;
mod programs;
mod proof;
pub mod record;
mod report;
mod residue;
mod semiprimes;
mod session;
mod sieve;
mod small;
mod sort;
mod table;
mod weber_brew;
mod wtm;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use benchmarks::{BENCHMARKS, Benchmark};
use record::Record;
use session::Session;

pub use cluster::is_of_ranks;
pub use report::{markdown, pictures, report};

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name that no benchmark has.
    #[error("no benchmark is called '{0}': there are {names}", names = names())]
    Unknown(String),
    /// A folder with no result in it.
    #[error("no .json file in {0}: `bezout bench --out DIR` writes them")]
    NoRecords(PathBuf),
    /// A file that is not a result of a benchmark.
    #[error("{path} is not a benchmark's result: {reason}")]
    NotARecord {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A result written by another version.
    #[error(
        "{path} has schema {found}, this version reads {wanted}: run the benchmark again",
        wanted = record::SCHEMA
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// The schema it says it has.
        found: u32,
    },
    /// A file or folder that cannot be read or written.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    /// A record that has no JSON form.
    #[error("cannot write the result as JSON: {0}")]
    Encode(serde_json::Error),
    /// A result that its independent check refutes. Nothing is written.
    #[error(
        "verification failed: {operation} on {engine} at {bits} bits differs from {oracle}; no \
         result was written"
    )]
    Verification {
        /// The operation.
        operation: String,
        /// Where it ran.
        engine: String,
        /// Bits of each operand.
        bits: u64,
        /// What it was compared with.
        oracle: String,
    },
    /// Threads that the system does not give.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// Bytes that went between host and device where none should.
    #[error(
        "{bytes} bytes went between host and device during a chain of operations on {engine} at \
         {bits} bits; no result was written"
    )]
    Transfer {
        /// The engine.
        engine: String,
        /// Bits of each operand.
        bits: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// The library's error.
    #[error(transparent)]
    Library(#[from] bezout::Error),
}

impl Error {
    /// Whether the user asked for something that cannot be, rather than something having failed.
    pub fn is_usage(&self) -> bool {
        match self {
            Error::Unknown(_)
            | Error::NoRecords(_)
            | Error::NotARecord { .. }
            | Error::Schema { .. }
            | Error::Library(bezout::Error::NoDevice(_)) => true,
            Error::Io { action, source, .. } => {
                matches!(*action, "read" | "create") || source.kind() == io::ErrorKind::NotFound
            }
            _ => false,
        }
    }

    fn io(action: &'static str, path: &Path, source: io::Error) -> Error {
        Error::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}

/// What to run and where the results go.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Benchmarks by name; all of them where empty.
    pub names: Vec<String>,
    /// Small sizes and short measurements, for a look and for tests.
    pub quick: bool,
    /// Numbers of more bits are left out.
    pub max_bits: Option<u64>,
    /// Folder for `NAME.json` files; none are written without it.
    pub out: Option<PathBuf>,
    /// Print the records as one JSON object, `{"command": "bench", "records": [...]}`, instead of
    /// tables.
    pub json: bool,
    /// No progress on stderr.
    pub quiet: bool,
}

/// The benchmarks: name and what each shows.
pub fn list() -> Vec<(&'static str, &'static str)> {
    BENCHMARKS
        .iter()
        .map(|benchmark| (benchmark.name, benchmark.about))
        .collect()
}

fn names() -> String {
    BENCHMARKS
        .iter()
        .map(|benchmark| benchmark.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Runs benchmarks one after the other, on the engine in force: the device that `cuda:N` names, the
/// host alone with `cpu`, and with `auto` the first GPU if there is one. The host is always
/// measured.
pub fn run(options: &Options) -> Result<(), Error> {
    if is_of_ranks(&options.names) {
        return cluster::rank(options);
    }
    let chosen = choose(&options.names)?;
    if let Some(dir) = &options.out {
        create_folder(dir)?;
    }
    let mut records = Vec::new();
    for benchmark in chosen {
        let mut session = Session::begin(benchmark.name, options.quick, options.quiet)?;
        session.max_bits = options.max_bits.unwrap_or(u64::MAX);
        (benchmark.run)(&mut session)?;
        let record = session.finish();
        if !options.json {
            print(&table::text(&record))?;
        }
        if let Some(dir) = &options.out {
            let path = record.write(dir)?;
            if !options.quiet {
                eprintln!("wrote {}", path.display());
            }
        }
        records.push(record);
    }
    if options.json {
        print(&json(&records)?)
    } else {
        Ok(())
    }
}

/// The benchmarks of these names in the order given, each once; all of them for no name.
fn choose(names: &[String]) -> Result<Vec<&'static Benchmark>, Error> {
    if names.is_empty() {
        return Ok(BENCHMARKS.iter().collect());
    }
    let mut chosen: Vec<&'static Benchmark> = Vec::new();
    for name in names {
        let found = benchmarks::find(name).ok_or_else(|| Error::Unknown(name.clone()))?;
        if !chosen.iter().any(|known| known.name == name) {
            chosen.push(found);
        }
    }
    Ok(chosen)
}

fn json(records: &[Record]) -> Result<String, Error> {
    let object = serde_json::json!({ "command": "bench", "records": records });
    let mut text = serde_json::to_string_pretty(&object).map_err(Error::Encode)?;
    text.push('\n');
    Ok(text)
}

/// Standard output, without a buffer. The standard library's takes what is written to a closed one
/// for written; here that is an error.
pub fn stdout() -> io::Result<impl Write> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let own = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(std::fs::File::from(own))
    }
    #[cfg(not(unix))]
    Ok(io::stdout().lock())
}

/// A reader that has gone away, as `head` does, is no failure: what was asked for is already
/// written.
fn print(text: &str) -> Result<(), Error> {
    let written = stdout().and_then(|mut out| {
        out.write_all(text.as_bytes())?;
        out.flush()
    });
    match written {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Error::Output(e)),
        _ => Ok(()),
    }
}

fn create_folder(dir: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(dir).map_err(|e| Error::io("create", dir, e))
}

/// Writes a file by way of a temporary one beside it, so that no reader ever sees half of it.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    // A link that somebody has put there is not followed.
    let _ = std::fs::remove_file(&temporary);
    let write = || {
        File::create_new(&temporary)?.write_all(bytes)?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(|e| {
        // Nothing is lost if the leftover cannot be removed; the error that matters is the first.
        let _ = std::fs::remove_file(&temporary);
        Error::io("write", path, e)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_made_before_anything_runs() {
        let options = Options {
            out: Some(PathBuf::from(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/Cargo.toml/results"
            ))),
            ..Options::default()
        };
        // All benchmarks at full size would take minutes.
        let start = std::time::Instant::now();
        let error = run(&options).unwrap_err();
        assert!(error.is_usage() && start.elapsed().as_secs() < 1);
        assert!(error.to_string().starts_with("cannot create "), "{error}");
    }

    #[test]
    fn names_are_checked_before_anything_runs() {
        assert_eq!(choose(&[]).unwrap().len(), list().len());
        let twice = ["liu-tong".to_string(), "liu-tong".to_string()];
        assert_eq!(choose(&twice).unwrap().len(), 1);
        let error = choose(&["linear".into(), "nope".into()]).unwrap_err();
        assert!(error.is_usage());
        assert_eq!(
            error.to_string(),
            "no benchmark is called 'nope': there are linear, liu-tong, small, mul, threads, \
             placement, lists, programs, commands, div, radix, gcd, weber-brew, wtm, sort, mmm-sort, \
             poly, mmm-table1, mmm-table2, mmm-division, semiprimes, sieve, ecm, batch-gcd, \
             constant, beranek, batch, cluster"
        );
    }
}
