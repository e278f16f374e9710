//! `bezout bench` and `bezout report`: the benchmarks live in their own crate.

use bezout_bench::{Error, Options};
use serde_json::json;

use crate::args::{Bench, Global, Report};
use crate::failure::Failure;
use crate::output;

/// Runs or lists benchmarks.
pub fn run(options: &Bench, global: &Global) -> Result<(), Failure> {
    if options.list {
        return list(global);
    }
    bezout_bench::run(&Options {
        names: options.names.clone(),
        quick: options.quick,
        max_bits: options.max_bits,
        out: options.out.clone(),
        json: global.json,
        quiet: global.quiet,
    })
    .map_err(|error| match error {
        Error::Unknown(_) => failure(&error).hint("'bezout bench --list' lists the benchmarks"),
        _ => failure(&error),
    })
}

fn list(global: &Global) -> Result<(), Failure> {
    let benchmarks = bezout_bench::list();
    if global.json {
        let benchmarks: Vec<_> = benchmarks
            .iter()
            .map(|(name, description)| json!({ "name": name, "description": description }))
            .collect();
        return output::json(&json!({ "command": "bench", "benchmarks": benchmarks }));
    }
    let width = benchmarks
        .iter()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or(0);
    let lines: Vec<_> = benchmarks
        .iter()
        .map(|(name, description)| format!("{name:width$}  {description}"))
        .collect();
    output::text(&lines.join("\n"))
}

/// Makes a page of a directory of results, or tables.
pub fn report(options: &Report, global: &Global) -> Result<(), Failure> {
    if options.markdown {
        let tables = bezout_bench::markdown(&options.dir).map_err(|error| failure(&error))?;
        if global.json {
            return output::json(&json!({ "command": "report", "markdown": tables }));
        }
        return output::text(&tables);
    }
    if let Some(folder) = &options.pictures {
        let files =
            bezout_bench::pictures(&options.dir, folder).map_err(|error| failure(&error))?;
        if global.json {
            return output::json(&json!({ "command": "report", "pictures": files }));
        }
        let lines: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        return output::text(&lines.join("\n"));
    }
    let out = options
        .out
        .clone()
        .unwrap_or_else(|| options.dir.join("report.html"));
    bezout_bench::report(&options.dir, &out).map_err(|error| failure(&error))?;
    if global.json {
        return output::json(&json!({ "command": "report", "out": out }));
    }
    output::text(&out.display().to_string())
}

fn failure(error: &Error) -> Failure {
    if error.is_usage() {
        Failure::bad_input(error.to_string())
    } else {
        Failure::failed(error.to_string())
    }
}
