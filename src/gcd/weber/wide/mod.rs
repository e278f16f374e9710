//! Weber's algorithm with moduli of more than 32 bits, in words of 64: Weber and Brew's open
//! question at the end of section 5.
//!
//! | file | what |
//! |---|---|
//! | `cpu.rs` | moduli of 41 to 62 bits on the host; `float_residues.rs` serves those of up to 40 |
//! | `cuda.rs`, `reduce.cu` | moduli of 33 to 62 bits on a device |
//!
//! 62 bits is the limit: a key of a step has |b| in one word, and the modulus and the sign of b in
//! another, each with a tag of two bits.

pub(super) mod cpu;
pub(super) mod cuda;

/// Maximum bits of a modulus.
pub(super) const MOST_BITS: u32 = 62;
