//! Euclid's algorithm, step by step.

use super::super::modulus::Modulus;
use super::super::{div, linear};
use super::Step;
use super::half::Matrix;

/// Steps from (a, b), a the longer one and neither with leading zeros, until b has at most `len`
/// coefficients; the matrix is multiplied by those of the quotients.
pub(super) fn run(
    a: &mut Vec<u64>,
    b: &mut Vec<u64>,
    len: usize,
    mut matrix: Option<&mut Matrix>,
    mut steps: Option<&mut Vec<Step>>,
    p: Modulus,
) {
    while b.len() > len {
        if let Some(steps) = &mut steps {
            steps.push(Step {
                drop: a.len() - b.len(),
                leading: b[b.len() - 1],
            });
        }
        let quotient = div::divide(a, b, p);
        std::mem::swap(a, b);
        if let Some(matrix) = &mut matrix {
            matrix.push(&quotient, p);
        }
    }
}

/// row ← (row0·q + row1, row0).
pub(super) fn push_row(row: &mut [Vec<u64>; 2], q: &[u64], p: Modulus) {
    let [first, second] = row;
    if !first.is_empty() {
        let len = first.len() + q.len() - 1;
        second.resize(second.len().max(len), 0);
        linear::add_product(second, q, first, p);
    }
    std::mem::swap(first, second);
}
