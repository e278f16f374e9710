//! Who runs the curves and the sieves of a search: this process, or several of which it is one.

use std::fmt;
use std::path::Path;

use super::ecm::{self, CurveFound, KeepGoing};
use super::sieve;
use crate::error::Result;
use crate::number::Natural;

/// Curves modulo n, of `count` values of sigma from `sigma` on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curves<'a> {
    pub(crate) n: &'a Natural,
    pub(crate) b1: u64,
    pub(crate) b2: u64,
    pub(crate) sigma: u64,
    pub(crate) count: u64,
}

/// Those who work for a search.
pub(crate) trait Workers: fmt::Debug + Send + Sync {
    /// The number of curves that keeps all workers busy, if `own` curves keep this process busy.
    fn fill(&self, own: u64) -> u64;

    /// Runs curves, and returns their results.
    fn curves(&self, curves: Curves<'_>, keep_going: KeepGoing<'_>) -> Result<Vec<CurveFound>>;

    /// A proper divisor of n by the quadratic sieve: see [`sieve::run_placed`].
    fn sieve(
        &self,
        n: &Natural,
        path: Option<&Path>,
        keep_going: KeepGoing<'_>,
    ) -> Result<Option<Natural>>;
}

/// This process alone.
#[derive(Debug)]
pub(crate) struct ThisProcess;

impl Workers for ThisProcess {
    fn fill(&self, own: u64) -> u64 {
        own
    }

    fn curves(&self, curves: Curves<'_>, keep_going: KeepGoing<'_>) -> Result<Vec<CurveFound>> {
        let Curves {
            n,
            b1,
            b2,
            sigma,
            count,
        } = curves;
        ecm::curves(n, b1, b2, sigma, count as usize, keep_going)
    }

    fn sieve(
        &self,
        n: &Natural,
        path: Option<&Path>,
        keep_going: KeepGoing<'_>,
    ) -> Result<Option<Natural>> {
        sieve::run_placed(n, path, None, keep_going)
    }
}
