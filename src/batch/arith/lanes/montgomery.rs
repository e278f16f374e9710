//! Products modulo odd numbers, a number to each lane.
//!
//! B = 2^(4·BITS) is the weight of a group, the numbers have k groups, and R = B^k. The odd moduli
//! n are at most R/16, and residues are kept below 4n. The product of a and b is a number congruent
//! to a·b/R. Its k quotients take away the groups of a·b from the lowest on:
//!
//! - The first k − 1 by x ≡ B·(⌊x/B⌋ + (x mod B)·m) with m = 1/B modulo n, m ≤ n. The quotient is
//!   the lowest group itself: nothing waits for a product.
//! - The last one by x ≡ B·(x + q·n)/B with q = −x/n modulo B (Montgomery's own), because the other
//!   way would leave a number as large as B·n.
//!
//! Sizes. After the steps the number is a·b/R, plus q·n/B < n of the last quotient, plus Σ q·m/B^j
//! < n·(1 + 1/B + …) of the others, with j = 1, 2, …: less than a·b/R + 2n + n/4. For a, b < 4n
//! that is below 16n²/R + 9n/4 ≤ 13n/4 < 4n. It is also below 4n for a < R and b ≤ n.
//!
//! Sums. A column gathers at most four low and four high halves of each product of groups, of which
//! there are at most 2k: less than 16k·2^BITS, with the carry from below. For rows of MOST_LIMBS
//! limbs there are k ≤ 50 groups: sums are below 2^62.

use super::columns::{Columns, carried};
use super::{Digit, GROUP, Group, Lanes};

/// Odd moduli with their constants, one to each lane.
pub(super) struct Modulus<L: Lanes> {
    /// n.
    pub(super) n: Vec<Group<L>>,
    /// 1/B modulo n.
    pub(super) fold: Vec<Group<L>>,
    /// −1/n modulo 2^BITS.
    pub(super) minus_inverse: Digit<L>,
}

/// out ≡ a·b/R modulo n, or a²/R where SQUARE. All have as many groups as n has. `quotient` is
/// scratch.
#[inline(always)]
pub(super) fn product<L: Lanes, const SQUARE: bool>(
    modulus: &Modulus<L>,
    a: &[Group<L>],
    b: &[Group<L>],
    quotient: &mut [Group<L>],
    out: &mut [Group<L>],
) {
    let k = modulus.n.len();
    let (n, fold) = (&modulus.n[..k], &modulus.fold[..k]);
    let (a, b, quotient, out) = (&a[..k], &b[..k], &mut quotient[..k], &mut out[..k]);
    let mut above = [L::zero(); GROUP];
    for c in 0..2 * k {
        // The products of groups i and c − i.
        let mut columns = Columns::<L>::new();
        let (from, to) = ((c + 1).saturating_sub(k), k.min(c + 1));
        if SQUARE {
            let half = c.div_ceil(2).max(from);
            columns.convolution(&a[from..half], &a[c + 1 - half..c + 1 - from]);
            let middle = (c % 2 == 0).then(|| a.get(c / 2)).flatten();
            columns.double_and_square(middle);
        } else if from < to {
            columns.convolution(&a[from..to], &b[from..to]);
        }
        // Quotient i times group j of `fold` belongs to group i + 1 + j.
        let (from, to) = (c.saturating_sub(k), c.min(k - 1));
        if from < to {
            columns.convolution(&quotient[from..to], &fold[c - to..c - from]);
        }
        // The last quotient times group j of n, j > 0, belongs to group k − 1 + j.
        if (k..2 * k - 1).contains(&c) {
            columns.product(&quotient[k - 1], &n[c - (k - 1)]);
        }
        let mut sums = columns.sums(&above);
        if c == k - 1 {
            for j in 0..GROUP {
                let digit = L::low_product(L::digit(sums[j]), modulus.minus_inverse);
                quotient[c][j] = digit;
                for (i, n) in n[0].iter().enumerate() {
                    let (mut low, mut high) = (sums[i + j], sums[i + j + 1]);
                    L::multiply_add(&mut low, &mut high, digit, *n);
                    sums[i + j] = L::sub(low, L::excess(1, 0));
                    sums[i + j + 1] = L::sub(high, L::excess(0, 1));
                }
                sums[j + 1] = L::add(sums[j + 1], L::carry(sums[j]));
            }
            above.copy_from_slice(&sums[GROUP..]);
        } else {
            let digits;
            (digits, above) = carried::<L>(&sums);
            if c < k {
                quotient[c] = digits;
            } else {
                out[c - k] = digits;
            }
        }
    }
}
