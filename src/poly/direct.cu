// Short products from their coefficients, for one pair or for many.

constexpr u32 EACH = DIRECT_EACH, TILE = EACH * POLY_BLOCK;
struct DirectShared {
    Word b[POLY_BLOCK];
    Word a[TILE + POLY_BLOCK];
};

// The products of pairs. list: for each pair the address of the product, that of a and its length,
// that of b and its length, neither 0. A block has TILE coefficients of one product. Grid: pairs ×
// tiles, tiles enough for the longest.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_products, const u64* list, u32 tiles, u64 p, u64 square) {
    SHARED(DirectShared, shared);
    const Field f = field_of(p, square);
    const u64* mine = list + 5 * (u64)(blockIdx.x / tiles);
    u64* out = (u64*)mine[0];
    const u64 *a = (const u64*)mine[1], *b = (const u64*)mine[3];
    const u64 len_a = mine[2], len_b = mine[4], count = len_a + len_b - 1;
    const u64 first = (u64)(blockIdx.x % tiles) * TILE;
    if (first >= count) return;
    Sum sum[EACH];
    // Coefficients of b from `from` on meet those of a from first − from − (POLY_BLOCK − 1) on.
    const u64 least = first + 1 > len_a ? (first + 1 - len_a) / POLY_BLOCK * POLY_BLOCK : 0;
    for (u64 from = least; from < len_b && from < first + TILE; from += POLY_BLOCK) {
        __syncthreads();
        const u64 i = from + threadIdx.x;
        shared.b[threadIdx.x] = i < len_b ? f.enter((Word)b[i]) : 0;
        for (u32 t = threadIdx.x; t < TILE + POLY_BLOCK; t += POLY_BLOCK) {
            const u64 j = first - from + t - (POLY_BLOCK - 1); // wraps below 0
            shared.a[t] = j < len_a ? (Word)a[j] : 0;
        }
        __syncthreads();
        const Word* at = shared.a + POLY_BLOCK - 1 + threadIdx.x;
        const u32 some = (u32)min((u64)POLY_BLOCK, len_b - from);
        for (u32 k = 0; k < some; k++) {
#pragma unroll
            for (u32 g = 0; g < EACH; g++) sum[g].add(f, shared.b[k], *(at + g * POLY_BLOCK - k));
        }
    }
#pragma unroll
    for (u32 g = 0; g < EACH; g++) {
        const u64 i = first + g * POLY_BLOCK + threadIdx.x;
        if (i < count) out[i] = sum[g].value(f);
    }
}
