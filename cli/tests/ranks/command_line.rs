//! The command line over ranks: one answer, one message, and no rank left behind.

use std::path::PathBuf;

use crate::{Run, finished, mpirun};

pub const BEZOUT: &str = env!("CARGO_BIN_EXE_bezout");

pub fn bezout(ranks: &str, arguments: &[&str]) -> Run {
    run(&[&["-n", ranks, BEZOUT], arguments].concat())
}

fn run(arguments: &[&str]) -> Run {
    finished(mpirun(arguments), "")
}

/// Two ranks that run this line of a shell, in which $R is the rank and $B the program.
pub fn shell(line: &str) -> Run {
    let line = format!("R=$OMPI_COMM_WORLD_RANK; B='{BEZOUT}'; {line}");
    run(&["-n", "2", "sh", "-c", &line])
}

/// One rank has said this, and the job has failed with this code.
pub fn assert_failed(run: &Run, code: i32, message: &str) {
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    assert_eq!(
        run.stderr.matches("bezout: error:").count(),
        1,
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, content: &[u8]) -> TempFile {
        let path = std::env::temp_dir().join(format!("bezout-ranks-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        TempFile(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn one_rank_prints() {
    for (ranks, algorithm) in [
        ("2", "lattice"),
        ("3", "weber"),
        ("2", "auto"),
        ("2", "half"),
    ] {
        let numbers = ["(2^997-1)*(2^601-1)", "(2^881+3)*(2^601-1)"];
        let arguments = [
            &["gcd"],
            &numbers[..],
            &["--algorithm", algorithm, "--verify", "-q"],
        ];
        let run = bezout(ranks, &arguments.concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let expected = (bezout::Int::ONE << 601) - 1;
        assert_eq!(run.stdout, format!("{expected}\n"), "{ranks} {algorithm}");
    }
    // Both ranks share the executor, where there is one.
    let on_executor = ["--engine", "cuda:executor", "-q"];
    if bezout("1", &[&["calc", "1"], &on_executor[..]].concat()).code == Some(0) {
        let line = ["gcd", "(2^97-1)*(2^61-1)", "(2^88+3)*(2^61-1)"];
        let chosen = ["--algorithm", "weber"];
        let run = bezout("2", &[&line[..], &chosen, &on_executor].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let expected = (bezout::Int::ONE << 61) - 1;
        assert_eq!(run.stdout, format!("{expected}\n"));
    }
    let run = bezout("2", &["calc", "6*7"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "42\n"));
    let run = bezout("2", &["--version"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1));
}

#[test]
fn numbers_that_only_one_rank_can_know() {
    let options = [
        "gcd",
        "random:3000",
        "random:3000",
        "--algorithm",
        "lattice",
    ];
    let run = bezout("3", &[&options[..], &["--json", "--stats"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("\"ranks\":3"), "{}", run.stdout);
    assert!(run.stderr.contains("ranks: 3"), "{}", run.stderr);

    let line = ["-n", "2", BEZOUT, "gcd", "-", "18", "--algorithm", "weber"];
    let run = finished(mpirun(&line), "12\n");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "6\n"));
}

#[test]
fn different_ranks_are_refused() {
    let run = run(&[
        "-n", "1", BEZOUT, "gcd", "12", "18", ":", "-n", "1", BEZOUT, "gcd", "12", "20",
    ]);
    assert_failed(&run, 1, "the ranks do not agree on the numbers");

    // The same program but for its version.
    let mut other = std::fs::read(BEZOUT).unwrap();
    let version = format!("bezout {}", env!("CARGO_PKG_VERSION"));
    let places: Vec<usize> = (0..other.len() - version.len())
        .filter(|at| other[*at..].starts_with(version.as_bytes()))
        .collect();
    for at in places {
        other[at + version.len() - 1] = b'?';
    }
    let other = TempFile::new("version", &other);
    std::fs::set_permissions(
        &other.0,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let line = format!(
        "if [ $R = 1 ]; then B='{}'; fi; exec $B gcd 12 18",
        other.path()
    );
    assert_failed(&shell(&line), 1, "the ranks do not agree on the version");
}

#[test]
fn an_error_on_one_rank_ends_all() {
    let file = TempFile::new("number.0", b"12");
    let stem = file.path().strip_suffix('0').unwrap();
    let missing = shell(&format!("exec $B gcd @{stem}$R 18 --algorithm lattice"));
    assert_failed(&missing, 2, "rank 1: cannot read");

    let engine = "if [ $R = 1 ]; then E=cuda:99; else E=cpu; fi";
    let device = shell(&format!(
        "{engine}; exec $B gcd 12 18 --engine $E --algorithm lattice"
    ));
    assert_failed(&device, 2, "rank 1: ");

    let all = bezout("3", &["gcd", "12", "1+", "--algorithm", "lattice"]);
    assert_failed(&all, 2, "bezout: error:");
    let usage = bezout("3", &["gcd", "12", "18", "--nonsense"]);
    assert_failed(&usage, 2, "nonsense");
}

#[test]
fn a_rank_that_is_killed_ends_all() {
    let work = "$B gcd random:3000000:1 random:3000000:2 --algorithm lattice";
    let line = format!("if [ $R = 1 ]; then exec timeout -s KILL 2 {work}; else exec {work}; fi");
    let run = shell(&line);
    assert!(run.code.is_none_or(|code| code != 0), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("rank 1"), "{}", run.stderr);
}
