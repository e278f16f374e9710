//! The index of a store: a line for each piece that counts, in order, and a checksum.

use std::fs;
use std::path::Path;

use super::{StoreError, checksum, damaged, io_error};

const HEAD: &str = "bezout key store 1";

/// A line of the index: a piece that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The number in the name of its file.
    pub(super) number: u64,
    /// How many moduli it has.
    pub(super) count: u64,
    /// Limbs of the product.
    pub(super) limbs: u64,
    /// The checksum of the piece's header.
    pub(super) hash: u64,
}

/// The text of an index of these pieces.
pub(super) fn text_of(entries: &[Entry]) -> String {
    let mut text = format!("{HEAD}\n");
    for entry in entries {
        let Entry {
            number,
            count,
            limbs,
            hash,
        } = entry;
        text.push_str(&format!("{number} {count} {limbs} {hash:016x}\n"));
    }
    text.push_str(&format!("end {:016x}\n", checksum([text.as_bytes()])));
    text
}

/// The pieces that count, in order.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, StoreError> {
    let text = fs::read(path).map_err(|error| io_error(path, error))?;
    let text = String::from_utf8(text).map_err(|_| damaged(path, "it is no index of keys"))?;
    let Some(rest) = text.strip_prefix(HEAD) else {
        let is_other = text.starts_with("bezout key store ");
        return Err(if is_other {
            damaged(path, "another version of bezout wrote it")
        } else {
            damaged(path, "it is no index of a key store")
        });
    };
    let cut = || damaged(path, "it is cut or damaged");
    let (body, end) = rest.split_once("end ").ok_or_else(cut)?;
    let content = &text[..HEAD.len() + body.len()];
    if end != format!("{:016x}\n", checksum([content.as_bytes()])) {
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
