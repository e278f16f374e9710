// Block Lanczos over GF(2) on a device: products of a sparse matrix and of matrices of n×64 bits.
//
// A vector is a matrix of n×64 bits: word i is row i, and bit j of a word is column j. A block is a
// matrix of 64×64 bits, kept in the same way. Sums are sums over GF(2).

#ifndef LANCZOS_BLOCK
#error "LANCZOS_BLOCK: threads of a block"
#endif
#ifndef LANCZOS_LANES
#error "LANCZOS_LANES: threads that share a short list, a power of two up to 32"
#endif

// Sums of four rows of a block at a time: entry 16k + value is the sum of the rows 4k + j for the
// bits j of value. The 16 entries of a nibble fill all banks of the shared memory once, so that
// reading the entry of any value has no conflict.
#define TABLE_WORDS 256

// Fills the table of a block. All threads must call it, and a barrier must follow.
DEVICE void fill_table(u64* table, const u64* block) {
    for (u32 i = threadIdx.x; i < TABLE_WORDS; i += blockDim.x) {
        const u64* rows = block + i / 16 * 4;
        u64 sum = 0;
        for (u32 bit = 0; bit < 4; bit++) sum ^= (i >> bit) & 1 ? rows[bit] : 0;
        table[i] = sum;
    }
}

// The part of row·block that nibble k of the row selects.
DEVICE u64 nibble_product(const u64* table, u64 row, u32 k) {
    return table[16 * k + ((row >> (4 * k)) & 15)];
}

// row·block.
DEVICE u64 row_product(const u64* table, u64 row) {
    u64 sum = 0;
    for (u32 k = 0; k < 16; k++) sum ^= nibble_product(table, row, k);
    return sum;
}

// Returns the part of thread `lane` of `lanes` of the sum of x over the entries from begin to end.
// The number of rounds is known before the loop, so that the loads of several rounds are in flight
// at once.
template <u32 lanes>
DEVICE u64 share_of_list(const u32* entries, u32 begin, u32 end, u32 lane, const u64* x) {
    const u32 count = end - begin;
    const u32 rounds = count > lane ? (count - lane + lanes - 1) / lanes : 0;
    u64 sum = 0;
#pragma unroll 4
    for (u32 i = 0; i < rounds; i++) sum ^= x[entries[begin + lane + i * lanes]];
    return sum;
}

// out[i] = the sum of x over list i, plus row i of Σ words_k·rows_k for the `dense` vectors words_k
// of `lists` words and as many blocks rows_k.
// Grid: `heavy` blocks, and one for every LANCZOS_BLOCK/LANCZOS_LANES of the other lists. Block:
// LANCZOS_BLOCK threads. Each of the first `heavy` lists has a block, each other list LANCZOS_LANES
// threads.
// List i: entries starts[i] to starts[i + 1].
KERNEL_BOUNDS(LANCZOS_BLOCK, 1, lanczos_sums, const u32* starts, const u32* entries, u32 lists,
              u32 heavy, const u64* x, const u64* words, const u64* rows, u32 dense, u64* out) {
    typedef u64 Table[TABLE_WORDS];
    SHARED(Table, table);
    typedef u64 Sums[LANCZOS_BLOCK / 32];
    SHARED(Sums, sums);
    const u32 per_block = LANCZOS_BLOCK / LANCZOS_LANES;
    const bool is_heavy = blockIdx.x < heavy;
    const u32 light = (blockIdx.x - heavy) * per_block + threadIdx.x / LANCZOS_LANES;
    const u32 list = is_heavy ? blockIdx.x : heavy + light;
    const u32 lanes = is_heavy ? LANCZOS_BLOCK : LANCZOS_LANES;
    const u32 lane = threadIdx.x % lanes;
    u64 sum = 0;
    if (list < lists) {
        const u32 begin = starts[list], end = starts[list + 1];
        sum = is_heavy ? share_of_list<LANCZOS_BLOCK>(entries, begin, end, lane, x)
                       : share_of_list<LANCZOS_LANES>(entries, begin, end, lane, x);
    }
    for (u32 vector = 0; vector < dense; vector++) {
        __syncthreads();
        fill_table(table, rows + 64 * vector);
        __syncthreads();
        if (list >= lists) continue;
        const u64 word = words[u64(vector) * lists + list];
        for (u32 k = lane; k < 16; k += lanes) sum ^= nibble_product(table, word, k);
    }
    for (u32 apart = 1; apart < LANCZOS_LANES; apart *= 2)
        sum ^= __shfl_xor_sync(FULL_WARP, sum, apart);
    if (!is_heavy) {
        if (lane == 0 && list < lists) out[list] = sum;
        return;
    }
    for (u32 apart = LANCZOS_LANES; apart < 32; apart *= 2)
        sum ^= __shfl_xor_sync(FULL_WARP, sum, apart);
    if (lane_id() == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    u64 total = 0;
    for (u32 warp = 0; warp < LANCZOS_BLOCK / 32; warp++) total ^= sums[warp];
    out[list] = total;
}

// Adds leftᵀ·right to a block for each of `count` vectors left: block k of out to vector k.
// Grid: a multiple of `count` blocks, which share the rows of a vector. Block: LANCZOS_BLOCK
// threads, a multiple of 64. Thread t has row t mod 64 of the result and rows of the vectors that
// are a fixed distance apart.
KERNEL_BOUNDS(LANCZOS_BLOCK, 1, lanczos_inner, const u64* left, u32 count, const u64* right, u32 n,
              u64* out) {
    typedef u64 Sums[LANCZOS_BLOCK];
    SHARED(Sums, sums);
    const u32 slices = LANCZOS_BLOCK / 64;
    const u32 k = blockIdx.x % count, row = threadIdx.x % 64;
    const u32 first = blockIdx.x / count * slices + threadIdx.x / 64;
    const u32 step = gridDim.x / count * slices;
    const u32 rounds = n > first ? (n - first + step - 1) / step : 0;
    left += u64(k) * n;
    u64 sum = 0;
#pragma unroll 8
    for (u32 i = 0; i < rounds; i++) {
        const u32 at = first + i * step;
        sum ^= right[at] & (0 - ((left[at] >> row) & 1));
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x >= 64) return;
    for (u32 slice = 1; slice < slices; slice++) sum ^= sums[64 * slice + row];
    atomicXor(&out[64 * k + row], sum);
}

// x += v·by_0, and next = next in the columns of mask + v·by_1 + v1·by_2 + v2·by_3.
// Grid: any number of blocks. Block: LANCZOS_BLOCK threads. A thread has rows that are a fixed
// distance apart.
// by: four blocks. No two of the vectors overlap.
KERNEL_BOUNDS(LANCZOS_BLOCK, 1, lanczos_advance, u64* x, u64* next, u64 mask, const u64* v,
              const u64* v1, const u64* v2, u32 n, const u64* by) {
    typedef u64 Tables[4 * TABLE_WORDS];
    SHARED(Tables, tables);
    for (u32 k = 0; k < 4; k++) fill_table(tables + TABLE_WORDS * k, by + 64 * k);
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const u64 row = v[i];
        x[i] ^= row_product(tables, row);
        next[i] = (next[i] & mask) ^ row_product(tables + TABLE_WORDS, row) ^
                  row_product(tables + 2 * TABLE_WORDS, v1[i]) ^
                  row_product(tables + 3 * TABLE_WORDS, v2[i]);
    }
}
