//! `bezout constant`: digits of a mathematical constant, to stdout or to a file.

mod args;
mod checkpoint;
mod writer;

pub use args::{Constant, EXAMPLES, HELP};

use std::time::Instant;

use bezout::constant::Digits;
use bezout::{Engine, Error};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::args::Global;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use checkpoint::Checkpoint;
use writer::Target;

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    constant: &'static str,
    digits: u64,
    radix: u32,
    /// The constant, unless it is in a file.
    text: Option<&'a str>,
    out: Option<String>,
    sha256: &'a str,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

/// Runs the command.
pub fn run(options: &Constant, global: &Global) -> Result<(), Failure> {
    let constant = options.name;
    let mut digits = Digits::new(constant, options.digits).radix(options.radix);
    digits.check().map_err(|error| too_many(error, &digits))?;
    let target = options.out.as_deref().map(Target::new).transpose()?;
    let checkpoint = match &options.checkpoint {
        Some(path) => Some(Checkpoint::open(path, options, global)?),
        None => None,
    };
    if let Some(checkpoint) = &checkpoint {
        digits = digits.storage(checkpoint);
    }
    interrupt::listen(None)?;
    if let Some(time) = options.timeout {
        interrupt::stop_after(time);
    }
    let stopped = |error: Error| stopped(error, options, checkpoint.as_ref());
    let start = Instant::now();
    let text = output::watch(global, constant.name(), || digits.try_text()).map_err(&stopped)?;
    let seconds = start.elapsed().as_secs_f64();
    let engine = Engine::last_used().unwrap_or(Engine::Cpu);
    if global.verify {
        output::watch(global, "verifying", || digits.try_verify(&text)).map_err(&stopped)?;
        output::remark(
            global,
            "verified: an independent formula gives the same digits",
        );
    }
    let sha256 = hexadecimal(&Sha256::digest(text.as_bytes()));
    match &target {
        Some(target) => target.write(&text, options.group)?,
        None if !global.json => writer::print(&text, options.group)?,
        None => {}
    }
    if let Some(checkpoint) = &checkpoint {
        checkpoint.finish();
    }
    output::remark(global, &format!("SHA-256: {sha256}"));
    if !global.json {
        return Ok(());
    }
    output::json(&Record {
        command: "constant",
        constant: constant.name(),
        digits: options.digits,
        radix: options.radix,
        text: target.is_none().then_some(&text),
        out: target.map(|target| target.name()),
        sha256: &sha256,
        engine: engine.to_string(),
        seconds,
        verified: global.verify.then_some(true),
    })
}

/// How many digits would fit, where these do not.
fn too_many(error: Error, digits: &Digits) -> Failure {
    let is_memory = matches!(error, Error::Memory { .. } | Error::TooLarge { .. });
    let failure = Failure::from(error);
    if !is_memory {
        return failure;
    }
    failure.hint(format!("about {} digits fit here", digits.most()))
}

/// What stopped the work, in words.
fn stopped(error: Error, options: &Constant, checkpoint: Option<&Checkpoint>) -> Failure {
    if let Some(failure) = checkpoint.and_then(Checkpoint::failure) {
        return failure;
    }
    if error != Error::Cancelled {
        return error.into();
    }
    let failure = match options.timeout {
        Some(time) if !interrupt::is_requested() => {
            Failure::failed(format!("not done after {} s", time.as_secs_f64()))
        }
        _ => Failure::failed("interrupted"),
    };
    if checkpoint.is_some() {
        failure.hint("the same command goes on where its checkpoint ends")
    } else {
        failure
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
