//! One case, from its operands to the verdict.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};

use bezout::{Engine, Error, Result};

#[cfg(feature = "gmp")]
use super::gmp;
use super::operation::{Case, Value};
use super::sample::Sample;

/// What results are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// Each operation's own check.
    Check,
    /// The results of another engine.
    Engine(Engine),
    /// GMP's results, and where GMP has no such operation the check.
    #[cfg(feature = "gmp")]
    Gmp,
}

impl Against {
    /// GMP where it is built in, else the checks.
    #[cfg(feature = "gmp")]
    pub const DEFAULT: Against = Against::Gmp;
    /// GMP where it is built in, else the checks.
    #[cfg(not(feature = "gmp"))]
    pub const DEFAULT: Against = Against::Check;

    /// What a flag's value names.
    pub fn parse(text: &str) -> Result<Against, String> {
        match text {
            "check" => Ok(Against::Check),
            #[cfg(feature = "gmp")]
            "gmp" => Ok(Against::Gmp),
            #[cfg(not(feature = "gmp"))]
            "gmp" => Err(
                "this bezout is built without GMP; 'cargo build --features gmp' builds \
                          one with it, and 'check' needs none"
                    .into(),
            ),
            "auto" => Err("name an engine, such as cpu or cuda".into()),
            _ => text
                .parse()
                .map(Against::Engine)
                .map_err(|_| "it is check, gmp, cpu, cuda or cuda:N".into()),
        }
    }
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Against::Check => f.write_str("check"),
            Against::Engine(engine) => engine.fmt(f),
            #[cfg(feature = "gmp")]
            Against::Gmp => f.write_str("gmp"),
        }
    }
}

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// The result is wrong, and what it was compared with.
    Wrong(String),
    /// There is no result: memory, a device, or a panic.
    Failed(String),
    /// The time was up before there was a result.
    Stopped,
}

/// Runs a case on an engine. A spoiled result is made wrong before it is judged.
pub fn judge(case: &Case, engine: Engine, against: Against, is_spoiled: bool) -> Verdict {
    let work = AssertUnwindSafe(|| attempt(case, engine, against, is_spoiled));
    match panic::catch_unwind(work) {
        Ok(Ok(true)) => Verdict::Right,
        Ok(Ok(false)) => Verdict::Wrong(match against {
            Against::Check => "the check refutes the result".into(),
            other => format!("the result differs from that of {other}"),
        }),
        Ok(Err(Error::Cancelled)) => Verdict::Stopped,
        Ok(Err(error @ Error::Verification(_))) => Verdict::Wrong(error.to_string()),
        Ok(Err(error)) => Verdict::Failed(error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Verdict::Failed(format!("panic: {}", text.unwrap_or("no message")))
        }
    }
}

/// Whether the result is right.
fn attempt(case: &Case, engine: Engine, against: Against, is_spoiled: bool) -> Result<bool> {
    let (sample, mut rng) = Engine::Cpu.scope(|| case.sample())?;
    let mut found = engine.scope(|| computed(case, &sample))?;
    let expected = match against {
        Against::Check => None,
        Against::Engine(other) => Some(other.scope(|| computed(case, &sample))?),
        #[cfg(feature = "gmp")]
        Against::Gmp => gmp::result(case.operation.name, &sample)?,
    };
    Engine::Cpu.scope(|| {
        if is_spoiled {
            found[0].spoil(&mut rng)?;
        }
        match expected {
            Some(expected) => Ok(found == expected),
            None => (case.operation.check)(&sample, &found),
        }
    })
}

/// The result of the engine in force, on the host.
fn computed(case: &Case, sample: &Sample) -> Result<Vec<Value>> {
    let found = (case.operation.compute)(sample)?;
    found.iter().try_for_each(Value::fetch)?;
    Ok(found)
}
