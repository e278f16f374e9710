//! The file of a piece.
//!
//! The words of a piece are 64 bits, little-endian: the mark, the version, the count of moduli,
//! then of each of its three parts the length in bytes and the checksum, and the checksum of the
//! words before. Then come the parts: the limbs of the product; of each modulus the count of its
//! limbs and the limbs; of each modulus the length of its place and the text of the place.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::index::Entry;
use super::{Piece, StoreError, Stored, checksum, damaged, io_error};

const MARK: [u8; 8] = *b"bezoutKP";
const VERSION: u64 = 1;
const HEADER_WORDS: usize = 10;

/// The header of a piece, its three parts, and the checksum of the header.
pub(super) fn encode(piece: &Piece) -> (Vec<u8>, [Vec<u8>; 3], u64) {
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

/// A piece's file with its header read and checked.
pub(super) struct PieceFile {
    path: PathBuf,
    file: File,
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
        Ok(PieceFile { path, file, header })
    }

    /// The limbs of the product.
    pub(super) fn product(&mut self) -> Result<Vec<u64>, StoreError> {
        Ok(words(&self.part(0)?))
    }

    /// The moduli.
    pub(super) fn keys(&mut self) -> Result<Vec<Stored>, StoreError> {
        let (moduli, places) = (self.part(1)?, self.part(2)?);
        let (mut moduli, mut places) = (&moduli[..], &places[..]);
        let mut next = || -> Option<Stored> {
            let count = usize::try_from(take_word(&mut moduli)?).ok()?;
            let limbs = words(take(&mut moduli, count.checked_mul(8)?)?);
            let length = usize::try_from(take_word(&mut places)?).ok()?;
            let place = String::from_utf8_lossy(take(&mut places, length)?).into();
            Some(Stored { limbs, place })
        };
        let keys: Option<Vec<Stored>> = (0..self.header[2]).map(|_| next()).collect();
        keys.ok_or_else(|| damaged(&self.path, "its moduli are not as many as it says"))
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
