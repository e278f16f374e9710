//! `bezout batch-gcd`.

use super::*;

/// A prime of the key in `keys/`, a self-signed certificate that OpenSSL made.
const PRIME: &str = "\
    114819294026467298989505191980920799510663037187797733971998809032104121970223158404005752\
    35895759156396226074672003661707542320614917911474741234375873953";
/// That prime times 2^521 − 1.
const OTHER: &str = "\
    788211220970741207436895565374397311022858389995060757150791345081831872046541191398673555\
    389471602566436963635055280397470641417383795605140537038389181583878752580098301277618854\
    999030618529242439156630418847374084721425645535481971958081436531421260738440452987314600\
    43250770417820938596147761515643167287903";

fn key(name: &str) -> String {
    format!(
        "{}/tests/command_line/keys/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn shared_primes_are_printed_with_their_keys() {
    let text = "# moduli\n10403\n0x2d77\n1fd7\n10403\n";
    for engine in ["auto", "cpu"] {
        let run = bezout_with_stdin(
            &["batch-gcd", "-", "--engine", engine, "--verify", "-q"],
            text,
        );
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(run.stdout, "103: -:2 -:3 -:5\nduplicates: -:2 -:5\n");
    }
    let run = bezout_with_stdin(&["batch-gcd", "-", "--hex"], "15\n21");
    assert_eq!(run.stdout, "0x3: -:1 -:2\n");
    assert_eq!(run.stderr, "2 of 2 keys share a factor with another\n");
    for none in ["", "15\n", "15\n77\n"] {
        let run = bezout_with_stdin(&["batch-gcd", "-"], none);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    }
}

#[test]
fn keys_are_read() {
    let (pem, several, der) = (
        key("certificate.pem"),
        key("several.pem"),
        key("certificate.der"),
    );
    let run = bezout_with_stdin(
        &["batch-gcd", &pem, &several, &der, "-", "--json", "--verify"],
        OTHER,
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("not an RSA key"), "{}", run.stderr);
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    // A certificate, twice; a public key in two forms, a request, OpenSSH's line; a number.
    assert_eq!(record["keys"], 7);
    assert_eq!(record["shared"][0]["factor"], PRIME);
    assert_eq!(record["shared"][0]["prime"], true);
    assert_eq!(record["shared"][0]["keys"].as_array().unwrap().len(), 7);
    assert_eq!(record["duplicates"][0].as_array().unwrap().len(), 6);
    assert_eq!(record["problems"], serde_json::json!([]));
    assert_eq!(record["shared"][0]["keys"][0]["file"], pem.as_str());
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let text =
        "15\n1x\n0\n1\n-15\n16\n21\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let run = bezout_with_stdin(&["batch-gcd", "-", "-q"], text);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "3: -:1 -:7\n"));
    for line in [2, 3, 4, 5, 6, 8] {
        assert!(
            run.stderr.contains(&format!("line {line}:")),
            "{}",
            run.stderr
        );
    }
    assert!(run.stderr.contains("6 keys could not be read"));
    let run = bezout(&["batch-gcd", "/no/such/file"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("/no/such/file"));
    assert_eq!(bezout(&["batch-gcd"]).code, Some(2));
}

#[test]
fn an_unreadable_file_leaves_the_others() {
    let pem = key("certificate.pem");
    let arguments = ["batch-gcd", "/no/such/file", "-", &pem, "/nor/this", "-q"];
    let run = bezout_with_stdin(&arguments, OTHER);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_eq!(run.stdout, format!("{PRIME}: -:1 {pem}:1\n"));
    for words in [
        "'/no/such/file'",
        "'/nor/this'",
        "2 files could not be read",
    ] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = bezout_with_stdin(&[&arguments[..4], &["--json"]].concat(), "15 x 21");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("a file could not be read, a key could not be read")
    );
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["keys"], 3);
    let problems = record["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2);
    assert!(problems[0]["line"].is_null());
    assert_eq!(problems[0]["file"], "/no/such/file");
    assert_eq!(problems[1]["line"], 1);
    assert_eq!(record["shared"][0]["keys"][1]["column"], 6);
}

#[test]
fn standard_input_is_read_once() {
    for arguments in [&["batch-gcd", "-", "-"][..], &["batch-gcd", "-", "x", "-"]] {
        let run = bezout_with_stdin(arguments, "15\n21\n");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains("'-' is given twice"), "{}", run.stderr);
    }
}

#[test]
fn keys_of_other_kinds_are_counted() {
    let (ssh, pem) = (key("kinds.pub"), key("kinds.pem"));
    let run = bezout(&["batch-gcd", &ssh, &pem, &key("several.pem")]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    assert!(run.stdout.starts_with("duplicates: "), "{}", run.stdout);
    let notes = [
        "6 keys are not RSA keys, left out: lines 2, 3, 4, 5, 6, 7",
        "4 keys are not RSA keys, left out: lines 1, 11, 18, 21",
        "not an RSA key, left out",
    ];
    for note in notes {
        assert!(run.stderr.contains(note), "{}", run.stderr);
    }
    let run = bezout(&["batch-gcd", &ssh, &pem, "--json", "-q"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&record["keys"], &record["left_out"]),
        (&3.into(), &10.into())
    );
}

#[test]
fn several_numbers_are_named_by_their_columns() {
    let text = "\u{feff}15, 21 # 33\r\n77\r\n";
    let run = bezout_with_stdin(&["batch-gcd", "-", "-q"], text);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "3: -:1:1 -:1:5\n7: -:1:5 -:2\n");
}

#[test]
fn long_names_are_not_echoed() {
    let name = "A".repeat(3 << 20);
    let run = bezout_with_stdin(&["batch-gcd", "-"], &format!("-----BEGIN {name}-----\n"));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.len() < 1000, "{}", run.stderr.len());
}

#[test]
fn damaged_files_are_reported_or_read() {
    let names = [
        "certificate.der",
        "certificate.pem",
        "several.pem",
        "kinds.pub",
    ];
    let mut files = Vec::new();
    for name in names {
        let whole = std::fs::read(key(name)).unwrap();
        for i in 0..10 {
            let (mut bytes, at) = (whole.clone(), whole.len() * (2 * i + 1) / 20);
            match i % 4 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 0x80,
                2 => drop(bytes.splice(at..at + 1, [0x84, 0xff, 0xff, 0xff, 0xff])),
                _ => drop(bytes.drain(at..at + 1)),
            }
            files.push(TempFile::new(&format!("damaged-{i}-{name}"), bytes));
        }
    }
    let paths: Vec<String> = files.iter().map(|f| f.0.display().to_string()).collect();
    for paths in paths.chunks(4) {
        let mut arguments = vec!["batch-gcd", "--json"];
        arguments.extend(paths.iter().map(String::as_str));
        let run = bezout(&arguments);
        assert!(
            matches!(run.code, Some(0 | 1)),
            "{:?} {}",
            run.code,
            run.stderr
        );
        assert!(!run.stderr.contains("internal error"), "{}", run.stderr);
        let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let problems = record["problems"].as_array().unwrap();
        assert_eq!(run.code == Some(1), !problems.is_empty());
    }
}

/// A file of the reader's own tests.
fn sample(name: &str) -> String {
    format!(
        "{}/../keyfile/tests/keys/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn every_format_is_recognised() {
    let moduli = std::fs::read_to_string(sample("modulus.hex")).unwrap();
    for (name, column, count) in [
        ("certificate.pem", "", 1),
        ("pkcs1.pem", "", 1),
        ("pkcs8.pem", "", 1),
        ("openssh-private.pem", "", 1),
        ("all.der", "", 5),
        ("keys.pub", "", 4),
        ("set.jwk", "", 2),
        ("zone.dns", "", 5),
        ("zone.dns.zst", "", 5),
        ("blocks.pem.gz", "", 3),
        ("table.csv", "the key", 5),
        ("rows.jsonl", "cert.n", 4),
    ] {
        let path = sample(name);
        let mut arguments = vec!["batch-gcd", &path, "-", "--json"];
        if !column.is_empty() {
            // The column of standard input is the same.
            arguments.extend(["--column", column]);
        }
        let input = match column {
            "the key" => format!("the key\n{moduli}"),
            "cert.n" => format!("{{\"cert.n\":\"{}\"}}\n", moduli.trim()),
            _ => moduli.clone(),
        };
        let run = bezout_with_stdin(&arguments, &input);
        assert!(matches!(run.code, Some(0 | 1)), "{name}: {}", run.stderr);
        let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(record["keys"], count + 1, "{name}");
        assert_eq!(record["duplicates"][0].as_array().unwrap().len(), count + 1);
    }
    let (pem, der) = (sample("encrypted.pem"), sample("all.der"));
    let run = bezout(&["batch-gcd", &pem, "-q"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("is encrypted"), "{}", run.stderr);
    // In a format that it is not, nothing is found.
    let run = bezout(&["batch-gcd", &der, "--input-format", "jwk", "--json"]);
    assert!(run.stdout.contains("\"keys\":0"), "{}", run.stdout);
    let run = bezout(&["batch-gcd", &der, "--input-format", "pdf"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("authorized_keys"), "{}", run.stderr);
}

#[test]
fn skipped_records_are_counted_by_reason() {
    let zone = sample("zone.dns");
    let run = bezout(&["batch-gcd", &zone]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let words = "3 skipped: 2 not RSA, 1 revoked";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert!(run.stderr.contains("4 of 5 keys are copies of another"));
    let run = bezout_with_stdin(
        &["batch-gcd", "-", "--json", "--min-bits", "4"],
        "15\n7\n16\n",
    );
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let expected = serde_json::json!({"too short": 1, "even": 1});
    assert_eq!((run.code, &record["skipped"]), (Some(1), &expected));
    // Of very many problems the first are shown, and all are counted.
    let run = bezout_with_stdin(&["batch-gcd", "-"], &"x\n".repeat(5000));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.lines().count() < 30, "{}", run.stderr);
    for words in [
        "and 4980 more",
        "5000 skipped: 5000 not a number",
        "5000 keys could not",
    ] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn names_are_said() {
    let path = sample("keys.pub");
    let run = bezout(&["batch-gcd", &path, "--names", "-q"]);
    let expected = format!(
        "duplicates: {path}:2 (me@here) {path}:3 (with options) {path}:4 \
         (|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg=) {path}:5 \
         (@revoked host.example,[10.0.0.1]:2222)\n"
    );
    assert_eq!((run.code, run.stdout), (Some(0), expected));
    let path = sample("certificate.pem");
    let run = bezout(&["batch-gcd", &path, &path, "--names", "--json", "-q"]);
    assert!(
        run.stdout.contains(r#""name":"key.example""#),
        "{}",
        run.stdout
    );
}

#[test]
fn weak_moduli_are_said() {
    // 1048583·3145739, and two primes of 521 bits with 2^100 between them.
    let close = "2^520 + 2^100";
    let close = bezout(&["calc", &format!("nextprime(2^520) * nextprime({close})")]).stdout;
    let text = format!("49\n101\n15\n{OTHER}\n3298568437837\n{close}");
    let run = bezout_with_stdin(&["batch-gcd", "-", "--check", "-q"], &text);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = "square: -:1\nprime: -:2\nsmall factor: -:3\nshort: -:5\nclose primes: -:6\n";
    assert_eq!(run.stdout, expected);
    // What factor finds by the same method.
    let run = bezout(&["factor", close.trim(), "--json", "--timeout", "60"]);
    assert!(
        run.stdout.contains(r#""method":"fermat""#),
        "{}",
        run.stdout
    );
    let run = bezout_with_stdin(&["batch-gcd", "-", "--check", "--json"], &text);
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["weak"][1]["weakness"], "prime");
    assert_eq!(record["weak"][1]["key"]["line"], 2);
}

#[test]
fn the_exit_code_tells_whether_a_key_is_bad() {
    for (text, check, code) in [
        ("35\n21\n", false, 3),
        ("35\n35\n", false, 3),
        ("35\n143\n", false, 0),
        ("35\n143\n", true, 3),
    ] {
        let mut arguments = vec!["batch-gcd", "-", "--exit-code", "-q"];
        arguments.extend(check.then_some("--check"));
        assert_eq!(
            bezout_with_stdin(&arguments, text).code,
            Some(code),
            "{text}"
        );
        arguments.retain(|argument| *argument != "--exit-code");
        assert_eq!(bezout_with_stdin(&arguments, text).code, Some(0), "{text}");
    }
}

#[test]
fn fastgcds_files_are_written_once() {
    let folder = std::env::temp_dir().join(format!("bezout-fastgcd-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let path = folder.display().to_string();
    let arguments = ["batch-gcd", "-", "--format", "fastgcd", "--out", &path];
    // 3·5, 3·7, 5·7, 11·13, 15 again.
    let run = bezout_with_stdin(&arguments, "15\n21\n35\n143\n15\n");
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), ""),
        "{}",
        run.stderr
    );
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("vulnerable_moduli"), "f\n15\n23\nf\n");
    assert_eq!(read("gcds"), "f\n15\n23\nf\n");
    let run = bezout_with_stdin(&arguments, "15\n");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("is not overwritten"), "{}", run.stderr);
    assert_eq!(read("gcds"), "f\n15\n23\nf\n");
    // What a run that was killed left is replaced.
    for name in ["vulnerable_moduli", "gcds"] {
        std::fs::remove_file(folder.join(name)).unwrap();
        std::fs::write(folder.join(format!("{name}.partial")), "f\n1").unwrap();
    }
    let run = bezout_with_stdin(&arguments, "15\n21\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(read("gcds"), "3\n3\n");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
    // Without an answer there are no files.
    let run = bezout(&[
        "batch-gcd",
        "/no/such/file",
        "--format",
        "fastgcd",
        "--out",
        &path,
    ]);
    assert_eq!(run.code, Some(2));
    assert!(std::fs::read_dir(&folder).unwrap().next().is_none());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(
        bezout(&["batch-gcd", "-", "--format", "fastgcd"]).code,
        Some(2)
    );
    let run = bezout_with_stdin(&["batch-gcd", "-", "--out", &path], "15\n21\n");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("--format fastgcd"), "{}", run.stderr);
}

/// gcd(N, product of all the others) of each modulus, by the definition.
#[test]
fn fastgcds_files_have_its_values() {
    use std::fmt::Write;
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let many: Vec<u64> = (0..400).map(|i| 2 * (i * i * 7919 % 30_011) + 3).collect();
    for moduli in [
        vec![45, 21, 33],
        vec![15, 15],
        vec![9, 3, 3, 101, 15, 77, 77, 45],
        vec![27, 3, 3, 9, 225],
        vec![5, 7, 11],
        many,
    ] {
        let (mut input, mut vulnerable, mut gcds) = (String::new(), String::new(), String::new());
        for (i, n) in moduli.iter().enumerate() {
            writeln!(input, "{n}").unwrap();
            let others = moduli.iter().enumerate().filter(|(j, _)| *j != i);
            let common = gcd(
                *n,
                others.fold(1, |product, (_, other)| product * other % n),
            );
            if common != 1 {
                writeln!(vulnerable, "{n:x}").unwrap();
                writeln!(gcds, "{common:x}").unwrap();
            }
        }
        let file = TempFile::new("fastgcd-values.txt", &input);
        let path = file.0.display().to_string();
        let folder = std::env::temp_dir().join(format!("bezout-values-{}", std::process::id()));
        let work = folder.join("work").display().to_string();
        for more in [&[][..], &["--checkpoint", &work, "--group-keys", "4"]] {
            let _ = std::fs::remove_dir_all(&folder);
            let found = folder.join("found").display().to_string();
            let arguments = ["batch-gcd", &path, "--format", "fastgcd", "--out", &found];
            let run = bezout(&[&arguments, more].concat());
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            let read = |name: &str| std::fs::read_to_string(format!("{found}/{name}")).unwrap();
            assert_eq!(read("vulnerable_moduli"), vulnerable, "{moduli:?}");
            assert_eq!(read("gcds"), gcds, "{moduli:?}");
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
}

/// A file that cannot be written whole leaves none. The limit stands for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn fastgcds_files_are_written_whole() {
    let folder = std::env::temp_dir().join(format!("bezout-whole-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = Command::new("sh");
    let words = "trap '' XFSZ; ulimit -f 1; exec \"$0\" batch-gcd - --format fastgcd --out \"$1\"";
    command
        .args(["-c", words, env!("CARGO_BIN_EXE_bezout")])
        .arg(&folder);
    let run = run_with_stdin(command, &format!("{OTHER}\n").repeat(20));
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(1), ""),
        "{}",
        run.stderr
    );
    let words = format!("cannot write '{}/vulnerable_moduli'", folder.display());
    assert!(run.stderr.contains(&words), "{}", run.stderr);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A signal while standard input has no end yet.
#[cfg(unix)]
#[test]
fn signals_end_the_work_with_a_message() {
    for signal in ["-INT", "-TERM"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bezout"))
            .args(["batch-gcd", "-", "--add", "--against"])
            .arg(std::env::temp_dir().join(format!("bezout-signal-{}", std::process::id())))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"15\n21\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1000));
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(
            (output.stdout, stderr.as_str()),
            (vec![], "bezout: error: interrupted\n")
        );
    }
    let folder = std::env::temp_dir().join(format!("bezout-signal-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_time_ends_the_work() {
    for more in [&[][..], &["/no/such/file"], &["--check"]] {
        let arguments = ["batch-gcd", "-", "--timeout", "0"];
        let run = bezout_with_stdin(&[&arguments, more].concat(), "15\n21\n");
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(1), ""),
            "{}",
            run.stderr
        );
        assert_eq!(run.stderr, "bezout: error: not done after 0 s\n");
    }
    let run = bezout_with_stdin(&["batch-gcd", "-", "-q", "--timeout", "10m"], "15\n21\n");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "3: -:1 -:2\n"));
}

#[cfg(unix)]
#[test]
fn names_of_files_do_not_forge_lines() {
    use std::os::unix::ffi::OsStrExt;
    let first = TempFile::new("a\nduplicates: b:1 é.txt", "15\n21\n16\n");
    let path = first.0.to_str().unwrap().replace('\n', "\\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
    command.arg("batch-gcd").arg(&first.0);
    let run = run_with_stdin(command, "");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(run.stdout, format!("3: {path}:1 {path}:2\n"));
    let words = format!("bezout: error: '{path}', line 3: the modulus is even\n");
    assert!(run.stderr.contains(&words), "{}", run.stderr);
    // A name that is not UTF-8.
    let name = std::ffi::OsStr::from_bytes(b"bezout-\xff.txt");
    let second = TempFile(std::env::temp_dir().join(name));
    std::fs::write(&second.0, "33\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
    command
        .args(["batch-gcd", "-q"])
        .args([&first.0, &second.0]);
    let run = run_with_stdin(command, "");
    assert!(run.stdout.contains("bezout-\u{fffd}.txt:1\n"), "{run:?}");
}

#[test]
fn damaged_compressed_files_are_refused_with_the_place() {
    for name in ["blocks.pem.gz", "zone.dns.zst"] {
        let whole = std::fs::read(sample(name)).unwrap();
        let file = TempFile::new(&format!("cut-{name}"), &whole[..whole.len() / 2]);
        let path = file.0.display().to_string();
        let run = bezout(&["batch-gcd", &path]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(
            run.stderr.contains("damaged or cut at byte "),
            "{}",
            run.stderr
        );
        // Nothing of such a file is compared.
        let run = bezout_with_stdin(&["batch-gcd", &path, "-", "--json"], "15\n");
        assert_eq!(run.code, Some(2));
        assert!(run.stdout.contains("\"keys\":1,"), "{}", run.stdout);
    }
}

#[test]
fn thousands_of_duplicates_and_a_modulus_that_all_divide() {
    let run = bezout_with_stdin(&["batch-gcd", "-"], &format!("{OTHER}\n").repeat(3000));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(
        run.stderr
            .contains("2999 of 3000 keys are copies of another")
    );
    assert!(run.stderr.contains("0 of 3000 keys share a factor"));
    // 3·5, 7·11, 13·17, 19·23, 29·31 and their product.
    let text = "15\n77\n221\n437\n899\n100280245065\n";
    let run = bezout_with_stdin(&["batch-gcd", "-", "-q", "--verify"], text);
    let expected = "15: -:1 -:6\n77: -:2 -:6\n221: -:3 -:6\n437: -:4 -:6\n899: -:5 -:6\n";
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), expected),
        "{}",
        run.stderr
    );
}

/// A folder stands for the files in it and below; those without keys are passed over.
#[test]
fn folders_are_searched() {
    let folder = std::env::temp_dir().join(format!("bezout-search-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("a/b")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("a/first", "15\n");
    write("a/b/second", "21\nx\n");
    write("notes", "Dear all,\nthese are my keys.\n");
    write("zipped.gz", "no gzip at all");
    let path = folder.display().to_string();
    let run = bezout(&["batch-gcd", &path]);
    let expected = format!("3: {path}/a/b/second:1 {path}/a/first:1\n");
    assert_eq!(
        (run.code, &run.stdout),
        (Some(1), &expected),
        "{}",
        run.stderr
    );
    for words in [
        "notes': no keys, passed over",
        "second', line 2",
        "a key could not be read",
    ] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    std::fs::remove_file(folder.join("a/b/second")).unwrap();
    let run = bezout(&["batch-gcd", &path, "-q"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), ""),
        "{}",
        run.stderr
    );
    std::fs::create_dir(folder.join("empty")).unwrap();
    let run = bezout(&["batch-gcd", folder.join("empty").to_str().unwrap()]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("there is no file in"), "{}", run.stderr);
    let _ = std::fs::remove_dir_all(&folder);
}

/// Parameters and the key that follows them are one key, which is named once.
#[test]
fn keys_of_other_kinds_are_named_once() {
    let block = |name: &str| format!("-----BEGIN {name}-----\nBggqhkjO\n-----END {name}-----\n");
    let text = [
        block("EC PARAMETERS"),
        block("EC PRIVATE KEY"),
        "15\n".into(),
    ]
    .concat();
    let run = bezout_with_stdin(&["batch-gcd", "-"], &text);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        run.stderr.matches("not an RSA key").count(),
        1,
        "{}",
        run.stderr
    );
    let run = bezout_with_stdin(&["batch-gcd", "-"], &block("EC PRIVATE KEY").repeat(2));
    assert_eq!(run.stderr.matches("RSA").count(), 1, "{}", run.stderr);
    assert!(!run.stderr.contains("skipped"), "{}", run.stderr);
}

/// Of broken keys the private ones are written, to a folder that is made for them.
#[test]
fn private_keys_of_broken_ones() {
    let folder = std::env::temp_dir().join(format!("bezout-private-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let path = folder.display().to_string();
    let primes = [1u64 << 31, 1 << 30, 1 << 29].map(|from| {
        let prime = calc(&format!("nextprime({from})"));
        prime.parse::<u64>().unwrap()
    });
    let [p, q, r] = primes;
    let text = format!("{}\n{}\n{}\n", p * q, p * r, 15);
    let arguments = ["batch-gcd", "-", "--private-keys", &path];
    let run = bezout_with_stdin(&arguments, &text);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("2 private keys written"),
        "{}",
        run.stderr
    );
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(
        read("key-00001.pem")
            .starts_with("# -:1\n# The public exponent is taken to be 65537.\n-----BEGIN")
    );
    // They are keys again: the two have what was broken.
    let run = bezout(&["batch-gcd", &path, "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with(&format!("{p}: ")), "{}", run.stdout);
    let run = bezout_with_stdin(&arguments, &text);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("is not empty"), "{}", run.stderr);
    let _ = std::fs::remove_dir_all(&folder);
}

/// Exponents of one key each: 3, 1, 2, 65537.
#[test]
fn weak_exponents_are_reported() {
    let keys = ["Aw", "AQ", "Ag", "AQAB"].map(|e| {
        // 2^521 - 1 is a prime, and no modulus is needed for this.
        let modulus = format!("Af{}", "_".repeat(86));
        format!("{{\"kty\":\"RSA\",\"n\":\"{modulus}\",\"e\":\"{e}\"}}\n")
    });
    let run = bezout_with_stdin(&["batch-gcd", "-", "--check", "-q"], &keys.concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines: Vec<&str> = run
        .stdout
        .lines()
        .filter(|l| l.contains("exponent"))
        .collect();
    let expected = [
        "small exponent: -:1",
        "exponent 1: -:2",
        "even exponent: -:3",
    ];
    assert_eq!(lines, expected, "{}", run.stdout);
    let run = bezout_with_stdin(&["batch-gcd", "-", "--check", "--json"], &keys[0]);
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["weak"][1]["weakness"], "small exponent", "{record}");
    assert_eq!(record["weak"][1]["key"]["line"], 1);
}

#[test]
fn counts_say_what_is_wanted() {
    for (flag, words) in [
        ("--group-keys", "not a whole number from 1 on"),
        ("--group-pieces", "not a whole number from 1 to 1000"),
        ("--min-bits", "not a number of bits"),
    ] {
        let run = bezout(&["batch-gcd", "-", "--checkpoint", "x", flag, "x"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(words), "{flag}: {}", run.stderr);
    }
}
