//! `bezout run`, with a shell as the program that shows what it was given.

use std::process::Command;

use super::{Run, TempFile, run_with_stdin};

/// Runs `bezout run` with these variables.
fn run(variables: &[(&str, &str)], arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
    command.args(arguments).env_remove("LD_PRELOAD");
    command.envs(variables.iter().copied());
    run_with_stdin(command, "")
}

const SHOW: &str = "echo \"$LD_PRELOAD|$BEZOUT_GMP_ENGINE|$1|$2\" | sed 's#/[^:|]*/##g'; exit 7";

#[test]
fn the_program_gets_the_library_and_its_arguments() {
    // The loader says on stderr that this is no library, and goes on.
    let library = TempFile::new("libbezout_gmp.so", "not a library");
    let place = library.0.to_str().unwrap();
    let name = library.0.file_name().unwrap().to_str().unwrap();
    let show = ["--", "sh", "-c", SHOW, "sh", "--engine", "two words"];
    let given = run(
        &[("BEZOUT_GMP_SO", place)],
        &[&["run", "--engine", "cpu"], &show[..]].concat(),
    );
    assert_eq!(given.code, Some(7), "{}", given.stderr);
    assert_eq!(given.stdout, format!("{name}|cpu|--engine|two words\n"));
    let kept = run(
        &[("BEZOUT_GMP_SO", place), ("LD_PRELOAD", "/other.so")],
        &[&["run"], &show[..]].concat(),
    );
    assert_eq!(
        kept.stdout,
        format!("{name}:/other.so||--engine|two words\n")
    );
    assert_eq!(kept.code, Some(7));
}

#[test]
fn what_is_missing_is_said() {
    let library = TempFile::new("unused.so", "not a library");
    let place = library.0.to_str().unwrap();
    let table = [
        ("/there/is/none.so", "true", "BEZOUT_GMP_SO names"),
        (place, "/there/is/none", "there is no program"),
        (place, "/", "cannot run"),
    ];
    for (place, program, words) in table {
        let refused = run(&[("BEZOUT_GMP_SO", place)], &["run", "--", program]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    let nothing = run(&[("BEZOUT_GMP_SO", place)], &["run"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
}
