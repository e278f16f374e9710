//! Numbers of at most 128 bits, and texts that are none: many at once.

use bezout::factor::{Options, Search, factor_many};
use bezout::{Engine, Int};
use rayon::prelude::*;

use super::input::Number;
use super::line::{Digits, Form, certify_prime, line};
use crate::failure::Failure;
use crate::interrupt;

/// What comes of a text that is no long number.
#[derive(Debug, Clone)]
pub enum Outcome {
    Line(String),
    /// It is no number to factor, and why.
    Bad(String),
    /// It was not computed in time.
    Late,
}

impl Outcome {
    /// What comes of a text that is no number; none for a number.
    pub fn without_number(number: &Number) -> Option<Outcome> {
        match number {
            Number::Word(_) | Number::Large(_) => None,
            Number::Bad(reason) => Some(Outcome::Bad(reason.clone())),
            Number::Late => Some(Outcome::Late),
        }
    }

    /// The line; empty where there is none.
    pub fn into_line(self) -> String {
        match self {
            Outcome::Line(line) => line,
            Outcome::Bad(_) | Outcome::Late => String::new(),
        }
    }
}

/// What comes of short numbers and of texts that are none; an error once there is an interrupt.
pub fn outcomes(form: Form, how: &Options, numbers: &[Number]) -> Result<Vec<Outcome>, Failure> {
    if !form.global.json && *how == Options::default() {
        return plain(form, numbers);
    }
    let factored = |number: &Number| {
        if let Some(outcome) = Outcome::without_number(number) {
            return Ok(outcome);
        }
        let mut search = Search::new(&Int::from(word(number)), how)?;
        search.run(&|| !interrupt::is_requested(), &mut |_| Ok(()))?;
        if interrupt::is_requested() {
            return Err(Failure::failed("interrupted"));
        }
        let result = search.result()?;
        line(form, &result, Digits::of(&result, false)?).map(Outcome::Line)
    };
    let engine = Engine::current();
    let outcomes = numbers.par_iter().map(|n| engine.scope(|| factored(n)));
    outcomes.collect()
}

fn word(number: &Number) -> u128 {
    match number {
        Number::Word(word) => *word,
        _ => 1,
    }
}

/// The outcomes where nothing but primes is asked for.
fn plain(form: Form, numbers: &[Number]) -> Result<Vec<Outcome>, Failure> {
    let words: Vec<u128> = numbers.iter().map(word).collect();
    let factors = interrupt::until_interrupt(|| Ok(factor_many(&words)?))?;
    let outcome = |index: usize| {
        if let Some(outcome) = Outcome::without_number(&numbers[index]) {
            return Ok(outcome);
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
        if form.global.verify {
            for prime in primes {
                certify_prime(&Int::from(*prime))?;
            }
        }
        let mut line = format!("{n}:");
        for equal in primes.chunk_by(|a, b| a == b) {
            form.push(&mut line, &equal[0].to_string(), equal.len() as u64);
        }
        Ok(Outcome::Line(line))
    };
    (0..words.len()).into_par_iter().map(outcome).collect()
}
