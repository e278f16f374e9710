//! `bezout poly`.

use crate::{Run, TempFile, bezout, bezout_with_stdin};

/// What `bezout poly` prints.
fn poly(line: &[&str]) -> String {
    let mut arguments = vec!["poly"];
    arguments.extend(line);
    let run = bezout(&arguments);
    assert_eq!(run.code, Some(0), "{line:?}: {}", run.stderr);
    run.stdout.trim_end().to_string()
}

fn refused(line: &[&str], words: &[&str]) -> Run {
    let mut arguments = vec!["poly"];
    arguments.extend(line);
    let run = bezout(&arguments);
    assert_eq!(run.code, Some(2), "{line:?}: {}", run.stderr);
    assert_eq!(run.stdout, "", "{line:?}");
    for word in words {
        assert!(
            run.stderr.contains(word),
            "{line:?} lacks {word:?}: {}",
            run.stderr
        );
    }
    run
}

#[test]
fn every_operation() {
    let table: &[(&[&str], &str)] = &[
        (&["add", "x^2 + 1", "6*x^2 + x"], "x + 1"),
        (&["sub", "x", "-x^2"], "x^2 + x"),
        (&["neg", "x + 3"], "6*x + 4"),
        (&["scale", "x + 3", "-2"], "5*x + 1"),
        (
            &["mul", "3*x^2 + x + 5", "x - 1"],
            "3*x^3 + 5*x^2 + 4*x + 2",
        ),
        (&["square", "x + 1"], "x^2 + 2*x + 1"),
        (&["div", "x^3 + 2", "x^2 + 1"], "x\n6*x + 2"),
        (&["rem", "x^3 + 2", "x^2 + 1"], "6*x + 2"),
        (&["gcd", "2*x^2 - 2", "3*x^3 - 3"], "x + 6"),
        (&["xgcd", "x^2 + 1", "x"], "1\n1\n6*x"),
        (&["monic", "3*x + 1"], "x + 5"),
        (&["derivative", "x^7 + x^3"], "3*x^2"),
        (&["eval", "x^2 + 1", "0,1, 2,-3"], "1\n2\n5\n3"),
        (&["interpolate", "0,1,2", "1,2,5"], "x^2 + 1"),
        (&["compose", "x^2 + 1", "x + 1"], "x^2 + 2*x + 2"),
        (&["powmod", "x", "2^100", "x^2 + 1"], "1"),
        (&["resultant", "x - 3", "x^2 + 1"], "3"),
        (&["show", "x - x"], "0"),
    ];
    for (line, expected) in table {
        for flags in [&["--mod", "7"][..], &["--mod", "7", "--verify", "-q"]] {
            let all: Vec<&str> = line.iter().chain(flags).copied().collect();
            assert_eq!(poly(&all), *expected, "{all:?}");
        }
    }
}

#[test]
fn formats_and_files() {
    let a = TempFile::new("poly-a", "1\n0\n1 # x^2\n");
    let b = TempFile::new("poly-b", "-1\n1\n");
    let (a, b) = (a.at(), b.at());
    let lines = ["--mod", "7", "--format", "lines"];
    let line = |first: &[&'static str], rest: &[&str]| -> String {
        let all: Vec<&str> = first.iter().copied().chain(rest.iter().copied()).collect();
        poly(&[&all[..], &lines].concat())
    };
    assert_eq!(line(&["mul"], &[&a, &b]), "6\n1\n6\n1");
    assert_eq!(line(&["div"], &[&a, &b]), "1\n1\n\n2");
    assert_eq!(line(&["show", "x^3"], &[]), "0\n0\n0\n1");
    let run = bezout_with_stdin(&["poly", "show", "-", "--mod", "101"], "x^2\n - 3*x\n");
    assert_eq!(run.stdout, "x^2 + 98*x\n");
    let same = ["random:50:1", "random:50:1"].map(|text| poly(&["show", text, "--mod", "2^61-1"]));
    assert_eq!(same[0], same[1]);
    assert!(same[0].starts_with(char::is_numeric) && same[0].contains("x^49"));
}

#[test]
fn json() {
    let text = poly(&[
        "div", "x^3", "x^2 + 1", "--mod", "7", "--json", "--verify", "-q",
    ]);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["operation"], "div");
    assert_eq!(object["modulus"], "7");
    assert_eq!(object["results"][0]["name"], "quotient");
    assert_eq!(object["results"][1]["expression"], "6*x");
    assert_eq!(object["results"][1]["degree"], 1);
    assert_eq!(object["verified"], true);
    let text = poly(&["show", "0", "--mod", "7", "--json", "--format", "lines"]);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["results"][0]["degree"], serde_json::Value::Null);
    assert_eq!(object["results"][0]["coefficients"], serde_json::json!([]));
    // Above 2^53, where readers of JSON round bare numbers.
    let text = poly(&[
        "mul", "x-1", "x-2", "--mod", "2^61-1", "--json", "--format", "lines",
    ]);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    let expected = serde_json::json!(["2", "2305843009213693948", "1"]);
    assert_eq!(object["results"][0]["coefficients"], expected);
    let text = poly(&["eval", "x-1", "0", "--mod", "2^61-1", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["results"][0]["values"][0], "2305843009213693950");
}

/// Polynomials as people type them.
#[test]
fn expressions() {
    for (text, expected) in [
        ("x + -1", "x + 6"),
        ("(x+1)^2", "x^2 + 2*x + 1"),
        ("x*x", "x^2"),
        ("2x", "2*x"),
        ("2*x^3", "2*x^3"),
        ("-x", "6*x"),
        ("-(x - 1)(x + 1)^(1+1)", "6*x^3 + 6*x^2 + x + 1"),
        ("((x))*(2*(x+3))", "2*x^2 + 6*x"),
        ("8*x", "x"),
        ("-0x1000000000000000000000000*x", "6*x"),
        ("123456789012345678901234567891", "1"),
    ] {
        assert_eq!(poly(&["show", text, "--mod", "7"]), expected, "{text}");
    }
    for (text, place, reason) in [
        ("x + * 2", "position 5", "'*' found"),
        ("(x + 1", "position 1", "'(' without ')'"),
        ("x + 1)", "position 6", "')' without '('"),
        ("x^2^2", "position 4", "needs parentheses"),
        ("x^-1", "position 3", "an exponent"),
        ("x^(10^30)", "position 6", "out of range"),
        ("x^999999999999", "position 3", "must be below 274877906944"),
        (
            "(x+1)^999999999999",
            "position 7",
            "must be below 274877906944",
        ),
    ] {
        refused(&["show", text, "--mod", "7"], &["A:", place, reason, "^"]);
    }
}

/// The verification of a right answer must not fail where operands are 0 or constant.
#[test]
fn zero_and_constants() {
    for (line, expected) in [
        (["resultant", "0", "5"], "0"),
        (["resultant", "5", "0"], "0"),
        (["resultant", "0", "0"], "0"),
        (["resultant", "5", "7"], "1"),
        (["resultant", "x", "5"], "5"),
        (["resultant", "0", "x"], "0"),
        (["gcd", "0", "0"], "0"),
        (["gcd", "0", "5"], "1"),
        (["xgcd", "0", "5"], "1\n0\n81"),
        (["div", "0", "5"], "0\n0"),
        (["eval", "0", "3"], "0"),
        (["compose", "5", "0"], "5"),
        (["compose", "x", "0"], "0"),
    ] {
        let line = [&line[..], &["--mod", "101", "--verify", "-q"]].concat();
        assert_eq!(poly(&line), expected, "{line:?}");
    }
}

#[test]
fn bad_input() {
    refused(&["mul", "x", "x"], &["--mod"]);
    refused(
        &["mul", "x", "x", "--mod", "91"],
        &["91 is not prime", "7 divides it"],
    );
    for p in ["0", "1", "-7", "2^63", "2^64+13"] {
        refused(&["mul", "x", "x", "--mod", p], &["out of range"]);
    }
    refused(
        &["mul", "x", "x + y", "--mod", "7"],
        &["B:", "line 1, position 5", "'y'"],
    );
    refused(&["div", "x", "0", "--mod", "7"], &["division by zero"]);
    refused(
        &["mul", "x", "--mod", "7"],
        &["takes 2 arguments, not 1", "poly mul A B"],
    );
    refused(
        &["mull", "x", "x", "--mod", "7"],
        &["no operation 'mull'", "did you mean 'mul'"],
    );
    refused(
        &["mul", "x", "x", "--mod", "7", "--format", "csv"],
        &["expr or lines"],
    );
    refused(
        &["interpolate", "1,8", "0,0", "--mod", "7"],
        &["points must differ"],
    );
    refused(
        &["interpolate", "1,2", "0", "--mod", "7"],
        &["2 points and 1 values"],
    );
    refused(
        &["eval", "x", "1,q", "--mod", "7"],
        &["line 1, position 3", "'q' is not a number"],
    );
    refused(
        &["powmod", "x", "-1", "x", "--mod", "7"],
        &["negative exponent"],
    );
    refused(&["show", "random:x", "--mod", "7"], &["random:LEN"]);
    refused(
        &["show", "@/no/such/file", "--mod", "7"],
        &["cannot read '/no/such/file'"],
    );
    let file = TempFile::new("poly-bad", "1\n2\n q\n");
    let at = file.at();
    refused(
        &["show", &at, "--mod", "7", "--format", "lines"],
        &["line 3, position 2", "'q'", "^"],
    );
    for empty in ["", " ", ",", "\n"] {
        for line in [["eval", "x", empty], ["interpolate", empty, empty]] {
            let line = [&line[..], &["--mod", "7"]].concat();
            refused(&line, &["empty: a number was expected", "1,2,3"]);
        }
    }
    let file = TempFile::new("no-points", "\n");
    refused(
        &["eval", "x", &file.at(), "--mod", "7"],
        &["no-points", "is empty"],
    );
}
