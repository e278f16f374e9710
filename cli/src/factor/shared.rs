//! `bezout factor` by many ranks: the first reads, prints and keeps the checkpoint, and the others
//! work for it.
//!
//! Short numbers are dealt in runs, long ones one by one. Where there may be as many long ones as
//! ranks, each is searched by one rank for a turn, and what is known of it then comes back, for the
//! checkpoint and for the next turn; else a rank only looks at it. Those that are left and fewer
//! than ranks are searched one after the other, their curves by all ranks.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bezout::cluster::Cluster;
use bezout::factor::{Options, Search};
use bezout::{Error, Int};
use serde::{Deserialize, Serialize};

use super::Run;
use super::checkpoint::Begun;
use super::input::{Entry, Number};
use super::line::Form;
use super::short::{self, Outcome};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;

/// What the first rank wants of the others: a queue, curves for one number, or with no bytes
/// nothing more.
const JOB: u16 = 80;
const DEAL: u8 = 0;
const CURVES: u8 = 1;

/// How an item of the queue begins: words of 16 bytes, or a search's turn.
const WORDS: u8 = 0;
const TURN: u8 = 1;

/// Seconds of a turn.
const TURN_SECONDS: f64 = 15.0;

/// Short numbers dealt at a time, at least and at most: fewer towards the end, so that all ranks
/// are done at about the same time.
const FEWEST: usize = 256;
const MOST: usize = 1 << 16;

/// Tells the other ranks what is wanted.
fn call(cluster: &Cluster, job: &[u8]) {
    (1..cluster.size()).for_each(|rank| cluster.send(rank, JOB, job));
}

/// Lets the other ranks run the curves of the search that the first is about to begin.
pub fn call_for_curves(cluster: &Cluster) {
    call(cluster, &[CURVES]);
}

/// Nothing more is wanted.
pub fn dismiss(cluster: &Cluster) {
    call(cluster, &[]);
}

/// Works for the first rank until nothing more is wanted.
pub fn serve(cluster: &Cluster, form: Form, how: &Options) -> Result<(), Failure> {
    loop {
        match cluster.receive_patiently(0, JOB).as_slice() {
            [] => return Ok(()),
            [CURVES] => cluster.serve_factoring()?,
            _ => cluster.queue(
                std::iter::empty(),
                |item| work(form, how, item),
                |_, _| Ok(()),
            )?,
        }
    }
}

/// A search, the seconds after which it is to come back, and those it has at all.
#[derive(Serialize, Deserialize)]
struct Turn {
    search: Search,
    seconds: f64,
    left: Option<f64>,
}

/// What a turn came to.
#[derive(Serialize, Deserialize)]
struct Turned {
    search: Search,
    is_over: bool,
    /// Whether nothing is left to try.
    is_done: bool,
    seconds: f64,
}

/// An item of the queue, on any rank.
fn work(form: Form, how: &Options, item: &[u8]) -> bezout::Result<Vec<u8>> {
    let failed = |failure: Failure| Error::Cluster(failure.message().to_string());
    match item.split_first() {
        Some((&TURN, turn)) => to_json(&read_json::<Turn>(turn)?.take()?),
        words => {
            let (words, _) = words.map_or(&[][..], |(_, words)| words).as_chunks();
            let numbers = words.iter().map(|w| Number::Word(u128::from_le_bytes(*w)));
            let numbers: Vec<Number> = numbers.collect();
            let outcomes = short::outcomes(form, how, &numbers).map_err(failed)?;
            let lines = outcomes.into_iter().map(Outcome::into_line);
            Ok(lines.flat_map(|line| (line + "\n").into_bytes()).collect())
        }
    }
}

impl Turn {
    fn take(self) -> bezout::Result<Turned> {
        let Turn {
            mut search,
            seconds,
            left,
        } = self;
        let start = Instant::now();
        let spent = || start.elapsed().as_secs_f64();
        let has_time = || left.is_none_or(|left| spent() < left);
        // A turn ends between two tasks, so that no work is lost; time that is up does not wait.
        let is_over = AtomicBool::new(false);
        let keep_going = || !is_over.load(Ordering::Relaxed) && has_time();
        let is_done = search.run(&keep_going, &mut |_| {
            is_over.store(spent() >= seconds, Ordering::Relaxed);
            Ok(())
        })?;
        Ok(Turned {
            search,
            is_over: is_done || !has_time(),
            is_done,
            seconds: spent(),
        })
    }
}

fn to_json(value: &impl Serialize) -> bezout::Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::Cluster(error.to_string()))
}

fn read_json<T: for<'d> Deserialize<'d>>(bytes: &[u8]) -> bezout::Result<T> {
    serde_json::from_slice(bytes).map_err(|error| Error::Cluster(error.to_string()))
}

/// What waits to be printed: lines, or a search that is not over.
enum Held {
    Lines(String),
    Open(Box<Open>),
}

/// A search, its number's place in the checkpoint, and the time spent on it in this run.
struct Open {
    index: usize,
    search: Search,
    spent: Duration,
}

/// What was dealt: a run of entries, with the outcomes of those that are no numbers, or a long
/// number and the time that it took to compute.
enum Dealt {
    Short(Range<usize>, VecDeque<(usize, Outcome)>),
    Long(Duration),
}

/// A run's numbers, from the deal to the lines.
pub struct Spread<'r, 'a> {
    run: &'r mut Run<'a>,
    held: VecDeque<Held>,
    /// How many of `held` are gone.
    gone: usize,
}

impl<'r, 'a> Spread<'r, 'a> {
    pub fn of(run: &'r mut Run<'a>) -> Spread<'r, 'a> {
        Spread {
            run,
            held: VecDeque::new(),
            gone: 0,
        }
    }

    /// Takes up what a checkpoint knows of its next number.
    pub fn take_up(&mut self, index: usize, known: Begun) -> Result<(), Failure> {
        match known.search {
            None => {
                self.run.count_known(&known);
                self.hold_lines(known.printed())
            }
            Some(search) => {
                self.held.push_back(Held::Open(Box::new(Open {
                    index,
                    search,
                    spent: Duration::ZERO,
                })));
                Ok(())
            }
        }
    }

    /// Factors entries by all ranks and prints what comes of them and of all that was taken up, in
    /// order.
    pub fn all(mut self, entries: &[Entry]) -> Result<(), Failure> {
        self.deal(entries)?;
        let ranks = self.run.cluster.size();
        while !interrupt::is_requested() {
            let is_open = |held: &&Held| matches!(held, Held::Open(_));
            match self.held.iter().filter(is_open).count() {
                0 => break,
                count if count >= ranks => self.turns()?,
                _ => {
                    if let Some(Held::Open(open)) = self.held.pop_front() {
                        self.gone += 1;
                        self.run.large(open.index, open.search, open.spent)?;
                    }
                    self.flush()?;
                }
            }
        }
        Ok(())
    }

    /// The first deal: everything once.
    fn deal(&mut self, entries: &[Entry]) -> Result<(), Failure> {
        let (cluster, how, timeout) = (self.run.cluster, self.run.how.clone(), self.timeout());
        let reader = self.run.reader();
        let long = entries.iter().filter(|entry| !entry.is_short()).count();
        let seconds = if long >= cluster.size() {
            TURN_SECONDS
        } else {
            0.0
        };
        let dealt = RefCell::new(VecDeque::new());
        let (mut at, mut next_long) = (0, None::<(Int, Duration)>);
        let items = std::iter::from_fn(|| {
            let first = at;
            let most = cluster.portion(entries.len() - at, FEWEST, MOST);
            let (mut words, mut bad) = (vec![WORDS], VecDeque::new());
            while next_long.is_none() && at < entries.len() && at - first < most {
                let (number, spent) = reader(&entries[at]);
                bad.extend(Outcome::without_number(&number).map(|outcome| (at, outcome)));
                let word = match number {
                    Number::Word(word) => word,
                    Number::Bad(_) | Number::Late => 1,
                    Number::Large(number) => {
                        next_long = Some((number, spent));
                        break;
                    }
                };
                words.extend(word.to_le_bytes());
                at += 1;
            }
            if interrupt::is_requested() {
                return None;
            }
            if at > first {
                dealt.borrow_mut().push_back(Dealt::Short(first..at, bad));
                return Some(Ok(words));
            }
            let (number, spent) = next_long.take()?;
            at += 1;
            dealt.borrow_mut().push_back(Dealt::Long(spent));
            let left = timeout.map(|timeout| timeout - spent.as_secs_f64());
            Some(Search::new(&number, &how).and_then(|search| item(search, seconds, left)))
        });
        self.queue(items, |spread, _, result| {
            match dealt.borrow_mut().pop_front() {
                Some(Dealt::Short(range, mut bad)) => {
                    let first = spread.run.next_index();
                    let text = String::from_utf8_lossy(&result);
                    let outcomes = range.clone().zip(text.lines()).map(|(at, line)| {
                        match bad.pop_front_if(|(place, _)| *place == at) {
                            Some((_, outcome)) => outcome,
                            None => Outcome::Line(line.to_string()),
                        }
                    });
                    let lines = spread.run.enter(first, &entries[range], outcomes);
                    spread.hold_lines(lines)
                }
                long => {
                    let spent = match long {
                        Some(Dealt::Long(spent)) => spent,
                        _ => Duration::ZERO,
                    };
                    let index = spread.run.next_index();
                    let turned: Turned = read_json(&result)?;
                    let held = spread.turned(index, spent, turned)?;
                    spread.held.push_back(held);
                    spread.flush()
                }
            }
        })
    }

    /// A turn of every search that is not over.
    fn turns(&mut self) -> Result<(), Failure> {
        let timeout = self.timeout();
        let mut open = Vec::new();
        let mut items = Vec::new();
        for (place, held) in (self.gone..).zip(&self.held) {
            if let Held::Open(one) = held {
                open.push((place, one.index, one.spent));
                let left = timeout.map(|timeout| timeout - one.spent.as_secs_f64());
                items.push(item(one.search.clone(), TURN_SECONDS, left));
            }
        }
        self.queue(items.into_iter(), |spread, number, result| {
            let (place, index, spent) = open[number as usize];
            let held = spread.turned(index, spent, read_json(&result)?)?;
            let at = place - spread.gone;
            spread.held[at] = held;
            spread.flush()
        })
    }

    /// Runs items on all ranks, and what `take` does with the results here.
    fn queue(
        &mut self,
        items: impl Iterator<Item = bezout::Result<Vec<u8>>>,
        take: impl Fn(&mut Self, u64, Vec<u8>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (cluster, form, how) = (self.run.cluster, self.run.form, self.run.how.clone());
        call(&cluster, &[DEAL]);
        let mut failure = None;
        let done = cluster.queue(
            items,
            |item| work(form, &how, item),
            |number, result| {
                let taken = take(self, number, result).and_then(|()| self.run.save_if_due());
                taken.map_err(|reason| {
                    failure = Some(reason);
                    Error::Cancelled
                })
            },
        );
        match failure {
            Some(failure) => Err(failure),
            None => Ok(done?),
        }
    }

    /// What is held of a search after its turn.
    fn turned(&mut self, index: usize, spent: Duration, turned: Turned) -> Result<Held, Failure> {
        let (search, spent) = (
            turned.search,
            spent + Duration::from_secs_f64(turned.seconds),
        );
        if turned.is_over {
            let line = self.run.finish(index, search, turned.is_done)?;
            return Ok(Held::Lines(line + "\n"));
        }
        self.run.note_open(index, &search);
        Ok(Held::Open(Box::new(Open {
            index,
            search,
            spent,
        })))
    }

    fn hold_lines(&mut self, lines: String) -> Result<(), Failure> {
        self.held.push_back(Held::Lines(lines));
        self.flush()
    }

    /// Prints what has nothing before it that is not over.
    fn flush(&mut self) -> Result<(), Failure> {
        while let Some(Held::Lines(lines)) = self.held.pop_front_if(|h| matches!(h, Held::Lines(_)))
        {
            self.gone += 1;
            output::bytes(lines.as_bytes())?;
        }
        Ok(())
    }

    fn timeout(&self) -> Option<f64> {
        let timeout = self.run.options.timeout;
        timeout.map(|timeout| timeout.as_secs_f64())
    }
}

/// A search's turn, as it is dealt.
fn item(search: Search, seconds: f64, left: Option<f64>) -> bezout::Result<Vec<u8>> {
    let mut item = vec![TURN];
    item.extend(to_json(&Turn {
        search,
        seconds,
        left,
    })?);
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_ends_between_two_tasks_and_goes_on_where_it_ended() {
        let turn = |number: &Int, seconds, left| {
            let search = Search::new(number, &Options::default()).unwrap();
            let bytes = item(search, seconds, left).unwrap();
            let turn: Turn = read_json(&bytes[1..]).unwrap();
            turn.take().unwrap()
        };
        let easy = (Int::ONE << 89) - 1;
        let looked_at = turn(&(&easy * &easy), 0.0, None);
        assert!(looked_at.is_over && looked_at.search.result().unwrap().is_complete());
        let hard = Int::from(10).try_pow(24).unwrap() + 7;
        let hard = hard * (Int::from(10).try_pow(25).unwrap() + 13);
        let looked_at = turn(&hard, 0.0, None);
        assert!(!looked_at.is_over && !looked_at.search.result().unwrap().is_complete());
        assert!(turn(&hard, 15.0, Some(0.0)).is_over);
        let again = item(looked_at.search, 1e9, None).unwrap();
        let again: Turn = read_json(&again[1..]).unwrap();
        assert!(again.take().unwrap().search.result().unwrap().is_complete());
    }
}
