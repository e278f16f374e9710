//! Many ranks on one machine, under `mpirun`: this program again for the library, the real binary
//! for the command line.

mod command_line;
mod factoring;
mod library;

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a launcher may stay when all of its ranks are gone. Open MPI 4.1's has a lock that it
/// now and then waits for for ever as it ends, and so is started anew.
const GONE: Duration = Duration::from_secs(20);

/// What a run of all ranks together gave.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// `mpirun` with these arguments: more ranks than cores are welcome, and none may hang.
fn mpirun(arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command
        .args(["--oversubscribe", "--allow-run-as-root", "--timeout", "120"])
        .args(arguments)
        .envs([
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            // Ranks that wait let others have the core.
            ("OMPI_MCA_mpi_yield_when_idle", "1"),
            // Containers often forbid one process to read another's memory.
            ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        ]);
    command
}

/// Runs a command with this text on stdin to its end.
fn finished(mut command: Command, text: &str) -> Run {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for _ in 0..3 {
        let mut child = command.spawn().unwrap();
        let (mut pipe, text) = (child.stdin.take().unwrap(), text.to_string());
        let feeder = std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
        let id = child.id();
        let run = std::thread::spawn(move || child.wait_with_output().unwrap());
        let mut alive = Instant::now();
        while !run.is_finished() && alive.elapsed() < GONE {
            if has_children(id) {
                alive = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let is_stuck = !run.is_finished();
        if is_stuck {
            let id = id.to_string();
            Command::new("kill").args(["-9", &id]).status().unwrap();
        }
        let output = run.join().unwrap();
        feeder.join().unwrap();
        if !is_stuck {
            return output.into();
        }
    }
    panic!("{command:?} does not end, and has no processes any more");
}

/// Whether a process has children that run; also true where the system does not say.
fn has_children(id: u32) -> bool {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{id}/task")) else {
        return true;
    };
    let mut children = String::new();
    for task in tasks.flatten() {
        match std::fs::read_to_string(task.path().join("children")) {
            Ok(some) => children += &some,
            Err(_) => return true,
        }
    }
    // The state follows the name, which is in parentheses.
    let runs = |child: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default();
        !state.is_empty() && !state.trim_start().starts_with('Z')
    };
    children.split_whitespace().any(runs)
}
