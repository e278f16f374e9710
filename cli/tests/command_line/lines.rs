//! Several expressions on standard input, a line each.

use serde_json::Value;

use crate::{Run, bezout_with_stdin};

fn calc(arguments: &[&str], stdin: &str) -> Run {
    bezout_with_stdin(&[&["calc"], arguments].concat(), stdin)
}

/// What `calc -` prints, without errors.
fn answers(stdin: &str) -> String {
    let run = calc(&["-"], stdin);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{stdin}");
    run.stdout
}

#[test]
fn each_line_has_its_answer() {
    assert_eq!(answers("1+1\n2+2\n"), "2\n4\n");
    assert_eq!(answers("1+1\r\n\r\n2+2"), "2\n4\n");
    assert_eq!(answers("# sums\n\n 1+1 \n  # and\n2+2\n"), "2\n4\n");
    assert_eq!(
        answers("hex(255)\nxgcd(4, 6)\nfactor(6)\n"),
        "0xff\n2 -1 1\n6: 2 3\n"
    );
    // Without an argument, standard input is read where it is no terminal.
    assert_eq!(calc(&[], "1+1\n2+2\n").stdout, "2\n4\n");
    assert_eq!(calc(&["--hex"], "15\n16\n").stdout, "0xf\n0x10\n");
}

#[test]
fn variables_last() {
    assert_eq!(
        answers("a = 2^89 - 1\na^2 mod 1000\n"),
        format!("{}\n321\n", (1u128 << 89) - 1)
    );
    assert_eq!(answers("a = 1\na = a + 1; a = a * 10\na\n"), "1\n20\n20\n");
    assert_eq!(answers("6\n_ * 7\nans + _\n"), "6\n42\n84\n");
    assert_eq!(answers("xgcd(240, 46)\n_\n"), "2 -9 47\n2\n");
    assert_eq!(answers("r = random:100\nr - r\n").lines().nth(1), Some("0"));
}

#[test]
fn a_semicolon_prints_nothing_but_at_the_end() {
    assert_eq!(answers("a = 3;\na^2\n"), "9\n");
    assert_eq!(answers("a = 3;\nb = 4; \na * b;\n\n"), "12\n");
    assert_eq!(answers("5;\n"), "5\n");
    assert_eq!(answers("5\n6;\n7\n"), "5\n7\n");
}

#[test]
fn a_line_that_fails_leaves_the_others() {
    let run = calc(&["-"], "1+1\n2+\n\na = 5; 1/0\n3+3\na\n");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), "2\n6\n"));
    let errors: Vec<_> = run
        .stderr
        .lines()
        .filter(|line| line.contains("error"))
        .collect();
    assert_eq!(errors.len(), 3, "{}", run.stderr);
    assert!(errors[0].starts_with("bezout: error: line 2: the expression ends too early"));
    assert!(errors[1].starts_with("bezout: error: line 4: division by zero"));
    assert!(errors[2].starts_with("bezout: error: line 6: 'a' has no value"));
    assert!(run.stderr.contains("\n    2+\n      ^\n"), "{}", run.stderr);
}

#[test]
fn lines_that_are_not_text() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bezout"));
    let file = crate::TempFile::new("not-text", b"1+1\n12\xff\n2+2\n");
    command
        .args(["calc", "-"])
        .stdin(std::fs::File::open(&file.0).unwrap());
    let output = command.output().unwrap();
    assert_eq!(
        (output.status.code(), output.stdout),
        (Some(2), b"2\n4\n".to_vec())
    );
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(
        words.contains("line 2: standard input is not text at position 2"),
        "{words}"
    );
}

#[test]
fn one_object_for_all_lines() {
    let record = |stdin: &str| -> Value {
        serde_json::from_str(&calc(&["-", "--json", "--verify"], stdin).stdout).unwrap()
    };
    let one = record("\n 2^10 \n");
    assert_eq!(
        (&one["command"], &one["value"]),
        (&"calc".into(), &"1024".into())
    );
    assert_eq!(
        (&one["expression"], &one["values"]),
        (&"2^10".into(), &Value::Null)
    );
    let several = record("a = 7;\n1/0\nxgcd(240, 46)\nfactor(12)\nhex(255)\n");
    assert_eq!(several["command"], "calc");
    let answers = several["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 5);
    assert_eq!(
        (&answers[0]["line"], &answers[0]["value"]),
        (&1.into(), &"7".into())
    );
    assert_eq!(answers[0]["verified"], true);
    assert_eq!(
        (&answers[1]["line"], &answers[1]["expression"]),
        (&2.into(), &"1/0".into())
    );
    assert_eq!(answers[1]["error"], "division by zero");
    assert_eq!(answers[2]["value"], "2 -9 47");
    assert_eq!(answers[2]["values"], serde_json::json!(["2", "-9", "47"]));
    assert_eq!(answers[3]["value"], "12: 2 2 3");
    assert_eq!(answers[3]["values"], serde_json::json!(["2", "2", "3"]));
    assert_eq!(
        (&answers[4]["value"], &answers[4]["bits"]),
        (&"0xff".into(), &8.into())
    );
}

/// An answer comes when its line is there, not when the input ends.
#[test]
fn answers_do_not_wait_for_the_end() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_bezout"))
        .args(["calc", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for (question, answer) in [("a = 1+1\n", "2\n"), ("a^3\n", "8\n")] {
        input.write_all(question.as_bytes()).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, answer);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// A reader that has seen enough ends the work.
#[cfg(unix)]
#[test]
fn a_closed_output_ends_an_endless_input() {
    use std::process::{Command, Stdio};
    let mut yes = Command::new("yes")
        .arg("1 + 1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bezout"))
        .args(["calc", "-"])
        .stdin(yes.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    let _ = yes.wait();
}
