//! Factors of an [`Int`].

use super::{Factorization, Options, factor};
use crate::error::Result;
use crate::int::{Int, must};

impl Int {
    /// The prime factors of a number from 1 on. A large number without small factors takes long:
    /// see [`Search`](super::Search).
    ///
    /// ```
    /// # use bezout::Int;
    /// let found = Int::from(360).factor();
    /// let powers: Vec<_> = found.factors.iter().map(|f| (f.value.clone(), f.exponent)).collect();
    /// assert_eq!(powers, [(2.into(), 3), (3.into(), 2), (5.into(), 1)]);
    /// ```
    ///
    /// # Panics
    /// For a number below 1.
    #[track_caller]
    pub fn factor(&self) -> Factorization {
        must(self.try_factor())
    }

    /// The prime factors of a number from 1 on, or an error for a number below 1.
    pub fn try_factor(&self) -> Result<Factorization> {
        factor(self, &Options::default())
    }
}
