//! Sizes of products.

/// |x·y| ≤ 2^(a + b), and 2^(a + b) itself is reached, by −2^a times −2^b: one bit more than the
/// sum.
pub(crate) fn product_bits(a: u64, b: u64) -> u64 {
    a.saturating_add(b).saturating_add(1)
}

/// Limbs that carry a value with −2^bits ≤ x < 2^bits: x = U − s·2^(64·limbs), U its low limbs
/// unsigned and s its sign. Where bits is a multiple of 64 that leaves out the top limb, which is
/// only sign.
pub(crate) fn digits_for(bits: u64) -> usize {
    bits.div_ceil(64).max(1) as usize
}

/// A sum of `count` products, each with the bound `bits`: one bit more for each doubling.
pub(crate) fn sum_bits(bits: u64, count: usize) -> u64 {
    bits.saturating_add(count.max(1).next_power_of_two().ilog2().into())
}
