//! Results go to stdout; notices, progress and the like to stderr.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
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

/// Work shorter than this shows no sign of progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(100);
/// Units of a full bar.
const FULL: u64 = 1000;

/// Prints lines of text to stdout.
pub fn text(lines: &str) -> Result<(), Failure> {
    write(|out| writeln!(out, "{}", lines.trim_end()))
}

/// Writes bytes to stdout as they are.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    write(|out| out.write_all(bytes))
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

/// Prints lines that were asked for to stderr, beside the result.
pub fn report(lines: &str) {
    let _ = writeln!(io::stderr(), "{lines}");
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

/// Runs `work`, with a bar on a terminal once it has taken a while: how far it is where it says so, else that it goes on.
pub fn watch<T>(global: &Global, what: &'static str, work: impl FnOnce() -> T) -> T {
    if global.quiet || global.json || !io::stderr().is_terminal() {
        return work();
    }
    let last = Arc::new(Mutex::new(None));
    let heard = last.clone();
    let observer = move |progress| {
        *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        ControlFlow::Continue(())
    };
    thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        // Where no thread can start there is no bar, and the work goes on.
        let _ = thread::Builder::new().spawn_scoped(scope, move || draw(what, &last, &waiting));
        let result = progress::scope(observer, work);
        drop(done);
        result
    })
}

/// Draws the bar until the other end of `waiting` is gone.
fn draw(what: &'static str, last: &Mutex<Option<Progress>>, waiting: &Receiver<()>) {
    let style = |template| {
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
    };
    let (known, unknown) = (
        style("{msg} [{bar:40}] {percent}% {elapsed}"),
        style("{spinner} {msg} {elapsed}"),
    );
    if waiting.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::new(FULL).with_elapsed(PATIENCE);
    loop {
        let progress = *last.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Some(Progress { stage, .. }) if !stage.is_empty() && stage != what => {
                bar.set_message(format!("{what}: {stage}"));
            }
            _ => bar.set_message(what),
        }
        match progress.and_then(|progress| progress.fraction) {
            Some(fraction) => {
                bar.set_style(known.clone());
                bar.set_position((fraction * FULL as f64) as u64);
            }
            None => bar.set_style(unknown.clone()),
        }
        bar.tick();
        if waiting.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
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
