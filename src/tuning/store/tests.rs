use super::*;

fn machine() -> Identity {
    Identity {
        kind: "cuda".into(),
        name: "A device (3)".into(),
        units: 7,
    }
}

fn tuned(parameters: &[&str], choices: &[(u64, &[u64])]) -> Tuned {
    Tuned {
        parameters: parameters.iter().map(|name| name.to_string()).collect(),
        choices: choices
            .iter()
            .map(|(from, values)| Chosen {
                from: *from,
                values: values.to_vec(),
            })
            .collect(),
        by_size: choices.len() > 1,
        median_regret: 1.0,
        worst_regret: 1.1,
        scale: 2.5,
        seconds: 0.25,
        version: "0".into(),
        commit: "c".into(),
        date: "d".into(),
    }
}

fn example() -> Stored {
    let mut stored = Stored::new(machine());
    let kernels = [
        (
            "linear",
            tuned(
                &["linear_block", "linear_items"],
                &[(0, &[256, 4]), (1000, &[64, 16])],
            ),
        ),
        ("division", tuned(&["div_device_limbs"], &[(0, &[777])])),
    ];
    stored
        .kernels
        .extend(kernels.map(|(name, tuned)| (name.to_string(), tuned)));
    stored
}

#[test]
fn files_round_trip_and_take_effect() {
    let folder = std::env::temp_dir().join(format!("bezout-store-{}", std::process::id()));
    let path = folder.join("tuning.json");
    let stored = example();
    stored.write(&path).unwrap();
    assert_eq!(Stored::read(&path, &machine()), Some(stored.clone()));
    let process = Process::of(&[stored]);
    let expected = Tuning {
        div_device_limbs: 777,
        ..Tuning::DEFAULT
    };
    assert_eq!(process.tuning, expected);
    let (name, ranges) = &process.ranges[0];
    assert_eq!(name, "linear");
    assert_eq!(
        ranges[0],
        (
            0,
            Tuning {
                linear_block: 256,
                linear_items: 4,
                ..expected
            }
        )
    );
    assert_eq!(
        ranges[1],
        (
            1000,
            Tuning {
                linear_block: 64,
                linear_items: 16,
                ..expected
            }
        )
    );

    // Foreign, damaged, of another form, missing.
    let other = Identity {
        units: 8,
        ..machine()
    };
    assert_eq!(Stored::read(&path, &other), None);
    let text = std::fs::read_to_string(&path).unwrap();
    for damaged in [
        &text[..text.len() / 2],
        "",
        "{}",
        &text.replace("\"schema\": 1", "\"schema\": 2"),
    ] {
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(Stored::read(&path, &machine()), None);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(Stored::read(&path, &machine()), None);
}

#[test]
fn values_that_make_no_sense_are_left_out() {
    let mut stored = example();
    for (name, bad) in [
        ("range", tuned(&["linear_block"], &[(0, &[100])])),
        ("name", tuned(&["no_such_parameter"], &[(0, &[1])])),
        ("side", tuned(&["gcd_leaf_limbs"], &[(0, &[1])])),
        (
            "one of two",
            tuned(&["ntt_block", "carry_block"], &[(0, &[128, 1])]),
        ),
    ] {
        stored.kernels.insert(name.into(), bad);
    }
    let process = Process::of(&[stored]);
    assert_eq!(
        process.tuning,
        Tuning {
            div_device_limbs: 777,
            ..Tuning::DEFAULT
        }
    );
    assert_eq!(process.ranges.len(), 1);
}

#[test]
fn names_of_files() {
    if let Some(path) = path(&machine()) {
        assert_eq!(path.file_name().unwrap(), "tuning-cuda-a-device-3-7.json");
    }
}
