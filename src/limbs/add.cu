// Sums with carries, in one pass over memory.
//
// Liu–Tong (section III.E) add limbs in parallel and then walk the carries with one thread at a time; a carry from end to end
// leaves the rest of the GPU idle. Here every level resolves its carries by look-ahead:
//
//   lane     two limbs; generates a carry, or would pass one on (both sums all ones)
//   warp     ROWS rows of 64 limbs; one ballot each for "generates" and "passes on" gives all 32 carries by an addition
//   block    the warps' two bits, by the same addition
//   grid     a tile needs the carry out of the tile below. The limb just under the tile decides it unless its sum is all ones;
//            only then does the tile look back at what the tiles below have published (Merrill and Garland's look-back)
//
// Reads each operand once (plus one limb a tile), writes the result once. The next tile's limbs are loaded while this one's
// carries are settled.
//
// Grid: any number of blocks of LINEAR_BLOCK threads; tiles are handed out in order by a ticket, so a block only ever waits
// for tiles that running blocks hold. Shared: a few words a warp. The result never overlaps an operand.

#if !defined(LINEAR_BLOCK) || !defined(LINEAR_ITEMS)
#error "LINEAR_BLOCK and LINEAR_ITEMS come from the tuning"
#endif

constexpr u32 WARPS = LINEAR_BLOCK / 32;
constexpr u32 ROWS = LINEAR_ITEMS / 2;
constexpr u32 WARP_LIMBS = 64 * ROWS;
constexpr u32 TILE = WARPS * WARP_LIMBS;
static_assert(LINEAR_BLOCK % 32 == 0 && WARPS >= 1 && WARPS <= 32, "whole warps, one ballot for all of them");
static_assert(LINEAR_ITEMS % 2 == 0, "limbs are loaded in pairs");

// The workspace, zero when made: counters first, then one state a tile. A state carries the launch's epoch, so no launch
// has to clear what the one before left behind.
constexpr u32 TICKET = 0, DONE = 1, EPOCH = 2, STATES = 4;
constexpr u64 CARRY_0 = 0, CARRY_1 = 1, PASSES_ON = 2;

// An operand in memory, sign-extended past its end, each limb XORed with `flip`.
struct Array {
    const u64* limbs;
    u64 len;
    u64 flip;

    __device__ u64 at(u64 i) const {
        u64 limb = i < len ? limbs[i] : (u64)((i64)limbs[len - 1] >> 63);
        return limb ^ flip;
    }
    // Whether limbs up to `end` can be loaded in pairs: rows of a batch may begin at an odd limb.
    __device__ bool covers(u64 end) const { return end <= len && (u64)limbs % 16 == 0; }
    __device__ ulonglong2 pair(u64 i) const {
        ulonglong2 v = *(const ulonglong2*)(limbs + i);
        v.x ^= flip;
        v.y ^= flip;
        return v;
    }
};

// A machine word, sign-extended.
struct Word {
    u64 low;
    u64 above;

    __device__ u64 at(u64 i) const { return i == 0 ? low : above; }
    __device__ bool covers(u64) const { return true; }
    __device__ ulonglong2 pair(u64 i) const { return make_ulonglong2(at(i), above); }
};

// The same at the foot of every row of a batch.
struct RowWord {
    u64 low;
    u64 above;
    u64 width;

    __device__ u64 at(u64 i) const { return i % width == 0 ? low : above; }
    __device__ bool covers(u64) const { return true; }
    __device__ ulonglong2 pair(u64 i) const { return make_ulonglong2(at(i), at(i + 1)); }
};

// One number, or equal-length rows of a batch: where a carry chain starts afresh.
struct Whole {
    __device__ bool starts(u64 i) const { return i == 0; }
};
struct Rows {
    u64 width;
    __device__ bool starts(u64 i) const { return i % width == 0; }
};

struct AddShared {
    u64 next_tile;
    u32 generates[WARPS];
    u32 passes_on[WARPS];
    u32 known[WARPS];
    u32 carries[WARPS];
};

// The carries into 32 places that each generate a carry or pass one on (never both), the first being given `carry`, which
// becomes the carry out of the last. The places are the digits of one binary addition, generates + (generates | passes_on):
// 1 + 1 makes a carry, 0 + 1 hands one on, 0 + 0 stops it; a sum differs from the exclusive or of its terms where one came in.
static __device__ u32 resolve_carries(u32 generates, u32 passes_on, u32& carry) {
    const u32 either = generates | passes_on;
    const u64 sum = (u64)either + generates + carry;
    carry = (u32)(sum >> 32);
    return (u32)sum ^ passes_on;
}

// The carry out of the nearest tile below `tile` that knows it, all between passing on. The whole block looks together, one
// tile a thread, thread 0 at the nearest: in a chain from end to end almost every tile asks, and asking must cost one look.
static __device__ u32 look_back(AddShared& shared, const u64* states, u64 tile, u64 epoch) {
    const u32 lane = lane_id(), warp = threadIdx.x / 32;
    for (u64 above = tile;; above -= LINEAR_BLOCK) {
        u64 state = CARRY_0;  // below tile 0: not reached, because tile 0 always knows its carry
        if (threadIdx.x < above) {
            const u64* at = states + (above - 1 - threadIdx.x);
            u64 tagged;
            while ((tagged = load_acquire(at)) >> 2 != epoch + 1) pause();
            state = tagged & 3;
        }
        const u32 known = __ballot_sync(0xffffffffu, state != PASSES_ON);
        const u32 carries = __ballot_sync(0xffffffffu, state == CARRY_1);
        if (lane == 0) {
            shared.known[warp] = known;
            shared.carries[warp] = carries;
        }
        __syncthreads();
        const u32 nearest = __ballot_sync(0xffffffffu, lane < WARPS && shared.known[lane % WARPS]);
        u32 carry = 0;
        if (nearest) {
            const u32 w = __ffs(nearest) - 1;
            carry = shared.carries[w] >> (__ffs(shared.known[w]) - 1) & 1;
        }
        __syncthreads();
        if (nearest) return carry;
    }
}

// A thread's limbs of a tile and the limb under the tile; zeros past n, which neither make a carry nor pass one on.
struct Loaded {
    ulonglong2 x[ROWS], y[ROWS];
    u64 below_x, below_y;
};

template <class A, class B>
static __device__ void load_tile(Loaded& loaded, u64 tile, u64 n, const A& a, const B& b) {
    const u64 base = tile * TILE;
    const u64 first = base + threadIdx.x / 32 * WARP_LIMBS + 2 * lane_id();
    if (base > 0) {
        loaded.below_x = a.at(base - 1);
        loaded.below_y = b.at(base - 1);
    }
    if (base + TILE <= n && a.covers(base + TILE) && b.covers(base + TILE)) {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            loaded.x[r] = a.pair(first + 64 * r);
            loaded.y[r] = b.pair(first + 64 * r);
        }
    } else {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            const u64 i = first + 64 * r;
            loaded.x[r] = make_ulonglong2(i < n ? a.at(i) : 0, i + 1 < n ? a.at(i + 1) : 0);
            loaded.y[r] = make_ulonglong2(i < n ? b.at(i) : 0, i + 1 < n ? b.at(i + 1) : 0);
        }
    }
}

// out[0..n) = a + b + carry_in, the chain starting afresh with carry_in wherever `chain` says.
template <class A, class B, class Chain>
static __device__ void add_tiles(u64* __restrict__ out, u64 n, A a, B b, Chain chain, u32 carry_in, u64* workspace) {
    SHARED(AddShared, shared);
    u64* states = workspace + STATES;
    const u32 lane = lane_id();
    const u32 warp = threadIdx.x / 32;
    const u64 tiles = (n + TILE - 1) / TILE;
    const u64 epoch = workspace[EPOCH];  // changes only when every block of this launch is done

    // Each block holds two tickets: the tile it works on, and the next, whose limbs are on their way meanwhile. No tile is
    // left waiting by that: the lowest unfinished tile is always one that a block works on.
    u64 ticket = 0;
    if (threadIdx.x == 0) {
        shared.next_tile = atomicAdd(workspace + TICKET, (u64)1);
        ticket = atomicAdd(workspace + TICKET, (u64)1);
    }
    __syncthreads();
    u64 tile = shared.next_tile;
    Loaded loaded;
    if (tile < tiles) load_tile(loaded, tile, n, a, b);
    __syncthreads();

    while (tile < tiles) {
        const u64 base = tile * TILE;
        const u64 first = base + warp * WARP_LIMBS + 2 * lane;

        // The limb under the tile decides the carry into it, unless its sum is all ones.
        u32 tile_carry = carry_in;
        bool decided = true;
        if (!chain.starts(base)) {
            const u64 sum = loaded.below_x + loaded.below_y;
            tile_carry = sum < loaded.below_x;
            if (chain.starts(base - 1)) {
                tile_carry |= sum + carry_in < sum;
            } else {
                decided = sum != ~(u64)0;
            }
        }

        // Sums of pairs without the carry from below, and who generates or passes on. A pair that both generates and is all
        // ones has a chain starting inside it, so it does not pass on; otherwise an overflow leaves a sum below all ones.
        ulonglong2 sum[ROWS];
        u32 generates[ROWS], passes_on[ROWS];
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            const u64 i = first + 64 * r;
            const bool start0 = chain.starts(i), start1 = chain.starts(i + 1);
            u64 low = loaded.x[r].x + loaded.y[r].x;
            u32 c = low < loaded.y[r].x;
            if (start0 && carry_in) c |= ++low == 0;
            u64 high = loaded.x[r].y + loaded.y[r].y;
            u32 top = high < loaded.y[r].y;
            if (start1 ? carry_in : c) top |= ++high == 0;
            sum[r] = make_ulonglong2(low, high);
            generates[r] = __ballot_sync(0xffffffffu, top);
            passes_on[r] = __ballot_sync(0xffffffffu, !start0 && !start1 && (low & high) == ~(u64)0);
        }

        // The warp as a whole, then the block.
        u32 warp_generates = 0, warp_passes_on = 1;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            resolve_carries(generates[r], passes_on[r], warp_generates);
            warp_passes_on &= passes_on[r] == 0xffffffffu;
        }
        if (lane == 0) {
            shared.generates[warp] = warp_generates;
            shared.passes_on[warp] = warp_passes_on;
        }
        if (threadIdx.x == 0) {
            shared.next_tile = ticket;
            if (ticket < tiles) ticket = atomicAdd(workspace + TICKET, (u64)1);
        }
        __syncthreads();
        const u64 next_tile = shared.next_tile;
        if (next_tile < tiles) load_tile(loaded, next_tile, n, a, b);
        const u32 block_generates = __ballot_sync(0xffffffffu, lane < WARPS && shared.generates[lane % WARPS]);
        const u32 block_passes_on = __ballot_sync(0xffffffffu, lane >= WARPS || shared.passes_on[lane % WARPS]);

        // Tell the tiles above. Lanes past the last warp pass on, so bit 31's carry is the tile's.
        u32 tile_generates = 0;
        resolve_carries(block_generates, block_passes_on, tile_generates);
        const bool tile_passes_on = block_passes_on == 0xffffffffu;
        if (threadIdx.x == 0) {
            const u64 state = !tile_passes_on ? tile_generates : decided ? tile_carry : PASSES_ON;
            store_release(states + tile, (epoch + 1) << 2 | state);
        }
        if (!decided) {
            tile_carry = look_back(shared, states, tile, epoch);
            if (threadIdx.x == 0 && tile_passes_on) store_release(states + tile, (epoch + 1) << 2 | tile_carry);
        }

        // Settle: the carry into this warp, then row by row.
        u32 c = tile_carry;
        c = resolve_carries(block_generates, block_passes_on, c) >> warp & 1;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            const u64 i = first + 64 * r;
            const u32 into_lanes = resolve_carries(generates[r], passes_on[r], c);
            if (into_lanes >> lane & 1 && !chain.starts(i) && ++sum[r].x == 0 && !chain.starts(i + 1)) sum[r].y++;
            if (i + 1 < n) {
                *(ulonglong2*)(out + i) = sum[r];
            } else if (i < n) {
                out[i] = sum[r].x;
            }
        }
        __syncthreads();
        tile = next_tile;
    }

    // The last block out leaves the workspace ready for the next launch.
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(workspace + DONE, (u64)1) == gridDim.x - 1) {
            workspace[TICKET] = 0;
            workspace[DONE] = 0;
            workspace[EPOCH] = epoch + 1;
        }
    }
}

// out[0..n) = a + (b ^ flip_b) + carry_in. Subtraction is flip_b = all ones, carry_in = 1.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_add, u64* __restrict__ out, u64 n, const u64* __restrict__ a, u64 len_a,
              const u64* __restrict__ b, u64 len_b, u64 flip_b, u32 carry_in, u64* workspace) {
    add_tiles(out, n, Array{a, len_a, 0}, Array{b, len_b, flip_b}, Whole{}, carry_in, workspace);
}

// The same for rows of `width` limbs, each modulo 2^(64·width).
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_add_rows, u64* __restrict__ out, u64 n, const u64* __restrict__ a,
              const u64* __restrict__ b, u64 flip_b, u32 carry_in, u64 width, u64* workspace) {
    add_tiles(out, n, Array{a, n, 0}, Array{b, n, flip_b}, Rows{width}, carry_in, workspace);
}

// out[0..n) = (a ^ flip_a) + (low, above, above, ...) + carry_in. Negation is flip_a = all ones, carry_in = 1.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_add_word, u64* __restrict__ out, u64 n, const u64* __restrict__ a, u64 len_a,
              u64 flip_a, u64 low, u64 above, u32 carry_in, u64* workspace) {
    add_tiles(out, n, Array{a, len_a, flip_a}, Word{low, above}, Whole{}, carry_in, workspace);
}

// The same for rows of `width` limbs, each modulo 2^(64·width).
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_add_word_rows, u64* __restrict__ out, u64 n, const u64* __restrict__ a, u64 flip_a,
              u64 low, u64 above, u32 carry_in, u64 width, u64* workspace) {
    add_tiles(out, n, Array{a, n, flip_a}, RowWord{low, above, width}, Rows{width}, carry_in, workspace);
}

// out[0..n) = |a|: (a ^ sign) − sign.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_abs, u64* __restrict__ out, u64 n, const u64* __restrict__ a, u64 len_a,
              u64* workspace) {
    u64 sign = (u64)((i64)a[len_a - 1] >> 63);
    add_tiles(out, n, Array{a, len_a, sign}, Word{0, 0}, Whole{}, (u32)(sign & 1), workspace);
}
