use bezout::Engine;
use bezout_lab::model::Tuning;

use super::*;
use crate::record::Record;
use work::Ours;

const ALL: [Work; 10] = [
    Work::Mul,
    Work::Square,
    Work::DivRem,
    Work::DivExact,
    Work::ToDecimal,
    Work::FromDecimal,
    Work::Gcd,
    Work::Cofactors,
    Work::Root,
    Work::Power,
];

fn quick(engine: Engine, benchmark: &str) -> Session {
    let mut session = engine.scope(|| Session::begin(benchmark, true, true).unwrap());
    session.max_bits = 1 << 12;
    session
}

fn random(work: Work, bits: u64) -> Job {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
    Job::new(work, bits, &mut rng).unwrap()
}

fn plus(limbs: Magnitude, more: &Int) -> Magnitude {
    (Int::from_limbs(limbs) + more).into_limbs()
}

#[test]
fn right_answers_hold_and_wrong_ones_do_not() {
    for work in ALL {
        for bits in [64, 1000, 5000] {
            let job = random(work, bits);
            let ours = Ours::new(&job, work).unwrap().apply().unwrap();
            let wanted = ours.try_map(read).unwrap();
            assert!(job.holds(&wanted).unwrap(), "{work:?}");
            let wrong = match wanted.clone() {
                Answer::One(x) => Answer::One(plus(x, &Int::ONE)),
                // Still a·q + r, but the remainder is not reduced.
                Answer::Two(q, r) => Answer::Two(plus(q, &Int::from(-1)), plus(r, &job.b)),
                Answer::Three(g, s, t) => Answer::Three(g, plus(s, &Int::ONE), t),
                Answer::Text(text) => Answer::Text(text[..text.len() - 1].to_string()),
            };
            assert!(!job.holds(&wrong).unwrap(), "{work:?}");
            assert!(!job.holds(&Answer::Text("1 2".into())).unwrap());
        }
    }
}

#[test]
fn libraries_agree_with_each_other() {
    let mut session = quick(Engine::Cpu, "mul");
    let mut contest = Contest::new(&mut session).unwrap();
    for work in ALL {
        for bits in [64, 10_000] {
            let job = random(work, bits);
            let reference = contest.libraries(&job).unwrap();
            let able = Library::built().into_iter().filter(|x| x.does(work));
            assert_eq!(reference.baselines.len(), able.count());
            let first = Library::built().first().map(|library| library.name());
            assert_eq!(
                reference.answer.unwrap().1,
                first.unwrap_or("cpu, 1 thread")
            );
        }
    }
}

#[test]
fn a_wrong_answer_is_an_error() {
    let job = random(Work::Mul, 256);
    let one = Some(Answer::One(vec![1]));
    let mut reference = Reference::default();
    let check_answer = |reference: &mut Reference, who, answer| {
        let settled = reference.check_answer(&job, Work::MulPrepared, who, answer);
        settled.map_err(|e| e.to_string())
    };
    assert_eq!(
        check_answer(&mut reference, "cpu", one.clone()).unwrap_err(),
        "verification failed: mul, prepared operand on cpu at 256 bits differs from what its \
         operands give modulo a random prime; no result was written"
    );
    let right = (&job.a * &job.b).into_limbs();
    check_answer(&mut reference, "GMP", Some(Answer::One(right))).unwrap();
    let error = check_answer(&mut reference, "cuda:0", one).unwrap_err();
    assert!(
        error.contains("on cuda:0 at 256 bits differs from GMP;"),
        "{error}"
    );
    assert!(check_answer(&mut reference, "cuda:0", None).is_err());
}

#[test]
fn slow_contenders_are_left_out_of_larger_sizes() {
    let mut session = quick(Engine::Cpu, "mul");
    let mut contest = Contest::new(&mut session).unwrap();
    contest.last.push((Work::Mul, "GMP".into(), 1 << 20, 0.4));
    assert!(!contest.too_slow(Work::Mul, "GMP", 1 << 21));
    assert!(contest.too_slow(Work::Mul, "GMP", 1 << 22));
    assert!(!contest.too_slow(Work::Square, "GMP", 1 << 22));
    assert!(!contest.too_slow(Work::Mul, "cpu", 1 << 22));
    assert_eq!(contest.sizes(32), [1 << 10, 1 << 12]);
}

#[test]
fn every_benchmark_runs_without_a_device() {
    for (name, run) in [
        ("mul", mul::run as fn(&mut Session) -> Result<(), Error>),
        ("div", div::run),
        ("radix", radix::run),
        ("gcd", gcd::run),
    ] {
        let mut session = quick(Engine::Cpu, name);
        run(&mut session).unwrap();
        let record = session.finish();
        assert!(record.measurements.iter().all(|m| m.verified));
        assert!(record.leads.is_empty());
        let engines = |engine| {
            record
                .measurements
                .iter()
                .filter(|m| m.engine == engine)
                .count()
        };
        assert!(engines("cpu") >= 4 && engines("cpu") == engines("cpu, 1 thread"));
        let divided = record
            .measurements
            .iter()
            .filter(|m| m.operation == "divrem");
        assert!(divided.clone().all(|m| m.products.is_some_and(|p| p > 0.0)));
    }
}

#[test]
fn engines_and_threads_are_compared() {
    let mut session = quick(Engine::Cpu, "threads");
    session.max_bits = 1 << 16;
    threads::run(&mut session).unwrap();
    let record = session.finish();
    let one = record
        .measurements
        .iter()
        .filter(|m| m.engine == "cpu, 1 thread");
    assert_eq!(one.count(), 2);
    let mut session = quick(Engine::Cpu, "placement");
    placement::run(&mut session).unwrap();
    let record = session.finish();
    for engine in ["cpu", "auto"] {
        let of_engine = record.measurements.iter().filter(|m| m.engine == engine);
        assert_eq!(of_engine.count(), 18);
    }
}

/// The record of each kind of work on operands of 2^17 bits.
fn on_every_engine(engine: Engine) -> Record {
    let mut session = quick(engine, "mul");
    let mut contest = Contest::new(&mut session).unwrap();
    for (work, prepared) in [
        (Work::Mul, Some(Work::MulPrepared)),
        (Work::Square, None),
        (Work::DivRem, Some(Work::DivRemPrepared)),
        (Work::DivExact, None),
        (Work::ToDecimal, None),
        (Work::FromDecimal, None),
    ] {
        let job = random(work, 1 << 17);
        let mut reference = contest.libraries(&job).unwrap();
        contest.engines(&job, work, &mut reference).unwrap();
        if let Some(work) = prepared {
            contest.engines(&job, work, &mut reference).unwrap();
        }
        contest.lead(work);
    }
    session.finish()
}

/// The kernels on the host CPU stand in for a GPU.
#[test]
fn every_benchmark_runs_on_a_device() {
    let executor = Engine::Cuda(bezout::engine::EXECUTOR);
    if !Engine::usable().contains(&executor) {
        println!("not run: there is no executor here");
        return;
    }
    // Operands as short as these stay on the host as shipped, and a launch that is counted could be
    // another test's.
    let sent = "default,mul_auto_limbs=1,div_auto_limbs=1,print_auto_limbs=1,parse_auto_limbs=1";
    let record = Tuning::parse(sent)
        .unwrap()
        .scope(|| on_every_engine(executor));
    let resident = record
        .measurements
        .iter()
        .find(|m| m.engine == "cuda:executor");
    // Two operands and a product at least.
    let memory = resident.unwrap().device_memory.unwrap();
    assert!(memory >= 2.0, "{memory}");
    let moved = record
        .measurements
        .iter()
        .filter(|m| m.engine == "cuda:executor, transfers");
    assert!(moved.count() >= 4);
    assert_eq!(record.leads.len(), 6);
}
