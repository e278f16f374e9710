//! What operations on polynomials are to the decision where they run: a size, and the kernels.

use super::cuda;
use super::modulus::Modulus;
use crate::engine::{RowCost, Work};
use crate::tuning::Tuning;

/// An operation on polynomials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// Takes no longer than moving its operands: runs where they are.
    Linear,
    Product,
    Square,
    Division,
    /// With or without cofactors, or the resultant.
    Gcd,
    /// Values at points, of which this is the number.
    Values(usize),
    /// A polynomial by its values at points.
    Interpolation,
    Composition,
    /// Powers of the first operand modulo the second one.
    PowerModulo,
}

impl Operation {
    /// This operation on polynomials of `m` and `n` coefficients modulo p.
    pub(super) fn work(self, m: usize, n: usize, p: Modulus) -> Work {
        let room = m.saturating_add(n).saturating_mul(2);
        let longest = |len: usize| (len.next_power_of_two() as u64, p.get());
        let weighed = |len: usize| len.saturating_mul(slowness(p));
        let product = |shorter: usize, longer: usize| {
            Work::poly_product(weighed(shorter)).needing(cuda::of_products, longest(longer))
        };
        let division = |shorter: usize| {
            let work = Work::poly_division(weighed(shorter));
            work.needing(cuda::of_divisions, longest(m.max(n)))
        };
        match self {
            Operation::Linear => Work::in_place(room),
            Operation::Product => product(m.min(n), m.max(n)).with_room(room),
            Operation::Square => product(m, m).with_room(room),
            Operation::Division => division(n.min(m.saturating_sub(n))).with_room(room),
            Operation::PowerModulo => division(n).with_room(room),
            Operation::Gcd => Work::poly_gcd(weighed(m.min(n)))
                .with_room(room)
                .needing(cuda::of_gcds, longest(m.max(n))),
            Operation::Values(count) => Work::poly_points(weighed(count.min(m)))
                .with_room(room)
                .needing(cuda::of_divisions, longest(m)),
            // Products over a tree, as a gcd by half-GCDs takes.
            Operation::Interpolation => Work::poly_gcd(weighed(m))
                .with_room(room)
                .needing(cuda::of_divisions, longest(m)),
            // Its last product is of two polynomials half as long as the result.
            Operation::Composition => {
                let half = m.saturating_mul(n) / 2;
                product(half, half).with_room(room)
            }
        }
    }

    /// This operation on each of many pairs of these lengths, modulo p.
    pub(super) fn work_of_many(
        self,
        pairs: impl Iterator<Item = (usize, usize)> + Clone,
        p: Modulus,
    ) -> Work {
        /// A pair moves in three transfers. This is the number of bytes that take as long.
        const TRANSFERS: u64 = 3 << 15;
        let longest = pairs.clone().map(|(m, n)| m.max(n)).max().unwrap_or(0);
        // A block computes the gcd of one short pair. Longer ones come one after the other.
        if self != Operation::Gcd || longest > Tuning::in_force().poly_gcd_block_len {
            return Work::IN_PLACE;
        }
        let nanos = |len: usize| (len * (len / 2).max(1)) as u64;
        let (mut count, mut total) = (0, 0);
        for (m, n) in pairs {
            count += 1;
            total += nanos(m.max(n));
        }
        // A block takes as long for a pair as a core, and a launch before.
        let cost = RowCost {
            core_nanos: total / count.max(1) as u64,
            few_nanos: 90_000 + nanos(longest),
            bytes: TRANSFERS + 24 * longest as u64,
        };
        Work::rows(count, cost)
            .needing(cuda::of_gcds, (longest.next_power_of_two() as u64, p.get()))
    }
}

/// How many times as long operations take on the CPU as modulo a prime below 2^49, beside a
/// device.
fn slowness(p: Modulus) -> usize {
    if p.get() < 1 << 49 { 1 } else { 2 }
}
