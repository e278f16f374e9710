//! The tuner: measures the choices that the tuning makes and keeps the best for this machine.
//!
//! A [`Tunable`] is something with choices: values of a few parameters of the [`Tuning`], sizes,
//! work of a size that can be run under any tuning and checks its own result, and what the model
//! predicts of it. For each of them the model leaves a few choices, which are measured in turn; the
//! shipped one is always among them and stays unless another is clearly better. What was found is
//! kept after every kernel, so that an interrupted run goes on where it was.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | kernels, tasks, runs over all kernels |
//! | `search.rs` | how choices are left out, measured and decided |
//! | `kernels.rs` | the kernels of the CPU and of a device |
//! | `work/` | their work, with its checks |
//! | `predict.rs` | what the model says of it |
//! | `plain.rs` | both for the algorithms of the model's paper |

mod kernels;
mod plain;
mod predict;
mod search;
#[cfg(test)]
mod tests;
mod work;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use bezout::engine::{EXECUTOR, Engine};
use bezout::measure::{has_vectors, silently, stage, tuning_at, tuning_of};
use bezout::{Error, Result, cuda};

use crate::model::{Identity, Machine, Side, Stored, Tuned, Tuning, probe};
pub use search::Measured;

/// The machines that a prediction knows.
#[derive(Debug, Clone)]
pub struct Machines {
    /// The host's CPU.
    pub cpu: Machine,
    /// The device, where there is one.
    pub device: Option<Machine>,
}

impl Machines {
    /// Measures the CPU, and the device of this engine.
    pub fn probe(engine: Engine) -> Result<Machines> {
        let device = match engine {
            Engine::Cuda(_) => Some(probe(engine)?),
            _ => None,
        };
        let cpu = probe(Engine::Cpu)?;
        Ok(Machines { cpu, device })
    }

    /// The machine of a side.
    fn of(&self, side: Side) -> &Machine {
        match side {
            Side::Cpu => &self.cpu,
            Side::Cuda => self.target(),
        }
    }

    /// The device, or the CPU where there is none.
    pub fn target(&self) -> &Machine {
        self.device.as_ref().unwrap_or(&self.cpu)
    }
}

/// Values for each parameter of a kernel.
pub type Values = Vec<u64>;

/// What there is to choose.
#[derive(Clone, Copy)]
pub enum Choices {
    /// Sizes from the parameter on are done in another way than smaller ones; looked for between
    /// the two sizes.
    From,
    /// Sizes up to the parameter are done in another way than larger ones; looked for between the
    /// two sizes.
    UpTo,
    /// Any of these values, one for all sizes.
    One(fn() -> Vec<Values>),
    /// Any of these values, by size.
    BySize(fn(&Machine, u64) -> Vec<Values>),
}

/// Something with choices.
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// What is measured.
    pub about: &'static str,
    /// The parameters that are chosen, of the tuning.
    pub parameters: &'static [&'static str],
    /// Where it runs.
    pub side: Side,
    /// Sizes to measure, or the bounds of a threshold, in limbs unless `about` says otherwise.
    pub sizes: &'static [u64],
    /// What there is to choose.
    pub choices: Choices,
    /// Work of a size on an engine.
    pub prepare: fn(Engine, u64) -> Result<Task>,
    /// Seconds that the model predicts for it under a tuning.
    pub predicted: fn(&Machines, u64, &Tuning) -> f64,
}

impl Tunable {
    /// The kernel of this name.
    pub fn find(name: &str) -> Result<&'static Tunable> {
        kernels::ALL
            .iter()
            .find(|kernel| kernel.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = kernels::ALL.iter().map(|kernel| kernel.name).collect();
                Error::Domain(format!(
                    "nothing to tune is called '{name}': there are {}",
                    names.join(", ")
                ))
            })
    }

    /// Every kernel.
    pub fn all() -> &'static [Tunable] {
        kernels::ALL
    }

    /// The choices at this size.
    pub fn candidates(&self, machine: &Machine, size: u64) -> Vec<Values> {
        match self.choices {
            Choices::From => vec![vec![size.saturating_add(1)], vec![size.max(1)]],
            Choices::UpTo => vec![vec![size.max(1)], vec![size.saturating_sub(1).max(1)]],
            Choices::One(values) => values(),
            Choices::BySize(values) => values(machine, size),
        }
    }

    /// `base` with these values.
    fn tuning(&self, base: &Tuning, values: &[u64]) -> Result<Tuning> {
        let named: Vec<_> = self.parameters.iter().zip(values.iter().copied()).collect();
        base.with(
            &named
                .iter()
                .map(|(name, value)| (**name, *value))
                .collect::<Vec<_>>(),
        )
    }

    /// The values of a tuning.
    fn values(&self, tuning: &Tuning) -> Values {
        self.parameters
            .iter()
            .filter_map(|name| tuning.value(name))
            .collect()
    }

    /// The engine it is measured on, if it can be: `device` is the one in use.
    fn engine(&self, device: Option<Engine>) -> Option<Engine> {
        let vectors = has_vectors();
        match (self.side, self.name) {
            // Whether the host sends numbers to a device shows only with both.
            (Side::Cpu, name) if kernels::AUTO.contains(&name) => device
                .filter(|engine| *engine == Engine::Cuda(0))
                .map(|_| Engine::Auto),
            (Side::Cpu, kernels::PLAIN) if vectors => None,
            (Side::Cpu, kernels::VECTOR) if !vectors => None,
            (Side::Cpu, _) => Some(Engine::Cpu),
            (Side::Cuda, _) => device,
        }
    }

    /// The engine it is measured on and the machines there, measured.
    fn place(&self, engine: Engine) -> Result<(Engine, Machines)> {
        let device = device_of(engine);
        let found = self
            .engine(device)
            .ok_or_else(|| Error::Domain(self.why_not(engine)))?;
        Ok((found, Machines::probe(device.unwrap_or(Engine::Cpu))?))
    }

    /// Why it cannot be measured on an engine.
    fn why_not(&self, engine: Engine) -> String {
        let name = self.name;
        let no_device = match engine {
            Engine::Cpu => "the engine is cpu: cuda and auto use a device",
            _ => "there is none here",
        };
        match self.side {
            Side::Cuda => format!("{name} runs on a device, and {no_device}"),
            Side::Cpu if kernels::AUTO.contains(&name) => match engine {
                Engine::Cuda(_) => format!("{name} is measured with the first device: take auto"),
                _ => format!("{name} chooses between the CPU and a device, and {no_device}"),
            },
            Side::Cpu => format!("{name} has no choice on this machine"),
        }
    }
}

/// The device that an engine may use.
fn device_of(engine: Engine) -> Option<Engine> {
    match engine {
        Engine::Auto if cuda::device_count() > 0 => Some(Engine::Cuda(0)),
        engine @ Engine::Cuda(_) => Some(engine),
        _ => None,
    }
}

/// Work that can be repeated and whose result is checked.
pub struct Task {
    sample: Box<dyn FnMut(usize) -> Result<f64>>,
    /// Whether a first run compiles and others are timed; the executor's are not.
    compiles: bool,
}

impl Task {
    /// `work` on an engine, and the check of what it gives. Its time ends when the engine is done.
    /// A device that `auto` may send work to is awake before.
    pub fn new<T: 'static>(
        engine: Engine,
        mut work: impl FnMut() -> Result<T> + 'static,
        check: impl Fn(&T) -> Result<()> + 'static,
    ) -> Result<Task> {
        let device = match device_of(engine) {
            Some(Engine::Cuda(ordinal)) => Some(cuda::device(ordinal)?),
            _ => None,
        };
        let sample = move |count: usize| {
            let mut last = None;
            let start = Instant::now();
            for _ in 0..count {
                last = Some(engine.scope(&mut work)?);
                device
                    .as_ref()
                    .map_or(Ok(()), |device| device.synchronize())?;
            }
            let seconds = start.elapsed().as_secs_f64();
            // A check must not run under the tuning that is measured.
            let checked =
                last.map(|last| Tuning::DEFAULT.scope(|| Engine::Cpu.scope(|| check(&last))));
            checked.unwrap_or(Ok(()))?;
            Ok(seconds / count.max(1) as f64)
        };
        Ok(Task {
            sample: Box::new(sample),
            compiles: ![Engine::Cpu, Engine::Cuda(EXECUTOR)].contains(&engine),
        })
    }

    /// Seconds of one of `count` runs under this tuning; the last one's result is checked.
    pub fn run(&mut self, tuning: &Tuning, count: usize) -> Result<f64> {
        // Silent: progress is the tuner's to tell.
        silently(|| tuning.scope(|| (self.sample)(count)))
    }
}

/// How to tune.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only these kernels; all where empty.
    pub only: Vec<String>,
    /// Two seconds a kernel instead of ten, beside compiling.
    pub quick: bool,
    /// Also what was tuned before.
    pub again: bool,
    /// `Auto`: the CPU, and the first GPU where there is one.
    pub engine: Engine,
    /// The commit to note.
    pub commit: String,
    /// The date to note.
    pub date: String,
}

/// What was found for a kernel.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TuningOutcome {
    /// The kernel.
    pub kernel: &'static str,
    /// What was chosen.
    pub tuned: Tuned,
    /// The shipped values.
    pub shipped: Values,
    /// All that was measured; empty where it was tuned before.
    pub measured: Vec<Measured>,
    /// Whether it was found by an earlier run.
    pub earlier: bool,
}

/// Tunes every kernel of the machines of the engine, and keeps what it finds.
pub fn tune(options: &Options) -> Result<Vec<TuningOutcome>> {
    for name in &options.only {
        Tunable::find(name)?;
    }
    let device = device_of(options.engine);
    let wanted = |kernel: &&Tunable| {
        let side = match options.engine {
            Engine::Cuda(_) => kernel.side == Side::Cuda,
            _ => true,
        };
        let named = options.only.is_empty() || options.only.iter().any(|name| name == kernel.name);
        side && named && kernel.engine(device).is_some()
    };
    let kernels: Vec<&Tunable> = kernels::ALL.iter().filter(wanted).collect();
    if kernels.is_empty() {
        let reasons = options.only.iter().map(|name| {
            let kernel = Tunable::find(name)?;
            Ok(match (options.engine, kernel.side) {
                (Engine::Cuda(_), Side::Cpu) => {
                    format!("{name} is of the CPU: the engines cpu and auto tune it")
                }
                (engine, _) => kernel.why_not(engine),
            })
        });
        let reasons = reasons.collect::<Result<Vec<_>>>()?;
        return Err(Error::Domain(format!(
            "nothing can be tuned: {}",
            reasons.join("; ")
        )));
    }
    stage("tuning", kernels.len() as u64 + 1, |stage| {
        let machines = stage.step(1, || Machines::probe(device.unwrap_or(Engine::Cpu)))?;
        let mut files = [Side::Cpu, Side::Cuda].map(|side| file(side, &machines));
        let mut found = Vec::new();
        for kernel in kernels {
            let Some(engine) = kernel.engine(device) else {
                continue;
            };
            // What was found before counts for what comes after.
            let base = tuning_of(&files);
            let file = &mut files[usize::from(kernel.side == Side::Cuda)];
            found.push(stage.step(1, || one(kernel, engine, &machines, base, file, options))?);
        }
        Ok(found)
    })
}

/// What is kept of a side's machine, with the machine as it is now.
fn file(side: Side, machines: &Machines) -> Stored {
    let machine = machines.of(side);
    let known = Stored::load(machine.identity.clone());
    let mut file = known.unwrap_or_else(|| Stored::new(machine.identity.clone()));
    file.machine = Some(machine.clone());
    file
}

fn one(
    kernel: &'static Tunable,
    engine: Engine,
    machines: &Machines,
    base: Tuning,
    file: &mut Stored,
    options: &Options,
) -> Result<TuningOutcome> {
    let shipped = kernel.values(&Tuning::shipped());
    let known = file.kernels.get(kernel.name).filter(|tuned| {
        !options.again
            && tuned.version == env!("CARGO_PKG_VERSION")
            && tuned.parameters == kernel.parameters
    });
    if let Some(tuned) = known {
        return Ok(TuningOutcome {
            kernel: kernel.name,
            tuned: tuned.clone(),
            shipped,
            measured: Vec::new(),
            earlier: true,
        });
    }
    let seconds = if options.quick { 2.0 } else { 10.0 };
    let start = Instant::now();
    let (decided, measured) = search::search(kernel, engine, machines, base, seconds)?;
    let tuned = Tuned {
        parameters: kernel
            .parameters
            .iter()
            .map(|name| name.to_string())
            .collect(),
        choices: decided.choices,
        by_size: matches!(kernel.choices, Choices::BySize(_)),
        median_regret: decided.median_regret,
        worst_regret: decided.worst_regret,
        scale: search::scale(&measured),
        seconds: start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION").into(),
        commit: options.commit.clone(),
        date: options.date.clone(),
    };
    file.kernels.insert(kernel.name.into(), tuned.clone());
    file.save()?;
    Ok(TuningOutcome {
        kernel: kernel.name,
        tuned,
        shipped,
        measured,
        earlier: false,
    })
}

/// The choices of a kernel at one size, predicted and measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explained {
    /// The kernel.
    pub kernel: String,
    /// What is measured.
    pub about: String,
    /// The parameters of the choices.
    pub parameters: Vec<String>,
    /// The size.
    pub size: u64,
    /// The machine.
    pub machine: Identity,
    /// Every choice.
    pub choices: Vec<Choice>,
    /// Measured with the values in force, over the best measured.
    pub regret: f64,
    /// The same with the values that the model predicts to be best.
    pub model_regret: f64,
}

/// One choice of many.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Choice {
    /// Values of the parameters.
    pub values: Values,
    /// Seconds that the model predicts.
    pub predicted: f64,
    /// Seconds that it took.
    pub measured: f64,
    /// Whether the tuning in force makes this choice.
    pub chosen: bool,
}

/// Measures every choice of a kernel at one size, those of `more` too; about so many seconds in
/// all.
pub fn explain(
    kernel: &'static Tunable,
    engine: Engine,
    size: u64,
    more: &[Values],
    seconds: f64,
) -> Result<Explained> {
    let (engine, machines) = kernel.place(engine)?;
    stage("measuring", 1, |stage| {
        stage.step(1, || {
            explain_on(kernel, engine, &machines, size, more, seconds)
        })
    })
}

/// The same at so many sizes between the smallest and the largest of the kernel, so many seconds
/// for each.
pub fn regrets(
    kernel: &'static Tunable,
    engine: Engine,
    count: usize,
    seconds: f64,
) -> Result<Vec<Explained>> {
    let (engine, machines) = kernel.place(engine)?;
    let (least, most) = (
        kernel.sizes[0] as f64,
        kernel.sizes[kernel.sizes.len() - 1] as f64,
    );
    let step = |i: usize| i as f64 / count.saturating_sub(1).max(1) as f64;
    let size = |i: usize| (least * (most / least).powf(step(i))).round() as u64;
    stage("measuring", count as u64, |stage| {
        let one = |i| {
            stage.step(1, || {
                explain_on(kernel, engine, &machines, size(i), &[], seconds)
            })
        };
        (0..count).map(one).collect()
    })
}

fn explain_on(
    kernel: &'static Tunable,
    engine: Engine,
    machines: &Machines,
    size: u64,
    more: &[Values],
    seconds: f64,
) -> Result<Explained> {
    let machine = machines.of(kernel.side);
    let base = *tuning_at(kernel.name, size);
    let mut candidates = kernel.candidates(machine, size);
    let chosen = search::chosen(kernel, &base, size, &mut candidates);
    for values in more {
        if !candidates.contains(values) {
            candidates.push(values.clone());
        }
    }
    let tunings = candidates
        .iter()
        .map(|values| kernel.tuning(&base, values))
        .collect::<Result<Vec<_>>>()?;
    let mut task = (kernel.prepare)(engine, size)?;
    let (times, _) = search::compare(&mut task, &tunings, seconds)?;
    let predicted: Vec<f64> = tunings
        .iter()
        .map(|tuning| (kernel.predicted)(machines, size, tuning))
        .collect();
    let least = |times: &[f64]| {
        let places = 0..times.len();
        places
            .min_by(|a, b| times[*a].total_cmp(&times[*b]))
            .unwrap_or(0)
    };
    let best = times[least(&times)];
    let choices = candidates
        .into_iter()
        .zip(&predicted)
        .zip(&times)
        .enumerate();
    Ok(Explained {
        kernel: kernel.name.into(),
        about: kernel.about.into(),
        parameters: kernel
            .parameters
            .iter()
            .map(|name| name.to_string())
            .collect(),
        size,
        machine: machine.identity.clone(),
        regret: times[chosen] / best,
        model_regret: times[least(&predicted)] / best,
        choices: choices
            .map(|(i, ((values, predicted), measured))| Choice {
                values,
                predicted: *predicted,
                measured: *measured,
                chosen: i == chosen,
            })
            .collect(),
    })
}
