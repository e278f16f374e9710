//! What goes to stdout and what to stderr: text, JSON, verification, help, closed pipes.

use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{TempFile, bezout, bezout_with_stdin};

/// The one JSON object that the command prints.
fn json(arguments: &[&str]) -> Value {
    let run = bezout(&[arguments, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn hexadecimal() {
    assert_eq!(bezout(&["calc", "255", "--hex"]).stdout, "0xff\n");
    assert_eq!(bezout(&["calc", "--hex", "-255"]).stdout, "-0xff\n");
    assert_eq!(bezout(&["calc", "0", "--hex"]).stdout, "0x0\n");
    assert_eq!(bezout(&["gcd", "0xff0", "0xf00", "--hex"]).stdout, "0xf0\n");
    assert_eq!(json(&["calc", "-255", "--hex"])["value"], "-0xff");
}

#[test]
fn calc_json() {
    let record = json(&["calc", " -2^100 "]);
    assert_eq!(record["command"], "calc");
    assert_eq!(record["expression"], "-2^100");
    assert_eq!(record["value"], "-1267650600228229401496703205376");
    assert_eq!(record["bits"], 101);
    assert_eq!(record["sign"], -1);
    assert_eq!(record["engine"], "cpu");
    assert!(record["seconds"].as_f64().unwrap() >= 0.0);
    assert!(record["verified"].is_null());
    assert_eq!(record.as_object().unwrap().len(), 8);
    assert_eq!(
        json(&["calc", "random:300 * 2", "--verify"])["verified"],
        true
    );
}

#[test]
fn gcd_json() {
    let record = json(&["gcd", "-12", "18", "--verify", "--engine", "cpu"]);
    assert_eq!(record["command"], "gcd");
    assert_eq!(record["a_bits"], 4);
    assert_eq!(record["b_bits"], 5);
    assert_eq!(record["gcd"], "6");
    assert_eq!(record["gcd_bits"], 3);
    assert_eq!(record["engine"], "cpu");
    assert_eq!(record["bits"], serde_json::json!([4, 5]));
    assert_eq!(record["algorithm"], "host");
    assert!(record["cofactors"].is_null() && record["stats"].is_null());
    assert_eq!(record["ranks"], 1);
    assert_eq!(record.as_object().unwrap().len(), 13);
    assert!(record["seconds"].as_f64().unwrap() >= 0.0);
    assert_eq!(record["verified"], true);
    assert!(json(&["gcd", "12", "18"])["verified"].is_null());

    let three = [
        "gcd",
        "6",
        "-10",
        "15",
        "--cofactors",
        "--stats",
        "--verify",
    ];
    let record = json(&three);
    assert_eq!(record["gcd"], "1");
    assert_eq!(record["bits"], serde_json::json!([3, 4, 4]));
    assert_eq!(record["cofactors"].as_array().unwrap().len(), 3);
    assert_eq!(record["stats"], serde_json::json!({"algorithm": "host"}));
}

#[test]
fn gcd_cofactors_are_lines_in_the_order_of_the_numbers() {
    let run = bezout(&["gcd", "240", "46", "--cofactors"]);
    assert_eq!(run.stdout, "2\n-9\n47\n");
    assert_eq!(run.stderr, "");
    let run = bezout(&["gcd", "46", "--cofactors", "240", "--hex"]);
    assert_eq!(run.stdout, "0x2\n0x2f\n-0x9\n");
    let numbers = ["2^700-1", "-(2^420-1)", "100!", "-0x1f"];
    let run = bezout(&[&["gcd"], &numbers[..], &["--cofactors", "--verify", "-q"]].concat());
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!((lines.len(), run.code), (5, Some(0)), "{}", run.stderr);
    let sum: Vec<String> = lines[1..]
        .iter()
        .zip(numbers)
        .map(|(cofactor, number)| format!("({cofactor})*({number})"))
        .collect();
    assert_eq!(crate::calc(&sum.join(" + ")), lines[0]);
}

#[test]
fn gcd_by_every_algorithm() {
    let numbers = [
        "gcd",
        "random:9000:1 * (2^89-1)",
        "(2^89-1) * random:8900:2",
    ];
    let expected = bezout(&numbers).stdout;
    let counts: [(&str, &[&str]); 6] = [
        ("auto", &[]),
        (
            "weber",
            &["iterations", "moduli used", "average bits of b", "retries"],
        ),
        ("accelerated", &["iterations"]),
        ("lattice", &["moduli used", "blocks", "retries"]),
        ("half", &["iterations"]),
        ("host", &[]),
    ];
    for (algorithm, counts) in counts {
        let asked = ["--algorithm", algorithm, "--stats"];
        let run = bezout(&[&numbers[..], &asked].concat());
        assert_eq!((run.code, &run.stdout), (Some(0), &expected), "{algorithm}");
        let used = run.stderr.lines().next().unwrap();
        match algorithm {
            "auto" => assert_ne!(used, "algorithm: auto"),
            named => assert_eq!(used, format!("algorithm: {named}")),
        }
        let record = json(&[&numbers[..], &asked, &["--cofactors", "--verify"]].concat());
        assert_eq!(record["gcd"], expected.trim_end());
        assert_eq!(record["algorithm"], record["stats"]["algorithm"]);
        assert_eq!(record["verified"], true);
        for count in counts {
            assert!(
                run.stderr.contains(&format!("\n{count}: ")),
                "{algorithm} {count}"
            );
            let field = match *count {
                "average bits of b" => "average_b_bits".to_string(),
                count => count.replace(' ', "_"),
            };
            assert!(record["stats"][&field].is_number(), "{algorithm} {field}");
        }
    }
}

#[test]
fn the_moduli_of_weber_can_be_chosen() {
    let numbers = ["gcd", "random:900:1 * (2^89-1)", "(2^89-1) * random:880:2"];
    let expected = bezout(&numbers).stdout;
    let size = json(&numbers)["a_bits"].as_u64().unwrap();
    let weber = ["--algorithm", "weber", "--stats"];
    // ⌈2^(L/2) + n⌉, Weber and Brew's Fig. 1.
    for (bits, root) in [("16", 256), ("17", 363), ("24", 4096)] {
        let chosen = ["--count", "worst", "--modulus-bits", bits];
        let record = json(&[&numbers[..], &weber, &chosen].concat());
        let stats = &record["stats"];
        assert_eq!(record["gcd"], expected.trim_end(), "{bits}");
        assert_eq!(stats["moduli"], root + size, "{bits}");
        assert_eq!(stats["modulus_bits"].to_string(), bits);
        assert_eq!(stats["retries"], 0, "{bits}");
    }
    for (flags, moduli, bits) in [
        (&["--count", "777"][..], Some(777), 32),
        (&["--modulus-bits", "20"], None, 20),
        (&["--count", "estimated", "--modulus-bits", "31"], None, 31),
        (&["--modulus-bits", "40"], None, 40),
        (&["--modulus-bits", "60"], None, 60),
    ] {
        let record = json(&[&numbers[..], &weber, flags].concat());
        assert_eq!(record["gcd"], expected.trim_end(), "{flags:?}");
        assert_eq!(record["stats"]["modulus_bits"], bits, "{flags:?}");
        if let Some(moduli) = moduli {
            assert_eq!(record["stats"]["moduli"], moduli, "{flags:?}");
        }
    }
}

#[test]
fn devices_list_at_least_the_cpu() {
    let record = json(&["devices"]);
    assert_eq!(record["command"], "devices");
    assert!(record["cpu"]["cores"].as_u64().unwrap() >= 1);
    assert!(record["cpu"]["features"].is_array());
    let gpus = record["cuda"].as_array().unwrap();
    // Either there are GPUs, or it says what is missing.
    assert_eq!(gpus.is_empty(), record["cuda_missing"].is_string());

    let run = bezout(&["devices"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.starts_with("cpu "), "{}", run.stdout);
    assert_eq!(
        run.stdout
            .lines()
            .filter(|line| line.starts_with("cuda"))
            .count(),
        gpus.len().max(1)
    );
}

#[test]
fn kernels_are_listed_for_any_gpu() {
    let record = json(&["kernels", "--arch", "sm_90,sm_80"]);
    assert_eq!(
        record["architectures"],
        serde_json::json!(["sm_80", "sm_90"])
    );
    let kernels = record["kernels"].as_array().unwrap();
    let of = |architecture: &str| {
        let all = kernels.iter().filter(|k| k["architecture"] == architecture);
        all.map(|k| (k["name"].to_string(), k["defines"].to_string()))
            .collect::<Vec<_>>()
    };
    assert!(of("sm_90").len() > 100);
    assert_eq!(of("sm_80"), of("sm_90"));
    let run = bezout(&["kernels", "--arch", "90"]);
    assert_eq!(run.code, Some(0));
    let last = run.stdout.lines().last().unwrap();
    assert!(
        last.starts_with("sm_90: ") && last.contains("kernels"),
        "{last}"
    );
}

#[test]
fn benchmarks_are_listed() {
    let record = json(&["bench", "--list"]);
    for benchmark in record["benchmarks"].as_array().unwrap() {
        assert!(benchmark["name"].is_string() && benchmark["description"].is_string());
    }
    let run = bezout(&["bench", "--list"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(
        run.stdout.lines().count(),
        record["benchmarks"].as_array().unwrap().len()
    );
}

#[test]
fn results_become_a_page_and_tables() {
    let folder = std::env::temp_dir().join(format!("bezout-{}-results", std::process::id()));
    let (dir, page) = (folder.to_str().unwrap(), folder.join("page.html"));
    let page_name = page.to_str().unwrap();
    let quick = [
        "bench", "linear", "--quick", "--quiet", "--engine", "cpu", "--out", dir,
    ];
    let run = bezout(&[&quick[..], &["--json"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["command"], "bench");
    assert_eq!(record["records"][0]["benchmark"], "linear");
    assert_eq!(json(&["report", dir, "--out", page_name])["out"], page_name);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<svg"));
    let tables = bezout(&["report", dir, "--markdown"]);
    assert_eq!(tables.code, Some(0), "{}", tables.stderr);
    assert!(tables.stdout.starts_with("`bezout bench linear`: "));
    assert!(tables.stdout.contains("\n|---"), "{}", tables.stdout);
    assert_eq!(
        json(&["report", dir, "--markdown"])["markdown"],
        tables.stdout
    );
    assert_eq!(
        bezout(&["report", dir, "--markdown", "--out", page_name]).code,
        Some(2)
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn verification_speaks_on_stderr() {
    let calc = bezout(&["calc", "random:5000 * random:5000 >> 10", "--verify"]);
    assert_eq!(calc.code, Some(0));
    assert!(calc.stderr.starts_with("verified: "), "{}", calc.stderr);
    assert_eq!(calc.stdout.lines().count(), 1);
    let gcd = bezout(&["gcd", "random:20000", "random:20000", "--verify"]);
    assert_eq!(gcd.code, Some(0));
    assert!(gcd.stderr.starts_with("verified: "), "{}", gcd.stderr);
    for arguments in [
        vec!["calc", "2^99"],
        vec!["gcd", "12", "18"],
        vec!["gcd", "0", "0"],
    ] {
        let run = bezout(&[&arguments[..], &["--verify", "--quiet"]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn threads_do_not_change_results() {
    let expression = "popcount(random:200000:1 + random:200000:2)";
    let one = bezout(&["calc", expression, "--threads", "1"]);
    let three = bezout(&["calc", expression, "--threads", "3"]);
    assert_eq!((one.code, one.stdout), (Some(0), three.stdout));
}

/// The kernels on the host CPU stand in for a GPU.
#[test]
fn a_forced_device_gives_the_same_numbers() {
    let on = |expression: &str| {
        bezout(&[
            "calc",
            expression,
            "--engine",
            "cuda:executor",
            "--json",
            "--verify",
        ])
    };
    let probe = on("1");
    if probe.code != Some(0) {
        println!("not run, no executor here: {}", probe.stderr);
        return;
    }
    // What is too short to pay for a launch stays on the host.
    for (expression, engine) in [
        ("popcount(random:2^23:7 + ones(2^22))", "cuda:executor"),
        (
            "popcount((random:2^23:1 << 2^10) - fib(1000))",
            "cuda:executor",
        ),
        ("(random:1e5:1 << 2^10) - fib(1000)", "cpu"),
    ] {
        let run = on(expression);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let record: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(record["engine"], engine);
        assert_eq!(
            record["value"],
            json(&["calc", expression, "--engine", "cpu"])["value"]
        );
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    for json in [false, true] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bezout"))
            .args(["calc", "ones(2^21)", "--hex"])
            .args(json.then_some("--json"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 2];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let list = TempFile::new("full", "35\n21\n");
    let name = list.0.to_str().unwrap();
    for arguments in [
        &["calc", "1 + 1"][..],
        &["calc", "1 + 1", "--json"],
        &["gcd", "4", "6"],
        &["factor", "12"],
        &["factor", "(2^89-1)*6", "--json"],
        &["poly", "mul", "x", "x+1", "--mod", "7"],
        &["sort", name],
        &["sort", name, "--json"],
        &["batch-gcd", name],
        &["constant", "pi", "-n", "20"],
        &["completions", "bash"],
        &["man"],
        &["kernels", "--arch", "sm_90"],
        &["devices"],
        &["bench", "--list"],
        &["tune", "--list"],
        &["model", "show"],
        &["--version"],
        &["--help"],
        &["factor", "-h"],
        &["help", "calc"],
    ] {
        // A full disk; standard output closed, with and without the other streams; not for writing.
        for place in [">/dev/full", ">&-", ">&- <&-", "1</dev/null"] {
            let output = Command::new("sh")
                .args(["-c", &format!("exec \"$0\" \"$@\" {place}")])
                .arg(env!("CARGO_BIN_EXE_bezout"))
                .args(arguments)
                .output()
                .unwrap();
            let words = String::from_utf8_lossy(&output.stderr);
            let what = format!("{arguments:?} {place}: {words}");
            assert_eq!(output.status.code(), Some(1), "{what}");
            assert!(words.contains("cannot write to standard output"), "{what}");
        }
    }
}

/// A closed standard output is not the file that is opened next, and a command that prints nothing
/// there needs none.
#[cfg(target_os = "linux")]
#[test]
fn files_do_not_take_the_place_of_closed_streams() {
    let list = TempFile::new("closed-in", "3\n1\n2\n");
    let out = TempFile::new("closed-out", "");
    let status = Command::new("sh")
        .args(["-c", "exec \"$0\" \"$@\" >&- 2>&-"])
        .arg(env!("CARGO_BIN_EXE_bezout"))
        .args([
            "sort",
            list.0.to_str().unwrap(),
            "-o",
            out.0.to_str().unwrap(),
        ])
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&out.0).unwrap(), "1\n2\n3\n");
}

#[test]
fn commands_are_timed_as_processes() {
    let arguments = "bench commands --quick --quiet --engine cpu --json";
    let run = bezout(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    let measured = record["records"][0]["measurements"].as_array().unwrap();
    let engines: Vec<&str> = measured
        .iter()
        .map(|m| m["engine"].as_str().unwrap())
        .collect();
    assert_eq!(engines, ["cpu", "auto"]);
    assert!(
        measured
            .iter()
            .all(|m| m["operation"] == "gcd, bits" && m["bits"] == 10_000)
    );
}

#[test]
fn help_is_worth_reading() {
    let help = bezout(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    for word in [
        "Examples:",
        "--engine",
        "--json",
        "--verify",
        "--quiet",
        "--threads",
        "Exit status",
    ] {
        assert!(help.stdout.contains(word), "{word}");
    }
    let calc = bezout(&["calc", "--help"]).stdout;
    for word in [
        "Examples:",
        "Operators",
        "popcount(x)",
        "random:BITS[:SEED]",
        "JSON fields",
    ] {
        assert!(calc.contains(word), "{word}");
    }
    let gcd = bezout(&["gcd", "--help"]).stdout;
    for word in ["certificate", "--cofactors", "accelerated", "--stats"] {
        assert!(gcd.contains(word), "{word}");
    }
    assert!(bezout(&["--version"]).stdout.starts_with("bezout "));
    assert_eq!(bezout_with_stdin(&["help", "gcd"], "").code, Some(0));
}

/// Ctrl-C in the middle of the work: the process says so at once, with nothing on stdout.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_output() {
    for arguments in [
        &["calc", "3^(2^28)"][..],
        &["calc", "for(i = 1, 10^12, i)"],
        &["gcd", "3^(2^27)", "5^(2^27)"],
        // These wait for bytes that never come.
        &["gcd", "-", "12"],
        &["calc", "@/dev/stdin + 1"],
    ] {
        let child = Command::new(env!("CARGO_BIN_EXE_bezout"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.unwrap();
        let stdin = child.stdin.take();
        std::thread::sleep(std::time::Duration::from_millis(500));
        let sent = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        if sent.is_ok_and(|status| status.success()) {
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(stderr, "bezout: error: interrupted\n", "{arguments:?}");
            assert_eq!(output.status.code(), Some(1), "{arguments:?}");
            assert_eq!(output.stdout, b"");
        }
    }
}
