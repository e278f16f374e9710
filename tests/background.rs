//! A device that is not ready is not waited for under `auto`: the executor stands for it, and an
//! empty cache for kernels that nobody has compiled.
//!
//! Work runs in the background for the main thread alone, which is why this program has no harness:
//! each case is a process of its own, which is this program with the name of the case.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use bezout::engine::EXECUTOR;
use bezout::{Engine, Int, cuda, kernels};

type Case = fn();

const CASES: [(&str, Case); 5] = [
    ("changes_over", changes_over),
    ("a_result_on_the_device_alone", a_result_on_the_device_alone),
    ("by_name_is_waited_for", by_name_is_waited_for),
    (
        "on_other_threads_is_waited_for",
        on_other_threads_is_waited_for,
    ),
    ("ends_at_once", ends_at_once),
];

/// Most seconds that the process of a case may run on after its last line. A module of products
/// takes the compiler longer.
const PATIENCE: Duration = Duration::from_secs(1);
/// What a case prints when it has done its work.
const DONE: &str = "done";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, name] = &arguments[..]
        && mode == "--case"
    {
        let case = CASES.iter().find(|(other, _)| other == name);
        case.expect("a case of the list").1();
        println!("{DONE}");
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--list") {
        CASES.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    if !cfg!(all(target_os = "linux", target_env = "gnu")) || cuda::device(EXECUTOR).is_err() {
        println!("not run: there is no work in the background here, or no C++ compiler");
        return ExitCode::SUCCESS;
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let is_chosen = |name: &str| filter.is_none_or(|filter| name.contains(filter));
    for (name, _) in CASES.iter().filter(|(name, _)| is_chosen(name)) {
        run(name);
        println!("{name} ... ok");
    }
    ExitCode::SUCCESS
}

/// Runs a case with an empty cache, and again with what that has left in it.
fn run(name: &str) {
    let folder = Folder::new(name);
    for round in ["empty", "used"] {
        let start = Instant::now();
        let mut child = start_case(name, &folder.0);
        let mut text = String::new();
        let mut output = child.stdout.take().expect("a pipe");
        let read = std::io::Read::read_to_string(&mut output, &mut text);
        // The pipe closes when the process and all that it has started have ended.
        read.expect("the output of the case");
        let status = child.wait().expect("an exit code");
        assert!(status.success(), "{name}, cache {round}: {status}\n{text}");
        let after: Duration = match text
            .lines()
            .find_map(|line| line.strip_prefix("worked for "))
        {
            Some(seconds) => {
                start.elapsed() - Duration::from_secs_f64(seconds.parse().expect("seconds"))
            }
            None => Duration::ZERO,
        };
        assert!(
            after < 3 * PATIENCE,
            "{name}, cache {round}: ended {after:?} late"
        );
        assert!(text.ends_with(&format!("{DONE}\n")), "{name}: {text}");
    }
}

fn start_case(name: &str, cache: &Path) -> Child {
    let this = std::env::current_exe().expect("the path of this program");
    Command::new(this)
        .args(["--case", name])
        .env("BEZOUT_CACHE", cache)
        .env_remove("BEZOUT_TUNING")
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

/// An empty folder for one case.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("bezout-test-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const ON_DEVICE: Option<Engine> = Some(Engine::Cuda(EXECUTOR));

/// Two numbers of many limbs with copies on the executor.
fn operands() -> (Int, Int) {
    let a = Int::from(3).pow(200_000);
    let b = Int::from(7).pow(100_000);
    for x in [&a, &b] {
        x.to_device(EXECUTOR);
    }
    (a, b)
}

/// Whether no entry of the cache serves this process.
fn is_cache_empty() -> bool {
    let cache = std::env::var_os("BEZOUT_CACHE").expect("set by the parent");
    fs::read_dir(cache).expect("a folder").next().is_none()
}

fn changes_over() {
    let is_first = is_cache_empty();
    let (a, b) = operands();
    let expected = Engine::Cpu.scope(|| &a ^ &b);
    let first = &a ^ &b;
    assert_eq!(first, expected);
    if is_first {
        assert_eq!(Engine::last_used(), Some(Engine::Cpu));
        assert!(
            is_cache_empty(),
            "the first operation has waited for the compiler"
        );
    }
    kernels::wait();
    let second = &a ^ &b;
    assert_eq!(Engine::last_used(), ON_DEVICE);
    assert_eq!(second, expected);
    assert!(!is_cache_empty());
}

fn a_result_on_the_device_alone() {
    let (a, b) = operands();
    let there = Engine::Cuda(EXECUTOR).scope(|| &a ^ &b);
    assert_eq!(Engine::last_used(), ON_DEVICE);
    // Shifts are of another module, which the first time is missing. The CPU takes the operand.
    let (shifted, expected) = (&there << 77u32, Engine::Cpu.scope(|| (&a ^ &b) << 77u32));
    assert_eq!(shifted, expected);
    kernels::wait();
    let shifted = &there << 77u32;
    assert_eq!(Engine::last_used(), ON_DEVICE);
    assert_eq!(shifted, expected);
}

fn by_name_is_waited_for() {
    let (a, b) = operands();
    let there = Engine::Cuda(EXECUTOR).scope(|| &a ^ &b);
    assert_eq!(Engine::last_used(), ON_DEVICE);
    assert_eq!(there, Engine::Cpu.scope(|| &a ^ &b));
}

/// The end of the process would not wait for what they begin.
fn on_other_threads_is_waited_for() {
    let (a, b) = operands();
    let expected = Engine::Cpu.scope(|| &a ^ &b);
    let work = || (&a ^ &b, Engine::last_used());
    let (there, used) = std::thread::scope(|threads| threads.spawn(work).join()).expect("a result");
    assert_eq!(used, ON_DEVICE);
    assert_eq!(there, expected);
}

fn ends_at_once() {
    let start = Instant::now();
    let (a, b) = operands();
    // Some modules, each of which takes the compiler seconds.
    let product = &a * &b;
    assert_eq!(product, Engine::Cpu.scope(|| &a * &b));
    println!("worked for {}", start.elapsed().as_secs_f64());
}
