//! The search against made-up machines, whose times are known; the real kernels on every engine, as
//! far as that is quick.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use bezout::Int;

use super::*;
use crate::model::Stored;

fn machines(engine: Engine) -> Machines {
    Machines::probe(engine).unwrap()
}

/// What a made-up kernel did, by its values.
static RUNS: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());

/// Takes longer the further gcd_leaf_limbs is from 64, or from 128 for sizes from 1000 on.
fn made_up(_: Engine, size: u64) -> Result<Task> {
    let work = move || {
        let value = Tuning::current().gcd_leaf_limbs as u64;
        *RUNS.lock().unwrap().entry((size, value)).or_default() += 1;
        std::thread::sleep(Duration::from_secs_f64(seconds(size, value)));
        Ok(value)
    };
    Task::new(Engine::Cpu, work, |_| Ok(()))
}

fn seconds(size: u64, value: u64) -> f64 {
    let best = if size < 1000 { 64.0 } else { 128.0 };
    1e-3 * (1.0 + 2.0 * (value as f64 / best).ln().abs())
}

fn made_up_prediction(_: &Machines, size: u64, tuning: &Tuning) -> f64 {
    // Wrong by a factor, and by its place a little.
    3.0 * seconds(size, tuning.gcd_leaf_limbs as u64 + 5)
}

const MADE_UP: Tunable = Tunable {
    name: "made-up",
    about: "sleep",
    parameters: &["gcd_leaf_limbs"],
    side: Side::Cpu,
    sizes: &[100, 400, 1600, 6400],
    choices: Choices::BySize(|_, _| (0..20).map(|i| vec![1 << i]).collect()),
    prepare: made_up,
    predicted: made_up_prediction,
};

#[test]
fn the_best_by_size_is_found_among_the_few_that_the_model_leaves() {
    let (decided, measured) = search::search(
        &MADE_UP,
        Engine::Cpu,
        &machines(Engine::Cpu),
        Tuning::DEFAULT,
        1.5,
    )
    .unwrap();
    assert_eq!(decided.choices.len(), 2, "{:?}", decided.choices);
    assert_eq!(
        (decided.choices[0].from, &decided.choices[0].values[..]),
        (0, &[64][..])
    );
    assert_eq!(
        (decided.choices[1].from, &decided.choices[1].values[..]),
        (800, &[128][..])
    );
    assert!(decided.worst_regret < 1.2);
    // Six choices of twenty at each of four sizes.
    assert_eq!(measured.len(), 24);
    assert!(
        (0.2..0.6).contains(&search::scale(&measured)),
        "{}",
        search::scale(&measured)
    );
    assert!(
        RUNS.lock()
            .unwrap()
            .keys()
            .all(|(_, value)| (16..=512).contains(value))
    );
}

#[test]
fn one_value_for_all_sizes_is_the_best_on_the_whole() {
    let kernel = Tunable {
        choices: Choices::One(|| (0..20).map(|i| vec![1 << i]).collect()),
        ..MADE_UP
    };
    let (decided, _) = search::search(
        &kernel,
        Engine::Cpu,
        &machines(Engine::Cpu),
        Tuning::DEFAULT,
        1.0,
    )
    .unwrap();
    assert_eq!(decided.choices.len(), 1);
    // 64, 128 and the shipped 112 lie within a factor of two of both.
    assert!(
        [64, 112, 128].contains(&decided.choices[0].values[0]),
        "{:?}",
        decided.choices
    );
}

#[test]
fn thresholds_are_found_wherever_they_are() {
    /// One way takes 2 ms; the other takes 1 ms and as long again for `at` limbs.
    fn two_ways(_: Engine, size: u64) -> Result<Task> {
        let work = move || {
            let second = size > Tuning::current().gcd_host_limbs as u64;
            let milliseconds = if second { 2.0 } else { size as f64 / 400.0 };
            std::thread::sleep(Duration::from_secs_f64(milliseconds * 1e-3));
            Ok(())
        };
        Task::new(Engine::Cpu, work, |()| Ok(()))
    }
    // The ways cross at 800; the model is off by far in either direction, or right.
    let predictions: [fn(&Machines, u64, &Tuning) -> f64; 3] = [
        |_, size, tuning| {
            if size > tuning.gcd_host_limbs as u64 {
                1.0
            } else {
                size as f64 / 60.0
            }
        },
        |_, size, tuning| {
            if size > tuning.gcd_host_limbs as u64 {
                1.0
            } else {
                size as f64 / 800.0
            }
        },
        |_, size, tuning| {
            if size > tuning.gcd_host_limbs as u64 {
                1.0
            } else {
                size as f64 / 1e9
            }
        },
    ];
    let machines = machines(Engine::Cpu);
    for predicted in predictions {
        let kernel = Tunable {
            parameters: &["gcd_host_limbs"],
            sizes: &[50, 10_000],
            choices: Choices::UpTo,
            prepare: two_ways,
            predicted,
            ..MADE_UP
        };
        let (decided, _) =
            search::search(&kernel, Engine::Cpu, &machines, Tuning::DEFAULT, 3.0).unwrap();
        let value = decided.choices[0].values[0];
        assert!((550..1200).contains(&value), "{value}");
    }
}

#[test]
fn a_threshold_is_not_below_what_was_measured() {
    /// The second way takes 2 ms, the first twice as long, but for some sizes a little less.
    fn uneven(_: Engine, size: u64) -> Result<Task> {
        let work = move || {
            let second = size > Tuning::current().gcd_host_limbs as u64;
            let microseconds = if second {
                2000
            } else if (300..600).contains(&size) {
                1800
            } else {
                4000
            };
            std::thread::sleep(Duration::from_micros(microseconds));
            Ok(())
        };
        Task::new(Engine::Cpu, work, |()| Ok(()))
    }
    let kernel = Tunable {
        parameters: &["gcd_host_limbs"],
        sizes: &[2, 10_000],
        choices: Choices::UpTo,
        prepare: uneven,
        // The search begins where the first way is faster, and goes up from there.
        predicted: |_, size, tuning| {
            if size > tuning.gcd_host_limbs as u64 {
                400.0
            } else {
                size as f64
            }
        },
        ..MADE_UP
    };
    let machines = machines(Engine::Cpu);
    let (decided, measured) =
        search::search(&kernel, Engine::Cpu, &machines, Tuning::DEFAULT, 1.0).unwrap();
    let least = measured.iter().map(|one| one.size).min().unwrap();
    let value = decided.choices[0].values[0];
    assert!(value + 1 >= least, "{value} {least}");
}

#[test]
fn compiling_is_never_timed() {
    /// What is compiled so far.
    static KNOWN: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    /// Takes 2 ms, or 1 ms with leaves of 64 limbs, and more than a second the first time, more
    /// than there is for all samples.
    fn compiled(_: Engine, _: u64) -> Result<Task> {
        let work = || {
            let value = Tuning::current().gcd_leaf_limbs as u64;
            let mut known = KNOWN.lock().unwrap();
            let milliseconds = if !known.contains(&value) {
                1200
            } else if value == 64 {
                1
            } else {
                2
            };
            known.push(value);
            std::thread::sleep(Duration::from_millis(milliseconds));
            Ok(())
        };
        Task::new(Engine::Auto, work, |()| Ok(()))
    }
    let kernel = Tunable {
        choices: Choices::One(|| vec![vec![32], vec![64]]),
        prepare: compiled,
        ..MADE_UP
    };
    let machines = machines(Engine::Cpu);
    let (decided, measured) =
        search::search(&kernel, Engine::Auto, &machines, Tuning::DEFAULT, 1.0).unwrap();
    assert_eq!(decided.choices[0].values, [64]);
    // Each of three choices at each of four sizes.
    assert_eq!(measured.len(), 12);
    assert!(measured.iter().all(|one| one.measured < 0.1));
}

#[test]
fn wrong_results_are_never_timed() {
    fn wrong(engine: Engine, _: u64) -> Result<Task> {
        Task::new(
            engine,
            || Ok(1),
            |_| Err(Error::Verification("one is not two".into())),
        )
    }
    let kernel = Tunable {
        prepare: wrong,
        ..MADE_UP
    };
    let refused = search::search(
        &kernel,
        Engine::Cpu,
        &machines(Engine::Cpu),
        Tuning::DEFAULT,
        0.1,
    );
    assert!(matches!(refused.err(), Some(Error::Verification(_))));
}

#[test]
fn every_parameter_is_tuned_or_fixed() {
    let tuned: Vec<&str> = Tunable::all()
        .iter()
        .flat_map(|kernel| kernel.parameters)
        .copied()
        .collect();
    for parameter in Tuning::PARAMETERS {
        let times = tuned.iter().filter(|name| **name == parameter.name).count();
        let fixed = kernels::FIXED.contains(&parameter.name);
        assert_eq!(times + usize::from(fixed), 1, "{}", parameter.name);
    }
    let machine = machines(Engine::Cpu).cpu;
    for kernel in Tunable::all() {
        assert_eq!(
            Tunable::all()
                .iter()
                .filter(|other| other.name == kernel.name)
                .count(),
            1
        );
        assert!(kernel.sizes.is_sorted() && !kernel.sizes.is_empty());
        for name in kernel.parameters {
            let parameter = Tuning::parameter(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(parameter.side, kernel.side, "{name}");
        }
        for values in kernel.candidates(&machine, kernel.sizes[0]) {
            kernel.tuning(&Tuning::DEFAULT, &values).unwrap();
        }
    }
}

#[test]
fn every_kernel_runs_with_every_choice_and_is_right() {
    for engine in [Engine::Cpu, Engine::Cuda(EXECUTOR)] {
        if !Engine::usable().contains(&engine) {
            continue;
        }
        let known = machines(engine);
        for kernel in Tunable::all() {
            let side = if engine == Engine::Cpu {
                Side::Cpu
            } else {
                Side::Cuda
            };
            if kernel.side != side {
                continue;
            }
            let engine = if kernels::AUTO.contains(&kernel.name) {
                Engine::Auto
            } else {
                engine
            };
            // The executor compiles every shape anew: the first and the last choice show that any
            // can be made.
            let size = kernel.sizes[0].min(if side == Side::Cpu { 200 } else { 40 });
            let candidates = kernel.candidates(known.target(), size);
            let mut task = (kernel.prepare)(engine, size).unwrap();
            for values in [candidates.first(), candidates.last()]
                .into_iter()
                .flatten()
            {
                let tuning = kernel.tuning(&Tuning::DEFAULT, values).unwrap();
                let taken = task.run(&tuning, 1);
                assert!(
                    matches!(taken, Ok(seconds) if seconds > 0.0),
                    "{} {values:?}: {taken:?}",
                    kernel.name
                );
                let predicted = (kernel.predicted)(&known, size, &tuning);
                assert!(predicted.is_finite() && predicted > 0.0, "{}", kernel.name);
            }
        }
    }
}

#[test]
fn moduli_have_the_limbs_that_a_threshold_counts() {
    for limbs in [62, 200, 1000] {
        let moduli = work::factoring::moduli_of(limbs).unwrap();
        let sum: usize = moduli.iter().map(Int::limb_count).sum();
        assert_eq!(sum as u64, limbs);
    }
}

#[test]
fn choices_are_explained() {
    let kernel = Tunable::find("cpu-product").unwrap();
    let explained = explain(kernel, Engine::Cpu, 2000, &[], 0.2).unwrap();
    assert_eq!(explained.choices.len(), 2);
    assert_eq!(
        explained
            .choices
            .iter()
            .filter(|choice| choice.chosen)
            .count(),
        1
    );
    assert!(explained.regret >= 1.0 && explained.choices.iter().all(|c| c.measured > 0.0));
    let kernel = Tunable::find("cpu-gcd-leaf").unwrap();
    let explained = explain(kernel, Engine::Cpu, 300, &[vec![77]], 0.2).unwrap();
    assert_eq!(explained.choices.last().unwrap().values, [77]);
    assert!(explain(kernel, Engine::Cpu, 300, &[vec![0]], 0.2).is_err());
    assert!(
        matches!(Tunable::find("nothing"), Err(Error::Domain(text)) if text.contains("cpu-product"))
    );
    let device = Tunable::find("linear").unwrap();
    assert!(matches!(
        explain(device, Engine::Cpu, 300, &[], 0.1),
        Err(Error::Domain(text)) if text.contains("the engine is cpu")
    ));
    // A file of nothing is no hindrance.
    assert!(Stored::load(explained.machine).is_none_or(|stored| stored.identity.kind == "cpu"));
}
