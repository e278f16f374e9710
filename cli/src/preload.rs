//! `bezout run`: another program with `libbezout_gmp.so` before its GMP.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use bezout::Engine;

use crate::args::{Global, Run};
use crate::failure::Failure;

/// The library's file name.
const LIBRARY: &str = "libbezout_gmp.so";
/// The variable that names the library where it lies elsewhere.
const PLACE: &str = "BEZOUT_GMP_SO";
/// What the loader reads.
const PRELOAD: &str = "LD_PRELOAD";

/// Becomes the program. Returns only if that fails.
pub fn run(options: &Run, global: &Global) -> Result<(), Failure> {
    let library = library()?;
    let [program, arguments @ ..] = options.program.as_slice() else {
        return Err(Failure::bad_input("no program to run"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env(PRELOAD, preload(&library, env::var_os(PRELOAD))?);
    if global.engine != Engine::Auto {
        command.env("BEZOUT_GMP_ENGINE", global.engine.to_string());
    }
    if let Some(threads) = global.threads {
        command.env("RAYON_NUM_THREADS", threads.to_string());
    }
    Err(become_program(command, program))
}

/// The value of `LD_PRELOAD`: the library before what is there already.
fn preload(library: &Path, present: Option<OsString>) -> Result<OsString, Failure> {
    let mut value = library.as_os_str().to_os_string();
    if value
        .as_encoded_bytes()
        .iter()
        .any(|byte| b" :".contains(byte))
    {
        let message =
            format!("the loader cannot preload {library:?}: its path has a blank or colon");
        return Err(Failure::failed(message));
    }
    if let Some(present) = present.filter(|present| !present.is_empty()) {
        value.push(":");
        value.push(present);
    }
    Ok(value)
}

/// The library's path: what `BEZOUT_GMP_SO` names, or a file beside this program, in `../lib`, or
/// in the folder below it where Debian keeps libraries.
fn library() -> Result<PathBuf, Failure> {
    if let Some(named) = env::var_os(PLACE).filter(|named| !named.is_empty()) {
        let path = PathBuf::from(&named);
        return match path.canonicalize() {
            Ok(path) if path.is_file() => Ok(path),
            _ => Err(Failure::bad_input(format!(
                "{PLACE} names {named:?}, where there is no file"
            ))),
        };
    }
    let own = env::current_exe().and_then(|path| path.canonicalize());
    let folder = own.ok().and_then(|path| Some(path.parent()?.to_path_buf()));
    let places = folder.iter().flat_map(|folder| {
        let libraries = folder.join("..").join("lib");
        let of_debian = format!("{}-linux-gnu", env::consts::ARCH);
        [
            folder.join(LIBRARY),
            libraries.join(LIBRARY),
            libraries.join(of_debian).join(LIBRARY),
        ]
    });
    let found = places.filter_map(|path| path.canonicalize().ok()).next();
    found.ok_or_else(|| {
        Failure::bad_input(format!(
            "{LIBRARY} is neither beside this program nor in ../lib"
        ))
        .hint(format!(
            "'cargo build --release -p bezout-gmp' makes it; {PLACE} can name its path"
        ))
    })
}

#[cfg(unix)]
fn become_program(mut command: Command, program: &OsStr) -> Failure {
    use std::io::ErrorKind;
    use std::os::unix::process::CommandExt;

    let error = command.exec();
    match error.kind() {
        ErrorKind::NotFound => Failure::bad_input(format!("there is no program {program:?}")),
        _ => Failure::bad_input(format!("cannot run {program:?}: {error}")),
    }
}

#[cfg(not(unix))]
fn become_program(_: Command, _: &OsStr) -> Failure {
    Failure::failed("programs can only be run with a preloaded library on Unix")
}
