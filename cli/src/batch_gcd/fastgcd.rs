//! The two files of the program fastgcd (Heninger and others, *Mining your Ps and Qs*, 2012): the
//! moduli that share a factor, and what each has in common with the others, a hexadecimal number
//! per line.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use bezout::{Int, keys};

use crate::failure::Failure;

const MODULI: &str = "vulnerable_moduli";
const GCDS: &str = "gcds";

/// The files, open and empty.
pub struct Files {
    folder: PathBuf,
    moduli: File,
    gcds: File,
}

impl Files {
    /// Makes the files, before the work. Files that are there already are left as they are.
    pub fn create(folder: &Path) -> Result<Files, Failure> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let create = |name: &str| {
            let path = folder.join(name);
            let file = OpenOptions::new().write(true).create_new(true).open(&path);
            file.map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => Failure::bad_input(format!(
                    "'{}' is there already, and is not overwritten",
                    path.display()
                ))
                .hint("name another folder with --out, or remove the file"),
                _ => unwritable(&path, &error),
            })
        };
        let moduli = create(MODULI)?;
        let gcds = create(GCDS).inspect_err(|_| drop(fs::remove_file(folder.join(MODULI))))?;
        let folder = folder.to_path_buf();
        Ok(Files {
            folder,
            moduli,
            gcds,
        })
    }

    /// Removes the files, where there is no answer.
    pub fn discard(self) {
        for name in [MODULI, GCDS] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    /// Writes every different modulus that shares a factor, in the order of the input.
    pub fn write(self, moduli: &[Int], shared: &[keys::Shared]) -> Result<(), Failure> {
        let mut common: Vec<Option<Int>> = vec![None; moduli.len()];
        for shared in shared {
            for &i in &shared.moduli {
                let product = match common[i].take() {
                    Some(common) => common.try_mul(&shared.factor)?,
                    None => shared.factor.clone(),
                };
                common[i] = Some(product);
            }
        }
        let (mut seen, mut lines) = (HashSet::new(), [String::new(), String::new()]);
        for (modulus, common) in moduli.iter().zip(common) {
            let Some(common) = common.filter(|_| seen.insert(modulus)) else {
                continue;
            };
            for (lines, value) in lines.iter_mut().zip([modulus, &common]) {
                lines.push_str(&value.try_to_string_radix(16)?);
                lines.push('\n');
            }
        }
        for (file, lines) in [self.moduli, self.gcds].into_iter().zip(lines) {
            let mut file = BufWriter::new(file);
            let written = file.write_all(lines.as_bytes()).and_then(|()| file.flush());
            written.map_err(|error| unwritable(&self.folder, &error))?;
        }
        Ok(())
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot write '{}': {error}", path.display()))
}
