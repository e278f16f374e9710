//! Predicts the time of the modular GCDs on R ranks, from the rates of one rank and the costs of
//! communication.
//!
//! **[`predicted_seconds`]`(bits, ranks, &parameters)`** is the time of the gcd by lattices of two
//! numbers of `bits` bits on `ranks` ranks, and [`weber_seconds`] that of Weber's algorithm.
//! [`Parameters`] are the [`Rates`] of one rank, shipped or [calibrated](Rates::calibrated) by
//! times of one rank alone, and a [`Network`].
//!
//! Numbers of n bits take B = 2n/(31k − 1.25) blocks of k moduli. Block b, of B, costs
//!
//! ```text
//! leader            on rank 0 alone: the half-way Euclid on (M, T)
//! lift, table       on the block's owner: T from its residues, the block's tables
//! F_b = follow·k(B − b)(2k + 4)
//!                   on all ranks, R of them each 1/R: four entries of k/2 words applied to two
//!                   residues
//! posts, way        the basis to all ranks, and a block's ratio back
//! ```
//!
//! Before the first block, the 2·n/32 words of both operands are reduced modulo every modulus,
//! which divides by R too. Every rank enumerates all primes, and once more to reconstruct the
//! result, which does not divide. A CPU rank leads and follows on the same core. Ranks may lag by
//! some steps, so a step takes the maximum of three times: the share of the work of each other
//! rank, the share of rank 0 including its work as the leader, and the path from one step to the
//! next if no rank has other work:
//!
//! ```text
//! T = start + walk + convert/R + Σ_b max(other·(lift/R + table/R + F_b/R),
//!                                        leader + posts(R) + first·(lift/R + table/R + F_b/R),
//!                                        leader + way(R) + lift + message + look)
//! ```
//!
//! `first` and `other` are the shares of rank 0 and of every other rank, as multiples of an even
//! share. They compensate for rank 0's work as the leader. posts(R) is the time for the messages
//! that rank 0 sends itself, up to FAN. way(R) is the time for the levels of the tree of ranks.
//! `look` is half of the time that a rank works between two checks for messages, and is part of
//! each level too. All work of a rank takes `crowding` times as long if the ranks of a machine are
//! busy. Ranks of different speeds own blocks in proportion to speed, so their mean counts. A
//! device follows while its leader works:
//!
//! ```text
//! T = start + walk + convert/R
//!     + Σ_b max(leader + table/R + max(posts(R), way(R) + lift + trip + message), F_b/R)
//! ```
//!
//! Weber's algorithm makes S = n/(log2 N + 1.33) steps, with a mean of N moduli: the smallest of N
//! uniform quotients below 2^31 has 31 − log2 N − γ/ln 2 bits. Each step waits for an all-reduce.

pub mod weber_brew;

use serde::Serialize;

use super::Network;
use super::gcd::{FAN, MOST};
use crate::gcd::lattice::{CACHED_MODULI, LEAST_PART, LOSS_BITS, MODULUS_BITS, PORTION};

/// The best number of ranks is the smallest whose time is within this factor of the minimum.
const SLACK: f64 = 1.02;

/// The linear part of a time must be at least this fraction of it, so that the linear and the
/// quadratic part can be separated.
const TELLING: f64 = 0.2;

/// Maximum bits of a projected number: the 31-bit primes suffice for no more.
pub const MOST_BITS: u64 = 750_000_000;

/// The times of one rank, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rates {
    /// The processor or device of a rank.
    pub name: &'static str,
    /// Where the figures come from.
    pub from: &'static str,
    /// Whether the followers run on a device, beside the leader.
    pub device: bool,
    /// Moduli of a block.
    pub block: u32,
    /// The fixed cost of a run.
    pub start: f64,
    /// The leader's time to find a block's step from T.
    pub leader: f64,
    /// The time to compute T from a block's residues.
    pub lift: f64,
    /// The time to compute a block's tables.
    pub table: f64,
    /// The time per prime that every rank enumerates, twice.
    pub walk: f64,
    /// The time to apply one word of an entry to one residue.
    pub follow: f64,
    /// The time to reduce one word of an operand modulo one prime.
    pub convert: f64,
    /// A round trip between device and host.
    pub trip: f64,
    /// A step of Weber's algorithm without the work per modulus.
    pub weber_step: f64,
    /// The work per modulus in a step of Weber's algorithm.
    pub weber_modulus: f64,
    /// Bits, and the seconds of the algorithm that `auto` chooses on one rank alone.
    pub alone: &'static [(u64, f64)],
}

impl Rates {
    /// An H200 and a core of its host.
    pub const H200: Rates = Rates {
        name: "H200",
        from: "fitted to times of an H200, commit 36441dd, 2026-11-15; follow from instructions \
               counted, trip from mapped memory, table by a clock on two cores",
        device: true,
        block: 64,
        start: 1.2e-4,
        leader: 6.6e-6,
        lift: 2.5e-6,
        table: 1.8e-5,
        walk: 1.9e-7,
        follow: 3.0e-13,
        convert: 1.04e-12,
        trip: 1.8e-6,
        weber_step: 2.05e-6,
        weber_modulus: 1.3e-11,
        alone: &[
            (16_384, 3.16e-4),
            (65_536, 7.47e-4),
            (1_048_576, 1.44e-2),
            (4_194_304, 7.62e-2),
            (16_777_216, 0.371),
            (50_000_000, 1.163),
        ],
    };

    /// One thread of a Xeon with AVX-512.
    pub const CORE: Rates = Rates {
        name: "Xeon core",
        from: "clocks in a run of 16 ranks at 2^20 bits, Xeon (Sapphire Rapids), 16 cores, \
            2026-11-15; table and alone by clocks on two cores with AVX-512-IFMA",
        device: false,
        block: 64,
        start: 1e-4,
        leader: 1.0e-5,
        lift: 5.0e-6,
        table: 2.5e-5,
        walk: 1.9e-7,
        follow: 1.8e-10,
        convert: 3.35e-10,
        trip: 0.0,
        weber_step: 1e-6,
        weber_modulus: 2.5e-8,
        alone: &[
            (16_384, 1.39e-4),
            (65_536, 1.29e-3),
            (1_048_576, 4.6e-2),
            (4_194_304, 0.231),
            (16_777_216, 1.28),
        ],
    };

    /// These rates with two scale factors: one for the terms that grow with the size, and one for
    /// the terms that grow with its square. The factors give the best fit to the times of one rank
    /// alone, in bits and seconds. If the linear terms are too small in all of these times, both
    /// factors are equal.
    ///
    /// The times of one rank do not separate conversion and following, so their ratio is kept. Both
    /// divide by R.
    pub fn calibrated(&self, alone: &[(u64, f64)]) -> Rates {
        // Where the leader takes longer than the followers the two parts are not a sum: a few
        // rounds settle it.
        (0..4).fold(*self, |rates, _| rates.fitted(alone))
    }

    fn fitted(&self, alone: &[(u64, f64)]) -> Rates {
        let known = alone.iter().filter(|(bits, time)| *bits > 0 && *time > 0.0);
        // Relative errors: each of x·linear + y·square is to be 1.
        let parts: Vec<[f64; 2]> = known
            .map(|(bits, time)| {
                let [linear, square] = self.parts(*bits);
                [linear / time, square / time]
            })
            .collect();
        let sum = |f: &dyn Fn(&[f64; 2]) -> f64| parts.iter().map(f).sum::<f64>();
        let (aa, ab, bb) = (
            sum(&|p| p[0] * p[0]),
            sum(&|p| p[0] * p[1]),
            sum(&|p| p[1] * p[1]),
        );
        let (a, b) = (sum(&|p| p[0]), sum(&|p| p[1]));
        let together = (a + b) / (aa + 2.0 * ab + bb);
        let tells = |p: &[f64; 2]| p[0] > TELLING * (p[0] + p[1]);
        let determinant = aa * bb - ab * ab;
        let apart = [a * bb - b * ab, b * aa - a * ab].map(|top| top / determinant);
        let [x, y] = if parts.iter().any(tells) && apart.iter().all(|scale| *scale > 0.0) {
            apart
        } else if together.is_finite() {
            [together; 2]
        } else {
            [1.0; 2]
        };
        Rates {
            start: x * self.start,
            leader: x * self.leader,
            lift: x * self.lift,
            table: x * self.table,
            walk: x * self.walk,
            follow: y * self.follow,
            convert: y * self.convert,
            ..*self
        }
    }

    /// These rates with `weber_modulus` scaled so that the predicted time of one rank for numbers
    /// of `bits` bits is `time`.
    pub fn with_weber(&self, bits: u64, time: f64) -> Rates {
        let of = |weber_modulus| {
            let rates = Rates {
                weber_modulus,
                ..*self
            };
            let network = Network::SHIPPED;
            weber_seconds(bits, 1, &Parameters { rates, network })
        };
        let (rest, whole) = (of(0.0), of(self.weber_modulus));
        let scale = ((time - rest) / (whole - rest)).max(0.0);
        Rates {
            weber_modulus: scale * self.weber_modulus,
            ..*self
        }
    }

    /// These rates where other ranks share the machine, so that a core takes `crowding` times as
    /// long. The rates of a device stay as they are.
    fn crowded(&self, crowding: f64) -> Rates {
        let by = if self.device { 1.0 } else { crowding };
        Rates {
            leader: by * self.leader,
            lift: by * self.lift,
            table: by * self.table,
            walk: by * self.walk,
            follow: by * self.follow,
            convert: by * self.convert,
            weber_step: by * self.weber_step,
            weber_modulus: by * self.weber_modulus,
            ..*self
        }
    }

    /// Seconds of one rank alone that grow with the size, and with its square.
    fn parts(&self, bits: u64) -> [f64; 2] {
        let only = |rates: Rates| lattice(bits, 1, &rates, &Network::SHIPPED);
        let linear = only(Rates {
            follow: 0.0,
            convert: 0.0,
            ..*self
        });
        [linear, only(*self) - linear]
    }

    /// Seconds of the algorithm that `auto` chooses on one rank alone, by a power law between two
    /// measured sizes. None outside the measured sizes.
    pub fn alone_seconds(&self, bits: u64) -> Option<f64> {
        let pair = self
            .alone
            .windows(2)
            .find(|pair| (pair[0].0..=pair[1].0).contains(&bits))?;
        let [(n, s), (m, t)] = [pair[0], pair[1]];
        let share = (bits as f64 / n as f64).ln() / (m as f64 / n as f64).ln();
        Some(s * (t / s).powf(share))
    }
}

/// The parameters of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Parameters {
    /// The rates of each rank.
    pub rates: Rates,
    /// The costs between ranks.
    pub network: Network,
}

/// Predicts the seconds of the gcd by lattices of two numbers of `bits` bits on `ranks` ranks.
/// Assumes that the gcd is small.
pub fn predicted_seconds(bits: u64, ranks: usize, parameters: &Parameters) -> f64 {
    let Parameters { rates, network } = parameters;
    lattice(bits, ranks.max(1) as u64, rates, network)
}

fn lattice(bits: u64, ranks: u64, rates: &Rates, network: &Network) -> f64 {
    let (n, k, r) = (bits as f64, f64::from(rates.block), ranks as f64);
    let blocks = (2.0 * n / (k * f64::from(MODULUS_BITS) - LOSS_BITS))
        .ceil()
        .max(1.0);
    // Two blocks to spare, and one for the checks.
    let moduli = k * (blocks + 3.0);
    let rates = rates.crowded(network.crowding(ranks));
    let convert = rates.convert * moduli * 2.0 * (n / 32.0).ceil() / r;
    let Rates {
        leader,
        lift,
        table,
        trip,
        ..
    } = rates;
    // The cost of one step for each remaining block, over all ranks.
    let follow = rates.follow * k * (2.0 * k + 4.0) / r;
    let message = network.message(16 * rates.block as usize);
    let posts = message * (ranks - 1).min(FAN as u64) as f64;
    let look = if rates.device {
        0.0
    } else {
        0.5 * rates.follow * PORTION as f64 * (2.0 * k + 4.0)
    };
    let way = (message + look) * hops(ranks);
    let own = |left: f64| (lift + table) / r + follow * left;
    let even = convert + blocks * own(blocks / 2.0);
    let (first, other) = fractions_of_blocks(r, blocks * (leader + posts) / even);
    let block = |left: f64| {
        let (own, follow) = (own(left), follow * left);
        match (ranks, rates.device) {
            // A separate thread leads, or the host while the device follows.
            (1, _) => (leader + lift).max(follow),
            (_, true) => {
                let leading = leader + table / r + posts.max(way + lift + trip + message);
                leading.max(follow)
            }
            (_, false) => {
                let next = leader + way + lift + message + look;
                let leading = leader + posts + first * own;
                (other * own).max(leading).max(next)
            }
        }
    };
    // One rank has the moduli, tables up to some number of them, and a device all tables, from the
    // run before.
    let before = match (ranks, rates.device) {
        (1, false) if moduli > CACHED_MODULI as f64 => blocks * table,
        (1, _) => 0.0,
        _ => rates.walk * moduli,
    };
    let steps: f64 = (0..blocks as u64)
        .map(|b| block(blocks + 2.0 - b as f64))
        .sum();
    rates.start + before + convert + steps
}

/// The shares of rank 0 and of each other CPU rank, as multiples of an even share. `leading` is the
/// leader's work, as a part of an even share.
fn fractions_of_blocks(ranks: f64, leading: f64) -> (f64, f64) {
    let free = (1.0 - leading).max(1.0 / LEAST_PART as f64);
    let other = (ranks / (ranks - 1.0 + free)).min(MOST);
    (ranks - (ranks - 1.0) * other, other)
}

/// The number of consecutive messages until the last of `ranks` ranks has a step.
fn hops(ranks: u64) -> f64 {
    let (mut reached, mut hops) = (1, 0.0);
    let mut last = 1;
    while reached < ranks {
        last *= FAN as u64;
        reached += last;
        hops += 1.0;
    }
    hops
}

/// Predicts the seconds of Weber's algorithm for two numbers of `bits` bits on `ranks` ranks, with
/// an all-reduce per step.
pub fn weber_seconds(bits: u64, ranks: usize, parameters: &Parameters) -> f64 {
    let Parameters { rates, network } = parameters;
    let (moduli, steps) = (weber_brew::moduli(bits), weber_steps(bits));
    let (n, r) = (bits as f64, ranks.max(1) as f64);
    let rates = rates.crowded(network.crowding(ranks.max(1) as u64));
    let trip = if ranks > 1 { rates.trip } else { 0.0 };
    let step = rates.weber_step + trip + network.all_reduce(ranks.max(1) as u64);
    let shared = rates.convert * 2.0 * (n / 32.0) * moduli
        + rates.weber_modulus * steps * (moduli - steps / 2.0);
    rates.start + steps * step + shared / r
}

/// Steps of Weber's algorithm.
fn weber_steps(bits: u64) -> f64 {
    let moduli = weber_brew::moduli(bits);
    let mut steps = 0.0;
    // The moduli that are left depend on the steps; four rounds settle it.
    for _ in 0..4 {
        steps = bits as f64 / ((moduli - steps / 2.0).max(2.0).log2() + 1.33);
    }
    steps
}

/// A number of ranks in a projection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// How many.
    pub ranks: u64,
    /// Seconds of the gcd by lattices.
    pub seconds: f64,
    /// Those of one rank over these.
    pub speed_up: f64,
    /// The speed-up over the number of ranks.
    pub efficiency: f64,
    /// Seconds of Weber's algorithm.
    pub weber_seconds: f64,
}

/// The gcd of two numbers on ranks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Projection {
    /// Bits of each number.
    pub bits: u64,
    /// The parameters of this projection.
    pub parameters: Parameters,
    /// On the ranks that were asked for.
    pub asked: Point,
    /// The smallest number of ranks on which the gcd by lattices takes at most 1/50 longer than the
    /// minimum.
    pub best: Point,
    /// For 1, 2, 4, ... ranks, up to twice the more of those two.
    pub points: Vec<Point>,
    /// Seconds of the algorithm that one rank alone would take, where that was measured about
    /// there.
    pub alone: Option<f64>,
}

/// Projects the gcd of two numbers of `bits` bits to `ranks` ranks, and to other numbers of ranks.
pub fn project(bits: u64, ranks: u64, parameters: Parameters) -> Projection {
    let one = predicted_seconds(bits, 1, &parameters);
    let point = |ranks: u64| {
        let seconds = predicted_seconds(bits, ranks as usize, &parameters);
        Point {
            ranks,
            seconds,
            speed_up: one / seconds,
            efficiency: one / seconds / ranks as f64,
            weber_seconds: weber_seconds(bits, ranks as usize, &parameters),
        }
    };
    let asked = point(ranks);
    let best = point(best_ranks(bits, &parameters));
    let last = asked.ranks.max(best.ranks);
    let powers = (0..u64::BITS - 1).map(|i| 1u64 << i);
    Projection {
        bits,
        parameters,
        asked,
        best,
        points: powers.take_while(|r| *r < 2 * last).map(point).collect(),
        alone: parameters.rates.alone_seconds(bits),
    }
}

/// The fewest ranks, a power of two, that take hardly longer than any others; a rank with no block
/// has nothing to do.
fn best_ranks(bits: u64, parameters: &Parameters) -> u64 {
    let blocks = 2 * bits / (31 * u64::from(parameters.rates.block)) + 1;
    let powers = (0..u64::BITS - 1).map(|i| 1u64 << i);
    let powers = powers.take_while(|ranks| *ranks <= blocks);
    let time = |ranks: u64| predicted_seconds(bits, ranks as usize, parameters);
    let least = powers.clone().map(time).fold(f64::INFINITY, f64::min);
    powers
        .into_iter()
        .find(|ranks| time(*ranks) <= SLACK * least)
        .unwrap_or(1)
}

#[cfg(test)]
mod tests;
