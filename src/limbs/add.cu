// Sums with carries, in one pass over memory.
//
// Liu–Tong (section III.E) add limbs in parallel and then walk the carries with one thread at a
// time; a carry from end to end leaves the rest of the GPU idle. Here every level resolves its
// carries by look-ahead:
//
//   lane     two limbs; generates a carry, or would pass one on (both sums all ones)
//   warp     ROWS rows of 64 limbs; one ballot each for "generates" and "passes on" gives all 32
//            carries by an addition
//   block    the warps' two bits, by the same addition
//   grid     a tile needs the carry out of the tile below. The limb just under the tile decides it
//            unless its sum is all ones; only then does the tile look back at what the tiles below
//            have published (Merrill and Garland's look-back). A tile that is all ones throughout
//            and cannot decide does not even wait: it publishes that it passes carries on, and a
//            filler, one of a few blocks at the end of the launch, writes its zeros or ones once
//            the carry is known
//
// Reads each operand once (plus one limb a tile), writes the result once.
//
// Grid: a block of LINEAR_BLOCK threads for every tile and filler, or any smaller number of them.
// Shared: a few words a warp and a thread. The result never overlaps an operand.

#if !defined(LINEAR_BLOCK) || !defined(LINEAR_ITEMS)
#error "LINEAR_BLOCK and LINEAR_ITEMS come from the tuning"
#endif

constexpr u32 WARPS = LINEAR_BLOCK / 32;
constexpr u32 ROWS = LINEAR_ITEMS / 2;
// Enough threads in flight to hide the loads: 1024 a multiprocessor, at 64 registers each.
constexpr u32 MIN_BLOCKS = LINEAR_BLOCK < 64 ? 16 : 1024 / LINEAR_BLOCK;
constexpr u32 WARP_LIMBS = 64 * ROWS;
constexpr u32 TILE = WARPS * WARP_LIMBS;
static_assert(LINEAR_BLOCK % 32 == 0 && WARPS >= 1 && WARPS <= 32,
              "whole warps, one ballot for all of them");
static_assert(LINEAR_ITEMS % 2 == 0, "limbs are loaded in pairs");

// The workspace, zero when made: the counter of turns, then one state a tile (limbs/carry.cuh). Its
// tag is the launch's epoch, a number that no other launch has and that is not 0.
constexpr u32 COUNTER = 0, STATES = ADD_HEAD;

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

// An operand in memory, shifted up by `shift` limbs: zeros below, the limb `above` past its end,
// each limb XORed with `flip`.
struct Part {
    const u64* limbs;
    u64 len;
    u64 shift;
    u64 above;
    u64 flip;

    __device__ u64 at(u64 i) const {
        u64 limb = i < shift ? 0 : i - shift < len ? limbs[i - shift] : above;
        return limb ^ flip;
    }
    __device__ bool covers(u64 end) const {
        return end >= shift + TILE && end <= shift + len && ((u64)limbs + 8 * shift) % 16 == 0;
    }
    __device__ ulonglong2 pair(u64 i) const {
        ulonglong2 v = *(const ulonglong2*)(limbs + (i - shift));
        v.x ^= flip;
        v.y ^= flip;
        return v;
    }
};
static __device__ Part part_of(const u64* limbs, u64 len, u64 shift, u32 natural, u64 flip) {
    return Part{limbs, len, shift, natural ? 0 : (u64)((i64)limbs[len - 1] >> 63), flip};
}

// A machine word, sign-extended.
struct Word {
    u64 low;
    u64 above;

    __device__ u64 at(u64 i) const { return i == 0 ? low : above; }
    __device__ bool covers(u64) const { return true; }
    __device__ ulonglong2 pair(u64 i) const { return make_ulonglong2(at(i), above); }
};

// The addend of limbs_fold_high: two words, and `above` from limb `from` on.
struct TwoWords {
    u64 low;
    u64 high;
    u64 from;
    u64 above;

    __device__ u64 at(u64 i) const { return i == 0 ? low : i == 1 ? high : i >= from ? above : 0; }
    __device__ bool covers(u64) const { return true; }
    __device__ ulonglong2 pair(u64 i) const { return make_ulonglong2(at(i), at(i + 1)); }
};

// A machine word at the foot of every row of a batch, sign-extended to the row's `width` limbs.
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
    u64 turn;
    WarpCarries<WARPS> warps;
    u32 nearest[WARPS];
    u32 states[LINEAR_BLOCK];
};

// The carry into a tile from the tiles below. All threads of the block call.
static __device__ u32 look_back(AddShared& shared, const u64* states, u64 tile, u64 epoch) {
    return look_back_by_block<LINEAR_BLOCK, LINEAR_ITEMS>(shared.nearest, states, tile, epoch);
}

// One tile of out[0..n) = a + b + carry_in. The carry chain restarts with carry_in wherever `chain`
// says.
template <class A, class B, class Chain>
static __device__ void add_tile(AddShared& shared, u64* __restrict__ out, u64 n, const A& a,
                                const B& b, const Chain& chain, u32 carry_in, u64* states, u64 tile,
                                u64 epoch) {
    const u32 lane = lane_id();
    const u32 warp = threadIdx.x / 32;
    const u64 base = tile * TILE;
    const u64 first = base + warp * WARP_LIMBS + 2 * lane;
    const bool inner = base + TILE <= n && a.covers(base + TILE) && b.covers(base + TILE);

    // This thread's limbs, and the one under the tile; zeros past n, which neither make a carry nor
    // pass one on.
    ulonglong2 sum[ROWS], other[ROWS];
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        const u64 i = first + 64 * r;
        if (inner) {
            sum[r] = a.pair(i);
            other[r] = b.pair(i);
        } else {
            sum[r] = make_ulonglong2(i < n ? a.at(i) : 0, i + 1 < n ? a.at(i + 1) : 0);
            other[r] = make_ulonglong2(i < n ? b.at(i) : 0, i + 1 < n ? b.at(i + 1) : 0);
        }
    }
    // The limb under the tile decides the carry into it, unless its sum is all ones.
    u32 tile_carry = carry_in;
    bool decided = true;
    if (!chain.starts(base)) {
        const u64 below = a.at(base - 1);
        const u64 total = below + b.at(base - 1);
        tile_carry = total < below;
        if (chain.starts(base - 1)) {
            tile_carry |= total + carry_in < total;
        } else {
            decided = total != ~(u64)0;
        }
    }

    // Sums of pairs without the carry from below, and who generates or passes on. A pair that both
    // generates and is all ones has a chain starting inside it, so it does not pass on; otherwise
    // an overflow leaves a sum below all ones.
    u32 generates[ROWS], passes_on[ROWS];
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        const u64 i = first + 64 * r;
        const bool start0 = chain.starts(i), start1 = chain.starts(i + 1);
        u64 low = sum[r].x + other[r].x;
        u32 c = low < other[r].x;
        if (start0 && carry_in) c |= ++low == 0;
        u64 high = sum[r].y + other[r].y;
        u32 top = high < other[r].y;
        if (start1 ? carry_in : c) top |= ++high == 0;
        sum[r] = make_ulonglong2(low, high);
        generates[r] = __ballot_sync(0xffffffffu, top);
        passes_on[r] = __ballot_sync(0xffffffffu, !start0 && !start1 && (low & high) == ~(u64)0);
    }

    // Resolves the carries of the warp, then of the block; then publishes the carry for the tiles
    // above.
    const BlockCarries block = block_carries(shared.warps, generates, passes_on);
    const u32 tile_generates = block.tile_generates();
    const bool tile_passes_on = block.tile_passes_on();
    if (threadIdx.x == 0) {
        const u64 state = !tile_passes_on ? tile_generates : decided ? tile_carry : PASSES_ON;
        store_relaxed(states + tile, epoch << 2 | state);
    }
    if (!decided) {
        // All ones from end to end and no carry known yet: a filler writes it, and no chain of such
        // tiles holds anyone up.
        if (tile_passes_on) return;
        tile_carry = look_back(shared, states, tile, epoch);
    }

    // Settle: the carry into this warp, then row by row.
    u32 c = block.into_warp(warp, tile_carry);
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        const u64 i = first + 64 * r;
        const u32 into_lanes = resolve_carries(generates[r], passes_on[r], c);
        if (into_lanes >> lane & 1 && !chain.starts(i) && ++sum[r].x == 0 && !chain.starts(i + 1))
            sum[r].y++;
        if (inner || i + 1 < n) {
            *(ulonglong2*)(out + i) = sum[r];
        } else if (i < n) {
            out[i] = sum[r].x;
        }
    }
}

// The tiles [from, to) that were all ones and did not know their carry: all zeros with it, all ones
// without. The block asks for as many tiles at a time as it has threads; where none is left to
// fill, that is all it does.
static __device__ void fill_tiles(AddShared& shared, u64* __restrict__ out, const u64* states,
                                  u64 from, u64 to, u64 epoch) {
    for (; from < to; from += LINEAR_BLOCK) {
        const u64 count = min(to - from, (u64)LINEAR_BLOCK);
        const u64 mine =
            threadIdx.x < count ? state_of(states, from + threadIdx.x, epoch, 0) : CARRY_0;
        shared.states[threadIdx.x] = (u32)mine;
        if (!__syncthreads_or(mine == PASSES_ON)) continue;
        u32 carry = 0;
        bool known = false; // whether `carry` is the carry into this tile
        for (u32 k = 0; k < count; k++, known = true) {
            if (shared.states[k] != PASSES_ON) {
                carry = shared.states[k];
                continue;
            }
            if (!known) carry = look_back(shared, states, from + k, epoch);
            const u64 limb = carry ? 0 : ~(u64)0;
            ulonglong2* tile = (ulonglong2*)(out + (from + k) * TILE) + threadIdx.x;
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) tile[r * LINEAR_BLOCK] = make_ulonglong2(limb, limb);
        }
        __syncthreads();
    }
}

// Tile or filler `turn`: all tiles first, then the fillers' shares of them.
template <class A, class B, class Chain>
static __device__ void add_turn(AddShared& shared, u64* __restrict__ out, u64 n, const A& a,
                                const B& b, const Chain& chain, u32 carry_in, u64* states,
                                u64 epoch, u64 turn, u64 tiles, u32 fillers) {
    if (turn < tiles) {
        add_tile(shared, out, n, a, b, chain, carry_in, states, turn, epoch);
    } else {
        const u64 filler = turn - tiles;
        fill_tiles(shared, out, states, filler * tiles / fillers, (filler + 1) * tiles / fillers,
                   epoch);
    }
}

// Processes all turns in order, because a block may wait for the states of lower turns. No block
// waits for a higher turn, and tiles publish before they wait. With one block per turn, that is the
// order in which the hardware starts blocks. With fewer blocks, each block takes the next turn from
// a counter, and the block that takes the last turn resets the counter for the next launch.
template <class A, class B, class Chain>
static __device__ void add_tiles(u64* __restrict__ out, u64 n, A a, B b, Chain chain, u32 carry_in,
                                 u64* workspace, u64 epoch, u32 fillers) {
    SHARED(AddShared, shared);
    u64* states = workspace + STATES;
    const u64 tiles = (n + TILE - 1) / TILE;
    const u64 turns = tiles + fillers;
    if (gridDim.x >= turns) {
        if (blockIdx.x < turns)
            add_turn(shared, out, n, a, b, chain, carry_in, states, epoch, blockIdx.x, tiles,
                     fillers);
        return;
    }
    for (;;) {
        if (threadIdx.x == 0) {
            shared.turn = atomicAdd(workspace + COUNTER, (u64)1);
            if (shared.turn == turns + gridDim.x - 1) workspace[COUNTER] = 0;
        }
        __syncthreads();
        const u64 turn = shared.turn;
        if (turn >= turns) return;
        add_turn(shared, out, n, a, b, chain, carry_in, states, epoch, turn, tiles, fillers);
        __syncthreads();
    }
}

// out[0..n) = a + (b ^ flip_b) + carry_in. Subtraction is flip_b = all ones, carry_in = 1.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_add, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, u64 len_a, const u64* __restrict__ b, u64 len_b,
              u64 flip_b, u32 carry_in, u64* workspace, u64 epoch, u32 fillers) {
    add_tiles(out, n, Array{a, len_a, 0}, Array{b, len_b, flip_b}, Whole{}, carry_in, workspace,
              epoch, fillers);
}

// out[0..n) = a·2^(64·shift_a) + (b ^ flip_b) + carry_in, where a natural operand has no sign:
// zeros follow its limbs.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_join, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, u64 len_a, u32 natural_a, u64 shift_a,
              const u64* __restrict__ b, u64 len_b, u32 natural_b, u64 flip_b, u32 carry_in,
              u64* workspace, u64 epoch, u32 fillers) {
    add_tiles(out, n, part_of(a, len_a, shift_a, natural_a, 0),
              part_of(b, len_b, 0, natural_b, flip_b), Whole{}, carry_in, workspace, epoch,
              fillers);
}

// out[0..n) = the natural number in a[0..fold), plus that in its next two limbs, minus 1; where
// a[fold − 1] is all ones minus 2^(64·fold) instead, which takes the carry off.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_fold_high, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, u64 fold, u64* workspace, u64 epoch, u32 fillers) {
    TwoWords over = {a[fold], a[fold + 1], fold, ~(u64)0};
    if (a[fold - 1] != ~(u64)0) {
        over.from = 2;
        if (over.low-- != 0 || over.high-- != 0) over.above = 0;
    }
    add_tiles(out, n, part_of(a, fold, 0, 1, 0), over, Whole{}, 0, workspace, epoch, fillers);
}

// out = a + (b ^ flip_b) + carry_in in each row of `width` limbs, modulo 2^(64·width).
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_add_rows, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, const u64* __restrict__ b, u64 flip_b, u32 carry_in,
              u64 width, u64* workspace, u64 epoch, u32 fillers) {
    add_tiles(out, n, Array{a, n, 0}, Array{b, n, flip_b}, Rows{width}, carry_in, workspace, epoch,
              fillers);
}

// out[0..n) = (a ^ flip_a) + (low, above, above, ...) + carry_in. Negation is flip_a = all ones,
// carry_in = 1.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_add_word, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, u64 len_a, u64 flip_a, u64 low, u64 above, u32 carry_in,
              u64* workspace, u64 epoch, u32 fillers) {
    add_tiles(out, n, Array{a, len_a, flip_a}, Word{low, above}, Whole{}, carry_in, workspace,
              epoch, fillers);
}

// limbs_add_word in each row of `width` limbs, modulo 2^(64·width).
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_add_word_rows, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, u64 flip_a, u64 low, u64 above, u32 carry_in, u64 width,
              u64* workspace, u64 epoch, u32 fillers) {
    add_tiles(out, n, Array{a, n, flip_a}, RowWord{low, above, width}, Rows{width}, carry_in,
              workspace, epoch, fillers);
}

// out[0..n) = |a|: (a ^ sign) − sign.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_abs, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, u64 len_a, u64* workspace, u64 epoch, u32 fillers) {
    u64 sign = (u64)((i64)a[len_a - 1] >> 63);
    add_tiles(out, n, Array{a, len_a, sign}, Word{0, 0}, Whole{}, (u32)(sign & 1), workspace, epoch,
              fillers);
}
