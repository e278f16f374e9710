//! The moduli: primes of 31 bits, in blocks of k, and loops over many of them.
//!
//! | file | what |
//! |---|---|
//! | `block.rs` | one block: its product, and the Chinese remainder theorem for it |
//! | `owners.rs` | which follower owns which blocks |
//! | `share.rs` | the moduli of one follower, and the residues modulo each |
//! | `vectors.rs`, `avx512.rs` | loops over moduli, one lane of a vector for each |
//! | `cache.rs` | tables that the process keeps from one run to the next |

#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod cache;
mod owners;
mod share;
pub(super) mod vectors;

pub(crate) use block::{Block, MAX_BLOCK, Product, block};
pub(crate) use cache::{CACHED_MODULI, first_blocks, product_of_first};
pub(crate) use owners::{BlockOwners, LEAST_PART};
pub(crate) use share::ModuliShare;

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::Result;
use crate::limbs::Resident;
use crate::modp::{Modulus, primes};
use crate::number::Integer;
use crate::product_tree::product_of;

/// Bits of a modulus.
pub(crate) const MODULUS_BITS: u32 = 31;

/// The moduli of a run with their constants.
pub(crate) struct Moduli {
    pub(crate) q: Arc<Vec<u32>>,
    /// −1/q modulo 2^32.
    pub(crate) ninv: Arc<Vec<u32>>,
}

impl Moduli {
    /// At least `count` moduli, largest first. None if there are fewer.
    pub(crate) fn new(count: usize) -> Option<Moduli> {
        let q = primes::largest(MODULUS_BITS, count);
        if q.len() < count {
            return None;
        }
        let ninv = cache::negative_inverses(&q, count);
        Some(Moduli { q, ninv })
    }
}

pub(crate) fn negative_inverse(q: u32) -> u32 {
    Modulus::new(q).inverse.wrapping_neg()
}

/// The product of these moduli, by the CPU engine.
pub(crate) fn product(moduli: &[u32]) -> Result<Resident> {
    let factors: Vec<Resident> = moduli
        .iter()
        .map(|q| Resident::from(Integer::from(*q)))
        .collect();
    Engine::Cpu.scope(|| product_of(&factors))
}
