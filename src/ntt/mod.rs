//! Exact transforms over word-size primes.

pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod plan;
mod roots;
#[cfg(test)]
mod tests;
