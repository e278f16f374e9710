// Montgomery's reduction modulo an odd p of one word, R = 2^32 for u32 and 2^64 for u64: the twin
// of word/montgomery/word.rs.
//
// `inverse` is 1/p modulo R. With m = low·inverse mod R the low words of m·p and of high·R + low
// agree, so (high·R + low)/R ≡ high − floor(m·p/R) modulo p. For high < p that is between −p and p.
// A source that uses this header has its text before its own.

DEVICE u32 high_product(u32 x, u32 y) { return __umulhi(x, y); }
DEVICE u64 high_product(u64 x, u64 y) { return __umul64hi(x, y); }

// 1/p modulo R for odd p: p itself is right to 3 bits, and each step doubles them.
DEVICE u32 inverse_modulo_r(u32 p) {
    u32 inverse = p;
#pragma unroll
    for (u32 i = 0; i < 4; i++) inverse *= 2u - p * inverse;
    return inverse;
}
DEVICE u64 inverse_modulo_r(u64 p) {
    u64 inverse = p;
#pragma unroll
    for (u32 i = 0; i < 5; i++) inverse *= 2u - p * inverse;
    return inverse;
}

// (high·R + low)/R in [0, p), for high < p.
template <class Word>
DEVICE Word montgomery_reduce(Word high, Word low, Word p, Word inverse) {
    const Word multiple = high_product(low * inverse, p);
    const Word difference = high - multiple;
    return high < multiple ? difference + p : difference;
}

// (high·R + low)/R in [0, p), for high < p < R/2: of the difference and p more, the one that is not
// negative is the smaller.
template <class Word>
DEVICE Word montgomery_reduce_short(Word high, Word low, Word p, Word inverse) {
    const Word difference = high - high_product(low * inverse, p);
    return min(difference, difference + p);
}

// (high·R + low)/R plus a multiple of p, in (high − p, high + p] and so in [0, 2p) for high < p,
// where that is below R.
template <class Word>
DEVICE Word montgomery_reduce_lazy(Word high, Word low, Word p, Word inverse) {
    return high - high_product(low * inverse, p) + p;
}

// sum/2^32 modulo p, at most sum/2^32 + p, for sum + 2^32·p < 2^64. `minus_inverse` is −1/p modulo
// 2^32: a multiple of p is added here, so that nothing becomes negative.
DEVICE u32 montgomery_reduce_up(u64 sum, u32 p, u32 minus_inverse) {
    return (u32)((sum + (u64)((u32)sum * minus_inverse) * p) >> 32);
}
