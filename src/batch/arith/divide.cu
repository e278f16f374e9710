// Quotients, remainders and square roots of rows. Blocks of BLOCK threads; LANES lanes a row
// (group.cuh).
//
// The divisor is shifted up until its highest bit is that of the group's highest word, the dividend
// with it, and the quotient found a word at a time from the top: Knuth's algorithm D, with a
// quotient of three words by two from a reciprocal (Möller and Granlund, "Improved division by
// invariant integers", IEEE Trans. Comp. 60 (2011), algorithms 4 and 6), which is right or one too
// many.

// A number of each group where its words can be called by their number.
typedef u32 Scratch[BLOCK / LANES][LANES * WORDS];

DEVICE void put(u32* scratch, const Number& x) {
    __syncwarp();
    store_part(scratch, LANES * WORDS, x);
    __syncwarp();
}
// The words of a row from bit `bit` on.
DEVICE Number load_shifted(const u32* row, u32 words, i32 bit) {
    Number x;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++)
        x.w[i] = bits_at(row, words, 32 * (i32)(part() * WORDS + i) + bit);
    return x;
}

// ⌊(2^96 − 1)/d⌋ − 2^32 for d of 64 bits, the highest set.
DEVICE u32 reciprocal(u64 d) {
    u32 d1 = (u32)(d >> 32), d0 = (u32)d;
    u32 v = (u32)(~0ull / d1 - (1ull << 32));
    u32 p = d1 * v + d0;
    if (p < d0) {
        v--;
        if (p >= d1) {
            v--;
            p -= d1;
        }
        p -= d1;
    }
    u64 t = (u64)v * d0;
    u32 t1 = (u32)(t >> 32);
    p += t1;
    if (p < t1) {
        v--;
        if (((u64)p << 32 | (u32)t) >= d) v--;
    }
    return v;
}
// ⌊(high·2^32 + low)/d⌋ for high < d; 2^32 − 1 for high = d.
DEVICE u32 quotient_word(u64 high, u32 low, u64 d, u32 v) {
    u32 d1 = (u32)(d >> 32), d0 = (u32)d;
    u64 estimate = (u64)v * (u32)(high >> 32) + high;
    u32 q = (u32)(estimate >> 32);
    u64 r = (u64)((u32)high - q * d1) << 32 | low;
    r -= (u64)d0 * q + d;
    q++;
    if ((u32)(r >> 32) >= (u32)estimate) {
        q--;
        r += d;
    }
    if (r >= d) q++;
    return high == d ? ~0u : q;
}

struct Shifted {
    Number rest; // the remainder times 2^shift
    u32 shift;
};
// a/b for b of `length` bits, more than none: the quotient's words into `quotient`.
DEVICE Shifted divide(const u32* a, u32 words, const u32* b, u32 b_words, u32 length,
                      u32* quotient) {
    u32 shift = 32 * LANES * WORDS - length, bits = bit_length(a, words);
    Number d = load_shifted(b, b_words, -(i32)shift);
    // Only the last lane's are used; elsewhere the words need not be as high as they are made here.
    u64 top = (u64)(d.w[WORDS - 1] | 1u << 31) << 32 | d.w[WORDS - 2];
    u32 v = reciprocal(top);
    // a < b·2^(32·steps).
    u32 steps = warp_max(bits < length ? 0 : (bits - length) / 32 + 1);
    Number x = load_shifted(a, words, 32 * (i32)steps - (i32)shift);
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) quotient[i] = 0;
#pragma unroll 1
    for (u32 step = steps; step > 0; step--) {
        u32 low = bits_at(a, words, 32 * (i32)(step - 1) - (i32)shift), high = x.w[WORDS - 1];
        u32 below = from_below(high);
#pragma unroll
        for (u32 i = WORDS - 1; i > 0; i--) x.w[i] = x.w[i - 1];
        x.w[0] = part() == 0 ? low : below;
        u32 q = quotient_word((u64)high << 32 | x.w[WORDS - 1], x.w[WORDS - 2], top, v);
        q = from_lane(q, LANES - 1);
        u32 more = 0, borrow = 0;
#pragma unroll
        for (u32 i = 0; i < WORDS; i++) {
            u64 t = (u64)q * d.w[i] + more;
            more = (u32)(t >> 32) + (x.w[i] < (u32)t);
            x.w[i] -= (u32)t;
        }
        if (LANES > 1) {
            borrow = subtract_word(x, from_below(more));
            u32 in = ripple(borrow, is_all(x, 0));
            subtract_word(x, in);
        }
        bool negative = from_lane(high < (u64)more + borrow, LANES - 1);
        if (__any_sync(FULL_WARP, negative)) {
            u32 carry;
            Number back = sum(x, d, carry);
            x = choose(negative, back, x);
            q -= negative;
        }
        if (part() == (step - 1) / WORDS) quotient[(step - 1) % WORDS] = q;
    }
    return {x, shift};
}
DEVICE Number from_array(const u32* array) {
    Number x;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) x.w[i] = array[i];
    return x;
}

// quotients and remainders, where they are wanted. No divisor is 0.
KERNEL_BOUNDS(BLOCK, 1, batch_divide, u32* quotients, u32* remainders, const u32* a, const u32* b,
              u64 count, u32 words) {
    SHARED(Scratch, scratch);
    u32* own = scratch[threadIdx.x / LANES];
    FOR_ROWS(row, live, count) {
        const u32* by = b + row * words;
        u32 quotient[WORDS];
        Shifted s = divide(a + row * words, words, by, words, bit_length(by, words), quotient);
        if (live && quotients) store_part(quotients + row * words, words, from_array(quotient));
        if (remainders) {
            put(own, s.rest);
            Number rest = load_shifted(own, LANES * WORDS, s.shift);
            if (live) store_part(remainders + row * words, words, rest);
        }
    }
}

// ⌊√a⌋ by Newton's iteration from a power of two above it, which goes down until it has arrived.
KERNEL_BOUNDS(BLOCK, 1, batch_root, u32* out, const u32* a, u64 count, u32 words) {
    SHARED(Scratch, scratch);
    u32* own = scratch[threadIdx.x / LANES];
    FOR_ROWS(row, live, count) {
        const u32* of = a + row * words;
        u32 bits = bit_length(of, words);
        Number x = power_of_two((bits + 1) / 2);
        bool more = bits > 0;
#pragma unroll 1
        while (__any_sync(FULL_WARP, more)) {
            u32 quotient[WORDS], carry, borrow;
            put(own, x);
            u32 length = bit_length(own, LANES * WORDS);
            divide(of, words, own, LANES * WORDS, length, quotient);
            Number next = half(sum(x, from_array(quotient), carry), 0);
            difference(next, x, borrow);
            more = more && borrow;
            x = choose(more, next, x);
        }
        if (bits == 0) x = small_number(0);
        if (live) store_part(out + row * words, words, x);
    }
}
