//! Arithmetic modulo many word-size primes: the primes themselves, and Montgomery products modulo
//! them.
//!
//! | file | what |
//! |---|---|
//! | `primes.rs` | the largest primes of a given size, by a segmented sieve |
//! | `words.rs` | the primes up to a bound, and whether a word is prime |
//! | `trial.rs` | trial division by many small primes |
//! | `montgomery.rs` | one modulus of at most 32 bits: products, inverses, symmetric residues |
//! | `cuda.rs`, `residues.cu` | two numbers modulo many primes |
//! | `montgomery.cuh` | Montgomery's reduction of one word on a device: the only one, for all kernels |
//! | `modp.cuh` | `montgomery.rs` on a device: a source that uses it has its text in front of its own |
//! | `wide.cuh` | one modulus of at most 63 bits on a device; the host's twin is `word::montgomery::Word64` |

pub(crate) mod cuda;
mod montgomery;
pub(crate) mod primes;
#[cfg(test)]
mod tests;
mod trial;
pub(crate) mod words;

pub(crate) use montgomery::Modulus;
pub(crate) use trial::TrialGroup;
