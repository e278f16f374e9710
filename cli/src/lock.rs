//! The lock of a checkpoint: an empty file beside it, so that one run at a time has it.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A lock on a file beside the checkpoint, which itself is replaced at every save.
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Refuses a checkpoint that another run has. None where files cannot be locked, or not be
    /// made: then the checkpoint cannot be saved either, which says why.
    pub fn take(checkpoint: &Path) -> Result<Option<Lock>, Failure> {
        let mut name = checkpoint.file_name().unwrap_or_default().to_os_string();
        name.push(".lock");
        let path = checkpoint.with_file_name(name);
        loop {
            let opened = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path);
            let Ok(file) = opened else {
                return Ok(None);
            };
            if file.metadata().is_ok_and(|data| data.len() > 0) {
                let message = format!("'{}' is no lock of a checkpoint", path.display());
                let hint = "choose another name for the checkpoint";
                return Err(Failure::bad_input(message).hint(hint));
            }
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Some(Lock { path, _file: file })),
                // The run that had it has removed it in the meantime.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let message = format!(
                        "the checkpoint '{}' is in use by another run",
                        checkpoint.display()
                    );
                    return Err(Failure::bad_input(message).hint("nothing was changed"));
                }
                Err(TryLockError::Error(_)) => return Ok(None),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether the file at `path` is this one.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(own), Ok(there)) = (file.metadata(), fs::metadata(path)) else {
        return false;
    };
    (own.dev(), own.ino()) == (there.dev(), there.ino())
}

/// A file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
