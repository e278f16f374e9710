// Radix sort as published: Satish, Harris and Garland ("Designing efficient sorting algorithms for
// manycore GPUs", 2009), which Haque, Moreno Maza and Xie analyse in their machine model with s =
// SORT_BITS. A pass is
//
//   plain_tiles     a block sorts its tile of 4 keys a thread by s splits on one bit, and writes it
//                   and its histogram of 2^s digits
//   plain_sums      prefix sums over the histograms, all tiles of a digit before the next digit: in
//                   blocks,
//   plain_totals    over those blocks,
//   plain_add       and what lies before a block is added to its sums
//   plain_scatter   a block copies its tile to where its digits go
//
// so keys are read and written twice per pass. This algorithm serves to measure the model; sorts
// use onesweep.cu.
//
// All grids are of SORT_THREADS threads. Counts are 32 bits: fewer than 2^32 keys.

constexpr u32 ITEMS = 4;
constexpr u32 TILE = ITEMS * SORT_THREADS;
constexpr u32 READS_KEYS = SORT_READS_KEYS, WRITES_KEYS = SORT_WRITES_KEYS;

typedef Key TileKeys[TILE];
typedef Value TileValues[VALUES ? TILE : 1];
typedef u32 PerDigit[BINS];
typedef u32 PerWarp[WARPS];

// Block b sorts tile b of the n keys by digit `pass`, stably, and sets histograms[digit * gridDim.x
// + b]. Grid: a block a tile.
KERNEL_BOUNDS(SORT_THREADS, 1, plain_tiles, const Key* __restrict__ keys, Key* __restrict__ keys_to,
              const Value* __restrict__ values, Value* __restrict__ values_to, u64 n,
              u32* histograms, u32 pass, u32 roles, u64 spread, u64 flip) {
    SHARED(TileKeys, words);
    SHARED(TileValues, moved);
    SHARED(PerDigit, starts);
    SHARED(PerDigit, ends);
    SHARED(PerWarp, totals);
    Order order = {(Key)spread, (Key)flip};
    u64 start = (u64)blockIdx.x * TILE;
    u32 here = n - start < TILE ? (u32)(n - start) : TILE;
    // Padding after the end is the largest word, and stays at the end.
    for (u32 i = threadIdx.x; i < TILE; i += SORT_THREADS) {
        words[i] = ~(Key)0;
        if (i >= here) continue;
        words[i] = roles & READS_KEYS ? order.word(keys[start + i]) : keys[start + i];
        if (VALUES) moved[i] = values[start + i];
    }
    for (u32 d = threadIdx.x; d < BINS; d += SORT_THREADS) starts[d] = ends[d] = 0;
    __syncthreads();
    for (u32 bit = 0; bit < SORT_BITS; ++bit) {
        Key word[ITEMS];
        Value value[ITEMS];
        u32 zeros = 0, first = ITEMS * threadIdx.x;
        for (u32 k = 0; k < ITEMS; ++k) {
            word[k] = words[first + k];
            if (VALUES) value[k] = moved[first + k];
            zeros += !(digit(word[k], pass) >> bit & 1);
        }
        u32 all, before = exclusive_sum(zeros, totals, all);
        __syncthreads();
        for (u32 k = 0; k < ITEMS; ++k) {
            bool one = digit(word[k], pass) >> bit & 1;
            u32 to = one ? all + first + k - before : before;
            before += !one;
            words[to] = word[k];
            if (VALUES) moved[to] = value[k];
        }
        __syncthreads();
    }
    for (u32 i = threadIdx.x; i < here; i += SORT_THREADS) {
        u32 d = digit(words[i], pass);
        if (i == 0 || digit(words[i - 1], pass) != d) starts[d] = i;
        if (i == here - 1 || digit(words[i + 1], pass) != d) ends[d] = i + 1;
        keys_to[start + i] = words[i];
        if (VALUES) values_to[start + i] = moved[i];
    }
    __syncthreads();
    for (u32 d = threadIdx.x; d < BINS; d += SORT_THREADS)
        histograms[(u64)d * gridDim.x + blockIdx.x] = ends[d] - starts[d];
}

// Each counts[i], i < n, becomes the sum of those before it in its block of TILE, whose sum goes to
// sums[block]. Grid: a block for TILE counts.
KERNEL_BOUNDS(SORT_THREADS, 1, plain_sums, u32* counts, u64 n, u32* sums) {
    SHARED(PerWarp, totals);
    u64 first = (u64)blockIdx.x * TILE + ITEMS * threadIdx.x;
    u32 count[ITEMS], sum = 0, all;
    for (u32 k = 0; k < ITEMS; ++k) {
        count[k] = first + k < n ? counts[first + k] : 0;
        sum += count[k];
    }
    u32 before = exclusive_sum(sum, totals, all);
    for (u32 k = 0; k < ITEMS; ++k) {
        if (first + k < n) counts[first + k] = before;
        before += count[k];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

// Each sums[i], i < n, becomes the sum of those before it. Grid: one block.
KERNEL_BOUNDS(SORT_THREADS, 1, plain_totals, u32* sums, u64 n) {
    SHARED(PerWarp, totals);
    u32 before = 0, all;
    for (u64 from = 0; from < n; from += SORT_THREADS) {
        u64 i = from + threadIdx.x;
        u32 sum = i < n ? sums[i] : 0;
        u32 inside = exclusive_sum(sum, totals, all);
        if (i < n) sums[i] = before + inside;
        before += all;
        __syncthreads();
    }
}

// Each counts[i], i < n, grows by the sum of the blocks before its block of TILE. Grid: a block for
// TILE counts.
KERNEL_BOUNDS(SORT_THREADS, 1, plain_add, u32* counts, u64 n, const u32* __restrict__ sums) {
    u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
    u32 before = sums[blockIdx.x];
    for (u32 k = 0; k < ITEMS; ++k) {
        u64 i = first + (u64)k * SORT_THREADS;
        if (i < n) counts[i] += before;
    }
}

// Block b copies tile b to where its digits go. Grid: a block a tile.
KERNEL_BOUNDS(SORT_THREADS, 1, plain_scatter, const Key* __restrict__ keys,
              Key* __restrict__ keys_to, const Value* __restrict__ values,
              Value* __restrict__ values_to, u64 n, const u32* __restrict__ counts, u32 pass,
              u32 roles, u64 spread, u64 flip) {
    SHARED(PerDigit, starts);
    Order order = {(Key)spread, (Key)flip};
    u64 start = (u64)blockIdx.x * TILE;
    u32 here = n - start < TILE ? (u32)(n - start) : TILE;
    for (u32 i = threadIdx.x; i < here; i += SORT_THREADS) {
        u32 d = digit(keys[start + i], pass);
        if (i == 0 || digit(keys[start + i - 1], pass) != d) starts[d] = i;
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < here; i += SORT_THREADS) {
        Key word = keys[start + i];
        u32 d = digit(word, pass);
        u64 at = (u64)d * gridDim.x + blockIdx.x;
        u64 to = (u64)counts[at] + i - starts[d];
        keys_to[to] = roles & WRITES_KEYS ? order.key(word) : word;
        if (VALUES) values_to[to] = values[start + i];
    }
}
