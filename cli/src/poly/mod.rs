//! `bezout poly`: polynomials over Z_p.

mod operand;
mod operation;
#[cfg(test)]
mod tests;

use std::time::Instant;

use bezout::poly::Format;
use bezout::{Engine, Poly};
use serde::Serialize;

pub use operation::OPERATIONS;

use self::operation::{Operation, PolyAnswer};
use crate::args::{Global, Poly as Options};
use crate::failure::Failure;
use crate::number::Reader;
use crate::output;

/// The object `--json` prints. Numbers are strings, as many readers of JSON round what is above
/// 2^53.
#[derive(Serialize)]
struct Record {
    command: &'static str,
    operation: &'static str,
    modulus: String,
    results: Vec<Named>,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

/// One result.
#[derive(Serialize)]
struct Named {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    degree: Option<Option<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coefficients: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
}

/// Runs the command.
pub fn run(options: &Options, global: &Global) -> Result<(), Failure> {
    let operation = Operation::find(&options.operation)?;
    let (given, wanted) = (options.operands.len(), operation.takes.len());
    if given != wanted {
        let names: Vec<_> = operation.takes.iter().map(|(name, _)| *name).collect();
        let count = format!("{wanted} argument{}", if wanted == 1 { "" } else { "s" });
        let name = operation.name;
        return Err(
            Failure::bad_input(format!("poly {name} takes {count}, not {given}"))
                .hint(format!("bezout poly {name} {} --mod P", names.join(" "))),
        );
    }
    let mut reader = Reader::default();
    let p = operand::modulus(&mut reader, &options.modulus)?;
    let operands = output::watch(global, "reading", || {
        let pairs = options.operands.iter().zip(operation.takes);
        let read = pairs.map(|(text, (name, kind))| {
            operand::read(&mut reader, text, *kind, options.format, p)
                .map_err(|failure| failure.in_source(name))
        });
        read.collect::<Result<Vec<_>, Failure>>()
    })?;
    let start = Instant::now();
    let found = output::watch(global, "computing", || {
        let found = operation.run(&operands, p)?;
        if let PolyAnswer::Polys(polys) = &found {
            for poly in polys {
                poly.try_coefficients()?;
            }
        }
        Ok::<_, Failure>(found)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let engine = Engine::last_used().unwrap_or(Engine::Cpu);
    if global.verify {
        output::watch(global, "verifying", || {
            operation.prove(&operands, &found, p)
        })?;
        output::remark(global, "verified: the result stands an independent check");
    }
    if !global.json {
        return output::text(&text(&found, options.format)?);
    }
    output::json(&Record {
        command: "poly",
        operation: operation.name,
        modulus: p.get().to_string(),
        results: named(operation, &found, options.format)?,
        engine: engine.to_string(),
        seconds,
        verified: global.verify.then_some(true),
    })
}

/// Polynomials a line each, or their coefficients a line each with a blank line between two;
/// numbers a line each.
fn text(found: &PolyAnswer, format: Format) -> Result<String, Failure> {
    let between = match format {
        Format::Lines => "\n\n",
        _ => "\n",
    };
    match found {
        PolyAnswer::Values(values) => Ok(strings(values).join("\n")),
        PolyAnswer::Polys(polys) => {
            let texts = polys.iter().map(|poly| poly.try_to_text(format));
            Ok(texts.collect::<Result<Vec<_>, _>>()?.join(between))
        }
    }
}

fn strings(values: &[u64]) -> Vec<String> {
    values.iter().map(u64::to_string).collect()
}

fn named(operation: &Operation, found: &PolyAnswer, format: Format) -> Result<Vec<Named>, Failure> {
    let one = |name: &'static str, poly: &Poly| {
        let lines = format == Format::Lines;
        Ok(Named {
            name,
            degree: Some(poly.degree()),
            expression: if lines {
                None
            } else {
                Some(poly.try_to_text(format)?)
            },
            coefficients: if lines {
                Some(strings(poly.try_coefficients()?))
            } else {
                None
            },
            values: None,
        })
    };
    match found {
        PolyAnswer::Polys(polys) => {
            let pairs = operation.gives.iter().zip(polys);
            pairs.map(|(name, poly)| one(name, poly)).collect()
        }
        PolyAnswer::Values(values) => Ok(vec![Named {
            name: operation.gives[0],
            degree: None,
            expression: None,
            coefficients: None,
            values: Some(strings(values)),
        }]),
    }
}
