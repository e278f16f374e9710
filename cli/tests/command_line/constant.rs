//! `bezout constant`.

use std::fs;

use super::*;

/// A folder of the test's own, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("bezout-constant-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }

    fn count(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn constant(arguments: &[&str]) -> Run {
    bezout(&[&["constant"], arguments].concat())
}

/// What a successful command prints.
fn printed(arguments: &[&str]) -> String {
    let run = constant(arguments);
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    run.stdout
}

/// Refused as bad input with these words, and with nothing on stdout.
fn refused(arguments: &[&str], words: &str) {
    let run = constant(arguments);
    assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
}

#[test]
fn digits_are_printed() {
    assert_eq!(printed(&["pi", "--digits", "10"]), "3.1415926535\n");
    assert_eq!(printed(&["e", "-n", "0"]), "2\n");
    assert_eq!(printed(&["sqrt2", "-n", "1", "--verify"]), "1.4\n");
    assert_eq!(printed(&["pi", "-n", "8", "--radix", "16"]), "3.243f6a88\n");
    assert_eq!(
        printed(&["phi", "-n", "12", "--group", "5"]),
        "1.\n61803 39887 49\n"
    );
    let text = printed(&["zeta3", "-n", "1e3", "--verify"]);
    assert_eq!(text.len(), 1003);
}

/// As `sha256sum` gives it.
#[test]
fn the_sum_is_that_of_the_file() {
    let folder = Folder::new("sum");
    for (group, sum) in [
        (
            None,
            "eee826f1def4933df5261669cd741a1615c081b3f3b38a16c829ff3b0d8353f9",
        ),
        (
            Some("5"),
            "31fd0622679644e6db936536ecf61706f679f03e26b6108f0770f801c5590dec",
        ),
    ] {
        let file = folder.file(group.unwrap_or("none"));
        let mut arguments = vec!["pi", "-n", "10", "--out", &file];
        arguments.extend(group.iter().flat_map(|group| ["--group", group]));
        assert_eq!(constant(&arguments).stderr, format!("SHA-256: {sum}\n"));
        // Without a file it is the sum of what is printed.
        let mut arguments = vec!["pi", "-n", "10", "--json"];
        arguments.extend(group.iter().flat_map(|group| ["--group", group]));
        let record: serde_json::Value = serde_json::from_str(&printed(&arguments)).unwrap();
        assert_eq!(record["sha256"], sum);
        assert_eq!(record["text"], "3.1415926535");
        assert_eq!(record["constant"], "pi");
        assert_eq!(record["digits"], 10);
    }
    assert_eq!(constant(&["pi", "-n", "10"]).stderr, "");
}

#[test]
fn digits_have_a_default_and_two_places() {
    let fifty = "3.14159265358979323846264338327950288419716939937510\n";
    assert_eq!(printed(&["pi"]), fifty);
    assert_eq!(printed(&["PI", "50"]), fifty);
    assert_eq!(printed(&["pi", "1e1"]), "3.1415926535\n");
    refused(&["pi", "10", "-n", "20"], "cannot be used with");
}

#[test]
fn bad_input_is_refused() {
    refused(&["tau", "-n", "10"], "unknown constant");
    refused(&["pi", "-n", "-5"], "not a number of digits");
    refused(&["pi", "-n", "many"], "not a number of digits");
    refused(&["pi", "-n", "10", "--radix", "37"], "37");
    refused(&["pi", "-n", "10", "--group", "0"], "0");
    refused(&["pi", "-n", "1e20"], "more digits than any memory holds");
    refused(
        &["pi", "-n", "9", "--checkpoint", "/dev/null"],
        "no checkpoint",
    );
    let run = constant(&["pi", "-n", "1e18"]);
    assert_ne!(run.code, Some(0));
    assert!(run.stderr.contains("digits fit here"), "{}", run.stderr);
}

#[test]
fn a_file_is_written_once() {
    let folder = Folder::new("file");
    let file = folder.file("ln2.txt");
    assert_eq!(printed(&["ln2", "-n", "20", "--out", &file]), "");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, "0.69314718055994530941\n");
    refused(&["ln2", "-n", "30", "--out", &file], "there already");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(folder.count(), 1);
    let nowhere = folder.file("nowhere/ln2.txt");
    let run = constant(&["ln2", "-n", "30", "--out", &nowhere]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
    fs::write(folder.file("e.partial"), "2.7").unwrap();
    refused(&["e", "-n", "5", "--out", &folder.file("e")], "e.partial");
}

/// Stopped after a while, then run to its end from the parts that were kept.
#[test]
fn a_checkpoint_is_taken_up() {
    let folder = Folder::new("checkpoint");
    let file = folder.file("pi");
    let arguments = ["pi", "-n", "1e6", "--checkpoint", &file];
    let stopped = constant(&[&arguments[..], &["--timeout", "0.05"]].concat());
    assert_eq!(stopped.code, Some(1), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("not done"), "{}", stopped.stderr);
    refused(
        &["pi", "-n", "1000", "--checkpoint", &file],
        "1000000 digits of pi",
    );
    refused(
        &["e", "-n", "1e6", "--checkpoint", &file],
        "1000000 digits of pi",
    );
    let text = printed(&arguments);
    assert!(text.ends_with("5779458151\n"));
    assert_eq!(folder.count(), 0);
    fs::write(&file, "3.14").unwrap();
    refused(&arguments, "no checkpoint");
}

/// Files of other names and contents stay, and names that collide are refused before the work.
#[test]
fn a_checkpoint_touches_its_own_files_only() {
    let folder = Folder::new("others");
    let [other, checkpoint, out] =
        ["film.mkv.part", "film", "film.txt.part"].map(|x| folder.file(x));
    fs::write(&other, "a film").unwrap();
    printed(&[
        "pi",
        "-n",
        "100",
        "--checkpoint",
        &checkpoint,
        "--out",
        &out,
    ]);
    assert_eq!(fs::read_to_string(&other).unwrap(), "a film");
    assert!(fs::read_to_string(&out).unwrap().starts_with("3.14"));
    assert_eq!(folder.count(), 2);
    let same = folder.file("same");
    refused(
        &["pi", "-n", "9", "--checkpoint", &same, "--out", &same],
        "both",
    );
    let partial = folder.file("same.partial");
    refused(
        &["pi", "-n", "9", "--checkpoint", &partial, "--out", &same],
        "both",
    );
    fs::write(folder.file("poem.lock"), "a poem").unwrap();
    refused(
        &["pi", "-n", "9", "--checkpoint", &folder.file("poem")],
        "no lock",
    );
    assert_eq!(
        fs::read_to_string(folder.file("poem.lock")).unwrap(),
        "a poem"
    );
}

/// A run that was killed while it wrote leaves a partial file, which the run that goes on replaces.
#[test]
fn a_partial_file_is_replaced_by_the_run_that_goes_on() {
    let folder = Folder::new("partial");
    let [checkpoint, out] = ["pi", "pi.txt"].map(|x| folder.file(x));
    let arguments = [
        "pi",
        "-n",
        "1e6",
        "--checkpoint",
        &checkpoint,
        "--out",
        &out,
    ];
    let stopped = constant(&[&arguments[..], &["--timeout", "0.05"]].concat());
    assert_eq!(stopped.code, Some(1), "{}", stopped.stderr);
    fs::write(folder.file("pi.txt.partial"), "3.1").unwrap();
    refused(&["pi", "-n", "1e6", "--out", &out], "pi.txt.partial");
    printed(&arguments);
    assert!(fs::read_to_string(&out).unwrap().ends_with("5779458151\n"));
    assert_eq!(folder.count(), 1);
}
