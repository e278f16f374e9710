//! Operands that take many rounds. The followers' work grows with the square of the length, so long
//! operands are shortened by rounds that use the same moduli.
//!
//! A round uses the operands U and V only modulo the product P of its moduli. It makes the steps of
//! all its blocks. Let B be the product of the steps' bases, the latest first, and N the product of
//! the moduli that they used, which is P without the moduli that divide both operands. Then [U',
//! V'] = B·[U, V]/N are integers with the same greatest common divisor, by the argument of
//! `basis/reduction.rs` for every step of the round. The weights are the bounds of the whole
//! numbers, so |U'|·|V'| is smaller than |U|·|V| by log2 N bits, minus at most LOSS_BITS per block.
//! The new numbers are known in full, so their residues can be computed modulo the same moduli.
//!
//! The divisions by N are exact unless a residue or a basis is wrong, so a remainder other than 0
//! shows a fault.

use std::sync::{Arc, OnceLock};

use rayon::Scope;

use super::basis::{Bound, OperandBounds, Step};
use super::moduli::{Moduli, product, product_of_first};
use super::plan::{LatticePlan, too_large};
use super::run::{DeviceRun, PassOutcome};
use crate::cuda::Device;
use crate::div::{Reciprocal, magnitude, signed};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use crate::gcd::Advance;
use crate::limbs::{self, Resident};
use crate::mul::{matrix_product, mul};
use crate::number::Integer;
use crate::threads;
use crate::tuning::Tuning;

/// The result of rounds: numbers with the same greatest common divisor, the first not shorter than
/// the second.
pub(super) struct Shortened {
    pub(super) u: Resident,
    pub(super) v: Resident,
    pub(super) steps: u64,
    /// Whether rounds took too little off: most of the moduli divide both.
    pub(super) stuck: bool,
    /// The bases of the rounds, in order, if they are wanted.
    pub(super) bases: Vec<Basis>,
    /// Whether every round used all its moduli.
    pub(super) whole: bool,
}

/// A number ≥ 0 and its bits.
type Sized = (Resident, u64);

fn sized(x: &Resident) -> Result<Sized> {
    let (sign, bits) = limbs::size(x)?;
    Ok((magnitude(x, sign, bits)?, bits))
}

/// Shortens a and b by rounds until they are short enough for one run. Stores the bases if `keep`.
pub(super) fn shorten(
    a: &Resident,
    b: &Resident,
    rounds: &mut Rounds,
    keep: bool,
    advance: Advance<'_>,
) -> Result<Shortened> {
    let (mut u, mut v) = (sized(a)?, sized(b)?);
    let (mut steps, mut stuck, mut whole) = (0, false, true);
    let mut bases: Vec<Basis> = Vec::new();
    let (bits, rest) = (rounds.bits, rounds.rest);
    loop {
        if u.1 < v.1 {
            (u, v) = (v, u);
            match bases.last_mut() {
                Some([upper, lower]) => std::mem::swap(upper, lower),
                None if keep => bases.push(exchange()),
                None => {}
            }
        }
        let before = u.1 + v.1;
        if stuck || v.1 == 0 || before <= rest {
            let (u, v) = (u.0, v.0);
            return Ok(Shortened {
                u,
                v,
                steps,
                stuck,
                bases,
                whole,
            });
        }
        let done = rounds.get()?.pass(u, v, keep)?;
        [u, v] = done.pair;
        steps += done.steps;
        whole &= done.whole;
        bases.extend(done.basis);
        let off = before.saturating_sub(u.1 + v.1);
        stuck = off < bits / 2 && v.1 > 0 && u.1 > 0;
        advance(off / 2)?;
    }
}

/// See [`Rounds::new`].
const ROUNDS: u64 = 32;
/// How much longer a round is than the shortest, at most: the tables of more blocks are not kept.
const MOST_LONGER: u64 = 3;

/// The moduli of all rounds, looked up when the first is made.
pub(super) struct Rounds {
    device: Arc<Device>,
    bits: u64,
    /// Maximum length that is left for one run.
    rest: u64,
    round: Option<Round>,
}

impl Rounds {
    /// Rounds for operands of `total` bits together: about `ROUNDS` of them, so that the divisions,
    /// which every round has, and the conversions, which grow with the square of its length, take
    /// about the same time.
    pub(super) fn new(device: &Arc<Device>, total: u64) -> Rounds {
        let least = 64 * Tuning::in_force().lattice_round_limbs as u64;
        let longer = total.div_ceil(ROUNDS * least).clamp(1, MOST_LONGER);
        let bits = longer * least;
        Rounds {
            device: device.clone(),
            bits,
            // One run of two rounds' length takes as long as they do, and less memory.
            rest: (bits + bits / 2).max(2 * least + least / 8),
            round: None,
        }
    }

    pub(super) fn get(&mut self) -> Result<&Round> {
        let round = match self.round.take() {
            Some(round) => round,
            None => Round::new(&self.device, self.bits)?,
        };
        Ok(self.round.insert(round))
    }
}

/// The moduli of a round.
pub(super) struct Round {
    plan: LatticePlan,
    moduli: Moduli,
    run: DeviceRun,
    /// P and its bits.
    pub(super) product: Resident,
    pub(super) bits: u64,
    pub(super) reciprocal: Reciprocal,
}

/// The result of one round.
struct Done {
    /// The sizes of U' and V'.
    pair: [Sized; 2],
    /// The basis that gives them, with signs, if it is wanted and there was a step.
    basis: Option<Basis>,
    steps: u64,
    /// Whether it used all moduli.
    whole: bool,
}

impl Round {
    fn new(device: &Arc<Device>, bits: u64) -> Result<Round> {
        let plan = LatticePlan::of_round(bits, &Tuning::current());
        let Some(moduli) = Moduli::new(plan.moduli()) else {
            let bound = Bound::power(bits);
            return Err(too_large(&OperandBounds { u: bound, v: bound }));
        };
        let product = product_of_first(&moduli, plan.moduli())?;
        let bits = limbs::size(&product)?.1;
        Ok(Round {
            run: DeviceRun::new(device, &plan)?,
            reciprocal: Reciprocal::new(&product, bits, bits)?,
            plan,
            moduli,
            product,
            bits,
        })
    }

    /// Makes one round. Frees data as soon as they are not needed, because the products need the
    /// memory.
    fn pass(&self, u: Sized, v: Sized, keep: bool) -> Result<Done> {
        let rest = |(x, bits): &Sized| self.reciprocal.div_rem(x, *bits).map(|(_, rest)| rest);
        let there = |x: &Sized| rest(x)?.narrow(self.bits).on(self.run.device());
        self.run.convert(&self.plan, &there(&u)?, &there(&v)?)?;
        let bounds = OperandBounds {
            u: Bound::power(u.1),
            v: Bound::power(v.1),
        };
        let mut bases = Bases::default();
        let passage = threads::in_place_scope(|scope| {
            let done = self
                .run
                .lead_through_all_blocks(&self.plan, &self.moduli, bounds, |step| {
                    bases.add(step, scope);
                });
            bases.close(scope);
            done
        })?;
        let Some([upper, lower]) = bases.product()? else {
            return Ok(Done {
                pair: [u, v],
                basis: None,
                steps: 0,
                whole: false,
            });
        };
        let mut basis = Vec::new();
        let mut applied = |row: [Resident; 2]| -> Result<Sized> {
            let sum = limbs::add(&mul(&row[0], &u.0)?, &mul(&row[1], &v.0)?)?;
            let (sign, bits) = limbs::size(&sum)?;
            if keep {
                let [a, b] = row;
                basis.push([signed(a, sign)?, signed(b, sign)?]);
            }
            Ok((magnitude(&sum, sign, bits)?, bits))
        };
        let next = [applied(upper)?, applied(lower)?];
        drop((u, v));
        let used = self.used(&passage)?;
        let own;
        let reciprocal = match &used {
            None => &self.reciprocal,
            Some((used, bits)) => {
                own = Reciprocal::new(used, *bits, *bits)?;
                &own
            }
        };
        let [u, v] = next.map(|(x, bits)| sized(&divided(&x, bits, reciprocal)?));
        Ok(Done {
            pair: [u?, v?],
            basis: basis.try_into().ok(),
            steps: passage.steps,
            whole: used.is_none(),
        })
    }

    /// The product of the used moduli, and its bits. None if all moduli were used.
    fn used(&self, passage: &PassOutcome) -> Result<Option<(Resident, u64)>> {
        if passage.blocks == self.plan.blocks && passage.common.is_empty() {
            return Ok(None);
        }
        let first = &self.moduli.q[..passage.blocks * self.plan.k];
        let used = first.iter().filter(|q| !passage.common.contains(q));
        let product = product(&used.copied().collect::<Vec<_>>())?;
        let bits = limbs::size(&product)?.1;
        Ok(Some((product, bits)))
    }
}

/// x/d for 0 ≤ x < 2^bits that d divides.
pub(super) fn divided(x: &Resident, bits: u64, d: &Reciprocal) -> Result<Resident> {
    let (quotient, rest) = d.div_rem(x, bits)?;
    if limbs::size(&rest)?.1 > 0 {
        let reason = "gcd by lattices: a division by moduli is not exact";
        return Err(Error::Verification(reason.into()));
    }
    Ok(quotient)
}

/// A basis, by rows.
pub(super) type Basis = [[Resident; 2]; 2];

/// The basis that exchanges two numbers.
fn exchange() -> Basis {
    let number = |x: u32| Resident::from(Integer::from(x));
    [[number(0), number(1)], [number(1), number(0)]]
}

/// The steps of a piece: other threads multiply them while the leader goes on.
const PIECE: usize = 128;

/// The product of the steps' bases, a piece at a time.
#[derive(Default)]
struct Bases {
    open: Vec<Step>,
    pieces: Vec<Arc<OnceLock<Result<Basis>>>>,
}

impl Bases {
    fn add<'scope>(&mut self, step: Step, scope: &Scope<'scope>) {
        self.open.push(step);
        if self.open.len() == PIECE {
            self.close(scope);
        }
    }

    /// Sends the open piece to another thread.
    fn close<'scope>(&mut self, scope: &Scope<'scope>) {
        if self.open.is_empty() {
            return;
        }
        let (steps, tuning) = (std::mem::take(&mut self.open), Tuning::current());
        let piece = Arc::new(OnceLock::new());
        self.pieces.push(piece.clone());
        scope.spawn(move |_| {
            let product = tuning.scope(|| Engine::Cpu.scope(|| of_steps(&steps)));
            let _ = piece.set(product);
        });
    }

    /// The product of all bases, the latest first. None if there are none. The scope must have
    /// ended.
    fn product(self) -> Result<Option<Basis>> {
        let taken = |piece: Arc<OnceLock<Result<Basis>>>| Arc::into_inner(piece)?.into_inner();
        let pieces = self.pieces.into_iter();
        let list = pieces.map(|piece| taken(piece).unwrap_or_else(lost));
        product_of_bases(list.collect::<Result<Vec<_>>>()?)
    }
}

/// The product of the bases, the latest first. None if there are none.
pub(super) fn product_of_bases(mut list: Vec<Basis>) -> Result<Option<Basis>> {
    // Multiplies pairs of neighbours, so that both factors have equal lengths.
    while list.len() > 1 {
        let mut pairs = list.into_iter();
        list = Vec::new();
        while let Some(early) = pairs.next() {
            list.push(match pairs.next() {
                Some(late) => times(&late, &early)?,
                None => early,
            });
        }
    }
    Ok(list.pop())
}

fn lost() -> Result<Basis> {
    let reason = "gcd by lattices: a part of a round was lost";
    Err(Error::Verification(reason.into()))
}

/// The product of these steps' bases, the latest first.
fn of_steps(steps: &[Step]) -> Result<Basis> {
    if let [step] = steps {
        let [a1, b1, a2, b2] = step.entries().map(Resident::from);
        return Ok([[a1, b1], [a2, b2]]);
    }
    let (early, late) = steps.split_at(steps.len() / 2);
    let (early, late) = engine::join(|| of_steps(early), || of_steps(late));
    times(&late?, &early?)
}

fn times(late: &Basis, early: &Basis) -> Result<Basis> {
    let [[a, b], [c, d]] = late;
    let [[e, f], [g, h]] = early;
    matrix_product([[a, b], [c, d]], [[e, f], [g, h]], None)
}
