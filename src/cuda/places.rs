//! Where packs of kernels are looked for.
//!
//! | where | |
//! |---|---|
//! | `BEZOUT_KERNELS` | a pack, or a folder with packs; nowhere else then |
//! | beside the library or extension module that holds this code, and beside the program | in that folder, in `kernels/` below it, in `../share/bezout`, and in a package `bezout_kernels` beside the module's package |
//! | the user's data | `$XDG_DATA_HOME/bezout`, else `~/.local/share/bezout` (`%LOCALAPPDATA%\bezout`) |
//! | the system's | `bezout` in each folder of `$XDG_DATA_DIRS`, and in `/usr/local/share`, `/usr/share` |
//!
//! Folders of the user and the system count only where nobody else could put a file: kernels are
//! code. What lies beside the library is trusted as the library is.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::{cache, notice, variables};

/// Paths that a pack of this name may have, the first choice first. None need exist.
pub(super) fn candidates(name: &str) -> Vec<PathBuf> {
    if let Some(named) = variables::path("BEZOUT_KERNELS") {
        return vec![if named.is_dir() {
            named.join(name)
        } else {
            named
        }];
    }
    let mut all = Vec::new();
    for folder in [folder_of_library(), folder_of_program()]
        .into_iter()
        .flatten()
    {
        all.extend(beside(&folder).map(|folder| folder.join(name)));
    }
    let shared = (shared().into_iter()).map(|folder| folder.join(name));
    all.extend(shared.filter(|path| path.is_file() && is_trusted(path)));
    all
}

/// Whether nobody else can exchange the pack, which is said where somebody can.
fn is_trusted(path: &Path) -> bool {
    let is_trusted = cache::is_trusted(path);
    if !is_trusted {
        notice::say_once(&format!(
            "the kernels in {} are not used: other users may change the file or its folder",
            path.display()
        ));
    }
    is_trusted
}

/// Folders that belong to a library or a program in this one.
pub(super) fn beside(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let above = folder.parent().unwrap_or(folder);
    let (shared, package) = (above.join("share/bezout"), above.join("bezout_kernels"));
    [folder.into(), folder.join("kernels"), shared, package].into_iter()
}

fn shared() -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = if cfg!(windows) {
        set("LOCALAPPDATA").map(PathBuf::from)
    } else {
        let of_home = || Some(PathBuf::from(set("HOME")?).join(".local/share"));
        set("XDG_DATA_HOME").map(PathBuf::from).or_else(of_home)
    };
    let of_system = set("XDG_DATA_DIRS").unwrap_or_default();
    let of_system = std::env::split_paths(&of_system).collect::<Vec<_>>();
    let usual = ["/usr/local/share", "/usr/share"].map(PathBuf::from);
    let usual = usual.into_iter().filter(|_| cfg!(unix));
    let all = home.into_iter().chain(of_system).chain(usual);
    // As the standard of these variables asks.
    all.filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bezout"))
        .collect()
}

fn folder_of_program() -> Option<PathBuf> {
    folder_of(std::env::current_exe().ok()?.as_os_str())
}

/// That of the shared object which this function is in.
#[cfg(unix)]
pub(super) fn folder_of_library() -> Option<PathBuf> {
    use std::ffi::CStr;
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: all fields of the structure may be zero.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here = folder_of_library as fn() -> Option<PathBuf>;
    // SAFETY: the address is only looked up; the structure outlives the call.
    if unsafe { libc::dladdr(here as *const libc::c_void, &mut info) } == 0
        || info.dli_fname.is_null()
    {
        return None;
    }
    // SAFETY: the loader's name of an object that is loaded, zero-terminated.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    folder_of(OsStr::from_bytes(name.to_bytes()))
}

#[cfg(not(unix))]
pub(super) fn folder_of_library() -> Option<PathBuf> {
    None
}

/// The folder that a file is in, through links: a program that is found by a link to it has its
/// packs where it is.
fn folder_of(file: &OsStr) -> Option<PathBuf> {
    let path = std::fs::canonicalize(file).ok()?;
    path.parent().map(Path::to_path_buf)
}
