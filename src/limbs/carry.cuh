// Look-ahead of carries: between the lanes of a warp, the warps of a block and the tiles of a grid.
// A source that uses this header has its text in front of its own.
//
// A place (a limb, a row, a warp, a tile) generates a carry, or propagates its carry in, or
// neither, but never both. Each tile publishes a state, and a tile that needs its carry in reads
// the states of the tiles below (Merrill and Garland's look-back). A state has a tag that no other
// launch on the same workspace has, so that no launch has to clear the states of the previous one:
// tag << 2 | CARRY_0, CARRY_1 or PASSES_ON.

constexpr u64 CARRY_0 = 0, CARRY_1 = 1, PASSES_ON = 2;

// Returns the carries into 32 places that each generate a carry, propagate one, or do neither.
// `carry` is the carry into the first place, and becomes the carry out of the last. The places are
// the digits of one binary addition, generates + (generates | passes_on): 1 + 1 generates a carry,
// 0 + 1 propagates one, and 0 + 0 stops it. The sum differs from the exclusive or of its terms
// exactly in the places with a carry in.
DEVICE u32 resolve_carries(u32 generates, u32 passes_on, u32& carry) {
    const u32 either = generates | passes_on;
    const u64 sum = (u64)either + generates + carry;
    carry = (u32)(sum >> 32);
    return (u32)sum ^ passes_on;
}

// Shared memory of block_carries.
template <u32 WARPS>
struct WarpCarries {
    u32 generates[WARPS];
    u32 passes_on[WARPS];
};

// How the warps of a block treat carries, with one bit per warp. Bits past the last warp propagate.
struct BlockCarries {
    u32 generates;
    u32 passes_on;

    // Whether the tile generates a carry.
    __device__ u32 tile_generates() const {
        u32 carry = 0;
        resolve_carries(generates, passes_on, carry);
        return carry;
    }
    __device__ bool tile_passes_on() const { return passes_on == FULL_WARP; }
    // The carry into a warp, given the one into the tile.
    __device__ u32 into_warp(u32 warp, u32 tile_carry) const {
        return resolve_carries(generates, passes_on, tile_carry) >> warp & 1;
    }
};

// From ballots of this warp's rows, the lowest row first. All threads of the block call; it holds a
// barrier.
template <u32 ROWS, u32 WARPS>
DEVICE BlockCarries block_carries(WarpCarries<WARPS>& shared, const u32 (&generates)[ROWS],
                                  const u32 (&passes_on)[ROWS]) {
    const u32 lane = lane_id();
    u32 warp_generates = 0, warp_passes_on = 1;
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        resolve_carries(generates[r], passes_on[r], warp_generates);
        warp_passes_on &= passes_on[r] == FULL_WARP;
    }
    if (lane == 0) {
        shared.generates[threadIdx.x / 32] = warp_generates;
        shared.passes_on[threadIdx.x / 32] = warp_passes_on;
    }
    __syncthreads();
    BlockCarries block;
    block.generates = __ballot_sync(FULL_WARP, lane < WARPS && shared.generates[lane % WARPS]);
    block.passes_on = __ballot_sync(FULL_WARP, lane >= WARPS || shared.passes_on[lane % WARPS]);
    return block;
}

// Waits for the state of `tile`, given the state read first. A state is self-contained, so no
// memory order is needed around it.
DEVICE u64 state_of(const u64* states, u64 tile, u64 tag, u64 tagged) {
    while (tagged >> 2 != tag) {
        tagged = load_relaxed(states + tile);
        if (tagged >> 2 != tag) pause();
    }
    return tagged & 3;
}

// Returns the carry out of the nearest tile below `tile` that knows it; all tiles between
// propagate. Ends at tile 0 at the latest, which always knows it. All BLOCK threads of the block
// must call it, and each reads ITEMS tiles. nearest: shared memory.
template <u32 BLOCK, u32 ITEMS>
static __device__ u32 look_back_by_block(u32 (&shared_nearest)[BLOCK / 32], const u64* states,
                                         u64 tile, u64 tag) {
    const u32 none = ~0u;
    for (u64 above = tile;; above -= ITEMS * BLOCK) {
        u64 tagged[ITEMS]; // a first look at all of them at once
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 distance = k * BLOCK + threadIdx.x;
            tagged[k] = distance < above ? load_relaxed(states + (above - 1 - distance)) : 0;
        }
        u32 nearest = none; // distance and carry of the nearest tile that knows
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 distance = k * BLOCK + threadIdx.x;
            if (distance < above) {
                const u64 state = state_of(states, above - 1 - distance, tag, tagged[k]);
                if (state != PASSES_ON) nearest = min(nearest, distance << 1 | (u32)state);
            }
        }
        for (u32 step = 16; step > 0; step /= 2)
            nearest = min(nearest, __shfl_xor_sync(FULL_WARP, nearest, step));
        if (lane_id() == 0) shared_nearest[threadIdx.x / 32] = nearest;
        __syncthreads();
        for (u32 w = 0; w < BLOCK / 32; w++) nearest = min(nearest, shared_nearest[w]);
        __syncthreads();
        if (nearest != none) return nearest & 1;
    }
}

// Returns the carry out of the nearest tile below `tile` that knows it; all tiles between
// propagate. For grids of few tiles: one whole warp must call it, and reads 32 tiles at a time, the
// nearest in lane 0.
static __device__ u32 look_back_by_warp(const u64* states, u64 tile, u64 tag) {
    u64 above = tile;
    for (;;) {
        u64 lane = lane_id();
        u64 state = CARRY_0; // below tile 0: never reached, because tile 0 always knows its carry
        if (lane < above) {
            u64 tagged;
            while ((tagged = load_acquire(states + (above - 1 - lane))) >> 2 != tag) pause();
            state = tagged & 3;
        }
        u32 known = __ballot_sync(FULL_WARP, state != PASSES_ON);
        if (known) return __shfl_sync(FULL_WARP, (u32)state, __ffs(known) - 1);
        above -= 32;
    }
}
