//! The lock of a checkpoint: an empty file beside it, so that one run at a time has it.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
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
            if fs::symlink_metadata(&path).is_ok_and(|data| data.is_symlink()) {
                return Err(no_lock(&path));
            }
            let file = match open(&path) {
                Ok(file) => file,
                // Another run has removed it in the meantime.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(_) => return Ok(None),
            };
            if file.metadata().is_ok_and(|data| data.len() > 0) {
                return Err(no_lock(&path));
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

fn no_lock(path: &Path) -> Failure {
    let message = format!("'{}' is no lock of a checkpoint", path.display());
    Failure::bad_input(message).hint("choose another name for the checkpoint")
}

/// Makes the file, or opens the one that is there. Making it does not follow a link.
fn open(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            File::options().write(true).open(path)
        }
        // A missing folder is no file that was removed.
        Err(error) if error.kind() == ErrorKind::NotFound => Err(io::Error::other(error)),
        made => made,
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_no_lock() {
        let name = format!("bezout-lock-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        let (checkpoint, target) = (folder.join("state"), folder.join("made"));
        std::os::unix::fs::symlink(&target, folder.join("state.lock")).unwrap();
        let refused = Lock::take(&checkpoint).err().unwrap();
        assert!(refused.message().contains("is no lock"), "{refused:?}");
        assert!(!target.exists());
        fs::remove_file(folder.join("state.lock")).unwrap();
        let lock = Lock::take(&checkpoint).unwrap().unwrap();
        assert!(Lock::take(&checkpoint).is_err());
        drop(lock);
        assert!(Lock::take(&folder.join("none/state")).unwrap().is_none());
        fs::remove_dir_all(&folder).unwrap();
    }
}
