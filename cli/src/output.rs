//! Results go to stdout; notices, progress and the like to stderr.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bezout::Int;
use bezout::progress::{self, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::interrupt;

/// Work shorter than this shows no sign of progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(100);
/// Units of a full bar.
const FULL: u64 = 1000;

static READER_GONE: AtomicBool = AtomicBool::new(false);

/// Whether stdout was closed: nobody reads what is printed from now on.
pub fn reader_is_gone() -> bool {
    READER_GONE.load(Ordering::Relaxed)
}

/// Prints lines of text to stdout.
pub fn text(lines: &str) -> Result<(), Failure> {
    written(|out| writeln!(out, "{}", lines.trim_end()))
}

/// Writes bytes to stdout as they are.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    written(|out| out.write_all(bytes))
}

/// Replaces the file at `path` by `content`, complete and on the disk, or leaves the file as it is.
/// A path that is not a regular file, such as a pipe, is written to directly.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(path, content);
    }
    // A link stays a link: the file it names is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    // What a run left that had the same number. A link that somebody has put there is not followed.
    let _ = fs::remove_file(&temporary);
    let write = || {
        let mut file = File::create_new(&temporary)?;
        if let Some(old) = &old {
            keep_owner(&file, old);
            file.set_permissions(old.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&temporary, &path)?;
        sync_folder_of(&path);
        Ok(())
    };
    let done = write();
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// The folder that a path is in.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Puts a file's name on the disk: it is there once the folder is. Not every system can open one.
pub fn sync_folder_of(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
}

/// Gives a file the owner of another. Only the superuser may, and only the superuser needs to.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

/// Prints one JSON object to stdout.
pub fn json(object: &impl Serialize) -> Result<(), Failure> {
    written(|out| {
        serde_json::to_writer(&mut *out, object)?;
        writeln!(out)
    })
}

/// Prints a line to stderr unless `--quiet`.
pub fn remark(global: &Global, line: &str) {
    if !global.quiet {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Prints lines that were asked for to stderr, beside the result.
pub fn report(lines: &str) {
    let _ = writeln!(io::stderr(), "{lines}");
}

/// The digits of `value`: decimal, or hexadecimal as `-0x1f`.
pub fn digits(value: &Int, hex: bool) -> Result<String, Failure> {
    digits_in(value, if hex { 16 } else { 10 })
}

/// The digits of `value`, with the prefix that its radix has in expressions.
pub fn digits_in(value: &Int, radix: u32) -> Result<String, Failure> {
    let digits = value.try_to_string_radix(radix)?;
    let prefix = match radix {
        2 => "0b",
        8 => "0o",
        16 => "0x",
        _ => return Ok(digits),
    };
    Ok(match digits.strip_prefix('-') {
        Some(magnitude) => format!("-{prefix}{magnitude}"),
        None => format!("{prefix}{digits}"),
    })
}

/// Runs `work`, with a bar on a terminal once it has taken a while: how far it is where it says so,
/// else that it goes on.
pub fn watch<T>(global: &Global, what: &'static str, work: impl FnOnce() -> T) -> T {
    let (mut work, mut result) = (Some(work), None);
    watch_any(global, what, &mut || {
        result = work.take().map(|work| work());
    });
    result.unwrap_or_else(|| unreachable!("the work is done once"))
}

/// [`watch`] of what keeps its result itself. Threads and channels are compiled once, and not for
/// each kind of work.
fn watch_any(global: &Global, what: &'static str, work: &mut dyn FnMut()) {
    if global.quiet || global.json || !io::stderr().is_terminal() {
        return if interrupt::is_listened_for() {
            progress::scope(|_| interrupt::verdict(), work)
        } else {
            work()
        };
    }
    let last = Arc::new(Mutex::new(None));
    let heard = last.clone();
    let observer = move |progress| {
        *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        interrupt::verdict()
    };
    thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        // Where no thread can start there is no bar, and the work goes on.
        let _ = thread::Builder::new().spawn_scoped(scope, move || draw(what, &last, &waiting));
        progress::scope(observer, work);
        drop(done);
    })
}

/// Draws the bar until the other end of `waiting` is gone.
fn draw(what: &'static str, last: &Mutex<Option<Progress>>, waiting: &Receiver<()>) {
    let (known, begun, unknown) = (
        style("{elapsed} {msg} [{wide_bar}] {percent}%, {eta} left"),
        style("{elapsed} {msg} [{wide_bar}] {percent}%"),
        style(SPINNER),
    );
    if waiting.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::new(FULL).with_elapsed(PATIENCE);
    loop {
        // A stage at its end is over: what goes on has not said how far it is.
        let progress = *last.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = progress.filter(|progress| progress.fraction.is_none_or(|part| part < 1.0));
        let names = match progress {
            Some(Progress { stage, part, .. }) => vec![what, stage, part],
            None => vec![what],
        };
        let message = joined(names);
        match progress.and_then(|progress| progress.fraction) {
            Some(fraction) => {
                let position = (fraction * FULL as f64) as u64;
                bar.set_style(if position > 0 {
                    known.clone()
                } else {
                    begun.clone()
                });
                bar.set_position(position);
                bar.set_message(shortened(&message, columns()));
            }
            None => {
                bar.set_style(unknown.clone());
                bar.set_message(message);
            }
        }
        bar.tick();
        if waiting.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

/// What a bar says while it is not known how far the work is.
pub const SPINNER: &str = "{spinner} {elapsed} {wide_msg}";

/// Ends the row of a bar: three blanks, and the cursor before them. There the terminal echoes `^C`
/// in the same row, which is cleared with the bar. In a row without room the echo would wrap, and
/// the old row would stay.
const ROOM_FOR_ECHO: &str = "   \u{1b}[3D";

/// The style of a bar of this template.
pub fn style(template: &str) -> ProgressStyle {
    let template = format!("{template}{ROOM_FOR_ECHO}");
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The names of what goes on, from the outside to the inside.
fn joined(mut names: Vec<&str>) -> String {
    names.retain(|name| !name.is_empty());
    names.dedup();
    names.join(": ")
}

/// Columns that a bar needs beside its message: `12m [##########] 100%, 10m left`, a blank, and the
/// room for an echo.
const BESIDE_MESSAGE: usize = 39;

/// As much of a bar's message as fits the terminal.
fn shortened(message: &str, columns: usize) -> String {
    let room = columns.saturating_sub(BESIDE_MESSAGE).max(8);
    if message.chars().count() <= room {
        return message.to_string();
    }
    let kept: String = message.chars().take(room - 1).collect();
    format!("{kept}…")
}

/// The columns of the terminal that stderr is.
pub fn columns() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(80, |(width, _)| usize::from(width.0))
}

/// Writes to a buffered stdout. A reader that has seen enough (`| head`) is no failure.
pub fn written(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let cannot =
        |error: io::Error| Failure::failed(format!("cannot write to standard output: {error}"));
    let stdout = unbuffered_stdout().map_err(cannot)?;
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    let written = print(&mut out).and_then(|()| out.flush());
    // What is still buffered after an error: dropping the buffer as it is would try again.
    let _ = out.into_parts();
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            READER_GONE.store(true, Ordering::Relaxed);
            Ok(())
        }
        written => written.map_err(cannot),
    }
}

/// Standard output, without a buffer. The standard library's takes what is written to a closed one
/// for written; here that is an error.
fn unbuffered_stdout() -> io::Result<impl Write> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let own = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(std::fs::File::from(own))
    }
    #[cfg(not(unix))]
    Ok(io::stdout().lock())
}

/// Opens the standard streams that are closed. Otherwise a file that is opened later gets the
/// number of one, and what is printed ends up in that file. Such a stream reads as empty, and
/// writing to it fails.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system's interface to descriptors")]
pub fn occupy_standard_streams() {
    for stream in 0..3 {
        // SAFETY: asks for the flags of a descriptor, and opens a file by a string that ends with
        // NUL. All smaller numbers are taken, so that the file gets this one.
        unsafe {
            if libc::fcntl(stream, libc::F_GETFD) == -1 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
            }
        }
    }
}

#[cfg(not(unix))]
pub fn occupy_standard_streams() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_fit_the_terminal() {
        let message = joined(vec!["computing", "", "shared factors", "remainders"]);
        assert_eq!(message, "computing: shared factors: remainders");
        for columns in [0, 20, 40, 60, 80, 100] {
            let short = shortened(&message, columns);
            assert!(short.chars().count() <= columns.saturating_sub(BESIDE_MESSAGE).max(8));
            assert!(message.starts_with(short.trim_end_matches('…')));
        }
        assert_eq!(shortened(&message, 80), message);
    }
}
