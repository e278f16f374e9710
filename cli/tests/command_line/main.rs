//! The real binary, run as a user would.

mod batch_gcd;
mod batch_gcd_store;
mod constant;
mod damage;
mod differential;
mod ecm;
mod environment;
mod errors;
mod expressions;
mod factor;
mod followed_pages;
mod lines;
#[cfg(target_os = "linux")]
mod memory;
mod model;
mod numbers;
mod output;
mod pages;
mod polynomials;
#[cfg(target_os = "linux")]
mod preload;
mod soak;
mod sort;
mod terminal;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run gave.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the binary.
fn bezout(arguments: &[&str]) -> Run {
    bezout_with_stdin(arguments, "")
}

/// Runs the binary with this text on stdin.
fn bezout_with_stdin(arguments: &[&str], stdin: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
    command.args(arguments);
    run_with_stdin(command, stdin)
}

/// Runs a command with this text on stdin.
fn run_with_stdin(mut command: Command, stdin: &str) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut pipe, text) = (child.stdin.take().unwrap(), stdin.to_string());
    // The command may end without reading: a closed pipe is its right.
    let feeder = std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The line that `bezout calc` prints.
fn calc(expression: &str) -> String {
    let run = bezout(&["calc", expression]);
    assert_eq!(run.code, Some(0), "{expression}: {}", run.stderr);
    assert_eq!(run.stderr, "", "{expression}");
    run.stdout.strip_suffix('\n').expect("a line").to_string()
}

/// The line that `bezout gcd` prints.
fn gcd(a: &str, b: &str) -> String {
    let run = bezout(&["gcd", a, b]);
    assert_eq!(run.code, Some(0), "{a} {b}: {}", run.stderr);
    run.stdout.trim_end().to_string()
}

/// A file that is gone when the test is.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, content: impl AsRef<[u8]>) -> TempFile {
        let path = std::env::temp_dir().join(format!("bezout-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        TempFile(path)
    }

    /// The argument that names it.
    fn at(&self) -> String {
        format!("@{}", self.0.display())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
