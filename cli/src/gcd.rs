//! `bezout gcd`: the greatest common divisor of two numbers or more, with cofactors and a
//! certificate on demand.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Instant;

use bezout::{Engine, GcdAlgorithm, GcdStats, Int, WeberOptions};
use serde::Serialize;

use crate::args::{Gcd, Global};
use crate::calc::Program;
use crate::failure::Failure;
use crate::number::{self, Reader};
use crate::{interrupt, output, ranks};

/// The object `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: &'static str,
    a_bits: u64,
    b_bits: u64,
    bits: Vec<u64>,
    gcd: &'a str,
    gcd_bits: u64,
    cofactors: Option<&'a [String]>,
    engine: String,
    algorithm: GcdAlgorithm,
    stats: Option<&'a GcdStats>,
    ranks: usize,
    seconds: f64,
    verified: Option<bool>,
}

/// What was found, and how.
struct Answer {
    gcd: Int,
    /// One for each number; none unless asked for.
    cofactors: Option<Vec<Int>>,
    stats: GcdStats,
    /// A device if any step ran there.
    engine: Engine,
}

/// Runs the command.
pub fn run(options: &Gcd, global: &Global) -> Result<(), Failure> {
    // Other ranks do not hear of an interrupt. There, and where interrupts cannot be handled, one
    // ends the process.
    if ranks::current().size() == 1 {
        let _ = interrupt::listen(None);
    }
    answer(options, global).map_err(interrupt::or_interrupted)
}

/// Runs the command, and fails after an interrupt.
fn answer(options: &Gcd, global: &Global) -> Result<(), Failure> {
    let moduli = moduli(options)?;
    let mut reader = Reader::default();
    let numbers = output::watch(global, "reading", || {
        if let [] | [_] = options.numbers.as_slice() {
            return listed(&options.numbers, &mut reader);
        }
        let read = options.numbers.iter().map(|text| reader.number(text));
        read.collect::<Result<Vec<Int>, Failure>>()
    })?;
    let cluster = ranks::current();
    ranks::agree(
        "the numbers and the algorithm",
        &(&numbers, options.algorithm, moduli),
    )?;
    let start = Instant::now();
    let answer = output::watch(global, "computing", || match moduli {
        Some(moduli) => find_by_weber(&numbers, moduli),
        None => find(&numbers, options.algorithm, options.cofactors),
    })?;
    let seconds = start.elapsed().as_secs_f64();
    if !cluster.is_first() {
        return Ok(());
    }
    if global.verify {
        output::watch(global, "verifying", || {
            Engine::Cpu.scope(|| certify(&numbers, &answer))
        })?;
        let proof = match numbers.len() {
            2 => "g divides a, g divides b, and s*a + t*b = g",
            _ => "g divides every number and is a sum of multiples of them",
        };
        output::remark(global, &format!("verified: {proof}"));
    }
    let digits = output::watch(global, "printing", || {
        let all = std::iter::once(&answer.gcd).chain(answer.cofactors.iter().flatten());
        all.map(|value| output::digits(value, options.hex))
            .collect::<Result<Vec<String>, Failure>>()
    })?;
    if options.stats {
        output::report(&lines(&answer.stats));
    }
    if !global.json {
        return output::text(&digits.join("\n"));
    }
    let bits: Vec<u64> = numbers.iter().map(Int::bit_length).collect();
    output::json(&Record {
        command: "gcd",
        a_bits: bits[0],
        b_bits: bits[1],
        bits,
        gcd: &digits[0],
        gcd_bits: answer.gcd.bit_length(),
        cofactors: options.cofactors.then_some(&digits[1..]),
        engine: answer.engine.to_string(),
        algorithm: answer.stats.algorithm,
        stats: options.stats.then_some(&answer.stats),
        ranks: cluster.size(),
        seconds,
        verified: global.verify.then_some(true),
    })
}

/// The numbers of standard input, or of the file that the one operand names.
fn listed(operands: &[String], reader: &mut Reader) -> Result<Vec<Int>, Failure> {
    const REQUIRED: &str = "two numbers or more are required";
    let operand = operands.first().map_or("-", |operand| operand);
    let is_typed = operands.is_empty() && io::stdin().is_terminal();
    let (name, text) = if is_typed {
        return Err(Failure::bad_input(REQUIRED).hint("write bezout gcd 12 18"));
    } else if operand == "-" {
        ("standard input".to_string(), reader.text("-")?.into_owned())
    } else {
        let name = number::list(operand).ok_or_else(|| Failure::bad_input(REQUIRED))?;
        (format!("'{name}'"), number::text_of(Path::new(name))?)
    };
    let mut numbers = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        for text in number::texts(content) {
            let value = Program::compile(text).and_then(|program| program.whole());
            numbers.push(
                value.map_err(|failure| failure.in_source(format_args!("{name}, line {line}")))?,
            );
        }
    }
    match numbers.len() {
        0 => Err(Failure::bad_input(format!("{name} is empty: {REQUIRED}"))),
        1 => Err(Failure::bad_input(format!(
            "{name} holds one number: {REQUIRED}"
        ))),
        _ => Ok(numbers),
    }
}

/// The moduli of Weber's algorithm, where a flag chooses them.
fn moduli(options: &Gcd) -> Result<Option<WeberOptions>, Failure> {
    let flag = match (options.count, options.modulus_bits) {
        (None, None) => return Ok(None),
        (Some(_), _) => "--count",
        (None, Some(_)) => "--modulus-bits",
    };
    let refuse = |why: &str| Err(Failure::bad_input(format!("{flag}: {why}")));
    if options.algorithm != GcdAlgorithm::Weber {
        let name = options.algorithm;
        return refuse(&format!(
            "the algorithm '{name}' has no such choice; add --algorithm weber"
        ));
    }
    if options.cofactors {
        return refuse("not with --cofactors, which come from another algorithm");
    }
    if ranks::current().size() > 1 {
        return refuse("not with more ranks than one");
    }
    let usual = WeberOptions::default();
    Ok(Some(WeberOptions {
        bits: options.modulus_bits.unwrap_or(usual.bits),
        count: options.count.unwrap_or(usual.count),
    }))
}

/// [`find`] by Weber's algorithm with these moduli, without cofactors.
fn find_by_weber(numbers: &[Int], moduli: WeberOptions) -> Result<Answer, Failure> {
    find_each(numbers, |gcd, number| {
        Ok(gcd.try_gcd_by_weber(number, moduli)?)
    })
}

/// The gcd of at least two numbers, from the left: of the first two, of that and the third, and so
/// on.
fn find(numbers: &[Int], algorithm: GcdAlgorithm, cofactors: bool) -> Result<Answer, Failure> {
    let mut multiples = vec![Int::ONE];
    let mut answer = find_each(numbers, |gcd, number| {
        if !cofactors {
            return Ok(ranks::current().gcd(gcd, number, algorithm)?);
        }
        let ((g, s, t), step) = gcd.try_extended_gcd_by(number, algorithm)?;
        if s != Int::ONE {
            for multiple in &mut multiples {
                *multiple = multiple.try_mul(&s)?;
            }
        }
        multiples.push(t);
        Ok((g, step))
    })?;
    for multiple in &multiples {
        multiple.try_fetch()?;
    }
    answer.cofactors = cofactors.then_some(multiples);
    Ok(answer)
}

/// The gcd by a step for each number after the first, which takes the gcd so far and the number.
fn find_each(
    numbers: &[Int],
    mut step: impl FnMut(&Int, &Int) -> Result<(Int, GcdStats), Failure>,
) -> Result<Answer, Failure> {
    let mut gcd = numbers[0].clone();
    let mut stats: Option<GcdStats> = None;
    let mut engine = Engine::Cpu;
    for number in &numbers[1..] {
        let (next, done) = step(&gcd, number)?;
        gcd = next;
        if let Some(used @ Engine::Cuda(_)) = Engine::last_used() {
            engine = used;
        }
        stats = Some(match stats {
            None => done,
            Some(before) => together(before, &done),
        });
    }
    gcd.try_fetch()?;
    Ok(Answer {
        gcd,
        cofactors: None,
        stats: stats.unwrap_or_default(),
        engine,
    })
}

/// What two steps did: counts are added, means weighted by the iterations, and of what the inputs
/// were held in the most counts. The host library's steps are those too short for others, so
/// another's name stands before its.
fn together(mut sum: GcdStats, step: &GcdStats) -> GcdStats {
    let add = |x: Option<u64>, y: Option<u64>| match (x, y) {
        (Some(x), Some(y)) => Some(x + y),
        (x, y) => x.or(y),
    };
    if sum.algorithm == GcdAlgorithm::Host {
        sum.algorithm = step.algorithm;
    }
    sum.average_b_bits = match (sum.average_b_bits, step.average_b_bits) {
        (Some(x), Some(y)) => {
            let [n, m] = [&sum, step].map(|stats| stats.iterations.unwrap_or(0).max(1) as f64);
            Some((x * n + y * m) / (n + m))
        }
        (x, y) => x.or(y),
    };
    sum.iterations = add(sum.iterations, step.iterations);
    sum.moduli = sum.moduli.max(step.moduli);
    sum.moduli_used = add(sum.moduli_used, step.moduli_used);
    sum.modulus_bits = sum.modulus_bits.max(step.modulus_bits);
    sum.retries = add(sum.retries, step.retries);
    sum.blocks = add(sum.blocks, step.blocks);
    sum.ranks = sum.ranks.max(step.ranks);
    sum
}

/// What `--stats` prints: a line for each number that there is.
fn lines(stats: &GcdStats) -> String {
    let whole = |value: Option<u64>| value.map(|value| value.to_string());
    let fields = [
        ("algorithm", Some(stats.algorithm.to_string())),
        ("iterations", whole(stats.iterations)),
        ("moduli", whole(stats.moduli)),
        ("moduli used", whole(stats.moduli_used)),
        (
            "bits of a modulus",
            whole(stats.modulus_bits.map(u64::from)),
        ),
        (
            "average bits of b",
            stats.average_b_bits.map(|bits| format!("{bits:.3}")),
        ),
        ("blocks", whole(stats.blocks)),
        ("retries", whole(stats.retries)),
        ("ranks", whole(stats.ranks)),
    ];
    let known = fields
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}: {}", value?)));
    known.collect::<Vec<_>>().join("\n")
}

/// Proves that the gcd is the greatest: it divides every number, and every common divisor divides
/// it because it is a sum of multiples of them. The multiples are the cofactors that are to be
/// printed, or found here, independently of the gcd.
fn certify(numbers: &[Int], answer: &Answer) -> Result<(), Failure> {
    let refuse = |what: &str| Err(Failure::failed(format!("verification failed: {what}")));
    let gcd = &answer.gcd;
    if gcd.is_negative() {
        return refuse("the gcd is negative");
    }
    for (i, number) in numbers.iter().enumerate() {
        let divides = if gcd.is_zero() {
            number.is_zero()
        } else {
            number.try_div_rem(gcd)?.1.is_zero()
        };
        if !divides {
            return refuse(&format!("the gcd does not divide number {}", i + 1));
        }
    }
    let found;
    let cofactors = match &answer.cofactors {
        Some(cofactors) => cofactors,
        None => {
            found = find(numbers, GcdAlgorithm::Auto, true)?.cofactors;
            found.as_deref().unwrap_or_default()
        }
    };
    let mut sum = Int::ZERO;
    for (cofactor, number) in cofactors.iter().zip(numbers) {
        sum = sum.try_add(&cofactor.try_mul(number)?)?;
    }
    if sum.is_negative() != gcd.is_negative() || sum.try_limbs()? != gcd.try_limbs()? {
        return refuse("the cofactors times the numbers do not come to the gcd");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers, what is said to be their gcd, and cofactors.
    type Case = (&'static [i64], i64, Option<&'static [i64]>);

    fn ints(numbers: &[i64]) -> Vec<Int> {
        numbers.iter().map(|&number| number.into()).collect()
    }

    fn check(numbers: &[i64], gcd: i64, cofactors: Option<&[i64]>) -> Result<(), Failure> {
        let answer = Answer {
            gcd: gcd.into(),
            cofactors: cofactors.map(ints),
            stats: GcdStats::default(),
            engine: Engine::Cpu,
        };
        certify(&ints(numbers), &answer)
    }

    #[test]
    fn certificates_refuse_wrong_answers() {
        let right: [Case; 9] = [
            (&[12, 18], 6, None),
            (&[-12, 18], 6, None),
            (&[0, 0], 0, None),
            (&[0, -7], 7, None),
            (&[1, 1], 1, None),
            (&[6, 10, 15], 1, None),
            (&[0, 0, -4, 6], 2, None),
            (&[12, 18], 6, Some(&[-1, 1])),
            (&[6, 10, 15], 1, Some(&[-14, 7, 1])),
        ];
        for (numbers, gcd, cofactors) in right {
            assert!(check(numbers, gcd, cofactors).is_ok(), "{numbers:?} {gcd}");
        }
        let wrong: [Case; 10] = [
            (&[12, 18], 3, None),
            (&[12, 18], 12, None),
            (&[12, 18], -6, None),
            (&[0, 0], 1, None),
            (&[5, 5], 0, None),
            (&[4, 6], 4, None),
            (&[6, 10, 14], 1, None),
            (&[6, 10, 15], 2, None),
            (&[12, 18], 6, Some(&[1, -1])),
            (&[12, 18], 6, Some(&[1])),
        ];
        for (numbers, gcd, cofactors) in wrong {
            let refused = check(numbers, gcd, cofactors).unwrap_err();
            assert_eq!(refused.code(), 1, "{numbers:?} {gcd}");
        }
    }

    #[test]
    fn every_algorithm_finds_cofactors_of_any_count() {
        let huge = |bits: u64, add: i64| (Int::ONE << bits) + Int::from(add);
        let lists = [
            ints(&[0, 0]),
            ints(&[0, 0, 0]),
            ints(&[7, 7, 7]),
            ints(&[-12, 18, 27, -1]),
            vec![huge(3000, -1), huge(1800, -1), Int::from(-15), Int::ZERO],
            vec![huge(5000, 1) * huge(700, 3), huge(700, 3) * huge(4000, 7)],
        ];
        for numbers in &lists {
            let expected = find(numbers, GcdAlgorithm::Host, false).unwrap().gcd;
            for algorithm in GcdAlgorithm::ALL {
                let plain = find(numbers, algorithm, false).unwrap();
                assert_eq!(plain.gcd, expected, "{algorithm}");
                assert!(plain.cofactors.is_none());
                let answer = find(numbers, algorithm, true).unwrap();
                assert_eq!(answer.gcd, expected, "{algorithm}");
                assert_eq!(answer.cofactors.as_ref().unwrap().len(), numbers.len());
                certify(numbers, &answer).unwrap();
                for stats in [plain.stats, answer.stats] {
                    assert_ne!(stats.algorithm, GcdAlgorithm::Auto);
                    assert!(algorithm == GcdAlgorithm::Auto || stats.algorithm == algorithm);
                }
            }
        }
    }

    #[test]
    fn statistics_of_steps_add_up() {
        let stats = |iterations, bits| {
            let mut stats = GcdStats::default();
            stats.algorithm = GcdAlgorithm::Weber;
            (stats.iterations, stats.average_b_bits) = (Some(iterations), Some(bits));
            stats
        };
        let mut host = GcdStats::default();
        host.algorithm = GcdAlgorithm::Host;
        let sum = together(together(host.clone(), &stats(30, 10.0)), &stats(10, 14.0));
        let sum = together(sum, &host);
        assert_eq!(
            lines(&sum),
            "algorithm: weber\niterations: 40\naverage bits of b: 11.000"
        );
        assert_eq!(lines(&host), "algorithm: host");
    }
}
