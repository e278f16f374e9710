//! `linear`: every linear operation at 2^10 to 2^30 bits, and a chain of a hundred of them on
//! resident values.

use bezout::Engine;

use crate::Error;
use crate::measure::{self, Clock};
use crate::operation::{Answer, Operands, Operation};
use crate::plain::Number;
use crate::record::Chain;
use crate::session::{DEFINITION, Session, Sets, Target, Timed, refuted};

/// What is measured, by operands, so that each kind is made once for each size.
const OPERATIONS: [(Operands, &[Operation]); 5] = [
    (
        Operands::Random,
        &[
            Operation::Add,
            Operation::Sub,
            Operation::And,
            Operation::Or,
            Operation::Xor,
            Operation::Not,
            Operation::ShiftLeft1,
            Operation::ShiftLeft67,
            Operation::ShiftRight67,
            Operation::Fill,
            Operation::Popcount,
            Operation::Hamming,
        ],
    ),
    (Operands::Carry, &[Operation::AddCarry]),
    (Operands::One, &[Operation::AddOne]),
    (Operands::Ones, &[Operation::OnesPlusOne]),
    (Operands::Close, &[Operation::Compare]),
];

/// Repeated ten times. The left shift is undone by the right shift and `and` cuts off what the
/// additions grew, so that every link works on as many limbs as its part measured alone.
const LINKS: [Operation; 10] = [
    Operation::Add,
    Operation::Xor,
    Operation::ShiftLeft67,
    Operation::Or,
    Operation::ShiftRight67,
    Operation::Sub,
    Operation::Not,
    Operation::And,
    Operation::Add,
    Operation::Xor,
];
const CHAIN: usize = 100;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let largest = if session.record.quick { 22 } else { 30 };
    let admitted = |log: &u32| 1u64 << log <= session.max_bits;
    let sizes: Vec<u32> = (10..=largest).step_by(4).filter(admitted).collect();
    let each: usize = OPERATIONS.iter().map(|(_, list)| list.len()).sum();
    session.expect(sizes.len() * (each + 1));
    for log in sizes {
        for (operands, operations) in OPERATIONS {
            let mut sets = session.sets(operands, 1 << log)?;
            for operation in operations {
                session.step(format!("{} 2^{log}", operation.name()));
                session.operation(*operation, &mut sets, Timed::Queued)?;
            }
            // Below 2^20 bits a launch costs more than what it moves, so that a chain measures the
            // host.
            if operands == Operands::Random {
                session.step(format!("chain 2^{log}"));
                if log >= 20 {
                    chains(session, &sets)?;
                }
            }
        }
    }
    Ok(())
}

/// The chain on each engine. Its parts have just been measured on the same operands.
fn chains(session: &mut Session, sets: &Sets) -> Result<(), Error> {
    let wanted = chain_by_definition(sets)?;
    chain(session, sets, None, &wanted)?;
    if let Some(target) = session.target.clone()
        && target.put_on_device(sets)?
    {
        chain(session, sets, Some(&target), &wanted)?;
    }
    Ok(())
}

fn chain(
    session: &mut Session,
    sets: &Sets,
    target: Option<&Target>,
    wanted: &Number,
) -> Result<(), Error> {
    let (engine, clock) = match target {
        Some(target) => (target.engine, Clock::Events(&target.device)),
        None => (Engine::Cpu, Clock::Host),
    };
    let moved = || {
        target
            .map(|t| t.device.traffic())
            .map(|t| t.uploaded + t.downloaded)
    };
    let before = moved();
    let mut last = None;
    let time = engine.scope(|| {
        measure::time(&session.effort, clock, 1, &mut |_| {
            let mut x = sets.pairs[0].0.clone();
            for (k, operation) in links() {
                let b = &sets.pairs[k % sets.pairs.len()].1;
                if let Answer::Value(next) = operation.apply(&x, b, sets.bits)? {
                    x = next;
                }
            }
            last = Some(x);
            Ok(())
        })
    })?;
    let transferred = before.zip(moved()).map(|(before, after)| after - before);
    if let Some(bytes @ 1..) = transferred {
        return Err(Error::Transfer {
            engine: engine.to_string(),
            bits: sets.bits,
            bytes,
        });
    }
    let name = engine.to_string();
    match last {
        Some(last) if wanted.is(last.is_negative(), last.try_limbs()?) => {}
        _ => return Err(refuted("chain", &name, sets.bits, DEFINITION)),
    }
    let part = |operation: Operation| {
        let mut found =
            session.record.measurements.iter().filter(|m| {
                m.operation == operation.name() && m.engine == name && m.bits == sets.bits
            });
        found.next().map_or(0.0, |m| m.time.median)
    };
    let parts: f64 = links().map(|(_, operation)| part(operation)).sum();
    session.record.chains.push(Chain {
        engine: name,
        bits: sets.bits,
        operations: CHAIN,
        time,
        parts,
        ratio: time.median / parts,
        transferred,
        verified: true,
    });
    Ok(())
}

fn chain_by_definition(sets: &Sets) -> Result<Number, Error> {
    let mut x = Number::of(&sets.pairs[0].0)?;
    for (k, operation) in links() {
        let b = Number::of(&sets.pairs[k % sets.pairs.len()].1)?;
        if let Answer::Value(next) = operation.by_definition(&x, &b, sets.bits) {
            x = next;
        }
    }
    Ok(x)
}

fn links() -> impl Iterator<Item = (usize, Operation)> {
    LINKS.into_iter().cycle().take(CHAIN).enumerate()
}
