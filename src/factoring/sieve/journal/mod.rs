//! Relations on disk: a file that only grows while a sieve runs.
//!
//! | part | content |
//! |---|---|
//! | line 1 | JSON: format, version, n, the factor base |
//! | line 2 | hash of line 1 |
//! | each block | length of its records (4 bytes), their hash (8 bytes), the records |
//!
//! A run that is killed leaves at most its last block incomplete. Reading ends at the first
//! incomplete block, and the file is truncated there. Every relation is recomputed when it is read,
//! so that an edited file cannot add a wrong one.

pub(super) mod record;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::relation::Relation;
use crate::error::{Error, Result};
use crate::notice;
use crate::number::Natural;
use crate::threads;

const FORMAT: &str = "bezout relations";
const VERSION: u32 = 1;
/// The first bytes of every file.
const START: &[u8] = b"{\"format\":\"bezout relations\"";
/// Bytes before the records of a block.
const BLOCK_HEAD: usize = 12;
/// Time between the first blocks, which doubles up to the second of these.
const FIRST_INTERVAL: Duration = Duration::from_millis(250);
const INTERVAL: Duration = Duration::from_secs(15);
/// How often, and after what pause, a lock is tried again while another process has it.
const LOCK_TRIES: usize = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// Pending records are written at once if they exceed this many bytes.
const MOST_PENDING: usize = 1 << 22;
/// Relations that a thread computes again at a time.
const CHUNK: usize = 1 << 8;

/// The meaning of the columns of relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Base {
    /// The sieve is one of multiplier·n.
    pub(super) multiplier: u32,
    pub(super) columns: u32,
    /// The largest prime of the factor base.
    pub(super) largest: u32,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    /// In hexadecimal digits.
    n: String,
    #[serde(flatten)]
    base: Base,
}

/// Locks a file, or returns the reason why it cannot. A child process that another thread is
/// starting shares this process's files until it runs its own program, so a lock that this process
/// has released may persist for a moment.
fn lock(file: &File) -> std::result::Result<(), &'static str> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            // Not every file system has locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err("is in use by another run")
}

/// A file of relations that this process alone has open.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    n: Natural,
    base: Option<Base>,
    /// Bytes of the file that are whole.
    len: u64,
    /// Records that are not in the file yet.
    pending: Vec<u8>,
    written: Instant,
    interval: Duration,
}

impl Journal {
    /// Opens the file of relations for n, or creates it. Refuses a file with other contents, and
    /// one that another process has open.
    pub(super) fn open(path: &Path, n: &Natural) -> Result<Journal> {
        let failed = |error: io::Error| refused(path, &format!("cannot be opened: {error}"));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(failed)?;
        lock(&file).map_err(|reason| refused(path, reason))?;
        let mut start = Vec::new();
        let head = Read::by_ref(&mut file).take(1 << 16);
        { head }.read_to_end(&mut start).map_err(failed)?;
        let header = header(&start, n).map_err(|reason| refused(path, &reason))?;
        Ok(Journal {
            path: path.to_path_buf(),
            file,
            n: n.clone(),
            base: header.map(|(base, _)| base),
            len: header.map_or(0, |(_, len)| len),
            pending: Vec::new(),
            written: Instant::now(),
            interval: FIRST_INTERVAL,
        })
    }

    /// The factor base of the relations in the file; none if the file is new.
    pub(super) fn base(&self) -> Option<Base> {
        self.base
    }

    /// The relations in the file that hold, for a sieve with this base. The prime of column c is
    /// `primes[c]`. Must be called once, before the first `append`.
    pub(super) fn relations(&mut self, base: Base, primes: &[u32]) -> Result<Vec<Relation>> {
        if self.base.is_some_and(|known| known != base) {
            return Err(refused(&self.path, "has another factor base"));
        }
        let failed = |error: io::Error| refused(&self.path, &format!("cannot be read: {error}"));
        let mut blocks = Vec::new();
        if self.base.is_some() {
            self.file.seek(SeekFrom::Start(self.len)).map_err(failed)?;
            self.file.read_to_end(&mut blocks).map_err(failed)?;
        }
        let (found, good) = whole_blocks(&blocks);
        self.len += good as u64;
        if good < blocks.len() {
            notice::say(&format!(
                "'{}' is damaged or incomplete from byte {} on: the {} relations before are used",
                self.path.display(),
                self.len,
                found.len()
            ));
        }
        self.file.set_len(self.len).map_err(failed)?;
        self.base = Some(base);
        Ok(self.holding(found, primes))
    }

    /// The relations that hold. Says how many do not.
    fn holding(&self, found: Vec<Relation>, primes: &[u32]) -> Vec<Relation> {
        let parts = threads::map(found.len().div_ceil(CHUNK), 1, |i| {
            let chunk = threads::chunk(&found, CHUNK, i).iter();
            let holds = chunk.map(|relation| relation.holds(&self.n, primes));
            holds.collect::<Vec<bool>>()
        });
        let count = found.len();
        let pairs = found.into_iter().zip(parts.into_iter().flatten());
        let kept: Vec<Relation> = pairs
            .filter(|(_, holds)| *holds)
            .map(|(relation, _)| relation)
            .collect();
        if kept.len() < count {
            notice::say(&format!(
                "'{}': {} of {count} relations are wrong and are not used",
                self.path.display(),
                count - kept.len()
            ));
        }
        kept
    }

    /// Appends relations, which are on the disk some seconds later. Must be called at least every
    /// few seconds, with an empty list if there are none. If writing fails, a notice is printed
    /// once, the sieve continues, and the pending relations are written when writing succeeds
    /// again.
    pub(super) fn append(&mut self, relations: &[Relation]) {
        for relation in relations {
            record::write(relation, &mut self.pending);
        }
        let is_due = self.written.elapsed() >= self.interval;
        if is_due || self.pending.len() >= MOST_PENDING && self.interval == INTERVAL {
            self.flush();
        }
    }

    /// Writes everything that was added.
    fn flush(&mut self) {
        self.written = Instant::now();
        self.interval = INTERVAL.min(2 * self.interval);
        let Some(base) = self.base.filter(|_| !self.pending.is_empty()) else {
            return;
        };
        match self.write(base) {
            Ok(len) => {
                self.len += len;
                self.pending.clear();
            }
            Err(error) => {
                // The incomplete block is useless, but its disk space may help.
                let _ = self.file.set_len(self.len);
                notice::say_once(&format!(
                    "cannot write the relations to '{}': {error}; the sieve goes on, and they are \
                     written when that is possible",
                    self.path.display()
                ));
            }
        }
    }

    /// Writes the pending relations as a block, and returns the number of bytes written.
    fn write(&mut self, base: Base) -> io::Result<u64> {
        let mut bytes = Vec::new();
        if self.len == 0 {
            let line = serde_json::to_string(&Header {
                format: FORMAT.into(),
                version: VERSION,
                n: self.n.to_text(16),
                base,
            })?;
            bytes.extend(format!("{line}\n{:016x}\n", hash(line.as_bytes())).into_bytes());
        }
        bytes.extend((self.pending.len() as u32).to_le_bytes());
        bytes.extend(hash(&self.pending).to_le_bytes());
        bytes.extend(&self.pending);
        self.file.seek(SeekFrom::Start(self.len))?;
        self.file.write_all(&bytes)?;
        self.file.sync_data()?;
        Ok(bytes.len() as u64)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.flush();
    }
}

fn refused(path: &Path, reason: &str) -> Error {
    Error::Domain(format!(
        "the file of relations '{}' {reason}; nothing was changed: remove it to begin anew",
        path.display()
    ))
}

/// The factor base in the first lines of a file and their length; none if there are no lines yet.
fn header(start: &[u8], n: &Natural) -> Result<Option<(Base, u64)>, String> {
    let is_begun = start.starts_with(START) || START.starts_with(start);
    let mut lines = start.split_inclusive(|byte| *byte == b'\n');
    let (line, end) = (lines.next().unwrap_or(&[]), lines.next().unwrap_or(&[]));
    if !end.ends_with(b"\n") && is_begun {
        // A run that was killed while it wrote the first block.
        return Ok(None);
    }
    let (line, end) = (line.trim_ascii_end(), end.trim_ascii_end());
    if !is_begun || end != format!("{:016x}", hash(line)).as_bytes() {
        return Err("is damaged at its start, or is something else".into());
    }
    let value: serde_json::Value = serde_json::from_slice(line).map_err(|e| e.to_string())?;
    let version = value.get("version").and_then(|version| version.as_u64());
    if version != Some(VERSION.into()) {
        let version = version.map_or("unknown".into(), |version| version.to_string());
        return Err(format!("is of version {version}; this is {VERSION}"));
    }
    let header: Header = serde_json::from_value(value).map_err(|error| error.to_string())?;
    if header.n != n.to_text(16) {
        return Err("belongs to another number".into());
    }
    // Both lines and their ends; the hash has 16 digits.
    Ok(Some((header.base, line.len() as u64 + 18)))
}

/// The relations of the blocks up to the first that is not whole, and the bytes that these take.
fn whole_blocks(bytes: &[u8]) -> (Vec<Relation>, usize) {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(block) = bytes.get(at..).and_then(block) {
        let Some(relations) = record::read_all(block) else {
            break;
        };
        found.extend(relations);
        at += BLOCK_HEAD + block.len();
    }
    (found, at)
}

/// The records of the first block, if it is whole.
fn block(bytes: &[u8]) -> Option<&[u8]> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (expected, rest) = rest.split_first_chunk::<8>()?;
    let records = rest.get(..u32::from_le_bytes(*len) as usize)?;
    (!records.is_empty() && hash(records) == u64::from_le_bytes(*expected)).then_some(records)
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}
