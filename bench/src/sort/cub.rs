//! CUB's radix sort on the same device in the same run, where there is a compiler for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bezout::engine::EXECUTOR;

use crate::Error;
use crate::commands::Folder;
use crate::measure;
use crate::record::{ClockKind, Timing};
use crate::session::Session;

const SOURCE: &str = include_str!("../../cub/cub_sort.cu");

/// What CUB took for one kind and size, and the checksum of its result.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub(super) kind: String,
    pub(super) log: u32,
    pub(super) checksum: u64,
    pub(super) time: Timing,
}

/// Measures CUB on the device under test. Empty, and a note says why, where it cannot be compiled
/// or does not run.
pub(super) fn measure(session: &mut Session, wanted: &[(&str, u32)]) -> Result<Vec<Line>, Error> {
    let ordinal = match &session.target {
        Some(target) if target.ordinal != EXECUTOR => target.ordinal,
        _ => return Ok(Vec::new()),
    };
    session.step("CUB, compiled by nvcc".into());
    let folder = Folder::new("cub")?;
    let told = compile(&folder.0).and_then(|program| {
        let samples = session.effort.min_samples.to_string();
        let arguments = wanted.iter().map(|(kind, log)| format!("{kind}:{log}"));
        output(
            Command::new(program)
                .args([ordinal.to_string(), samples])
                .args(arguments),
        )
    });
    let parsed = told.and_then(|text| parse(&text).ok_or_else(|| format!("it printed: {text}")));
    match parsed {
        Ok((version, lines)) => {
            session.record.versions.insert("CUB".into(), version);
            Ok(lines)
        }
        Err(reason) => {
            session
                .record
                .notes
                .push(format!("CUB was not measured: {reason}"));
            Ok(Vec::new())
        }
    }
}

fn compile(folder: &Path) -> Result<PathBuf, String> {
    let (source, program) = (folder.join("cub_sort.cu"), folder.join("cub_sort"));
    fs::write(&source, SOURCE).map_err(|error| error.to_string())?;
    let compiler = std::env::var_os("NVCC").unwrap_or_else(|| "nvcc".into());
    let installed = "/usr/local/cuda/bin/nvcc";
    let build = |compiler: &std::ffi::OsStr| {
        let mut command = Command::new(compiler);
        command.args(["-O3", "-std=c++17", "-arch=native", "-o"]);
        output(command.arg(&program).arg(&source))
    };
    build(&compiler)
        .or_else(|reason| {
            if Path::new(installed).exists() {
                build(installed.as_ref())
            } else {
                Err(reason)
            }
        })
        .map(|_| program)
}

/// What a command prints, or why it failed.
fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    if done.status.success() {
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    } else {
        let text = String::from_utf8_lossy(&done.stderr);
        let first = text.lines().next().unwrap_or("no reason given");
        Err(format!("{program}: {}, {first}", done.status))
    }
}

/// The version and the lines that `cub_sort` prints.
fn parse(text: &str) -> Option<(String, Vec<Line>)> {
    let (version, rest) = text.split_once('\n')?;
    let line = |line: &str| {
        let mut words = line.split(' ');
        let (kind, log, checksum) = (words.next()?, words.next()?, words.next()?);
        let samples = words.map(|word| Some(1e-3 * word.parse::<f64>().ok()?));
        let samples: Vec<f64> = samples.collect::<Option<_>>()?;
        (!samples.is_empty()).then_some(())?;
        Some(Line {
            kind: kind.to_string(),
            log: log.parse().ok()?,
            checksum: checksum.parse().ok()?,
            time: measure::summary(ClockKind::Device, samples),
        })
    };
    let lines = rest.lines().map(line).collect::<Option<_>>()?;
    Some((version.to_string(), lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let (version, lines) =
            parse("3.0.1\nu32 20 17 0.25 0.125 0.5\nu64+u64 10 5 0.001\n").unwrap();
        assert_eq!((version.as_str(), lines.len()), ("3.0.1", 2));
        assert_eq!(
            (lines[0].log, lines[0].checksum, lines[0].time.median),
            (20, 17, 2.5e-4)
        );
        assert_eq!(lines[1].kind, "u64+u64");
        for bad in [
            "",
            "3.0\nu32 20 17\n",
            "3.0\nu32 x 17 1\n",
            "3.0\nu32 20 17 fast\n",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
        }
        assert_eq!(parse("3.0\n").unwrap().1, []);
    }

    #[test]
    fn a_command_that_fails_is_a_reason() {
        assert!(
            output(&mut Command::new("no-such-compiler"))
                .is_err_and(|e| e.contains("no-such-compiler"))
        );
    }
}
