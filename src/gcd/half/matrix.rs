//! Products of Euclid's quotients as matrices.

use crate::number::Integer;

use super::{Pair, bits_of, from_vec, to_vec};
use crate::div;
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::mul::{matrix_product, mul};
use crate::word::lehmer;

/// A product of [[q, 1], [1, 0]] with q ≥ 1.
pub(in crate::gcd) struct Matrix {
    /// By rows.
    pub(in crate::gcd) entries: [[Resident; 2]; 2],
    /// Whether the determinant is −1, not 1.
    pub(in crate::gcd) odd: bool,
}

impl From<lehmer::Matrix> for Matrix {
    fn from(matrix: lehmer::Matrix) -> Matrix {
        let [m00, m01, m10, m11] = matrix.entries.map(from_vec);
        Matrix {
            entries: [[m00, m01], [m10, m11]],
            odd: matrix.odd,
        }
    }
}

fn one() -> Resident {
    Resident::Small(Integer::ONE)
}

impl Matrix {
    pub(super) fn identity() -> Matrix {
        Matrix {
            entries: [[one(), limbs::zero()], [limbs::zero(), one()]],
            odd: false,
        }
    }

    pub(super) fn into_lehmer(self) -> Result<lehmer::Matrix> {
        let [[m00, m01], [m10, m11]] = self.entries;
        Ok(lehmer::Matrix {
            entries: [to_vec(m00)?, to_vec(m01)?, to_vec(m10)?, to_vec(m11)?],
            odd: self.odd,
        })
    }

    /// The matrix [[q, 1], [1, 0]].
    pub(super) fn of_quotient(q: Resident) -> Matrix {
        Matrix {
            entries: [[q, one()], [one(), limbs::zero()]],
            odd: true,
        }
    }

    /// Whether this is the product of no quotients: m10 is above 0 from the first quotient on.
    pub(super) fn is_identity(&self) -> bool {
        matches!(&self.entries[1][0], Resident::Small(value) if *value == 0)
    }

    /// The product of this and `next`, whose quotients come after this one's.
    pub(super) fn times(self, next: Matrix) -> Result<Matrix> {
        if self.is_identity() {
            return Ok(next);
        }
        if next.is_identity() {
            return Ok(self);
        }
        let [[a, b], [c, d]] = &self.entries;
        let [[e, f], [g, h]] = &next.entries;
        Ok(Matrix {
            entries: matrix_product([[a, b], [c, d]], [[e, f], [g, h]], None)?,
            odd: self.odd ^ next.odd,
        })
    }

    /// M·(x, y).
    pub(in crate::gcd) fn apply(&self, [x, y]: [&Resident; 2]) -> Result<[Resident; 2]> {
        let [[m00, m01], [m10, m11]] = &self.entries;
        let [[x], [y]] = matrix_product([[m00, m01], [m10, m11]], [[x], [y]], None)?;
        Ok([x, y])
    }

    /// M^-1·(a, b), which may have any signs.
    pub(super) fn undo(&self, pair: &Pair) -> Result<Pair> {
        let [[m00, m01], [m10, m11]] = &self.entries;
        let Pair { c: a, d: b } = pair;
        let [[c], [d]] = if self.odd {
            let (m00, m11) = (limbs::neg(m00)?, limbs::neg(m11)?);
            matrix_product([[&m11, m01], [m10, &m00]], [[a], [b]], None)?
        } else {
            let (m01, m10) = (limbs::neg(m01)?, limbs::neg(m10)?);
            matrix_product([[m11, &m01], [&m10, m00]], [[a], [b]], None)?
        };
        Ok(Pair { c, d })
    }

    /// One more quotient.
    pub(in crate::gcd) fn append(&mut self, q: &Resident) -> Result<()> {
        for row in &mut self.entries {
            let first = limbs::add(&mul(q, &row[0])?, &row[1])?;
            row[1] = std::mem::replace(&mut row[0], first);
        }
        self.odd = !self.odd;
        Ok(())
    }

    /// Removes the last quotient and returns it. There must be one.
    pub(super) fn take_back(&mut self) -> Result<Resident> {
        let [[m00, m01], [m10, m11]] = &self.entries;
        let mut q = div::quotient(m00, m01)?;
        if bits_of(m11)? > 0 {
            let other = div::quotient(m10, m11)?;
            if limbs::compare(&other, &q)?.is_lt() {
                q = other;
            }
        }
        for row in &mut self.entries {
            let second = limbs::sub(&row[0], &mul(&q, &row[1])?)?;
            row[0] = std::mem::replace(&mut row[1], second);
        }
        self.odd = !self.odd;
        Ok(q)
    }
}
