//! `commands`: whole processes, as a shell sees them.
//!
//! A process starts with a device asleep. Its kernels are in the cache, or the cache is empty and
//! kernels are in a pack or nowhere. The commands are those of the running program. `pi` is
//! `examples/pi.rs`, where cargo has built it beside the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;
use crate::measure;
use crate::process::run_to_end;
use crate::record::{ClockKind, Measurement};
use crate::session::{Session, refuted};

/// What is added to the engine's name where the cache of kernels was empty.
pub const EMPTY_CACHE: &str = "auto, empty cache";
/// What is added to the engine's name where the cache was empty and a pack had the kernels.
pub const PACKED: &str = "auto, empty cache and packs";
/// The operation that compiles every kernel into a pack.
pub const PACK: &str = "kernels pack";

/// A command that is timed: its name and size, and the process.
struct Piece {
    name: &'static str,
    size: u64,
    program: PathBuf,
    arguments: Vec<String>,
    /// Engines under which it runs with a warm cache.
    engines: &'static [&'static str],
    /// Whether it also runs with an empty cache.
    is_for_empty_cache: bool,
}

const ALL_ENGINES: &[&str] = &["cpu", "cuda", "auto"];
const AUTO: &[&str] = &["auto"];

/// Turns of each engine with a warm cache; the median of their times stands.
const TURNS: usize = 5;
/// Turns with an empty cache.
const EMPTY_TURNS: usize = 3;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let program = own_program()?;
    let pieces = pieces(session, &program);
    let packs = match session.target {
        Some(_) if !session.record.quick => {
            session.expect(pieces.len() + 1);
            session.step(PACK.into());
            Some(pack(session, &program)?)
        }
        _ => {
            session.expect(pieces.len());
            None
        }
    };
    for piece in &pieces {
        session.step(format!("{} {}", piece.name, piece.size));
        one(session, piece, packs.as_ref().map(|folder| &*folder.0))?;
    }
    Ok(())
}

/// The running program.
pub fn own_program() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|e| Error::io("find", Path::new("bezout"), e))
}

fn pieces(session: &mut Session, program: &Path) -> Vec<Piece> {
    let quick = session.record.quick;
    let bezout = |name, size: u64, arguments: &[String], engines, is_for_empty_cache| Piece {
        name,
        size,
        program: program.to_path_buf(),
        arguments: arguments.to_vec(),
        engines,
        is_for_empty_cache,
    };
    let gcd = |bits: u64| {
        let number = |seed: u32| format!("random:{bits}:{seed}");
        ["gcd".into(), number(1), number(2)]
    };
    let product = |bits: u64| {
        let factors = format!("random:{bits}:1 * random:{bits}:2");
        ["calc".into(), format!("({factors}) mod (2^521 - 1)")]
    };
    // 2^40 − 87 and 2^40 − 167 are primes.
    let factor = ["factor".into(), "(2^40 - 87) * (2^40 - 167)".into()];
    let few: u64 = if quick { 10_000 } else { 1_000_000 };
    let mut pieces = vec![bezout("gcd, bits", few, &gcd(few), ALL_ENGINES, false)];
    if quick {
        return pieces;
    }
    let (many, long) = (50_000_000, 1 << 24);
    pieces.push(bezout("gcd, bits", many, &gcd(many), AUTO, true));
    pieces.push(bezout("product, bits", long, &product(long), AUTO, true));
    pieces.push(bezout("factor, bits", 80, &factor, AUTO, true));
    // Products of two primes of 30 and of 40 digits.
    for (digits, number) in [
        (
            60,
            "211495528762790221933784902303162285016467645404246914672207",
        ),
        (
            80,
            "37049418601695572082888280482881594486873807653655040809062226267291713197418969",
        ),
    ] {
        let factor = ["factor".into(), number.into()];
        pieces.push(bezout(
            "factor, digits",
            digits,
            &factor,
            &["cpu", "auto"],
            true,
        ));
    }
    for (constant, digits) in [("pi", 1_000_000u64), ("pi", 10_000_000), ("e", 10_000_000)] {
        let name = if constant == "pi" {
            "constant pi, digits"
        } else {
            "constant e, digits"
        };
        let arguments = ["constant", constant, "--digits"].map(String::from);
        let arguments = [&arguments[..], &[digits.to_string()]].concat();
        pieces.push(bezout(name, digits, &arguments, ALL_ENGINES, true));
    }
    let pi = program.with_file_name("examples").join("pi");
    if !pi.is_file() {
        let how = "`cargo build --release --example pi` builds it";
        let note = format!("pi was not timed: {} is not there; {how}", pi.display());
        session.record.notes.push(note);
        return pieces;
    }
    for digits in [1_000_000, 10_000_000, 100_000_000u64] {
        pieces.push(Piece {
            name: "examples/pi.rs, digits",
            size: digits,
            program: pi.clone(),
            arguments: vec![digits.to_string()],
            engines: AUTO,
            is_for_empty_cache: digits == 1_000_000,
        });
    }
    pieces
}

/// Times one command under its engines in turn, and with an empty cache where there is a device, to
/// which the packs belong. Every run must print the same.
fn one(session: &mut Session, piece: &Piece, packs: Option<&Path>) -> Result<(), Error> {
    let has_device = session.target.is_some();
    let mut known: Option<Vec<u8>> = None;
    let mut check = |engine: &str, printed: Vec<u8>| match &known {
        Some(known) if *known == printed => Ok(()),
        Some(_) => Err(refuted(piece.name, engine, piece.size, piece.engines[0])),
        None => {
            known = Some(printed);
            Ok(())
        }
    };
    let engines = piece.engines.iter().copied();
    let engines: Vec<&str> = engines.filter(|e| has_device || *e != "cuda").collect();
    let mut samples = vec![Vec::new(); engines.len()];
    let turns = if session.record.quick { 1 } else { TURNS };
    // The first turn fills the cache and does not count.
    for turn in 0..=turns {
        for (engine, samples) in engines.iter().zip(&mut samples) {
            let (seconds, printed) = process(&piece.program, &piece.arguments, engine, None)?;
            check(engine, printed)?;
            if turn > 0 {
                samples.push(seconds);
            }
        }
    }
    let mut times: Vec<(String, Vec<f64>)> =
        engines.iter().map(|e| e.to_string()).zip(samples).collect();
    if let Some(packs) = packs.filter(|_| piece.is_for_empty_cache) {
        for (name, kernels) in [
            (EMPTY_CACHE, Kernels::Nowhere),
            (PACKED, Kernels::In(packs)),
        ] {
            let mut samples = Vec::new();
            for _ in 0..EMPTY_TURNS {
                let (seconds, printed) =
                    process(&piece.program, &piece.arguments, "auto", Some(kernels))?;
                check(name, printed)?;
                samples.push(seconds);
            }
            times.push((name.into(), samples));
        }
    }
    for (engine, samples) in times {
        let time = measure::summary(ClockKind::Host, samples);
        let measured = Measurement::alone(piece.name, engine, piece.size, time, &[]);
        session.record.measurements.push(measured);
    }
    Ok(())
}

/// Times the compilation of every kernel for this machine's GPU into a pack, and gives its folder.
fn pack(session: &mut Session, program: &Path) -> Result<Folder, Error> {
    let folder = Folder::new("packs")?;
    let out = folder.0.to_string_lossy().into_owned();
    let arguments = ["kernels", "pack", "--out", &out].map(String::from);
    let (seconds, _) = process(program, &arguments, "auto", Some(Kernels::Nowhere))?;
    let time = measure::summary(ClockKind::Host, vec![seconds]);
    let measured = Measurement::alone(PACK, EMPTY_CACHE.into(), 0, time, &[]);
    session.record.measurements.push(measured);
    Ok(folder)
}

/// Where a process with an empty cache finds compiled kernels.
#[derive(Clone, Copy)]
pub enum Kernels<'a> {
    /// In no pack.
    Nowhere,
    /// In the packs of this folder.
    In(&'a Path),
}

/// Runs a command to its end: seconds, and what it printed. With `kernels`, an empty folder takes
/// the place of the caches of this program and of the driver.
pub fn process(
    program: &Path,
    arguments: &[String],
    engine: &str,
    kernels: Option<Kernels>,
) -> Result<(f64, Vec<u8>), Error> {
    let mut command = Command::new(program);
    command.args(arguments);
    if engine != "auto" {
        command.arg(format!("--engine={engine}"));
    }
    let empty = match kernels {
        Some(_) => Some(Folder::new("empty")?),
        None => None,
    };
    if let (Some(folder), Some(kernels)) = (&empty, kernels) {
        let names = ["BEZOUT_CACHE", "CUDA_CACHE_PATH"];
        command.envs(names.map(|name| (OsString::from(name), folder.0.join(name))));
        let packs = match kernels {
            Kernels::Nowhere => &folder.0,
            Kernels::In(packs) => packs,
        };
        command.env("BEZOUT_KERNELS", packs);
    }
    let ended = run_to_end(&mut command)?;
    Ok((ended.seconds, ended.printed))
}

/// A folder that is removed in the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty one in the folder for temporary files, which nobody else can write to.
    pub fn new(name: &str) -> Result<Folder, Error> {
        let path = std::env::temp_dir().join(format!("bezout-{name}-{}", std::process::id()));
        // One that an earlier run with the same number left would not be empty.
        let _ = std::fs::remove_dir_all(&path);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // Fails where somebody else has put anything of this name, a link included.
        let made = builder.create(&path);
        made.map_err(|error| Error::io("create", &path, error))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
