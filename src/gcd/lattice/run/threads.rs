//! Followers on threads of one process. With T threads, thread t owns blocks t, t + T, t + 2T, … of
//! the moduli.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::super::basis::OperandBounds;
use super::super::moduli::{BlockOwners, Moduli, ModuliShare, first_blocks, vectors};
use super::super::plan::LatticePlan;
use super::followers::MailboxFollowers;
use super::leader::{Leader, Outcome};
use super::mailbox::{LeaderEnd, LogEntry, LogPosition, Mailbox};
use crate::error::{Error, Result};
use crate::threads;

/// Writes the residues of the places from..to of a share to the mailbox.
fn publish(share: &ModuliShare, mailbox: &Mailbox<'_>, from: usize, to: usize) {
    for at in from..to {
        mailbox.publish(share.modulus_number(at), share.u[at], share.v[at]);
    }
}

/// Follows the leader to the end, on one thread. `words` are those of both operands.
fn follow(share: &mut ModuliShare, plan: &LatticePlan, mailbox: &Mailbox<'_>, words: &[[u32; 2]]) {
    // The blocks for which the leader waits first.
    let soon = share.start(plan.ahead + 1);
    let convert = |q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]| {
        vectors::convert(words, q, ninv, u, v);
    };
    share.on(0, soon, convert);
    publish(share, mailbox, 0, soon);
    share.on(soon, share.q.len(), convert);
    let mut cursor = LogPosition::default();
    let mut rounds = 0u32;
    loop {
        match cursor.receive(mailbox) {
            None => {
                rounds = rounds.saturating_add(1);
                if rounds < 1 << 10 {
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
            Some(LogEntry::Stop) => return,
            Some(LogEntry::Step(header, step)) => {
                rounds = 0;
                let from = share.start(header.active);
                let (wanted, after) =
                    (share.start(header.publish), share.start(header.publish + 1));
                let apply = |q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]| {
                    vectors::apply(&step, q, ninv, u, v);
                };
                if wanted < after {
                    share.on(wanted, after, apply);
                    publish(share, mailbox, wanted, after);
                }
                share.on(from, wanted.max(from), apply);
                share.on(after.max(from), share.q.len(), apply);
            }
        }
    }
}

/// Leads and follows one run. Returns the outcome, and the residues of U modulo the moduli that
/// represent it. None if the moduli were too few.
pub(crate) fn run(
    plan: &LatticePlan,
    moduli: &Moduli,
    words: &[[u32; 2]],
    bounds: OperandBounds,
) -> Result<Option<(Outcome, Vec<u32>)>> {
    let memory: Vec<AtomicU64> = (0..plan.mailbox_lengths().words())
        .map(|_| AtomicU64::new(0))
        .collect();
    let mailbox = Mailbox::new(&memory, plan.mailbox_lengths());
    let count = threads::count().saturating_sub(1).clamp(1, plan.blocks);
    let owners = BlockOwners::even(count);
    let mut shares: Vec<ModuliShare> = (0..count)
        .map(|thread| ModuliShare::new(plan, moduli, owners.blocks_of(thread)))
        .collect();
    let blocks = first_blocks(moduli, plan.k, plan.blocks);
    let lost = AtomicBool::new(false);
    let alive = || {
        if lost.load(Ordering::Relaxed) {
            Err(Error::Domain(
                "gcd by lattices: a follower's thread was lost".into(),
            ))
        } else {
            Ok(true)
        }
    };
    let outcome = std::thread::scope(|scope| {
        for share in &mut shares {
            let (mailbox, lost) = (&mailbox, &lost);
            scope.spawn(move || {
                let _flag = OnUnwind(lost);
                follow(share, plan, mailbox, words);
            });
        }
        let followers = MailboxFollowers {
            mailbox: LeaderEnd::new(mailbox, &alive, plan.k),
            moduli,
            blocks: &blocks,
        };
        let least = moduli.q[plan.moduli() - 1];
        Leader::new(*plan, followers, least, bounds, words.len() as u64).lead_to_end()
    })?;
    Ok(outcome.map(|outcome| {
        let residues = gather(plan, &owners, &shares, &outcome);
        (outcome, residues)
    }))
}

/// For a measurement: converts numbers of `words` words modulo `moduli` primes repeatedly. This is
/// the work that followers do most of the time.
pub(crate) fn exercise(moduli: usize, words: usize) -> impl FnMut() {
    let Moduli { q, ninv } = Moduli::new(moduli).unwrap_or(Moduli {
        q: Arc::default(),
        ninv: Arc::default(),
    });
    let count = q.len().min(moduli);
    let (mut u, mut v) = (vec![0; count], vec![0; count]);
    let words = vec![[u32::MAX, 1]; words];
    move || vectors::convert(&words, &q[..count], &ninv[..count], &mut u, &mut v)
}

/// Sets the flag if a panic unwinds through its owner, so that no thread waits for one that has
/// ended.
struct OnUnwind<'a>(&'a AtomicBool);

impl Drop for OnUnwind<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The needed residues of U, in the order of the moduli.
fn gather(
    plan: &LatticePlan,
    owners: &BlockOwners,
    shares: &[ModuliShare],
    outcome: &Outcome,
) -> Vec<u32> {
    let at = |modulus: usize| {
        let block = modulus / plan.k;
        let share = &shares[owners.owner(block)];
        share.u[share.start(block) + modulus % plan.k]
    };
    outcome.range(plan).map(at).collect()
}
