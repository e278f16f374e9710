//! Compiled modules on disk, so that a second start compiles nothing.
//!
//! An entry's file is named by a hash of everything that went into the module and holds, after the
//! module, that very text: an entry only serves where the text is equal, so a collision of hashes
//! or a foreign file costs a compilation and no more. The module comes first so that the system's
//! loader can open an entry as a library (bytes after the end are ignored):
//!
//! module, key text, length of the module (8 bytes), length of the key (8), checksum of all before
//! the checksum (16), magic (8); numbers little-endian.
//!
//! Entries are written to a temporary file and renamed, so a reader sees all of one or nothing. An
//! entry that is cut short or changed fails its checksum and is built again. Between that check
//! and the loader nobody else can change it: `crate::cache` trusts no folder where others could.

use std::path::{Path, PathBuf};

use crate::{cache, notice};

const MAGIC: &[u8; 8] = b"bezout\x00\x01";
const FOOTER: usize = 8 + 8 + 16 + 8;

/// What identifies an entry.
pub(super) struct Key {
    file: String,
    text: String,
}

impl Key {
    /// The key of a module by name and kind, and of all `parts` that it was made from. The crate's
    /// version is always one of them.
    pub(super) fn new(name: &str, kind: &str, parts: &[&str]) -> Key {
        Key::after(name, kind, parts, &[], fnv)
    }

    /// As `new` with both lists of parts. `hash` gives [`fnv`] of the text of the first ones, which
    /// many keys have in common.
    pub(super) fn after(
        name: &str,
        kind: &str,
        first: &[&str],
        others: &[&str],
        hash: impl FnOnce(&[u8]) -> u128,
    ) -> Key {
        let mut text = String::new();
        // Lengths keep the borders between parts.
        let mut add = |part: &str| {
            text.push_str(&format!("{}\n{part}\n", part.len()));
            text.len()
        };
        let first = [env!("CARGO_PKG_VERSION"), kind]
            .into_iter()
            .chain(first.iter().copied());
        let common = first.map(&mut add).last().unwrap_or(0);
        for part in others {
            add(part);
        }
        let (common, others) = text.as_bytes().split_at(common);
        let hash = fnv_after(hash(common), others);
        let file = format!("{name}-{hash:032x}.{kind}");
        Key { file, text }
    }

    /// The name of its file.
    pub(super) fn file(&self) -> &str {
        &self.file
    }
}

/// FNV-1a with 128 bits. It finds entries and damage; no one is to be kept from forging either.
pub(super) fn fnv(bytes: &[u8]) -> u128 {
    fnv_after(0x6c62272e07bb014262b821756295c58d, bytes)
}

/// [`fnv`] of some bytes and of these after them, from that of the former.
fn fnv_after(hash: u128, bytes: &[u8]) -> u128 {
    const PRIME: u128 = (1 << 88) | 0x13b;
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    })
}

/// A folder of entries, or none.
pub(super) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The user's, unless others can change it.
    pub(super) fn of_user() -> Cache {
        Cache {
            folder: cache::trusted_folder(),
        }
    }

    /// One in this folder.
    #[cfg(test)]
    pub(super) fn at(folder: &Path) -> Cache {
        Cache {
            folder: Some(folder.into()),
        }
    }

    /// Where the entry of this key is, if it is anywhere.
    pub(super) fn path(&self, key: &Key) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(&key.file))
    }

    /// The module of this key, if an undamaged entry has it.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let mut entry = cache::read(&self.path(key)?).ok()?;
        let module = checked(&entry, key)?;
        entry.truncate(module);
        Some(entry)
    }

    /// Keeps the module; its entry's path, or nothing (and a notice) where the folder cannot be
    /// written.
    pub(super) fn put(&self, key: &Key, module: &[u8]) -> Option<PathBuf> {
        let path = self.path(key)?;
        match write(&path, key, module) {
            Ok(()) => Some(path),
            Err(error) => {
                let folder = self.folder.as_deref().unwrap_or(Path::new(""));
                notice::say_once(&format!(
                    "compiled kernels are not kept: {} cannot be written ({error}); BEZOUT_CACHE \
                     names another folder",
                    folder.display()
                ));
                None
            }
        }
    }
}

/// The module's length, where `entry` is whole and belongs to `key`.
fn checked(entry: &[u8], key: &Key) -> Option<usize> {
    let body = entry.len().checked_sub(FOOTER)?;
    let (content, footer) = entry.split_at(body);
    let number = |at: usize| footer[at..at + 8].try_into().map(u64::from_le_bytes).ok();
    let (module, text) = (
        usize::try_from(number(0)?).ok()?,
        usize::try_from(number(8)?).ok()?,
    );
    let sum = u128::from_le_bytes(footer[16..32].try_into().ok()?);
    let whole = footer[32..] == MAGIC[..]
        && module.checked_add(text) == Some(body)
        && content[module..] == *key.text.as_bytes()
        && sum == fnv(&entry[..body + 16]);
    whole.then_some(module)
}

fn write(path: &Path, key: &Key, module: &[u8]) -> std::io::Result<()> {
    let mut entry = Vec::with_capacity(module.len() + key.text.len() + FOOTER);
    entry.extend_from_slice(module);
    entry.extend_from_slice(key.text.as_bytes());
    entry.extend_from_slice(&(module.len() as u64).to_le_bytes());
    entry.extend_from_slice(&(key.text.len() as u64).to_le_bytes());
    entry.extend_from_slice(&fnv(&entry).to_le_bytes());
    entry.extend_from_slice(MAGIC);
    cache::write(path, &entry)
}
