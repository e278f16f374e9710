//! `sieve`: `bezout factor` of products of two primes of the same size, as processes.
//!
//! The factors that a process prints must be primes, and their product the number. YAFU's times are
//! published ones, of other machines: `bench/baselines/yafu.json` has their sources.

use bezout::factor::{Method, Options, factor};
use bezout::{Engine, Int};
use serde::Deserialize;

use crate::Error;
use crate::commands;
use crate::measure;
use crate::record::{ClockKind, Measurement, Reproduced};
use crate::session::{DEFINITION, Session, refuted};

/// What is measured.
pub const OPERATION: &str = "factor, digits";

/// The figure of times by stage.
pub const STAGES: &str = "stages of the sieve, seconds";

/// Digits, and a product of two primes of half as many.
#[rustfmt::skip]
const NUMBERS: [(u64, &str); 13] = [
    (40, "5850986008199388059823738982536019921859"),
    (50, "89505275345264251278705910573258258173631265657639"),
    (60, "661080077060509768865376886647880936925127007031312223792799"),
    (65, "42831055152187848915002922546604206631787622373236749664680991571"),
    (70, "7761802881846157396766419673376823924745757757796789768650169570038909"),
    (75, "337766428233010925802064823041694949508430111829898156211180814166158113317"),
    (80, "57546035231551416252134816207179671374540974214619930229038027145812716194129537"),
    (85, "2754115313375897365733479115047669101422381782512195805432109278593897310494846140699"),
    (90, "23444588961419434776449616506493872371650661642153811429514930185090291443250809\
          8767872043"),
    (95, "37042314933772916161721036496873043451130627095065169341725266397270073839930401\
          722615245198503"),
    (100, "14482806946098598996086386087694479320588860466876638947565393442511986018345980\
           11754228122428892209"),
    (110, "37677043341808306306564630915778964947710692359367641862683981904253880322368553\
           942891306404212607038131884479"),
    // RSA-120.
    (120, "22701048129543736333425996094749366889587533646608478003817325824700916267577973\
           5389791151574049166747880487470296548479"),
];

/// More digits take the CPU, or a device, longer than a benchmark should.
const MOST_ON_CPU: u64 = 80;
const MOST_ON_DEVICE: u64 = 120;
/// Runs of each engine, the median of which stands; one where a run takes this many seconds.
const TURNS: usize = 3;
const LONG_SECONDS: f64 = 4.0;

/// Times of YAFU on one machine.
#[derive(Deserialize)]
struct Published {
    name: String,
    seconds: Vec<(u64, f64)>,
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let quick = session.record.quick;
    let mut engines = vec![("cpu", if quick { 40 } else { MOST_ON_CPU })];
    if session.target.is_some() {
        engines.push(("auto", if quick { 50 } else { MOST_ON_DEVICE }));
    }
    let program = commands::own_program()?;
    let all: Vec<_> = (NUMBERS.into_iter())
        .flat_map(|number| engines.iter().map(move |engine| (number, *engine)))
        .filter(|((digits, _), (_, most))| digits <= most && bits(*digits) <= session.max_bits)
        .collect();
    session.expect(all.len() + stage_runs(session).len());
    for ((digits, number), (engine, _)) in all {
        session.step(format!("{digits} digits, {engine}"));
        let arguments = ["factor".to_string(), number.to_string()];
        let mut samples = Vec::new();
        // The first run fills the cache of kernels.
        for turn in 0..=TURNS {
            let (seconds, printed) = commands::process(&program, &arguments, engine, None)?;
            if !is_right(number, &String::from_utf8_lossy(&printed)) {
                return Err(refuted(OPERATION, engine, digits, DEFINITION));
            }
            if turn > 0 || seconds > LONG_SECONDS {
                samples.push(seconds);
            }
            if seconds > LONG_SECONDS {
                break;
            }
        }
        let time = measure::summary(ClockKind::Host, samples);
        let measured = Measurement::alone(OPERATION, engine.into(), digits, time, &[]);
        session.record.measurements.push(measured);
    }
    for ((digits, number), engine) in stage_runs(session) {
        session.step(format!("{digits} digits, stages"));
        let values = stages(number, engine)?
            .into_iter()
            .map(|(stage, time)| Reproduced {
                figure: STAGES.into(),
                quantity: stage.into(),
                x: digits as f64,
                paper: None,
                here: Some(time),
            });
        session.record.reproduced.extend(values);
    }
    let text = include_str!("../baselines/yafu.json");
    let published: Vec<Published> = serde_json::from_str(text).map_err(Error::Encode)?;
    for machine in published {
        let values = machine.seconds.iter().map(|(digits, seconds)| Reproduced {
            figure: machine.name.clone(),
            quantity: "seconds".into(),
            x: *digits as f64,
            paper: Some(*seconds),
            here: None,
        });
        session.record.reproduced.extend(values);
    }
    Ok(())
}

/// Bits of a number of so many digits, at least.
fn bits(digits: u64) -> u64 {
    ((digits - 1) as f64 * std::f64::consts::LOG2_10) as u64
}

/// The numbers whose stages are timed.
fn stage_runs(session: &Session) -> Vec<((u64, &'static str), Engine)> {
    let (engine, digits): (_, &[u64]) = match &session.target {
        _ if session.record.quick => (Engine::Cpu, &[40]),
        Some(target) => (target.engine, &[80, 90, 95, 100]),
        None => (Engine::Cpu, &[60, 70]),
    };
    let numbers = NUMBERS.into_iter();
    let most = session.max_bits;
    let timed = numbers.filter(|(length, _)| digits.contains(length) && bits(*length) <= most);
    timed.map(|number| (number, engine)).collect()
}

/// Seconds of each stage of one sieve, within this process.
fn stages(number: &str, engine: Engine) -> Result<Vec<(&'static str, f64)>, Error> {
    let number: Int = number.parse()?;
    let options = Options::default().methods(&[Method::Siqs]);
    Ok(measure::stages(
        engine,
        |heard| heard.stage,
        || factor(&number, &options),
    )?)
}

/// Whether a line `number: factor factor` has two primes whose product is the number.
fn is_right(number: &str, line: &str) -> bool {
    let Some((_, factors)) = line.trim().split_once(": ") else {
        return false;
    };
    let factors: Vec<Int> = factors.split(' ').filter_map(|f| f.parse().ok()).collect();
    let is_prime = factors.iter().all(Int::is_probable_prime);
    let product = factors
        .iter()
        .fold(Int::ONE, |product, factor| product * factor);
    factors.len() == 2 && is_prime && number.parse::<Int>().is_ok_and(|n| n == product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_checked() {
        assert!(is_right("15", "15: 3 5\n"));
        for line in ["15: 3 3", "15: 15", "15: 1 15", "15", "15: 3 5 1"] {
            assert!(!is_right("15", line), "{line}");
        }
    }

    #[test]
    fn numbers_have_their_digits() {
        assert!(
            NUMBERS
                .iter()
                .all(|(digits, number)| number.len() as u64 == *digits)
        );
    }
}
