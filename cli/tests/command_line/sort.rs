//! `bezout sort`.

use super::*;

/// A file of this test's own with these bytes.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bezout-sort-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn text_is_sorted() {
    for engine in ["auto", "cpu"] {
        let run = bezout_with_stdin(
            &["sort", "-", "--engine", engine, "--verify", "-q"],
            "30\n-0x10\n\n 7 \n7\n",
        );
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(0), "-16\n7\n7\n30\n"),
            "{}",
            run.stderr
        );
    }
    let run = bezout_with_stdin(&["sort", "-", "--descending"], "1e3\nnan\n-0\n0\n-inf\n");
    assert_eq!(run.stdout, "NaN\n1000\n0\n-0\n-inf\n");
    let run = bezout_with_stdin(&["sort", "-", "--permutation"], "5\n3\n5\n1\n");
    assert_eq!(run.stdout, "3\n1\n0\n2\n");
    let run = bezout_with_stdin(&["sort", "-"], "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
}

#[test]
fn raw_words_are_sorted() {
    let words: Vec<u8> = [7u32, 1, u32::MAX, 3]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let (input, out) = (file("in", &words), file("out", b""));
    let (input, out) = (input.to_str().unwrap(), out.to_str().unwrap());
    let run = bezout(&[
        "sort", input, "--binary", "--type", "u32", "--out", out, "--json", "--verify",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["command"], "sort");
    assert_eq!(record["type"], "u32");
    assert_eq!(record["count"], 4);
    assert_eq!(record["verified"], true);
    assert!(record["sorted"].is_null());
    let sorted: Vec<u8> = [1u32, 3, 7, u32::MAX]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    assert_eq!(std::fs::read(out).unwrap(), sorted);
    let run = bezout(&["sort", input, "--binary", "--type", "i32", "--json"]);
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["sorted"], serde_json::json!(["-1", "1", "3", "7"]));
}

#[test]
fn bad_input_is_refused() {
    let refused = |arguments: &[&str], stdin: &str, words: &str| {
        let run = bezout_with_stdin(arguments, stdin);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    };
    refused(&["sort", "-", "--type", "u32"], "1\n\n-5\n", "line 3");
    refused(&["sort", "-", "--type", "u32"], "1\nx\n", "line 2");
    refused(&["sort", "-"], "1\n2.5.5\n", "line 2");
    refused(&["sort", "-", "--binary"], "1234", "--type");
    refused(
        &["sort", "-", "--binary", "--type", "u64"],
        "1234",
        "4 bytes",
    );
    refused(&["sort", "-", "--bits", "9"], "1", "--bits");
    refused(&["sort", "-", "--type", "u16"], "1", "u16");
    refused(&["sort", "/no/such/file"], "", "/no/such/file");
}
