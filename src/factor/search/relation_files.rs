//! The files of the relations of sieves, while a search runs.

use std::fs;
use std::path::{Path, PathBuf};

use super::Search;
use crate::factoring::sieve;
use crate::number::Natural;

/// The files of a search.
#[derive(Debug, Clone)]
pub(super) struct RelationFiles {
    /// The prefix of their names.
    beside: PathBuf,
    /// The files that sieves of this process have written.
    files: Vec<PathBuf>,
}

impl Search {
    /// Stores the relations that long sieves find on disk, in files whose names begin with
    /// `beside`, and resumes from them. A sieve that is killed loses some seconds of its work.
    pub fn keep_relations(&mut self, beside: &Path) {
        self.kept = Some(RelationFiles {
            beside: beside.to_path_buf(),
            files: Vec::new(),
        });
    }

    /// Whether sieves have left files with relations.
    pub fn has_relations(&self) -> bool {
        self.kept
            .as_ref()
            .is_some_and(|kept| !kept.files.is_empty())
    }

    /// Removes these files. To be called after the results of the sieves are stored elsewhere.
    pub fn remove_relations(&mut self) {
        for file in self.kept.iter_mut().flat_map(|kept| kept.files.drain(..)) {
            // If a file cannot be removed, the next sieve of the same number resumes from it.
            let _ = fs::remove_file(file);
        }
    }

    /// Whether a sieve of a number of `bits` bits can be killed without loss.
    pub(super) fn keeps_relations(&self, bits: u64) -> bool {
        self.kept.is_some() && (sieve::LEAST_KEPT_BITS..=sieve::MOST_BITS).contains(&bits)
    }

    /// The file for relations of n. None if n is too short for one.
    pub(super) fn relations_file(&mut self, n: &Natural) -> Option<PathBuf> {
        let kept = self
            .kept
            .as_mut()
            .filter(|_| n.bit_length() >= sieve::LEAST_KEPT_BITS)?;
        let mut name = kept.beside.file_name()?.to_os_string();
        name.push(format!(".{:016x}.relations", hash(n)));
        let file = kept.beside.with_file_name(name);
        if !kept.files.contains(&file) {
            kept.files.push(file.clone());
        }
        Some(file)
    }
}

/// FNV-1a of the bytes of n: the file itself has n.
fn hash(n: &Natural) -> u64 {
    let bytes = n.limbs().iter().flat_map(|limb| limb.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
