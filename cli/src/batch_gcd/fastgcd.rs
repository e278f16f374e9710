//! The two files of the program fastgcd (Heninger and others, *Mining your Ps and Qs*, 2012): the
//! moduli that have something in common with the product of all the others, and their gcds with
//! that product, a hexadecimal number per line.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::Write;
use std::path::Path;

use bezout::{Int, tree};

use super::{Answer, verify};
use crate::failure::Failure;
use crate::fresh_file::FreshFile;

const MODULI: &str = "vulnerable_moduli";
const GCDS: &str = "gcds";

/// The lines of a file.
type Lines = String;

/// What to do where a file is there already.
const HINT: &str = "name another folder with --out, or remove the file";

/// Where the files go. They are written at the end, so that a run that was killed leaves no file
/// that says there are no weak keys. A partial file that such a run left is replaced.
pub struct Files {
    moduli: FreshFile,
    gcds: FreshFile,
}

impl Files {
    /// Refuses, before the work, files that are there already and a folder that cannot be written.
    pub fn new(folder: &Path) -> Result<Files, Failure> {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::failed(format!("cannot write '{}': {error}", folder.display()))
        })?;
        Ok(Files {
            moduli: FreshFile::new(&folder.join(MODULI), HINT)?,
            gcds: FreshFile::new(&folder.join(GCDS), HINT)?,
        })
    }

    /// Writes both files, complete and on the disk, or leaves neither.
    pub fn write(&self, (moduli, gcds): &(Lines, Lines)) -> Result<(), Failure> {
        let write = || {
            write(&self.moduli, moduli)?;
            write(&self.gcds, gcds)?;
            self.moduli.publish()?;
            self.gcds.publish().inspect_err(|_| self.moduli.withdraw())
        };
        let written = write();
        self.moduli.discard();
        self.gcds.discard();
        written
    }
}

/// Writes the partial file to the disk.
fn write(target: &FreshFile, lines: &str) -> Result<(), Failure> {
    let mut file = target.create()?;
    let written = file
        .write_all(lines.as_bytes())
        .and_then(|()| file.sync_all());
    written.map_err(|error| target.failed(&error))
}

/// The lines of both files: every modulus n that is not coprime to the product of all the others,
/// in the order of the input, and gcd(n, product of all the others).
///
/// The gcd of a copy is n itself. Other moduli are coprime to all that are in no shared factor, so
/// their gcds are taken with the product of those that are in one, copies included.
pub fn lines(moduli: &[Int], answer: &Answer) -> Result<(Lines, Lines), Failure> {
    let shared = answer.shared.iter().flat_map(|shared| &shared.moduli);
    let shared: BTreeSet<usize> = shared.copied().collect();
    let copies: BTreeSet<usize> = answer.duplicates.iter().flatten().copied().collect();
    let numbers = |places: &mut dyn Iterator<Item = &usize>| -> Vec<Int> {
        places.map(|i| moduli[*i].clone()).collect()
    };
    let product = tree::product(&numbers(&mut shared.iter()))?;
    let single = numbers(&mut shared.difference(&copies));
    let common = verify::common_parts(&single, &product)?;
    let common: HashMap<&usize, Int> = shared.difference(&copies).zip(common).collect();
    let (mut vulnerable, mut gcds) = (Lines::new(), Lines::new());
    for i in shared.union(&copies) {
        let gcd = common.get(i).unwrap_or(&moduli[*i]);
        for (lines, value) in [(&mut vulnerable, &moduli[*i]), (&mut gcds, gcd)] {
            lines.push_str(&value.try_to_string_radix(16)?);
            lines.push('\n');
        }
    }
    Ok((vulnerable, gcds))
}
