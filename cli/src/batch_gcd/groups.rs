//! More keys than memory holds (`--checkpoint`): in groups on disk, with every pair of groups
//! compared.
//!
//! First the files are read once, and each piece of a group is written with the product p of its
//! moduli. Then each group is compared with all others. With Q the product of the group, S = Σ Q/p
//! is modulo each p the product of the group's other pieces, and S times the products of all other
//! groups, modulo Q, is modulo p the product of all other pieces. From that and its keys the
//! suspects of a piece are found ([`keys::suspects`]). Every key that shares a factor with another
//! is a suspect, and so is the other: all suspects together have the shared factors and duplicates
//! of all keys.
//!
//! Memory of the host: while files are read, the keys of two pieces, and of the one that is written
//! its product and a copy; while groups are compared, the keys of one piece and three products of
//! pieces, one of them read ahead; and all suspects. Memory of the engine that multiplies: some
//! numbers of twice a group's length, and the tree of a piece. On the CPU that is the host's memory
//! too: there a group is one piece unless more are asked for, which spares the time to multiply the
//! products of pieces. The folder has:
//!
//! ```text
//!   moduli/        the pieces, a store of keys
//!   run.json       what was asked and what was left out; there once all pieces are written
//!   group-N.json   the suspects of a group that is done
//! ```
//!
//! Every byte is under a checksum that also says where it belongs: the store has its own,
//! `run.json` names the state of the store, and the groups name the run. A file that was changed,
//! cut or exchanged is refused by its name.
//!
//! The same command goes on where it was killed: groups that are done are not done again.

use std::fs;
use std::iter;
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::UNIX_EPOCH;

use bezout::progress::{self, Stage};
use bezout::{Divisor, Engine, Int, cuda, keys, tree};
use bezout_keyfile::store::{Access, Piece, Store, StoreError, Stored};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::input::{self, KeyPlace, Keys, Report, Source};
use crate::args::{BatchGcd, Global};
use crate::failure::Failure;
use crate::{interrupt, output, sealed};

const FORMAT: &str = "bezout batch-gcd checkpoint 3";
/// What the formats of all versions begin with.
const ANY_FORMAT: &str = "bezout batch-gcd checkpoint ";

/// The file that says what was asked.
const RUN: &str = "run.json";

const BEGIN_ANEW: &str = "remove the folder of --checkpoint to begin anew";

/// Pieces of a group where a device multiplies.
const DEVICE_PIECES: u64 = 16;

/// What was asked: a run is taken up only by the same request.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    format: String,
    /// Name, length and time of change of each file.
    files: Vec<(String, u64, u128)>,
    options: String,
}

/// A run whose pieces are all written.
#[derive(Serialize, Deserialize)]
struct Run {
    request: Request,
    report: Report,
    /// Pieces of a group.
    pieces: u64,
    /// The state of the store with the pieces.
    store: String,
}

/// A key that may share a factor with another.
#[derive(Serialize, Deserialize)]
struct Suspect {
    modulus: Int,
    place: KeyPlace,
}

/// The suspects of all files, and how many keys there are in all.
pub fn suspects(
    folder: &Path,
    sources: &[Source],
    options: &BatchGcd,
    reading: &bezout_keyfile::Options,
    global: &Global,
) -> Result<(Keys, usize), Failure> {
    let request = request(sources, options)?;
    let run_path = folder.join(RUN);
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
    refuse_other_version(&run_path)?;
    let run = match read_json::<Run>(&run_path, RUN)? {
        // After the machine stopped, the store may be older than the run.
        Some(run) if run.pieces == 0 || run.store != store.state() => {
            return Err(unusable(&run_path));
        }
        Some(run) if run.request == request => run,
        Some(_) => {
            let words = format!(
                "the checkpoint '{}' is of other files or options",
                folder.display()
            );
            return Err(Failure::bad_input(words)
                .hint("name another folder with --checkpoint, or remove this one"));
        }
        None => {
            // Pieces of a run that was stopped while it read are of no use, and groups that are
            // done are of other pieces.
            store.replace_from(0, &[])?;
            remove_groups(folder)?;
            let pieces = options.keys.group_pieces.unwrap_or_else(usual_pieces);
            let pieces = pieces.min(options.keys.group_keys);
            let size = options.keys.group_keys.div_ceil(pieces);
            let report = write_pieces(&mut store, size as usize, sources, reading, global)?;
            let run = Run {
                request,
                report,
                pieces,
                store: store.state(),
            };
            write_json(&run_path, RUN, &run)?;
            run
        }
    };
    let starts = (0..store.len()).step_by(run.pieces as usize);
    let groups: Vec<Range<usize>> = starts
        .map(|start| start..store.len().min(start + run.pieces as usize))
        .collect();
    let files = GroupFiles {
        folder,
        run: sealed::digest(RUN, &json(&run)?),
    };
    let found = Keys {
        report: run.report,
        ..Keys::default()
    };
    compare_all(&files, &store, &groups, found, global)
}

/// Removes the files of groups that are done.
fn remove_groups(folder: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::failed(format!("cannot clear '{}': {error}", folder.display()));
    for file in fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("group-") && name.ends_with(".json") {
            fs::remove_file(&path).map_err(failed)?;
        }
    }
    Ok(())
}

/// Pieces of a group where none are asked for.
fn usual_pieces() -> u64 {
    let on_device = Engine::current() != Engine::Cpu && cuda::device_count() > 0;
    if on_device { DEVICE_PIECES } else { 1 }
}

/// The files of groups that are done.
struct GroupFiles<'a> {
    folder: &'a Path,
    /// Hexadecimal digits that no other run has.
    run: String,
}

impl GroupFiles<'_> {
    fn path(&self, group: usize) -> PathBuf {
        self.folder.join(format!("group-{group}.json"))
    }

    /// What a file is sealed with.
    fn place(&self, group: usize) -> String {
        format!("group {group} of the run {}", self.run)
    }

    /// The suspects of a group that is done.
    fn read(&self, group: usize) -> Result<Option<Vec<Suspect>>, Failure> {
        read_json(&self.path(group), &self.place(group))
    }

    fn write(&self, group: usize, suspects: &[Suspect]) -> Result<(), Failure> {
        write_json(&self.path(group), &self.place(group), &suspects)
    }
}

/// The suspects of all groups, after what has been found before.
fn compare_all(
    files: &GroupFiles,
    store: &Store,
    groups: &[Range<usize>],
    mut found: Keys,
    global: &Global,
) -> Result<(Keys, usize), Failure> {
    let before = (0..groups.len()).map(|group| files.read(group));
    let before = before.collect::<Result<Vec<_>, _>>()?;
    let open = groups.iter().zip(&before);
    let open = open.filter(|(_, done)| done.is_none());
    let open = open.map(|(group, _)| group.clone()).collect();
    thread::scope(|scope| {
        let ahead = ReadAhead::start(scope, store, groups, open);
        for (number, done) in before.into_iter().enumerate() {
            let suspects = match done {
                Some(suspects) => suspects,
                None => {
                    let suspects = output::watch(global, "comparing groups", || {
                        compare(&groups[number], groups, &ahead)
                    })?;
                    files.write(number, &suspects)?;
                    suspects
                }
            };
            for suspect in suspects {
                found.moduli.push(suspect.modulus);
                found.places.push(suspect.place);
            }
        }
        Ok((found, store.total() as usize))
    })
}

/// The suspects of a group.
fn compare(
    group: &Range<usize>,
    groups: &[Range<usize>],
    ahead: &ReadAhead,
) -> Result<Vec<Suspect>, Failure> {
    let work = (groups.len() + group.len()) as u64;
    progress::stage("groups", work, |stage| {
        Ok(compare_in(stage, group, groups, ahead))
    })?
}

fn compare_in(
    stage: &Stage,
    group: &Range<usize>,
    groups: &[Range<usize>],
    ahead: &ReadAhead,
) -> Result<Vec<Suspect>, Failure> {
    let (product, sum) = ahead.product_and_sum(group.len())?;
    let modulus = Divisor::new(&product)?;
    let mut others = modulus.try_rem_euclid(&sum)?;
    drop((product, sum));
    stage.advance(1)?;
    for other in groups.iter().filter(|other| *other != group) {
        let product = others.try_mul(&ahead.product_of(other.len())?)?;
        others = modulus.try_rem_euclid(&product)?;
        stage.advance(1)?;
    }
    drop(modulus);
    let mut found = Vec::new();
    for _ in group.clone() {
        let others = others.try_rem_euclid(&ahead.product()?)?;
        let Parted { moduli, places } = ahead.keys()?;
        let suspects = stage.step(1, || keys::suspects(&moduli, &mut iter::once(others)))?;
        for i in suspects {
            let place = serde_json::from_str(&places[i]);
            let damaged = |_| {
                let words = "the place of a key in the checkpoint is damaged";
                Failure::bad_input(words).hint(BEGIN_ANEW)
            };
            found.push(Suspect {
                modulus: moduli[i].clone(),
                place: place.map_err(damaged)?,
            });
        }
    }
    Ok(found)
}

/// Writes a piece with its product.
fn write_piece(store: &mut Store, keys: Vec<(Int, KeyPlace)>) -> Result<(), Failure> {
    let (moduli, places): (Vec<Int>, Vec<KeyPlace>) = keys.into_iter().unzip();
    let product = interrupt::until_interrupt(|| Ok(tree::product(&moduli)?))?.try_into_limbs()?;
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

/// Reads all files into pieces of so many keys. A piece is written while the next one is read.
fn write_pieces(
    store: &mut Store,
    size: usize,
    sources: &[Source],
    reading: &bezout_keyfile::Options,
    global: &Global,
) -> Result<Report, Failure> {
    thread::scope(|scope| {
        let (pieces, to_write) = mpsc::sync_channel::<Vec<(Int, KeyPlace)>>(0);
        let writer = scope.spawn(move || {
            let mut to_write = to_write.into_iter();
            to_write.try_for_each(|keys| write_piece(store, keys))
        });
        // A piece that the writer does not take is one after its failure, which is returned below.
        let hand_over = |keys| pieces.send(keys).is_ok();
        let read = || {
            let (mut report, mut keys) = (Report::default(), Vec::new());
            for file in sources {
                let mut take = |modulus: Int, place: KeyPlace| {
                    keys.push((modulus, place));
                    if keys.len() == size && !hand_over(std::mem::take(&mut keys)) {
                        return Err(Failure::failed("a piece of the keys could not be written"));
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
        drop(pieces);
        joined(writer)?;
        report
    })
}

/// What a thread came to.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// The keys of a piece.
struct Parted {
    moduli: Vec<Int>,
    /// As text.
    places: Vec<String>,
}

impl Parted {
    /// Without a copy of moduli or places.
    fn of(keys: Vec<Stored>) -> Parted {
        let keys = keys.into_par_iter();
        let (moduli, places) = keys
            .map(|key| (Int::from_limbs(key.limbs), key.place))
            .unzip();
        Parted { moduli, places }
    }
}

/// What the comparisons of groups need of the disk, read in order by a thread of its own.
struct ReadAhead {
    keys: Receiver<Result<Vec<Stored>, StoreError>>,
    products: Receiver<Result<Vec<u64>, StoreError>>,
}

impl ReadAhead {
    /// For each of the `open` groups: the products of its pieces, those of all other groups in
    /// order, and then of each of its pieces the product and the keys.
    fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        store: &'scope Store,
        groups: &'scope [Range<usize>],
        open: Vec<Range<usize>>,
    ) -> ReadAhead {
        let (keys, next_keys) = mpsc::sync_channel(0);
        let (products, next_products) = mpsc::sync_channel(0);
        // None once nobody waits for more.
        let read = move || {
            for group in &open {
                let others = groups.iter().filter(|other| *other != group);
                for piece in iter::once(group).chain(others).cloned().flatten() {
                    products.send(store.product(piece)).ok()?;
                }
                for piece in group.clone() {
                    products.send(store.product(piece)).ok()?;
                    keys.send(store.keys(piece)).ok()?;
                }
            }
            Some(())
        };
        scope.spawn(read);
        ReadAhead {
            keys: next_keys,
            products: next_products,
        }
    }

    /// The next product of a piece.
    fn product(&self) -> Result<Int, Failure> {
        let limbs = self.products.recv().map_err(|_| unread())??;
        Ok(Int::from_limbs(limbs))
    }

    /// The keys of the next piece.
    fn keys(&self) -> Result<Parted, Failure> {
        let keys = self.keys.recv().map_err(|_| unread())??;
        Ok(Parted::of(keys))
    }

    /// The product of so many pieces that come next. Short products are multiplied first, so that
    /// the host has no more than two of them.
    fn product_of(&self, pieces: usize) -> Result<Int, Failure> {
        if pieces == 1 {
            return self.product();
        }
        let left = self.product_of(pieces / 2)?;
        let right = self.product_of(pieces - pieces / 2)?;
        Ok(left.try_mul(&right)?)
    }

    /// Of so many pieces that come next, with products p: Q, the product of all, and Σ Q/p.
    fn product_and_sum(&self, pieces: usize) -> Result<(Int, Int), Failure> {
        if pieces == 1 {
            return Ok((self.product()?, Int::from(1)));
        }
        let (p, s) = self.product_and_sum(pieces / 2)?;
        let (q, t) = self.product_and_sum(pieces - pieces / 2)?;
        let sum = Int::try_sum_of_products(&[(&s, &q), (&t, &p)])?;
        Ok((p.try_mul(&q)?, sum))
    }
}

fn unread() -> Failure {
    Failure::failed("the keys of the checkpoint could not be read")
}

fn request(sources: &[Source], options: &BatchGcd) -> Result<Request, Failure> {
    let describe = |source: &Source| {
        let file = &source.path;
        if file.as_os_str() == "-" {
            let words = "standard input cannot be read again: --checkpoint needs files";
            return Err(Failure::bad_input(words));
        }
        let refuse = |error| {
            let name = input::shown(&file.to_string_lossy());
            Failure::bad_input(format!("cannot read '{name}': {error}"))
                .hint("--checkpoint needs every file: leave out those that cannot be read")
        };
        let data = fs::metadata(file).map_err(refuse)?;
        // Two names that are not UTF-8 must not be taken for each other.
        let name = file
            .to_str()
            .map_or_else(|| format!("{file:?}"), String::from);
        let changed = data.modified().ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok((name, data.len(), changed.map_or(0, |time| time.as_nanos())))
    };
    let keys = &options.keys;
    Ok(Request {
        format: FORMAT.into(),
        files: sources.iter().map(describe).collect::<Result<_, _>>()?,
        options: format!(
            "{:?} {:?} {} {} {} {:?}",
            keys.input_format,
            keys.column,
            keys.min_bits,
            keys.names,
            keys.group_keys,
            keys.group_pieces
        ),
    })
}

/// Refuses the file of a run that another version wrote.
fn refuse_other_version(path: &Path) -> Result<(), Failure> {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if !text.contains(ANY_FORMAT) || text.contains(&format!("{FORMAT}\"")) {
        return Ok(());
    }
    let words = format!("another version of bezout wrote '{}'", path.display());
    Err(Failure::bad_input(words).hint(BEGIN_ANEW))
}

/// What a file holds that is sealed with its place; none where there is no file.
fn read_json<T: DeserializeOwned>(path: &Path, place: &str) -> Result<Option<T>, Failure> {
    if !path.exists() {
        return Ok(None);
    }
    let content = fs::read(path)
        .map_err(|error| Failure::failed(format!("cannot read '{}': {error}", path.display())))?;
    let value = sealed::open(place, &content).and_then(|text| serde_json::from_str(text).ok());
    value.map(Some).ok_or_else(|| unusable(path))
}

fn write_json(path: &Path, place: &str, value: &impl Serialize) -> Result<(), Failure> {
    output::replace(path, sealed::seal(place, &json(value)?).as_bytes())
        .map_err(|error| Failure::failed(format!("cannot write '{}': {error}", path.display())))
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::failed(error.to_string()))
}

fn unusable(path: &Path) -> Failure {
    let words = format!(
        "'{}' is damaged, or belongs to something else",
        path.display()
    );
    Failure::bad_input(words).hint(BEGIN_ANEW)
}
