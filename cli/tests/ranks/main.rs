//! Many ranks on one machine, under `mpirun`: this program again for the library, the real binary for the command line.

mod command_line;
mod factoring;
mod library;

use std::process::{Command, Output};

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
