//! Digits to a file or to stdout, in groups where asked for.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output;

/// Groups on a line.
const GROUPS: usize = 10;

/// A file that is there once it is complete.
pub struct Target {
    path: PathBuf,
    partial: PathBuf,
}

impl Target {
    /// Refuses a file that is there already.
    pub fn new(path: &Path) -> Result<Target, Failure> {
        let mut name = path.as_os_str().to_os_string();
        name.push(".partial");
        let target = Target {
            path: path.to_path_buf(),
            partial: name.into(),
        };
        for path in [&target.path, &target.partial] {
            if path.symlink_metadata().is_ok() {
                let message = format!("'{}' is there already", path.display());
                return Err(Failure::bad_input(message).hint("remove it, or choose another name"));
            }
        }
        // A folder that cannot be written shows now and not after an hour.
        let file = target.create()?;
        drop(file);
        let _ = fs::remove_file(&target.partial);
        Ok(target)
    }

    /// The file's name.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn create(&self) -> Result<File, Failure> {
        let opened = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&self.partial);
        opened.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::failed(format!("cannot write '{}': {error}", self.path.display()))
    }

    /// Writes the text, complete and on the disk, or leaves nothing behind.
    pub fn write(&self, text: &str, group: Option<u64>) -> Result<(), Failure> {
        let mut file = BufWriter::with_capacity(1 << 20, self.create()?);
        let written = write(&mut file, text, group)
            .and_then(|()| file.into_inner().map_err(|error| error.into_error()))
            .and_then(|file| file.sync_all())
            // A link fails where the name is taken meanwhile; a rename would replace the file.
            .and_then(|()| {
                fs::hard_link(&self.partial, &self.path).or_else(|error| {
                    if error.kind() == io::ErrorKind::AlreadyExists || self.path.exists() {
                        Err(error)
                    } else {
                        fs::rename(&self.partial, &self.path)
                    }
                })
            });
        let _ = fs::remove_file(&self.partial);
        written.map_err(|error| self.failed(&error))
    }
}

/// Prints the text to stdout.
pub fn print(text: &str, group: Option<u64>) -> Result<(), Failure> {
    output::written(|out| write(out, text, group))
}

fn write(out: &mut dyn Write, text: &str, group: Option<u64>) -> io::Result<()> {
    let (Some(group), Some((whole, digits))) = (group, text.split_once('.')) else {
        return writeln!(out, "{text}");
    };
    writeln!(out, "{whole}.")?;
    let group = usize::try_from(group).unwrap_or(usize::MAX);
    for line in digits.as_bytes().chunks(group.saturating_mul(GROUPS)) {
        for (i, group) in line.chunks(group).enumerate() {
            if i > 0 {
                out.write_all(b" ")?;
            }
            out.write_all(group)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(text: &str, group: Option<u64>) -> String {
        let mut out = Vec::new();
        write(&mut out, text, group).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn groups() {
        assert_eq!(grouped("3", Some(5)), "3\n");
        assert_eq!(grouped("3.14159", None), "3.14159\n");
        assert_eq!(grouped("3.14159", Some(3)), "3.\n141 59\n");
        assert_eq!(grouped("3.14159", Some(1)), "3.\n1 4 1 5 9\n");
        assert_eq!(
            grouped("1.01010101010", Some(1)),
            "1.\n0 1 0 1 0 1 0 1 0 1\n0\n"
        );
        assert_eq!(grouped("3.14159", Some(u64::MAX)), "3.\n14159\n");
    }
}
