use super::*;

/// A small record of `benchmark` with a device, all kinds of entries and characters that HTML and
/// Markdown give meaning to.
pub(crate) fn sample(benchmark: &str) -> Record {
    let time = |median: f64| Timing {
        clock: ClockKind::Device,
        samples: 9,
        median,
        min: median * 0.9,
        p10: median * 0.95,
        p90: median * 1.25,
    };
    let measurement = |operation: &str, engine: &str, bits: u64, median: f64| Measurement {
        operation: operation.into(),
        engine: engine.into(),
        bits,
        shape: None,
        time: time(median),
        bytes_moved: Some(bits * 3 / 8),
        bandwidth: Some(bits as f64 * 0.375 / median),
        share_of_copy: Some(bits as f64 * 0.375 / median / 4.25e12),
        share_of_limit: Some(0.375),
        device_memory: Some(7.25),
        products: Some(3.5),
        ranks: Some(4),
        rank_memory: Some(1 << 20),
        rank_pace: Some(0.03125),
        predicted: Some(0.0625),
        verified: true,
        baselines: ["malachite", "GMP"]
            .map(|name| Baseline {
                name: name.into(),
                time: time(median * 625.0),
                ratio: 625.0,
            })
            .to_vec(),
    };
    let shape = LaunchShape {
        block: Some(256),
        grid: Some(12000),
    };
    let mut measurements = Vec::new();
    for bits in [1 << 20, 1 << 25, 1 << 30] {
        for (engine, speed) in [("cpu", 3e9), ("cuda:0", 1.1e13)] {
            for operation in ["add", "add, carry end to end", "popcount"] {
                measurements.push(measurement(operation, engine, bits, bits as f64 / speed));
            }
        }
    }
    measurements.push(Measurement {
        shape: Some(shape),
        ..measurement("add", "cuda:0", 32 << 20, 1.25e-4)
    });
    Record {
        schema: SCHEMA,
        benchmark: benchmark.into(),
        quick: false,
        version: "0.1.0".into(),
        commit: "0123456789abcdef0123456789abcdef01234567".into(),
        dirty: true,
        date: "2026-11-15T09:30:00Z".into(),
        machine: Machine {
            cpu: "A <fast> & \"wide\" CPU".into(),
            cores: 16,
            memory_bytes: Some(128 << 30),
            os: "linux x86_64".into(),
        },
        device: Some(DeviceRecord {
            name: "Some GPU".into(),
            driver: "580.65".into(),
            cuda: "13.0".into(),
            compiler: "NVRTC 13.0".into(),
            multiprocessors: 132,
            memory_bytes: 141 << 30,
            l2_bytes: 60 << 20,
        }),
        versions: BTreeMap::from([("malachite".into(), "0.14.0".into())]),
        copy: CopyBandwidth {
            bits: 1 << 30,
            host: 2e11,
            device: Some(4.25e12),
        },
        notes: vec!["A note with <tags>".into()],
        measurements,
        chains: vec![Chain {
            engine: "cuda:0".into(),
            bits: 1 << 30,
            operations: 100,
            time: time(0.0105),
            parts: 0.01,
            ratio: 1.05,
            transferred: Some(0),
            verified: true,
        }],
        sweeps: vec![Sweep {
            operation: "add".into(),
            figure: 3,
            limbs: 1 << 20,
            best: shape,
            best_time: 1.25e-4,
            own_time: 1.2e-4,
            paper: shape,
        }],
        crossovers: vec![Crossover {
            operation: "add".into(),
            engine: "cuda:0".into(),
            baseline: "GMP".into(),
            figure: 4,
            limbs: Some(123456.0),
            always: false,
            paper_limbs: 65536,
        }],
        leads: vec![Lead {
            operation: "mul".into(),
            engine: "cuda:0, transfers".into(),
            bits: Some(1 << 19),
            always: false,
            rival: "FLINT, all threads".into(),
        }],
        reproduced: match benchmark {
            "wtm" => reproduced(
                ["Fig. 3", "Fig. 6", "Table 1"],
                ["iterations", "ratio", "n = 2^12"],
            ),
            "mmm-table1" => reproduced(["4000, 4000"; 3], ["ms", "ratio", "calibrated"]),
            "mmm-sort" => reproduced(["Section 4"; 3], ["time", "calibrated", "ms"]),
            "weber-brew" => reproduced(["Table 2", "Table 2", "Fig. 4"], ["weber", "GMP", "GPUs"]),
            _ => Vec::new(),
        },
    }
}

/// Two values of each of three quantities; the paper has the first only.
fn reproduced(figures: [&str; 3], quantities: [&str; 3]) -> Vec<Reproduced> {
    let both = figures.into_iter().zip(quantities);
    both.flat_map(|(figure, quantity)| {
        [(16.0, Some(257.5)), (32.0, None)].map(|(x, paper)| Reproduced {
            figure: figure.into(),
            quantity: quantity.into(),
            x,
            paper,
            here: Some(260.25),
        })
    })
    .collect()
}

/// An empty folder of its own for each test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("bezout-bench-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn a_record_survives_its_file() {
    let dir = folder("round-trip");
    let record = sample("linear");
    let path = record.write(&dir.join("made/on/the/way")).unwrap();
    assert!(path.ends_with("linear.json"));
    assert_eq!(Record::read(&path).unwrap(), record);
    // Nothing else is left behind.
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_is_not_a_record_is_named() {
    let dir = folder("not-a-record");
    let path = dir.join("x.json");
    let said = |text: &str| {
        fs::write(&path, text).unwrap();
        let error = Record::read(&path).unwrap_err();
        assert!(error.is_usage());
        let said = error.to_string();
        assert!(said.contains("x.json"), "{said}");
        said
    };
    assert!(said("").contains("not JSON"));
    assert!(said("{ \"schema\": 1,").contains("not JSON"));
    assert!(said("[1, 2]").contains("no `schema`"));
    assert!(said("{\"name\": \"foreign\"}").contains("no `schema`"));
    assert!(said("{\"schema\": 1}").contains("missing field"));
    assert!(said("{\"schema\": 99}").contains("has schema 99, this version reads 1"));

    let mut record = sample("linear");
    record.measurements[0].verified = false;
    assert!(said(&serde_json::to_string(&record).unwrap()).contains("was not verified"));
    let mut record = sample("linear");
    record.measurements[0].time.median = 0.0;
    assert!(said(&serde_json::to_string(&record).unwrap()).contains("impossible time"));
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn folders() {
    let dir = folder("folders");
    let error = Record::read_all(&dir).unwrap_err();
    assert!(matches!(error, Error::NoRecords(_)) && error.is_usage());
    let error = Record::read_all(&dir.join("missing")).unwrap_err();
    assert!(error.is_usage());
    fs::write(dir.join("ignored.txt"), "x").unwrap();
    sample("liu-tong").write(&dir).unwrap();
    sample("linear").write(&dir).unwrap();
    let all = Record::read_all(&dir).unwrap();
    assert_eq!(
        all.iter().map(|r| r.0.as_str()).collect::<Vec<_>>(),
        ["linear", "liu-tong"]
    );
    fs::remove_dir_all(dir).unwrap();
}
