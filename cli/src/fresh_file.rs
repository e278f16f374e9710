//! Files that are written as NAME.partial and have their names once they are complete. Nothing that
//! exists is overwritten.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output;

/// A file that is not there yet.
pub struct FreshFile {
    path: PathBuf,
    partial: PathBuf,
}

impl FreshFile {
    /// Refuses, with a hint, a file that is there already, and a folder that cannot be written:
    /// that shows now, and not after an hour. A partial file that is there stays as it is.
    pub fn new(path: &Path, hint: &'static str) -> Result<FreshFile, Failure> {
        let mut partial = path.as_os_str().to_os_string();
        partial.push(".partial");
        let file = FreshFile {
            path: path.to_path_buf(),
            partial: partial.into(),
        };
        refuse(path, hint)?;
        if !is_there(&file.partial) {
            drop(file.create()?);
            file.discard();
        }
        Ok(file)
    }

    /// Refuses a partial file that is there already.
    pub fn refuse_partial(&self, hint: &'static str) -> Result<(), Failure> {
        refuse(&self.partial, hint)
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a path is that of this file, or of its part.
    pub fn is(&self, path: &Path) -> bool {
        path == self.path || path == self.partial
    }

    /// Makes the partial file. One that is there already is replaced.
    pub fn create(&self) -> Result<File, Failure> {
        self.discard();
        File::create_new(&self.partial).map_err(|error| self.failed(&error))
    }

    /// Gives the partial file, which is on the disk, its name.
    pub fn publish(&self) -> Result<(), Failure> {
        // A link fails where the name is taken meanwhile; a rename would replace the file. Not
        // every file system has links.
        let named = fs::hard_link(&self.partial, &self.path).or_else(|error| {
            if is_there(&self.path) {
                Err(error)
            } else {
                fs::rename(&self.partial, &self.path)
            }
        });
        named.map_err(|error| self.failed(&error))?;
        self.discard();
        output::sync_folder_of(&self.path);
        Ok(())
    }

    /// Removes the complete file.
    pub fn withdraw(&self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Removes the partial file.
    pub fn discard(&self) {
        let _ = fs::remove_file(&self.partial);
    }

    /// The failure of a step of writing it.
    pub fn failed(&self, error: &io::Error) -> Failure {
        Failure::failed(format!("cannot write '{}': {error}", self.path.display()))
    }
}

fn refuse(path: &Path, hint: &'static str) -> Result<(), Failure> {
    if !is_there(path) {
        return Ok(());
    }
    let message = format!(
        "'{}' is there already, and is not overwritten",
        path.display()
    );
    Err(Failure::bad_input(message).hint(hint))
}

/// Whether there is a file, or a link that leads nowhere.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
