//! `bezout factor`: the prime factors of numbers, from the arguments or from standard input, in order.

mod checkpoint;
mod input;

use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bezout::factor::{Factorization, Method, Options, Outlook, Search, Status, factor_many};
use bezout::{Engine, Int};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{Factor, Global};
use crate::failure::Failure;
use crate::output;
use checkpoint::Checkpoint;
use input::{Entry, Number, Source};

/// Numbers between two looks at the checkpoint.
const BETWEEN: usize = 1 << 16;

/// The object `--json` prints for each number.
#[derive(Serialize)]
struct Record {
    command: &'static str,
    number: String,
    factors: Vec<FactorRecord>,
    complete: bool,
    engine: String,
    seconds: f64,
    verified: Option<bool>,
}

#[derive(Serialize)]
struct FactorRecord {
    factor: String,
    exponent: u64,
    status: Status,
    method: Method,
    b1: Option<u64>,
    b2: Option<u64>,
    sigma: Option<u64>,
    seconds: f64,
}

/// What became of a number.
enum Outcome {
    /// Its line, and whether all factors in it are prime.
    Line(String, bool),
    /// What is wrong with its text.
    Bad(String),
}

/// Runs the command.
pub fn run(options: &Factor, global: &Global) -> Result<(), Failure> {
    let how = Options::default()
        .bounds(options.b1, options.b2)
        .curves(options.curves)
        .seed(options.seed);
    let how = match options.methods.as_slice() {
        [] => how,
        methods => how.methods(methods),
    };
    // Wrong options show before any input is read.
    Search::new(&Int::one(), &how)?;
    listen_for_interrupts();
    let mut run = Run {
        options,
        global,
        how,
        checkpoint: None,
        counts: Counts::default(),
    };
    let mut source = Source::new(&options.numbers);
    if let Some(path) = &options.checkpoint {
        let mut entries = Vec::new();
        loop {
            match source.batch()? {
                more if more.is_empty() => break,
                more => entries.extend(more),
            }
        }
        let checkpoint = Checkpoint::open(path, options.resume, &entries, &run.how, global.json)?;
        run.resume(checkpoint, &entries)?;
        return run.counts.verdict();
    }
    loop {
        let batch = source.batch()?;
        if batch.is_empty() || is_interrupted() {
            break;
        }
        run.all(&batch)?;
    }
    run.counts.verdict()
}

#[derive(Default)]
struct Counts {
    bad: u64,
    unfinished: u64,
    all: u64,
}

impl Counts {
    /// What the whole run comes to.
    fn verdict(&self) -> Result<(), Failure> {
        let stopped = match is_interrupted() {
            true => "interrupted: ",
            false => "",
        };
        match (self.bad, self.unfinished) {
            (0, 0) if !is_interrupted() => Ok(()),
            (0, 0) => Err(Failure::failed("interrupted")),
            (0, unfinished) => Err(Failure::failed(format!(
                "{stopped}{unfinished} of {} numbers not factored completely",
                self.all
            ))),
            (bad, _) => Err(Failure::failed(format!(
                "{stopped}{bad} of {} inputs could not be factored",
                self.all
            ))),
        }
    }
}

struct Run<'a> {
    options: &'a Factor,
    global: &'a Global,
    how: Options,
    checkpoint: Option<Checkpoint>,
    counts: Counts,
}

impl Run<'_> {
    /// Takes a run up where its checkpoint left it.
    fn resume(&mut self, mut checkpoint: Checkpoint, entries: &[Entry]) -> Result<(), Failure> {
        let done = checkpoint.lines().len();
        let mut printed = String::new();
        for (line, is_factored) in checkpoint.lines() {
            printed.push_str(line);
            if !line.is_empty() {
                printed.push('\n');
            }
            self.counts.all += 1;
            // A line that is empty stands for bad input, which was said then.
            self.counts.bad += u64::from(line.is_empty());
            self.counts.unfinished += u64::from(!is_factored && !line.is_empty());
        }
        output::bytes(printed.as_bytes())?;
        let current = checkpoint.take_current();
        self.checkpoint = Some(checkpoint);
        let mut rest = &entries[done..];
        if let (Some(search), Some((_, after))) = (current, rest.split_first()) {
            let outcome = self.large(search)?;
            self.print(&rest[..1], vec![outcome])?;
            rest = after;
        }
        if !is_interrupted() {
            self.all(rest)?;
        }
        match &mut self.checkpoint {
            Some(checkpoint) if !is_interrupted() => checkpoint.save_with(None),
            _ => Ok(()),
        }
    }

    /// Factors entries and prints what comes of them, in order.
    fn all(&mut self, entries: &[Entry]) -> Result<(), Failure> {
        let numbers: Vec<Number> = entries.par_iter().map(Entry::number).collect();
        let mut start = 0;
        while start < entries.len() && !is_interrupted() {
            let words = numbers[start..]
                .iter()
                .take(if self.checkpoint.is_some() {
                    BETWEEN
                } else {
                    usize::MAX
                })
                .take_while(|number| !matches!(number, Number::Large(_)))
                .count();
            if words > 0 {
                self.words(entries, &numbers, start..start + words)?;
                start += words;
            } else if let Number::Large(number) = &numbers[start] {
                let search = Search::new(number, &self.how)?;
                let outcome = self.large(search)?;
                self.print(&entries[start..=start], vec![outcome])?;
                start += 1;
            }
            if let Some(checkpoint) = &mut self.checkpoint {
                checkpoint.save_now_and_then(None)?;
            }
        }
        Ok(())
    }

    /// Factors a run of short numbers, and of bad ones.
    fn words(
        &mut self,
        entries: &[Entry],
        numbers: &[Number],
        range: Range<usize>,
    ) -> Result<(), Failure> {
        let (entries, numbers) = (&entries[range.clone()], &numbers[range]);
        let is_plain = !self.global.json && self.how == Options::default();
        let outcomes = if is_plain {
            self.plain_words(numbers)?
        } else {
            let outcome = |number: &Number| match number {
                Number::Word(word) => {
                    let mut search = Search::new(&Int::from(*word), &self.how)?;
                    search.run(&|| true, &mut |_| Ok(()))?;
                    self.outcome(&search.result()?)
                }
                Number::Bad(reason) => Ok(Outcome::Bad(reason.clone())),
                Number::Large(_) => Ok(Outcome::Bad(String::new())),
            };
            let engine = Engine::current();
            output::watch(self.global, "factoring", || {
                let outcomes = numbers.par_iter().map(|n| engine.scope(|| outcome(n)));
                outcomes.collect::<Result<Vec<_>, Failure>>()
            })?
        };
        self.print(entries, outcomes)
    }

    /// The lines of short numbers, many at once.
    fn plain_words(&self, numbers: &[Number]) -> Result<Vec<Outcome>, Failure> {
        let word = |number: &Number| match number {
            Number::Word(word) => *word,
            _ => 1,
        };
        let words: Vec<u128> = numbers.iter().map(word).collect();
        let factors = output::watch(self.global, "factoring", || factor_many(&words))?;
        let line = |index: usize| {
            if let Number::Bad(reason) = &numbers[index] {
                return Ok(Outcome::Bad(reason.clone()));
            }
            let (n, primes) = (words[index], factors.of(index));
            let product = primes
                .iter()
                .try_fold(1u128, |product, prime| product.checked_mul(*prime));
            if product != Some(n) {
                return Err(Failure::failed(format!(
                    "verification failed: the factors of {n} do not multiply up to it"
                )));
            }
            if self.global.verify {
                for prime in primes {
                    certify_prime(&Int::from(*prime))?;
                }
            }
            let line = primes
                .iter()
                .fold(format!("{n}:"), |line, prime| format!("{line} {prime}"));
            Ok(Outcome::Line(line, true))
        };
        (0..words.len()).into_par_iter().map(line).collect()
    }

    /// Goes on with the search for one number's factors until it is done, its time is up or the user has had enough.
    fn large(&mut self, mut search: Search) -> Result<Outcome, Failure> {
        let deadline = self.options.timeout.map(|timeout| Instant::now() + timeout);
        let keep_going =
            || !is_interrupted() && deadline.is_none_or(|deadline| Instant::now() < deadline);
        let bar = Bar::new(self.global);
        let failure = RefCell::new(None);
        let checkpoint = &mut self.checkpoint;
        let ran = search.run(&keep_going, &mut |search| {
            bar.show(search.outlook().as_ref());
            let saved = match checkpoint {
                Some(checkpoint) => checkpoint.save_now_and_then(Some(search)),
                None => Ok(()),
            };
            saved.map_err(|error| {
                *failure.borrow_mut() = Some(error);
                bezout::Error::Cancelled
            })
        });
        if let Some(failure) = failure.take() {
            return Err(failure);
        }
        ran?;
        let result = search.result()?;
        if !result.is_complete() {
            self.say_what_is_left(&result);
            if is_interrupted()
                && let Some(checkpoint) = &mut self.checkpoint
            {
                checkpoint.save_with(Some(&search))?;
            }
        }
        self.outcome(&result)
    }

    fn say_what_is_left(&self, result: &Factorization) {
        let why = match is_interrupted() {
            true => "interrupted",
            false if self.options.timeout.is_some() => "the time is up",
            false => "the methods and bounds allowed are used up",
        };
        for factor in &result.factors {
            if factor.status == Status::Composite {
                let digits = factor.value.to_string().len();
                output::report(&format!(
                    "bezout: {why}: a composite factor of {digits} digits is not split; it stands in brackets"
                ));
            }
        }
    }

    fn outcome(&self, result: &Factorization) -> Result<Outcome, Failure> {
        if self.global.verify {
            certify(result)?;
        }
        let number = output::digits(&result.number, false)?;
        if !self.global.json {
            let mut line = format!("{number}:");
            for factor in &result.factors {
                let digits = output::digits(&factor.value, false)?;
                for _ in 0..factor.exponent {
                    match factor.status {
                        Status::Composite => line.push_str(&format!(" [{digits}]")),
                        _ => line.push_str(&format!(" {digits}")),
                    }
                }
            }
            return Ok(Outcome::Line(line, result.is_complete()));
        }
        let factors = result.factors.iter().map(|factor| {
            Ok(FactorRecord {
                factor: output::digits(&factor.value, false)?,
                exponent: factor.exponent,
                status: factor.status,
                method: factor.origin.method,
                b1: factor.origin.b1,
                b2: factor.origin.b2,
                sigma: factor.origin.sigma,
                seconds: factor.origin.seconds,
            })
        });
        let record = Record {
            command: "factor",
            number,
            factors: factors.collect::<Result<_, Failure>>()?,
            complete: result.is_complete(),
            engine: Engine::last_used().unwrap_or(Engine::Cpu).to_string(),
            seconds: result.seconds,
            verified: self.global.verify.then_some(true),
        };
        let line = serde_json::to_string(&record)
            .map_err(|error| Failure::failed(format!("cannot write JSON: {error}")))?;
        Ok(Outcome::Line(line, result.is_complete()))
    }

    fn print(&mut self, entries: &[Entry], outcomes: Vec<Outcome>) -> Result<(), Failure> {
        let mut lines = String::new();
        for (entry, outcome) in entries.iter().zip(outcomes) {
            self.counts.all += 1;
            let (line, is_factored) = match outcome {
                Outcome::Line(line, is_complete) => {
                    self.counts.unfinished += u64::from(!is_complete);
                    (line, is_complete)
                }
                Outcome::Bad(reason) => {
                    self.counts.bad += 1;
                    output::report(&format!("bezout: error: {}: {reason}", entry.place()));
                    (String::new(), false)
                }
            };
            if !line.is_empty() {
                lines.push_str(&line);
                lines.push('\n');
            }
            // An interrupted search is in the checkpoint as it is, to be taken up again.
            if let Some(checkpoint) = &mut self.checkpoint
                && !is_interrupted()
            {
                checkpoint.push(&line, is_factored);
            }
        }
        output::bytes(lines.as_bytes())
    }
}

/// Multiplies the factors up on the CPU and tests each prime again.
fn certify(result: &Factorization) -> Result<(), Failure> {
    Engine::Cpu.scope(|| {
        let mut product = Int::one();
        for factor in &result.factors {
            product = product.try_mul(&factor.value.try_pow(factor.exponent)?)?;
            if factor.status != Status::Composite {
                certify_prime(&factor.value)?;
            }
        }
        match product == result.number {
            true => Ok(()),
            false => Err(Failure::failed(
                "verification failed: the factors do not multiply up to the number",
            )),
        }
    })
}

fn certify_prime(prime: &Int) -> Result<(), Failure> {
    match prime.try_is_probable_prime()? {
        true => Ok(()),
        false => Err(Failure::failed(format!(
            "verification failed: {prime} is not prime"
        ))),
    }
}

/// A line on a terminal that says what a search is at.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new(global: &Global) -> Bar {
        let shows = !global.quiet && !global.json && io::stderr().is_terminal();
        Bar(shows.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        }))
    }

    fn show(&self, outlook: Option<&Outlook>) {
        if let (Some(bar), Some(outlook)) = (&self.0, outlook) {
            bar.set_message(words(outlook));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// What a search is at, in words.
fn words(outlook: &Outlook) -> String {
    let what = format!("{} digits left: {}", outlook.digits, outlook.method);
    if outlook.method != Method::Ecm {
        return what;
    }
    let size = match outlook.factor_digits {
        Some(digits) => format!(" for {digits} digits"),
        None => String::new(),
    };
    let wanted = match outlook.curves_wanted {
        Some(wanted) => format!(" of {wanted}"),
        None => String::new(),
    };
    let left = match outlook.seconds_left {
        Some(seconds) => format!(", {} left", duration(seconds)),
        None => String::new(),
    };
    let next = match outlook.next {
        Some((digits, seconds)) => format!("; {digits} digits take {}", duration(seconds)),
        None => String::new(),
    };
    format!(
        "{what}{size}, B1 = {}, curve {}{wanted}{left}{next}",
        outlook.b1, outlook.curves
    )
}

/// A time as people say it.
fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..360_000.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first interrupt stops the search, and what is known is printed and saved; the second ends the process.
fn listen_for_interrupts() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
}

fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_words() {
        assert_eq!(duration(3.2), "3 s");
        assert_eq!(duration(180.0), "3 min");
        assert_eq!(duration(7200.0), "2 h");
        assert_eq!(duration(864_000.0), "10 days");
    }
}
