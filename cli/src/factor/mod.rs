//! `bezout factor`: the prime factors of numbers, from the arguments or from standard input, in order.

mod checkpoint;
mod input;
mod line;
mod progress;

use std::cell::RefCell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bezout::factor::{Factorization, Options, Search, Status, factor_many};
use bezout::{Engine, Int};
use rayon::prelude::*;

use crate::args::{Factor, Global};
use crate::failure::Failure;
use crate::output;
use checkpoint::{Begun, Checkpoint};
use input::{Entry, Number, Source};
use line::{certify_prime, line};
use progress::Bar;

/// Numbers between two looks at the checkpoint.
const BETWEEN: usize = 1 << 16;

/// A short number's line, or what is wrong with its text.
type Outcome = Result<String, String>;

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
    /// Takes a run up where its checkpoint left it: prints what was printed, and goes on with every search that is not at its end.
    fn resume(&mut self, checkpoint: Checkpoint, entries: &[Entry]) -> Result<(), Failure> {
        let begun = checkpoint.len();
        self.checkpoint = Some(checkpoint);
        for index in 0..begun {
            let Some(known) = self.checkpoint.as_ref().map(|c| c.number(index).clone()) else {
                break;
            };
            match known.search {
                _ if is_interrupted() => return Ok(()),
                Some(search) => self.large(index, search)?,
                None => {
                    self.counts.all += 1;
                    self.counts.unfinished += u64::from(!known.is_factored);
                    // Bad input has no line.
                    self.counts.bad += u64::from(known.line.is_empty());
                    if !known.line.is_empty() {
                        output::text(&known.line)?;
                    }
                }
            }
        }
        self.all(&entries[begun..])?;
        self.checkpoint.as_mut().map_or(Ok(()), Checkpoint::save)
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
                let index = self.checkpoint.as_ref().map_or(0, Checkpoint::len);
                self.large(index, Search::new(number, &self.how)?)?;
                start += 1;
            }
            if let Some(checkpoint) = self.checkpoint.as_mut().filter(|c| c.is_due()) {
                checkpoint.save()?;
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
            let factored = |number: &Number| match number {
                Number::Word(word) => {
                    let mut search = Search::new(&Int::from(*word), &self.how)?;
                    search.run(&|| true, &mut |_| Ok(()))?;
                    line(self.global, &search.result()?).map(Ok)
                }
                Number::Bad(reason) => Ok(Err(reason.clone())),
                Number::Large(_) => Ok(Err(String::new())),
            };
            let engine = Engine::current();
            output::watch(self.global, "factoring", || {
                let outcomes = numbers.par_iter().map(|n| engine.scope(|| factored(n)));
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
        let outcome = |index: usize| {
            if let Number::Bad(reason) = &numbers[index] {
                return Ok(Err(reason.clone()));
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
            Ok(Ok(line))
        };
        (0..words.len()).into_par_iter().map(outcome).collect()
    }

    /// Goes on with the search for one number's factors until it is done, its time is up or the user has had enough, and prints what is known. `index` is
    /// the number's place in the checkpoint.
    fn large(&mut self, index: usize, mut search: Search) -> Result<(), Failure> {
        let deadline = self.options.timeout.map(|timeout| Instant::now() + timeout);
        let keep_going =
            || !is_interrupted() && deadline.is_none_or(|deadline| Instant::now() < deadline);
        let bar = Bar::new(self.global);
        let failure = RefCell::new(None);
        let checkpoint = &mut self.checkpoint;
        let ran = search.run(&keep_going, &mut |search| {
            bar.show(search.outlook().as_ref());
            let Some(checkpoint) = checkpoint.as_mut().filter(|c| c.is_due()) else {
                return Ok(());
            };
            checkpoint.put(
                index,
                Begun {
                    line: String::new(),
                    is_factored: false,
                    search: Some(search.clone()),
                },
            );
            checkpoint.save().map_err(|error| {
                *failure.borrow_mut() = Some(error);
                bezout::Error::Cancelled
            })
        });
        if let Some(failure) = failure.take() {
            return Err(failure);
        }
        ran?;
        drop(bar);
        let result = search.result()?;
        let is_factored = result.is_complete();
        if !is_factored {
            self.say_what_is_left(&result);
        }
        let line = line(self.global, &result)?;
        self.counts.all += 1;
        self.counts.unfinished += u64::from(!is_factored);
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.put(
                index,
                Begun {
                    line: line.clone(),
                    is_factored,
                    search: (!is_factored).then_some(search),
                },
            );
            if is_interrupted() {
                checkpoint.save()?;
            }
        }
        output::text(&line)
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

    /// Prints the lines of short numbers, and what is wrong with bad ones.
    fn print(&mut self, entries: &[Entry], outcomes: Vec<Outcome>) -> Result<(), Failure> {
        let mut lines = String::new();
        for (entry, outcome) in entries.iter().zip(outcomes) {
            self.counts.all += 1;
            let line = outcome.unwrap_or_else(|reason| {
                self.counts.bad += 1;
                output::report(&format!("bezout: error: {}: {reason}", entry.place()));
                String::new()
            });
            if !line.is_empty() {
                lines.push_str(&line);
                lines.push('\n');
            }
            if let Some(checkpoint) = &mut self.checkpoint {
                let begun = Begun {
                    is_factored: !line.is_empty(),
                    line,
                    search: None,
                };
                checkpoint.put(checkpoint.len(), begun);
            }
        }
        output::bytes(lines.as_bytes())
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
