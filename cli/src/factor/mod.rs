//! `bezout factor`: the prime factors of numbers, from the arguments, from files or from standard
//! input, in order.

mod checkpoint;
mod input;
mod line;
mod progress;
mod shared;
mod short;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use bezout::Int;
use bezout::cluster::Cluster;
use bezout::factor::{Method, Options, Search};
use rayon::prelude::*;

use crate::args::{Factor, Global};
use crate::failure::Failure;
use crate::{interrupt, output};
use checkpoint::{Begun, Checkpoint};
use input::{BATCH, Entry, Number, Source};
use line::{Digits, Form, line, say_what_is_left, why_stopped};
use progress::Bar;
use shared::Spread;
use short::Outcome;

/// The longest step of a search that has a checkpoint, so that a killed run loses no more than a
/// minute.
const LONGEST_STEP: Duration = Duration::from_secs(45);
/// Short numbers that are factored together: so many at first, fewer or more if these take longer
/// or less time than `TOGETHER_TIME`, and at most so many with a checkpoint. An interrupt loses
/// them.
const FIRST_TOGETHER: usize = 1 << 6;
const TOGETHER_TIME: Duration = Duration::from_millis(200);
const MOST_WITH_CHECKPOINT: usize = 1 << 16;

/// Runs the command.
pub fn run(options: &Factor, global: &Global) -> Result<(), Failure> {
    // Whoever names methods or bounds has them, whatever they take.
    let may_choose = options.methods.is_empty() && options.b1.is_none();
    let is_kept = options.checkpoint.is_some() && may_choose;
    let form = Form {
        global,
        exponents: options.exponents,
    };
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
    Search::new(&Int::ONE, &how)?;
    let cluster = crate::ranks::working_for_first();
    let given = format!(
        "{options:?}, json: {}, verify: {}",
        global.json, global.verify
    );
    cluster.agree("the options", &given)?;
    if !cluster.is_first() {
        return shared::serve(&cluster, form, &how);
    }
    // The first interrupt stops the search, and what is known is printed and saved. Where
    // interrupts cannot be handled, one ends the process.
    let _ = interrupt::listen(None);
    let run = Run {
        options,
        form,
        how,
        cluster,
        checkpoint: None,
        counts: Counts::default(),
        together: FIRST_TOGETHER,
    };
    let done = lead(run);
    shared::dismiss(&cluster);
    done
}

/// The whole run, on the first rank.
fn lead(mut run: Run<'_>) -> Result<(), Failure> {
    let options = run.options;
    let mut source = Source::new(&options.numbers);
    if let Some(path) = &options.checkpoint {
        let mut entries = Vec::new();
        loop {
            match source.batch() {
                more if more.is_empty() => break,
                more => entries.extend(more),
            }
        }
        let checkpoint = Checkpoint::open(path, options.resume, &entries, &run.how, run.form)?;
        run.resume(checkpoint, &entries)?;
        return run.counts.verdict().map_err(|failure| {
            let is_open = run.counts.unfinished > 0 || interrupt::is_requested();
            if is_open {
                failure.hint("--resume goes on where the checkpoint ends")
            } else {
                failure
            }
        });
    }
    loop {
        let batch = source.batch();
        if batch.is_empty() || interrupt::is_requested() {
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
        let mut parts = Vec::new();
        if interrupt::is_requested() {
            parts.push("interrupted".to_string());
        }
        let all = self.all;
        if self.bad > 0 {
            parts.push(format!(
                "{} of {all} inputs could not be factored",
                self.bad
            ));
        }
        if self.unfinished > 0 {
            let unfinished = self.unfinished;
            parts.push(format!(
                "{unfinished} of {all} numbers not factored completely"
            ));
        }
        let message = parts.join(": ");
        if self.bad > 0 {
            Err(Failure::bad_input(message))
        } else if !message.is_empty() {
            Err(Failure::failed(message))
        } else {
            Ok(())
        }
    }
}

struct Run<'a> {
    options: &'a Factor,
    form: Form<'a>,
    how: Options,
    cluster: Cluster,
    checkpoint: Option<Checkpoint>,
    counts: Counts,
    /// How many short numbers to factor together next.
    together: usize,
}

impl Run<'_> {
    /// Takes a run up where its checkpoint left it: prints what was printed, and goes on with every
    /// search that is not at its end.
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
                _ if interrupt::is_requested() => return Ok(()),
                Some(search) => self.large(index, search, Duration::ZERO)?,
                // It was bad, or it was not computed in time.
                None if known.line.is_empty() => self.again(index, &entries[index])?,
                None => {
                    self.count_known(&known);
                    output::bytes(known.printed().as_bytes())?;
                }
            }
        }
        self.all(rest)?;
        self.save()
    }

    /// Takes up an entry that the checkpoint has no line of.
    fn again(&mut self, index: usize, entry: &Entry) -> Result<(), Failure> {
        let (number, spent) = self.reader()(entry);
        if let Number::Large(number) = &number {
            return self.large(index, Search::new(number, &self.how)?, spent);
        }
        let outcomes = short::outcomes(self.form, &self.how, &[number])?;
        let lines = self.enter(index, std::slice::from_ref(entry), outcomes);
        output::bytes(lines.as_bytes())
    }

    /// What an entry stands for, and the time that it took to compute. What is published for
    /// comparison is no method for many short numbers at once: it takes each as a long one.
    fn reader(&self) -> impl Fn(&Entry) -> (Number, Duration) + Sync + use<> {
        let timeout = self.options.timeout;
        let published = [Method::RhoV1, Method::RhoV2];
        let is_for_comparison = published.iter().any(|m| self.how.methods.contains(m));
        move |entry| match entry.number(timeout) {
            (Number::Word(word), spent) if is_for_comparison && word > 1 => {
                (Number::Large(Int::from(word)), spent)
            }
            number => number,
        }
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
        let reader = self.reader();
        let mut left = entries;
        while !left.is_empty() && !interrupt::is_requested() {
            let start = Instant::now();
            let (now, later) = left.split_at(self.together.min(left.len()));
            let numbers: Vec<(Number, Duration)> = now.par_iter().map(&reader).collect();
            self.some(now, numbers)?;
            left = later;
            self.together = if start.elapsed() < TOGETHER_TIME {
                4 * self.together
            } else {
                (self.together / 4).max(FIRST_TOGETHER)
            };
            let most = match self.checkpoint {
                Some(_) => MOST_WITH_CHECKPOINT,
                None => BATCH,
            };
            self.together = self.together.min(most);
        }
        Ok(())
    }

    /// Factors numbers and prints what comes of them, in order.
    fn some(&mut self, entries: &[Entry], numbers: Vec<(Number, Duration)>) -> Result<(), Failure> {
        let is_long = |number: &Number| matches!(number, Number::Large(_));
        let (numbers, spent): (Vec<Number>, Vec<Duration>) = numbers.into_iter().unzip();
        let mut at = 0;
        for run in numbers.chunk_by(|a, b| !is_long(a) && !is_long(b)) {
            if interrupt::is_requested() {
                return Ok(());
            }
            if let [Number::Large(number)] = run {
                let search = Search::new(number, &self.how)?;
                self.large(self.next_index(), search, spent[at])?;
            } else {
                let outcomes = match short::outcomes(self.form, &self.how, run) {
                    Err(_) if interrupt::is_requested() => return Ok(()),
                    outcomes => outcomes?,
                };
                let entries = &entries[at..at + run.len()];
                let lines = self.enter(self.next_index(), entries, outcomes);
                output::bytes(lines.as_bytes())?;
            }
            at += run.len();
            self.save_if_due()?;
        }
        Ok(())
    }

    /// Goes on with the search for one number's factors until it is done, its time is up or the
    /// user has had enough, and prints what is known. `index` is the number's place in the
    /// checkpoint, `spent` the part of its time that is gone.
    fn large(&mut self, index: usize, mut search: Search, spent: Duration) -> Result<(), Failure> {
        let timeout = self.options.timeout;
        let deadline = timeout.map(|timeout| Instant::now() + timeout.saturating_sub(spent));
        let keep_going = || {
            !interrupt::is_requested() && deadline.is_none_or(|deadline| Instant::now() < deadline)
        };
        if let Some(path) = &self.options.checkpoint {
            search.keep_relations(path);
        }
        let bar = Bar::new(self.form.global);
        let failure = RefCell::new(None);
        let cluster = self.cluster;
        shared::call_for_curves(&cluster);
        let mut between = |search: &Search| {
            bar.show(search.outlook().as_ref());
            if !self.checkpoint.as_ref().is_some_and(Checkpoint::is_due) {
                return Ok(());
            }
            self.note_open(index, search);
            self.save().map_err(|error| {
                *failure.borrow_mut() = Some(error);
                bezout::Error::Cancelled
            })
        };
        let ran = bar.follow(|| cluster.factor(&mut search, &keep_going, &mut between));
        if let Some(failure) = failure.take() {
            return Err(failure);
        }
        let is_done = ran?;
        drop(bar);
        let line = self.finish(index, search, is_done)?;
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

    /// The line of a number that no more is done for, counted and noted. `is_done` says that
    /// nothing is left to try.
    fn finish(
        &mut self,
        index: usize,
        mut search: Search,
        is_done: bool,
    ) -> Result<String, Failure> {
        let result = search.result()?;
        let is_factored = result.is_complete();
        let digits = Digits::of(&result, !is_done)?;
        if !is_factored {
            say_what_is_left(&result, &digits, is_done);
        }
        let line = line(self.form, &result, digits)?;
        self.counts.all += 1;
        self.counts.unfinished += u64::from(!is_factored);
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.put(
                index,
                Begun {
                    line: line.clone(),
                    is_factored,
                    search: (!is_factored).then(|| search.clone()),
                },
            );
            if interrupt::is_requested() || search.has_relations() {
                checkpoint.save()?;
            }
            if is_factored {
                // The factors are on the disk now.
                search.remove_relations();
            }
        }
        Ok(line)
    }

    /// The lines of entries that are no long numbers, counted and noted from place `first` of the
    /// checkpoint on; says what is wrong with bad ones.
    fn enter(
        &mut self,
        first: usize,
        entries: &[Entry],
        outcomes: impl IntoIterator<Item = Outcome>,
    ) -> String {
        let mut lines = String::new();
        for (index, (entry, outcome)) in (first..).zip(entries.iter().zip(outcomes)) {
            self.counts.all += 1;
            let place = entry.place();
            match &outcome {
                Outcome::Line(_) => {}
                Outcome::Bad(reason) => {
                    self.counts.bad += 1;
                    output::report(&format!("bezout: error: {place}: {reason}"));
                }
                Outcome::Late => {
                    self.counts.unfinished += 1;
                    let why = why_stopped();
                    output::report(&format!(
                        "bezout: {place}: {why}: the number is not computed"
                    ));
                }
            }
            let line = outcome.into_line();
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
                checkpoint.put(index, begun);
            }
        }
        lines
    }
}
