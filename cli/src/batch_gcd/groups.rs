//! More keys than memory holds (`--checkpoint`): in groups on disk, with every pair of groups
//! compared.
//!
//! First the files are read once, and each group of keys is written with its product. Then the
//! suspects of each group are found from its keys and the products of all others
//! ([`keys::suspects`]). Every key that shares a factor with another is a suspect, and so is the
//! other: all suspects together have the shared factors and duplicates of all keys.
//!
//! Memory: the tree of one group, and one other product. The folder has:
//!
//! ```text
//!   moduli/        the groups, a store of keys
//!   run.json       what was asked and what was left out; there once all groups are written
//!   group-N.json   the suspects of a group that is done
//! ```
//!
//! The same command goes on where it was killed: groups that are done are not done again.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use bezout::{Int, keys};
use bezout_keyfile::store::{Access, Store, Stored};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::against;
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
    let mut store = Store::open(&moduli, Access::Change)?;
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
    let mut found = Keys {
        report,
        ..Keys::default()
    };
    for group in 0..store.len() {
        let path = folder.join(format!("group-{group}.json"));
        let done = match read_json::<Done>(&path)? {
            Some(done) if done.keys == store.count(group) => done,
            _ => {
                let done = output::watch(global, "comparing groups", || compare(&store, group))?;
                write_json(&path, &done)?;
                done
            }
        };
        if done.suspects.is_empty() {
            continue;
        }
        let mut keys: Vec<Option<Stored>> = store.keys(group)?.into_iter().map(Some).collect();
        for i in done.suspects {
            let Some(key) = keys.get_mut(i).and_then(Option::take) else {
                return Err(unusable(&path));
            };
            let place = serde_json::from_str(&key.place).map_err(|_| unusable(&path))?;
            found.places.push(place);
            found.moduli.push(Int::from_limbs(key.limbs));
        }
    }
    Ok((found, store.total() as usize))
}

/// Reads all files into groups.
fn write_groups(
    store: &mut Store,
    options: &BatchGcd,
    reading: &bezout_keyfile::Options,
    global: &Global,
) -> Result<Report, Failure> {
    let (mut report, mut group) = (Report::default(), Vec::new());
    let size = options.keys.group_keys as usize;
    for file in &options.files {
        let mut take = |modulus: Int, place: KeyPlace| {
            let place = serde_json::to_string(&place)
                .map_err(|error| Failure::failed(error.to_string()))?;
            let limbs = modulus.try_into_limbs()?;
            group.push(Stored { limbs, place });
            if group.len() == size {
                let piece = against::piece(std::mem::take(&mut group))?;
                store.replace_from(store.len(), &[piece])?;
            }
            Ok(())
        };
        report.read(file, reading, global, &mut take)?;
    }
    if !group.is_empty() {
        store.replace_from(store.len(), &[against::piece(group)?])?;
    }
    Ok(report)
}

/// The suspects of a group.
fn compare(store: &Store, group: usize) -> Result<Done, Failure> {
    let stored = store.keys(group)?.into_iter();
    let moduli: Vec<Int> = stored.map(|key| Int::from_limbs(key.limbs)).collect();
    let mut unread = None;
    let mut others =
        (0..store.len())
            .filter(|other| *other != group)
            .map_while(|other| match store.product(other) {
                Ok(limbs) => Some(Int::from_limbs(limbs)),
                Err(error) => {
                    unread = Some(error);
                    None
                }
            });
    let suspects = keys::suspects(&moduli, &mut others);
    if let Some(error) = unread {
        return Err(error.into());
    }
    let suspects = suspects?;
    let keys = moduli.len() as u64;
    Ok(Done { keys, suspects })
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
