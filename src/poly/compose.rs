//! One polynomial of another.

use super::modulus::Modulus;
use super::{linear, mul};
use crate::error::Result;

/// a(b).
pub(super) fn compose(a: &[u64], b: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let step = |sum: Vec<u64>, c: &u64| linear::add(&mul::mul(&sum, b, p), &[*c], p);
    Ok(a.iter().rev().fold(Vec::new(), step))
}
