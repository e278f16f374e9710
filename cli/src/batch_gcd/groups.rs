//! More keys than memory holds (`--checkpoint`): in groups on disk, with every pair of groups
//! compared.
//!
//! First the files are read once, and each group of keys is written with its product. Then the
//! suspects of each group are found from its keys and the products of all others
//! ([`keys::suspects`]). Every key that shares a factor with another is a suspect, and so is the
//! other: all suspects together have the shared factors and duplicates of all keys.
//!
//! Memory: the tree of one group, and two other products, one of them read ahead. The folder has:
//!
//! ```text
//!   moduli/        the groups, a store of keys
//!   run.json       what was asked and what was left out; there once all groups are written
//!   group-N.json   the suspects of a group that is done
//! ```
//!
//! The same command goes on where it was killed: groups that are done are not done again.

use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::UNIX_EPOCH;

use bezout::{Int, keys, tree};
use bezout_keyfile::store::{Access, Piece, Store, StoreError, Stored};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::input::{KeyPlace, Keys, Report};
use crate::args::{BatchGcd, Global};
use crate::failure::Failure;
use crate::output;

const FORMAT: &str = "bezout batch-gcd checkpoint 1";

/// What was asked: a run is taken up only by the same request.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    format: String,
    /// Name, length and time of change of each file.
    files: Vec<(String, u64, u128)>,
    options: String,
}

/// A run whose groups are all written.
#[derive(Serialize, Deserialize)]
struct Run {
    request: Request,
    report: Report,
}

/// A group that is done.
#[derive(Serialize, Deserialize)]
struct Done {
    keys: u64,
    /// Places in the group.
    suspects: Vec<usize>,
}

/// The suspects of all files, and how many keys there are in all.
pub fn suspects(
    folder: &Path,
    options: &BatchGcd,
    reading: &bezout_keyfile::Options,
    global: &Global,
) -> Result<(Keys, usize), Failure> {
    let request = request(options)?;
    let run_path = folder.join("run.json");
    let is_used = fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
    let moduli = folder.join("moduli");
    if is_used && !moduli.is_dir() {
        let words = format!(
            "'{}' is not empty and holds no checkpoint",
            folder.display()
        );
        return Err(Failure::bad_input(words).hint("name a new folder with --checkpoint"));
    }
    let mut store = Store::open(&moduli, Access::Change)?.without_sync();
    let report = match read_json::<Run>(&run_path)? {
        Some(run) if run.request == request => run.report,
        Some(_) => {
            let words = format!(
                "the checkpoint '{}' is of other files or options",
                folder.display()
            );
            return Err(Failure::bad_input(words)
                .hint("name another folder with --checkpoint, or remove this one"));
        }
        None => {
            // Groups of a run that was stopped while it read are of no use.
            store.replace_from(0, &[])?;
            let report = write_groups(&mut store, options, reading, global)?;
            let run = Run { request, report };
            write_json(&run_path, &run)?;
            run.report
        }
    };
    let found = Keys {
        report,
        ..Keys::default()
    };
    compare_all(folder, &store, found, global)
}

/// The suspects of all groups, after what has been found before.
fn compare_all(
    folder: &Path,
    store: &Store,
    mut found: Keys,
    global: &Global,
) -> Result<(Keys, usize), Failure> {
    let path = |group: usize| folder.join(format!("group-{group}.json"));
    let mut before = Vec::new();
    for group in 0..store.len() {
        let done = read_json::<Done>(&path(group))?;
        before.push(done.filter(|done| done.keys == store.count(group)));
    }
    let open: Vec<usize> = (0..store.len()).filter(|i| before[*i].is_none()).collect();
    thread::scope(|scope| {
        let mut ahead = ReadAhead::start(scope, store, open);
        for (group, done) in before.into_iter().enumerate() {
            let (suspects, (moduli, places)) = match done {
                Some(done) if done.suspects.is_empty() => continue,
                Some(done) => (done.suspects, parted(store.keys(group)?)),
                None => {
                    let (moduli, places) = ahead.keys()?;
                    let suspects = output::watch(global, "comparing groups", || {
                        compare(&moduli, ahead.products(store.len() - 1))
                    })?;
                    let done = Done {
                        keys: store.count(group),
                        suspects,
                    };
                    write_json(&path(group), &done)?;
                    (done.suspects, (moduli, places))
                }
            };
            for i in suspects {
                let (Some(modulus), Some(place)) = (moduli.get(i), places.get(i)) else {
                    return Err(unusable(&path(group)));
                };
                let place = serde_json::from_str(place).map_err(|_| unusable(&path(group)))?;
                found.places.push(place);
                found.moduli.push(modulus.clone());
            }
        }
        Ok((found, store.total() as usize))
    })
}

/// Writes a group with its product.
fn write_group(store: &mut Store, keys: Vec<(Int, KeyPlace)>) -> Result<(), Failure> {
    let (moduli, places): (Vec<Int>, Vec<KeyPlace>) = keys.into_iter().unzip();
    let product = tree::product(&moduli)?.try_into_limbs()?;
    let stored = |(modulus, place): (Int, KeyPlace)| {
        let place =
            serde_json::to_string(&place).map_err(|error| Failure::failed(error.to_string()))?;
        let limbs = modulus.try_into_limbs()?;
        Ok::<_, Failure>(Stored { limbs, place })
    };
    let keys = moduli.into_par_iter().zip(places).map(stored);
    let keys = keys.collect::<Result<_, _>>()?;
    Ok(store.replace_from(store.len(), &[Piece { product, keys }])?)
}

/// Reads all files into groups. A group is written while the next one is read.
fn write_groups(
    store: &mut Store,
    options: &BatchGcd,
    reading: &bezout_keyfile::Options,
    global: &Global,
) -> Result<Report, Failure> {
    let size = options.keys.group_keys as usize;
    thread::scope(|scope| {
        let (groups, to_write) = mpsc::sync_channel::<Vec<(Int, KeyPlace)>>(0);
        let writer = scope.spawn(move || {
            let mut to_write = to_write.into_iter();
            to_write.try_for_each(|keys| write_group(store, keys))
        });
        // A group that the writer does not take is one after its failure, which is returned below.
        let hand_over = |keys| groups.send(keys).is_ok();
        let read = || {
            let (mut report, mut keys) = (Report::default(), Vec::new());
            for file in &options.files {
                let mut take = |modulus: Int, place: KeyPlace| {
                    keys.push((modulus, place));
                    if keys.len() == size && !hand_over(std::mem::take(&mut keys)) {
                        return Err(Failure::failed("a group of keys could not be written"));
                    }
                    Ok(())
                };
                report.read(file, reading, global, &mut take)?;
            }
            if !keys.is_empty() {
                hand_over(keys);
            }
            Ok(report)
        };
        let report = read();
        drop(groups);
        joined(writer)?;
        report
    })
}

/// What a thread came to.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// The moduli of a group, and the places of its keys.
type Parted = (Vec<Int>, Vec<String>);

/// The moduli of keys and their places, without a copy of either.
fn parted(keys: Vec<Stored>) -> Parted {
    let keys = keys.into_par_iter();
    keys.map(|key| (Int::from_limbs(key.limbs), key.place))
        .unzip()
}

/// What the comparisons of groups need of the disk, read in order by a thread of its own.
struct ReadAhead {
    keys: Receiver<Result<Parted, StoreError>>,
    products: Receiver<Result<Vec<u64>, StoreError>>,
    /// Why no more products came.
    unread: Option<StoreError>,
}

impl ReadAhead {
    /// Of each of these groups the keys, and then the products of all others.
    fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        store: &'scope Store,
        groups: Vec<usize>,
    ) -> ReadAhead {
        let (keys, next_keys) = mpsc::sync_channel(0);
        let (products, next_products) = mpsc::sync_channel(0);
        scope.spawn(move || {
            for group in groups {
                if keys.send(store.keys(group).map(parted)).is_err() {
                    return;
                }
                for other in (0..store.len()).filter(|other| *other != group) {
                    if products.send(store.product(other)).is_err() {
                        return;
                    }
                }
            }
        });
        ReadAhead {
            keys: next_keys,
            products: next_products,
            unread: None,
        }
    }

    /// The moduli and places of the next group.
    fn keys(&mut self) -> Result<Parted, Failure> {
        let keys = self.keys.recv();
        Ok(keys.map_err(|_| Failure::failed("the groups could not be read"))??)
    }

    /// The next products.
    fn products(&mut self, count: usize) -> Products<'_> {
        Products { ahead: self, count }
    }
}

/// So many products that were read ahead; none after one that could not be read.
struct Products<'a> {
    ahead: &'a mut ReadAhead,
    count: usize,
}

impl Iterator for Products<'_> {
    type Item = Int;

    fn next(&mut self) -> Option<Int> {
        self.count = self.count.checked_sub(1)?;
        match self.ahead.products.recv().ok()? {
            Ok(limbs) => Some(Int::from_limbs(limbs)),
            Err(error) => {
                self.ahead.unread = Some(error);
                None
            }
        }
    }
}

/// The suspects of a group, by their places in it.
fn compare(moduli: &[Int], mut others: Products<'_>) -> Result<Vec<usize>, Failure> {
    let suspects = keys::suspects(moduli, &mut others);
    if let Some(error) = others.ahead.unread.take() {
        return Err(error.into());
    }
    Ok(suspects?)
}

fn request(options: &BatchGcd) -> Result<Request, Failure> {
    let describe = |file: &String| {
        if file == "-" {
            let words = "standard input cannot be read again: --checkpoint needs files";
            return Err(Failure::bad_input(words));
        }
        let refuse = |error| Failure::bad_input(format!("cannot read '{file}': {error}"));
        let data = fs::metadata(file).map_err(refuse)?;
        let changed = data.modified().ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok((
            file.clone(),
            data.len(),
            changed.map_or(0, |time| time.as_nanos()),
        ))
    };
    let keys = &options.keys;
    Ok(Request {
        format: FORMAT.into(),
        files: options
            .files
            .iter()
            .map(describe)
            .collect::<Result<_, _>>()?,
        options: format!(
            "{:?} {:?} {} {} {}",
            keys.input_format, keys.column, keys.min_bits, keys.names, keys.group_keys
        ),
    })
}

/// What a file holds; none where there is no file.
fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Failure> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read(path)
        .map_err(|error| Failure::failed(format!("cannot read '{}': {error}", path.display())))?;
    let value = serde_json::from_slice(&text).map_err(|_| unusable(path))?;
    Ok(Some(value))
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_vec(value).map_err(|error| Failure::failed(error.to_string()))?;
    output::replace(path, &text)
        .map_err(|error| Failure::failed(format!("cannot write '{}': {error}", path.display())))
}

fn unusable(path: &Path) -> Failure {
    let words = format!("'{}' is damaged or of another program", path.display());
    Failure::bad_input(words).hint("remove the folder of --checkpoint to begin anew")
}
