// Detects the kinds of rows in a batch, and does trial division. Blocks of any number of warps.

// Kinds of rows, of which the even ones are not zero, come from the host: SCAN_ZERO, SCAN_EVEN.

// kinds[0] becomes the kinds of all rows together; zero before. A thread a row.
KERNEL(batch_kinds, u32* kinds, const u32* a, u64 count, u32 words) {
    u32 all = 0;
    for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < count;
         row += (u64)gridDim.x * blockDim.x) {
        const u32* x = a + row * words;
        u32 any = x[0];
        if (any % 2) continue;
        for (u32 i = 1; i < words && any == 0; i++) any = x[i];
        all |= any ? SCAN_EVEN : SCAN_ZERO;
    }
    if (all) atomicOr(kinds, all);
}

// Trial division: a warp a row, a prime a lane.
//
// With v = 1/p modulo 2^32, q = v·(w − c) for each word w from the lowest on and c the high word of
// q·p and the borrow, all of the words below are q's times p plus c·2^32 (Jebelean's exact
// division): p divides the row if c is 0 or p at the end.

// out[row]: the smallest of 2 and the odd primes, which ascend, that divides the row; 0 if none
// does.
KERNEL(batch_trial, u64* out, const u32* a, u64 count, u32 words, const u32* primes,
       u32 primes_count) {
    u32 warps = blockDim.x / 32;
    for (u64 row = (u64)blockIdx.x * warps + threadIdx.x / 32; row < count;
         row += (u64)gridDim.x * warps) {
        const u32* x = a + row * words;
        u32 least = x[0] % 2 == 0 ? 2 : 0;
        for (u32 first = 0; first < primes_count && least == 0; first += 32) {
            u32 i = first + lane_id();
            u32 p = i < primes_count ? primes[i] : 1, v = inverse_modulo_r(p);
            u32 c = 0;
            for (u32 k = 0; k < words; k++) {
                u32 w = x[k];
                c = __umulhi(v * (w - c), p) + (w < c);
            }
            u32 divides = __ballot_sync(FULL_WARP, i < primes_count && (c == 0 || c == p));
            if (divides) least = __shfl_sync(FULL_WARP, p, __ffs(divides) - 1);
        }
        if (lane_id() == 0) out[row] = least;
    }
}
