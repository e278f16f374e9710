//! Every operation passes its own check, and a result that is wrong by a bit does not.

use bezout::Engine;
use rand::SeedableRng;

use super::judge::{Against, Verdict, judge};
use super::operation::{self, Case};
use super::sample::{Rng, Sizes};
use super::{CaseList, Each, minutes};

fn cases(each: u64) -> Vec<Case> {
    let sizes = Sizes::new(1 << 14);
    let mut rng = Rng::seed_from_u64(7);
    let cases = operation::all().flat_map(|operation| (0..each).map(move |seed| (operation, seed)));
    cases
        .map(|(operation, seed)| Case {
            operation,
            bits: sizes.draw(&mut rng),
            seed,
        })
        .collect()
}

#[test]
fn results_are_right() {
    for case in cases(200) {
        let verdict = judge(&case, Engine::Cpu, Against::Check, false);
        assert_eq!(verdict, Verdict::Right, "{case}");
        let verdict = judge(&case, Engine::Auto, Against::Engine(Engine::Cpu), false);
        assert_eq!(verdict, Verdict::Right, "{case}");
    }
}

#[test]
fn planted_errors_are_noticed() {
    for case in cases(200) {
        for against in [
            Against::Check,
            Against::Engine(Engine::Cpu),
            Against::DEFAULT,
        ] {
            let verdict = judge(&case, Engine::Auto, against, true);
            assert!(matches!(verdict, Verdict::Wrong(_)), "{case}: {verdict:?}");
        }
    }
}

#[cfg(feature = "gmp")]
#[test]
fn gmp_agrees() {
    for case in cases(200) {
        let verdict = judge(&case, Engine::Cpu, Against::Gmp, false);
        assert_eq!(verdict, Verdict::Right, "{case}");
    }
}

#[test]
fn a_text_replays_a_case() {
    let operations = operation::all().collect();
    let sizes = Sizes::new(1 << 16);
    let plan = CaseList {
        seed: 5,
        operations,
        sizes,
        each: &Each::default(),
    };
    assert_eq!(plan.total(), None);
    for number in 0..1000 {
        let case = plan.case(number);
        let again = Case::parse(&case.to_string()).unwrap();
        assert_eq!(case.to_string(), again.to_string());
        assert_eq!(case.to_string(), plan.case(number).to_string());
    }
    for bad in ["", "mul", "mul:0:1", "mul:5:xyz", "mul:5:1:2", "mull:5:1"] {
        assert!(Case::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn every_operation_has_its_cases_of_every_size() {
    let operations: Vec<_> = operation::chosen("linear").unwrap().iter().collect();
    let each = Each {
        cases: Some(7),
        sizes: vec![16, 4096, 100],
    };
    let plan = CaseList {
        seed: 5,
        operations: operations.clone(),
        sizes: Sizes::new(1 << 16),
        each: &each,
    };
    let total = plan.total().unwrap();
    assert_eq!(total, 7 * 3 * operations.len() as u64);
    let cases: Vec<Case> = (0..total).map(|number| plan.case(number)).collect();
    for operation in operations {
        for bits in &each.sizes {
            let of_it = |case: &&Case| case.operation.name == operation.name && case.bits == *bits;
            assert_eq!(cases.iter().filter(of_it).count(), 7, "{}", operation.name);
        }
    }
}

#[test]
fn operations_have_names_of_their_own() {
    let mut names: Vec<_> = operation::all().map(|operation| operation.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn times_are_minutes() {
    assert_eq!(minutes("0.5").unwrap().as_secs(), 30);
    for bad in ["", "0", "-1", "nan", "inf", "1e9", "10m"] {
        assert!(minutes(bad).is_err(), "{bad}");
    }
}
