//! A store: moduli on disk in pieces, each with the product of its moduli.
//!
//! ```text
//!   lock                 held shared by readers, alone by a writer
//!   index                which pieces count, in order; replaced as a whole
//!   00000012.piece       header, product, moduli, places
//! ```
//!
//! A change writes new pieces, brings them to the disk, and then replaces the index by renaming: a
//! crash leaves the old state or the new one. Pieces that the index does not name do not count, and
//! are removed by the next change. Every part of a piece has a checksum (XXH64), the header too,
//! and the index has the checksum of every header: a file that was cut, damaged or taken from
//! another store is refused by name.
//!
//! | file | what |
//! |---|---|
//! | `index.rs` | the text of the index |
//! | `piece.rs` | the bytes of a piece |

mod index;
mod piece;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::hash::Hasher;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash64;

use index::Entry;
use piece::{Encoded, PieceFile};

const INDEX: &str = "index";
/// The index while it is written.
const INDEX_BEGUN: &str = "index.new";
const LOCK: &str = "lock";
const SUFFIX: &str = ".piece";

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store in the folder.
    #[error("there is no key store in '{0}'")]
    Missing(PathBuf),
    /// Another process uses the store.
    #[error("the key store '{0}' is in use by another process")]
    Locked(PathBuf),
    /// A file is not what it should be.
    #[error("'{path}' is not usable: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The system's error.
    #[error("'{path}': {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

fn io_error(path: &Path, error: io::Error) -> StoreError {
    let path = path.to_path_buf();
    StoreError::Io { path, error }
}

fn damaged(path: &Path, reason: impl Into<String>) -> StoreError {
    let (path, reason) = (path.to_path_buf(), reason.into());
    StoreError::Damaged { path, reason }
}

/// A modulus and where it was found when it was added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stored {
    /// 64-bit limbs, least significant first.
    pub limbs: Vec<u64>,
    /// The place, as text.
    pub place: String,
}

/// Moduli and their product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The limbs of the product.
    pub product: Vec<u64>,
    /// The moduli, in the order of the store.
    pub keys: Vec<Stored>,
}

/// Whether a store is read only, or changed too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Any number of readers at a time.
    Read,
    /// One process at a time. The store is made where there is none.
    Change,
}

/// An open store. Its lock is held as long as the value lives.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    entries: Vec<Entry>,
    access: Access,
    is_synced: bool,
    _lock: File,
}

impl Store {
    /// Opens the store in a folder.
    pub fn open(folder: &Path, access: Access) -> Result<Store, StoreError> {
        let index_path = folder.join(INDEX);
        if access == Access::Change && !folder.exists() {
            fs::create_dir_all(folder).map_err(|error| io_error(folder, error))?;
        }
        let is_new = access == Access::Change && is_empty(folder)?;
        if !is_new && !index_path.exists() {
            return Err(StoreError::Missing(folder.into()));
        }
        let lock_path = folder.join(LOCK);
        let lock = open_lock(&lock_path, access);
        let lock = lock.map_err(|error| io_error(&lock_path, error))?;
        let locked = match access {
            Access::Read => lock.try_lock_shared(),
            Access::Change => lock.try_lock(),
        };
        locked.map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Locked(folder.into()),
            TryLockError::Error(error) => io_error(&lock_path, error),
        })?;
        let mut store = Store {
            folder: folder.into(),
            entries: Vec::new(),
            access,
            is_synced: true,
            _lock: lock,
        };
        // Another process may have made the store before this one had the lock.
        if index_path.exists() {
            store.entries = index::read(&index_path)?;
        } else {
            store.write_index(&[])?;
        }
        Ok(store)
    }

    /// The store without waiting for the disk at each change. A process that is killed loses
    /// nothing by that; where the machine stops, a piece may be cut, which is found when it is
    /// read.
    pub fn without_sync(self) -> Store {
        Store {
            is_synced: false,
            ..self
        }
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many moduli a piece has.
    pub fn count(&self, piece: usize) -> u64 {
        self.entries[piece].count
    }

    /// How many moduli there are.
    pub fn total(&self) -> u64 {
        self.entries.iter().map(|entry| entry.count).sum()
    }

    /// Hexadecimal digits that differ between states of the store: they depend on every byte of
    /// its pieces.
    pub fn state(&self) -> String {
        format!(
            "{:016x}",
            checksum([index::text_of(&self.entries).as_bytes()])
        )
    }

    /// Limbs of a piece's product.
    pub fn product_limbs(&self, piece: usize) -> u64 {
        self.entries[piece].limbs
    }

    /// The product of a piece.
    pub fn product(&self, piece: usize) -> Result<Vec<u64>, StoreError> {
        PieceFile::open(self.path(piece), &self.entries[piece])?.product()
    }

    /// The moduli of a piece.
    pub fn keys(&self, piece: usize) -> Result<Vec<Stored>, StoreError> {
        PieceFile::open(self.path(piece), &self.entries[piece])?.keys()
    }

    /// Replaces the pieces from number `first` on by others. On failure the store is as before.
    pub fn replace_from(&mut self, first: usize, pieces: &[Piece]) -> Result<(), StoreError> {
        if self.access == Access::Read {
            return Err(damaged(&self.folder, "it was opened for reading"));
        }
        let mut entries = self.entries[..first].to_vec();
        let last = self.entries.iter().map(|entry| entry.number).max();
        for (number, piece) in (last.unwrap_or(0) + 1..).zip(pieces) {
            let path = self.folder.join(file_name(number));
            let encoded = Encoded::new(piece);
            self.write_file(&path, &encoded.runs())?;
            entries.push(Entry {
                number,
                count: piece.keys.len() as u64,
                limbs: piece.product.len() as u64,
                hash: encoded.hash,
            });
        }
        self.write_index(&entries)?;
        self.entries = entries;
        self.remove_others();
        Ok(())
    }

    fn path(&self, piece: usize) -> PathBuf {
        self.folder.join(file_name(self.entries[piece].number))
    }

    fn write_index(&self, entries: &[Entry]) -> Result<(), StoreError> {
        let text = index::text_of(entries);
        self.write_file(&self.folder.join(INDEX), &[text.as_bytes()])
    }

    /// Writes a file beside the old one, brings it to the disk, and gives it the name.
    fn write_file(&self, path: &Path, parts: &[&[u8]]) -> Result<(), StoreError> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let temporary = path.with_file_name(name);
        // Removes the file of a killed run. A link at this name is removed too, not followed.
        let _ = fs::remove_file(&temporary);
        let write = || {
            let mut file = File::create_new(&temporary)?;
            for part in parts {
                file.write_all(part)?;
            }
            if self.is_synced {
                file.sync_all()?;
            }
            fs::rename(&temporary, path)?;
            // The name is on the disk once the folder is; not every system can open one.
            let folder = path.parent().filter(|_| self.is_synced);
            if let Some(folder) = folder.and_then(|folder| File::open(folder).ok()) {
                let _ = folder.sync_all();
            }
            Ok(())
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&temporary);
            io_error(path, error)
        })
    }

    /// Removes pieces that do not count. Those that cannot be removed do no harm.
    fn remove_others(&self) {
        let Ok(files) = fs::read_dir(&self.folder) else {
            return;
        };
        let known: HashSet<String> = self.entries.iter().map(|e| file_name(e.number)).collect();
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let is_known = known.contains(&name);
            let is_ours = name.ends_with(SUFFIX) || name.ends_with(".piece.new");
            if is_ours && !is_known {
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

/// Opens the file of the lock, which a change makes if it is missing. A link is refused, because a
/// link that leads nowhere would make a file at its target.
fn open_lock(path: &Path, access: Access) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink()) {
        return Err(io::Error::other("the lock is a link"));
    }
    let mut options = File::options();
    options.read(true).write(access == Access::Change);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && access == Access::Change => {
            match options.clone().create_new(true).open(path) {
                // Another process has made it in the meantime.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => options.open(path),
                made => made,
            }
        }
        opened => opened,
    }
}

/// Whether a folder has nothing but what a process leaves that was killed while it made the store.
fn is_empty(folder: &Path) -> Result<bool, StoreError> {
    let mut files = fs::read_dir(folder).map_err(|error| io_error(folder, error))?;
    Ok(files.all(|file| {
        file.is_ok_and(|file| file.file_name() == LOCK || file.file_name() == INDEX_BEGUN)
    }))
}

fn file_name(number: u64) -> String {
    format!("{number:08}{SUFFIX}")
}

/// The checksum of bytes that follow one another.
fn checksum<'a>(runs: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    runs.into_iter().for_each(|run| hasher.write(run));
    hasher.finish()
}
