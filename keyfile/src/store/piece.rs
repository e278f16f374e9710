//! The file of a piece.
//!
//! The words of a piece are 64 bits, little-endian: the mark, the version, the count of moduli,
//! then of each of its three parts the length in bytes and the checksum, and the checksum of the
//! words before. Then come the parts: the limbs of the product; of each modulus the count of its
//! limbs and the limbs; of each modulus the length of its place and the text of the place.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use rayon::prelude::*;

use super::index::Entry;
use super::{Piece, StoreError, Stored, checksum, damaged, io_error};

const MARK: [u8; 8] = *b"bezoutKP";
const VERSION: u64 = 1;
const HEADER_WORDS: usize = 10;

/// Keys that one task of a thread encodes.
const KEYS_AT_ONCE: usize = 1 << 12;

/// Bytes that one task of a thread reads.
const READ_AT_ONCE: usize = 1 << 22;

/// A piece as it is written.
pub(super) struct Encoded<'a> {
    header: Vec<u8>,
    /// Product, moduli and places, each in runs of bytes.
    parts: [Vec<Cow<'a, [u8]>>; 3],
    /// The checksum of the header.
    pub(super) hash: u64,
}

impl<'a> Encoded<'a> {
    pub(super) fn new(piece: &'a Piece) -> Encoded<'a> {
        let chunks = || piece.keys.par_chunks(KEYS_AT_ONCE);
        let parts = [
            vec![le_bytes(&piece.product)],
            chunks().map(|keys| Cow::Owned(moduli_of(keys))).collect(),
            chunks().map(|keys| Cow::Owned(places_of(keys))).collect(),
        ];
        let mut header = MARK.to_vec();
        put_words(&mut header, &[VERSION, piece.keys.len() as u64]);
        for part in &parts {
            let length: usize = part.iter().map(|run| run.len()).sum();
            put_words(
                &mut header,
                &[length as u64, checksum(part.iter().map(|run| &**run))],
            );
        }
        let hash = checksum([header.as_slice()]);
        put_words(&mut header, &[hash]);
        Encoded {
            header,
            parts,
            hash,
        }
    }

    /// All bytes of the file, in runs.
    pub(super) fn runs(&self) -> Vec<&[u8]> {
        let parts = self.parts.iter().flatten().map(|run| &**run);
        std::iter::once(&self.header[..]).chain(parts).collect()
    }
}

fn moduli_of(keys: &[Stored]) -> Vec<u8> {
    let length = |key: &Stored| 8 + 8 * key.limbs.len();
    let mut bytes = Vec::with_capacity(keys.iter().map(length).sum());
    for key in keys {
        put_words(&mut bytes, &[key.limbs.len() as u64]);
        bytes.extend_from_slice(&le_bytes(&key.limbs));
    }
    bytes
}

fn places_of(keys: &[Stored]) -> Vec<u8> {
    let length = |key: &Stored| 8 + key.place.len();
    let mut bytes = Vec::with_capacity(keys.iter().map(length).sum());
    for key in keys {
        put_words(&mut bytes, &[key.place.len() as u64]);
        bytes.extend_from_slice(key.place.as_bytes());
    }
    bytes
}

/// A piece's file with its header read and checked.
pub(super) struct PieceFile {
    path: PathBuf,
    header: Vec<u64>,
}

impl PieceFile {
    /// Opens the piece that this line of the index names.
    pub(super) fn open(path: PathBuf, entry: &Entry) -> Result<PieceFile, StoreError> {
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
        let hash = checksum([&head[..8 * (HEADER_WORDS - 1)]]);
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
        Ok(PieceFile { path, header })
    }

    /// The limbs of the product.
    pub(super) fn product(&self) -> Result<Vec<u64>, StoreError> {
        let mut limbs = vec![0u64; (self.header[3] / 8) as usize];
        self.fill(0, bytemuck::cast_slice_mut(&mut limbs))?;
        limbs
            .iter_mut()
            .for_each(|limb| *limb = u64::from_le(*limb));
        Ok(limbs)
    }

    /// The moduli.
    pub(super) fn keys(&self) -> Result<Vec<Stored>, StoreError> {
        let (moduli, places) = (self.part(1)?, self.part(2)?);
        let count = self.header[2];
        let (Some(moduli), Some(places)) = (runs(&moduli, 8, count), runs(&places, 1, count))
        else {
            let reason = "its moduli are not as many as it says";
            return Err(damaged(&self.path, reason));
        };
        let stored = |(modulus, place): (&[u8], &[u8])| Stored {
            limbs: words(modulus),
            place: String::from_utf8_lossy(place).into(),
        };
        Ok(moduli.into_par_iter().zip(places).map(stored).collect())
    }

    /// One of the parts, checked.
    fn part(&self, part: usize) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; self.header[3 + 2 * part] as usize];
        self.fill(part, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads one of the parts, on all threads, and checks it. The length is that of the header,
    /// which `open` has compared with that of the file.
    fn fill(&self, part: usize, into: &mut [u8]) -> Result<(), StoreError> {
        let before: u64 = (0..part).map(|i| self.header[3 + 2 * i]).sum();
        let start = 8 * HEADER_WORDS as u64 + before;
        let mut read = || {
            let runs = into.par_chunks_mut(READ_AT_ONCE).enumerate();
            runs.try_for_each(|(i, run)| {
                let mut file = File::open(&self.path)?;
                file.seek(SeekFrom::Start(start + (i * READ_AT_ONCE) as u64))?;
                file.read_exact(run)
            })
        };
        let cut = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged(&self.path, "it is cut"),
            _ => io_error(&self.path, error),
        };
        read().map_err(cut)?;
        if checksum([&*into]) != self.header[4 + 2 * part] {
            return Err(damaged(&self.path, "its content is damaged"));
        }
        Ok(())
    }
}

/// So many runs of bytes, each behind a word with its length in units of so many bytes; none where
/// there are fewer.
fn runs(mut bytes: &[u8], unit: usize, count: u64) -> Option<Vec<&[u8]>> {
    let next = |_| {
        let length = usize::try_from(take_word(&mut bytes)?).ok()?;
        take(&mut bytes, length.checked_mul(unit)?)
    };
    (0..count).map(next).collect()
}

/// Words as they are stored, the lowest byte first.
fn le_bytes(words: &[u64]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(words));
    }
    let mut bytes = Vec::new();
    put_words(&mut bytes, words);
    Cow::Owned(bytes)
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
