// Arithmetic modulo a row, by Montgomery: every modulus is odd. Blocks of any number of warps;
// LANES lanes a row (group.cuh). Each result is apart from the operands.

// Computes the constants of a modulus, R mod n and R² mod n for R = 2^(32·words), row by row.
KERNEL(batch_prepare, u32* ones, u32* squares, const u32* moduli, u64 count, u32 words) {
    FOR_ROWS(row, live, count) {
        const u32* from = moduli + row * words;
        Number n = load_part(from, words);
        Number one = one_mod(n, bit_length(from, words), words);
        Number square = square_mod_of_r(one, n, negated_inverse(from[0]), words);
        if (live) {
            store_part(ones + row * words, words, one);
            store_part(squares + row * words, words, square);
        }
    }
}

// a·b/R mod n for a < R and b < n, and for b of 1 alone where there is none.
KERNEL(batch_product_mod, u32* out, const u32* a, const u32* b, const u32* moduli, u64 count,
       u32 words) {
    FOR_ROWS(row, live, count) {
        Number n = load_part(moduli + row * words, words), x = load_part(a + row * words, words);
        Number y = b ? load_part(b + row * words, words) : power_of_two(0);
        x = product_mod(x, y, n, negated_inverse(moduli[row * words]), words);
        if (live) store_part(out + row * words, words, x);
    }
}

// a ± b mod n for a, b < n.
KERNEL(batch_sum_mod, u32* out, const u32* a, const u32* b, const u32* moduli, u64 count, u32 words,
       u32 minus) {
    FOR_ROWS(row, live, count) {
        Number n = load_part(moduli + row * words, words);
        Number x = load_part(a + row * words, words), y = load_part(b + row * words, words);
        x = minus ? difference_mod(x, y, n) : sum_mod(x, y, n);
        if (live) store_part(out + row * words, words, x);
    }
}

// In a power, a number of one thread is multiplied by a product that is unrolled at full length,
// and squares use fewer products of words. R is then 2^(32·WORDS), which is not visible outside.
// Two threads also square a number that fills them with fewer products of words.
DEVICE u32 span(u32 words) { return LANES == 1 ? WORDS : words; }
DEVICE Number times(const Number& a, const Number& b, const Number& n, u32 n0, u32 words) {
    return LANES == 1 ? mont_mul(a, b, n, n0) : product_mod(a, b, n, n0, words);
}
DEVICE Number squared(const Number& a, const Number& n, u32 n0, u32 words) {
#if LANES == 2 && WORDS % 4 == 0
    if (words == LANES * WORDS) {
        Number low, high = square(a, low);
        return reduce(low, high, n, n0);
    }
#endif
    return LANES == 1 ? mont_sqr(a, n, n0) : product_mod(a, a, n, n0, words);
}

// base^exponent mod n, a window of WINDOW bits of the exponent at a time, the first where the
// longest exponent of the warp has one. tables: 2^WINDOW numbers of LANES·WORDS words for each
// group of the grid.
KERNEL_BOUNDS(BLOCK, RESIDENT, batch_power, u32* out, const u32* base, const u32* exponents,
              const u32* moduli, u64 count, u32 words, u32* tables) {
    u64 group = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    u32* table = tables + (group << WINDOW) * (LANES * WORDS);
    FOR_ROWS(row, live, count) {
        const u32* from = moduli + row * words;
        Number n = load_part(from, words);
        u32 n0 = negated_inverse(from[0]);
        Number x = one_mod(n, bit_length(from, words), span(words));
        store_part(table, LANES * WORDS, x);
        x = square_mod_of_r(x, n, n0, span(words));
        x = product_mod(load_part(base + row * words, words), x, n, n0, span(words));
        store_part(table + LANES * WORDS, LANES * WORDS, x);
#pragma unroll 1
        for (u32 i = 2; i < 1 << WINDOW; i++) {
            // Loaded each time: one number less in registers.
            Number first = load_part(table + LANES * WORDS, LANES * WORDS);
            x = product_mod(x, first, n, n0, span(words));
            store_part(table + i * (LANES * WORDS), LANES * WORDS, x);
        }
        const u32* exponent = exponents + row * words;
        u32 windows = warp_max((bit_length(exponent, words) + WINDOW - 1) / WINDOW);
        x = load_part(table, LANES * WORDS);
#pragma unroll 1
        for (u32 i = windows; i > 0; i--) {
#pragma unroll 1
            for (u32 k = i == windows ? 0 : WINDOW; k > 0; k--) x = squared(x, n, n0, words);
            u32 digit = bits_at(exponent, words, (i - 1) * WINDOW) & ((1 << WINDOW) - 1);
            Number y = load_part(table + digit * (LANES * WORDS), LANES * WORDS);
            x = i == windows ? y : times(x, y, n, n0, words);
        }
        x = product_mod(x, power_of_two(0), n, n0, span(words));
        if (live) store_part(out + row * words, words, x);
    }
}
