//! The step of a block of moduli: a short basis of its lattice.
//!
//! # A step
//! Let M be the product of moduli none of which divides both U and V. The pairs (a, b) with
//! aU + bV ≡ 0 modulo M form a lattice of determinant M. For any basis B of it,
//! [U', V'] = B·[U, V]/M are integers with gcd(U', V') = gcd(U, V): as
//! [U, V] = ±adj(B)·[U', V'], a common divisor of U' and V' divides U and V; and g = gcd(U, V)
//! divides M·U' and M·V' and shares no factor with M.
//!
//! Where no modulus divides V, the lattice is {(a, b): aT + b ≡ 0} with T = U/V modulo M, and
//! consecutive remainders r of Euclid's algorithm on (M, T) with their cofactors t (r = sM + tT)
//! give bases of rows (t, −r). The rows of a step should be short in the norm that weights a by the
//! bound of |U| and b by that of |V|. Gauss's reduction of such a basis ends with row lengths
//! λ1·λ2 ≤ (2/√3)·M·|U|·|V| (bounds for |U|, |V|), and (|a||U| + |b||V|)/M ≤ √2·λ/M bounds each new
//! value. So |U'|·|V'| ≤ (4/√3)·|U|·|V|/M: every step takes log2 M − 1.21 bits off the product of
//! the bounds. The estimates in Gauss's reduction are doubles and affect only how short the rows
//! are. The new bounds are computed from the rows themselves.
//!
//! Moduli that divide only V make a separate step: (M, 0), (0, 1) is a basis of their lattice, and
//! V' = V/M. Moduli that divide both take part in no step. They divide all later values, and g.
//!
//! # The end When |U'|·|V'| is below g², one of the two is 0. A bound below 1 proves it, and the
//! other is ±g.

use super::super::moduli::{Block, Product};
use super::bound::{Bound, OperandBounds};
use super::mersenne;
use super::step::{Entry, Step};
use crate::error::{Error, Result};
use crate::word::bit_length;
use crate::word::lehmer::reduce_row;

/// A row (a, b) of a basis.
#[derive(Debug, Clone)]
struct Row {
    a: Entry,
    b: Entry,
}

/// The approximate weighted coordinates of a row, x·2^scale and y·2^scale.
struct Estimate {
    x: f64,
    y: f64,
    scale: i64,
}

/// 2^exponent, or the nearest power of two that a double can have.
fn power(exponent: i64) -> f64 {
    f64::from_bits(((exponent.clamp(-1000, 1000) + 1023) as u64) << 52)
}

impl Row {
    fn estimate(&self, bounds: &OperandBounds) -> Estimate {
        let part = |entry: &Entry, weight: Bound| {
            let (mantissa, exponent) = Bound::above(&entry.limbs).times(weight).parts();
            let signed = if entry.negative { -mantissa } else { mantissa };
            (signed, exponent)
        };
        let (x, ex) = part(&self.a, bounds.u);
        let (y, ey) = part(&self.b, bounds.v);
        let scale = match (x == 0.0, y == 0.0) {
            (true, _) => ey,
            (_, true) => ex,
            _ => ex.max(ey),
        };
        let at = |value: f64, exponent: i64| value * power(exponent - scale);
        Estimate {
            x: at(x, ex),
            y: at(y, ey),
            scale,
        }
    }

    /// An upper bound of |aU + bV|/M.
    fn bound(&self, bounds: &OperandBounds, product: Bound) -> Bound {
        let a = Bound::above(&self.a.limbs).times(bounds.u);
        let b = Bound::above(&self.b.limbs).times(bounds.v);
        a.plus(b).over(product)
    }
}

impl Estimate {
    fn norm(&self) -> f64 {
        self.x * self.x + self.y * self.y
    }

    /// |self| < |other|/2^bits.
    fn is_shorter(&self, other: &Estimate, bits: i64) -> bool {
        self.norm() * power(2 * (self.scale - other.scale + bits)) < other.norm()
    }

    /// The multiple c·2^shift of `short` nearest to the projection onto it.
    fn multiple(&self, short: &Estimate) -> (i64, u64) {
        let ratio = (self.x * short.x + self.y * short.y) / short.norm();
        // At most 2^52: the ratio is below 8, as neither row's larger coordinate is below 1 or from
        // 2 on.
        let shift = (self.scale - short.scale - 49).max(0);
        let c = ratio * power(self.scale - short.scale - shift);
        (c.round() as i64, shift as u64)
    }
}

/// Gauss's reduction of a basis in the weighted norm.
fn gauss(mut long: Row, mut short: Row, bounds: &OperandBounds) -> (Row, Row) {
    let (mut far, mut near) = (long.estimate(bounds), short.estimate(bounds));
    // A round makes the longer row shorter by up to 50 bits, the precision of the estimates. The
    // number of rounds is limited only to end after an error in this code: the longest entries have
    // 4000 bits.
    for _ in 0..256 {
        if far.is_shorter(&near, 0) {
            (long, short, far, near) = (short, long, near, far);
        }
        let (c, shift) = far.multiple(&near);
        if c == 0 {
            break;
        }
        long.a.sub_scaled(c, shift, &short.a);
        long.b.sub_scaled(c, shift, &short.b);
        let before = std::mem::replace(&mut far, long.estimate(bounds));
        // The rows differ much in length and are already at right angles: the multiple was only a
        // rounding error of the estimates, and so would be the next.
        if before.scale - near.scale > 40 && !far.is_shorter(&before, 1) {
            break;
        }
    }
    (long, short)
}

/// Returns the step of moduli none of which divides V, from their product M and T < M, and the
/// bounds after it.
pub(crate) fn reduce(
    product: &Product,
    ratio: Vec<u64>,
    bounds: &OperandBounds,
) -> Result<(Step, OperandBounds)> {
    // If r and M·|U|/(r·|V|) are equal, both coordinates of a row are equal.
    let target = (product.below.log2() + bounds.u.log2() - bounds.v.log2()) / 2.0;
    let (mut r0, mut r1) = (product.limbs.clone(), ratio);
    let most = bit_length(&r0) - 1;
    let row = reduce_row(&mut r0, &mut r1, (target.round().max(0.0) as u64).min(most));
    // T's cofactors are ∓m01 in r0 and ±m00 in r1.
    let first = Row {
        a: Entry::new(false, row.m01),
        b: Entry::new(row.odd, r0),
    };
    let second = Row {
        a: Entry::new(false, row.m00),
        b: Entry::new(!row.odd, r1),
    };
    let (long, short) = gauss(first, second, bounds);
    let new = [&long, &short].map(|row| row.bound(bounds, product.below));
    let (upper, lower, u, v) = if new[0].is_less(new[1]) {
        (short, long, new[1], new[0])
    } else {
        (long, short, new[0], new[1])
    };
    let step = Step::new([&upper.a, &upper.b, &lower.a, &lower.b]);
    if is_basis(&step, product) {
        Ok((step, OperandBounds { u, v }))
    } else {
        Err(Error::Verification(
            "gcd by lattices: a step's determinant is not the product of its moduli".into(),
        ))
    }
}

/// Whether det B = ±M modulo a prime of 61 bits. A wrong row would add factors to the result or
/// remove factors from it.
fn is_basis(step: &Step, product: &Product) -> bool {
    let [a1, b1, a2, b2] = step.modulo_mersenne();
    let (main, cross) = (mersenne::mul(a1, b2), mersenne::mul(a2, b1));
    let det = mersenne::sub(main, cross);
    det == product.mersenne || det == mersenne::sub(0, product.mersenne)
}

/// Returns the step of moduli all of which divide V and none divides U, and the bounds after it.
pub(crate) fn divide(block: &Block, bounds: &OperandBounds) -> (Step, OperandBounds) {
    let zero = Entry::default();
    let product = Entry::new(false, block.product.limbs.clone());
    let step = Step::new([&product, &zero, &zero, &Entry::one()]);
    let v = bounds.v.over(block.product.below);
    (step, OperandBounds { v, ..*bounds })
}
