//! What members of a run in different processes tell each other beside steps, as words: blocks to
//! the leader, and the outcome to all.

use super::block::{Block, Product};
use super::bound::Bound;
use super::lead::{Outcome, Published};

/// The first word of a message from a block's owner.
const RATIO: u64 = 0;
const RESIDUES: u64 = 1;

impl Published {
    /// What its owner sends: M and T, each as long as M; or q and u in one word, then v, for each
    /// modulus.
    pub(crate) fn to_words(&self) -> Vec<u64> {
        match self {
            Published::Ratio(product, ratio) => {
                let mut words = vec![RATIO];
                words.extend(&product.limbs);
                words.extend(ratio);
                words.resize(1 + 2 * product.limbs.len(), 0);
                words
            }
            Published::Residues(block, u, v) => {
                let pairs = block.q.iter().zip(u);
                let first = pairs.map(|(q, u)| u64::from(*q) | u64::from(*u) << 32);
                let words = [RESIDUES].into_iter().chain(first);
                words.chain(v.iter().map(|v| u64::from(*v))).collect()
            }
        }
    }

    pub(crate) fn from_words(words: &[u64]) -> Option<Published> {
        let (kind, words) = words.split_first()?;
        let (first, second) = words.split_at_checked(words.len() / 2)?;
        if first.is_empty() || first.len() != second.len() {
            return None;
        }
        Some(match *kind {
            RATIO => Published::Ratio(Product::new(first.to_vec()), second.to_vec()),
            _ => {
                let q: Vec<u32> = first.iter().map(|word| *word as u32).collect();
                let u = first.iter().map(|word| (word >> 32) as u32).collect();
                let v = second.iter().map(|word| *word as u32).collect();
                Published::Residues(Block::new(&q).into(), u, v)
            }
        })
    }
}

impl Outcome {
    /// What the other members have to know of the outcome; one word where the moduli were too few.
    pub(crate) fn to_words(outcome: Option<&Outcome>) -> Vec<u64> {
        let Some(outcome) = outcome else {
            return vec![0];
        };
        let sizes = [
            outcome.blocks as u64,
            outcome.need as u64,
            outcome.exponent,
            outcome.steps,
        ];
        let common = outcome.common.iter().map(|q| u64::from(*q));
        sizes.into_iter().chain(common).collect()
    }

    /// The outcome from these words; none where there are none of them, because the leader has
    /// failed. What is rebuilt in the end is checked by the leader alone, so the bound is not known
    /// here.
    pub(crate) fn from_words(words: &[u64]) -> Option<Option<Outcome>> {
        let (sizes, common) = match words {
            [] => return None,
            words => words.split_at_checked(4).unwrap_or_default(),
        };
        let [blocks, need, exponent, steps] = sizes.try_into().ok().unwrap_or([0; 4]);
        Some((!sizes.is_empty()).then(|| Outcome {
            blocks: blocks as usize,
            need: need as usize,
            bound: Bound::ZERO,
            exponent,
            common: common.iter().map(|q| *q as u32).collect(),
            steps,
        }))
    }
}
