//! `bezout soak`, for a second, and with errors planted in its results.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{bezout, run_with_stdin};

#[test]
fn a_second_of_soaking_is_right() {
    let run = bezout(&[
        "soak",
        "--minutes",
        "0.02",
        "--seed",
        "1",
        "--max-bits",
        "2^16",
        "--json",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    let count = |name: &str| record[name].as_u64().unwrap();
    assert_eq!((count("wrong"), count("failed")), (0, 0));
    assert_eq!(record["seed"], "0x1");
    assert_eq!(record["complete"], true);
    assert!(record["tuning"].is_string(), "{record}");
    assert!(count("right") > 100 && count("right") == count("cases"));
    let operations = record["operations"].as_array().unwrap();
    let sum: u64 = operations
        .iter()
        .map(|op| op["right"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, count("right"));
    assert!(operations.len() > 20, "{operations:?}");
}

#[test]
fn operations_can_be_chosen() {
    let line = "soak --minutes 0.005 --operations gcd,mul --max-bits 4096 --threads 1";
    let run = bezout(&line.split(' ').collect::<Vec<_>>());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let names: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names[..3], ["operation", "mul", "gcd"], "{}", run.stdout);
    assert!(run.stdout.contains("0 wrong, 0 failed"), "{}", run.stdout);
}

#[test]
fn a_wrong_result_ends_it_with_a_line_that_replays_it() {
    let line = "soak --minutes 1 --max-bits 2^12 --engine cpu --against check --plant";
    let run = bezout(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.starts_with("bezout: wrong: "), "{}", run.stderr);
    let replay = run.stderr.lines().nth(1).unwrap().trim();
    let words: Vec<&str> = replay.split(' ').skip(1).collect();
    let again = bezout(&words);
    assert_eq!(again.code, Some(1), "{replay}");
    assert!(again.stderr.contains(replay), "{}", again.stderr);
    let (plant, unspoiled) = words.split_last().unwrap();
    assert_eq!(*plant, "--plant");
    let right = bezout(unspoiled);
    assert_eq!((right.code, right.stderr.as_str()), (Some(0), ""));
}

#[test]
fn wrong_results_are_counted_to_the_end_if_asked() {
    let line = "soak --minutes 0.02 --max-bits 64 --keep-going --plant --json --operations add";
    let run = bezout(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(1));
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    let count = |name: &str| record[name].as_u64().unwrap();
    let listed = record["wrong_cases"].as_array().unwrap().len() as u64;
    assert!(
        count("wrong") > 1 && listed == count("wrong").min(100),
        "{record}"
    );
    assert_eq!(count("failed"), 0);
}

#[test]
fn so_many_cases_of_each_operation_and_size() {
    let line = "soak --operations linear --cases 20 --sizes 2^4..2^12,5000 --seed 3 --json";
    let run = bezout(&line.split(' ').collect::<Vec<_>>());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    let operations = record["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 11, "{record}");
    for operation in operations {
        assert_eq!(operation["right"], 20 * 10, "{operation}");
        assert_eq!(
            (&operation["wrong"], &operation["failed"]),
            (&0.into(), &0.into())
        );
        assert_eq!(operation["largest_bits"], 5000, "{operation}");
    }
    assert_eq!(record["cases"], 11 * 200);
    assert_eq!(record["cases_each"], 20);
    assert_eq!(record["sizes"].as_array().unwrap().len(), 10);
}

#[test]
fn a_list_that_was_cut_short_is_not_complete() {
    let line = "soak --cases 1000000000 --operations gcd --minutes 0.005 --seed 0xff";
    let words: Vec<&str> = line.split(' ').collect();
    let run = bezout(&words);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let last = run.stdout.lines().last().unwrap();
    assert_eq!(last, "Cut short: 1000000000 cases were asked for");
    assert!(run.stdout.contains("seed 0xff: 0 wrong"), "{}", run.stdout);
    let run = bezout(&[&words[..], &["--json"]].concat());
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["complete"], false);
    assert_eq!(record["seed"], "0xff");
}

/// `timeout` sends its signal twice. The report of what was judged is printed all the same.
#[cfg(unix)]
#[test]
fn a_signal_that_comes_twice_ends_it_with_its_report() {
    let child = Command::new(env!("CARGO_BIN_EXE_bezout"))
        .args(["soak", "--minutes", "10", "--max-bits", "2^12", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid, &pid]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&record["wrong"], &record["complete"]),
        (&0.into(), &false.into())
    );
}

#[test]
fn the_tuning_is_recorded() {
    let line = "soak --cases 1 --operations add,gcd --sizes 2^10 --json";
    let words: Vec<&str> = line.split(' ').collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
    command.args(&words).env("BEZOUT_TUNING", "minimal");
    let run = run_with_stdin(command, "");
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["tuning"], "minimal");
    assert_eq!(record["complete"], true);
}

#[test]
fn sizes_need_the_number_of_cases_alone() {
    let run = bezout(&["soak", "--sizes", "2^10"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--cases <N>"), "{}", run.stderr);
    assert!(!run.stderr.contains("--minutes"), "{}", run.stderr);
}

#[test]
fn bad_arguments_are_refused() {
    for (line, reason) in [
        ("soak", "--minutes"),
        ("soak --minutes 0", "not a number of minutes"),
        (
            "soak --minutes 1 --operations mull",
            "there is no such operation",
        ),
        ("soak --minutes 1 --against auto", "name an engine"),
        ("soak --minutes 1 --against cuda:x", "cuda:N"),
        (
            "soak --minutes 1 --engine cpu --against cpu",
            "compared with itself",
        ),
        ("soak --cases 0", "from 1 on"),
        ("soak --minutes 1 --seed 0xg", "decimal or 0x"),
        ("soak --minutes 1 --sizes 2^4..2^6", "--cases"),
        ("soak --cases 1 --sizes 2^6..2^4", "a power of two"),
        ("soak --replay mul:0:1", "BITS"),
        ("soak --replay mul", "OPERATION:BITS:SEED"),
        ("soak --minutes 1 --replay mul:9:1", "cannot be used with"),
    ] {
        let run = bezout(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(reason), "{line}: {}", run.stderr);
    }
}
