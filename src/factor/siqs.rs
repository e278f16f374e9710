//! The quadratic sieve of the crate `rusqsieve`.

use std::time::Duration;

use crate::number::Natural;
use rusqsieve::{FactorConfig, FactorError, Parallelism, ProgressAction};

use crate::error::{Error, Result};
use crate::notice;

/// Numbers of more bits are left to curves: a sieve of them would take days.
pub(super) const MOST_BITS: u64 = 330;

/// Seconds that a number of so many bits takes, roughly: on one core 3.5 for 198 bits and 34 for 232.
pub(super) fn expected_seconds(bits: u64) -> f64 {
    3.5 * ((bits as f64 - 198.0) / 10.3).exp2() / rayon::current_num_threads() as f64
}

/// The primes of a composite number of at most MOST_BITS bits; none if the sieve was stopped or gave up.
pub(super) fn run(n: &Natural, keep_going: &dyn Fn() -> bool) -> Result<Option<Vec<Natural>>> {
    // A worker of a pool has one number of many: the other threads have theirs.
    let threads = match rayon::current_thread_index() {
        Some(_) => 1,
        None => rayon::current_num_threads(),
    };
    let threads = Parallelism::threads(threads).unwrap_or(Parallelism::Auto);
    let config = FactorConfig::default()
        .with_parallelism(threads)
        .with_progress_interval(Duration::from_millis(100));
    let failed = |what: String| Error::Verification(format!("the quadratic sieve: {what}"));
    let digits = n.to_string();
    let input = rusqsieve::Natural::<16>::from_decimal(&digits)
        .map_err(|error| failed(format!("{error:?}")))?;
    let found = rusqsieve::factor_with_progress(input, config, |_| match keep_going() {
        true => ProgressAction::Continue,
        false => ProgressAction::Cancel,
    });
    match found {
        Ok(primes) => primes
            .expanded()
            .map(|prime| {
                prime
                    .to_string()
                    .parse()
                    .map_err(|()| failed("no number".into()))
            })
            .collect::<Result<Vec<Natural>>>()
            .map(Some),
        Err(FactorError::Cancelled) => Ok(None),
        Err(error) => {
            notice::say(&format!("the quadratic sieve gave up: {error}"));
            Ok(None)
        }
    }
}
