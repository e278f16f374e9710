//! Packs: files of compiled modules that are shipped with a program or a library, so that its user
//! compiles nothing.
//!
//! A pack serves one architecture and is called `bezout-sm_90.kernels`. `places.rs` says where it
//! is looked for. Numbers in it are little-endian:
//!
//! magic (16), bytes of the index (8), checksum of the index (16), the index as JSON, modules.
//!
//! Opening a pack reads the index alone. A module is read, compared with its checksum and
//! decompressed when it is asked for. Each is compressed by itself (DEFLATE), to 28 % of its bytes.
//! Blocks of several alike would gain 5 % more and take longer to open.
//!
//! A pack that cannot serve is said once and passed over. Its modules are then looked for in the
//! cache, or compiled.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use super::cache::{Key, fnv};
use super::places;
use crate::fork::PerProcess;
use crate::{cache, notice, threads};

const MAGIC: &[u8; 16] = b"bezout kernels 2";
/// Bytes before the index.
const HEAD: usize = MAGIC.len() + 8 + 16;
/// Bytes of an index or of a module that are believed. Larger numbers are damage.
const MOST: u64 = 64 << 20;
/// Of 10: beyond it, compression takes twice the time and gains a thousandth.
const COMPRESSION: u8 = 9;

#[derive(Serialize, Deserialize)]
struct Index {
    /// The version of bezout whose sources were compiled.
    version: String,
    /// As 90 for sm_90.
    architecture: u32,
    /// Sources by name, and checksums of their texts.
    sources: HashMap<String, String>,
    /// Modules by the names of their files in the cache, which are hashes of all that went into
    /// them.
    modules: HashMap<String, Place>,
}

#[derive(Serialize, Deserialize)]
struct Place {
    /// Where it begins after the index.
    start: u64,
    /// Its bytes in the file, and those of the module.
    packed: u64,
    unpacked: u64,
    /// Of the bytes in the file.
    checksum: String,
}

/// An open pack.
pub(super) struct Pack {
    path: PathBuf,
    index: Index,
    /// Where the modules begin.
    modules: u64,
    file: Mutex<File>,
    /// Set once it has proved useless, which was said.
    is_refused: AtomicBool,
}

/// What a module is looked for by.
pub(super) struct Sought<'a> {
    pub(super) key: &'a Key,
    /// The name of its source, and the checksum of the text.
    pub(super) source: &'a str,
    pub(super) checksum: u128,
}

/// A module for a pack.
pub(super) struct Packed {
    pub(super) key: Key,
    pub(super) source: &'static str,
    pub(super) checksum: u128,
    pub(super) image: Vec<u8>,
}

/// The name of the pack for this architecture.
pub(super) fn name(architecture: u32) -> String {
    format!("bezout-sm_{architecture}.kernels")
}

impl Pack {
    /// The pack of this process for devices of this architecture, if there is one that serves.
    pub(super) fn of_process(architecture: u32) -> Option<&'static Pack> {
        type Packs = Vec<(u32, Option<&'static Pack>)>;
        static PACKS: PerProcess<Mutex<Packs>> = PerProcess::new(Mutex::new(Vec::new()));
        let mut packs = PACKS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = packs.iter().find(|(other, _)| *other == architecture);
        let pack = match known {
            Some((_, pack)) => *pack,
            None => {
                // One for each architecture, kept as long as the process.
                let found = Pack::find(architecture).map(|pack| &*Box::leak(Box::new(pack)));
                packs.push((architecture, found));
                found
            }
        };
        pack.filter(|pack| !pack.is_refused.load(Ordering::Relaxed))
    }

    fn find(architecture: u32) -> Option<Pack> {
        places::candidates(&name(architecture))
            .into_iter()
            .filter(|path| path.is_file())
            .find_map(|path| {
                let opened = Pack::open(&path).and_then(|pack| match pack.index.architecture {
                    same if same == architecture => Ok(pack),
                    other => Err(format!("they are for sm_{other}, not sm_{architecture}")),
                });
                opened.map_err(|reason| refuse(&path, &reason)).ok()
            })
    }

    pub(super) fn open(path: &Path) -> Result<Pack, String> {
        let words = |error: std::io::Error| error.to_string();
        let damaged = || DAMAGED.to_string();
        let mut file = File::open(path).map_err(words)?;
        let size = file.metadata().map_err(words)?.len();
        let mut head = [0; HEAD];
        file.read_exact(&mut head).map_err(|_| damaged())?;
        let (magic, numbers) = head.split_at(MAGIC.len());
        if magic != MAGIC {
            let is_older = magic.starts_with(&MAGIC[..MAGIC.len() - 1]);
            let reason = match is_older {
                true => "they are those of another version of bezout",
                false => "it is not a pack of kernels",
            };
            return Err(reason.into());
        }
        let (length, sum) = numbers.split_at(8);
        let length = (length.try_into()).map_or(u64::MAX, u64::from_le_bytes);
        if length > size.min(MOST) {
            return Err(damaged());
        }
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text).map_err(|_| damaged())?;
        if fnv(&text).to_le_bytes() != *sum {
            return Err(damaged());
        }
        let index: Index = serde_json::from_slice(&text).map_err(|_| damaged())?;
        if index.version != env!("CARGO_PKG_VERSION") {
            return Err(format!(
                "they are those of bezout {}, and this is {}",
                index.version,
                env!("CARGO_PKG_VERSION")
            ));
        }
        let modules = HEAD as u64 + length;
        let is_inside = |place: &Place| {
            let end = place.start.checked_add(place.packed);
            end.is_some_and(|end| end <= size - modules) && place.unpacked <= MOST
        };
        if !index.modules.values().all(is_inside) {
            return Err(damaged());
        }
        Ok(Pack {
            path: path.into(),
            index,
            modules,
            file: Mutex::new(file),
            is_refused: AtomicBool::new(false),
        })
    }

    /// Whether it has this module.
    pub(super) fn has(&self, sought: &Sought) -> bool {
        self.is_of_source(sought) && self.index.modules.contains_key(sought.key.file())
    }

    /// This module, if it is here and whole.
    pub(super) fn get(&self, sought: &Sought) -> Option<Vec<u8>> {
        if !self.is_of_source(sought) {
            return None;
        }
        let place = self.index.modules.get(sought.key.file())?;
        let module = self.read(place);
        if module.is_none() {
            self.refuse(DAMAGED);
        }
        module
    }

    fn read(&self, place: &Place) -> Option<Vec<u8>> {
        let mut bytes = vec![0; place.packed as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.modules + place.start))
            .ok()?;
        file.read_exact(&mut bytes).ok()?;
        drop(file);
        if hexadecimal(fnv(&bytes)) != place.checksum {
            return None;
        }
        let unpacked = place.unpacked as usize;
        let module = decompress_to_vec_with_limit(&bytes, unpacked).ok()?;
        (module.len() == unpacked).then_some(module)
    }

    /// Has nobody use it from now on, for this reason.
    pub(super) fn refuse(&self, reason: &str) {
        self.is_refused.store(true, Ordering::Relaxed);
        refuse(&self.path, reason);
    }

    fn is_of_source(&self, sought: &Sought) -> bool {
        let theirs = self.index.sources.get(sought.source);
        let is_other = theirs.is_some_and(|theirs| *theirs != hexadecimal(sought.checksum));
        if is_other {
            self.refuse("they were compiled from other sources than those of this bezout");
        }
        !is_other
    }
}

const DAMAGED: &str = "the file is damaged; 'bezout kernels pack' makes it again";

fn refuse(path: &Path, reason: &str) {
    notice::say_once(&format!(
        "the kernels in {} are not used: {reason}",
        path.display()
    ));
}

fn hexadecimal(checksum: u128) -> String {
    format!("{checksum:032x}")
}

/// Writes a pack of these modules; the bytes written.
pub(super) fn write(path: &Path, architecture: u32, all: &[Packed]) -> std::io::Result<u64> {
    let packed = threads::map(all.len(), 1, |i| {
        compress_to_vec(&all[i].image, COMPRESSION)
    });
    let mut start = 0;
    let modules = all.iter().zip(&packed).map(|(one, bytes)| {
        let place = Place {
            start,
            packed: bytes.len() as u64,
            unpacked: one.image.len() as u64,
            checksum: hexadecimal(fnv(bytes)),
        };
        start += place.packed;
        (one.key.file().to_string(), place)
    });
    let modules = modules.collect();
    let sources = all
        .iter()
        .map(|one| (one.source.to_string(), hexadecimal(one.checksum)));
    let index = Index {
        version: env!("CARGO_PKG_VERSION").into(),
        architecture,
        sources: sources.collect(),
        modules,
    };
    let index = serde_json::to_vec(&index)?;
    let mut content = MAGIC.to_vec();
    content.extend_from_slice(&(index.len() as u64).to_le_bytes());
    content.extend_from_slice(&fnv(&index).to_le_bytes());
    content.extend_from_slice(&index);
    packed
        .iter()
        .for_each(|bytes| content.extend_from_slice(bytes));
    cache::write_shared(path, &content)?;
    Ok(content.len() as u64)
}
