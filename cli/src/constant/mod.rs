//! `bezout constant`: digits of a mathematical constant, to stdout or to a file.

mod args;
mod checkpoint;
mod writer;

pub use args::{Constant, EXAMPLES, HELP};

use std::path::Path;
use std::time::Instant;

use bezout::constant::Digits;
use bezout::{Engine, Error};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use checkpoint::Checkpoint;
use writer::{Target, Writing};

/// Bytes of a file beside its digits and what separates groups of them.
const GROWTH: u64 = 64;

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
    /// Of the file, or of what is printed without `--json`.
    sha256: &'a str,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

/// Runs the command.
pub fn run(options: &Constant, global: &Global) -> Result<(), Failure> {
    let options = &Constant {
        digits: options.count.unwrap_or(options.digits),
        ..options.clone()
    };
    let constant = options.name;
    let mut digits = Digits::new(constant, options.digits)
        .radix(options.radix)
        .verified(global.verify);
    digits.check().map_err(|error| too_many(error, &digits))?;
    let goes_on = options.checkpoint.as_deref().is_some_and(Path::exists);
    let target = options.out.as_deref();
    let target = target.map(|path| Target::new(path, goes_on)).transpose()?;
    if let (Some(target), Some(path)) = (&target, &options.checkpoint)
        && target.is(path)
    {
        let message = format!("--checkpoint and --out are both '{}'", path.display());
        return Err(Failure::bad_input(message).hint("choose another name for one of them"));
    }
    if let Some(target) = &target {
        let separators = options.digits / options.group.unwrap_or(u64::MAX);
        target.check_room(options.digits.saturating_add(separators + GROWTH))?;
    }
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
    let mut sink = Sink::new(
        target.as_ref(),
        options.group,
        target.is_none() || global.verify,
    )?;
    let work = || digits_to(&digits, &mut sink);
    let computed = output::watch(global, constant.name(), work);
    if let Some(failure) = sink.failure.take()
        && interrupt::verdict().is_continue()
    {
        return Err(failure);
    }
    computed.map_err(&stopped)?;
    let seconds = start.elapsed().as_secs_f64();
    let engine = Engine::last_used().unwrap_or(Engine::Cpu);
    if global.verify {
        let verify = || digits.try_verify(&sink.text);
        output::watch(global, "verifying", verify).map_err(&stopped)?;
        output::remark(
            global,
            "verified: an independent formula gives the same digits",
        );
    }
    let Sink { text, file, .. } = sink;
    let sha256 = match file {
        Some(file) => file.finish()?,
        None if global.json => writer::hash_of_print(&text, options.group)?,
        None => {
            let printed = writer::print(&text, options.group);
            printed.map_err(|failure| {
                if interrupt::verdict().is_continue() {
                    return failure;
                }
                stopped(Error::Cancelled)
            })?;
            String::new()
        }
    };
    if let Some(checkpoint) = &checkpoint {
        checkpoint.finish();
    }
    if target.is_some() {
        output::remark(global, &format!("SHA-256: {sha256}"));
    }
    if !global.json {
        return Ok(());
    }
    output::json(&Record {
        command: "constant",
        constant: constant.name(),
        digits: options.digits,
        radix: options.radix,
        text: target.is_none().then_some(text.as_str()),
        out: target.as_ref().map(Target::name),
        sha256: &sha256,
        engine: engine.to_string(),
        seconds,
        verified: global.verify.then_some(true),
    })
}

/// Where the text goes while digits are converted.
struct Sink<'a> {
    file: Option<Writing<'a>>,
    /// The text so far, where it is wanted.
    text: String,
    is_kept: bool,
    /// What went wrong with the file.
    failure: Option<Failure>,
}

impl<'a> Sink<'a> {
    fn new(
        target: Option<&'a Target>,
        group: Option<u64>,
        is_kept: bool,
    ) -> Result<Sink<'a>, Failure> {
        Ok(Sink {
            file: target.map(|target| target.begin(group)).transpose()?,
            text: String::new(),
            is_kept,
            failure: None,
        })
    }

    fn take(&mut self, at: u64, part: String) -> Result<(), Failure> {
        if at == 0 {
            self.text.clear();
        }
        if let Some(file) = &mut self.file {
            if at == 0 {
                file.restart()?;
            }
            file.write(&part)?;
        }
        if self.is_kept && self.text.is_empty() {
            self.text = part;
        } else if self.is_kept {
            self.text.push_str(&part);
        }
        Ok(())
    }
}

/// Computes the digits: to a file as they come, or at once.
fn digits_to(digits: &Digits, sink: &mut Sink) -> Result<(), Error> {
    if sink.file.is_none() {
        let text = digits.try_text()?;
        // Without a file nothing can go wrong.
        let _ = sink.take(0, text);
        return Ok(());
    }
    digits.try_parts(&mut |at, part| {
        sink.take(at, part).map_err(|failure| {
            sink.failure = Some(failure);
            Error::Cancelled
        })
    })
}

/// How many digits would fit, where these do not.
fn too_many(error: Error, digits: &Digits) -> Failure {
    let is_memory = matches!(error, Error::Memory { .. } | Error::TooLarge { .. });
    if !is_memory {
        return error.into();
    }
    Failure::failed("so many digits do not fit in memory")
        .hint(format!("about {} digits fit here", digits.most()))
}

/// What stopped the work, in words.
fn stopped(error: Error, options: &Constant, checkpoint: Option<&Checkpoint>) -> Failure {
    if let Some(failure) = checkpoint.and_then(Checkpoint::failure) {
        return failure;
    }
    if error != Error::Cancelled {
        return error.into();
    }
    interrupt::failure(options.timeout, checkpoint.is_some())
}
