//! `bezout sort`.

use super::*;

/// What a successful sort of this text prints.
fn sorted(arguments: &[&str], stdin: &str) -> String {
    let arguments = [&["sort"], arguments, &["--verify", "-q"]].concat();
    let run = bezout_with_stdin(&arguments, stdin);
    assert_eq!(run.code, Some(0), "{arguments:?} {stdin:?}: {}", run.stderr);
    assert_eq!(run.stderr, "");
    run.stdout
}

/// The JSON object that a successful sort of this text prints.
fn record(arguments: &[&str], stdin: &str) -> serde_json::Value {
    let arguments = [&["--json"], arguments].concat();
    serde_json::from_str(&sorted(&arguments, stdin)).unwrap()
}

/// A sort that is refused as bad input with `words` on stderr.
fn refused(arguments: &[&str], stdin: &str, words: &[&str]) {
    let arguments = [&["sort"], arguments].concat();
    let run = bezout_with_stdin(&arguments, stdin);
    assert_eq!(run.code, Some(2), "{arguments:?} {stdin:?}");
    assert_eq!(run.stdout, "");
    for words in words {
        assert!(run.stderr.contains(words), "{words:?}: {}", run.stderr);
    }
}

fn path(file: &TempFile) -> &str {
    file.0.to_str().unwrap()
}

#[test]
fn text_is_sorted() {
    for engine in ["auto", "cpu"] {
        let text = sorted(&["-", "--engine", engine], "30\n-0x10\n\n 7 \n+7\n0x7");
        assert_eq!(text, "-0x10\n7\n+7\n0x7\n30\n");
    }
    let text = sorted(&["-", "--descending"], "1e3\nnan\n-0\n0\n-inf\n-NaN\n");
    assert_eq!(text, "nan\n1e3\n0\n-0\n-inf\n-NaN\n");
    assert_eq!(
        sorted(&["-", "--permutation"], "5\n3\n5\n1\n"),
        "3\n1\n0\n2\n"
    );
    assert_eq!(sorted(&["-"], ""), "");
    assert_eq!(sorted(&[], "2\n1\n"), "1\n2\n");
}

#[test]
fn integers_of_any_size_stay_exact() {
    let text = sorted(&["-"], "18446744073709551617\n18446744073709551616\n");
    assert_eq!(text, "18446744073709551616\n18446744073709551617\n");
    let text = sorted(&["-"], "18446744073709551615\n-1\n");
    assert_eq!(text, "-1\n18446744073709551615\n");
    let mixed = "0x10000000000000001\n18446744073709551616\n-0xffffffffffffffffff\n007\n";
    let ordered = "-0xffffffffffffffffff\n007\n18446744073709551616\n0x10000000000000001\n";
    assert_eq!(sorted(&["-"], mixed), ordered);
    assert_eq!(sorted(&["-", "--type", "integer"], mixed), ordered);
    let (long, longer) = ("9".repeat(100_000), format!("1{}", "0".repeat(100_000)));
    let text = sorted(&["-", "-r"], &format!("{long}\n{longer}\n-{longer}\n"));
    assert_eq!(text, format!("{longer}\n{long}\n-{longer}\n"));
    let places = sorted(
        &["-", "--permutation"],
        &format!("{longer}\n{long}\n{longer}\n"),
    );
    assert_eq!(places, "1\n0\n2\n");
}

#[test]
fn decimals_stay_exact() {
    let text = sorted(
        &["-"],
        "9007199254740993\n9007199254740992\n0.5\n9007199254740992.5\n",
    );
    assert_eq!(
        text,
        "0.5\n9007199254740992\n9007199254740992.5\n9007199254740993\n"
    );
    let text = sorted(
        &["-"],
        "inf\n1e401\n1e400\n1e999999999999\n-1e-400\n0\n.10\n0.1000\n",
    );
    assert_eq!(
        text,
        "-1e-400\n0\n.10\n0.1000\n1e400\n1e401\n1e999999999999\ninf\n"
    );
    let text = sorted(
        &["-"],
        "0.1\n0.1000000000000000055511151231257827\n0.09999999999999999999\n",
    );
    assert_eq!(
        text,
        "0.09999999999999999999\n0.1\n0.1000000000000000055511151231257827\n"
    );
    let places = sorted(&["-", "--permutation", "-r"], "1e400\n1.0e400\n2e400\n");
    assert_eq!(places, "2\n0\n1\n");
}

/// `-u`, and `-n`, which `sort` of other systems has.
#[test]
fn equal_numbers_are_printed_once() {
    let text = "7\n+7\n3\n0x7\n3\n";
    assert_eq!(sorted(&["-n", "-u"], text), "3\n7\n");
    assert_eq!(sorted(&["-nur"], text), "7\n3\n");
    let long = "1e400\n10e399\n1e400000\n-1e400\n1e400\n";
    assert_eq!(sorted(&["--unique"], long), "-1e400\n1e400\n1e400000\n");
    assert_eq!(
        sorted(&["-u", "--type", "f64"], "0.10\n0.1\n1e-1\n"),
        "0.10\n"
    );
    assert_eq!(record(&["-u"], text)["count"], 2);
}

#[test]
fn types_are_exact_or_refuse() {
    // Rounded values are equal: the order of the input stays.
    let text = sorted(
        &["-", "--type", "f64"],
        "9007199254740993\n9007199254740992\n0.10\n",
    );
    assert_eq!(text, "0.10\n9007199254740993\n9007199254740992\n");
    assert_eq!(
        sorted(&["-", "--type", "f32"], "0x10\n-0\n0\n"),
        "-0\n0\n0x10\n"
    );
    assert_eq!(sorted(&["-", "--type", "i32"], "1e3\n2.0\n"), "2.0\n1e3\n");
    refused(
        &["-", "--type", "u32"],
        "1\n\n-5\n",
        &["line 3", "of type u32", "0 to 4294967295"],
    );
    refused(
        &["-", "--type", "i64"],
        "1\n1.5\n",
        &["line 2", "not a whole number", "\n    1.5\n"],
    );
    refused(
        &["-", "--type", "i64"],
        "9223372036854775808\n",
        &["line 1", "of type i64"],
    );
    refused(
        &["-", "--type", "integer"],
        "1\nnan\n",
        &["line 2", "not a whole number"],
    );
    refused(
        &["-", "--type", "f64"],
        "1\n1e400\n",
        &["line 2", "of type f64", "e308"],
    );
    refused(
        &["-", "--type", "f32"],
        "-1e39\n",
        &["line 1", "of type f32"],
    );
}

#[test]
fn json_names_the_type() {
    for (text, kind) in [
        ("2\n1\n", "i64"),
        ("18446744073709551615\n1\n", "u64"),
        ("18446744073709551615\n-1\n", "integer"),
        ("18446744073709551616\n1.50\n", "decimal"),
        ("", "i64"),
    ] {
        let record = record(&[], text);
        assert_eq!(record["type"], kind, "{text}");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        assert_eq!(record["sorted"], serde_json::json!(lines));
        assert_eq!(record["count"], lines.len());
        assert_eq!(record["verified"], true);
    }
    assert_eq!(record(&["--type", "f32"], "1")["type"], "f32");
}

#[test]
fn raw_words_are_sorted() {
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let input = TempFile::new("sort-words", bytes(&[7, 1, u32::MAX, 3]));
    let out = TempFile::new("sort-words-out", "");
    let words = ["--binary", "--type", "u32"];
    let given = record(
        &[&words[..], &[path(&input), "--out", path(&out)]].concat(),
        "",
    );
    assert_eq!(given["command"], "sort");
    assert_eq!(given["type"], "u32");
    assert_eq!(given["count"], 4);
    assert_eq!(given["verified"], true);
    assert!(given["sorted"].is_null());
    assert_eq!(std::fs::read(&out.0).unwrap(), bytes(&[1, 3, 7, u32::MAX]));
    let given = record(&[path(&input), "--binary", "--type", "i32"], "");
    assert_eq!(given["sorted"], serde_json::json!(["-1", "1", "3", "7"]));
    let given = record(&[&words[..], &[path(&input), "--permutation"]].concat(), "");
    assert_eq!(given["sorted"], serde_json::json!(["1", "3", "0", "2"]));
    // Words of several files are sorted together.
    let text = sorted(
        &[&words[..], &[path(&out), "-", "--json"]].concat(),
        "\x02\0\0\0",
    );
    assert!(
        text.contains(r#""sorted":["1","2","3","7","4294967295"]"#),
        "{text}"
    );
    refused(&["-", "--binary"], "1234", &["--type"]);
    refused(&["-", "--binary", "--type", "u64"], "1234", &["4 bytes"]);
    refused(
        &["-", "--binary", "--type", "integer"],
        "1234",
        &["integer is for text"],
    );
}

#[test]
fn files_are_sorted_together() {
    let a = TempFile::new("sort-a", "\u{feff}5\r\n1\r\n");
    let b = TempFile::new("sort-b", "\u{feff}4\n0x2");
    let text = sorted(&[path(&a), path(&b), "-"], "3\n18446744073709551616\n");
    assert_eq!(text, "1\n0x2\n3\n4\n5\n18446744073709551616\n");
    let places = sorted(&[path(&a), path(&b), "-", "--permutation"], "3\n");
    assert_eq!(places, "1\n3\n4\n2\n0\n");
    refused(&["-", path(&a), "-"], "1", &["'-' is given twice"]);
    let c = TempFile::new("sort-c", "1\n\nx7\n");
    refused(
        &[path(&a), path(&c)],
        "",
        &["sort-c', line 3: not a number", "\n    x7\n    ^\n"],
    );
}

#[test]
fn the_output_may_be_an_input() {
    let both = TempFile::new("sort-both", "3\n1\n2\n");
    assert_eq!(sorted(&[path(&both), "-r", "-o", path(&both)], ""), "");
    assert_eq!(std::fs::read_to_string(&both.0).unwrap(), "3\n2\n1\n");
    assert_eq!(
        sorted(&["-", path(&both), "--reverse", "--out", path(&both)], "9"),
        ""
    );
    assert_eq!(std::fs::read_to_string(&both.0).unwrap(), "9\n3\n2\n1\n");
    // A refused input leaves the file as it is.
    refused(&["-", path(&both), "-o", path(&both)], "x", &["line 1"]);
    assert_eq!(std::fs::read_to_string(&both.0).unwrap(), "9\n3\n2\n1\n");
    let run = bezout_with_stdin(&["sort", "-o", "/no/such/folder/file"], "1");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("cannot write '/no/such/folder/file'"),
        "{}",
        run.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_link_and_mode() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let file = TempFile::new("sort-mode", "2\n1\n");
    std::fs::set_permissions(&file.0, PermissionsExt::from_mode(0o640)).unwrap();
    let link = TempFile::new("sort-link", "");
    std::fs::remove_file(&link.0).unwrap();
    symlink(&file.0, &link.0).unwrap();
    sorted(&[path(&link), "-o", path(&link)], "");
    assert!(link.0.is_symlink());
    assert_eq!(std::fs::read_to_string(&file.0).unwrap(), "1\n2\n");
    assert_eq!(
        file.0.metadata().unwrap().permissions().mode() & 0o777,
        0o640
    );
    // What is no regular file is written to as it is.
    assert_eq!(sorted(&["-", "-o", "/dev/stdout"], "2\n1\n"), "1\n2\n");
    // A full disk is an error.
    let run = bezout_with_stdin(&["sort", "-o", "/dev/full"], "1");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
}

#[test]
fn bad_input_is_refused() {
    let refuse = |stdin: &str, words: &[&str]| refused(&["-"], stdin, words);
    // A hexadecimal number in front is not to blame.
    refuse(
        "0x10\nfoo\n",
        &["line 2: not a number: unexpected 'f'", "\n    foo\n    ^\n"],
    );
    refuse(
        "18446744073709551616\n\n2.5.5\n",
        &["line 3", "\n    2.5.5\n       ^\n"],
    );
    refuse(
        "some words\n",
        &["line 1: not a number:", "one number a line"],
    );
    refuse(
        "1 2\n",
        &["line 1: not a number: unexpected ' '", "one number a line"],
    );
    refuse(
        "1\n1e\n",
        &[
            "line 2: not a number: it ends too early",
            "\n    1e\n      ^\n",
        ],
    );
    refuse("1\n0x\n", &["line 2"]);
    let exponent = "9".repeat(50);
    refuse(
        &format!("1e{exponent}\n"),
        &["line 1", "exponent is too large"],
    );
    let run = bezout_with_stdin(&["sort", "-"], &format!("1\n{}x\n", "1".repeat(3_000_000)));
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.len() < 500, "{} bytes", run.stderr.len());
    for stdin in ["some words\n", "1\nx\n", "0x10\nfoo\n"] {
        let run = bezout_with_stdin(&["sort", "-"], stdin);
        assert!(!run.stderr.contains("f64"), "{}", run.stderr);
    }
    refused(&["-", "--type", "u32"], "1\nx\n", &["line 2: not a number"]);
    refused(&["-", "--bits", "9"], "1", &["--bits"]);
    refused(&["-", "--type", "u16"], "1", &["u16"]);
    refused(
        &["/no/such/file"],
        "",
        &["cannot read '/no/such/file': there is no such file"],
    );
    let folder = std::env::temp_dir();
    refused(
        &[folder.to_str().unwrap()],
        "",
        &["cannot read", "it is a directory"],
    );
    let raw = TempFile::new("sort-raw", b"12\n\xff\n");
    refused(&[path(&raw)], "", &["line 2: not text", "--binary"]);
    let utf16 = TempFile::new("sort-utf16", b"\xff\xfe1\0\n\0");
    refused(&[path(&utf16)], "", &["UTF-16"]);
}

#[test]
fn comments_do_not_count() {
    let text = "# numbers\n3 # three\n\n  1\n#2\n";
    assert_eq!(sorted(&["-"], text), "1\n3\n");
    refused(&["-"], "# one\n1\nx # y\n", &["line 3"]);
}
