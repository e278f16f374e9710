//! `bezout model` and `bezout tune`: this machine, what its model says, and the choices it makes.

use bezout::cluster::Network;
use bezout::cluster::projection::{self, Parameters, Rates, weber_brew};
use bezout::engine::{self, Decision};
use bezout::{Engine, Error, cuda, environment};
use bezout_bench::model as tables;
use bezout_bench::model::{Form as Written, Stamp};
use bezout_lab::model::mmm::strategy::{Algorithm, Problem};
use bezout_lab::model::pram::{self, Pram};
use bezout_lab::model::{Identity, Machine, Predict, Stored, Tuning, probe};
use bezout_lab::tune::{self, Options, Tunable};
use serde_json::json;

use crate::args::{
    self, Equations, Explain, Form, Global, MachineParameters, ModelAction, Optimise, Project,
    Regret, Tune,
};
use crate::failure::Failure;
use crate::{output, ranks};

impl Form {
    fn written(self) -> Written {
        if self.markdown {
            Written::Markdown
        } else {
            Written::Text
        }
    }
}

/// Runs `bezout model`.
pub fn run(action: &ModelAction, global: &Global) -> Result<(), Failure> {
    match action {
        ModelAction::Probe(form) => probe_machine(*form, global),
        ModelAction::Explain(options) => explain(options, global),
        ModelAction::Regret(options) => regret(options, global),
        ModelAction::Show(form) => show(*form, global),
        ModelAction::Paper(form) => paper(*form, global),
        ModelAction::Optimise(options) => optimise(options, global),
        ModelAction::Equations(options) => equations(options, global),
        ModelAction::Project(options) => project(options, global),
        ModelAction::Pram(options) => parallel_machine(options, global),
    }
}

fn probe_machine(form: Form, global: &Global) -> Result<(), Failure> {
    let cluster = ranks::current();
    let network = cluster.probe();
    if !cluster.is_first() {
        return Ok(());
    }
    if let Some(network) = network
        && let Err(error) = network.save()
    {
        output::remark(global, &format!("bezout: note: {error}"));
    }
    let machine = output::watch(global, "probing", || probe(global.engine))?;
    if global.engine == Engine::Auto && !machine.is_device() {
        output::remark(global, "bezout: note: no GPU is there: this is the CPU");
    }
    if global.json {
        let (u, z) = (machine.u(), machine.z());
        let engine = if machine.is_device() {
            global.engine
        } else {
            Engine::Cpu
        };
        let object = json!({
            "command": "model probe", "machine": machine, "u": u, "z": z, "network": network,
        });
        return output::json(&tables::stamped(engine, object));
    }
    let mut text = tables::machine_table(&machine, form.written());
    if let Some(network) = network {
        text = [text, tables::network_table(&network, form.written())].join("\n");
    }
    output::text(&text)
}

fn project(options: &Project, global: &Global) -> Result<(), Failure> {
    let bits = options.bits;
    if !(1..=projection::MOST_BITS).contains(&bits) {
        return Err(Failure::bad_input(format!(
            "--bits {bits}: the moduli of 31 bits do for 1 to {} bits",
            projection::MOST_BITS
        )));
    }
    let (count, rates) = match options.ranks.gpus {
        Some(gpus) => (gpus, Rates::H200),
        None => (options.ranks.ranks.unwrap_or(1), Rates::CORE),
    };
    let network = Network::nearest(count.into());
    let network = match options.latency {
        Some(microseconds) => network.with_message(1e-6 * microseconds),
        None => network,
    };
    let projection = projection::project(bits, count.into(), Parameters { rates, network });
    if !global.json {
        return output::text(&tables::projection_tables(
            &projection,
            options.form.written(),
        ));
    }
    let lines = [weber_brew::PAPER, weber_brew::H200].map(|line| {
        let mut object = json!(line);
        object["seconds"] = json!(line.seconds(bits));
        object["moduli"] = json!(weber_brew::moduli(bits));
        object["gpus"] = json!(line.gpus(bits));
        object
    });
    output::json(
        &json!({ "command": "model project", "projection": projection, "weber_brew": lines }),
    )
}

/// U and Z as given, or as probed; and the machine where it was probed.
fn parameters(
    given: MachineParameters,
    global: &Global,
) -> Result<(f64, f64, Option<Machine>), Failure> {
    if let MachineParameters {
        u: Some(u),
        z: Some(z),
    } = given
    {
        return Ok((u, z, None));
    }
    let machine = output::watch(global, "probing", || probe(global.engine))?;
    let u = given.u.unwrap_or(machine.u());
    let z = given.z.unwrap_or(machine.z());
    Ok((u, z, Some(machine)))
}

/// Threads of a block where neither s nor the user decides them.
const THREADS: u64 = 256;

fn optimise(options: &Optimise, global: &Global) -> Result<(), Failure> {
    let algorithm: Algorithm = options.algorithm.parse()?;
    let (u, z, machine) = parameters(options.machine, global)?;
    let by_memory = matches!(algorithm, Algorithm::Division | Algorithm::Euclid);
    let default = if by_memory {
        ((z / 2.0) as u64).max(1)
    } else {
        THREADS
    };
    let problem = Problem {
        algorithm,
        n: options.n,
        m: options.m.unwrap_or(options.n),
        bits: options.bits,
        threads: options.block.unwrap_or(default),
        u,
        z,
    };
    let found = problem.optimise()?;
    let seconds: Option<Vec<f64>> = machine.as_ref().map(|machine| {
        let candidates = found.candidates.iter();
        let program = |s| machine.predict(&problem.program(s));
        candidates.map(|candidate| program(candidate.s)).collect()
    });
    if global.json {
        return output::json(&json!({
            "command": "model optimise", "optimised": found, "predicted": seconds,
            "machine": machine,
        }));
    }
    output::text(&tables::optimised_tables(
        &found,
        seconds.as_deref(),
        options.form.written(),
    ))
}

fn equations(options: &Equations, global: &Global) -> Result<(), Failure> {
    let (u, z, machine) = parameters(options.machine, global)?;
    let of = |algorithm| {
        let problem = Problem {
            algorithm,
            n: options.n,
            m: options.n,
            bits: 32,
            threads: options.block,
            u,
            z,
        };
        problem.equations(options.s)
    };
    let found: Vec<_> = Algorithm::ALL.into_iter().flat_map(of).collect();
    if global.json {
        return output::json(&json!({
            "command": "model equations", "u": u, "z": z, "n": options.n, "s": options.s,
            "threads": options.block, "equations": found, "machine": machine,
        }));
    }
    let title = format!(
        "The paper's equations for U = {u:.1}, Z = {z}, n = {}, s = {}, ℓ = {}",
        options.n, options.s, options.block
    );
    output::text(&tables::equation_table(
        title,
        &found,
        options.form.written(),
    ))
}

fn parallel_machine(options: &args::Pram, global: &Global) -> Result<(), Failure> {
    if options.bits == 0 {
        return Err(Failure::bad_input("0 bits: the numbers have at least one"));
    }
    let width = options.width.unwrap_or(pram::least_width(options.bits));
    let costs = Pram::new(options.bits, width);
    if !costs.has_enough_primes {
        let (moduli, primes) = (costs.moduli, costs.primes);
        let note =
            format!("bezout: note: {moduli} moduli of {width} bits, of about {primes} primes");
        output::remark(global, &note);
    }
    if global.json {
        return output::json(&json!({ "command": "model pram", "pram": costs }));
    }
    output::text(&tables::pram_tables(&costs, options.form.written()))
}

fn paper(form: Form, global: &Global) -> Result<(), Failure> {
    let machine = output::watch(global, "probing", || probe(global.engine))?;
    let written = tables::paper_tables(&machine, form.written());
    if global.json {
        return output::json(
            &json!({ "command": "model paper", "machine": machine, "tables": written }),
        );
    }
    output::text(&written)
}

/// How to read the table of `explain`.
const READING: &str = "\
A row is a way to run the operation at this size, with the time that the model of this machine
predicts and the time measured now. 'chosen' is what bezout does, and 'over best' is a time over the
lowest of its column: 1.00 beside the measured time of the chosen row cannot be improved.";

fn explain(options: &Explain, global: &Global) -> Result<(), Failure> {
    if options.size == 0 {
        return Err(Failure::bad_input("the size must be at least 1"));
    }
    let kernel = Tunable::find(&options.kernel)?;
    // What is chosen there is a place.
    let decision = match kernel.name.strip_suffix("-auto") {
        Some(operation) => engine::decision(operation, options.size)?,
        None => None,
    };
    let more = options.set.iter().map(|text| choice(kernel, text));
    let more = more.collect::<Result<Vec<_>, Failure>>()?;
    // Without a device there is one place, and nothing to measure it against.
    let is_alone = decision.as_ref().is_some_and(|found| found.devices == 0);
    let measure = || {
        tune::explain(
            kernel,
            global.engine,
            options.size,
            &more,
            options.seconds.into(),
        )
    };
    let explained = if is_alone {
        None
    } else {
        Some(output::watch(global, "measuring", measure)?)
    };
    if let (Some(out), Some(explained)) = (&options.out, &explained) {
        tables::explained_picture(explained, out)
            .map_err(|error| Failure::failed(error.to_string()))?;
    }
    if global.json {
        return output::json(&json!({
            "command": "model explain",
            "explained": explained,
            "decision": decision,
            "out": options.out,
        }));
    }
    let table = |found| {
        let table = tables::explained_table(found, options.form.written());
        table.trim_end().to_string()
    };
    let parts = [
        decision.as_ref().map(decided),
        explained.as_ref().map(table),
        explained.as_ref().map(|_| READING.to_string()),
    ];
    output::text(&parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
}

/// Where an operation runs, and by what that is decided.
fn decided(decision: &Decision) -> String {
    let milliseconds = |micros: u64| format!("about {} ms", micros as f64 / 1000.0);
    let device = match (decision.devices, decision.is_awake) {
        (0, _) => "none is here".into(),
        (_, true) => "awake".into(),
        (_, false) => format!("asleep, {} to wake it", milliseconds(decision.wake_micros)),
    };
    let Decision {
        operation,
        size,
        parameter,
        sent_from,
        runs_on,
        ..
    } = decision;
    format!(
        "A {operation} of size {size}, operands on the host, runs on {runs_on}.\n\
         sent:       from {sent_from} on ({parameter})\n\
         on the CPU: {}\n\
         a device:   {device}",
        milliseconds(decision.cpu_micros)
    )
}

fn regret(options: &Regret, global: &Global) -> Result<(), Failure> {
    let kernels = options.kernels.iter().map(|name| Tunable::find(name));
    let kernels = kernels.collect::<Result<Vec<_>, Error>>()?;
    let mut explained = Vec::new();
    for kernel in kernels {
        let (sizes, seconds) = (options.sizes.into(), options.seconds.into());
        explained.extend(output::watch(global, kernel.name, || {
            tune::regrets(kernel, global.engine, sizes, seconds)
        })?);
    }
    if global.json {
        let object = json!({ "command": "model regret", "explained": explained });
        return output::json(&tables::stamped(global.engine, object));
    }
    output::text(&tables::regret_table(&explained, options.form.written()))
}

/// The values of a choice such as `linear_block=256,linear_items=4`; what it does not name is as in
/// force.
fn choice(kernel: &Tunable, text: &str) -> Result<Vec<u64>, Failure> {
    let tuning = Tuning::current();
    let mut values: Vec<u64> = kernel
        .parameters
        .iter()
        .filter_map(|name| tuning.value(name))
        .collect();
    for word in text.split(',') {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let place = kernel
            .parameters
            .iter()
            .position(|parameter| *parameter == name);
        let (place, value) = match (place, value.parse::<u64>()) {
            (None, _) => {
                let names = kernel.parameters.join(", ");
                return Err(Failure::bad_input(format!(
                    "{} chooses {names}, not '{name}'",
                    kernel.name
                )));
            }
            (_, Err(_)) => {
                return Err(Failure::bad_input(format!(
                    "'{word}' has no value, such as {name}=256"
                )));
            }
            (Some(place), Ok(value)) => (place, value),
        };
        // Out of range: said before anything is measured.
        tuning.with(&[(name, value)])?;
        values[place] = value;
    }
    Ok(values)
}

fn show(form: Form, global: &Global) -> Result<(), Failure> {
    let mut machines = vec![Identity::of_host()];
    if cuda::device_count() > 0
        && let Ok(device) = cuda::device(0)
    {
        machines.push(Identity::of_device(device.info()));
    }
    // A tuning that the environment sets leaves the files out.
    let files: Vec<Stored> = match environment::text("BEZOUT_TUNING") {
        Some(_) => Vec::new(),
        None => machines.into_iter().filter_map(Stored::load).collect(),
    };
    let tuning = Tuning::current();
    if global.json {
        let parameters = Tuning::PARAMETERS.iter().map(|parameter| {
            let mut object = json!(parameter);
            object["value"] = json!(tuning.value(parameter.name));
            object
        });
        let parameters: Vec<_> = parameters.collect();
        return output::json(
            &json!({ "command": "model show", "parameters": parameters, "files": files }),
        );
    }
    output::text(&tables::parameter_table(&tuning, &files, form.written()))
}

/// Runs `bezout tune`.
pub fn tune(options: &Tune, global: &Global) -> Result<(), Failure> {
    if options.list {
        return list(global);
    }
    let stamp = Stamp::of(Engine::Cpu);
    let wanted = Options {
        only: options.only.clone(),
        quick: options.quick,
        again: options.again,
        engine: global.engine,
        commit: stamp.commit,
        date: stamp.date,
    };
    let found =
        output::watch(global, "tuning", || tune::tune(&wanted)).map_err(|error| match error {
            Error::Domain(_) => {
                Failure::from(error).hint("'bezout tune --list' lists what can be tuned")
            }
            error => error.into(),
        })?;
    if global.json {
        return output::json(&json!({ "command": "tune", "found": found }));
    }
    output::text(&tables::found_table(&found, options.form.written()))
}

fn list(global: &Global) -> Result<(), Failure> {
    if global.json {
        let kernels = Tunable::all().iter().map(|kernel| {
            json!({
                "name": kernel.name,
                "about": kernel.about,
                "parameters": kernel.parameters,
                "side": kernel.side,
            })
        });
        let kernels: Vec<_> = kernels.collect();
        return output::json(&json!({ "command": "tune", "kernels": kernels }));
    }
    let lines = Tunable::all().iter().map(|kernel| {
        format!(
            "{:20} {}: {}",
            kernel.name,
            kernel.about,
            kernel.parameters.join(", ")
        )
    });
    output::text(&lines.collect::<Vec<_>>().join("\n"))
}
