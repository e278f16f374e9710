//! What `bezout model` and `bezout tune` show: machines, tunings and choices as tables, and choices
//! as a picture.

pub(crate) mod paper;
mod picture;
mod projection;

use std::path::Path;

use bezout::Engine;
use bezout_lab::model::mmm::strategy::{Equation, Optimised};
use bezout_lab::model::{Machine, Parameter, Stored, Tuning, mmm};
use bezout_lab::tune::{Explained, TuningOutcome};
use serde::Serialize;
use serde_json::{Value, json};

pub use projection::{network_table, pram_tables, projection_tables};

use crate::format::{bandwidth, memory, seconds, significant};
use crate::record::DeviceRecord;
use crate::table::Table;
use crate::{Error, machine};

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In columns, for a terminal.
    Text,
    /// As Markdown.
    Markdown,
}

fn write(tables: &[Table], form: Form) -> String {
    let one = |table: &Table| match form {
        Form::Text => format!("{}\n{}", table.title, table.aligned()),
        Form::Markdown => table.markdown(),
    };
    tables.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// What is noted beside what is measured.
#[derive(Debug, Serialize)]
pub struct Stamp {
    /// The program's version.
    pub version: &'static str,
    /// Its commit, `-dirty` where it had changes.
    pub commit: String,
    /// The date and time of the day.
    pub date: String,
    /// The device, and the driver's version.
    pub device: Option<DeviceRecord>,
}

impl Stamp {
    /// This program now, and the engine's device: with `auto` the first one.
    pub fn of(engine: Engine) -> Stamp {
        let (commit, changed) = machine::commit();
        let device = match engine {
            Engine::Cuda(n) => bezout::cuda::device(n).ok(),
            Engine::Auto => bezout::cuda::device(0).ok(),
            _ => None,
        };
        Stamp {
            version: env!("CARGO_PKG_VERSION"),
            commit: if changed {
                format!("{commit}-dirty")
            } else {
                commit
            },
            date: machine::date(),
            device: device.map(|device| machine::device(&device)),
        }
    }
}

/// An object of JSON, and what [`Stamp`] notes of the engine beside it.
pub fn stamped(engine: Engine, mut object: Value) -> Value {
    if let (Value::Object(object), Value::Object(stamp)) = (&mut object, json!(Stamp::of(engine))) {
        object.extend(stamp);
    }
    object
}

/// A measured machine.
pub fn machine_table(machine: &Machine, form: Form) -> String {
    let optional = |value: Option<f64>, text: fn(f64) -> String| value.map(text);
    let (u, z) = (machine.u(), machine.z());
    let rows = [
        (
            "cores or multiprocessors",
            Some(machine.identity.units.to_string()),
        ),
        (
            "threads of a block, at most",
            Some(machine.threads_per_block.to_string()),
        ),
        (
            "threads at once",
            Some(machine.resident_threads.to_string()),
        ),
        (
            "local memory",
            Some(format!("{} KiB", machine.local_bytes >> 10)),
        ),
        ("last cache", Some(memory(machine.cache_bytes))),
        ("launch, in a row", Some(seconds(machine.launch))),
        ("launch and answer", Some(seconds(machine.round_trip))),
        (
            "access to the last cache",
            optional(machine.cache_latency, seconds),
        ),
        ("access to memory", Some(seconds(machine.latency))),
        (
            "bandwidth, read and written",
            Some(bandwidth(machine.bandwidth)),
        ),
        ("from the host", optional(machine.upload, bandwidth)),
        ("to the host", optional(machine.download, bandwidth)),
        ("operation, waited for", Some(seconds(machine.operation))),
        (
            "operations a second",
            Some(format!("{:.3e}", machine.throughput)),
        ),
        (
            "product of residues, waited for",
            optional(machine.product, seconds),
        ),
        (
            "products of residues a second",
            optional(machine.products, |x| format!("{x:.3e}")),
        ),
        (
            "barrier of a block",
            optional(machine.block_barrier, seconds),
        ),
        ("barrier of all blocks", Some(seconds(machine.grid_barrier))),
        ("U, operations an access", Some(significant(u))),
        ("Z, words of local memory", Some(format!("{z}"))),
        (
            "division by s over naive, (7)",
            Some(significant(mmm::equations::division_time(u, z))),
        ),
        (
            "Euclid by s over naive, (15)",
            Some(significant(mmm::equations::euclid_time_limit(u, z))),
        ),
    ];
    let rows = rows
        .into_iter()
        .filter_map(|(name, value)| Some(vec![name.to_string(), value?]));
    let table = Table {
        title: format!("{} ({})", machine.identity.name, machine.engine),
        headers: vec!["measured", "value"],
        rows: rows.collect(),
    };
    write(&[table], form)
}

/// The paper's tables beside the model of this machine.
pub fn paper_tables(machine: &Machine, form: Form) -> String {
    write(&paper::tables(machine), form)
}

/// What the paper's strategy comes to, with the seconds that a machine is predicted to take for
/// each s where there is one.
pub fn optimised_tables(found: &Optimised, predicted: Option<&[f64]>, form: Form) -> String {
    let problem = &found.problem;
    let sizes = match problem.algorithm {
        mmm::strategy::Algorithm::Sort => format!("{} numbers", problem.n),
        _ => format!("{} and {} coefficients", problem.n, problem.m),
    };
    let rows = found.candidates.iter().enumerate().map(|(i, candidate)| {
        let ratios = [
            candidate.work,
            candidate.span,
            candidate.overhead,
            candidate.heaviest,
            candidate.time,
        ];
        let seconds = predicted
            .and_then(|times| times.get(i))
            .map(|t| seconds(*t));
        let ratios = ratios.map(significant).into_iter();
        let row = std::iter::once(candidate.s.to_string()).chain(ratios);
        row.chain(seconds).collect()
    });
    let mut headers = vec!["s", "W₁/W", "S₁/S", "O₁/O", "C₁/C", "T₁/T, Corollary 1"];
    headers.extend(predicted.map(|_| "predicted"));
    let candidates = Table {
        title: format!(
            "{}: {sizes}, U = {}, Z = {}: s = 1 over s",
            problem.algorithm,
            significant(problem.u),
            problem.z
        ),
        headers,
        rows: rows.collect(),
    };
    let yes = |is: bool| if is { "yes" } else { "no" }.to_string();
    let least = predicted.and_then(|times| {
        let places = 0..times.len().min(found.candidates.len());
        let best = places.min_by(|a, b| times[*a].total_cmp(&times[*b]))?;
        Some(found.candidates[best].s.to_string())
    });
    let answers = [
        (
            "work within a factor of two",
            Some(yes(found.work_is_steady)),
        ),
        ("s_min, of the largest O₁/O", Some(found.s_min.to_string())),
        ("Corollary 1 accepts s_min", Some(yes(found.is_accepted))),
        ("s by the paper's strategy", Some(found.chosen.to_string())),
        ("s of the least predicted time", least),
    ];
    let answers = Table {
        title: "The strategy".into(),
        headers: vec!["question", "answer"],
        rows: answers
            .into_iter()
            .filter_map(|(question, answer)| Some(vec![question.to_string(), answer?]))
            .collect(),
    };
    let title = format!(
        "The paper's equations, where they have an s for s = {}",
        found.s_min
    );
    write(
        &[candidates, answers, equations(title, &found.equations)],
        form,
    )
}

/// Equations of the paper.
pub fn equation_table(title: String, found: &[Equation], form: Form) -> String {
    write(&[equations(title, found)], form)
}

fn equations(title: String, found: &[Equation]) -> Table {
    let row = |equation: &Equation| {
        vec![
            equation.number.to_string(),
            equation.algorithm.to_string(),
            equation.about.to_string(),
            equation.formula.to_string(),
            significant(equation.value),
        ]
    };
    Table {
        title,
        headers: vec!["equation", "algorithm", "ratio", "formula", "value"],
        rows: found.iter().map(row).collect(),
    }
}

/// A value of the tuning, with 2^64 − 1 as without end.
fn value(value: u64) -> String {
    match value {
        u64::MAX => "∞".to_string(),
        value => value.to_string(),
    }
}

/// Where a parameter's value in force comes from: a file of measurements, or what was shipped.
fn origin(parameter: &Parameter, files: &[Stored]) -> String {
    let tuned = files.iter().find_map(|file| {
        let kernels = file.kernels.values();
        let tuned = kernels
            .into_iter()
            .find(|tuned| tuned.parameters.iter().any(|name| name == parameter.name))?;
        Some((file, tuned))
    });
    if let Some((file, tuned)) = tuned {
        let commit = &tuned.commit[..tuned.commit.len().min(7)];
        let day = tuned.date.split('T').next().unwrap_or_default();
        return format!("tuned: {}, {commit}, {day}", file.identity.name);
    }
    let shipped = parameter.provenance;
    match (shipped.device, shipped.commit, shipped.date) {
        (Some(device), Some(commit), Some(date)) => format!("shipped: {device}, {commit}, {date}"),
        _ => "shipped: a limit, not a choice".to_string(),
    }
}

/// Every parameter of the tuning in force, with where its value comes from.
pub fn parameter_table(tuning: &Tuning, files: &[Stored], form: Form) -> String {
    let rows = Tuning::PARAMETERS.iter().map(|parameter| {
        vec![
            parameter.name.to_string(),
            value(tuning.value(parameter.name).unwrap_or(parameter.default)),
            value(parameter.default),
            origin(parameter, files),
        ]
    });
    let table = Table {
        title: "The tuning in force".into(),
        headers: vec!["parameter", "value", "shipped", "from"],
        rows: rows.collect(),
    };
    write(&[table], form)
}

/// What a run of the tuner found.
pub fn found_table(found: &[TuningOutcome], form: Form) -> String {
    let values = |values: &[u64]| {
        values
            .iter()
            .map(|v| value(*v))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rows = found.iter().map(|found| {
        let tuned = &found.tuned;
        let chosen = tuned.choices.iter().map(|chosen| {
            if tuned.by_size {
                format!("{}+: {}", chosen.from, values(&chosen.values))
            } else {
                values(&chosen.values)
            }
        });
        vec![
            found.kernel.to_string(),
            tuned.parameters.join(" "),
            values(&found.shipped),
            chosen.collect::<Vec<_>>().join(", "),
            significant(tuned.median_regret),
            significant(tuned.worst_regret),
            significant(tuned.scale),
            if found.earlier {
                "earlier".to_string()
            } else {
                seconds(tuned.seconds)
            },
        ]
    });
    let table = Table {
        title: "Tuned: chosen over best measured, and measured over predicted".into(),
        headers: vec![
            "kernel",
            "parameters",
            "shipped",
            "chosen",
            "median",
            "worst",
            "scale",
            "took",
        ],
        rows: rows.collect(),
    };
    write(&[table], form)
}

/// The choices of a kernel at a size.
pub fn explained_table(explained: &Explained, form: Form) -> String {
    let best = |time: fn(&bezout_lab::tune::Choice) -> f64| {
        explained
            .choices
            .iter()
            .map(time)
            .fold(f64::INFINITY, f64::min)
    };
    let (predicted, measured) = (
        best(|choice| choice.predicted),
        best(|choice| choice.measured),
    );
    let rows = explained.choices.iter().map(|choice| {
        vec![
            label(explained, &choice.values),
            seconds(choice.predicted),
            significant(choice.predicted / predicted),
            seconds(choice.measured),
            significant(choice.measured / measured),
            if choice.chosen { "chosen" } else { "" }.to_string(),
        ]
    });
    let table = Table {
        title: format!(
            "{}: {}, size {}, on {}; chosen over best {}",
            explained.kernel,
            explained.about,
            explained.size,
            explained.machine.name,
            significant(explained.regret)
        ),
        headers: vec![
            "choice",
            "predicted",
            "over best",
            "measured",
            "over best",
            "",
        ],
        rows: rows.collect(),
    };
    write(&[table], form)
}

/// `linear_block 256, linear_items 4`.
fn label(explained: &Explained, values: &[u64]) -> String {
    let named = explained.parameters.iter().zip(values);
    let words: Vec<_> = named
        .map(|(name, v)| format!("{name} {}", value(*v)))
        .collect();
    words.join(", ")
}

/// The regrets of a kernel at many sizes: of the tuning in force, and of the model alone.
pub fn regret_table(explained: &[Explained], form: Form) -> String {
    let rows = explained.iter().map(|at| {
        let time = |choice: &&bezout_lab::tune::Choice| choice.measured;
        let values = |choice: Option<&bezout_lab::tune::Choice>| {
            choice.map_or(String::new(), |c| label(at, &c.values))
        };
        let best = at.choices.iter().min_by(|a, b| time(a).total_cmp(&time(b)));
        vec![
            at.kernel.to_string(),
            at.size.to_string(),
            values(at.choices.iter().find(|choice| choice.chosen)),
            values(best),
            significant(at.regret),
            significant(at.model_regret),
        ]
    });
    let middle = |regret: fn(&Explained) -> f64| {
        let mut regrets: Vec<f64> = explained.iter().map(regret).collect();
        regrets.sort_by(f64::total_cmp);
        let worst = regrets.last().copied().unwrap_or(1.0);
        let median = regrets.get(regrets.len() / 2).copied().unwrap_or(1.0);
        format!(
            "median {}, worst {}",
            significant(median),
            significant(worst)
        )
    };
    let table = Table {
        title: format!(
            "Chosen over best: {}; by the model alone: {}",
            middle(|at| at.regret),
            middle(|at| at.model_regret)
        ),
        headers: vec!["kernel", "size", "chosen", "best", "regret", "by the model"],
        rows: rows.collect(),
    };
    write(&[table], form)
}

/// Writes the choices as a picture.
pub fn explained_picture(explained: &Explained, out: &Path) -> Result<(), Error> {
    crate::write_whole(out, picture::svg(explained).as_bytes())
}
