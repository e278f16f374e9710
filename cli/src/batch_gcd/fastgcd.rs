//! The two files of the program fastgcd (Heninger and others, *Mining your Ps and Qs*, 2012): the
//! moduli that have something in common with the product of all the others, and their gcds with
//! that product, a hexadecimal number per line.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bezout::{Int, tree};

use super::{Answer, verify};
use crate::failure::Failure;

const MODULI: &str = "vulnerable_moduli";
const GCDS: &str = "gcds";

/// The lines of a file.
type Lines = String;

/// Where the files go. They are written at the end, so that a run that was killed leaves no file
/// that says there are no weak keys.
pub struct Files {
    folder: PathBuf,
    moduli: Target,
    gcds: Target,
}

impl Files {
    /// Refuses, before the work, files that are there already and a folder that cannot be written.
    pub fn new(folder: &Path) -> Result<Files, Failure> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        Ok(Files {
            folder: folder.to_path_buf(),
            moduli: Target::new(folder, MODULI)?,
            gcds: Target::new(folder, GCDS)?,
        })
    }

    /// Writes both files, complete and on the disk, or leaves neither.
    pub fn write(&self, (moduli, gcds): &(Lines, Lines)) -> Result<(), Failure> {
        let write = || {
            self.moduli.write(moduli)?;
            self.gcds.write(gcds)?;
            self.moduli.publish()?;
            self.gcds.publish().inspect_err(|_| self.moduli.withdraw())
        };
        let written = write();
        self.moduli.discard();
        self.gcds.discard();
        // The names are on the disk once the folder is; not every system can open one.
        if let Ok(folder) = File::open(&self.folder) {
            let _ = folder.sync_all();
        }
        written
    }
}

/// A file that has its name once it is complete.
struct Target {
    path: PathBuf,
    partial: PathBuf,
}

impl Target {
    fn new(folder: &Path, name: &str) -> Result<Target, Failure> {
        let target = Target {
            path: folder.join(name),
            partial: folder.join(format!("{name}.partial")),
        };
        if target.path.symlink_metadata().is_ok() {
            let path = target.path.display();
            let words = format!("'{path}' is there already, and is not overwritten");
            return Err(Failure::bad_input(words)
                .hint("name another folder with --out, or remove the file"));
        }
        target.create().map_err(|error| target.failed(&error))?;
        target.discard();
        Ok(target)
    }

    /// Makes the partial file. That of a run that was killed is replaced.
    fn create(&self) -> io::Result<File> {
        self.discard();
        File::create_new(&self.partial)
    }

    /// Writes the partial file to the disk.
    fn write(&self, lines: &str) -> Result<(), Failure> {
        let written = self.create().and_then(|mut file| {
            file.write_all(lines.as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| self.failed(&error))
    }

    /// Gives the partial file its name.
    fn publish(&self) -> Result<(), Failure> {
        // A link fails where the name is taken meanwhile; a rename would replace the file. Not
        // every file system has links.
        let named = fs::hard_link(&self.partial, &self.path).or_else(|error| {
            if self.path.symlink_metadata().is_ok() {
                Err(error)
            } else {
                fs::rename(&self.partial, &self.path)
            }
        });
        named.map_err(|error| self.failed(&error))
    }

    fn withdraw(&self) {
        let _ = fs::remove_file(&self.path);
    }

    fn discard(&self) {
        let _ = fs::remove_file(&self.partial);
    }

    fn failed(&self, error: &io::Error) -> Failure {
        unwritable(&self.path, error)
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!("cannot write '{}': {error}", path.display()))
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
