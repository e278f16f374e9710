//! `bezout factor`: the prime factors of numbers, from the arguments or from standard input, in order.

mod checkpoint;
mod input;
mod line;
mod progress;
mod ranks;
mod short;

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bezout::Int;
use bezout::cluster::Cluster;
use bezout::factor::{Factorization, Options, Search, Status};
use rayon::prelude::*;

use crate::args::{Factor, Global};
use crate::failure::Failure;
use crate::output;
use checkpoint::{Begun, Checkpoint};
use input::{Entry, Number, Source};
use line::line;
use progress::Bar;
use ranks::Spread;
use short::Outcome;

/// The longest step of a search that has a checkpoint, so that a killed run loses no more than a minute.
const LONGEST_STEP: Duration = Duration::from_secs(45);
/// Numbers between two looks at the checkpoint.
const BETWEEN: usize = 1 << 16;

/// Runs the command.
pub fn run(options: &Factor, global: &Global) -> Result<(), Failure> {
    // Whoever names methods or bounds has them, whatever they take.
    let may_choose = options.methods.is_empty() && options.b1.is_none();
    let is_kept = options.checkpoint.is_some() && may_choose;
    let how = Options::default()
        .longest_step(is_kept.then_some(LONGEST_STEP))
        .bounds(options.b1, options.b2)
        .curves(options.curves)
        .seed(options.seed);
    let how = match options.methods.as_slice() {
        [] => how,
        methods => how.methods(methods),
    };
    // Wrong options show before any input is read.
    Search::new(&Int::one(), &how)?;
    let cluster = crate::ranks::led();
    let given = format!(
        "{options:?}, json: {}, verify: {}",
        global.json, global.verify
    );
    cluster.agree("the options", &given)?;
    if !cluster.is_first() {
        return ranks::serve(&cluster, global, &how);
    }
    listen_for_interrupts();
    let run = Run {
        options,
        global,
        how,
        cluster,
        checkpoint: None,
        counts: Counts::default(),
    };
    let done = lead(run);
    ranks::dismiss(&cluster);
    done
}

/// The whole run, on the first rank.
fn lead(mut run: Run<'_>) -> Result<(), Failure> {
    let (options, global) = (run.options, run.global);
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
    cluster: Cluster,
    checkpoint: Option<Checkpoint>,
    counts: Counts,
}

impl Run<'_> {
    /// Takes a run up where its checkpoint left it: prints what was printed, and goes on with every search that is not at its end.
    fn resume(&mut self, checkpoint: Checkpoint, entries: &[Entry]) -> Result<(), Failure> {
        let known: Vec<Begun> = (0..checkpoint.len())
            .map(|index| checkpoint.number(index).clone())
            .collect();
        let rest = &entries[known.len()..];
        self.checkpoint = Some(checkpoint);
        if self.cluster.size() > 1 {
            let mut spread = Spread::of(self);
            for (index, known) in known.into_iter().enumerate() {
                spread.take_up(index, known)?;
            }
            spread.all(rest)?;
            return self.save();
        }
        for (index, known) in known.into_iter().enumerate() {
            match known.search {
                _ if is_interrupted() => return Ok(()),
                Some(search) => self.large(index, search, Duration::ZERO)?,
                None => {
                    self.count_known(&known);
                    output::bytes(known.printed().as_bytes())?;
                }
            }
        }
        self.all(rest)?;
        self.save()
    }

    fn save(&mut self) -> Result<(), Failure> {
        self.checkpoint.as_mut().map_or(Ok(()), Checkpoint::save)
    }

    fn save_if_due(&mut self) -> Result<(), Failure> {
        match self.checkpoint.as_mut().filter(|c| c.is_due()) {
            Some(checkpoint) => checkpoint.save(),
            None => Ok(()),
        }
    }

    /// Counts a number that is at its end in the checkpoint.
    fn count_known(&mut self, known: &Begun) {
        self.counts.all += 1;
        self.counts.unfinished += u64::from(!known.is_factored);
        // Bad input has no line.
        self.counts.bad += u64::from(known.line.is_empty());
    }

    /// The place that the next number has in the checkpoint.
    fn next_index(&self) -> usize {
        self.checkpoint.as_ref().map_or(0, Checkpoint::len)
    }

    /// Factors entries and prints what comes of them, in order.
    fn all(&mut self, entries: &[Entry]) -> Result<(), Failure> {
        if self.cluster.size() > 1 {
            return Spread::of(self).all(entries);
        }
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
                let range = start..start + words;
                let outcomes = short::outcomes(self.global, &self.how, &numbers[range.clone()])?;
                let lines = self.enter(&entries[range], outcomes);
                output::bytes(lines.as_bytes())?;
                start += words;
            } else if let Number::Large(number) = &numbers[start] {
                let search = Search::new(number, &self.how)?;
                self.large(self.next_index(), search, Duration::ZERO)?;
                start += 1;
            }
            self.save_if_due()?;
        }
        Ok(())
    }

    /// Goes on with the search for one number's factors until it is done, its time is up or the user has had enough, and prints what is known. `index` is
    /// the number's place in the checkpoint, `spent` the part of its time that is gone.
    fn large(&mut self, index: usize, mut search: Search, spent: Duration) -> Result<(), Failure> {
        let timeout = self.options.timeout;
        let deadline = timeout.map(|timeout| Instant::now() + timeout.saturating_sub(spent));
        let keep_going =
            || !is_interrupted() && deadline.is_none_or(|deadline| Instant::now() < deadline);
        let bar = Bar::new(self.global);
        let failure = RefCell::new(None);
        let cluster = self.cluster;
        ranks::call_for_curves(&cluster);
        let ran = search.run_over(&cluster, &keep_going, &mut |search| {
            bar.show(search.outlook().as_ref());
            if !self.checkpoint.as_ref().is_some_and(Checkpoint::is_due) {
                return Ok(());
            }
            self.note_open(index, search);
            self.save().map_err(|error| {
                *failure.borrow_mut() = Some(error);
                bezout::Error::Cancelled
            })
        });
        if let Some(failure) = failure.take() {
            return Err(failure);
        }
        ran?;
        drop(bar);
        let line = self.finish(index, search)?;
        output::text(&line)
    }

    /// Notes what is known of a number whose search is not at its end.
    fn note_open(&mut self, index: usize, search: &Search) {
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.put(
                index,
                Begun {
                    line: String::new(),
                    is_factored: false,
                    search: Some(search.clone()),
                },
            );
        }
    }

    /// The line of a number that no more is done for, counted and noted.
    fn finish(&mut self, index: usize, search: Search) -> Result<String, Failure> {
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
        Ok(line)
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

    /// The lines of short numbers, counted and noted; says what is wrong with bad ones.
    fn enter(&mut self, entries: &[Entry], outcomes: impl IntoIterator<Item = Outcome>) -> String {
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
        lines
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
