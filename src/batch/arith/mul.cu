// Products of rows. Blocks of any number of warps; LANES lanes a row (group.cuh). out is apart from
// a and b.

// low: the lower `words` words of each product; whole: all 2·words of them.
KERNEL(batch_mul, u32* out, const u32* a, const u32* b, u64 count, u32 words, u32 whole) {
    FOR_ROWS(row, live, count) {
        Number x = load_part(a + row * words, words), y = load_part(b + row * words, words), low;
        Number high = product(x, y, words, low);
        u32* to = out + row * words * (whole ? 2 : 1);
        if (live) {
            store_part(to, words, low);
            if (whole) store_part(to + words, words, high);
        }
    }
}

// For benchmarks, the rate of products by itself: x ← the low half of x·b, `times` times.
KERNEL(batch_mul_again, u32* out, const u32* a, const u32* b, u64 count, u32 words, u32 times) {
    FOR_ROWS(row, live, count) {
        Number x = load_part(a + row * words, words), y = load_part(b + row * words, words), low;
#pragma unroll 1
        for (u32 i = 0; i < times; i++) {
            product(x, y, words, low);
            x = low;
        }
        if (live) store_part(out + row * words, words, x);
    }
}
