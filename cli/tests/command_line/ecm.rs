//! `bezout ecm`, which programs call as they call GMP-ECM's `ecm`.

use super::*;

const NUMBER: &str = "1000003*1000033*1000000000000000000000000000057";
/// A composite of 71 digits without a factor that the bounds here find.
const HARD: &str = "(10^35+69)*(10^36+67)";

fn ecm(arguments: &[&str], input: &str) -> Run {
    bezout_with_stdin(&[&["ecm"], arguments].concat(), input)
}

/// GMP-ECM 7.0.5 prints the same lines for this curve, but for its name and the times, and has the
/// same exit code.
#[test]
fn a_curve_finds_what_gmp_ecm_finds() {
    let run = ecm(&["-sigma", "0:7", "1e3", "1e4"], NUMBER);
    assert_eq!(run.code, Some(10), "{}", run.stderr);
    let lines: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| !line.contains("took"))
        .collect();
    let cofactor = format!("Prime cofactor ({NUMBER})/1000036000099 has 31 digits");
    let expected = [
        &format!("Input number is {NUMBER} (43 digits)"),
        "Using B1=1000, B2=10000, polynomial x^1, sigma=0:7",
        "********** Factor found in step 1: 1000036000099",
        "Found composite factor of 13 digits: 1000036000099",
        &cofactor,
    ];
    assert_eq!(lines[1..], expected);
}

/// Curves run side by side; those after the last factor are not reported.
#[test]
fn the_cofactor_is_the_last_line() {
    for _ in 0..3 {
        let arguments = ["--threads", "4", "ecm", "-c", "10", "1e4"];
        let run = bezout_with_stdin(&arguments, "2^67-1");
        let last = run.stdout.lines().last().unwrap_or_default();
        assert!(last.starts_with("Prime cofactor"), "{}", run.stdout);
    }
}

#[test]
fn exit_codes_and_quiet_lines() {
    let quiet = |arguments: &[&str], input: &str| {
        let run = ecm(&[&["-q"], arguments].concat(), input);
        (run.code, run.stdout)
    };
    let found = quiet(&["-c", "0", "1000"], "2^67-1");
    // A curve may find either of its two primes.
    let lines = ["193707721", "761838257287"].map(|p| (Some(14), format!("{p} (2^67-1)/{p}\n")));
    assert!(lines.contains(&found), "{found:?}");
    assert_eq!(
        quiet(&["-sigma", "1:9", "50"], "101"),
        (Some(8), "101\n".into())
    );
    let none = quiet(&["-c", "3", "100"], &format!("# a comment\n\n{HARD}\n"));
    assert_eq!(none, (Some(0), format!("{HARD}\n")));
    // An even number, and one that is printed as digits.
    let (code, line) = quiet(&["-c", "0", "1000"], "2000006");
    assert_eq!((code, line.as_str()), (Some(14), "2 1000003\n"));
}

#[test]
fn residues_are_saved_and_resumed() {
    let path = std::env::temp_dir().join(format!("bezout-ecm-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let name = path.to_str().unwrap();
    let saved = ecm(&["-save", name, "-c", "3", "200", "0"], HARD);
    assert_eq!(saved.code, Some(0), "{}", saved.stderr);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 3);
    // The file is there: it is not written over, but may be continued.
    assert_eq!(ecm(&["-save", name, "200", "0"], HARD).code, Some(1));
    assert_eq!(ecm(&["-savea", name, "200", "0"], HARD).code, Some(0));
    let run = ecm(&["-resume", name, "400", "5000"], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.matches("Using B1=200-400, B2=5000").count(), 4);
    // A line that was changed is told of and left out.
    std::fs::write(&path, text.replacen("B1=200", "B1=210", 1)).unwrap();
    let run = ecm(&["-resume", name, "400", "5000"], "");
    assert_eq!(run.stdout.matches("Using B1").count(), 2);
    assert!(
        run.stderr.contains("line 1") && run.stderr.contains("check sum"),
        "{}",
        run.stderr
    );
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn bad_arguments_are_told() {
    for (arguments, input) in [
        (&[] as &[&str], "15"),
        (&["-pm1", "100"], "15"),
        (&["100"], "xyz"),
        (&["-resume", "/no/such/file", "100"], ""),
        (&["-param", "7", "100"], "15"),
    ] {
        let run = ecm(arguments, input);
        assert!(matches!(run.code, Some(1 | 2)), "{arguments:?}");
        assert!(run.stderr.contains("error"), "{}", run.stderr);
    }
    assert!(ecm(&["-h"], "").stdout.contains("-resume"));
}
