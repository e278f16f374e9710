//! Packs: files of compiled modules that are shipped with a program, so that its user compiles
//! nothing.
//!
//! A pack is looked for where `BEZOUT_KERNELS` says, else as `bezout.kernels` beside the running
//! program. A line that says what the file is, the length of the index and its checksum come first,
//! then the index as JSON, then the modules. A pack that cannot serve is said once and passed over:
//! modules are then found in the cache, or compiled.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::cache::{Key, fnv};
use crate::fork::PerProcess;
use crate::{cache, notice, variables};

const MAGIC: &[u8; 16] = b"bezout kernels 1";
/// Bytes before the index.
const HEAD: usize = MAGIC.len() + 8 + 16;

#[derive(Serialize, Deserialize)]
struct Index {
    /// The version of bezout whose sources were compiled.
    version: String,
    /// Architectures, as 90 for sm_90.
    architectures: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// The hash of the key, which names the file of the same module in the cache.
    key: String,
    /// Where the module begins after the index.
    start: u64,
    length: usize,
    checksum: String,
}

/// An open pack.
pub(super) struct Pack {
    path: PathBuf,
    file: Mutex<File>,
    /// Where the modules begin.
    modules: u64,
    index: Index,
}

impl Pack {
    /// The pack of this process, if there is one that serves devices of this architecture.
    pub(super) fn of_process(architecture: u32) -> Option<&'static Pack> {
        static PACK: PerProcess<OnceLock<Option<Pack>>> = PerProcess::new(OnceLock::new());
        let pack = PACK.get_or_init(|| {
            let named = variables::path("BEZOUT_KERNELS");
            let path = named.clone().or_else(beside_program)?;
            match Pack::open(&path) {
                Ok(pack) => Some(pack),
                Err(reason) => {
                    notice::say_once(&format!(
                        "the kernels in {} are not used: {reason}",
                        path.display()
                    ));
                    None
                }
            }
        });
        let pack = pack.as_ref()?;
        if !pack.index.architectures.contains(&architecture) {
            notice::say_once(&format!(
                "the kernels in {} are not used: none of them is for sm_{architecture}",
                pack.path.display()
            ));
            return None;
        }
        Some(pack)
    }

    pub(super) fn open(path: &Path) -> Result<Pack, String> {
        let words = |error: std::io::Error| error.to_string();
        let damaged =
            || "the file is damaged; `bezout kernels prepare --out` makes it anew".to_string();
        let mut file = File::open(path).map_err(words)?;
        let size = file.metadata().map_err(words)?.len();
        let mut head = [0; HEAD];
        file.read_exact(&mut head).map_err(|_| damaged())?;
        if head[..MAGIC.len()] != *MAGIC {
            return Err("it is not a pack of kernels".into());
        }
        let (length, sum) = head[MAGIC.len()..].split_at(8);
        let length = length
            .try_into()
            .map(u64::from_le_bytes)
            .unwrap_or(u64::MAX);
        if length > size {
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
        Ok(Pack {
            path: path.into(),
            file: Mutex::new(file),
            modules: HEAD as u64 + length,
            index,
        })
    }

    /// The module of this key, if it is here and whole.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let name = key.file();
        let entry = self.index.entries.iter().find(|entry| entry.key == name)?;
        let mut module = vec![0; entry.length];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file
            .seek(SeekFrom::Start(self.modules + entry.start))
            .and_then(|_| file.read_exact(&mut module));
        drop(file);
        if read.is_err() || checksum(&module) != entry.checksum {
            notice::say_once(&format!(
                "the kernels in {} are damaged: `bezout kernels prepare --out` makes them anew",
                self.path.display()
            ));
            return None;
        }
        Some(module)
    }
}

fn beside_program() -> Option<PathBuf> {
    let path = std::env::current_exe()
        .ok()?
        .with_file_name("bezout.kernels");
    path.is_file().then_some(path)
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:032x}", fnv(bytes))
}

/// Writes a pack of these modules; the bytes written.
pub(super) fn write(
    path: &Path,
    architectures: &[u32],
    modules: &[(Key, Vec<u8>)],
) -> std::io::Result<u64> {
    let mut start = 0;
    let entries = modules.iter().map(|(key, module)| {
        let entry = Entry {
            key: key.file().to_string(),
            start,
            length: module.len(),
            checksum: checksum(module),
        };
        start += module.len() as u64;
        entry
    });
    let index = Index {
        version: env!("CARGO_PKG_VERSION").into(),
        architectures: architectures.to_vec(),
        entries: entries.collect(),
    };
    let index = serde_json::to_vec(&index)?;
    let mut content = MAGIC.to_vec();
    content.extend_from_slice(&(index.len() as u64).to_le_bytes());
    content.extend_from_slice(&fnv(&index).to_le_bytes());
    content.extend_from_slice(&index);
    modules
        .iter()
        .for_each(|(_, module)| content.extend_from_slice(module));
    cache::write_shared(path, &content)?;
    Ok(content.len() as u64)
}
