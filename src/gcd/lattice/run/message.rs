//! Messages between the participants of a run in different processes, as words: steps and the
//! outcome from the leader, blocks to the leader.

use super::super::basis::{Bound, Step};
use super::super::moduli::{Block, Product};
use super::followers::PublishedBlock;
use super::leader::Outcome;
use super::mailbox::{LogEntry, STOP, StepHeader, THERE, packed, unpacked};

/// The first word of a message from a block's owner.
const RATIO: u64 = 0;
const RESIDUES: u64 = 1;

impl PublishedBlock {
    /// The body of the message: M and T, each as long as M; or for each modulus q and u in one
    /// word, then v.
    pub(crate) fn to_words(&self) -> Vec<u64> {
        match self {
            PublishedBlock::Ratio(product, ratio) => {
                let mut words = vec![RATIO];
                words.extend(&product.limbs);
                words.extend(ratio);
                words.resize(1 + 2 * product.limbs.len(), 0);
                words
            }
            PublishedBlock::Residues(block, u, v) => {
                let pairs = block.q.iter().zip(u);
                let first = pairs.map(|(q, u)| u64::from(*q) | u64::from(*u) << 32);
                let words = [RESIDUES].into_iter().chain(first);
                words.chain(v.iter().map(|v| u64::from(*v))).collect()
            }
        }
    }

    pub(crate) fn from_words(words: &[u64]) -> Option<PublishedBlock> {
        let (kind, words) = words.split_first()?;
        let (first, second) = words.split_at_checked(words.len() / 2)?;
        if first.is_empty() || first.len() != second.len() {
            return None;
        }
        Some(match *kind {
            RATIO => PublishedBlock::Ratio(Product::new(first.to_vec()), second.to_vec()),
            _ => {
                let q: Vec<u32> = first.iter().map(|word| *word as u32).collect();
                let u = first.iter().map(|word| (word >> 32) as u32).collect();
                let v = second.iter().map(|word| *word as u32).collect();
                PublishedBlock::Residues(Block::new(&q).into(), u, v)
            }
        })
    }
}

impl Outcome {
    /// The outcome as the other participants need it. One word if the moduli were too few.
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

    /// Reads the outcome from these words. None if there are no words, because the leader has
    /// failed. Only the leader checks the reconstructed number, so the bound is not included.
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

/// A step as one message: its header, then its words.
pub(crate) fn to_message(step: &Step, active: usize, publish: usize) -> Vec<u64> {
    let header = StepHeader {
        signs: step.signs(),
        words: step.words().len(),
        active,
        publish,
    };
    let pairs = step.words().iter().flat_map(packed);
    std::iter::once(header.encode()).chain(pairs).collect()
}

/// The message that ends the steps.
pub(crate) fn stop_message() -> Vec<u64> {
    vec![THERE | STOP]
}

pub(crate) fn from_message(message: &[u64]) -> LogEntry {
    if message[0] & STOP != 0 {
        return LogEntry::Stop;
    }
    let header = StepHeader::decode(message[0]);
    let pairs = message[1..].chunks_exact(2).take(header.words);
    let words = pairs.map(|pair| unpacked([pair[0], pair[1]]));
    LogEntry::Step(header, Step::from_words(words.collect(), header.signs))
}
