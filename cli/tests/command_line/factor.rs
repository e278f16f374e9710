//! `bezout factor`.

use std::process::Child;
use std::time::{Duration, Instant};

use super::*;

/// A product of two primes of 70 digits, which no method here splits before the test ends.
const HARD: &str = "(10^69+9)*(10^70+33)";

/// The line that `bezout factor` prints.
fn factor(number: &str) -> String {
    let run = bezout(&["factor", number]);
    assert_eq!(run.code, Some(0), "{number}: {}", run.stderr);
    run.stdout.strip_suffix('\n').expect("a line").to_string()
}

/// A path of this test's own, without a file.
fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bezout-factor-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn lines_are_those_of_gnu_factor() {
    assert_eq!(factor("12"), "12: 2 2 3");
    assert_eq!(factor("1"), "1:");
    assert_eq!(factor("0x1f"), "31: 31");
    assert_eq!(
        factor("2^67-1"),
        "147573952589676412927: 193707721 761838257287"
    );
    assert_eq!(
        factor("18446744073709551557"),
        "18446744073709551557: 18446744073709551557"
    );
    let run = bezout(&["factor", "6", "2^4", "100!/99!", "--verify", "-q"]);
    assert_eq!(run.stdout, "6: 2 3\n16: 2 2 2 2\n100: 2 2 5 5\n");
    let large = factor("(2^89-1)^2 * 6");
    assert_eq!(
        large.split_once(": ").unwrap().1,
        "2 3 618970019642690137449562111 618970019642690137449562111"
    );
}

#[test]
fn standard_input_goes_through_in_order() {
    let run = bezout_with_stdin(&["factor"], "12\n\n  7 9\n2^67 - 1\n(2^89-1)*3\n15");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        run.stdout,
        "12: 2 2 3\n7: 7\n9: 3 3\n147573952589676412927: 193707721 761838257287\n\
         1856910058928070412348686333: 3 618970019642690137449562111\n15: 3 5\n"
    );
    let numbers: String = (1..20_000u32).map(|n| format!("{n}\n")).collect();
    let run = bezout_with_stdin(&["factor", "-"], &numbers);
    assert_eq!(run.code, Some(0));
    let mut count = 0;
    for (n, line) in (1..20_000u64).zip(run.stdout.lines()) {
        let (number, factors) = line.split_once(':').unwrap();
        assert_eq!(number, n.to_string());
        let product: u64 = factors
            .split_whitespace()
            .map(|p| p.parse::<u64>().unwrap())
            .product();
        assert_eq!(product, n);
        count += 1;
    }
    assert_eq!(count, 19_999);
    let run = bezout_with_stdin(&["factor"], "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
}

#[test]
fn a_gpu_prints_the_same() {
    let run = bezout_with_stdin(
        &["factor", "--engine", "cuda:executor"],
        "4295098369\n340282366920938463463374607431768211455\n",
    );
    if run.code == Some(2) {
        assert!(run.stderr.contains("no CUDA device"), "{}", run.stderr);
        return;
    }
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        run.stdout,
        "4295098369: 65537 65537\n340282366920938463463374607431768211455: 3 5 17 257 641 65537 \
         274177 6700417 67280421310721\n"
    );
}

#[test]
fn bad_lines_are_named_and_the_rest_goes_on() {
    let run = bezout_with_stdin(&["factor"], "6\nabc\n0\n-5\n1\n2.5\n10\n");
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout, "6: 2 3\n1:\n10: 2 5\n");
    for line in ["line 2", "line 3", "line 4", "line 6", "4 of 7"] {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    let run = bezout(&["factor", "0", "4"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), "4: 2 2\n"));
    let run = bezout(&["factor", "abc"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    for arguments in [
        ["factor", "6", "--methods", "magic"],
        ["factor", "6", "--b1", "1.5"],
        ["factor", "6", "--b2", "100"],
        ["factor", "6", "--timeout", "soon"],
    ] {
        assert_eq!(bezout(&arguments).code, Some(2), "{arguments:?}");
    }
    assert_eq!(bezout(&["factor", "6", "--resume"]).code, Some(2));
}

#[test]
fn json_has_an_object_a_line() {
    let run = bezout_with_stdin(&["factor", "--json", "--verify"], "2^67-1\n12\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let records: Vec<serde_json::Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0]["number"], "147573952589676412927");
    assert_eq!(records[0]["complete"], true);
    assert_eq!(records[0]["verified"], true);
    let first = &records[0]["factors"][0];
    assert_eq!(first["factor"], "193707721");
    assert_eq!(
        (&first["status"], &first["method"]),
        (&"proved".into(), &"ecm".into())
    );
    assert!(first["b1"].is_u64() && first["b2"].is_u64() && first["sigma"].is_u64());
    assert!(first["seconds"].is_f64());
    let two = &records[1]["factors"][0];
    assert_eq!(
        (&two["exponent"], &two["method"]),
        (&2.into(), &"trial".into())
    );
    assert!(two["b1"].is_null() && two["sigma"].is_null());
}

#[test]
fn time_runs_out() {
    let start = Instant::now();
    let run = bezout(&["factor", &format!("{HARD}*6"), "--timeout", "1"]);
    assert_eq!(run.code, Some(1));
    assert!(start.elapsed() < Duration::from_secs(30));
    let (_, factors) = run.stdout.trim_end().split_once(": ").unwrap();
    assert!(
        factors.starts_with("2 3 [") && factors.ends_with(']'),
        "{factors}"
    );
    assert!(
        run.stderr.contains("time is up") && run.stderr.contains("140 digits"),
        "{}",
        run.stderr
    );
}

/// Starts a search that takes long.
fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_bezout"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_kill_loses_nothing() {
    let file = path("kill");
    let name = file.to_str().unwrap();
    let numbers = ["2^67-1", "12", HARD];
    let arguments = |more: &[&str]| {
        let mut all = vec!["factor"];
        all.extend(numbers);
        all.extend(["--checkpoint", name]);
        all.extend(more);
        all.into_iter().map(str::to_string).collect::<Vec<_>>()
    };
    let strings = arguments(&[]);
    let plain: Vec<&str> = strings.iter().map(String::as_str).collect();
    let mut child = start(&plain);
    // The first checkpoint is there at once; one with the work follows when the second number is
    // done or time has passed.
    let waited = Instant::now();
    while !std::fs::read_to_string(&file).is_ok_and(|text| text.contains("\"all_curves\""))
        && waited.elapsed() < Duration::from_secs(60)
    {
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(
        saved.contains("193707721") && saved.contains("12: 2 2 3"),
        "{saved}"
    );

    // Another run does not take it for its own, nor write over it.
    let refused = |arguments: &[&str], words: &str| {
        let run = bezout(arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert_eq!(run.stdout, "");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), saved);
    };
    refused(&plain, "already");
    refused(
        &["factor", "15", "--checkpoint", name, "--resume"],
        "other numbers",
    );
    let strings = arguments(&["--resume", "--seed", "5"]);
    refused(
        &strings.iter().map(String::as_str).collect::<Vec<_>>(),
        "other options",
    );

    // The same run goes on, with what it had.
    let strings = arguments(&["--resume", "--timeout", "0.5"]);
    let run = bezout(&strings.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "147573952589676412927: 193707721 761838257287");
    assert_eq!(lines[1], "12: 2 2 3");
    assert!(lines[2].contains('['), "{}", lines[2]);

    // Cut short or of another version it is refused.
    std::fs::write(&file, &saved[..saved.len() / 2]).unwrap();
    let strings = arguments(&["--resume"]);
    let resume: Vec<&str> = strings.iter().map(String::as_str).collect();
    let run = bezout(&resume);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("cut short"), "{}", run.stderr);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        saved[..saved.len() / 2]
    );
    std::fs::remove_file(&file).unwrap();
    assert_eq!(bezout(&resume).code, Some(2));
}

/// The files with relations beside a checkpoint.
fn relation_files(checkpoint: &std::path::Path) -> Vec<PathBuf> {
    let name = checkpoint.file_name().unwrap().to_str().unwrap();
    let all = std::fs::read_dir(checkpoint.parent().unwrap()).unwrap();
    let all = all.map(|entry| entry.unwrap().path());
    all.filter(|path| {
        let other = path.file_name().unwrap().to_string_lossy();
        other.starts_with(name) && other.ends_with(".relations")
    })
    .collect()
}

/// A sieve that is killed goes on with its relations, with another number of threads, and after its
/// file was cut.
#[test]
fn a_killed_sieve_goes_on() {
    let file = path("sieve");
    let name = file.to_str().unwrap();
    let n = "39413841828817886032165812341476111704285088065569772121492571";
    let line = format!("{n}: 4991114909907206542857044082401 7896801123649276491772778602171\n");
    let plain = ["factor", n, "--methods", "siqs", "--checkpoint", name];
    let mut child = start(&[&plain[..], &["--threads", "1"]].concat());
    let waited = Instant::now();
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
    while !relation_files(&file)
        .iter()
        .any(|path| size(path) > 1 << 14)
        && waited.elapsed() < Duration::from_secs(60)
        && child.try_wait().unwrap().is_none()
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    let resume = [&plain[..], &["--resume", "--threads", "2"]].concat();
    if child.try_wait().unwrap().is_none() {
        let second = bezout(&resume);
        if second.code != Some(0) {
            assert_eq!(second.code, Some(2), "{}", second.stderr);
            assert!(second.stderr.contains("another run"), "{}", second.stderr);
        }
        child.kill().unwrap();
    }
    child.wait().unwrap();
    for path in relation_files(&file) {
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 100.min(bytes.len())]).unwrap();
    }
    let run = bezout(&resume);
    assert_eq!((run.code, run.stdout), (Some(0), line), "{}", run.stderr);
    assert!(relation_files(&file).is_empty());
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_an_error() {
    let run = bezout(&["factor", "12", "--checkpoint", "/no/such/folder/file"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(
        run.stderr.contains("/no/such/folder/file"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("--resume"), "{}", run.stderr);
}

#[test]
fn a_finished_run_is_printed_again() {
    let file = path("finished");
    let name = file.to_str().unwrap();
    let first = bezout(&["factor", "2^67-1", "x", "--checkpoint", name]);
    assert_eq!(first.code, Some(2));
    let again = bezout(&["factor", "2^67-1", "x", "--checkpoint", name, "--resume"]);
    assert_eq!((again.code, &again.stdout), (Some(2), &first.stdout));
    assert_eq!(again.stderr, first.stderr);
    std::fs::remove_file(&file).unwrap();
}

/// Runs `bezout factor`, which must end long before it could have factored everything.
fn stopped(arguments: &[&str], stdin: &str) -> Run {
    let start = Instant::now();
    let run = bezout_with_stdin(&[&["factor"], arguments].concat(), stdin);
    assert!(start.elapsed() < Duration::from_secs(15), "{arguments:?}");
    assert_eq!(run.code, Some(1), "{arguments:?}: {}", run.stderr);
    run
}

/// What `bezout factor` prints of a number's factors, the digits of long ones cut off.
fn factors(line: &str) -> Vec<String> {
    let (_, factors) = line.split_once(':').unwrap();
    factors
        .split_whitespace()
        .map(|factor| factor.chars().take(4).collect())
        .collect()
}

#[test]
fn time_runs_out_on_long_numbers() {
    // A prime, and numbers with small factors and without.
    let prime = stopped(&["2^44497-1", "--timeout", "0.5"], "");
    let (number, factor) = prime.stdout.trim_end().split_once(": ").unwrap();
    assert_eq!(factor, format!("[{number}]"));
    assert!(
        prime.stderr.contains("time is up") && prime.stderr.contains("13395 digits is not tested"),
        "{}",
        prime.stderr
    );
    let run = stopped(&["random:2^22:5", "--timeout", "1"], "");
    assert!(run.stderr.contains("not tested"), "{}", run.stderr);
    // The next line of a list has its turn, and a power is seen before its root is tested.
    let list = "12 * (10^100000 + 19)\n21\n((10^20000 + 7) * (10^20000 + 9))^3 * 10^5000\n15\n";
    let run = stopped(&["--timeout", "1", "--exponents"], list);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", run.stderr);
    assert_eq!(lines[1], "21: 3 7");
    assert!(lines[2].contains(" 2^5000 ") && lines[2].contains(" 5^5000 "));
    assert!(lines[2].ends_with("]^3"));
    assert_eq!(lines[3], "15: 3 5");
    assert!(
        factors(lines[0])
            .iter()
            .any(|factor| factor.starts_with('['))
    );
}

#[test]
fn a_number_that_is_not_computed_in_time_is_named() {
    let run = stopped(&["--timeout", "0.2"], "6\n3^(10^9)\n10\n");
    assert_eq!(run.stdout, "6: 2 3\n10: 2 5\n");
    assert!(
        run.stderr.contains("line 2: the time is up"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_status_is_unknown_until_it_is_known() {
    let run = stopped(&["2^44497-1", "--timeout", "0.3", "--json"], "");
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["complete"], false);
    assert_eq!(record["factors"][0]["status"], "unknown");
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_ends_a_long_number_gracefully() {
    for number in ["2^44497-1", "random:2^22:5", HARD] {
        let child = Command::new(env!("CARGO_BIN_EXE_bezout"))
            .args(["factor", number])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        let start = Instant::now();
        let pid = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(15), "{number}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{number}: {stderr}");
        assert!(stderr.contains("interrupted"), "{stderr}");
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(stdout.trim_end().ends_with(']'), "{number}");
        // A long number is converted in no time: to hexadecimal.
        let is_long = number.starts_with("random");
        assert_eq!(stdout.starts_with("0x"), is_long, "{number}");
        assert_eq!(stderr.contains("in hexadecimal"), is_long, "{stderr}");
    }
}

#[test]
fn methods_that_are_used_up_are_not_the_time() {
    let run = bezout(&["factor", HARD, "--methods", "rho", "--timeout", "1h"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr
            .contains("methods and bounds allowed are used up"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("time is up"), "{}", run.stderr);
}

#[test]
fn exponents_as_powers() {
    let run = bezout(&["factor", "--exponents", "1000", "1", "7", "(2^89-1)^2 * 6"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some("1000: 2^3 5^3"));
    assert_eq!(lines.next(), Some("1:"));
    assert_eq!(lines.next(), Some("7: 7"));
    let last = lines.next().unwrap();
    assert!(
        last.ends_with(": 2 3 618970019642690137449562111^2"),
        "{last}"
    );
}

#[test]
fn files_are_lists() {
    let list = "\u{feff}12, 15 # two numbers\r\n\r\n# none\r\n2^67 - 1,gcd(21, 14)\r\n9 10\r\n";
    let list = TempFile::new("list.txt", list);
    let other = TempFile::new("other.txt", "6\nx y\n8");
    let expected = "12: 2 2 3\n15: 3 5\n147573952589676412927: 193707721 761838257287\n7: 7\n\
        9: 3 3\n10: 2 5\n";
    for name in [list.at(), list.0.display().to_string()] {
        let run = bezout(&["factor", &name]);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(0), expected),
            "{}",
            run.stderr
        );
    }
    // What cannot be read is named, and the others have their turn.
    let folder = format!("@{}", std::env::temp_dir().display());
    let run = bezout(&["factor", "4", &folder, "@/no/such/file", &other.at(), "14"]);
    assert_eq!(run.stdout, "4: 2 2\n6: 2 3\n8: 2 2 2\n14: 2 7\n");
    assert_eq!(run.code, Some(2));
    for words in [
        "cannot read",
        "/no/such/file",
        "other.txt', line 2",
        "4 of 8",
    ] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    let run = bezout_with_stdin(&["factor", "6", "-", "10", "-"], "7\n");
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(2), "6: 2 3\n7: 7\n10: 2 5\n")
    );
    assert!(run.stderr.contains("can be read once"), "{}", run.stderr);
}
