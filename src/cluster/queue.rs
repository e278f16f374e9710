//! Work dealt to whoever is free.
//!
//! Rank 0 deals: an item at a time to each rank, itself among them by a thread of its own, so that
//! a rank that is slow or has a hard item takes fewer. Items are read as they are dealt and results
//! handed on as soon as all before them are there, so that neither list is ever held: at most
//! `AHEAD` items for each rank are under way or wait for an earlier one.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;

use super::{Cluster, Tag};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::progress;
use crate::tuning::Scoped;

/// Items for each rank between the one whose result is waited for and the one dealt last.
const AHEAD: u64 = 64;

/// How long the dealer sleeps where nothing has come.
const PAUSE: Duration = Duration::from_micros(20);

/// The first byte of a message.
const ITEM: u8 = 0;
const END: u8 = 1;
const FAILED: u8 = 2;

/// What a rank did with the item of this number.
type Done = (u64, Result<Vec<u8>>);

impl Cluster {
    /// Runs `work` on every item, each on some rank, and hands the results to `sink` on rank 0, in
    /// the items' order.
    ///
    /// Only rank 0 reads `items`. The first error, of an item, of `work` anywhere or of `sink`,
    /// ends it with an error on all ranks. Items should be worth some milliseconds: put small ones
    /// together.
    pub fn queue(
        &self,
        items: impl Iterator<Item = Result<Vec<u8>>>,
        work: impl Fn(&[u8]) -> Result<Vec<u8>> + Sync,
        mut sink: impl FnMut(u64, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        if self.size == 1 {
            return items.zip(0..).try_for_each(|(item, index)| {
                progress::check()?;
                sink(index, work(&item?)?)
            });
        }
        if !self.is_first() {
            return self.serve(work);
        }
        let (engine, tuning) = (Engine::current(), Scoped::current());
        let done = std::thread::scope(|scope| {
            let (deal, dealt) = mpsc::channel::<(u64, Vec<u8>)>();
            let (answer, answers) = mpsc::channel::<Done>();
            let work = &work;
            scope.spawn(move || {
                tuning.enter(|| {
                    engine.scope(|| {
                        for (index, item) in dealt {
                            if answer.send((index, work(&item))).is_err() {
                                return;
                            }
                        }
                    })
                })
            });
            let mut dealer = Dealer {
                cluster: self,
                deal,
                answers,
                free: (0..self.size).rev().collect(),
                away: 0,
                next: 0,
                wanted: 0,
                waiting: BTreeMap::new(),
            };
            let done = dealer.run(items, &mut sink);
            dealer.call_in();
            done
        });
        let last = match &done {
            Ok(()) => vec![END],
            Err(error) => message(FAILED, 0, error.to_string().as_bytes()),
        };
        (1..self.size).for_each(|rank| self.send(rank, Tag::Deal as u16, &last));
        done
    }

    /// How many of the things that are left to deal at a time: fewer towards the end, so that all
    /// ranks are done at about the same time.
    pub fn portion(&self, left: usize, fewest: usize, most: usize) -> usize {
        (left / (4 * self.size)).clamp(fewest, most).min(left)
    }

    /// Works for rank 0 until it says that there is no more.
    fn serve(&self, work: impl Fn(&[u8]) -> Result<Vec<u8>>) -> Result<()> {
        let mut own = None;
        loop {
            let (kind, index, body) = parts(self.receive(0, Tag::Deal as u16));
            match kind {
                ITEM => {
                    let answer = match work(&body) {
                        Ok(result) => message(ITEM, index, &result),
                        Err(error) => {
                            let text = message(FAILED, index, error.to_string().as_bytes());
                            own = Some(error);
                            text
                        }
                    };
                    self.send(0, Tag::Result as u16, &answer);
                }
                FAILED => {
                    let text = || Error::Cluster(String::from_utf8_lossy(&body).into_owned());
                    return Err(own.unwrap_or_else(text));
                }
                _ => return Ok(()),
            }
        }
    }
}

/// Rank 0 as it deals.
struct Dealer<'a> {
    cluster: &'a Cluster,
    deal: Sender<(u64, Vec<u8>)>,
    answers: Receiver<Done>,
    /// Ranks without an item, those to be served first last.
    free: Vec<usize>,
    /// Items that other ranks have.
    away: usize,
    /// The number of the next item, and of the result that `sink` waits for.
    next: u64,
    wanted: u64,
    /// Results after that one.
    waiting: BTreeMap<u64, Vec<u8>>,
}

impl Dealer<'_> {
    fn run(
        &mut self,
        mut items: impl Iterator<Item = Result<Vec<u8>>>,
        sink: &mut impl FnMut(u64, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let ahead = AHEAD * self.cluster.size as u64;
        let mut over = false;
        loop {
            while !over && self.next < self.wanted + ahead && !self.free.is_empty() {
                match items.next().transpose()? {
                    Some(item) => self.deal(item)?,
                    None => over = true,
                }
            }
            if over && self.wanted == self.next {
                return Ok(());
            }
            let Some((rank, (index, result))) = self.answer()? else {
                progress::check()?;
                std::thread::sleep(PAUSE);
                continue;
            };
            self.free.push(rank);
            self.waiting.insert(index, result?);
            while let Some(result) = self.waiting.remove(&self.wanted) {
                sink(self.wanted, result)?;
                self.wanted += 1;
            }
        }
    }

    fn deal(&mut self, item: Vec<u8>) -> Result<()> {
        match self.free.pop() {
            Some(0) | None => self.deal.send((self.next, item)).map_err(|_| lost())?,
            Some(rank) => {
                let message = message(ITEM, self.next, &item);
                self.cluster.send(rank, Tag::Deal as u16, &message);
                self.away += 1;
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Waits for what other ranks still have after an error: it must not be taken for a result of
    /// the next queue.
    fn call_in(&mut self) {
        while self.away > 0 {
            match self.cluster.receive_any(Tag::Result as u16) {
                Some(_) => self.away -= 1,
                None => std::thread::sleep(PAUSE),
            }
        }
    }

    /// A result, and whose it is, if there is one.
    fn answer(&mut self) -> Result<Option<(usize, Done)>> {
        match self.answers.try_recv() {
            Ok(done) => return Ok(Some((0, done))),
            Err(TryRecvError::Disconnected) => return Err(lost()),
            Err(TryRecvError::Empty) => {}
        }
        let arrived = self.cluster.receive_any(Tag::Result as u16);
        self.away -= usize::from(arrived.is_some());
        Ok(arrived.map(|(rank, bytes)| {
            let (kind, index, body) = parts(bytes);
            let text = || format!("rank {rank}: {}", String::from_utf8_lossy(&body));
            let result = match kind {
                ITEM => Ok(body),
                _ => Err(Error::Cluster(text())),
            };
            (rank, (index, result))
        }))
    }
}

fn lost() -> Error {
    Error::Cluster("rank 0: the thread that works beside the dealer was lost".into())
}

/// A message: its kind, the item's number, and the rest.
fn message(kind: u8, index: u64, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(9 + body.len());
    bytes.push(kind);
    bytes.extend(index.to_le_bytes());
    bytes.extend(body);
    bytes
}

fn parts(mut bytes: Vec<u8>) -> (u8, u64, Vec<u8>) {
    let Some(([kind, index @ ..], _)) = bytes.split_first_chunk::<9>() else {
        return (bytes.first().copied().unwrap_or(FAILED), 0, Vec::new());
    };
    let (kind, index) = (*kind, u64::from_le_bytes(*index));
    (kind, index, bytes.split_off(9))
}
