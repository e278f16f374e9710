//! The library, preloaded into C programs. Needs a C compiler and GMP's header and library
//! (Debian: `apt-get install gcc libgmp-dev`).

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Every family of functions that `compare.c` calls.
const FUNCTIONS: &[&str] = &[
    "__gmpn_mul",
    "__gmpn_mul_n",
    "__gmpn_sqr",
    "__gmpn_tdiv_qr",
    "__gmpn_divexact",
    "__gmpn_gcd",
    "__gmpn_gcdext",
    "__gmpn_sqrtrem",
    "__gmpn_powm",
    "__gmpn_get_str",
    "__gmpn_set_str",
    "__gmpz_mul",
    "__gmpz_gcd",
    "__gmpz_gcdext",
    "__gmpz_invert",
    "__gmpz_lcm",
    "__gmpz_tdiv_q",
    "__gmpz_tdiv_r",
    "__gmpz_tdiv_qr",
    "__gmpz_fdiv_q",
    "__gmpz_fdiv_r",
    "__gmpz_fdiv_qr",
    "__gmpz_cdiv_q",
    "__gmpz_cdiv_r",
    "__gmpz_cdiv_qr",
    "__gmpz_mod",
    "__gmpz_divexact",
    "__gmpz_powm",
    "__gmpz_sqrt",
    "__gmpz_sqrtrem",
    "__gmpz_root",
    "__gmpz_get_str",
    "__gmpz_set_str",
    "__gmpz_fac_ui",
    "__gmpz_bin_uiui",
    "__gmpz_fib_ui",
    "__gmpz_primorial_ui",
];

/// The library, which Cargo puts beside the test programs.
fn library() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let library = tests.parent().unwrap().join("libbezout_gmp.so");
    assert!(library.is_file(), "{library:?} is missing");
    library
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Compiles one of the C files to a program or library of this name.
fn compile(source: &str, name: &str, flags: &[&str]) -> PathBuf {
    let to = temporary(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(source);
    let run = Command::new("cc")
        .args(["-O1", "-Wall", "-o"])
        .args([&to, &source])
        .args(flags)
        .output()
        .expect("a C compiler, 'cc'");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "install libgmp-dev? {errors}");
    to
}

/// A copy of the distribution's GMP under a name of its own.
fn copy_of_gmp(name: &str) -> PathBuf {
    let run = Command::new("cc")
        .arg("-print-file-name=libgmp.so")
        .output();
    let path = String::from_utf8(run.unwrap().stdout).unwrap();
    let copy = temporary(name);
    std::fs::copy(path.trim(), &copy).expect("libgmp.so, of libgmp-dev");
    copy
}

/// `compare.c` and the GMP that it compares with.
fn comparison() -> &'static (PathBuf, PathBuf) {
    static BUILT: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let program = compile("compare.c", "compare", &["-lgmp", "-ldl"]);
        (program, copy_of_gmp("original-6f1c.so"))
    })
}

fn faults() -> &'static PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| compile("faults.c", "faults", &["-lgmp", "-lpthread"]))
}

/// Runs a program with the library and these settings.
fn preloaded(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Output {
    Command::new(program)
        .args(arguments)
        .env("LD_PRELOAD", library())
        .envs(settings.iter().copied())
        .output()
        .unwrap()
}

/// Runs a program that must end well; what it and the library wrote to stderr.
fn sound(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let run = preloaded(program, arguments, settings);
    let errors = String::from_utf8(run.stderr).unwrap();
    let status = run.status;
    assert!(
        status.success(),
        "{program:?} {arguments:?}: {status} {errors}"
    );
    errors
}

/// Compares with GMP: the most limbs, rounds, seed.
fn compare(most: u32, rounds: u32, seed: u32, settings: &[(&str, &str)]) -> String {
    let (program, original) = comparison();
    let numbers = [most, rounds, seed].map(|number| number.to_string());
    let [most, rounds, seed] = numbers.each_ref().map(String::as_str);
    let original = original.to_str().unwrap();
    sound(program, &[original, most, rounds, seed], settings)
}

/// Whether a trace says that bezout, or the original, served a function.
fn is_served(trace: &str, function: &str, by: &str) -> bool {
    let mut rows = trace.lines().map(|line| line.split_whitespace().skip(1));
    rows.any(|mut row| row.next() == Some(function) && row.next() == Some(by))
}

const ALL: (&str, &str) = ("BEZOUT_GMP_MIN_LIMBS", "1");
const TRACE: (&str, &str) = ("BEZOUT_GMP_TRACE", "1");

#[test]
fn results_are_those_of_gmp() {
    for (most, rounds) in [(3, 1000), (40, 1000), (700, 60), (5000, 4)] {
        let trace = compare(most, rounds, 1, &[ALL, TRACE]);
        for function in FUNCTIONS {
            assert!(is_served(&trace, function, "bezout"), "{function}: {trace}");
        }
        assert!(!trace.contains("failed"), "{trace}");
    }
}

#[test]
fn results_with_every_threshold_tiny() {
    compare(60, 100, 2, &[ALL, ("BEZOUT_TUNING", "minimal")]);
}

#[test]
fn results_of_the_kernels() {
    let engine = [
        ("BEZOUT_GMP_ENGINE", "cuda:executor"),
        ("BEZOUT_TUNING", "minimal"),
    ];
    let errors = compare(30, 8, 3, &[&[ALL][..], &engine].concat());
    assert_eq!(errors, "");
}

#[test]
fn results_with_the_defaults() {
    let trace = compare(15_000, 3, 4, &[("BEZOUT_GMP_ENGINE", "cpu"), TRACE]);
    for by in ["bezout", "original"] {
        assert!(is_served(&trace, "__gmpn_mul", by), "{trace}");
    }
}

#[test]
fn what_programs_do_to_a_library() {
    for what in ["fork", "threads", "longjmp", "signal", "exit", "limit"] {
        let errors = sound(faults(), &[what], &[]);
        assert!(!errors.contains("wrong"), "{what}: {errors}");
    }
}

#[test]
fn a_program_without_gmp_notices_nothing() {
    assert_eq!(sound(faults(), &["none"], &[TRACE]), "");
    let settings = [TRACE, ("BEZOUT_GMP_MIN_LIMBS", "rubbish")];
    assert_eq!(sound(Path::new("/bin/true"), &[], &settings), "");
}

#[test]
fn rubbish_is_said_once_and_the_defaults_used() {
    let table = [
        ("BEZOUT_GMP_MIN_LIMBS", "0", "number of limbs"),
        ("BEZOUT_GMP_MIN_LIMBS_GCD", "many", "number of limbs"),
        ("BEZOUT_GMP_MIN_LIMBS_SIN", "1", "no such function"),
        ("BEZOUT_GMP_DISABLE", "gcd,sin", "there is no 'sin'"),
        ("BEZOUT_GMP_ENGINE", "steam", "steam"),
        ("BEZOUT_GMP_ENGINE", "cuda:77", "cannot be used"),
        ("BEZOUT_GMP_TRACE", "yes", "0 or 1"),
        ("BEZOUT_GMP_LIB", "/there/is/none.so", "not a GMP"),
        ("BEZOUT_TUNING", "steam", "is not allowed"),
    ];
    for (name, value, words) in table {
        let errors = sound(faults(), &["fork"], &[(name, value)]);
        assert_eq!(errors.matches(words).count(), 1, "{name}={value}: {errors}");
    }
}

#[test]
fn functions_can_be_left_alone() {
    for name in ["gcd", "mpz_gcd", "__gmpz_gcd"] {
        let settings = [ALL, TRACE, ("BEZOUT_GMP_DISABLE", name)];
        let trace = sound(faults(), &["fork"], &settings);
        assert!(!is_served(&trace, "__gmpz_gcd", "bezout"), "{trace}");
        assert!(is_served(&trace, "__gmpz_mul", "bezout"), "{trace}");
    }
    let settings = [TRACE, ("BEZOUT_GMP_MIN_LIMBS_MUL", "1000000000")];
    let trace = sound(faults(), &["fork"], &settings);
    assert!(!is_served(&trace, "__gmpz_mul", "bezout"), "{trace}");
    assert!(is_served(&trace, "__gmpz_gcd", "bezout"), "{trace}");
}

#[test]
fn messages_go_to_a_file() {
    let log = temporary("log");
    let _ = std::fs::remove_file(&log);
    let settings = [TRACE, ("BEZOUT_GMP_LOG", log.to_str().unwrap())];
    assert_eq!(sound(faults(), &["longjmp"], &settings), "");
    let text = std::fs::read_to_string(log).unwrap();
    assert!(is_served(&text, "__gmpz_mul", "bezout"), "{text}");
}

#[test]
fn what_is_not_gmp_is_left_alone() {
    let table: [(&[&str], &str); 3] = [
        (&["-DBITS=32"], "limbs of 32 bits"),
        (&["-DBITS=64", "-DMPIR"], "MPIR"),
        (&["-DBITS=64"], ""),
    ];
    for (number, (flags, words)) in table.into_iter().enumerate() {
        let name = format!("libdisguise{number}.so");
        let shared = [&["-DLIBRARY", "-shared", "-fPIC"], flags].concat();
        let library = compile("disguise.c", &name, &shared);
        let library = library.to_str().unwrap();
        let program = compile("disguise.c", &format!("disguised{number}"), &[library]);
        if words.is_empty() {
            // A GMP as far as anyone can tell: bezout's own product has another highest limb.
            assert!(!preloaded(&program, &[], &[]).status.success());
            continue;
        }
        let errors = sound(&program, &[], &[]);
        assert_eq!(errors.matches(words).count(), 1, "{errors}");
    }
}

#[test]
fn local_libraries_are_found_and_two_of_them_agree() {
    let program = compile("local.c", "local", &["-ldl"]);
    let copies = ["libgmp-1a2b3c.so", "libgmp-4d5e6f.so"].map(copy_of_gmp);
    let [first, second] = copies.each_ref().map(|copy| copy.to_str().unwrap());
    let trace = sound(&program, &[first, second], &[TRACE]);
    assert!(is_served(&trace, "__gmpn_sqr", "bezout"), "{trace}");
    assert!(is_served(&trace, "__gmpn_sqr", "original"), "{trace}");
}

#[test]
fn the_gmp_to_hand_on_to_can_be_named() {
    let copy = copy_of_gmp("named.so");
    let settings = [("BEZOUT_GMP_LIB", copy.to_str().unwrap()), TRACE];
    let trace = compare(600, 10, 5, &settings);
    assert!(is_served(&trace, "__gmpz_fib_ui", "original"), "{trace}");
}

#[test]
fn it_can_be_linked_before_gmp() {
    let folder = library().parent().unwrap().to_str().unwrap().to_string();
    let paths = [format!("-L{folder}"), format!("-Wl,-rpath,{folder}")];
    let flags = [&paths[0], &paths[1], "-lbezout_gmp", "-lgmp", "-lpthread"];
    let program = compile("faults.c", "linked", &flags);
    let run = Command::new(program)
        .arg("fork")
        .env("BEZOUT_GMP_TRACE", "1")
        .output()
        .unwrap();
    let errors = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{errors}");
    assert!(is_served(&errors, "__gmpz_mul", "bezout"), "{errors}");
}
