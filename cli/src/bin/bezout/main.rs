//! The command `bezout`.

mod allocator;
mod streams;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bezout_cli::main_with(std::env::args_os().collect()))
}
