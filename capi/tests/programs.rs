//! Programs in C and C++ against the installed library: compiled without a warning, linked with the
//! shared and with the static library, run, and compared with what they must print.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::{env, fs};

/// What the examples print on stdout.
const C_OUTPUT: &str = "\
m = 170141183460469231731687303715884105727
g = 1
1/a mod m = 26901390337533704708471044681115974012
14, division by zero
10, at 2
a is still = 7
cancelled
half was done: 1
12! = 2^10 * 3^5 * 5^2 * 7^1 * 11^1
shared = 103
by modulus 0
by modulus 2
3*x^3 + 5*x^2 + 4*x + 2
";
const CC_OUTPUT: &str = "\
m = 170141183460469231731687303715884105727, a prime
m^2 mod 10^9 = 514198529
gcd = 15
caught 14: division by zero
7432339208719^1
341117531003194129^1
sum = 0
";

const C: [&str; 6] = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"];
const CC: [&str; 6] = [
    "c++",
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder that the library was installed into, by the script and from what cargo built for this
/// test.
static PREFIX: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = env::current_exe().expect("this program has a place");
    let built = test.parent().expect("a folder").to_path_buf();
    assert!(
        built.join("libbezout_capi.so").exists(),
        "cargo builds it beside this test"
    );
    let prefix = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("installed");
    let _ = fs::remove_dir_all(&prefix);
    run(Command::new(root().join("install"))
        .env("PREFIX", &prefix)
        .env("BEZOUT_CAPI_BUILT", built)
        .env_remove("DESTDIR")
        .env_remove("LIBDIR")
        .env_remove("INCLUDEDIR"));
    prefix
});

/// Runs a command that has to succeed.
fn run(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{stdout}\n{stderr}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A command with nothing of cargo's search path for libraries, and the installed library in it.
fn program(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env("LD_LIBRARY_PATH", PREFIX.join("lib"));
    command
}

/// Flags that pkg-config gives for the installed library.
fn flags(kind: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.args(kind).arg("bezout");
    command.env("PKG_CONFIG_PATH", PREFIX.join("lib/pkgconfig"));
    let flags = text(&run(&mut command).stdout);
    flags.split_whitespace().map(str::to_string).collect()
}

/// Compiles a source of `examples/` into a program of this name.
fn compile(compiler: &[&str], source: &str, name: &str, more: &[String]) -> PathBuf {
    let program = PREFIX.join(name);
    run(Command::new(compiler[0])
        .args(&compiler[1..])
        .arg(root().join("examples").join(source))
        .arg("-o")
        .arg(&program)
        .args(more));
    program
}

#[test]
fn example_in_c() {
    let example = compile(
        &C,
        "example.c",
        "example-c",
        &flags(&["--cflags", "--libs"]),
    );
    assert_eq!(text(&run(&mut program(&example)).stdout), C_OUTPUT);
}

#[test]
fn example_in_cpp() {
    let mut more = flags(&["--cflags", "--libs"]);
    more.push("-pthread".into());
    let example = compile(&CC, "example.cc", "example-cc", &more);
    assert_eq!(text(&run(&mut program(&example)).stdout), CC_OUTPUT);
}

#[test]
fn example_with_the_static_library() {
    let mut more = flags(&["--cflags"]);
    more.push(PREFIX.join("lib/libbezout.a").display().to_string());
    more.extend(
        flags(&["--libs-only-l", "--static"])
            .into_iter()
            .filter(|flag| flag != "-lbezout"),
    );
    let example = compile(&C, "example.c", "example-static", &more);
    let output = run(Command::new(example).env_remove("LD_LIBRARY_PATH"));
    assert_eq!(text(&output.stdout), C_OUTPUT);
}

/// What the example in C++ does not show of `bezout.hpp`.
#[test]
fn operators_in_cpp() {
    let more = flags(&["--cflags", "--libs"]);
    let operators = compile(&CC, "../tests/operators.cc", "operators", &more);
    assert_eq!(text(&run(&mut program(&operators)).stdout), "all right\n");
}

/// Children compute whatever another thread of the parent did at the fork.
#[test]
fn a_forked_child_calls_the_library() {
    let mut more = flags(&["--cflags", "--libs"]);
    more.push("-pthread".into());
    let fork = compile(&C, "../tests/fork.c", "fork", &more);
    assert_eq!(text(&run(&mut program(&fork)).stdout), "all right\n");
}

#[test]
fn header_alone_in_both_languages() {
    for (compiler, name) in [(C, "alone.c"), (CC, "alone.cc")] {
        let source = PREFIX.join(name);
        fs::write(&source, "#include <bezout.h>\n").expect("writable");
        let mut command = Command::new(compiler[0]);
        command
            .args(&compiler[1..])
            .arg("-fsyntax-only")
            .args(flags(&["--cflags"]));
        run(command.arg(&source));
    }
}

#[test]
fn memory_of_the_example() {
    let example = compile(
        &C,
        "example.c",
        "example-memory",
        &flags(&["--cflags", "--libs"]),
    );
    let mut command = Command::new("valgrind");
    // Threads of the pool live as long as the process, and so does what they hold.
    command.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
    command.args([
        "--errors-for-leak-kinds=definite",
        "--show-leak-kinds=definite",
    ]);
    command
        .env("LD_LIBRARY_PATH", PREFIX.join("lib"))
        .arg(example);
    match Command::new("valgrind").arg("--version").output() {
        Err(_) => eprintln!("no valgrind here: the memory of the example is not checked"),
        Ok(_) => assert_eq!(text(&run(&mut command).stdout), C_OUTPUT),
    }
}

#[test]
fn shared_library_has_its_name_and_its_functions_alone() {
    let library = PREFIX.join("lib/libbezout.so");
    let dynamic = text(&run(Command::new("readelf").arg("-d").arg(&library)).stdout);
    assert!(
        dynamic.contains("Library soname: [libbezout.so.0]"),
        "{dynamic}"
    );
    let symbols = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(&library)
        .output();
    let symbols = text(&symbols.expect("nm").stdout);
    let header = include_str!("../include/bezout.h");
    let mut count = 0;
    for name in symbols
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
    {
        assert!(
            header.contains(&format!("{name}(")),
            "{name} is not in the header"
        );
        count += 1;
    }
    assert_eq!(count, functions(header).len());
}

/// The functions that a header declares.
fn functions(header: &str) -> Vec<&str> {
    let lines = header
        .lines()
        .filter(|line| !line.starts_with("//") && !line.starts_with(' '));
    lines
        .filter(|line| !line.starts_with("typedef"))
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("bezout_"))
        .collect()
}

#[test]
fn every_function_is_tested() {
    let mut tests = String::new();
    for file in [
        "border.rs",
        "int.rs",
        "objects.rs",
        "poly_and_batch.rs",
        "text_and_bytes.rs",
    ] {
        tests += &fs::read_to_string(root().join("tests").join(file)).expect(file);
    }
    tests += &fs::read_to_string(root().join("tests/handles/mod.rs")).expect("handles");
    let words: std::collections::HashSet<&str> = tests
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let all = functions(include_str!("../include/bezout.h"));
    assert!(all.len() > 250, "{}", all.len());
    let missing: Vec<_> = all.iter().filter(|name| !words.contains(**name)).collect();
    assert!(missing.is_empty(), "no test calls {missing:?}");
}

#[test]
fn chapter_has_the_examples() {
    let chapter = fs::read_to_string(root().join("../docs/c.md")).expect("docs/c.md");
    for name in ["example.c", "example.cc"] {
        let source = fs::read_to_string(root().join("examples").join(name)).expect(name);
        assert!(
            chapter.contains(&source),
            "docs/c.md does not have examples/{name} as it is"
        );
    }
    let header = include_str!("../include/bezout.h");
    let codes = header
        .lines()
        .filter_map(|line| line.trim().strip_prefix("BEZOUT_ERROR_"));
    for code in codes {
        let (name, number) = code
            .trim_end_matches(',')
            .split_once(" = ")
            .expect("a number");
        let row = format!("| `BEZOUT_ERROR_{name}` | {number} |");
        assert!(chapter.contains(&row), "docs/c.md has no row {row}");
    }
}
