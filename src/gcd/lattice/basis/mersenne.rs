//! Arithmetic modulo the prime 2^61 − 1, on residues below it.

const P: u64 = (1 << 61) - 1;

fn fold(x: u128) -> u64 {
    let sum = (x as u64 & P) + (x >> 61) as u64;
    if sum >= P { sum - P } else { sum }
}

/// x·2^32 + word.
pub(crate) fn append(x: u64, word: u32) -> u64 {
    fold(u128::from(x) << 32 | u128::from(word))
}

/// x·y modulo 2^61 − 1.
pub(crate) fn mul(x: u64, y: u64) -> u64 {
    fold(u128::from(x) * u128::from(y))
}

/// x − y modulo 2^61 − 1.
pub(crate) fn sub(x: u64, y: u64) -> u64 {
    if x < y { x + P - y } else { x - y }
}
