// What a device's launches, accesses, operations and barriers cost. Each kernel writes a result, so that no compiler leaves its work out.

// Nothing. Any shape.
KERNEL(probe_nothing, u64* out) {
    if (out == nullptr) out[0] = 0;
}

// A ring through n words: from each, the place `stride` further on. Grid: any; each thread writes places a grid apart.
KERNEL(probe_ring, u64* ring, u64 n, u64 stride) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (u64)blockDim.x) {
        ring[i] = (i + stride) % n;
    }
}

// The place after `steps` accesses, each of which waits for the one before. One thread; writes out[0].
KERNEL(probe_chase, const u64* ring, u64 steps, u64* out) {
    u64 at = 0;
    for (u64 i = 0; i < steps; i++) at = ring[at];
    out[0] = at;
}

// `steps` multiplications and additions a thread, each waiting for the one before. Any shape; thread 0 of each block writes its result.
KERNEL(probe_operations, u64 steps, u64 factor, u64* out) {
    u64 x = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    for (u64 i = 0; i < steps; i++) x = x * factor + 1;
    // Every thread's result counts, so that none is left out.
    if (x == 0 || threadIdx.x == 0) out[blockIdx.x] = x;
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
