// Kernels that exercise what every other kernel stands on: collectives, shared memory, atomics,
// barriers and the prelude, and some with a known fault, which must be found. collectives.rs holds
// the expected results.

#define WARPS 8

typedef u64 PerWarp[WARPS];

// out[b] = sum of from[0..n) over b's share. Grid: any; block: 256; no dynamic shared memory.
KERNEL_BOUNDS(256, 1, block_sum, const u64* __restrict__ from, u64* __restrict__ out, u64 n) {
    SHARED(PerWarp, partial);
    u64 sum = 0, stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) sum += from[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(FULL_WARP, sum, d);
    if (lane_id() == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 w = 1; w < WARPS; ++w) sum += partial[w];
        out[blockIdx.x] = sum;
    }
}

// Reverses each block's n = blockDim.x words. Dynamic shared memory: 8 bytes a thread.
KERNEL(reverse, u64* data) {
    DYNAMIC_SHARED(u64, tile);
    u64* mine = data + (u64)blockIdx.x * blockDim.x;
    tile[threadIdx.x] = mine[threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// Inclusive prefix sums over each warp. Grid times block: n, a multiple of 32.
KERNEL(warp_scan, const u32* from, u32* out) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 sum = from[i];
    for (u32 d = 1; d < 32; d *= 2) {
        u32 other = __shfl_up_sync(FULL_WARP, sum, d);
        if (lane_id() >= d) sum += other;
    }
    out[i] = sum;
}

// One warp; lane l writes out[8 l ..]: shuffles of its value 100 + l in each manner and type.
KERNEL(shuffles, i64* out) {
    u32 l = lane_id();
    i64* o = out + 8 * l;
    o[0] = __shfl_sync(FULL_WARP, (u32)(100 + l), 3);
    o[1] = __shfl_sync(FULL_WARP, -(i32)(100 + l), 9, 8);
    o[2] = __shfl_up_sync(FULL_WARP, (u64)(100 + l), 5, 16);
    o[3] = __shfl_down_sync(FULL_WARP, -(i64)(100 + l), 5, 16);
    o[4] = __shfl_xor_sync(FULL_WARP, (u32)(100 + l), 21);
    o[5] = __shfl_xor_sync(FULL_WARP, (u32)(100 + l), 9, 8);
    o[6] = (i64)__shfl_sync(FULL_WARP, 100.0 + l, 31 - l);
    // The upper lanes meet by themselves first; the lower lanes wait for them in the second call.
    u32 sum = l;
    if (l >= 16) sum = __shfl_xor_sync(0xffff0000u, sum, 1);
    o[7] = __shfl_sync(FULL_WARP, sum, l ^ 16);
}

// One block of 64 threads. bits[0..5), of warp 0: ballot of the odd lanes, any of no and of one
// lane, all of every lane and of all but one. flags[0..3): or, and, count over (thread % 3 == 0).
KERNEL(votes, u32* bits, u32* flags) {
    u32 odd = __ballot_sync(FULL_WARP, threadIdx.x % 2);
    u32 any = __any_sync(FULL_WARP, threadIdx.x > 1000);
    u32 some = __any_sync(FULL_WARP, lane_id() == 9);
    u32 all = __all_sync(FULL_WARP, threadIdx.x < 1000);
    u32 most = __all_sync(FULL_WARP, lane_id() != 9);
    __syncwarp();
    int third = threadIdx.x % 3 == 0;
    u32 block_or = __syncthreads_or(third);
    u32 block_and = __syncthreads_and(third);
    u32 count = __syncthreads_count(third);
    if (threadIdx.x == 0) {
        bits[0] = odd;
        bits[1] = any;
        bits[2] = some;
        bits[3] = all;
        bits[4] = most;
        flags[0] = block_or;
        flags[1] = block_and;
        flags[2] = count;
    }
}

// Every thread's index i goes into each atomic of words[0..7) and wide[0..5); words[7], at first
// ~0, is the head of the list that compare-and-swap builds through heads[i].
KERNEL(atomics, u32* words, u64* wide, i32* least, u32* heads) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&words[0], i);
    atomicMin(&words[1], i + 5);
    atomicMax(&words[2], i);
    atomicOr(&words[3], 1u << (i % 32));
    atomicAnd(&words[4], ~(1u << (i % 31)));
    atomicXor(&words[5], i);
    atomicExch(&words[6], 7);
    atomicMin(least, -(i32)i);
    atomicAdd(&wide[0], (u64)i << 32);
    atomicMin(&wide[1], ((u64)i + 5) << 32);
    atomicMax(&wide[2], (u64)i << 32);
    atomicOr(&wide[3], 1ull << (i % 64));
    atomicXor(&wide[4], (u64)i << 32);
    u32 seen = words[7], expected;
    do {
        expected = seen;
        heads[i] = expected;
        __threadfence();
        seen = atomicCAS(&words[7], expected, i);
    } while (seen != expected);
}

// Inclusive prefix sums of n words in one pass: blocks of 32 threads take a tile by ticket, publish
// its sum, and a lane looks back over the tiles before. ticket and state[tile] start at 0;
// state holds 2 sum + 1 once the prefix of the tile is known. Sums stay below 2^63.
KERNEL(look_back, const u64* from, u64* out, u64 n, u32* ticket, u64* state) {
    u32 tile = 0;
    if (lane_id() == 0) tile = atomicAdd(ticket, 1);
    tile = __shfl_sync(FULL_WARP, tile, 0);
    u64 i = (u64)tile * 32 + lane_id();
    u64 sum = i < n ? from[i] : 0;
    for (u32 d = 1; d < 32; d *= 2) {
        u64 other = __shfl_up_sync(FULL_WARP, sum, d);
        if (lane_id() >= d) sum += other;
    }
    u64 before = 0;
    if (lane_id() == 31) {
        if (tile > 0) {
            u64 word;
            while (!((word = load_acquire(&state[tile - 1])) & 1)) pause();
            before = word / 2;
        }
        store_release(&state[tile], 2 * (before + sum) + 1);
    }
    before = __shfl_sync(FULL_WARP, before, 31);
    if (i < n) out[i] = before + sum;
}

// Cooperative. Each round, every thread adds its left neighbour's word (in a ring) to its own.
// words: 2 x grid x block; barrier: two words, zero; the result is in half rounds % 2.
KERNEL(rounds_of_sums, u32* words, u32* barrier, u32 rounds) {
    u32 n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 r = 0; r < rounds; ++r) {
        const u32* from = words + (r % 2) * n;
        u32* to = words + (1 - r % 2) * n;
        to[i] = from[i] + from[(i + n - 1) % n];
        grid_barrier(barrier);
    }
}

// a - b - borrow; borrow, 0 or 1, becomes the borrow out.
DEVICE u64 sub_borrow(u64 a, u64 b, u32& borrow) {
    u64 partial = a - b;
    u64 difference = partial - borrow;
    borrow = (a < b) | (partial < borrow);
    return difference;
}

// The carry into this lane, when lane i of the warp generates a carry, or propagates the one it is
// given, and lane 0 is given `carry` (0 or 1, the same in every lane); carry becomes the carry out
// of lane 31. All 32 lanes call. The lanes are the digits of one binary addition: G|P plus G makes
// a carry where a lane generates (1+1), hands one on where it only propagates (1+0) and stops it
// elsewhere (0+0), so the hardware adder resolves the chain; a sum differs from the exclusive or of
// its terms exactly where a carry came in.
DEVICE u32 warp_carry(bool generate, bool propagate, u32& carry) {
    u32 g = __ballot_sync(FULL_WARP, generate);
    u32 gp = g | __ballot_sync(FULL_WARP, propagate);
    u64 sum = (u64)gp + g + carry;
    carry = (u32)(sum >> 32);
    return (((u32)sum ^ gp ^ g) >> lane_id()) & 1;
}

// out = a + b + carry_in modulo 2^(2048 blocks), one warp a number of 32 limbs; carries[block] is
// its carry out. Block: 32.
KERNEL(add_limbs, const u64* a, const u64* b, u64* out, const u32* carry_in, u32* carries) {
    u32 i = blockIdx.x * 32 + lane_id(), none = 0;
    u64 sum = add_carry(a[i], b[i], none);
    u32 carry = carry_in[blockIdx.x];
    u32 mine = warp_carry(none, sum == ~0ull, carry);
    out[i] = sum + mine;
    if (lane_id() == 0) carries[blockIdx.x] = carry;
}

// out = a - b by one thread, least limb first; borrow[0] is what is left over.
KERNEL(sub_limbs, const u64* a, const u64* b, u64* out, u32 n, u32* borrow) {
    u32 carried = 0;
    for (u32 i = 0; i < n; ++i) out[i] = sub_borrow(a[i], b[i], carried);
    borrow[0] = carried;
}

// One thread: bits[0..17) and reals[0..4), intrinsics of the arguments; pair[1] is pair[0] swapped.
KERNEL(intrinsics, u64 x, u64 y, double p, double q, u64* bits, double* reals, ulonglong2* pair) {
    u32 low = (u32)x, high = (u32)(x >> 32);
    bits[0] = __popc(low);
    bits[1] = __popcll(x);
    bits[2] = __clz(low);
    bits[3] = __clzll(x);
    bits[4] = __ffs(low);
    bits[5] = __ffsll(x);
    bits[6] = __brevll(x);
    bits[7] = __umulhi(low, (u32)y);
    bits[8] = __umul64hi(x, y);
    bits[9] = __funnelshift_l(low, high, 37);
    bits[10] = __funnelshift_r(low, high, 37);
    bits[11] = __clz(0) * 1000 + __clzll(0) * 10 + __ffs(0) + __ffsll(0);
    bits[12] = (u64)__double2ll_rn(p);
    bits[13] = min(x, y);
    bits[14] = max(x, y);
    bits[15] = __ldg(&pair[0].x) + __brev(1u);
    reals[0] = fma(p, q, 1.0);
    reals[1] = __fma_rn(p, q, -__dmul_rn(p, q));
    reals[2] = min(p, q);
    reals[3] = __dadd_rn(p, q);
    ulonglong2 two = load_stream(&pair[0]);
    store_stream(&pair[1], make_ulonglong2(two.y, two.x));
    store_stream(&bits[16], load_stream(&bits[1]));
}

// `rounds` block-wide exchanges through shared memory: out[i] = (thread + rounds) % block.
// Block: at most 1024. The speed of the executor is measured here.
typedef u32 PerThread[1024];
KERNEL(rotate, u32* out, u32 rounds) {
    SHARED(PerThread, ring);
    u32 value = threadIdx.x;
    for (u32 r = 0; r < rounds; ++r) {
        ring[threadIdx.x] = value;
        __syncthreads();
        value = ring[(threadIdx.x + 1) % blockDim.x];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Threads from `stay` on leave; the others count themselves at a barrier, twice. out[0..2): counts.
// One block.
KERNEL(leavers, u32* out, u32 stay) {
    if (threadIdx.x >= stay) return;
    u32 first = __syncthreads_count(1), second = __syncthreads_count(threadIdx.x % 2);
    if (threadIdx.x == 0) {
        out[0] = first;
        out[1] = second;
    }
}

// Fault: half of the threads come to the barrier, the other half waits for them in a warp vote.
KERNEL(divergent_barrier, u32* out) {
    if (lane_id() < 16) __syncthreads();
    out[threadIdx.x] = __ballot_sync(FULL_WARP, 1);
}

// Fault: the two halves of a warp come to different barriers.
KERNEL(two_barriers, u32* out) {
    if (lane_id() < 16) {
        __syncthreads();
        out[threadIdx.x] = 1;
    } else {
        __syncthreads();
        out[threadIdx.x] = 2;
    }
}

// Fault: the mask names lanes that have exited.
KERNEL(exited_lanes, u32* out) {
    if (lane_id() >= 16) return;
    out[threadIdx.x] = __ballot_sync(FULL_WARP, 1);
}

// Fault: the mask does not name the caller.
KERNEL(foreign_mask, u32* out) { out[threadIdx.x] = __ballot_sync(0xffffu, 1); }

// Fault: lanes that wait for each other call different collectives.
KERNEL(mixed_collectives, u32* out) {
    if (lane_id() < 16)
        out[threadIdx.x] = __any_sync(FULL_WARP, 1);
    else
        out[threadIdx.x] = __ballot_sync(FULL_WARP, 1);
}

// Fault: waits for a word that nobody writes.
KERNEL(endless_spin, const u32* word) {
    while (load_acquire(word) == 0) pause();
}

// Fault: the same, in a loop that votes and does not pause.
KERNEL(endless_votes, const u32* word) {
    while (!__all_sync(FULL_WARP, load_acquire(word) != 0)) {}
}

// Fault: each block but the last waits for the next, which may not run before this one ends.
// flags: one zero for each block.
KERNEL(forward_wait, u32* flags) {
    if (threadIdx.x != 0) return;
    store_release(&flags[blockIdx.x], 1);
    if (blockIdx.x + 1 < gridDim.x)
        while (load_acquire(&flags[blockIdx.x + 1]) == 0) pause();
}

// Fault: no barrier between the writes and the reads of shared memory.
KERNEL(missing_barrier, u32* out) {
    SHARED(PerThread, ring);
    ring[threadIdx.x] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = ring[(threadIdx.x + 32) % blockDim.x];
}

// Fault, seen by AddressSanitizer: thread 0 writes beyond a shared array; past = 0: right after it.
KERNEL(out_of_bounds, u32 past) {
    SHARED(PerWarp, row);
    row[threadIdx.x % WARPS] = threadIdx.x;
    __syncthreads();
    u64* end = row + WARPS;
    if (threadIdx.x == 0) end[past] = 1;
}
