//! The user's cache folder: compiled kernels and measured tunings. Kernels from this folder are
//! executed, so no other user may be able to write to it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{notice, variables};

/// The folder of files that are kept between runs: `BEZOUT_CACHE`, or `bezout` in the user's cache
/// folder. It may not exist yet. `None` if the environment names no such folder.
pub fn folder() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    variables::path("BEZOUT_CACHE").or_else(|| {
        if cfg!(windows) {
            return Some(set("LOCALAPPDATA")?.join("bezout"));
        }
        let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
        Some(base?.join("bezout"))
    })
}

/// The folder of [`folder`]. If other users can change its contents, returns `None` and prints a
/// notice with the reason.
pub(crate) fn trusted_folder() -> Option<PathBuf> {
    let folder = folder()?;
    if let Some(objection) = objection(&folder) {
        notice::say_once(&format!(
            "nothing is kept in the cache {}: {objection}",
            folder.display()
        ));
        return None;
    }
    Some(folder)
}

/// The reason why a folder must not be trusted. None if it is trusted, or does not exist yet.
fn objection(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    if !is_own(&fs::metadata(&folder).ok()?) {
        return Some(
            "other users may write to it or own it; 'chmod go-w' makes it yours alone, and \
             BEZOUT_CACHE names another"
                .into(),
        );
    }
    let open = folder.ancestors().skip(1).find(|path| may_be_moved(path))?;
    Some(format!(
        "everybody may exchange what is in {}",
        open.display()
    ))
}

/// Whether nobody but this user and root can change a file, or put another one in its place.
#[cfg(feature = "cuda")]
pub(crate) fn is_trusted(file: &Path) -> bool {
    let is_own = fs::metadata(file).is_ok_and(|data| is_own(&data));
    is_own
        && file
            .parent()
            .is_some_and(|folder| objection(folder).is_none())
}

/// Whether a file or folder belongs to this user or to root, and no other user may write to it.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system's call that tells the user")]
fn is_own(data: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: takes nothing and cannot fail.
    let user = unsafe { libc::geteuid() };
    [0, user].contains(&data.uid()) && data.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

/// Whether every user may rename the entries of a folder. In a folder with the sticky bit, such as
/// /tmp, only the owner of an entry may.
#[cfg(unix)]
fn may_be_moved(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).is_ok_and(|data| data.mode() & 0o1002 == 0o002)
}

#[cfg(not(unix))]
fn may_be_moved(_: &Path) -> bool {
    false
}

/// The contents of a file of the cache. A file that other users own or may write to counts as
/// missing, so it is created again.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    if !is_own(&file.metadata()?) {
        return Err(ErrorKind::NotFound.into());
    }
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    Ok(content)
}

/// Writes a file of the cache, which this user alone can read, so that readers see all of it or
/// nothing. Its folder is made where it is missing.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private(fs::DirBuilder::new().recursive(true)).create(folder)?;
    }
    let mut options = File::options();
    replace(path, content, private_file(&mut options))
}

/// Writes a file that others may read, so that readers see all of it or nothing.
#[cfg(feature = "cuda")]
pub(crate) fn write_shared(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    replace(path, content, &mut File::options())
}

/// Writes a new file beside the old one, and gives it the name.
fn replace(path: &Path, content: &[u8], options: &mut OpenOptions) -> io::Result<()> {
    let temporary = unique(path, "tmp");
    let mut write = || {
        // A link that somebody has put there is not followed.
        let mut file = options.write(true).create_new(true).open(&temporary)?;
        file.write_all(content)?;
        fs::rename(&temporary, path)
    };
    let done = write();
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// A folder of mode 700 in the one for temporary files. It goes with the value.
#[cfg(any(feature = "cuda", test))]
pub(crate) struct PrivateFolder(PathBuf);

#[cfg(any(feature = "cuda", test))]
impl PrivateFolder {
    pub(crate) fn new() -> io::Result<PrivateFolder> {
        let place = std::env::temp_dir().join("bezout");
        loop {
            let path = unique(&place, "private");
            // Fails where there is anything of this name, a link included.
            match private(&mut fs::DirBuilder::new()).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                done => return done.map(|()| PrivateFolder(path)),
            }
        }
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

#[cfg(any(feature = "cuda", test))]
impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // A folder that remains in the temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn private(builder: &mut fs::DirBuilder) -> &mut fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    builder.mode(0o700)
}

#[cfg(not(unix))]
fn private(builder: &mut fs::DirBuilder) -> &mut fs::DirBuilder {
    builder
}

#[cfg(unix)]
fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// A name in the same folder that no other thread or process uses.
fn unique(path: &Path, kind: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    let time = time.map_or(0, |time| time.subsec_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.{count}.{time}.{kind}", std::process::id()));
    path.with_file_name(name)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folders_of_the_cache_are_private() {
        let folder = PrivateFolder::new().unwrap();
        assert_eq!(mode(&folder.0), 0o700);
        let path = folder.file("a/b/entry");
        write(&path, b"content").unwrap();
        for (name, wanted) in [("a", 0o700), ("a/b", 0o700), ("a/b/entry", 0o600)] {
            assert_eq!(mode(&folder.file(name)), wanted, "{name}");
        }
        assert_eq!(read(&path).unwrap(), b"content");
        let gone = folder.0.clone();
        drop(folder);
        assert!(!gone.exists());
    }

    #[test]
    fn what_others_can_change_is_not_used() {
        let folder = PrivateFolder::new().unwrap();
        let (cache, entry) = (folder.file("cache"), folder.file("cache/entry"));
        assert_eq!(objection(&cache), None);
        write(&entry, b"content").unwrap();
        assert_eq!(objection(&cache), None);
        for open in [0o622, 0o602, 0o620] {
            set_mode(&entry, open);
            assert_eq!(read(&entry).unwrap_err().kind(), ErrorKind::NotFound);
        }
        // It is replaced by a file to which no other user can write.
        write(&entry, b"again").unwrap();
        assert_eq!(
            (read(&entry).unwrap(), mode(&entry)),
            (b"again".to_vec(), 0o600)
        );
        for open in [0o777, 0o770, 0o702, 0o1777] {
            set_mode(&cache, open);
            assert!(objection(&cache).is_some(), "{open:o}");
        }
        set_mode(&cache, 0o755);
        assert_eq!(objection(&cache), None);
        // A link is as good as the folder that it leads to.
        symlink(&cache, folder.file("link")).unwrap();
        assert_eq!(objection(&folder.file("link")), None);
        set_mode(&folder.0, 0o777);
        assert!(objection(&cache).is_some());
        set_mode(&folder.0, 0o1777);
        assert_eq!(objection(&cache), None);
    }

    #[test]
    fn links_are_not_followed() {
        let folder = PrivateFolder::new().unwrap();
        let (entry, other) = (folder.file("entry"), folder.file("other"));
        fs::write(&other, b"precious").unwrap();
        symlink(&other, &entry).unwrap();
        write(&entry, b"content").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"precious");
        assert_eq!(fs::read(&entry).unwrap(), b"content");
        assert!(fs::symlink_metadata(&entry).unwrap().is_file());
    }
}
