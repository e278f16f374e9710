//! Factoring.

pub(crate) mod published;
