//! Followers on the host. With T threads, thread t holds blocks t, t + T, t + 2T, … of the moduli.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::block::{MODULUS_BITS, Moduli, first_blocks, negative_inverse};
use super::deal::{Deal, Hand};
use super::lanes;
use super::lead::{Leader, Near, Outcome};
use super::leader::Bounds;
use super::mailbox::{Cursor, Line, Mailbox, Received};
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::modp::primes;

/// What one follower holds of a run: the moduli of its blocks.
pub(super) struct Share {
    hand: Hand,
    k: usize,
    pub(super) q: Vec<u32>,
    pub(super) ninv: Vec<u32>,
    pub(super) u: Vec<u32>,
    pub(super) v: Vec<u32>,
}

impl Share {
    pub(super) fn new(plan: &Plan, moduli: &Moduli, hand: Hand) -> Share {
        let of = |list: &[u32]| -> Vec<u32> {
            let blocks = (0..hand.before(plan.blocks)).map(|i| hand.block(i));
            let parts = blocks.map(|b| &list[b * plan.k..(b + 1) * plan.k]);
            parts.flatten().copied().collect()
        };
        let (q, ninv) = (of(&moduli.q), of(&moduli.ninv));
        Share {
            hand,
            k: plan.k,
            u: vec![0; q.len()],
            v: vec![0; q.len()],
            q,
            ninv,
        }
    }

    /// The same where nobody keeps all moduli, and the least of them; none where there are not so
    /// many.
    pub(super) fn of_walk(plan: &Plan, deal: &Deal, member: usize) -> Option<(Share, u32)> {
        let hand = deal.hand(member);
        let count = hand.before(plan.blocks) * plan.k;
        let (mut q, mut number, mut least) = (Vec::with_capacity(count), 0, 0);
        primes::walk(MODULUS_BITS, plan.moduli(), |primes| {
            for prime in primes {
                least = *prime as u32;
                if deal.owner(number / plan.k) == member {
                    q.push(least);
                }
                number += 1;
            }
        });
        let share = Share {
            hand,
            k: plan.k,
            ninv: q.iter().map(|q| negative_inverse(*q)).collect(),
            u: vec![0; q.len()],
            v: vec![0; q.len()],
            q,
        };
        (number == plan.moduli()).then_some((share, least))
    }

    /// How many of this share's blocks come before this one.
    pub(super) fn before(&self, block: usize) -> usize {
        self.hand.before(block)
    }

    /// The first of its blocks from this one on.
    pub(super) fn next(&self, block: usize) -> usize {
        self.hand.block(self.hand.before(block))
    }

    /// Moduli of a block.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// Where the first of this share's blocks from `block` on begins.
    pub(super) fn start(&self, block: usize) -> usize {
        (self.hand.before(block) * self.k).min(self.q.len())
    }

    /// Runs `work` on the moduli from one place to another.
    pub(super) fn on(
        &mut self,
        from: usize,
        to: usize,
        work: impl FnOnce(&[u32], &[u32], &mut [u32], &mut [u32]),
    ) {
        work(
            &self.q[from..to],
            &self.ninv[from..to],
            &mut self.u[from..to],
            &mut self.v[from..to],
        );
    }

    /// Tells the leader the residues of the blocks up to `block`, from where they begin on.
    fn publish(&self, mailbox: &Mailbox<'_>, from: usize, to: usize) {
        for at in from..to {
            let block = self.hand.block(at / self.k);
            mailbox.publish(block * self.k + at % self.k, self.u[at], self.v[at]);
        }
    }

    /// Follows the leader to the end: operands first, words of both.
    pub(super) fn follow(&mut self, plan: &Plan, mailbox: &Mailbox<'_>, words: &[[u32; 2]]) {
        // What the leader waits for first.
        let soon = self.start(plan.ahead + 1);
        let convert = |q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]| {
            lanes::convert(words, q, ninv, u, v);
        };
        self.on(0, soon, convert);
        self.publish(mailbox, 0, soon);
        self.on(soon, self.q.len(), convert);
        let mut cursor = Cursor::default();
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
                Some(Received::Stop) => return,
                Some(Received::Step(header, step)) => {
                    rounds = 0;
                    let from = self.start(header.active);
                    let (wanted, after) =
                        (self.start(header.publish), self.start(header.publish + 1));
                    let apply = |q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]| {
                        lanes::apply(&step, q, ninv, u, v);
                    };
                    if wanted < after {
                        self.on(wanted, after, apply);
                        self.publish(mailbox, wanted, after);
                    }
                    self.on(from, wanted.max(from), apply);
                    self.on(after.max(from), self.q.len(), apply);
                }
            }
        }
    }
}

/// Leads and follows one run; none where the moduli were too few. With the outcome, residues of U
/// modulo the moduli that hold it.
pub(super) fn run(
    plan: &Plan,
    moduli: &Moduli,
    words: &[[u32; 2]],
    bounds: Bounds,
) -> Result<Option<(Outcome, Vec<u32>)>> {
    let memory: Vec<AtomicU64> = (0..plan.shape().words())
        .map(|_| AtomicU64::new(0))
        .collect();
    let mailbox = Mailbox::new(&memory, plan.shape());
    let team = rayon::current_num_threads()
        .saturating_sub(1)
        .clamp(1, plan.blocks);
    let deal = Deal::even(team);
    let mut shares: Vec<Share> = (0..team)
        .map(|member| Share::new(plan, moduli, deal.hand(member)))
        .collect();
    let blocks = first_blocks(moduli, plan.k, plan.blocks);
    let lost = AtomicBool::new(false);
    let alive = || match lost.load(Ordering::Relaxed) {
        false => Ok(true),
        true => Err(Error::Domain(
            "gcd by lattices: a follower's thread was lost".into(),
        )),
    };
    let outcome = std::thread::scope(|scope| {
        for share in &mut shares {
            let (mailbox, lost) = (&mailbox, &lost);
            scope.spawn(move || {
                let _flag = OnUnwind(lost);
                share.follow(plan, mailbox, words);
            });
        }
        let near = Near {
            line: Line::new(mailbox, &alive, plan.k),
            moduli,
            blocks: &blocks,
        };
        let least = moduli.q[plan.moduli() - 1];
        Leader::new(*plan, near, least, bounds, words.len() as u64).run()
    })?;
    Ok(outcome.map(|outcome| {
        let residues = gather(plan, &deal, &shares, &outcome);
        (outcome, residues)
    }))
}

/// The conversion of numbers of so many words modulo so many primes, again and again: what
/// followers do most of their time, for a measurement.
pub(crate) fn exercise(moduli: usize, words: usize) -> impl FnMut() {
    let Moduli { q, ninv } = Moduli::new(moduli).unwrap_or(Moduli {
        q: Arc::default(),
        ninv: Arc::default(),
    });
    let count = q.len().min(moduli);
    let (mut u, mut v) = (vec![0; count], vec![0; count]);
    let words = vec![[u32::MAX, 1]; words];
    move || lanes::convert(&words, &q[..count], &ninv[..count], &mut u, &mut v)
}

/// Sets the flag where a panic unwinds through its owner, so that nobody waits for a thread that is
/// gone.
struct OnUnwind<'a>(&'a AtomicBool);

impl Drop for OnUnwind<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The residues of U that are needed, in the moduli's order.
fn gather(plan: &Plan, deal: &Deal, shares: &[Share], outcome: &Outcome) -> Vec<u32> {
    let at = |modulus: usize| {
        let block = modulus / plan.k;
        let share = &shares[deal.owner(block)];
        share.u[share.start(block) + modulus % plan.k]
    };
    outcome.range(plan).map(at).collect()
}
