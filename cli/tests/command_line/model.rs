//! `bezout model` and `bezout tune`, with a cache of their own.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::{Run, bezout};

/// A folder that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("bezout-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// Runs the binary with this folder as its cache.
    fn bezout(&self, arguments: &[&str]) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_bezout"))
            .args(arguments)
            .env("BEZOUT_CACHE", &self.0)
            .env_remove("BEZOUT_TUNING")
            .output()
            .unwrap();
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let run = self.bezout(&[arguments, &["--json", "--engine", "cpu"]].concat());
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    }

    fn file(&self) -> PathBuf {
        let files = std::fs::read_dir(&self.0).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let mut tunings = paths.filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("tuning-cpu-") && name.ends_with(".json")
        });
        tunings.next().expect("a file of the CPU")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_cpu_is_probed() {
    let folder = Folder::new("probe");
    let record = folder.json(&["model", "probe"]);
    assert_eq!(record["machine"]["engine"], "cpu");
    assert!(record["machine"]["bandwidth"].as_f64().unwrap() > 0.0);
    assert!(record["u"].as_f64().unwrap() >= 1.0 && record["z"].as_f64().unwrap() > 0.0);
    let run = folder.bezout(&["model", "paper", "--engine", "cpu", "--markdown"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("| 8000 × 8000, s = 4 | 0.68 |"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_parallel_machine_is_counted() {
    let folder = Folder::new("pram");
    let record = folder.json(&["model", "pram", "2^15", "32"]);
    let pram = &record["pram"];
    // ⌈2^16 + 2^15⌉ moduli, at most n + 2 iterations, about 2n/w on average.
    assert_eq!(pram["moduli"], 98304.0);
    assert_eq!(pram["has_enough_primes"], true);
    let narrow = folder.json(&["model", "pram", "2^15", "10"]);
    assert_eq!(narrow["pram"]["has_enough_primes"], false);
    assert_eq!(pram["steps"][2]["worst"], 32770.0);
    let average = pram["steps"][2]["average"].as_f64().unwrap();
    assert!((2048.0..2250.0).contains(&average), "{average}");
    let run = folder.bezout(&["model", "pram", "1000000", "--markdown"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("theorem 10"), "{}", run.stdout);
    for arguments in [&["0"][..], &["9", "3"], &["9", "65"], &["x"]] {
        let run = folder.bezout(&[&["model", "pram"], arguments].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stdout);
    }
}

#[test]
fn ranks_are_projected() {
    let folder = Folder::new("project");
    let record = folder.json(&["model", "project", "--bits", "50000000", "--gpus", "210"]);
    let projection = &record["projection"];
    assert_eq!(projection["asked"]["ranks"], 210);
    assert!(projection["best"]["seconds"].as_f64() <= projection["asked"]["seconds"].as_f64());
    // The paper's own figures: 17 seconds, 7.27 million moduli, about 210 GPUs.
    let paper = &record["weber_brew"][0];
    assert_eq!(paper["gpus"], 208);
    assert_eq!(paper["seconds"].as_f64().unwrap().round(), 17.0);
    let on_cores = ["model", "project", "--bits", "2^20", "--ranks", "8"];
    let run = folder.bezout(&on_cores);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("as shipped"), "{}", run.stdout);
    let run = folder.bezout(&[&on_cores[..], &["--latency", "20", "--markdown"]].concat());
    assert!(run.stdout.contains("20.0 µs a message"), "{}", run.stdout);
    for (arguments, message) in [
        (&["--bits", "2^20"][..], "--gpus"),
        (&["--bits", "2^40", "--gpus", "2"], "750000000 bits"),
        (&["--bits", "0", "--gpus", "2"], "--bits 0"),
        (&["--bits", "9", "--gpus", "0"], "--gpus"),
        (
            &["--bits", "9", "--gpus", "2", "--ranks", "2"],
            "cannot be used with",
        ),
        (
            &["--bits", "9", "--gpus", "2", "--latency=-1"],
            "microseconds",
        ),
    ] {
        let run = folder.bezout(&[&["model", "project"], arguments].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stdout);
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

/// The paper's strategy, with a machine that is given, and with one that is probed.
#[test]
fn parameters_are_optimised() {
    let folder = Folder::new("optimise");
    let machine = ["--u", "38.7", "--z", "29056"];
    let optimised = |arguments: &[&str]| {
        let all = [&["model", "optimise"], arguments, &machine].concat();
        folder.json(&all)["optimised"].clone()
    };
    // s of Z/7 and Z/6; the product keeps s = 1; a sort takes about log2 of its threads.
    let division = optimised(&["division", "2^20", "2^19"]);
    assert_eq!(
        (&division["s_min"], &division["chosen"]),
        (&4150.into(), &4150.into())
    );
    let value = division["equations"][2]["value"].as_f64().unwrap();
    assert!((value / 63.7 - 1.0).abs() < 0.01, "{value}");
    assert_eq!(optimised(&["euclid", "2^20"])["chosen"], 4842);
    // The stated work is below 0 for s = m.
    assert_eq!(optimised(&["euclid", "4000"])["chosen"], 2000);
    let product = optimised(&["multiplication", "8000", "8000"]);
    assert_eq!(
        (&product["is_accepted"], &product["chosen"]),
        (&false.into(), &1.into())
    );
    let sort = optimised(&["sort", "2^24"])["chosen"].as_u64().unwrap();
    assert!((6..=9).contains(&sort), "{sort}");
    let probed = folder.json(&["model", "optimise", "euclid", "2000", "1500"]);
    let candidates = probed["optimised"]["candidates"].as_array().unwrap().len();
    assert_eq!(probed["predicted"].as_array().unwrap().len(), candidates);
    let all = [
        &["model", "optimise", "euclid", "10000", "9000"][..],
        &machine,
    ]
    .concat();
    let text = folder.bezout(&all).stdout;
    assert!(
        text.contains("(15)") && text.contains("Corollary 1 accepts s_min"),
        "{text}"
    );

    let equations = folder.json(&[&["model", "equations"][..], &machine].concat());
    let numbers = equations["equations"].as_array().unwrap().clone();
    let numbers: Vec<String> = numbers
        .iter()
        .map(|equation| equation["number"].as_str().unwrap().to_string())
        .collect();
    assert!(
        (5..=15).all(|i| numbers.contains(&format!("({i})"))),
        "{numbers:?}"
    );
    for (arguments, message) in [
        (&["optimise", "heapsort", "100"][..], "division, sort"),
        (&["optimise", "division", "10", "11"], "m is 11"),
        (&["optimise", "euclid", "10", "--u", "0.5"], "from 1 on"),
        (&["optimise", "sort", "10", "--bits", "65"], "--bits"),
        (&["optimise", "sort"], "required"),
    ] {
        let run = folder.bezout(&[&["model"], arguments, &machine].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stdout);
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn tuning_is_kept_resumed_and_used() {
    let folder = Folder::new("tune");
    let tune = ["tune", "--only", "cpu-gcd", "--quick"];
    let record = folder.json(&tune);
    let found = &record["found"][0];
    assert_eq!(
        (&found["kernel"], &found["earlier"]),
        (&"cpu-gcd".into(), &false.into())
    );
    assert!(found["tuned"]["median_regret"].as_f64().unwrap() >= 1.0);
    assert!(!found["measured"].as_array().unwrap().is_empty());
    // A second run has nothing to do; --again has.
    let again = folder.json(&tune);
    assert_eq!(again["found"][0]["earlier"], true);
    assert_eq!(again["found"][0]["tuned"], found["tuned"]);

    // What the file says is in force, wherever it came from.
    let path = folder.file();
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    file["kernels"]["cpu-gcd"]["choices"][0]["values"][0] = 777.into();
    std::fs::write(&path, file.to_string()).unwrap();
    let value = |shown: &Value| {
        let all = shown["parameters"].as_array().unwrap().clone();
        let found = all
            .into_iter()
            .find(|p| p["name"] == "gcd_host_limbs")
            .unwrap();
        found["value"].as_u64().unwrap()
    };
    let shown = folder.json(&["model", "show"]);
    assert_eq!(value(&shown), 777);
    assert_eq!(shown["files"].as_array().unwrap().len(), 1);
    let text = folder.bezout(&["model", "show", "--engine", "cpu"]).stdout;
    let line = text
        .lines()
        .find(|line| line.starts_with("gcd_host_limbs"))
        .unwrap();
    assert!(line.contains("777") && line.contains("tuned:"), "{line}");

    // A damaged file is said and left alone.
    std::fs::write(&path, "{\"schema\": 1,").unwrap();
    let run = folder.bezout(&[
        "calc",
        "2^70000 % (2^65000 - 1)",
        "--engine",
        "cpu",
        "--hex",
    ]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stderr.contains("is not used: it is damaged"),
        "{}",
        run.stderr
    );
    assert_ne!(value(&folder.json(&["model", "show"])), 777);
}

#[test]
fn choices_are_explained_and_drawn() {
    let folder = Folder::new("explain");
    let picture = folder.0.join("choices.svg");
    let arguments = [
        "model",
        "explain",
        "cpu-gcd-leaf",
        "2^8",
        "--seconds",
        "1",
        "--set",
        "gcd_leaf_limbs=77",
    ];
    let record = folder.json(&[&arguments[..], &["--out", picture.to_str().unwrap()]].concat());
    let explained = &record["explained"];
    let choices = explained["choices"].as_array().unwrap();
    assert_eq!(
        choices
            .iter()
            .filter(|choice| choice["chosen"] == true)
            .count(),
        1
    );
    assert_eq!(choices.last().unwrap()["values"][0], 77);
    assert!(explained["regret"].as_f64().unwrap() >= 1.0);
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(
        svg.starts_with("<svg") && svg.ends_with("</svg>") && svg.contains("gcd_leaf_limbs 77")
    );
}

/// Below the table is how to read it.
#[test]
fn the_table_of_choices_says_what_it_is() {
    let folder = Folder::new("reading");
    let arguments = ["model", "explain", "cpu-gcd-leaf", "2^8", "--engine", "cpu"];
    let run = folder.bezout(&[&arguments[..], &["--seconds", "1"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (table, reading) = run.stdout.rsplit_once("\n\n").unwrap();
    assert!(table.contains("gcd_leaf_limbs"), "{table}");
    assert!(reading.starts_with("A row is a way to run"), "{reading}");
}

#[test]
fn a_decision_is_explained() {
    let folder = Folder::new("decision");
    let record = folder.json(&["model", "explain", "product-auto", "2^10"]);
    let decision = &record["decision"];
    assert_eq!(decision["runs_on"], "cpu");
    assert_eq!(decision["parameter"], "mul_auto_limbs");
    assert!(decision["cpu_micros"].as_u64().unwrap() > 0);
}

#[test]
fn bad_input() {
    let cases: [(&[&str], &str); 8] = [
        (
            &["model", "explain", "nothing", "5"],
            "nothing to tune is called 'nothing'",
        ),
        (
            &["model", "explain", "cpu-gcd", "0"],
            "the size must be at least 1",
        ),
        (
            &["model", "explain", "cpu-gcd", "x"],
            "not a number of limbs",
        ),
        (
            &[
                "model",
                "explain",
                "cpu-gcd-leaf",
                "5",
                "--set",
                "gcd_leaf_limbs=0",
            ],
            "gcd_leaf_limbs cannot be 0: it must be at least 1",
        ),
        (
            &[
                "model",
                "explain",
                "cpu-gcd-leaf",
                "5",
                "--set",
                "linear_block=7",
            ],
            "cpu-gcd-leaf chooses gcd_leaf_limbs, not 'linear_block'",
        ),
        (
            &["model", "explain", "linear", "5", "--engine", "cpu"],
            "linear runs on a device",
        ),
        (
            &["tune", "--only", "nothing"],
            "nothing to tune is called 'nothing'",
        ),
        (
            &["tune", "--only", "linear", "--engine", "cpu"],
            "nothing can be tuned: linear runs on a device, and the engine is cpu",
        ),
    ];
    for (arguments, message) in cases {
        let run = bezout(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
        assert_eq!(run.stdout, "");
    }
    let listed = bezout(&["tune", "--list"]);
    assert!(listed.stdout.contains("cpu-gcd-leaf") && listed.code == Some(0));
}
