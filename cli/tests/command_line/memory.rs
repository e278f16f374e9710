//! Too little memory: a message that names it and exit code 1, never a signal or a backtrace.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{TempFile, bezout};

/// A run that may succeed and goes on after this time has memory enough, and is ended.
const PATIENCE: Duration = Duration::from_millis(1500);
/// A run that must fail has this time to do so: operands may be made before the result is refused.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs the binary with at most so many KiB of address space. Gives the exit code and stderr; none
/// if the run takes longer than `most`.
fn limited(kib: u32, arguments: &[&str], most: Duration) -> Option<(i32, String)> {
    let script = "ulimit -v \"$0\" && exec \"$@\"";
    let mut child = Command::new("sh")
        .args(["-c", script, &kib.to_string(), env!("CARGO_BIN_EXE_bezout")])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(File::create("/dev/null").unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > most {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut stderr = String::new();
    child.stderr.unwrap().read_to_string(&mut stderr).unwrap();
    let what = format!("{arguments:?} in {kib} KiB: {stderr}");
    assert_eq!(status.signal(), None, "{what}");
    assert!(!stderr.contains("backtrace"), "{what}");
    Some((status.code().unwrap(), stderr))
}

/// The run must fail for want of memory.
fn refused(kib: u32, arguments: &[&str]) {
    let what = format!("{arguments:?} in {kib} KiB");
    let run = limited(kib, arguments, LONGEST);
    let (code, stderr) = run.unwrap_or_else(|| panic!("{what} goes on"));
    assert_eq!(code, 1, "{what}: {stderr}");
    assert!(stderr.starts_with("bezout: error: "), "{what}: {stderr}");
    assert!(stderr.contains("memory"), "{what}: {stderr}");
    assert!(!stderr.contains("internal error"), "{what}: {stderr}");
}

/// The run must fail for want of memory, succeed, or go on.
fn sound(kib: u32, arguments: &[&str]) {
    match limited(kib, arguments, PATIENCE) {
        None | Some((0, _)) => {}
        Some((code, stderr)) => {
            let what = format!("{arguments:?} in {kib} KiB: {stderr}");
            assert_eq!(code, 1, "{what}");
            assert!(stderr.starts_with("bezout: error: "), "{what}");
            assert!(stderr.contains("memory"), "{what}");
            assert!(!stderr.contains("internal error"), "{what}");
        }
    }
}

const LIMITS: [u32; 4] = [200_000, 500_000, 1_000_000, 3_000_000];

#[test]
fn large_results() {
    let product = ["calc", "random:2^31*random:2^31"];
    let poly = "x^300000000+1";
    for kib in LIMITS {
        sound(kib, &["calc", "2^1000000000"]);
        refused(kib, &product);
        refused(kib, &["poly", "mul", poly, poly, "--mod", "101"]);
        refused(kib, &["poly", "square", "(x+1)^300000000", "--mod", "101"]);
        sound(
            kib,
            &[
                "poly",
                "mul",
                "random:3000000",
                "random:3000000",
                "--mod",
                "101",
            ],
        );
    }
    refused(500_000, &["calc", "2^1000000000"]);
    refused(500_000, &["calc", "1 << 10^10"]);
    refused(500_000, &["calc", "setbit(0, 10^10)"]);
    refused(500_000, &["calc", "fill(1, 10^8)"]);
    refused(500_000, &["calc", "(10^8)!"]);
}

#[test]
fn long_work() {
    let lines: String = (0..1_000_000u64)
        .map(|i| format!("{}\n", i * 7919 % 1_000_003))
        .collect();
    let file = TempFile::new("many-numbers", lines);
    let path = file.0.to_str().unwrap();
    for kib in LIMITS {
        sound(kib, &["gcd", "random:2^28:1", "random:2^28:2"]);
        sound(kib, &["factor", "2^128+1"]);
        sound(kib, &["sort", path]);
    }
}

/// Allocations that no rule foresees, and threads that do not start.
/// The least limit has room for the program itself, and little else.
#[test]
fn tiny_limits() {
    for kib in [26_000, 30_000, 40_000, 60_000] {
        sound(kib, &["calc", "1+1"]);
        sound(kib, &["calc", "popcount(random:2^25*random:2^25)"]);
        sound(kib, &["poly", "square", "random:1000000", "--mod", "101"]);
    }
    refused(26_000, &["calc", "random:2^27"]);
    refused(200_000, &["calc", "1+1", "--threads", "4096"]);
}

/// What no machine can hold is bad input, on every machine.
#[test]
fn absurd_results() {
    let run = bezout(&["calc", "2^(2^51)"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("more than fits in memory"),
        "{}",
        run.stderr
    );
}
