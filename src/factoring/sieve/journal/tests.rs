//! Files as a run leaves them, cut, edited, and of something else.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A file that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bezout-relations-{}-{count}", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

const PRIMES: [u32; 6] = [1, 2, 3, 5, 7, 11];
const BASE: Base = Base {
    multiplier: 1,
    columns: 6,
    largest: 11,
};

fn number() -> Natural {
    Natural::from(1_000_003u32) * Natural::from(1_000_033u64) * Natural::power_of_2(90)
        + Natural::ONE
}

/// (2·3·q)² = 2²·3²·q², which holds modulo any n.
fn relation(i: u32) -> Relation {
    let q = 101 + u64::from(i);
    Relation {
        x: Natural::from(6u32) * Natural::from(q),
        factors: vec![1, 2, 2, 1],
        large: [q, q],
    }
}

fn write(path: &Path, relations: &[Relation], blocks: usize) {
    let mut journal = Journal::open(path, &number()).unwrap();
    journal.relations(BASE, &PRIMES).unwrap();
    for part in relations.chunks(relations.len().div_ceil(blocks).max(1)) {
        journal.append(part);
        journal.flush();
    }
}

fn read(path: &Path) -> Result<Vec<Relation>> {
    Journal::open(path, &number())?.relations(BASE, &PRIMES)
}

/// Relations as they are read: with their factors in order.
fn sorted(count: u32) -> Vec<Relation> {
    let mut all: Vec<Relation> = (0..count).map(relation).collect();
    all.iter_mut()
        .for_each(|relation| relation.factors.sort_unstable());
    all
}

#[test]
fn what_is_written_is_read() {
    let file = Scratch::new();
    let all: Vec<Relation> = (0..700).map(relation).collect();
    write(&file.0, &all, 3);
    assert_eq!(read(&file.0).unwrap(), sorted(700));
    // A later run adds to it.
    let mut journal = Journal::open(&file.0, &number()).unwrap();
    assert_eq!(journal.base(), Some(BASE));
    assert_eq!(journal.relations(BASE, &PRIMES).unwrap().len(), 700);
    journal.append(&[relation(700)]);
    drop(journal);
    assert_eq!(read(&file.0).unwrap(), sorted(701));
}

#[test]
fn a_cut_file_keeps_its_whole_blocks() {
    let file = Scratch::new();
    let all: Vec<Relation> = (0..20).map(relation).collect();
    write(&file.0, &all, 5);
    let whole = fs::read(&file.0).unwrap();
    let mut counts = Vec::new();
    for end in 0..=whole.len() {
        fs::write(&file.0, &whole[..end]).unwrap();
        let found = read(&file.0).unwrap();
        assert_eq!(found, sorted(found.len() as u32), "cut at {end}");
        counts.push(found.len());
        // What is left is whole: relations can be added and are read.
        write(&file.0, &all[found.len()..], 1);
        assert_eq!(read(&file.0).unwrap(), sorted(20), "cut at {end}");
    }
    counts.dedup();
    assert_eq!(counts, [0, 4, 8, 12, 16, 20]);
}

#[test]
fn a_damaged_file_gives_nothing_wrong() {
    let file = Scratch::new();
    let all: Vec<Relation> = (0..8).map(relation).collect();
    write(&file.0, &all, 2);
    let whole = fs::read(&file.0).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        fs::write(&file.0, &damaged).unwrap();
        match read(&file.0) {
            Ok(found) => assert_eq!(found, sorted(found.len() as u32), "byte {at}"),
            Err(error) => assert!(error.to_string().contains("damaged"), "{error}"),
        }
    }
}

/// A file with correct hashes around wrong relations.
#[test]
fn wrong_relations_are_left_out() {
    let file = Scratch::new();
    let mut all: Vec<Relation> = (0..10).map(relation).collect();
    all[2].x = Natural::from(5u32);
    all[4].factors.push(0);
    all[5].factors.push(1000);
    all[7].large[0] = 0;
    all[8].x = number();
    write(&file.0, &all, 1);
    let expected = [0, 1, 3, 6, 9].map(|i| sorted(10)[i].clone());
    assert_eq!(read(&file.0).unwrap(), expected);
}

#[test]
fn files_of_something_else_are_refused() {
    let file = Scratch::new();
    write(&file.0, &[relation(1)], 1);
    let whole = fs::read(&file.0).unwrap();
    let refusal = |journal: Result<Journal>| journal.err().expect("refused").to_string();
    let other = Journal::open(&file.0, &(number() + Natural::ONE));
    assert!(refusal(other).contains("another number"));
    let base = Base { columns: 5, ..BASE };
    let mut journal = Journal::open(&file.0, &number()).unwrap();
    let error = journal.relations(base, &PRIMES[..5]).unwrap_err();
    assert!(error.to_string().contains("factor base"));
    drop(journal);
    assert_eq!(fs::read(&file.0).unwrap(), whole);
    for (text, words) in [
        ("something else\n", "something else"),
        ("something else\nof two lines\n", "something else"),
        (
            "{\"format\":\"bezout relations\"}\n0123456789abcdef\n",
            "damaged",
        ),
    ] {
        fs::write(&file.0, text).unwrap();
        assert!(
            refusal(Journal::open(&file.0, &number())).contains(words),
            "{text}"
        );
        assert_eq!(fs::read(&file.0).unwrap(), text.as_bytes());
    }
    let line = "{\"format\":\"bezout relations\",\"version\":99}";
    fs::write(&file.0, format!("{line}\n{:016x}\n", hash(line.as_bytes()))).unwrap();
    assert!(refusal(Journal::open(&file.0, &number())).contains("version 99"));
}

#[test]
fn one_run_at_a_time() {
    let file = Scratch::new();
    let first = Journal::open(&file.0, &number()).unwrap();
    let second = Journal::open(&file.0, &number()).err().expect("refused");
    assert!(second.to_string().contains("another run"), "{second}");
    drop(first);
    assert!(Journal::open(&file.0, &number()).is_ok());
}

#[test]
fn a_full_disk_is_survived() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    // A device that is always full reads as zeros without end: it is not opened as a journal.
    let path = PathBuf::from("/dev/full");
    let mut journal = Journal {
        file: OpenOptions::new().write(true).open(&path).unwrap(),
        path,
        n: number(),
        base: Some(BASE),
        len: 0,
        pending: Vec::new(),
        written: Instant::now(),
        interval: FIRST_INTERVAL,
    };
    journal.append(&[relation(1)]);
    journal.flush();
    assert_eq!(journal.len, 0);
    assert!(!journal.pending.is_empty());
}
