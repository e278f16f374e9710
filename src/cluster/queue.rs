//! A work queue over ranks: each free rank gets the next item.
//!
//! Rank 0 sends one item at a time to each rank. It also works itself, on a separate thread. A rank
//! that is slow, or has a hard item, therefore gets fewer items. Items are read when they are sent,
//! and a result is passed on as soon as all earlier results have been. Neither list is ever stored
//! as a whole: for each rank, at most `AHEAD` items are in flight or wait for an earlier result.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;

use super::{Cluster, Tag};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::progress;
use crate::tuning::Scoped;

/// Maximum items for each rank between the oldest missing result and the item sent last.
const AHEAD: u64 = 64;

/// How long the dealer sleeps if no result has arrived.
const PAUSE: Duration = Duration::from_micros(20);

/// The first byte of a message.
const ITEM: u8 = 0;
const END: u8 = 1;
const FAILED: u8 = 2;

/// The index of an item, and the result of the work on it.
type Done = (u64, Result<Vec<u8>>);

impl Cluster {
    /// Runs `work` on every item, each on some rank, and passes the results to `sink` on rank 0, in
    /// the order of the items. Collective.
    ///
    /// Only rank 0 reads `items`. The first error of an item, of `work` on any rank, or of `sink`
    /// ends the queue with an error on all ranks. An item should take some milliseconds, so combine
    /// small ones.
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

    /// Returns how many of the `left` remaining things to put into one item. The number falls
    /// towards the end, so that all ranks finish at about the same time.
    pub fn portion(&self, left: usize, fewest: usize, most: usize) -> usize {
        (left / (4 * self.size)).clamp(fewest, most).min(left)
    }

    /// Works on the items that rank 0 sends until the queue ends.
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

/// The state of rank 0.
struct Dealer<'a> {
    cluster: &'a Cluster,
    deal: Sender<(u64, Vec<u8>)>,
    answers: Receiver<Done>,
    /// Ranks without an item. The last one gets the next item.
    free: Vec<usize>,
    /// The number of items on other ranks.
    away: usize,
    /// The index of the next item, and below it that of the next result for `sink`.
    next: u64,
    wanted: u64,
    /// Results that arrived before an earlier one.
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

    /// After an error, waits for the results of items on other ranks, so that the next queue does
    /// not take them for its own.
    fn call_in(&mut self) {
        while self.away > 0 {
            match self.cluster.receive_any(Tag::Result as u16) {
                Some(_) => self.away -= 1,
                None => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Returns a result that has arrived, and the rank that computed it.
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

/// Builds a message: its kind, the item's index, and the body.
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
