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
//! The words of a piece are 64 bits, little-endian: the mark, the version, the count of moduli,
//! then of each of its three parts the length in bytes and the checksum, and the checksum of the
//! words before. Then come the parts: the limbs of the product; of each modulus the count of its
//! limbs and the limbs; of each modulus the length of its place and the text of the place.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash64;

const MARK: [u8; 8] = *b"bezoutKP";
const VERSION: u64 = 1;
const HEADER_WORDS: usize = 10;
const INDEX_HEAD: &str = "bezout key store 1";
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

/// A line of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    number: u64,
    count: u64,
    /// Limbs of the product.
    limbs: u64,
    /// The checksum of the piece's header.
    hash: u64,
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
        let index = folder.join(INDEX);
        if access == Access::Change && !folder.exists() {
            fs::create_dir_all(folder).map_err(|error| io_error(folder, error))?;
        }
        let is_new = access == Access::Change && is_empty(folder)?;
        if !is_new && !index.exists() {
            return Err(StoreError::Missing(folder.into()));
        }
        let lock_path = folder.join(LOCK);
        let mut options = File::options();
        options.read(true);
        if access == Access::Change {
            options.write(true).create(true).truncate(false);
        }
        let lock = options.open(&lock_path);
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
        if index.exists() {
            store.entries = read_index(&index)?;
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

    /// Limbs of a piece's product.
    pub fn product_limbs(&self, piece: usize) -> u64 {
        self.entries[piece].limbs
    }

    /// The product of a piece.
    pub fn product(&self, piece: usize) -> Result<Vec<u64>, StoreError> {
        let mut file = Open::new(self.path(piece), &self.entries[piece])?;
        let bytes = file.part(0)?;
        Ok(words(&bytes))
    }

    /// The moduli of a piece.
    pub fn keys(&self, piece: usize) -> Result<Vec<Stored>, StoreError> {
        let mut file = Open::new(self.path(piece), &self.entries[piece])?;
        let (moduli, places) = (file.part(1)?, file.part(2)?);
        let (mut moduli, mut places) = (&moduli[..], &places[..]);
        let mut next = || -> Option<Stored> {
            let count = usize::try_from(take_word(&mut moduli)?).ok()?;
            let limbs = words(take(&mut moduli, count.checked_mul(8)?)?);
            let length = usize::try_from(take_word(&mut places)?).ok()?;
            let place = String::from_utf8_lossy(take(&mut places, length)?).into();
            Some(Stored { limbs, place })
        };
        let keys: Option<Vec<Stored>> = (0..self.count(piece)).map(|_| next()).collect();
        keys.ok_or_else(|| damaged(&file.path, "its moduli are not as many as it says"))
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
            let (header, parts, hash) = encode(piece);
            let [product, moduli, places] = &parts;
            self.write_file(&path, &[&header, product, moduli, places])?;
            entries.push(Entry {
                number,
                count: piece.keys.len() as u64,
                limbs: piece.product.len() as u64,
                hash,
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
        let mut text = format!("{INDEX_HEAD}\n");
        for entry in entries {
            let Entry {
                number,
                count,
                limbs,
                hash,
            } = entry;
            text.push_str(&format!("{number} {count} {limbs} {hash:016x}\n"));
        }
        text.push_str(&format!("end {:016x}\n", checksum(text.as_bytes())));
        self.write_file(&self.folder.join(INDEX), &[text.as_bytes()])
    }

    /// Writes a file beside the old one, brings it to the disk, and gives it the name.
    fn write_file(&self, path: &Path, parts: &[&[u8]]) -> Result<(), StoreError> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let temporary = path.with_file_name(name);
        let write = || {
            let mut file = File::create(&temporary)?;
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
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let is_known = self.entries.iter().any(|e| file_name(e.number) == name);
            let is_ours = name.ends_with(SUFFIX) || name.ends_with(".piece.new");
            if is_ours && !is_known {
                let _ = fs::remove_file(file.path());
            }
        }
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

fn checksum(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

fn read_index(path: &Path) -> Result<Vec<Entry>, StoreError> {
    let text = fs::read(path).map_err(|error| io_error(path, error))?;
    let text = String::from_utf8(text).map_err(|_| damaged(path, "it is no index of keys"))?;
    let Some(rest) = text.strip_prefix(INDEX_HEAD) else {
        let is_other = text.starts_with("bezout key store ");
        return Err(if is_other {
            damaged(path, "another version of bezout wrote it")
        } else {
            damaged(path, "it is no index of a key store")
        });
    };
    let cut = || damaged(path, "it is cut or damaged");
    let (body, end) = rest.split_once("end ").ok_or_else(cut)?;
    let content = &text[..INDEX_HEAD.len() + body.len()];
    if end != format!("{:016x}\n", checksum(content.as_bytes())) {
        return Err(cut());
    }
    let entry = |line: &str| -> Option<Entry> {
        let mut words = line.split(' ');
        let mut number = || words.next()?.parse().ok();
        let (number, count, limbs) = (number()?, number()?, number()?);
        let hash = u64::from_str_radix(words.next()?, 16).ok()?;
        Some(Entry {
            number,
            count,
            limbs,
            hash,
        })
    };
    let lines = body.lines().filter(|line| !line.is_empty());
    lines.map(|line| entry(line).ok_or_else(cut)).collect()
}

/// The header of a piece, its three parts, and the checksum of the header.
fn encode(piece: &Piece) -> (Vec<u8>, [Vec<u8>; 3], u64) {
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    put_words(&mut parts[0], &piece.product);
    for key in &piece.keys {
        put_words(&mut parts[1], &[key.limbs.len() as u64]);
        put_words(&mut parts[1], &key.limbs);
        put_words(&mut parts[2], &[key.place.len() as u64]);
        parts[2].extend_from_slice(key.place.as_bytes());
    }
    let mut header = MARK.to_vec();
    put_words(&mut header, &[VERSION, piece.keys.len() as u64]);
    for part in &parts {
        put_words(&mut header, &[part.len() as u64, checksum(part)]);
    }
    let hash = checksum(&header);
    put_words(&mut header, &[hash]);
    (header, parts, hash)
}

fn put_words(bytes: &mut Vec<u8>, words: &[u64]) {
    bytes.reserve(8 * words.len());
    words
        .iter()
        .for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

fn take_word(bytes: &mut &[u8]) -> Option<u64> {
    let word = take(bytes, 8)?;
    words(word).first().copied()
}

/// A piece's file with its header read and checked.
struct Open {
    path: PathBuf,
    file: File,
    header: Vec<u64>,
}

impl Open {
    fn new(path: PathBuf, entry: &Entry) -> Result<Open, StoreError> {
        let file = File::open(&path).map_err(|error| io_error(&path, error))?;
        let mut head = Vec::with_capacity(8 * HEADER_WORDS);
        let read = (&file).take(8 * HEADER_WORDS as u64).read_to_end(&mut head);
        read.map_err(|error| io_error(&path, error))?;
        if !head.starts_with(&MARK) {
            return Err(damaged(&path, "it is no piece of a key store"));
        }
        if head.len() < 8 * HEADER_WORDS {
            return Err(damaged(&path, "it is cut"));
        }
        let header = words(&head);
        if header[1] != VERSION {
            return Err(damaged(&path, "another version of bezout wrote it"));
        }
        let hash = checksum(&head[..8 * (HEADER_WORDS - 1)]);
        if header[HEADER_WORDS - 1] != hash {
            return Err(damaged(&path, "its header is damaged"));
        }
        if (hash, header[2], header[3]) != (entry.hash, entry.count, 8 * entry.limbs) {
            return Err(damaged(&path, "it belongs to another store"));
        }
        let length = file
            .metadata()
            .map_err(|error| io_error(&path, error))?
            .len();
        let parts = [3, 5, 7]
            .iter()
            .try_fold(0u64, |sum, i| sum.checked_add(header[*i]));
        let expected = parts.and_then(|parts| parts.checked_add(8 * HEADER_WORDS as u64));
        if expected != Some(length) {
            return Err(damaged(&path, "it is cut, or something was added to it"));
        }
        Ok(Open { path, file, header })
    }

    /// One of the parts, checked.
    fn part(&mut self, part: usize) -> Result<Vec<u8>, StoreError> {
        let before: u64 = (0..part).map(|i| self.header[3 + 2 * i]).sum();
        let (length, hash) = (self.header[3 + 2 * part], self.header[4 + 2 * part]);
        let mut bytes = Vec::with_capacity(length as usize);
        let start = SeekFrom::Start(8 * HEADER_WORDS as u64 + before);
        let mut read = || {
            self.file.seek(start)?;
            (&self.file).take(length).read_to_end(&mut bytes)
        };
        read().map_err(|error| io_error(&self.path, error))?;
        if bytes.len() as u64 != length || checksum(&bytes) != hash {
            return Err(damaged(&self.path, "its content is damaged"));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is gone when the test is.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let name = format!("bezout-store-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn piece(seed: u64, count: u64) -> Piece {
        let key = |i| Stored {
            limbs: (0..=i % 3).map(|j| seed + 2 * i + j + 1).collect(),
            place: format!("file {seed}:{i}"),
        };
        Piece {
            product: (0..count + 2).map(|i| seed * i + 1).collect(),
            keys: (0..count).map(key).collect(),
        }
    }

    fn content(store: &Store) -> Vec<Piece> {
        let piece = |i| Piece {
            product: store.product(i).unwrap(),
            keys: store.keys(i).unwrap(),
        };
        (0..store.len()).map(piece).collect()
    }

    #[test]
    fn pieces_come_back() {
        let folder = Folder::new("pieces");
        let missing = Store::open(&folder.0, Access::Read).unwrap_err();
        assert!(matches!(missing, StoreError::Missing(_)), "{missing}");
        let mut expected = vec![piece(1, 5), piece(2, 0)];
        {
            let mut store = Store::open(&folder.0, Access::Change).unwrap();
            store.replace_from(0, &expected).unwrap();
            assert!(content(&store) == expected);
            for access in [Access::Read, Access::Change] {
                let locked = Store::open(&folder.0, access).unwrap_err();
                assert!(matches!(locked, StoreError::Locked(_)), "{locked}");
            }
        }
        {
            let mut store = Store::open(&folder.0, Access::Change).unwrap();
            assert_eq!((store.total(), store.len()), (5, 2));
            let others = [piece(3, 4), piece(4, 7)];
            store.replace_from(1, &others).unwrap();
            expected.splice(1.., others);
        }
        let (store, second) = (
            Store::open(&folder.0, Access::Read).unwrap(),
            Store::open(&folder.0, Access::Read).unwrap(),
        );
        assert!(content(&store) == expected && content(&second) == expected);
        // The piece that was replaced is gone: three pieces, the index, the lock.
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 5);
    }

    #[test]
    fn foreign_folders_are_left_alone() {
        let folder = Folder::new("foreign");
        fs::create_dir_all(&folder.0).unwrap();
        fs::write(folder.0.join("thesis.tex"), "text").unwrap();
        for access in [Access::Read, Access::Change] {
            let error = Store::open(&folder.0, access).unwrap_err();
            assert!(matches!(error, StoreError::Missing(_)), "{error}");
        }
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }

    /// A file of the store, changed at every byte and cut at every byte, is refused.
    #[test]
    fn every_damage_is_told() {
        let folder = Folder::new("damage");
        let whole = [piece(9, 3)];
        Store::open(&folder.0, Access::Change)
            .and_then(|mut store| store.replace_from(0, &whole))
            .unwrap();
        let look = || -> Result<(), StoreError> {
            let store = Store::open(&folder.0, Access::Read)?;
            store.product(0)?;
            store.keys(0).map(drop)
        };
        look().unwrap();
        for name in ["index", "00000001.piece"] {
            let path = folder.0.join(name);
            let bytes = fs::read(&path).unwrap();
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                for wrong in [&changed[..], &bytes[..at]] {
                    fs::write(&path, wrong).unwrap();
                    let error = look().unwrap_err();
                    let is_told = matches!(error, StoreError::Damaged { .. });
                    assert!(
                        is_told && error.to_string().contains(name),
                        "{name} {at}: {error}"
                    );
                }
            }
            fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
            assert!(look().is_err());
            fs::write(&path, bytes).unwrap();
        }
        look().unwrap();
        fs::remove_file(folder.0.join("00000001.piece")).unwrap();
        assert!(matches!(look(), Err(StoreError::Io { .. })));
    }

    #[test]
    fn what_a_crash_leaves_does_not_count() {
        let folder = Folder::new("crash");
        // Killed while it made the store.
        fs::create_dir_all(&folder.0).unwrap();
        fs::write(folder.0.join("index.new"), "bezout k").unwrap();
        fs::write(folder.0.join("lock"), "").unwrap();
        let mut store = Store::open(&folder.0, Access::Change).unwrap();
        store.replace_from(0, &[piece(1, 2)]).unwrap();
        fs::write(folder.0.join("00000002.piece"), "half of a").unwrap();
        fs::write(folder.0.join("00000003.piece.new"), "half of a").unwrap();
        drop(store);
        let mut store = Store::open(&folder.0, Access::Change).unwrap();
        assert!(content(&store) == [piece(1, 2)]);
        store.replace_from(1, &[piece(5, 1)]).unwrap();
        assert!(content(&store) == [piece(1, 2), piece(5, 1)]);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 4);
    }
}
