//! `small`: numbers of 64 to 2^18 bits by operators, as a user writes them, beside GMP and
//! malachite; other calls on numbers of 32 to 2^12 bits beside GMP.
//!
//! A call includes the allocation of its result and freeing it. All contenders run on one core and
//! take turns; the best turn of each stands.

mod arithmetic;
mod theory;

use std::cmp::Ordering;

use bezout::{Engine, Int};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Error;
use crate::contenders::keep_best;
use crate::contenders::ours::Lane;
use crate::measure;
use crate::plain::{self, Number};
use crate::record::{ClockKind, Measurement, Timing};
use crate::session::{DEFINITION, Session, refuted};
use crate::{proof, residue};
use arithmetic::{Contender, contenders};
use theory::Call;

/// Each contender has so many turns. A shared machine's speed changes within milliseconds, and
/// would be taken for a contender's.
const TURNS: usize = 9;
/// Samples of a turn, whose median is the turn's time.
const SAMPLES: usize = 5;
/// A sample takes at least so many seconds.
const SAMPLE_SECONDS: f64 = 4e-5;
/// Sets of operands of each size, used in turn.
const SETS: usize = 8;
/// Bits of a shift.
const SHIFT: u32 = 3;

/// What is measured on numbers of n bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Add,
    Sub,
    /// Of numbers that differ in their last bit only.
    Compare,
    ShiftLeft,
    ShiftRight,
    Mul,
    Square,
    /// 2n bits by n bits, quotient and remainder.
    DivRem,
    Gcd,
    Print,
    Parse,
    Call(Call),
}

/// The work and log2 of the largest n.
const ALL: [(Work, u32); 11] = [
    (Work::Add, 14),
    (Work::Sub, 14),
    (Work::Compare, 14),
    (Work::ShiftLeft, 14),
    (Work::ShiftRight, 14),
    (Work::Mul, 16),
    (Work::Square, 16),
    (Work::DivRem, 12),
    (Work::Gcd, 13),
    (Work::Print, 18),
    (Work::Parse, 18),
];

/// log2 of the smallest n.
const SMALLEST: u32 = 6;

/// Operands in the numbers of one library.
struct Set<N> {
    a: N,
    b: N,
    c: N,
    /// The decimal digits of a, for [`Work::Parse`].
    text: String,
}

impl<N> Set<N> {
    /// The operands in the numbers of another library.
    fn copy<M>(&self, copy: impl Fn(&N) -> M) -> Set<M> {
        let [a, b, c] = [&self.a, &self.b, &self.c].map(copy);
        Set {
            a,
            b,
            c,
            text: self.text.clone(),
        }
    }
}

/// What a call gives.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    One(Number),
    Two(Number, Number),
    Three(Number, Number, Number),
    /// A number and how often something was found in it.
    Counted(Number, u64),
    Count(i64),
    /// What libraries need not agree on.
    Nothing,
    Order(Ordering),
    Text(String),
}

impl Work {
    /// Its name in records.
    fn name(self) -> &'static str {
        match self {
            Work::Add => "add",
            Work::Sub => "sub",
            Work::Compare => "compare",
            Work::ShiftLeft => "shift left 3",
            Work::ShiftRight => "shift right 3",
            Work::Mul => "mul",
            Work::Square => "square",
            Work::DivRem => "divrem",
            Work::Gcd => "gcd",
            Work::Print => "to decimal",
            Work::Parse => "from decimal",
            Work::Call(call) => call.name(),
        }
    }

    /// Random operands, the same in every run.
    fn sets(self, bits: u64) -> bezout::Result<Vec<Set<Int>>> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
        let mut set = || {
            if let Work::Call(call) = self {
                let [a, b, c] = call.operands(bits, &mut rng)?;
                let text = String::new();
                return Ok(Set { a, b, c, text });
            }
            let a = match self {
                Work::DivRem => Int::try_random_bits(2 * bits, &mut rng)?,
                _ => Int::try_random_bits(bits, &mut rng)?,
            };
            let b = match self {
                Work::Compare => &a ^ 1,
                _ => Int::try_random_bits(bits, &mut rng)?,
            };
            let text = match self {
                Work::Parse => a.to_string(),
                _ => String::new(),
            };
            let c = Int::ZERO;
            Ok(Set { a, b, c, text })
        };
        (0..SETS).map(|_| set()).collect()
    }

    /// Whether an answer is right by definition.
    fn holds(self, set: &Set<Int>, answer: &Answer) -> bezout::Result<bool> {
        if let Work::Call(call) = self {
            return call.holds(set, answer);
        }
        let (a, b) = (Number::of(&set.a)?, Number::of(&set.b)?);
        let wanted = match (self, answer) {
            (Work::Add, _) => Answer::One(a.add(&b)),
            (Work::Sub, _) => Answer::One(a.sub(&b)),
            (Work::Compare, _) => Answer::Order(a.cmp(&b)),
            (Work::ShiftLeft, _) => Answer::One(a.shl(SHIFT as usize)),
            (Work::ShiftRight, _) => Answer::One(a.shr(SHIFT as usize)),
            (Work::Mul, Answer::One(c)) => {
                return Ok(c.residue() == residue::mul(a.residue(), b.residue()));
            }
            (Work::Square, Answer::One(c)) => {
                return Ok(c.residue() == residue::mul(a.residue(), a.residue()));
            }
            (Work::DivRem, Answer::Two(q, r)) => {
                let sum = residue::add(residue::mul(q.residue(), b.residue()), r.residue());
                let is_reduced = plain::compare(r.limbs(), b.limbs()).is_lt();
                return Ok(sum == a.residue() && is_reduced && !r.is_negative());
            }
            (Work::Gcd, Answer::One(g)) => {
                let g = Int::from_sign_limbs(g.is_negative(), g.limbs().to_vec());
                return proof::is_gcd(&set.a, &set.b, &g);
            }
            (Work::Print, Answer::Text(text)) => {
                let is_short = !text.starts_with('0');
                return Ok(is_short && residue::of_text(text) == Some(a.residue()));
            }
            (Work::Parse, _) => {
                let is_right = residue::of_text(&set.text) == Some(a.residue());
                return Ok(is_right && *answer == Answer::One(a));
            }
            _ => return Ok(false),
        };
        Ok(wanted == *answer)
    }
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one_thread = one_thread.map_err(|e| Error::Threads(e.to_string()))?;
    let points = points(session.record.quick, session.max_bits);
    session.expect(points.len());
    for (work, bits) in points {
        session.step(format!("{} {}", work.name(), crate::format::size(bits)));
        one_thread.install(|| Engine::Cpu.scope(|| contest(session, work, bits)))?;
    }
    Ok(())
}

/// What is measured, and at which sizes of at most so many bits.
fn points(quick: bool, most: u64) -> Vec<(Work, u64)> {
    let operators = ALL.into_iter().flat_map(|(work, largest)| {
        let logs = (SMALLEST..=largest).step_by(if quick { 4 } else { 1 });
        logs.map(move |log| (work, 1u64 << log))
    });
    let calls = theory::CALLS.into_iter().flat_map(|(call, largest)| {
        let has_size = move |log: &u32| *log <= largest && call.has_size(*log);
        let logs = theory::SIZES.into_iter().filter(has_size);
        let logs = logs.filter(move |log| !quick || log % 4 == SMALLEST % 4);
        logs.map(move |log| (Work::Call(call), 1u64 << log))
    });
    let points = operators.chain(calls);
    points.filter(|(_, bits)| *bits <= most).collect()
}

/// Verifies and times all contenders, the library first.
fn contest(session: &mut Session, work: Work, bits: u64) -> Result<(), Error> {
    let sets = work.sets(bits)?;
    let contenders = match work {
        Work::Call(_) => theory::contenders(&sets),
        _ => contenders(&sets),
    };
    verify(work, bits, &sets, &contenders)?;
    let counts: Vec<usize> = contenders.iter().map(|c| calls(c.as_ref(), work)).collect();
    let turns = if session.record.quick { 1 } else { TURNS };
    let mut times = Vec::new();
    for _ in 0..turns {
        for (contender, calls) in contenders.iter().zip(&counts) {
            keep_best(
                &mut times,
                contender.name(),
                turn(contender.as_ref(), work, *calls),
            );
        }
    }
    if let Some(((_, ours), others)) = times.split_first() {
        let engine = Lane::OneThread.name(None);
        let measurement = Measurement::alone(work.name(), engine, bits, *ours, others);
        session.record.measurements.push(measurement);
    }
    Ok(())
}

/// The first contender's answers must be right by definition, and those of all others the same.
fn verify(
    work: Work,
    bits: u64,
    sets: &[Set<Int>],
    contenders: &[Box<dyn Contender>],
) -> Result<(), Error> {
    let mut known: Option<(&str, Vec<Option<Answer>>)> = None;
    for contender in contenders {
        let (name, answers) = (contender.name(), contender.answers(work));
        if let Some((first, wanted)) = &known {
            if *wanted != answers {
                return Err(refuted(work.name(), name, bits, first));
            }
            continue;
        }
        for (set, answer) in sets.iter().zip(&answers) {
            let is_right = answer.as_ref().map_or(Ok(false), |x| work.holds(set, x))?;
            if !is_right {
                return Err(refuted(work.name(), name, bits, DEFINITION));
            }
        }
        known = Some((name, answers));
    }
    Ok(())
}

/// Calls that a sample needs; a multiple of the number of sets.
fn calls(contender: &dyn Contender, work: Work) -> usize {
    let mut calls = SETS;
    while contender.seconds(work, calls) < SAMPLE_SECONDS {
        calls *= 2;
    }
    calls
}

/// Seconds of one call.
fn turn(contender: &dyn Contender, work: Work, calls: usize) -> Timing {
    let sample = |_| contender.seconds(work, calls) / calls as f64;
    measure::summary(ClockKind::Host, (0..SAMPLES).map(sample).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_measured_and_verified() {
        let mut session = Session::begin("small", true, true).unwrap();
        session.max_bits = 1 << 10;
        run(&mut session).unwrap();
        let record = session.finish();
        let points = points(true, 1 << 10);
        assert_eq!(record.measurements.len(), points.len());
        for (m, (work, _)) in record.measurements.iter().zip(points) {
            assert!(m.verified && m.time.median > 0.0);
            let has_malachite = cfg!(feature = "malachite") && !matches!(work, Work::Call(_));
            let libraries = usize::from(cfg!(feature = "gmp")) + usize::from(has_malachite);
            assert_eq!(m.baselines.len(), libraries, "{}", m.operation);
        }
    }

    #[test]
    fn wrong_answers_do_not_hold() {
        let number = |x: &Int| Number::of(x).unwrap();
        for (work, _) in ALL {
            for bits in [64, 1000] {
                let sets = work.sets(bits).unwrap();
                let ours = &contenders(&sets)[0];
                for (set, answer) in sets.iter().zip(ours.answers(work)) {
                    let answer = answer.unwrap();
                    assert!(work.holds(set, &answer).unwrap(), "{work:?}");
                    let plus = |x: &Number| x.add(&number(&Int::ONE));
                    let wrong = match &answer {
                        Answer::One(x) => Answer::One(plus(x)),
                        // Still the dividend, but the remainder is not reduced.
                        Answer::Two(q, r) => {
                            Answer::Two(q.sub(&number(&Int::ONE)), r.add(&number(&set.b)))
                        }
                        Answer::Order(order) => Answer::Order(order.reverse()),
                        Answer::Text(text) => Answer::Text(format!("0{text}")),
                        other => panic!("{work:?}: {other:?}"),
                    };
                    assert!(!work.holds(set, &wrong).unwrap(), "{work:?}");
                }
            }
        }
    }

    #[test]
    fn wrong_answers_of_calls_do_not_hold() {
        let plus = |x: &Number| x.add(&Number::of(&Int::ONE).unwrap());
        for (call, _) in theory::CALLS {
            let work = Work::Call(call);
            for bits in [32, 64, 256] {
                let sets = work.sets(bits).unwrap();
                let ours = &theory::contenders(&sets)[0];
                for (set, answer) in sets.iter().zip(ours.answers(work)) {
                    let answer = answer.unwrap();
                    assert!(work.holds(set, &answer).unwrap(), "{work:?}");
                    let wrong = match &answer {
                        Answer::One(x) => Answer::One(plus(x)),
                        Answer::Two(x, y) => Answer::Two(x.clone(), plus(y)),
                        Answer::Three(x, y, z) => Answer::Three(x.clone(), plus(y), z.clone()),
                        Answer::Counted(x, count) => Answer::Counted(x.clone(), count + 1),
                        Answer::Count(x) => Answer::Count(x + 1),
                        _ => continue,
                    };
                    assert!(!work.holds(set, &wrong).unwrap(), "{work:?}");
                }
            }
        }
    }
}
