//! Processes: how long one takes, what it prints, and how much memory it needs.

// `wait4` alone says how much memory one process had.
#![allow(unsafe_code)]

use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::Error;

/// A process that ended well.
pub struct Ended {
    pub seconds: f64,
    /// What it wrote to standard output.
    pub printed: Vec<u8>,
    /// The most bytes of memory that it had at a time.
    pub peak_bytes: u64,
}

/// Runs a process with nothing on its standard input.
pub fn run_to_end(command: &mut Command) -> Result<Ended, Error> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let ended = command.spawn().and_then(|mut child| {
        let (mut printed, mut said) = (Vec::new(), Vec::new());
        let (out, err) = (child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            let said = &mut said;
            let reader = scope.spawn(move || err.map_or(Ok(0), |mut err| err.read_to_end(said)));
            out.map_or(Ok(0), |mut out| out.read_to_end(&mut printed))?;
            reader.join().unwrap_or(Ok(0))
        })?;
        let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
        // SAFETY: the child has not been waited for, so its number is still its own. Both places
        // are valid, and all zeros are a valid `rusage`.
        let (waited, usage) = unsafe {
            let id = child.id() as libc::pid_t;
            let waited = libc::wait4(id, &mut status, 0, usage.as_mut_ptr());
            (waited, usage.assume_init())
        };
        if waited < 0 {
            return Err(io::Error::last_os_error());
        }
        let status = ExitStatus::from_raw(status);
        if !status.success() {
            let said = String::from_utf8_lossy(&said);
            return Err(io::Error::other(format!("{status}: {}", said.trim())));
        }
        Ok(Ended {
            seconds: began.elapsed().as_secs_f64(),
            printed,
            // Linux counts in kibibytes.
            peak_bytes: 1024 * usage.ru_maxrss as u64,
        })
    });
    ended.map_err(|error| Error::io("run", Path::new(command.get_program()), error))
}
