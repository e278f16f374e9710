//! Results go to stdout; notices, progress and the like to stderr.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use bezout::Int;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;

/// Work shorter than this shows no sign of progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// Prints lines of text to stdout.
pub fn text(lines: &str) -> Result<(), Failure> {
    write(|out| writeln!(out, "{}", lines.trim_end()))
}

/// Prints one JSON object to stdout.
pub fn json(object: &impl Serialize) -> Result<(), Failure> {
    write(|out| {
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

/// The digits of `value`: decimal, or hexadecimal as `-0x1f`.
pub fn digits(value: &Int, hex: bool) -> Result<String, Failure> {
    if !hex {
        return Ok(value.to_string_radix(10)?);
    }
    let digits = value.to_string_radix(16)?;
    Ok(match digits.strip_prefix('-') {
        Some(magnitude) => format!("-0x{magnitude}"),
        None => format!("0x{digits}"),
    })
}

/// Runs `work`, with a spinner on a terminal once it has taken a while.
pub fn watch<T>(global: &Global, what: &'static str, work: impl FnOnce() -> T) -> T {
    if global.quiet || global.json || !io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let bar = ProgressBar::new_spinner()
                    .with_message(what)
                    .with_elapsed(PATIENCE);
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                    bar.set_style(style);
                }
                bar.enable_steady_tick(Duration::from_millis(100));
                let _ = waiting.recv();
                bar.finish_and_clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Writes to a buffered stdout. A reader that has seen enough (`| head`) is no failure.
fn write(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match print(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // What is still buffered has no reader: dropping the buffer as it is would try again.
            let _ = out.into_parts();
            Ok(())
        }
        Err(error) => Err(Failure::failed(format!(
            "cannot write to standard output: {error}"
        ))),
        Ok(()) => Ok(()),
    }
}
