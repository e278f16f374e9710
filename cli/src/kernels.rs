//! `bezout kernels`: the GPU's kernels, listed or compiled ahead.

use std::path::Path;
use std::time::Instant;

use bezout::kernels::{self, State};
use serde_json::json;

use crate::args::{Global, Kernels, KernelsAction};
use crate::failure::Failure;
use crate::output;

/// Runs the command.
pub fn run(options: &Kernels, global: &Global) -> Result<(), Failure> {
    let mut architectures = options.arch.clone();
    if architectures.is_empty() {
        let here = kernels::architecture_here().map_err(|error| {
            Failure::from(error)
                .hint("'--arch sm_90' names the architecture of another machine's GPU")
        })?;
        architectures.push(here);
    }
    architectures.sort_unstable();
    architectures.dedup();
    match &options.action {
        None => list(&architectures, global),
        Some(KernelsAction::Prepare(options)) => {
            compile("prepare", &architectures, options.out.as_deref(), global)
        }
        Some(KernelsAction::Pack(options)) => {
            compile("pack", &architectures, Some(&options.out), global)
        }
    }
}

fn list(architectures: &[u32], global: &Global) -> Result<(), Failure> {
    let mut records = Vec::new();
    let mut lines = Vec::new();
    for architecture in architectures {
        let all = kernels::list(*architecture);
        let count = |state| all.iter().filter(|kernel| kernel.state == state).count();
        let summary = format!(
            "sm_{architecture}: {} kernels, {} packed, {} cached, {} missing",
            all.len(),
            count(State::Packed),
            count(State::Cached),
            count(State::Missing)
        );
        for kernel in all {
            let defines = kernel
                .defines
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            let defines = defines.collect::<Vec<_>>().join(" ");
            let values = kernel
                .defines
                .iter()
                .map(|(name, value)| (name.to_string(), json!(value)));
            let values: serde_json::Map<_, _> = values.collect();
            let state = match kernel.state {
                State::Packed => "packed",
                State::Cached => "cached",
                _ => "missing",
            };
            lines.push(format!("{state:8}{:26}{defines}", kernel.name));
            records.push(json!({
                "name": kernel.name,
                "architecture": format!("sm_{architecture}"),
                "defines": values,
                "state": state,
            }));
        }
        lines.push(summary);
    }
    if global.json {
        return output::json(&json!({
            "command": "kernels",
            "architectures": names(architectures),
            "kernels": records,
        }));
    }
    output::text(&lines.join("\n"))
}

fn compile(
    action: &str,
    architectures: &[u32],
    out: Option<&Path>,
    global: &Global,
) -> Result<(), Failure> {
    let start = Instant::now();
    let prepared = output::watch(global, "compiling kernels", || {
        kernels::prepare(architectures)
    })?;
    let (count, compiled) = (prepared.kernels, prepared.compiled);
    let (bytes, compiler) = (prepared.bytes, prepared.compiler.clone());
    let written = match out {
        None => Vec::new(),
        Some(folder) => prepared.write(folder).map_err(|error| {
            let folder = folder.display();
            Failure::failed(format!("{folder}: packs cannot be written there: {error}"))
        })?,
    };
    let seconds = start.elapsed().as_secs_f64();
    if global.json {
        let packs = written.iter();
        let packs = packs.map(|(path, bytes)| json!({"path": path, "bytes": bytes}));
        return output::json(&json!({
            "command": format!("kernels {action}"),
            "architectures": names(architectures),
            "compiler": compiler,
            "kernels": count,
            "compiled": compiled,
            "bytes": bytes,
            "seconds": seconds,
            "packs": packs.collect::<Vec<_>>(),
        }));
    }
    let mut text = format!(
        "{count} kernels for {}, {compiled} of them compiled by {compiler} in {seconds:.1} s",
        names(architectures).join(", ")
    );
    for (path, bytes) in written {
        text.push_str(&format!("\n{}: {bytes} bytes", path.display()));
    }
    output::text(&text)
}

fn names(architectures: &[u32]) -> Vec<String> {
    architectures.iter().map(|a| format!("sm_{a}")).collect()
}
