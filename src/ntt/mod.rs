//! Number-theoretic transforms.

pub(crate) mod cpu;
