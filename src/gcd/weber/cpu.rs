//! Weber's reduction on the CPU. The moduli are split into chunks, which all threads process. Each
//! step ends with one minimum over all moduli.

#![allow(unsafe_code)]

use crate::number::Integer;

use super::float_residues::{Chunk, LANES};
use super::plan::Moduli;
use super::{Holders, OneProcess, Run, Sizes, Used};
use crate::threads;

/// Chunks of a unit of work: enough that the cost of scheduling a unit is negligible.
const TEAM: usize = 32;

/// The best modulus found so far, and its value. Smaller is better, by `size` and then by `p`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Best {
    size: f64,
    p: f64,
    value: f64,
}

const NONE: Best = Best {
    size: f64::INFINITY,
    p: f64::INFINITY,
    value: 0.0,
};

fn better(a: Best, b: Best) -> Best {
    if (b.size, b.p) < (a.size, a.p) { b } else { a }
}

/// The work on every chunk between two minima.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// Compute the residues of two numbers, given as 32-bit digits.
    Begin(&'a [f64], &'a [f64]),
    /// No change: finds the quotient of the first step.
    Quotients,
    Step(f64, f64),
    /// No change: finds the first digit.
    Words,
    Digit(f64, f64),
}

/// Computes the steps and the digits on this process alone. With `watch`, also returns the
/// distribution of the sizes of |t| before step `watch`.
pub(super) fn run(
    u: &Integer,
    v: &Integer,
    moduli: &Moduli,
    watch: Option<usize>,
) -> (Run, Option<Sizes>) {
    reduce(&mut begin(u, v, moduli, &OneProcess), watch, &OneProcess)
}

/// Computes the steps and the digits. Collective: every holder calls it with its own part of the
/// moduli, and each step and each digit takes one minimum over all holders. With several holders,
/// moduli have at most 32 bits.
pub(super) fn run_shared(u: &Integer, v: &Integer, moduli: &Moduli, holders: &dyn Holders) -> Run {
    reduce(&mut begin(u, v, moduli, holders), None, holders).0
}

/// Computes the residues of both numbers modulo this holder's moduli.
pub(super) fn begin(
    u: &Integer,
    v: &Integer,
    moduli: &Moduli,
    holders: &dyn Holders,
) -> Vec<Chunk> {
    let mut chunks = chunks(moduli, holders);
    let [u, v] = digits([u, v]);
    all(&mut chunks, Work::Begin(&u, &v));
    chunks
}

/// Makes all steps and then all digits on chunks that [`begin`] returned. Returns them, and the
/// distribution of the sizes of |t| before step `watch` if that step exists.
pub(super) fn reduce(
    chunks: &mut [Chunk],
    watch: Option<usize>,
    holders: &dyn Holders,
) -> (Run, Option<Sizes>) {
    let quotient = |best| of_all(best, holders, quotient_word, word_quotient);
    let digit = |best| of_all(best, holders, digit_word, word_digit);
    let mut run = Run::default();
    let mut sizes = None;
    let mut best = quotient(all(chunks, Work::Quotients));
    while best.size.is_finite() {
        if watch == Some(run.steps.len()) {
            sizes = Some(distribution(chunks));
        }
        run.steps.push(used(best));
        best = quotient(all(chunks, Work::Step(best.p, best.value)));
    }
    best = digit(all(chunks, Work::Words));
    while best.size.is_finite() {
        run.digits.push(used(best));
        best = digit(all(chunks, Work::Digit(best.p, best.value)));
    }
    (run, sizes)
}

/// Returns the best over all holders. `word` maps a `Best` to a word, such that a better one has a
/// smaller word, and `back` inverts it.
fn of_all(best: Best, holders: &dyn Holders, word: fn(Best) -> u64, back: fn(u64) -> Best) -> Best {
    if holders.count() == 1 {
        return best;
    }
    let own = if best.size.is_finite() {
        word(best)
    } else {
        u64::MAX
    };
    match holders.least(own) {
        u64::MAX => NONE,
        word => back(word),
    }
}

/// Packs a quotient into a word: 31 bits for the size, 32 for the modulus, one for the sign.
fn quotient_word(best: Best) -> u64 {
    (best.size as u64) << 33 | (best.p as u64) << 1 | u64::from(best.value < 0.0)
}

fn word_quotient(word: u64) -> Best {
    let size = (word >> 33) as f64;
    Best {
        size,
        p: f64::from((word >> 1) as u32),
        value: if word & 1 == 1 { -size } else { size },
    }
}

/// Packs a digit into a word: 32 bits for the modulus, 32 for the digit.
fn digit_word(best: Best) -> u64 {
    (best.p as u64) << 32 | u64::from(best.value as i32 as u32)
}

fn word_digit(word: u64) -> Best {
    Best {
        size: 0.0,
        p: (word >> 32) as f64,
        value: f64::from(word as u32 as i32),
    }
}

/// Unpacks the minimum of all holders' quotient words. None if no holder has a quotient left.
pub(super) fn quotient_of(word: u64) -> Option<Used> {
    (word != u64::MAX).then(|| used(word_quotient(word)))
}

/// Unpacks the minimum of all holders' digit words. None if every modulus has the word 0.
pub(super) fn digit_of(word: u64) -> Option<Used> {
    (word != u64::MAX).then(|| used(word_digit(word)))
}

/// Returns the moduli of this holder.
pub(super) fn own(moduli: &Moduli, holders: &dyn Holders) -> Vec<u64> {
    let count = moduli.len();
    (holders.place()..count.div_ceil(LANES))
        .step_by(holders.count())
        .flat_map(|c| c * LANES..count.min((c + 1) * LANES))
        .map(|i| moduli.get(i))
        .collect()
}

fn used(best: Best) -> Used {
    Used {
        p: best.p as u64,
        value: best.value as i64,
    }
}

/// Returns this holder's moduli in chunks. The last chunk is padded with copies of the last
/// modulus, which go through the same steps as that modulus.
fn chunks(moduli: &Moduli, holders: &dyn Holders) -> Vec<Chunk> {
    let count = moduli.len();
    (holders.place()..count.div_ceil(LANES))
        .step_by(holders.count())
        .map(|c| {
            Chunk::new(std::array::from_fn(|i| {
                moduli.get((c * LANES + i).min(count - 1)) as f64
            }))
        })
        .collect()
}

/// Returns the 32-bit digits of both numbers, padded with zeros to the same count.
fn digits(numbers: [&Integer; 2]) -> [Vec<f64>; 2] {
    let limbs = numbers.map(|x| x.magnitude().limbs());
    let count = 2 * limbs.iter().map(|l| l.len()).max().unwrap_or(0);
    limbs.map(|limbs| {
        let halves = limbs.iter().flat_map(|l| [*l as u32, (l >> 32) as u32]);
        let mut digits: Vec<f64> = halves.map(f64::from).collect();
        digits.resize(count, 0.0);
        digits
    })
}

/// Does `work` on all chunks. Returns the best quotient or digit for the next step.
fn all(chunks: &mut [Chunk], work: Work<'_>) -> Best {
    let team = |chunks: &mut [Chunk]| leaf(chunks, work);
    if chunks.is_empty() {
        return NONE;
    }
    // With a pool of one thread, sending it a step would only cost two thread switches.
    if chunks.len() <= TEAM || threads::count() == 1 {
        return team(chunks);
    }
    let all = threads::map_chunks_mut(chunks, TEAM, |_, chunks| team(chunks));
    all.into_iter().fold(NONE, better)
}

/// Does `work` on these chunks on this thread, with the processor's vector instructions. Returns
/// the best quotient or digit among them.
fn leaf(chunks: &mut [Chunk], work: Work<'_>) -> Best {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("fma")
        {
            // SAFETY: the processor has the instructions.
            return unsafe { wide(chunks, work) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the instructions.
            return unsafe { avx2(chunks, work) };
        }
    }
    plain(chunks, work)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
fn wide(chunks: &mut [Chunk], work: Work<'_>) -> Best {
    plain(chunks, work)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(chunks: &mut [Chunk], work: Work<'_>) -> Best {
    plain(chunks, work)
}

#[inline(always)]
fn plain(chunks: &mut [Chunk], work: Work<'_>) -> Best {
    match work {
        Work::Begin(u, v) => {
            for chunk in chunks.iter_mut() {
                let (u, v) = chunk.residues(u, v);
                chunk.begin(u, v);
            }
            NONE
        }
        Work::Quotients => least(chunks),
        Work::Step(p, b) => {
            for chunk in chunks.iter_mut() {
                chunk.step(p, b);
            }
            least(chunks)
        }
        Work::Digit(p, g) => {
            for chunk in chunks.iter_mut() {
                chunk.digit(p, g);
            }
            any(chunks)
        }
        Work::Words => any(chunks),
    }
}

/// Returns the smallest |t|, of the smallest modulus if there is a tie. Moduli descend, so a later
/// one wins a tie.
#[inline(always)]
fn least(chunks: &[Chunk]) -> Best {
    let mut sizes = [f64::INFINITY; LANES];
    let mut places = [0usize; LANES];
    for (c, chunk) in chunks.iter().enumerate() {
        for i in 0..LANES {
            let size = chunk.t[i].abs();
            let wins = size <= sizes[i];
            sizes[i] = if wins { size } else { sizes[i] };
            places[i] = if wins { c } else { places[i] };
        }
    }
    (0..LANES).fold(NONE, |best, i| {
        let chunk = &chunks[places[i]];
        let lane = Best {
            size: sizes[i],
            p: chunk.q[i],
            value: chunk.t[i],
        };
        if sizes[i].is_finite() {
            better(best, lane)
        } else {
            best
        }
    })
}

/// Returns the digit of the smallest modulus whose word is not 0.
fn any(chunks: &[Chunk]) -> Best {
    let holder = chunks
        .iter()
        .rev()
        .find(|c| c.word.iter().any(|w| *w != 0.0));
    let Some(chunk) = holder else { return NONE };
    let i = (0..LANES)
        .rev()
        .find(|i| chunk.word[*i] != 0.0)
        .unwrap_or(0);
    Best {
        size: 0.0,
        p: chunk.q[i],
        value: chunk.quotients()[i],
    }
}

/// Returns the distribution of the |t|: entry i counts those of i bits.
fn distribution(chunks: &[Chunk]) -> Sizes {
    let mut sizes = vec![0; 41];
    for t in chunks.iter().flat_map(|c| c.t).filter(|t| t.is_finite()) {
        sizes[(64 - (t.abs() as u64).leading_zeros()) as usize] += 1;
    }
    sizes
}
