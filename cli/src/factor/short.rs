//! Numbers of at most 128 bits, and texts that are none: many at once.

use bezout::factor::{Options, Search, factor_many};
use bezout::{Engine, Int};
use rayon::prelude::*;

use super::input::Number;
use super::line::{certify_prime, line};
use crate::args::Global;
use crate::failure::Failure;
use crate::output;

/// A short number's line, or what is wrong with its text.
pub type Outcome = Result<String, String>;

/// What comes of short numbers and of bad ones.
pub fn outcomes(
    global: &Global,
    how: &Options,
    numbers: &[Number],
) -> Result<Vec<Outcome>, Failure> {
    if !global.json && *how == Options::default() {
        return plain(global, numbers);
    }
    let factored = |number: &Number| match number {
        Number::Word(word) => {
            let mut search = Search::new(&Int::from(*word), how)?;
            search.run(&|| true, &mut |_| Ok(()))?;
            line(global, &search.result()?).map(Ok)
        }
        Number::Bad(reason) => Ok(Err(reason.clone())),
        Number::Large(_) => Ok(Err(String::new())),
    };
    let engine = Engine::current();
    output::watch(global, "factoring", || {
        let outcomes = numbers.par_iter().map(|n| engine.scope(|| factored(n)));
        outcomes.collect()
    })
}

/// The same where nothing but primes is asked for.
fn plain(global: &Global, numbers: &[Number]) -> Result<Vec<Outcome>, Failure> {
    let word = |number: &Number| match number {
        Number::Word(word) => *word,
        _ => 1,
    };
    let words: Vec<u128> = numbers.iter().map(word).collect();
    let factors = output::watch(global, "factoring", || factor_many(&words))?;
    let outcome = |index: usize| {
        if let Number::Bad(reason) = &numbers[index] {
            return Ok(Err(reason.clone()));
        }
        let (n, primes) = (words[index], factors.of(index));
        let product = primes
            .iter()
            .try_fold(1u128, |product, prime| product.checked_mul(*prime));
        if product != Some(n) {
            return Err(Failure::failed(format!(
                "verification failed: the factors of {n} do not multiply up to it"
            )));
        }
        if global.verify {
            for prime in primes {
                certify_prime(&Int::from(*prime))?;
            }
        }
        let line = primes
            .iter()
            .fold(format!("{n}:"), |line, prime| format!("{line} {prime}"));
        Ok(Ok(line))
    };
    (0..words.len()).into_par_iter().map(outcome).collect()
}
