//! Half-GCDs: half of the quotients of Euclid's algorithm from the leading halves of its operands.
//!
//! For deg a = n > deg b and m = ⌈n/2⌉, the remainders c and d with deg c ≥ m > deg d that follow
//! each other, and the matrix M with (a, b) = M·(c, d), a product of matrices (q 1; 1 0). The
//! quotients down to degree m + ⌈(n − m)/2⌉ depend only on the coefficients from x^m on; after one
//! division, the rest on those of the remainders from x^(2m − deg c) on (von zur Gathen and
//! Gerhard, *Modern Computer Algebra*, section 11.1). Sums of products share their transforms.

use super::super::linear::{self, trimmed};
use super::super::modulus::Modulus;
use super::super::{div, mul};
use super::{Step, euclid};
use crate::error::Result;
use crate::progress;
use crate::tuning::Tuning;

/// A 2×2 matrix of polynomials without leading zeros, of determinant 1 or −1.
pub(super) struct Matrix {
    rows: [[Vec<u64>; 2]; 2],
    negative: bool,
}

impl Matrix {
    pub(super) fn identity() -> Matrix {
        Matrix {
            rows: [[vec![1], vec![]], [vec![], vec![1]]],
            negative: false,
        }
    }

    /// (q 1; 1 0).
    pub(super) fn of_quotient(mut q: Vec<u64>) -> Matrix {
        super::super::coefficients::trim(&mut q);
        Matrix {
            rows: [[q, vec![1]], [vec![1], vec![]]],
            negative: true,
        }
    }

    /// The determinant.
    pub(super) fn sign(&self) -> i32 {
        if self.negative { -1 } else { 1 }
    }

    /// Multiplies by (q 1; 1 0) from the right, for a quotient that is not 0.
    pub(super) fn push(&mut self, q: &[u64], p: Modulus) {
        for row in &mut self.rows {
            euclid::push_row(row, q, p);
        }
        self.negative = !self.negative;
    }

    /// The product with a column.
    pub(super) fn times(&self, [x, y]: &[Vec<u64>; 2], p: Modulus) -> [Vec<u64>; 2] {
        let [[a, b], [c, d]] = &self.rows;
        two(mul::sums(
            &[a, b, c, d, x, y],
            &[&[(0, 4), (1, 5)], &[(2, 4), (3, 5)]],
            p,
        ))
    }

    /// The product of the inverse with a column.
    fn solve(&self, [x, y]: [&[u64]; 2], p: Modulus) -> [Vec<u64>; 2] {
        let [[a, b], [c, d]] = &self.rows;
        // ±(d −b; −c a).
        let minus = |x: &Vec<u64>| linear::neg(x, p);
        let signed;
        let [d, b, c, a] = if self.negative {
            signed = [minus(d), minus(a)];
            [&signed[0], b, c, &signed[1]]
        } else {
            signed = [minus(b), minus(c)];
            [d, &signed[0], &signed[1], a]
        };
        two(mul::sums(
            &[d, b, c, a, x, y],
            &[&[(0, 4), (1, 5)], &[(2, 4), (3, 5)]],
            p,
        ))
    }

    /// self·other.
    fn product(&self, other: &Matrix, p: Modulus) -> Matrix {
        let [[a, b], [c, d]] = &self.rows;
        let [[e, f], [g, h]] = &other.rows;
        let found = mul::sums(
            &[a, b, c, d, e, f, g, h],
            &[
                &[(0, 4), (1, 6)],
                &[(0, 5), (1, 7)],
                &[(2, 4), (3, 6)],
                &[(2, 5), (3, 7)],
            ],
            p,
        );
        let mut found = found.into_iter().map(|mut entry| {
            super::super::coefficients::trim(&mut entry);
            entry
        });
        let mut next = || found.next().unwrap_or_default();
        Matrix {
            rows: [[next(), next()], [next(), next()]],
            negative: self.negative != other.negative,
        }
    }
}

fn two(found: Vec<Vec<u64>>) -> [Vec<u64>; 2] {
    let mut found = found.into_iter();
    [(); 2].map(|()| found.next().unwrap_or_default())
}

/// The result of a half-GCD.
pub(super) struct Half {
    /// c and d, without leading zeros.
    pub(super) pair: (Vec<u64>, Vec<u64>),
    /// M, where it was wanted.
    pub(super) matrix: Option<Matrix>,
}

/// The half-GCD of a and b, a the longer one and neither with leading zeros; with the matrix if
/// `keep`.
pub(super) fn half(
    a: &[u64],
    b: &[u64],
    keep: bool,
    steps: &mut Option<Vec<Step>>,
    p: Modulus,
) -> Result<Half> {
    debug_assert!(a.len() > b.len());
    // Lengths: those of c and d are above m and at most m.
    let m = a.len() / 2;
    if b.len() <= m {
        return Ok(Half {
            pair: (a.to_vec(), b.to_vec()),
            matrix: keep.then(Matrix::identity),
        });
    }
    if a.len() < Tuning::in_force().poly_half_len.max(4) {
        let (mut c, mut d) = (a.to_vec(), b.to_vec());
        let mut matrix = keep.then(Matrix::identity);
        euclid::run(&mut c, &mut d, m, matrix.as_mut(), steps.as_mut(), p);
        return Ok(Half {
            pair: (c, d),
            matrix,
        });
    }
    if a.len() >= 1 << 10 {
        progress::check()?;
    }
    let (matrix, (c, d)) = leading(a, b, m, steps, p)?;
    if d.len() <= m {
        return Ok(Half {
            pair: (c, d),
            matrix: Some(matrix),
        });
    }
    let (q, e) = div::div_rem(&c, &d, p)?;
    if let Some(steps) = steps {
        steps.push(Step {
            drop: c.len() - d.len(),
            leading: d[d.len() - 1],
        });
    }
    let (c, d) = (d, e);
    let mut matrix = matrix;
    if keep {
        matrix.push(&q, p);
    }
    if d.len() <= m {
        return Ok(Half {
            pair: (c, d),
            matrix: keep.then_some(matrix),
        });
    }
    // 2m − deg c, for m a degree.
    let (second, pair) = leading(&c, &d, 2 * m + 1 - c.len(), steps, p)?;
    Ok(Half {
        pair,
        matrix: keep.then(|| matrix.product(&second, p)),
    })
}

/// The half-GCD of the parts of a and b from x^k on, applied to all of a and b.
#[allow(clippy::type_complexity)]
fn leading(
    a: &[u64],
    b: &[u64],
    k: usize,
    steps: &mut Option<Vec<Step>>,
    p: Modulus,
) -> Result<(Matrix, (Vec<u64>, Vec<u64>))> {
    let Half { pair, matrix } = half(&a[k..], &b[k..], true, steps, p)?;
    let matrix = matrix.unwrap_or_else(Matrix::identity);
    let low = [a, b].map(|x| trimmed(&x[..k]));
    let [c, d] = matrix.solve(low, p);
    let (c_high, d_high) = pair;
    Ok((
        matrix,
        (shifted_sum(c, c_high, k, p), shifted_sum(d, d_high, k, p)),
    ))
}

/// low + high·x^k, without leading zeros.
fn shifted_sum(mut low: Vec<u64>, high: Vec<u64>, k: usize, p: Modulus) -> Vec<u64> {
    low.resize(low.len().max(k + high.len()), 0);
    linear::add_to(&mut low[k..], &high, p);
    super::super::coefficients::trim(&mut low);
    low
}
