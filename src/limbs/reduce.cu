// Operations that boil whole numbers down to a word or two: popcount, hamming distance, comparison,
// search for a bit.
//
// Each reads its operands once, and the searches stop early. Results go through the workspace:
// blocks add into it, the last block out writes the answer and leaves the workspace zero, so no
// launch has to clear it first.
//
// Grid: any number of blocks of LINEAR_BLOCK threads. Shared: one word a warp.

#if !defined(LINEAR_BLOCK) || !defined(LINEAR_ITEMS)
#error "LINEAR_BLOCK and LINEAR_ITEMS come from the tuning"
#endif

constexpr u32 PAIRS = LINEAR_ITEMS / 2;
constexpr u64 TILE = (u64)LINEAR_BLOCK * LINEAR_ITEMS;
constexpr u32 WARPS = LINEAR_BLOCK / 32;
static_assert(LINEAR_BLOCK % 32 == 0 && LINEAR_ITEMS % 2 == 0, "whole warps, limbs in pairs");

// The workspace: a running value, how many blocks are done, the next tile to search; zero between
// launches.
constexpr u32 VALUE = 0, DONE = 1, TICKET = 2;
static_assert(TICKET < REDUCE_WORKSPACE && REDUCE_ANSWER == 5, "what the host allocates");

static __device__ u64 limb_at(const u64* limbs, u64 len, u64 i) {
    return i < len ? limbs[i] : (u64)((i64)limbs[len - 1] >> 63);
}

// Whether this block is the last of the launch to get here. Called by thread 0 only, after its
// block's contribution.
static __device__ bool last_block_out(u64* workspace) {
    __threadfence();
    return atomicAdd(workspace + DONE, (u64)1) == gridDim.x - 1;
}

static __device__ u64 warp_sum(u64 value) {
    for (u32 step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    return value;
}

// Sum of `count` over the block, in thread 0.
static __device__ u64 block_sum(u64 count) {
    typedef u64 Counts[WARPS];
    SHARED(Counts, counts);
    count = warp_sum(count);
    if (lane_id() == 0) counts[threadIdx.x / 32] = count;
    __syncthreads();
    u64 total = 0;
    if (threadIdx.x < 32) total = warp_sum(threadIdx.x < WARPS ? counts[threadIdx.x] : 0);
    return total;
}

// The count as a number of two limbs, and the operands' top limbs behind it where there is room for
// them.
static __device__ void finish_count(u64* answer, bool with_tops, u64* workspace, u64 count, u64 top_a, u64 top_b) {
    u64 total = block_sum(count);
    if (threadIdx.x == 0) {
        atomicAdd(workspace + VALUE, total);
        if (last_block_out(workspace)) {
            answer[0] = atomicExch(workspace + VALUE, (u64)0);
            answer[1] = 0;
            if (with_tops) {
                answer[2] = top_a;
                answer[3] = top_b;
            }
            workspace[DONE] = 0;
        }
    }
}

// answer = {one bits of a's limbs, 0, a's top limb, 0}, or its first two limbs.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_popcount, u64* answer, u32 with_tops, const u64* __restrict__ a, u64 len,
              u64* workspace) {
    u64 count = 0;
    for (u64 base = (u64)blockIdx.x * TILE; base < len; base += (u64)gridDim.x * TILE) {
        if (base + TILE <= len) {
            const u64* from = a + base + 2 * threadIdx.x;
            ulonglong2 x[PAIRS];
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) x[r] = *(const ulonglong2*)(from + 2 * LINEAR_BLOCK * r);
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) count += __popcll(x[r].x) + __popcll(x[r].y);
        } else {
            for (u64 i = base + threadIdx.x; i < len; i += LINEAR_BLOCK) count += __popcll(a[i]);
        }
    }
    finish_count(answer, with_tops, workspace, count, a[len - 1], 0);
}

// answer = {bits in which the sign-extended operands differ, 0, a's top limb, b's top limb}.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_hamming, u64* answer, const u64* __restrict__ a, u64 len_a,
              const u64* __restrict__ b, u64 len_b, u64* workspace) {
    const u64 common = len_a < len_b ? len_a : len_b;
    const u64 n = len_a < len_b ? len_b : len_a;
    u64 count = 0;
    for (u64 base = (u64)blockIdx.x * TILE; base < n; base += (u64)gridDim.x * TILE) {
        if (base + TILE <= common) {
            const u64 first = base + 2 * threadIdx.x;
            ulonglong2 x[PAIRS], y[PAIRS];
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) {
                x[r] = *(const ulonglong2*)(a + first + 2 * LINEAR_BLOCK * r);
                y[r] = *(const ulonglong2*)(b + first + 2 * LINEAR_BLOCK * r);
            }
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) count += __popcll(x[r].x ^ y[r].x) + __popcll(x[r].y ^ y[r].y);
        } else {
            for (u64 i = base + threadIdx.x; i < base + TILE && i < n; i += LINEAR_BLOCK)
                count += __popcll(limb_at(a, len_a, i) ^ limb_at(b, len_b, i));
        }
    }
    finish_count(answer, true, workspace, count, a[len_a - 1], b[len_b - 1]);
}

// Searches tiles 0, 1, 2, ... of [0, n) for the first i with differs(i), each block taking the next
// tile until one is found below its own. The answer's first limb is i + 1, or 0; the others are
// what `tell` adds.
template <class Differs, class Tell>
static __device__ void search(u64* answer, u64 n, u64* workspace, Differs differs, Tell tell) {
    typedef u64 Word;
    SHARED(Word, tile_shared);
    const u64 tiles = (n + TILE - 1) / TILE;
    for (;;) {
        if (threadIdx.x == 0) {
            u64 next = atomicAdd(workspace + TICKET, (u64)1);
            // VALUE holds the complement of the best index, so that zero means none and a maximum
            // keeps the lowest.
            if (next < tiles && next * TILE > ~load_acquire(workspace + VALUE)) next = tiles;
            tile_shared = next;
        }
        __syncthreads();
        const u64 tile = tile_shared;
        __syncthreads();
        if (tile >= tiles) break;
        u64 found = ~(u64)0;
#pragma unroll
        for (u32 r = 0; r < LINEAR_ITEMS; r++) {
            u64 i = tile * TILE + threadIdx.x + (u64)LINEAR_BLOCK * r;
            if (i < n && i < found && differs(i)) found = i;
        }
        const u32 hits = __ballot_sync(0xffffffffu, found != ~(u64)0);
        if (hits) {
            for (u32 step = 16; step > 0; step /= 2) {
                u64 other = __shfl_down_sync(0xffffffffu, found, step);
                found = other < found ? other : found;
            }
            if (lane_id() == 0) atomicMax(workspace + VALUE, ~found);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && last_block_out(workspace)) {
        u64 first = ~atomicExch(workspace + VALUE, (u64)0);
        workspace[DONE] = 0;
        workspace[TICKET] = 0;
        answer[0] = first + 1;
        tell(first);
    }
}

// The highest limb in which the sign-extended operands differ: answer = {its index + 1 or 0, a's
// limb, b's limb, a's top limb, b's top limb}. With b = 0 the comparison is with a's own sign,
// which gives a's size.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_highest_difference, u64* answer, const u64* __restrict__ a, u64 len_a,
              const u64* __restrict__ b, u64 len_b, u64* workspace) {
    const u64 n = len_a < len_b ? len_b : len_a;
    const u64 sign = (u64)((i64)a[len_a - 1] >> 63);
    const auto of_b = [=](u64 i) { return len_b ? limb_at(b, len_b, i) : sign; };
    search(
        answer, n, workspace, [=](u64 i) { return limb_at(a, len_a, n - 1 - i) != of_b(n - 1 - i); },
        [=](u64 first) {
            const bool found = first < n;
            const u64 i = found ? n - 1 - first : 0;
            answer[0] = found ? i + 1 : 0;
            answer[1] = limb_at(a, len_a, i);
            answer[2] = of_b(i);
            answer[3] = a[len_a - 1];
            answer[4] = len_b ? b[len_b - 1] : 0;
        });
}

// The lowest one bit of a ^ flip at or above bit `from`: answer = {limb index + 1 or 0, that limb
// with the bits below `from` cleared, a's top limb}. from < 64·len.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_lowest_bit, u64* answer, const u64* __restrict__ a, u64 len, u64 flip, u64 from,
              u64* workspace) {
    const u64 start = from / 64;
    const u64 below = ((u64)1 << (from & 63)) - 1;
    const auto limb = [=](u64 i) { return (a[start + i] ^ flip) & (i == 0 ? ~below : ~(u64)0); };
    search(
        answer, len - start, workspace, [=](u64 i) { return limb(i) != 0; },
        [=](u64 first) {
            const bool found = first < len - start;
            answer[0] = found ? start + first + 1 : 0;
            answer[1] = found ? limb(first) : 0;
            answer[2] = a[len - 1];
        });
}

// Rows of `width` limbs, a warp each; the answers are one word a row.

template <class Body>
static __device__ void each_row(u64 rows, Body body) {
    const u64 warps = (u64)gridDim.x * (LINEAR_BLOCK / 32);
    for (u64 row = (u64)blockIdx.x * (LINEAR_BLOCK / 32) + threadIdx.x / 32; row < rows; row += warps) body(row);
}

// answer[row] = one bits of a ^ b (of a alone where b is null).
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_count_rows, u64* __restrict__ answer, const u64* __restrict__ a,
              const u64* __restrict__ b, u64 rows, u64 width) {
    each_row(rows, [=](u64 row) {
        u64 count = 0;
        for (u64 i = lane_id(); i < width; i += 32) count += __popcll(a[row * width + i] ^ (b ? b[row * width + i] : 0));
        count = warp_sum(count);
        if (lane_id() == 0) answer[row] = count;
    });
}

// answer[row] = 0, 1, 2 for a < b, a = b, a > b, unsigned.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_compare_rows, u64* __restrict__ answer, const u64* __restrict__ a,
              const u64* __restrict__ b, u64 rows, u64 width) {
    each_row(rows, [=](u64 row) {
        u64 order = 1;
        for (u64 done = 0; done < width && order == 1; done += 32) {
            // Lane 0 has the highest limb of the stretch.
            const u64 i = done + lane_id();
            const u64 x = i < width ? a[row * width + width - 1 - i] : 0;
            const u64 y = i < width ? b[row * width + width - 1 - i] : 0;
            const u32 differ = __ballot_sync(0xffffffffu, x != y);
            if (differ) order = __shfl_sync(0xffffffffu, (u64)(x > y ? 2 : 0), __ffs(differ) - 1);
        }
        if (lane_id() == 0) answer[row] = order;
    });
}

// answer[row] = index of the lowest one bit of a ^ flip at or above bit `from`, or all ones.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_lowest_bit_rows, u64* __restrict__ answer, const u64* __restrict__ a, u64 rows,
              u64 width, u64 flip, u64 from) {
    const u64 start = from / 64;
    const u64 below = ((u64)1 << (from & 63)) - 1;
    each_row(rows, [=](u64 row) {
        u64 index = ~(u64)0;
        for (u64 done = start; done < width && index == ~(u64)0; done += 32) {
            const u64 i = done + lane_id();
            u64 limb = i < width ? a[row * width + i] ^ flip : 0;
            if (i == start) limb &= ~below;
            const u32 hits = __ballot_sync(0xffffffffu, limb != 0);
            if (hits) index = __shfl_sync(0xffffffffu, 64 * i + (u64)(__ffsll((i64)limb) - 1), __ffs(hits) - 1);
        }
        if (lane_id() == 0) answer[row] = index;
    });
}
