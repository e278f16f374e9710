//! Bits that flip, files that are cut and files that are exchanged: a run that goes on from a
//! damaged checkpoint or asks a damaged store refuses the file by its name, or gives the answer of
//! the undamaged one.

use std::fs;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;

use super::*;

/// Damages of each checkpoint: a short form of those of `.ci/full`.
fn cases() -> u64 {
    let set = std::env::var("BEZOUT_DAMAGES").ok();
    set.map_or(60, |cases| cases.parse().expect("a number of cases"))
}

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("bezout-damage-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files below a folder, by their paths from there, with what they hold.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let content = fs::read(&path).unwrap();
                found.push((path, content));
            }
        }
    }
    for (path, _) in &mut found {
        *path = path.strip_prefix(folder).unwrap().to_path_buf();
    }
    found.sort();
    found
}

/// Puts files where they were, and removes all others.
fn restore(folder: &Path, files: &[(PathBuf, Vec<u8>)]) {
    let _ = fs::remove_dir_all(folder);
    for (path, content) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Damages some file, or exchanges two; gives the names of those files. A lock holds nothing.
fn damage(folder: &Path, files: &[(PathBuf, Vec<u8>)], rng: &mut Rng) -> Vec<String> {
    let full: Vec<_> = files
        .iter()
        .filter(|(_, bytes)| !bytes.is_empty())
        .collect();
    let (path, bytes) = full[rng.random_range(0..full.len())];
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    let mut changed = bytes.clone();
    match rng.random_range(0..8) {
        0 => changed.truncate(rng.random_range(0..bytes.len())),
        1 => changed.push(rng.random()),
        2 => {
            let (other, others) = full[rng.random_range(0..full.len())];
            fs::write(folder.join(path), others).unwrap();
            fs::write(folder.join(other), bytes).unwrap();
            return vec![name(path), name(other)];
        }
        // In a text, a digit that becomes another one is what parsers do not see.
        3 => {
            let digits = bytes.iter().enumerate();
            let digits = digits.filter(|(_, byte)| byte.is_ascii_digit());
            let digits: Vec<usize> = digits.map(|(at, _)| at).collect();
            if digits.is_empty() {
                return Vec::new();
            }
            let at = digits[rng.random_range(0..digits.len())];
            changed[at] = b'0' + (changed[at] - b'0' + rng.random_range(1..10)) % 10;
        }
        _ => changed[rng.random_range(0..bytes.len())] ^= 1 << rng.random_range(0..8),
    }
    fs::write(folder.join(path), changed).unwrap();
    vec![name(path)]
}

/// Runs the command after each of many damages to the files that `whole` has.
fn try_damages(folder: &Path, whole: &[(PathBuf, Vec<u8>)], arguments: &[&str], seed: u64) {
    let mut rng = Rng::seed_from_u64(seed);
    restore(folder, whole);
    let answer = bezout(arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let mut refused = 0;
    for case in 0..cases() {
        restore(folder, whole);
        let names = damage(folder, whole, &mut rng);
        let run = bezout(arguments);
        if run.code == Some(0) {
            assert!(
                run.stdout == answer.stdout,
                "case {case}, {names:?}: a wrong answer"
            );
            continue;
        }
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(2), ""),
            "{names:?}: {}",
            run.stderr
        );
        let is_named = names.iter().any(|name| run.stderr.contains(name.as_str()));
        assert!(is_named, "case {case}, {names:?}: {}", run.stderr);
        refused += 1;
    }
    assert!(refused > 0, "no damage was seen");
}

/// Products of two primes each, some of which are in several, one a line.
fn moduli(count: usize, seed: u64) -> String {
    let mut rng = Rng::seed_from_u64(seed);
    let is_prime = |n: &u64| {
        (2..)
            .take_while(|d| d * d <= *n)
            .all(|d| !n.is_multiple_of(d))
    };
    let primes: Vec<u64> = (40_000..43_000).filter(is_prime).collect();
    let mut prime = || primes[rng.random_range(0..primes.len())];
    (0..count)
        .map(|_| format!("{}\n", prime() * prime()))
        .collect()
}

#[test]
fn checkpoints_of_batch_gcd() {
    let folder = Folder::new("batch-gcd");
    let (keys, work) = (folder.file("keys.txt"), folder.file("work"));
    fs::write(&keys, moduli(60, 3)).unwrap();
    let arguments = [
        "batch-gcd",
        &keys,
        "-q",
        "--checkpoint",
        &work,
        "--group-keys",
        "10",
    ];
    assert_eq!(bezout(&arguments).code, Some(0));
    let path = Path::new(&work);
    let done = files(path);
    try_damages(path, &done, &arguments, 1);
    // As after a kill: only some groups are done.
    let is_open = |path: &Path| {
        ["group-1.json", "group-4.json"]
            .map(Path::new)
            .contains(&path)
    };
    let begun: Vec<_> = done
        .iter()
        .filter(|(path, _)| !is_open(path))
        .cloned()
        .collect();
    assert_eq!(begun.len() + 2, done.len());
    try_damages(path, &begun, &arguments, 2);
}

#[test]
fn stores_of_keys() {
    let folder = Folder::new("store");
    let [old, new, store] = ["old.txt", "new.txt", "store"].map(|name| folder.file(name));
    fs::write(&old, moduli(40, 4)).unwrap();
    fs::write(&new, moduli(20, 5)).unwrap();
    let added = bezout(&["batch-gcd", &old, "-q", "--against", &store, "--add"]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let path = Path::new(&store);
    try_damages(
        path,
        &files(path),
        &["batch-gcd", &new, "-q", "--against", &store],
        3,
    );
}

/// A number that a run factors in part and then in whole.
#[test]
fn checkpoints_of_factor() {
    let folder = Folder::new("factor");
    let file = folder.file("run/state");
    fs::create_dir_all(folder.file("run")).unwrap();
    let numbers = ["2^89-2", "10^25+13", "2^101-1"];
    let arguments = [&["factor"], &numbers[..], &["-q", "--checkpoint", &file]].concat();
    let first = bezout(&arguments);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let path = folder.0.join("run");
    let whole = files(&path);
    assert!(!whole.is_empty(), "no checkpoint was left");
    try_damages(&path, &whole, &[&arguments[..], &["--resume"]].concat(), 4);
}

/// Curves whose first stage is done are taken up from a file of GMP-ECM's form.
#[test]
fn files_of_curves() {
    let folder = Folder::new("ecm");
    let file = folder.file("saved/curves");
    fs::create_dir_all(folder.file("saved")).unwrap();
    let n = "(10^9+7)*(10^12+39)";
    let save = ["ecm", "-sigma", "0:11", "-save", &file, "50", "1"];
    let saved = bezout_with_stdin(&save, n);
    assert_eq!(saved.stderr, "", "{}", saved.stdout);
    let path = folder.0.join("saved");
    let whole = files(&path);
    assert_eq!(whole.len(), 1);
    let resume = ["ecm", "-q", "-resume", &file, "50", "2000"];
    let mut rng = Rng::seed_from_u64(5);
    for _ in 0..cases() {
        restore(&path, &whole);
        damage(&path, &whole, &mut rng);
        let run = bezout(&resume);
        // Whatever is printed as factors multiplies up to the number: a curve cannot lie.
        for line in run.stdout.lines() {
            let product: u128 = line
                .split_whitespace()
                .map(|x| x.parse().unwrap_or(0))
                .product();
            assert!(
                product == 1_000_000_007 * 1_000_000_000_039 || product == 0,
                "{line}"
            );
        }
    }
}
