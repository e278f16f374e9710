//! Environment variables: empty ones count as not set, and what is not allowed is an error.

use std::ffi::OsStr;
use std::process::Command;

use crate::Run;

/// `bezout calc 1+1` with this variable and no other of bezout's.
fn calc_with(name: &str, value: &OsStr) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
    command.args(["calc", "1+1"]);
    for (name, _) in VARIABLES {
        command.env_remove(name);
    }
    let output = command.env(name, value).output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Every variable, and words of what it may be.
const VARIABLES: &[(&str, &str)] = &[
    ("BEZOUT_DEVICE_MEMORY", "8GiB"),
    ("BEZOUT_CACHE", "a folder"),
    ("BEZOUT_NVRTC", "the path of an NVRTC library"),
    ("BEZOUT_KERNELS", "bezout kernels pack"),
    ("BEZOUT_TUNING", "default or minimal"),
    ("BEZOUT_EXECUTOR_FLAGS", "-fsanitize=address"),
    ("BEZOUT_EXECUTOR_SEED", "a number from 0 to 2^64 - 1"),
    ("BEZOUT_COMMIT", "7 to 64 hexadecimal digits"),
];

/// A value that no variable may have: a file that is no folder, or a path below one.
const RUBBISH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/rubbish");

#[test]
fn empty_variables_are_not_set() {
    for (name, _) in VARIABLES {
        for value in ["", " ", "\t\n"] {
            let run = calc_with(name, OsStr::new(value));
            assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
            assert_eq!(
                (run.stdout.as_str(), run.stderr.as_str()),
                ("2\n", ""),
                "{name}"
            );
        }
    }
}

#[test]
fn rubbish_is_one_error_that_says_what_is_allowed() {
    for (name, allowed) in VARIABLES {
        let run = calc_with(name, OsStr::new(RUBBISH));
        assert_eq!(run.code, Some(2), "{name}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{name}");
        assert!(run.stderr.starts_with("bezout: error: "), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        for words in [*name, RUBBISH, *allowed] {
            assert!(
                run.stderr.contains(words),
                "{name} lacks {words}: {}",
                run.stderr
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_not_unicode_is_rubbish_where_it_is_no_path() {
    use std::os::unix::ffi::OsStrExt;
    for (name, _) in VARIABLES {
        if ["BEZOUT_CACHE", "BEZOUT_NVRTC", "BEZOUT_EXECUTOR_FLAGS"].contains(name) {
            continue;
        }
        let run = calc_with(name, OsStr::from_bytes(b"12\xff"));
        assert_eq!(run.code, Some(2), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
}
