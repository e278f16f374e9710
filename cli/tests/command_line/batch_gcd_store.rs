//! `bezout batch-gcd` with keys on disk: `--against`, `--add` and `--checkpoint`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;

use super::*;

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("bezout-keys-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The odd primes below a bound.
fn primes(bound: u64) -> Vec<u64> {
    let is_prime = |n: &u64| {
        (2..)
            .take_while(|d| d * d <= *n)
            .all(|d| !n.is_multiple_of(d))
    };
    (3..bound).filter(is_prime).collect()
}

/// Products of two primes each, some of which are in several, one a line.
fn moduli(count: usize, seed: u64) -> String {
    let (primes, mut rng) = (primes(60_000), Rng::seed_from_u64(seed));
    let mut prime = || primes[rng.random_range(0..primes.len())];
    let mut line = || format!("{}\n", prime() * prime());
    (0..count).map(|_| line()).collect()
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            (path.display().to_string(), fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn json(run: &Run) -> serde_json::Value {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn new_keys_are_compared_with_stored_ones() {
    let store = Folder::new("store");
    let against = |text: &str, more: &[&str]| {
        let arguments = ["batch-gcd", "-", "--against", store.text()];
        bezout_with_stdin(&[&arguments, more].concat(), text)
    };
    let run = against("15\n", &[]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("there is no key store"),
        "{}",
        run.stderr
    );
    // 101·103, 107·109, and the first again.
    let run = against("10403\n11663\n10403\n", &["--add"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let words = "2 keys added to the store, which has 2";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    // 103·113, 127·131, 107·109.
    let run = against("11639\n16637\n11663\n", &["-q", "--verify"]);
    let path = store.text();
    let expected = format!("103: -:1 {path}:1 (-:1)\nduplicates: -:3 {path}:2 (-:2)\n");
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), &expected[..]),
        "{}",
        run.stderr
    );
    // What stored keys share among themselves was said when they were added.
    let run = against("11639\n16637\n11663\n", &["--add"]);
    assert!(run.stderr.contains("1 of 3 keys share"), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("2 keys added to the store, which has 4"),
        "{}",
        run.stderr
    );
    let run = against("17947\n", &[]); // 131·137
    assert_eq!(run.stdout, format!("131: -:1 {path}:4 (-:2)\n"));
    let run = against("", &["--add"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), ""),
        "{}",
        run.stderr
    );
}

/// Adding keys in parts finds what one run over all of them finds.
#[test]
fn parts_find_what_the_whole_finds() {
    let (store, text) = (Folder::new("parts"), moduli(600, 5));
    let whole = json(&bezout_with_stdin(&["batch-gcd", "-", "--json"], &text));
    let digits = |record: &serde_json::Value| -> Vec<u64> {
        let shared = record["shared"].as_array().unwrap().iter();
        shared
            .map(|s| s["factor"].as_str().unwrap().parse().unwrap())
            .collect()
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<u64> = Vec::new();
    for part in lines.chunks(37) {
        let arguments = [
            "batch-gcd",
            "-",
            "--against",
            store.text(),
            "--add",
            "--json",
        ];
        let record = json(&bezout_with_stdin(&arguments, &part.join("\n")));
        found.extend(digits(&record));
    }
    // A factor of a part may be a product that another part splits.
    for factor in digits(&whole) {
        assert!(found.iter().any(|f| f % factor == 0), "{factor}");
    }
    for factor in found {
        assert!(digits(&whole).iter().any(|f| factor % f == 0), "{factor}");
    }
    // All stored keys again: none is new, and each shares what it shared.
    let arguments = [
        "batch-gcd",
        "-",
        "--against",
        store.text(),
        "--json",
        "--verify",
    ];
    let again = json(&bezout_with_stdin(&arguments, &text));
    assert_eq!(digits(&again), digits(&whole));
    assert!(fs::read_dir(&store.0).unwrap().count() < 10);
}

#[test]
fn damaged_and_foreign_stores_are_refused() {
    let store = Folder::new("damaged");
    let arguments = ["batch-gcd", "-", "--against", store.text(), "--add"];
    assert_eq!(
        bezout_with_stdin(&arguments, "10403\n11663\n").code,
        Some(0)
    );
    for name in ["index", "00000001.piece"] {
        let path = store.0.join(name);
        let whole = fs::read(&path).unwrap();
        for wrong in [&whole[..whole.len() - 3], b"something else entirely", b""] {
            fs::write(&path, wrong).unwrap();
            let before = files(&store.0);
            let run = bezout_with_stdin(&arguments, "11639\n");
            assert_eq!(
                (run.code, run.stdout.as_str()),
                (Some(2), ""),
                "{}",
                run.stderr
            );
            assert!(run.stderr.contains(name), "{}", run.stderr);
            assert!(files(&store.0) == before, "a damaged store was changed");
        }
        fs::write(&path, whole).unwrap();
    }
    let foreign = Folder::new("foreign");
    fs::create_dir_all(&foreign.0).unwrap();
    fs::write(foreign.0.join("letter.txt"), "Dear").unwrap();
    let run = bezout_with_stdin(
        &["batch-gcd", "-", "--against", foreign.text(), "--add"],
        "15",
    );
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_eq!(files(&foreign.0).len(), 1);
    assert_eq!(bezout(&["batch-gcd", "-", "--add"]).code, Some(2));
}

#[test]
fn groups_on_disk_give_the_same_answer() {
    let (folder, mut text) = (Folder::new("groups"), moduli(300, 7));
    let copy = text.clone();
    text.push_str(copy.lines().nth(3).unwrap());
    text.push_str("\nx\n16\n");
    let file = TempFile::new("groups.txt", &text);
    let path = file.0.to_str().unwrap();
    let plain = bezout(&["batch-gcd", path]);
    assert_eq!(plain.code, Some(1));
    let arguments = [
        "batch-gcd",
        path,
        "--checkpoint",
        folder.text(),
        "--group-keys",
        "32",
    ];
    // The second run finds all done.
    for _ in 0..2 {
        let run = bezout(&arguments);
        assert_eq!(
            (run.code, &run.stdout),
            (Some(1), &plain.stdout),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("of 301 keys share"), "{}", run.stderr);
    }
    for pieces in ["2", "3", "8", "32"] {
        let folder = Folder::new(&format!("pieces-{pieces}"));
        let pieces = ["--group-pieces", pieces];
        let run = bezout(
            &[
                &arguments[..3],
                &[folder.text(), "--group-keys", "32"],
                &pieces,
            ]
            .concat(),
        );
        assert_eq!((run.code, &run.stdout), (Some(1), &plain.stdout));
    }
    let refused = |arguments: &[&str], words: &str| {
        let run = bezout(arguments);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(2), ""),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains(words), "{}", run.stderr);
    };
    let of_others = "is of other files or options";
    refused(
        &[&arguments[..4], &["--group-keys", "31"]].concat(),
        of_others,
    );
    fs::write(&file.0, "15\n").unwrap();
    refused(&arguments, of_others);
    let run = folder.0.join("run.json");
    let text = fs::read_to_string(&run).unwrap();
    fs::write(&run, text.replace("checkpoint 3", "checkpoint 2")).unwrap();
    refused(&arguments, "another version of bezout");
    fs::write(&run, text.replace("\"pieces\":", "\"pieces\":1")).unwrap();
    refused(&arguments, "run.json' is damaged");
    fs::write(folder.0.join("run.json"), "{\"req").unwrap();
    refused(&arguments, "is damaged");
    refused(
        &["batch-gcd", "-", "--checkpoint", folder.text()],
        "standard input",
    );
    let foreign = Folder::new("foreign-checkpoint");
    fs::create_dir_all(&foreign.0).unwrap();
    fs::write(foreign.0.join("letter.txt"), "Dear").unwrap();
    refused(
        &["batch-gcd", path, "--checkpoint", foreign.text()],
        "holds no checkpoint",
    );
    assert_eq!(files(&foreign.0).len(), 1);
}

/// Every file must be readable, and be there before groups are made.
#[test]
fn groups_need_every_file() {
    let folder = Folder::new("every-file");
    let file = TempFile::new("every-file.txt", "15\n21\n");
    let path = file.0.to_str().unwrap();
    let damaged = TempFile::new("every-file.gz", [0x1f, 0x8b, 8, 0, 0]);
    for (other, words) in [
        ("/no/such/file", "--checkpoint needs every file"),
        (damaged.0.to_str().unwrap(), "damaged or cut"),
    ] {
        let run = bezout(&["batch-gcd", path, other, "--checkpoint", folder.text()]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = bezout(&["batch-gcd", path, "-q", "--checkpoint", folder.text()]);
    assert_eq!(
        run.stdout,
        format!("3: {path}:1 {path}:2\n"),
        "{}",
        run.stderr
    );
}

/// Stopped after a while, the same command goes on, and writes fastgcd's files.
#[test]
fn stopped_runs_are_taken_up() {
    let (work, found) = (Folder::new("stopped"), Folder::new("stopped-found"));
    let file = TempFile::new("stopped.txt", moduli(4000, 13));
    let arguments = [
        "batch-gcd",
        file.0.to_str().unwrap(),
        "-q",
        "--checkpoint",
        work.text(),
        "--group-keys",
        "20",
        "--format",
        "fastgcd",
        "--out",
        found.text(),
    ];
    for time in ["0", "0.01", "0.05"] {
        let run = bezout(&[&arguments[..], &["--timeout", time]].concat());
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(1), ""),
            "{}",
            run.stderr
        );
        let words = format!("not done after {time} s");
        assert!(run.stderr.contains(&words), "{}", run.stderr);
        let words = "the same command goes on where its checkpoint ends";
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert_eq!(files(&found.0).len(), 0);
    }
    let run = bezout(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(files(&found.0).len(), 2);
}

/// Killed at any moment, the same command goes on and gives the same answer.
#[test]
fn killed_runs_are_taken_up() {
    let (folder, text) = (Folder::new("killed"), moduli(2000, 11));
    let file = TempFile::new("killed.txt", &text);
    let path = file.0.to_str().unwrap();
    let plain = bezout(&["batch-gcd", path, "-q"]);
    let arguments = [
        "batch-gcd",
        path,
        "-q",
        "--checkpoint",
        folder.text(),
        "--group-keys",
        "40",
        "--group-pieces",
        "2",
    ];
    for milliseconds in [5, 20, 40, 80, 160] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bezout"));
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let same = || {
        let run = bezout(&arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout == plain.stdout, "another answer");
    };
    same();
    // Some groups done, and others not.
    for group in [0, 1, 30, 49] {
        fs::remove_file(folder.0.join(format!("group-{group}.json"))).unwrap();
    }
    same();
    // None done, and no piece of use.
    fs::remove_file(folder.0.join("run.json")).unwrap();
    same();
}
