//! Factoring and shared factors over ranks: what one process prints, in the same order, whoever did
//! the work.

use std::path::PathBuf;
use std::process::Command;

use bezout::cluster::Cluster;
use bezout::factor::factor_many;
use bezout::{Batch, Engine, Int, engine::EXECUTOR, keys};
use bezout_lab::measure::{ecm_curves, ecm_curves_by_ranks};
use bezout_lab::model::Tuning;

use crate::command_line::{BEZOUT, assert_failed, bezout, shell};
use crate::library::on_ranks;
use crate::{Run, finished, mpirun};

/// A product of two primes of 70 digits, which no method here splits before the test ends.
const HARD: &str = "(10^69+9)*(10^70+33)";

/// The process alone, and many ranks, must print the same.
fn same_as_alone(ranks: &[&str], arguments: &[&str], stdin: &str) -> Run {
    let mut alone = Command::new(BEZOUT);
    alone.args(arguments);
    let alone = finished(alone, stdin);
    for ranks in ranks {
        let many = mpirun(&[&["-n", ranks, BEZOUT], arguments].concat());
        let many = finished(many, stdin);
        assert_eq!(many.code, alone.code, "{ranks}: {}", many.stderr);
        assert!(many.stdout == alone.stdout, "{ranks}: {}", many.stdout);
    }
    alone
}

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bezout-ranks-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn lists_come_out_in_order() {
    let all = ["1", "2", "3", "4"];
    let mut text = String::from("2^67-1\n");
    for n in 1..3000u128 {
        text += &format!("{}\n", n * n * n * 12_345_678_901);
        match n {
            700 => text += "nonsense\n0\n",
            1500 => text += "(2^89-1)^2 * 6\n(2^107-1)^3 * 10\n",
            _ => {}
        }
    }
    let run = same_as_alone(&all, &["factor", "-q"], &text);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(2), 3002));
    let empty = same_as_alone(&["2"], &["factor"], "");
    assert_eq!((empty.code, empty.stdout.as_str()), (Some(0), ""));
    let few = ["factor", "12", "1", "0x1f", "--verify", "--methods", "ecm"];
    same_as_alone(&["3"], &few, "");
}

#[test]
fn hard_numbers_are_shared() {
    // Curves of one number.
    let one = ["factor", "(2^61-1)*(2^521-1)", "--methods", "ecm"];
    let run = same_as_alone(&["2", "3"], &one, "");
    assert!(run.stdout.contains(": 2305843009213693951 "));
    // Relations of one number: all ranks sieve.
    let n = "5345351836697159346250523915277101277207326640212191183";
    let sieved = same_as_alone(&["2", "3"], &["factor", n, "--methods", "sieve"], "");
    assert_eq!(sieved.stdout.split(' ').count(), 3, "{}", sieved.stdout);
    // As many numbers as ranks, and more.
    let mut list = vec!["factor", "(10^24+7)*(10^25+13)", "6"];
    list.extend(["(2^89-1)*(2^61-1)", "(2^107-1)*(2^61-1)", "15"]);
    list.push("(2^89-1)*(10^18+9)");
    let run = same_as_alone(&["2", "4"], &list, "");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 6));
}

#[test]
fn time_is_up_on_all_ranks() {
    let start = std::time::Instant::now();
    for (ranks, numbers) in [("3", &[HARD, "15"][..]), ("2", &[HARD, "15", HARD, "6"])] {
        let run = bezout(ranks, &[&["factor", "--timeout", "1.5"], numbers].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let brackets: Vec<bool> = run.stdout.lines().map(|line| line.contains('[')).collect();
        let expected: Vec<bool> = numbers.iter().map(|n| *n == HARD).collect();
        assert_eq!(brackets, expected, "{}", run.stdout);
        assert!(run.stderr.contains("the time is up"), "{}", run.stderr);
    }
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn a_rank_that_is_killed_leaves_a_checkpoint() {
    let folder = Folder::new("checkpoint");
    for (name, numbers) in [
        ("curves", vec!["2^67-1", "12", HARD]),
        ("turns", vec!["2^67-1", "12", HARD, HARD, "x+", HARD]),
    ] {
        let file = folder.file(name);
        let quoted: String = numbers.iter().map(|n| format!(" '{n}'")).collect();
        // Once the run has begun, a second is left to rank 1. A machine so busy that it does not
        // begin gets another try, and no shell outlives it.
        let begun = format!("for i in $(seq 200); do [ -e '{file}' ] && break; sleep 0.1; done");
        let killer = format!("{begun}; sleep 1; kill -KILL $$");
        let line = format!(
            "if [ $R = 1 ]; then ({killer}) & fi; exec $B factor{quoted} --checkpoint '{file}'"
        );
        let mut run = shell(&line);
        for _ in 0..2 {
            if !std::path::Path::new(&file).exists() {
                run = shell(&line);
            }
        }
        assert!(run.code.is_none_or(|code| code != 0), "{}", run.stderr);
        assert!(run.stderr.contains("rank 1"), "{}", run.stderr);
        let resume = ["--checkpoint", &file, "--resume", "--timeout", "1"];
        let arguments = [&["factor"], &numbers[..], &resume].concat();
        let code = if numbers.contains(&"x+") { 2 } else { 1 };
        for ranks in ["3", "1", "2"] {
            let run = bezout(ranks, &arguments);
            assert_eq!(run.code, Some(code), "{}", run.stderr);
            let lines: Vec<&str> = run.stdout.lines().collect();
            assert_eq!(lines[0], "147573952589676412927: 193707721 761838257287");
            assert_eq!(lines[1], "12: 2 2 3");
            let open = lines[2..].iter().filter(|line| line.contains('[')).count();
            let hard = numbers.iter().filter(|n| **n == HARD).count();
            assert_eq!((open, lines.len()), (hard, 2 + hard), "{}", run.stdout);
        }
    }
}

#[test]
fn options_are_the_same_everywhere() {
    let run = shell("exec $B factor 15 --seed $R");
    assert_failed(&run, 1, "the ranks do not agree on the options");
    let run = bezout("2", &["factor", "15", "--b1", "5"]);
    assert_failed(&run, 2, "B1 = 5");
}

/// Products of two primes, some of which are there again, and some of the products.
fn moduli() -> Vec<Int> {
    let mut primes = vec![Int::ONE << 70];
    for _ in 0..300 {
        let next = primes[primes.len() - 1].try_next_prime().unwrap();
        primes.push(next);
    }
    let product = |i: usize| match i {
        17 => &primes[1] * &primes[290],
        90 => &primes[5] * &primes[291],
        141 => &primes[5] * &primes[290],
        100 => &primes[41] * &primes[42],
        _ => &primes[2 * i % 286 + 1] * &primes[2 * i % 286 + 2],
    };
    (0..143).chain([3, 64]).map(product).collect()
}

#[test]
fn shared_factors_are_the_same() {
    let all = ["1", "2", "3", "4"];
    let text: String = moduli().iter().map(|n| format!("{n}\n")).collect();
    let run = same_as_alone(&all, &["batch-gcd", "-", "--verify", "-q"], &text);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.lines().count() > 4, "{}", run.stdout);
    same_as_alone(&["3"], &["batch-gcd", "-", "-q"], "15\n21\n16\n");
    // Only the first rank reads.
    let folder = Folder::new("keys");
    std::fs::create_dir_all(folder.0.join("0")).unwrap();
    std::fs::create_dir_all(folder.0.join("1")).unwrap();
    std::fs::write(folder.0.join("0/first"), "15\n21\n").unwrap();
    std::fs::write(folder.0.join("1/second"), "15\n21\n").unwrap();
    let in_folder = |line: &str| shell(&format!("cd '{}'/$R; {line}", folder.0.display()));
    let run = in_folder("exec $B batch-gcd first");
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), "3: first:1 first:2\n")
    );
    assert_failed(
        &in_folder("exec $B batch-gcd second"),
        2,
        "cannot read 'second'",
    );
}

#[test]
fn libraries_share_work() {
    for ranks in [1, 2, 3, 4] {
        on_ranks(ranks, "factoring::rank_factoring");
    }
}

#[test]
#[ignore = "a rank's part of `libraries_share_work`"]
fn rank_factoring() {
    let cluster = Cluster::start().unwrap();
    let numbers: Vec<u128> = (1..3000u128).map(|n| n * n * 1_000_003 + 1).collect();
    let mine = if cluster.is_first() {
        &numbers[..]
    } else {
        &[]
    };
    let found = cluster.factor_many(mine).unwrap();
    let expected = factor_many(mine).unwrap();
    assert_eq!(found, expected);
    let zero = cluster.factor_many(&[3, 0]).unwrap_err();
    assert!(zero.to_string().contains("number 2 is 0"), "{zero}");

    let n = Int::from(1_000_003) * ((Int::ONE << 89) - 1);
    let found = ecm_curves_by_ranks(&cluster, &n, 60, 0, 10, 50).unwrap();
    let alone = ecm_curves(&n, 60, 0, 10, 50).unwrap();
    assert!(!alone.is_empty());
    assert_eq!(found, if cluster.is_first() { alone } else { vec![] });

    let engines = [Engine::Cpu, Engine::Cuda(EXECUTOR)];
    for engine in engines.into_iter().filter(|e| Engine::usable().contains(e)) {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(|| keys_and_rows(&cluster, engine)));
        }
    }
    Cluster::end();
}

fn keys_and_rows(cluster: &Cluster, engine: Engine) {
    let moduli = moduli();
    for count in [0, 1, 3, 60, moduli.len()] {
        let found = cluster.shared_factors(&moduli[..count]).unwrap();
        let expected = if cluster.is_first() {
            keys::shared_factors(&moduli[..count]).unwrap()
        } else {
            Vec::new()
        };
        assert_eq!(found, expected, "{engine} {count}");
    }
    assert!(cluster.shared_factors(&[Int::ZERO]).is_err());
    for count in [0, 1, 2, 50] {
        let a = Batch::from_limbs(
            (0..3 * count as u64)
                .map(|i| i.wrapping_mul(i << 50))
                .collect(),
            3,
        );
        let a = a.unwrap();
        let sum = cluster.batch(count, |rows| {
            a.try_rows(rows.clone())?.try_add(&a.try_rows(rows)?)
        });
        let expected: Vec<u64> = a.all().try_shl(1).unwrap().try_limbs().unwrap().to_vec();
        assert_eq!(
            sum.unwrap().try_limbs().unwrap(),
            expected,
            "{engine} {count}"
        );
        let failed = cluster.batch(count, |_| Err(bezout::Error::DivisionByZero));
        assert!(failed.is_err());
    }
}
