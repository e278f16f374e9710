// Operations that boil whole numbers down to a word or two: popcount, hamming distance, comparison,
// search for a bit.
//
// Each reads its operands once, and the searches stop early. Results go through the workspace:
// blocks add to it, the last block to finish writes the answer and resets the workspace to zero, so
// no launch has to clear it first. The answer may be in mapped host memory.
//
// Grid: any number of blocks of LINEAR_BLOCK threads. Shared: one word a warp.

#if !defined(LINEAR_BLOCK) || !defined(LINEAR_ITEMS)
#error "LINEAR_BLOCK and LINEAR_ITEMS come from the tuning"
#endif

constexpr u32 PAIRS = LINEAR_ITEMS / 2;
constexpr u64 TILE = (u64)LINEAR_BLOCK * LINEAR_ITEMS;
constexpr u32 WARPS = LINEAR_BLOCK / 32;
// Enough threads in flight to hide the loads: 1024 a multiprocessor, at 64 registers each, where
// the limbs of a thread fit into those.
constexpr u32 MIN_BLOCKS = LINEAR_ITEMS > 8 ? 1 : LINEAR_BLOCK < 64 ? 16 : 1024 / LINEAR_BLOCK;
static_assert(LINEAR_BLOCK % 32 == 0 && LINEAR_ITEMS % 2 == 0, "whole warps, limbs in pairs");

// The workspace: a running value, and how many blocks are done; zero between launches.
constexpr u32 VALUE = 0, DONE = 1;
static_assert(DONE < REDUCE_WORKSPACE && REDUCE_ANSWER == 5, "what the host allocates");

// An operand: its limbs, aligned to 16 bytes, and the value of each limb above them.
struct Operand {
    const u64* limbs;
    u64 len;
    u64 above;

    __device__ u64 at(u64 i) const { return i < len ? limbs[i] : above; }
};
static __device__ Operand sign_extended(const u64* limbs, u64 len) {
    return Operand{limbs, len, (u64)((i64)limbs[len - 1] >> 63)};
}
// `limb` at every place.
static __device__ Operand constant(u64 limb) { return Operand{nullptr, 0, limb}; }

// The limbs of this thread in the tile at `base`: pair r starts here.
static __device__ u64 pair_at(u64 base, u32 r) {
    return base + 2 * (threadIdx.x + LINEAR_BLOCK * r);
}

// a ^ b at the pairs of this thread in the tile at `base`; zero above the longer operand.
static __device__ void differences(ulonglong2 (&out)[PAIRS], const Operand& a, const Operand& b,
                                   u64 base) {
    const bool a_is_shorter = a.len < b.len;
    const u64 common = a_is_shorter ? a.len : b.len;
    const u64 n = a_is_shorter ? b.len : a.len;
    if (base + TILE <= common) {
        ulonglong2 other[PAIRS];
#pragma unroll
        for (u32 r = 0; r < PAIRS; r++) {
            out[r] = *(const ulonglong2*)(a.limbs + pair_at(base, r));
            other[r] = *(const ulonglong2*)(b.limbs + pair_at(base, r));
        }
#pragma unroll
        for (u32 r = 0; r < PAIRS; r++) {
            out[r].x ^= other[r].x;
            out[r].y ^= other[r].y;
        }
    } else if (base >= common && base + TILE <= n) {
        const u64* longer = a_is_shorter ? b.limbs : a.limbs;
        const u64 above = a_is_shorter ? a.above : b.above;
#pragma unroll
        for (u32 r = 0; r < PAIRS; r++) out[r] = *(const ulonglong2*)(longer + pair_at(base, r));
#pragma unroll
        for (u32 r = 0; r < PAIRS; r++) {
            out[r].x ^= above;
            out[r].y ^= above;
        }
    } else {
#pragma unroll
        for (u32 r = 0; r < PAIRS; r++) {
            const u64 i = pair_at(base, r);
            out[r].x = i < n ? a.at(i) ^ b.at(i) : 0;
            out[r].y = i + 1 < n ? a.at(i + 1) ^ b.at(i + 1) : 0;
        }
    }
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

// answer = {bits in which a and b differ, 0}, and `tops` after it.
template <class Tops>
static __device__ void count_differences(u64* answer, const Operand& a, const Operand& b,
                                         u64* workspace, Tops tops) {
    const u64 n = a.len < b.len ? b.len : a.len;
    u64 count = 0;
    for (u64 base = (u64)blockIdx.x * TILE; base < n; base += (u64)gridDim.x * TILE) {
        ulonglong2 differ[PAIRS];
        differences(differ, a, b, base);
#pragma unroll
        for (u32 r = 0; r < PAIRS; r++) count += __popcll(differ[r].x) + __popcll(differ[r].y);
    }
    const u64 total = block_sum(count);
    if (threadIdx.x == 0) {
        atomicAdd(workspace + VALUE, total);
        if (last_block_out(workspace)) {
            answer[0] = atomicExch(workspace + VALUE, (u64)0);
            answer[1] = 0;
            tops();
            workspace[DONE] = 0;
        }
    }
}

// answer = {one bits of a's limbs, 0, a's top limb, 0}, or its first two limbs.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_popcount, u64* answer, u32 with_tops,
              const u64* __restrict__ a, u64 len, u64* workspace) {
    count_differences(answer, Operand{a, len, 0}, constant(0), workspace, [=] {
        if (with_tops) {
            answer[2] = a[len - 1];
            answer[3] = 0;
        }
    });
}

// answer = {bits in which the sign-extended operands differ, 0, a's top limb, b's top limb}.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_hamming, u64* answer, const u64* __restrict__ a,
              u64 len_a, const u64* __restrict__ b, u64 len_b, u64* workspace) {
    count_differences(answer, sign_extended(a, len_a), sign_extended(b, len_b), workspace, [=] {
        answer[2] = a[len_a - 1];
        answer[3] = b[len_b - 1];
    });
}

// The encoding of a place in a search, so that 0 means none and the larger of two codes is the
// result.
struct Lowest {
    static __device__ u64 key(u64 i) { return ~i; }
    static __device__ u64 place(u64 key) { return ~key; }
    // The tile of [first, end) that a search reads in this turn.
    static __device__ u64 tile(u64 first, u64, u64 turn) { return first + turn; }
    // Whether no limb of the tile at `base` is wanted any more.
    static __device__ bool is_behind(u64 best, u64 base) { return base > ~best; }
};
struct Highest {
    static __device__ u64 key(u64 i) { return i + 1; }
    static __device__ u64 place(u64 key) { return key - 1; }
    static __device__ u64 tile(u64, u64 end, u64 turn) { return end - 1 - turn; }
    static __device__ bool is_behind(u64 best, u64 base) { return base + TILE <= best; }
};

// Finds the lowest or the highest limb from `start` on in which a and b differ, after `mask` has
// cleared irrelevant bits. Thread 0 of the last block to finish calls tell(found, i) with it; i = 0
// if there is none.
//
// Every warp processes its part of every gridDim.x-th tile independently. The first warp of a block
// reads the best place so far while its limbs are loaded, and passes it to the others through
// shared memory without a barrier: a warp that reads an older value only reads one tile too many.
template <class Wanted, class Mask, class Tell>
static __device__ void search(const Operand& a, const Operand& b, u64 start, u64* workspace,
                              Mask mask, Tell tell) {
    typedef u64 Word;
    SHARED(Word, best_shared);
    volatile u64* shared = &best_shared;
    const bool leads = threadIdx.x == 0;
    if (leads) *shared = 0;
    __syncthreads();
    const u64 first = start / TILE;
    const u64 end = ((a.len < b.len ? b.len : a.len) + TILE - 1) / TILE;
    u64 best = 0;
    for (u64 turn = blockIdx.x; turn < end - first; turn += gridDim.x) {
        const u64 base = Wanted::tile(first, end, turn) * TILE;
        if (Wanted::is_behind(best, base)) break;
        if (leads) {
            best = load_relaxed(workspace + VALUE);
        } else if (lane_id() == 0) {
            best = *shared;
        }
        ulonglong2 differ[PAIRS];
        differences(differ, a, b, base);
        mask(differ, base);
        u64 any = 0;
#pragma unroll
        for (u32 r = 0; r < PAIRS; r++) any |= differ[r].x | differ[r].y;
        const bool found = __any_sync(FULL_WARP, any != 0);
        if (found) {
            u64 key = 0;
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) {
                const u64 i = pair_at(base, r);
                if (differ[r].x) key = max(key, Wanted::key(i));
                if (differ[r].y) key = max(key, Wanted::key(i + 1));
            }
            for (u32 step = 16; step > 0; step /= 2)
                key = max(key, __shfl_xor_sync(FULL_WARP, key, step));
            if (lane_id() == 0) atomicMax(workspace + VALUE, key);
            best = key;
        }
        if (leads) *shared = best;
        // Later tiles of this warp cannot be better.
        if (found) break;
        best = __shfl_sync(FULL_WARP, best, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0 && last_block_out(workspace)) {
        const u64 key = atomicExch(workspace + VALUE, (u64)0);
        workspace[DONE] = 0;
        tell(key != 0, key != 0 ? Wanted::place(key) : 0);
    }
}

// The highest limb in which the sign-extended operands differ: answer = {its index + 1 or 0, a's
// limb, b's limb, a's top limb, b's top limb}. With len_b = 0 the comparison is with a's own sign,
// which gives a's size.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_highest_difference, u64* answer,
              const u64* __restrict__ a, u64 len_a, const u64* __restrict__ b, u64 len_b,
              u64* workspace) {
    const Operand x = sign_extended(a, len_a);
    const Operand y = len_b ? sign_extended(b, len_b) : constant(x.above);
    search<Highest>(
        x, y, 0, workspace, [](ulonglong2(&)[PAIRS], u64) {},
        [=](bool found, u64 i) {
            answer[0] = found ? i + 1 : 0;
            answer[1] = x.at(i);
            answer[2] = y.at(i);
            answer[3] = a[len_a - 1];
            answer[4] = len_b ? b[len_b - 1] : 0;
        });
}

// The lowest one bit of a ^ flip at or above bit `from`: answer = {limb index + 1 or 0, that limb
// with the bits below `from` cleared, a's top limb}. from < 64·len.
KERNEL_BOUNDS(LINEAR_BLOCK, MIN_BLOCKS, limbs_lowest_bit, u64* answer, const u64* __restrict__ a,
              u64 len, u64 flip, u64 from, u64* workspace) {
    const u64 start = from / 64;
    const u64 below = ((u64)1 << (from & 63)) - 1;
    const auto counts = [=](u64 i) { return i < start ? 0 : i == start ? ~below : ~(u64)0; };
    search<Lowest>(
        Operand{a, len, 0}, constant(flip), start, workspace,
        [=](ulonglong2(&limbs)[PAIRS], u64 base) {
            if (base > start) return;
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) {
                limbs[r].x &= counts(pair_at(base, r));
                limbs[r].y &= counts(pair_at(base, r) + 1);
            }
        },
        [=](bool found, u64 i) {
            answer[0] = found ? i + 1 : 0;
            answer[1] = found ? (a[i] ^ flip) & counts(i) : 0;
            answer[2] = a[len - 1];
        });
}

// Rows of `width` limbs, one warp per row. The answers are one word per row.

template <class Body>
static __device__ void each_row(u64 rows, Body body) {
    const u64 warps = (u64)gridDim.x * (LINEAR_BLOCK / 32);
    for (u64 row = (u64)blockIdx.x * (LINEAR_BLOCK / 32) + threadIdx.x / 32; row < rows;
         row += warps)
        body(row);
}

// answer[row] = one bits of a ^ b (of a alone where b is null).
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_count_rows, u64* __restrict__ answer,
              const u64* __restrict__ a, const u64* __restrict__ b, u64 rows, u64 width) {
    each_row(rows, [=](u64 row) {
        u64 count = 0;
        for (u64 i = lane_id(); i < width; i += 32)
            count += __popcll(a[row * width + i] ^ (b ? b[row * width + i] : 0));
        count = warp_sum(count);
        if (lane_id() == 0) answer[row] = count;
    });
}

// answer[row] = 0, 1, 2 for a < b, a = b, a > b, unsigned.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_compare_rows, u64* __restrict__ answer,
              const u64* __restrict__ a, const u64* __restrict__ b, u64 rows, u64 width) {
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
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_lowest_bit_rows, u64* __restrict__ answer,
              const u64* __restrict__ a, u64 rows, u64 width, u64 flip, u64 from) {
    const u64 start = from / 64;
    const u64 below = ((u64)1 << (from & 63)) - 1;
    each_row(rows, [=](u64 row) {
        u64 index = ~(u64)0;
        for (u64 done = start; done < width && index == ~(u64)0; done += 32) {
            const u64 i = done + lane_id();
            u64 limb = i < width ? a[row * width + i] ^ flip : 0;
            if (i == start) limb &= ~below;
            const u32 hits = __ballot_sync(0xffffffffu, limb != 0);
            if (hits)
                index = __shfl_sync(0xffffffffu, 64 * i + (u64)(__ffsll((i64)limb) - 1),
                                    __ffs(hits) - 1);
        }
        if (lane_id() == 0) answer[row] = index;
    });
}
