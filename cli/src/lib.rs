//! The bezout command line: arguments in, numbers out. The arithmetic is the library's.
//!
//! The commands that measure (`bench`, `report`, `model`, `tune`, `soak`) are there with the
//! feature `bench` alone: they and the crates that they need are a third of the build.

mod args;
mod batch_gcd;
#[cfg(feature = "bench")]
mod bench;
mod calc;
mod constant;
mod devices;
mod ecm;
mod factor;
mod failure;
mod fresh_file;
mod gcd;
mod help;
mod interrupt;
mod kernels;
mod lock;
#[cfg(feature = "bench")]
mod model;
mod number;
mod output;
mod pages;
mod poly;
mod preload;
mod ranks;
mod sealed;
#[cfg(feature = "bench")]
mod soak;
mod sort;

use std::ffi::OsString;
use std::io::Write;
use std::panic;
use std::sync::Mutex;

use bezout::cluster::Cluster;
use bezout::{Engine, cuda, environment, memory, notice};

#[cfg(feature = "bench")]
use args::Measure;
use args::{Args, Command, Global};
use failure::Failure;
pub use output::occupy_standard_streams;

/// Where and why the last panic was. Panics that someone catches stay silent.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs the command line of these arguments, the program's name first, and gives its exit code. For
/// a process that does nothing else: panics are silenced, and threads and engine are set for all of
/// it.
pub fn main_with(arguments: Vec<OsString>) -> u8 {
    occupy_standard_streams();
    let code = run_command(arguments);
    // A process whose main program is not Rust's does not flush what Rust's buffers hold.
    let _ = std::io::stdout().flush();
    code
}

fn run_command(arguments: Vec<OsString>) -> u8 {
    let cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(error) => {
            let mut failure = Failure::from(error);
            if !cfg!(feature = "mpi") {
                failure = failure.hint("'cargo build --features mpi' builds it with MPI");
            }
            return end(&failure);
        }
    };
    let mut args = match args::parse(arguments) {
        Ok(args) => args,
        Err(refusal) => {
            let code = refusal.code();
            let printed = match code {
                0 if !cluster.is_first() => Ok(()),
                0 => refusal.print(),
                _ => {
                    Cluster::abort(code, || drop(refusal.print()));
                    Ok(())
                }
            };
            if let Err(failure) = printed {
                return end(&failure);
            }
            Cluster::end();
            return code;
        }
    };
    args.global.quiet |= !cluster.is_first();
    panic::set_hook(Box::new(|info| {
        *PANIC
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = info.to_string();
    }));
    match panic::catch_unwind(|| run(&args, &cluster)) {
        Ok(Ok(())) => {
            Cluster::end();
            0
        }
        Ok(Err(failure)) if cluster.is_first() => end(&failure),
        Ok(Err(failure)) => end(&failure.in_source(format_args!("rank {}", cluster.rank()))),
        Err(_) => {
            let panic = PANIC
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            end(&panicked(&panic))
        }
    }
}

/// What helps where threads do not start.
const FEWER_THREADS: &str =
    "use fewer threads (--threads N), or raise the limits (ulimit -v, ulimit -u)";

/// What a panic means. The standard library panics where it cannot start a thread.
fn panicked(panic: &str) -> Failure {
    if panic.contains("failed to spawn thread") {
        return Failure::failed("cannot start a thread: out of memory or of processes")
            .hint(FEWER_THREADS);
    }
    Failure::failed(format!("internal error: {panic}"))
        .hint("this is a bug in bezout: please report it, with the command line")
}

/// Says what failed, and ends all ranks.
fn end(failure: &Failure) -> u8 {
    Cluster::abort(failure.code(), || failure.print());
    failure.code()
}

fn run(args: &Args, cluster: &Cluster) -> Result<(), Failure> {
    let global = &args.global;
    if !ranks::enter(cluster, &args.command) {
        return Ok(());
    }
    match &args.command {
        Command::Run(options) => return preload::run(options, global),
        Command::Completions(options) => return pages::completions(options, global),
        Command::Man(options) => return pages::man(options, global),
        _ => {}
    }
    set_up(global, cluster)?;
    if !matches!(args.command, Command::Devices) {
        require(global.engine)?;
    }
    match &args.command {
        Command::Devices => devices::run(global),
        Command::Calc(options) => calc::run(options, global),
        Command::Gcd(options) => gcd::run(options, global),
        Command::Factor(options) => factor::run(options, global),
        Command::Ecm(options) => ecm::run(&options.arguments, global.quiet),
        Command::Poly(options) => poly::run(options, global),
        Command::Sort(options) => sort::run(options, global),
        Command::BatchGcd(options) => batch_gcd::run(options, global),
        Command::Constant(options) => constant::run(options, global),
        Command::Kernels(options) => kernels::run(options, global),
        Command::Run(options) => preload::run(options, global),
        #[cfg(feature = "bench")]
        Command::Measure(options) => measure(options, global),
        Command::Completions(options) => pages::completions(options, global),
        Command::Man(options) => pages::man(options, global),
    }
}

#[cfg(feature = "bench")]
fn measure(options: &Measure, global: &Global) -> Result<(), Failure> {
    match options {
        Measure::Bench(options) => bench::run(options, global),
        Measure::Report(options) => bench::report(options, global),
        Measure::Model(options) => model::run(&options.action, global),
        Measure::Tune(options) => model::tune(options, global),
        Measure::Soak(options) => soak::run(options, global),
    }
}

fn set_up(global: &Global, cluster: &Cluster) -> Result<(), Failure> {
    if !global.quiet {
        notice::set_listener(|text| {
            let _ = writeln!(std::io::stderr(), "bezout: note: {text}");
        });
    }
    environment::check()?;
    global.engine.set_default();
    cluster.share_devices();
    bezout::verify::set(global.verify || cfg!(debug_assertions));
    let part = (cluster.size() > 1).then(|| cluster.threads());
    let threads = global.threads.map(usize::from).or(part);
    // Threads start with the first work that needs them. Under a memory limit they may not start at
    // all, which is an error here and would be a panic there.
    if threads.is_some() || memory::is_limited() {
        // 0 stands for as many as there are cores.
        let count = threads.map_or("all".to_string(), |threads| threads.to_string());
        let cannot = |error| {
            let message =
                format!("cannot start {count} threads, out of memory or processes: {error}");
            Failure::failed(message).hint(FEWER_THREADS)
        };
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let stacks = memory::check_threads(threads.unwrap_or_else(cores));
        stacks.map_err(|error| Failure::failed(error.to_string()).hint(FEWER_THREADS))?;
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .build_global()
            .map_err(cannot)?;
    }
    Ok(())
}

/// A device asked for by name must be there, even for numbers too small to be sent to it.
fn require(engine: Engine) -> Result<(), Failure> {
    if let Engine::Cuda(n) = engine {
        cuda::device(n)?;
    }
    Ok(())
}
