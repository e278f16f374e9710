// Kernels that measure a device's launches, accesses, operations and barriers. Each kernel writes a
// result, so that the compiler cannot remove its work.

// Nothing. Any shape.
KERNEL(probe_nothing, u64* out) {
    if (out == nullptr) out[0] = 0;
}

// A ring through `lines` lines of `line` words, a power of two of them: the first word of line i
// is the place of line i * factor + 1 (ring.rs says why that is one cycle).
// Grid: any; each thread writes links a grid apart.
KERNEL(probe_ring, u64* ring, u64 lines, u64 line, u64 factor) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < lines;
         i += gridDim.x * (u64)blockDim.x) {
        ring[i * line] = ((i * factor + 1) & (lines - 1)) * line;
    }
}

// Follows `links` links from the place at[0], where each load waits for the previous one, and
// writes the last place to at[0]. One thread.
KERNEL(probe_chase, const u64* ring, u64 links, u64* at) {
    u64 place = at[0];
    for (u64 i = 0; i < links; i++) place = ring[place];
    at[0] = place;
}

// `steps` multiplications and additions per thread, where each waits for the previous one. Any
// shape. Thread 0 of each block writes its result.
KERNEL(probe_operations, u64 steps, u64 factor, u64* out) {
    u64 x = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    for (u64 i = 0; i < steps; i++) x = x * factor + 1;
    // Every thread's result counts, so that none is left out.
    if (x == 0 || threadIdx.x == 0) out[blockIdx.x] = x;
}

// Multiplies a thread's residue in shared memory `steps` times by `factor` modulo p. Each product
// waits for the previous one. A step of plain division or of Euclid's algorithm does the same to a
// coefficient. p < 2^31 is odd, inverse is 1/p modulo 2^32, factor < p. Blocks of at most 256
// threads; thread 0 of each block writes its result.
typedef u32 PerThread[256];
KERNEL(probe_products, u64 steps, u32 factor, u32 p, u32 inverse, u64* out) {
    SHARED(PerThread, residues);
    volatile u32* own = residues + threadIdx.x;
    *own = threadIdx.x + 1;
    for (u64 i = 0; i < steps; i++) {
        const u64 product = (u64)*own * factor;
        const u32 high = (u32)(product >> 32), low = (u32)product;
        const u32 difference = high - __umulhi(low * inverse, p);
        *own = min(difference, difference + p);
    }
    if (threadIdx.x == 0) out[blockIdx.x] = *own;
}

// `rounds` barriers of a block. Any shape.
KERNEL(probe_block_barriers, u64 rounds, u64* out) {
    u32 met = 0;
    for (u64 i = 0; i < rounds; i++) met += __syncthreads_count(1);
    if (threadIdx.x == 0) out[blockIdx.x] = met;
}

// `rounds` barriers of a cooperative grid. state: two zero words.
KERNEL(probe_grid_barriers, u64 rounds, u32* state, u64* out) {
    for (u64 i = 0; i < rounds; i++) grid_barrier(state);
    if (threadIdx.x == 0) out[blockIdx.x] = rounds;
}
