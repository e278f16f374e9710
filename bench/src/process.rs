//! Processes: how long one takes, what it prints, and how much memory it needs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::Error;

/// A process that ended well.
pub struct Ended {
    pub seconds: f64,
    /// What it wrote to standard output.
    pub printed: Vec<u8>,
    /// The most bytes of memory that it had at a time, where the system says.
    pub peak_bytes: Option<u64>,
}

/// Runs a process with nothing on its standard input.
pub fn run_to_end(command: &mut Command) -> Result<Ended, Error> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let ended = command.spawn().and_then(|child| {
        let id = child.id();
        let (done, is_done) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            // What `wait4` says would include this process's memory, which the child shared until
            // it became another program.
            let watching = scope.spawn(move || {
                let mut peak = None;
                while is_done.recv_timeout(Duration::from_millis(20))
                    == Err(RecvTimeoutError::Timeout)
                {
                    peak = peak_bytes(id).or(peak);
                }
                peak
            });
            let output = child.wait_with_output();
            let seconds = began.elapsed().as_secs_f64();
            drop(done);
            Ok((seconds, output?, watching.join().unwrap_or(None)))
        })
    });
    let failed = |error| Error::io("run", Path::new(command.get_program()), error);
    let (seconds, output, peak_bytes) = ended.map_err(failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let words = format!("{}: {}", output.status, said.trim());
        return Err(failed(std::io::Error::other(words)));
    }
    Ok(Ended {
        seconds,
        printed: output.stdout,
        peak_bytes,
    })
}

/// The most memory that a running process has had.
fn peak_bytes(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024 * kibibytes)
}
