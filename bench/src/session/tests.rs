use super::*;

#[test]
fn a_wrong_result_is_an_error_and_enters_nothing() {
    Engine::Cpu.scope(|| {
        let mut session = Session::begin("linear", true, true).unwrap();
        let mut sets = session.sets(Operands::Random, 512).unwrap();
        session
            .operation(Operation::Add, &mut sets, Timed::Queued)
            .unwrap();
        assert_eq!(session.record.measurements.len(), 1);
        // The answers of a subtraction are not those of an addition.
        let reference = session.reference(Operation::Sub, &mut sets).unwrap();
        let add = |a: &Int, b: &Int| Operation::Add.apply(a, b, 512);
        let error = session
            .verified(
                Operation::Add,
                Engine::Cpu,
                Clock::Host,
                &sets,
                &reference,
                &add,
            )
            .unwrap_err();
        assert!(!error.is_usage());
        assert_eq!(
            error.to_string(),
            "verification failed: add on cpu at 512 bits differs from what it is by definition; no \
             result was written"
        );
        assert_eq!(session.record.measurements.len(), 1);
    });
}

/// The kernels on the host CPU stand in for a GPU.
#[test]
fn products_are_measured_on_a_device_too() {
    let executor = Engine::Cuda(bezout::engine::EXECUTOR);
    if !Engine::usable().contains(&executor) {
        println!("not run: there is no executor here");
        return;
    }
    let mut session = executor.scope(|| Session::begin("liu-tong", true, true).unwrap());
    let mut sets = session.sets(Operands::Product, 1 << 17).unwrap();
    session
        .operation(Operation::Mul, &mut sets, Timed::Alone)
        .unwrap();
    let engines: Vec<_> = session
        .record
        .measurements
        .iter()
        .map(|m| &m.engine)
        .collect();
    assert_eq!(engines, ["cpu", "cuda:executor"]);
}

#[test]
fn operands_are_what_they_are_called() {
    let mut session = Engine::Cpu.scope(|| Session::begin("linear", true, true).unwrap());
    let power = |n: u64| Int::ONE << n;
    for bits in [1000, 1024] {
        let mut pairs = |operands| session.sets(operands, bits).unwrap().pairs;
        for (a, b) in pairs(Operands::Carry) {
            assert_eq!(&a + &b, power(bits));
        }
        for (a, b) in pairs(Operands::Ones) {
            assert_eq!(&a + &b, power(bits));
            assert_eq!(b, 1);
        }
        for (a, b) in pairs(Operands::Close) {
            assert_eq!(a ^ b, 1);
        }
        for (a, _) in pairs(Operands::Random) {
            assert!(a >= power(bits - 1) && a < power(bits));
        }
    }
}
