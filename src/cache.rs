//! The user's cache folder: compiled kernels and measured tunings.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::variables;

/// The folder of what is kept between runs: `BEZOUT_CACHE`, or `bezout` in the user's cache folder.
/// It may not exist yet. `None` where the environment names no such folder.
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

/// Writes a file that readers see all of or nothing, and its folder where that is missing.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let temporary = temporary_beside(path);
    let done = std::fs::write(&temporary, content).and_then(|()| std::fs::rename(&temporary, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    done
}

/// A name in the same folder that no other thread or process uses.
pub(crate) fn temporary_beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let unique = format!(
        "{}.{}.tmp",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(unique);
    path.with_file_name(name)
}
