// Radix sort from the lowest digit up, with one sweep over memory per digit (Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022).
//
// sort_histogram reads the keys once and counts the digits of all passes. Each sort_pass then reads
// and writes keys once:
//
//   warp     holds 32 x SORT_ITEMS keys in registers, counts their digits in shared memory, later
//            ranks them: lanes with the same digit find each other, and the last of them moves the
//            counter on
//   block    adds its warps' counts by digit, publishes the sums at once, and sorts its tile by
//            digit through shared memory, so that runs of one digit are written side by side
//   grid     where a tile's digits go is what the tiles before it have of them: Merrill and
//            Garland's decoupled look-back, one thread a digit, while other warps still rank
//
// The bottleneck on an H200, for 32-bit keys: memory moves 8 bytes per key and pass, which takes
// 0.5 ms for 2^28 keys at 4.2 TB/s. The integer units execute a warp's instruction in two cycles,
// and finding equal digits by votes takes four instructions for each of 8 bits: about 100 cycles
// per row of 32 keys in all, 0.85 ms. Finding equal digits by an OR in shared memory, for all rows
// or some, is not faster (random keys) or is slower (equal keys, which all update one word). The
// device's match instruction takes twice the time.

#if !defined(SORT_ITEMS) || !defined(SORT_RESIDENT) || !defined(SORT_WINDOW)
#error "SORT_ITEMS, SORT_RESIDENT and SORT_WINDOW come from the tuning"
#endif

constexpr u32 TILE = SORT_THREADS * SORT_ITEMS;
constexpr u32 WARP_TILE = 32 * SORT_ITEMS;
// Digits for which a thread computes sums, publishes them and looks back.
constexpr u32 OWN = (BINS + SORT_THREADS - 1) / SORT_THREADS;
constexpr u32 VECTOR = 16 / sizeof(Key);

// A tile's state of a digit: the count within the tile, or with all tiles before it, below two bits
// that say which. A pass leaves every state at its second code, so the passes take turns with codes
// 1, 2 and 3, 0: flipping the top bit in odd ones makes 0 unknown, 1 the tile's own and 2 the sum
// for both, and the states are zeroed only once a sort.
constexpr u32 OWN_COUNT = 1u << 30, SUM = 2u << 30, COUNT = OWN_COUNT - 1;

// The other work of a pass.
constexpr u32 READS_KEYS = SORT_READS_KEYS, WRITES_KEYS = SORT_WRITES_KEYS, ODD = SORT_ODD;

typedef u32 Histograms[PASSES * BINS];
typedef u32 PerWarp[WARPS];

// histograms[pass * BINS + digit] becomes the number of words whose digit is smaller. Zero before:
// histograms, done. Grid: any number of blocks of SORT_THREADS threads. The last block to finish
// adds up.
KERNEL_BOUNDS(SORT_THREADS, 1, sort_histogram, const Key* __restrict__ keys, u64 n, u64* histograms,
              u32* done, u64 spread, u64 flip) {
    SHARED(Histograms, counts);
    SHARED(u32, last);
    Order order = {(Key)spread, (Key)flip};
    for (u32 i = threadIdx.x; i < PASSES * BINS; i += SORT_THREADS) counts[i] = 0;
    __syncthreads();
    auto count = [&](Key key) {
        Key word = order.word(key);
        for (u32 pass = 0; pass < PASSES; ++pass)
            atomicAdd(&counts[pass * BINS + digit(word, pass)], 1u);
    };
    auto count_pair = [&](u64 bits) {
        count((Key)bits);
        if (VECTOR == 4) count((Key)(bits >> 32));
    };
    constexpr u32 UNROLL = 4;
    u64 vectors = n / VECTOR, stride = (u64)gridDim.x * SORT_THREADS;
    u64 i = (u64)blockIdx.x * SORT_THREADS + threadIdx.x;
    const ulonglong2* rows = (const ulonglong2*)keys;
    for (; i + (UNROLL - 1) * stride < vectors; i += UNROLL * stride) {
        ulonglong2 row[UNROLL];
        for (u32 k = 0; k < UNROLL; ++k) row[k] = rows[i + k * stride];
        for (u32 k = 0; k < UNROLL; ++k) {
            count_pair(row[k].x);
            count_pair(row[k].y);
        }
    }
    for (; i < vectors; i += stride) {
        ulonglong2 row = rows[i];
        count_pair(row.x);
        count_pair(row.y);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % VECTOR) count(keys[vectors * VECTOR + threadIdx.x]);
    __syncthreads();
    for (u32 b = threadIdx.x; b < PASSES * BINS; b += SORT_THREADS)
        if (counts[b]) atomicAdd(&histograms[b], (u64)counts[b]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    // A warp a pass, some digits a lane.
    constexpr u32 RUN = (BINS + 31) / 32;
    for (u32 pass = threadIdx.x / 32; pass < PASSES; pass += WARPS) {
        u64* own = histograms + pass * BINS;
        u32 from = lane_id() * RUN;
        u64 sum = 0;
        for (u32 k = 0; k < RUN; ++k)
            if (from + k < BINS) sum += load_relaxed(&own[from + k]);
        u64 before = sum;
        for (u32 d = 1; d < 32; d *= 2) {
            u64 other = __shfl_up_sync(FULL_WARP, before, d);
            if (lane_id() >= d) before += other;
        }
        before -= sum;
        for (u32 k = 0; k < RUN; ++k) {
            if (from + k >= BINS) break;
            u64 here = load_relaxed(&own[from + k]);
            own[from + k] = before;
            before += here;
        }
    }
}

// Of `lanes`, those whose bit of `own` under `mask` is as this lane's. Written out, since a
// compiler makes seven instructions of the plain form where four do.
DEVICE u32 agree(u32 lanes, u32 own, u32 mask) {
#ifdef BEZOUT_EXECUTOR
    bool one = (own & mask) != 0;
    return lanes & (__ballot_sync(FULL_WARP, one) ^ (one ? 0 : FULL_WARP));
#else
    u32 votes;
    asm volatile(
        "{ .reg .pred one; .reg .b32 bit, flip;\n"
        "and.b32 bit, %1, %2;\n"
        "setp.ne.u32 one, bit, 0;\n"
        "vote.sync.ballot.b32 bit, one, 0xffffffff;\n"
        "selp.b32 flip, 0, -1, one;\n"
        "lop3.b32 %0, %3, bit, flip, 0x60; }"
        : "=r"(votes)
        : "r"(own), "r"(mask), "r"(lanes));
    return votes;
#endif
}

// The lanes of this warp whose digit is the same.
DEVICE u32 same_digit(u32 own) {
    u32 lanes = FULL_WARP;
#pragma unroll
    for (u32 bit = 0; bit < SORT_BITS; ++bit) lanes = agree(lanes, own, 1u << bit);
    return lanes;
}

// How many keys with this digit the tiles before `tile` have.
DEVICE u32 look_back(const u32* states, u32 tile, u32 flip) {
    u32 sum = 0;
    for (const u32* at = states + (u64)tile * BINS;;) {
        u32 words[SORT_WINDOW];
#pragma unroll
        for (u32 k = 0; k < SORT_WINDOW; ++k)
            words[k] = tile > k ? load_relaxed(at - (u64)(k + 1) * BINS) ^ flip : 0;
        u32 taken = 0;
#pragma unroll
        for (u32 k = 0; k < SORT_WINDOW; ++k) {
            if (taken != k || words[k] < OWN_COUNT) continue;
            sum += words[k] & COUNT;
            if (words[k] >= SUM) return sum;
            ++taken;
        }
        tile -= taken;
        at -= (u64)taken * BINS;
        if (taken == 0) pause();
    }
}

// Sorts n keys by digit `pass`, stably. bases: by digit, where its first key of this launch goes;
// next, if not null, receives the same for a launch that follows with more keys. states: BINS words
// a tile, as the pass before left them, or 0; ticket: 0 before. Grid: a block of SORT_THREADS
// threads a tile, n < 2^30. Dynamic shared memory: a tile of keys and one of values, then a counter
// for each warp and digit.
KERNEL_BOUNDS(SORT_THREADS, SORT_RESIDENT, sort_pass, const Key* __restrict__ keys,
              Key* __restrict__ keys_to, const Value* __restrict__ values,
              Value* __restrict__ values_to, u64 n, const u64* __restrict__ bases, u64* next,
              u32* states, u32* ticket, u32 pass, u32 roles, u64 spread, u64 flip) {
    typedef u64 Addresses[BINS];
    SHARED(Addresses, key_at);
    SHARED(Addresses, value_at);
    SHARED(PerWarp, totals);
    SHARED(u32, turn);
    DYNAMIC_SHARED(Key, tile_keys);
    Value* tile_values = (Value*)(tile_keys + TILE);
    u32* counters = (u32*)(tile_values + (VALUES ? TILE : 0));
    u32 lane = lane_id(), warp = threadIdx.x / 32;
    u32* own = counters + warp * BINS;
    Order order = {(Key)spread, (Key)flip};

    if (threadIdx.x == 0) turn = atomicAdd(ticket, 1u);
    for (u32 b = lane; b < BINS; b += 32) own[b] = 0;
    __syncthreads();
    u32 tile = turn;
    u64 start = (u64)tile * TILE;
    u32 here = n - start < TILE ? (u32)(n - start) : TILE;

    // Row i of a warp is 32 keys side by side, so keys are in order by row, then by lane. Padding
    // after the end of the keys is the largest word: it comes last in its tile and is not written.
    Key word[SORT_ITEMS];
    Value value[SORT_ITEMS];
    u32 first = warp * WARP_TILE + lane;
    if (here == TILE) {
#pragma unroll
        for (u32 i = 0; i < SORT_ITEMS; ++i) word[i] = load_stream(keys + start + first + 32 * i);
#pragma unroll
        for (u32 i = 0; i < SORT_ITEMS; ++i)
            if (VALUES) value[i] = load_stream(values + start + first + 32 * i);
        if (roles & READS_KEYS) {
#pragma unroll
            for (u32 i = 0; i < SORT_ITEMS; ++i) word[i] = order.word(word[i]);
        }
    } else {
#pragma unroll
        for (u32 i = 0; i < SORT_ITEMS; ++i) {
            bool there = first + 32 * i < here;
            word[i] = there ? keys[start + first + 32 * i] : ~(Key)0;
            if (VALUES) value[i] = there ? values[start + first + 32 * i] : 0;
            if (there && (roles & READS_KEYS)) word[i] = order.word(word[i]);
        }
    }

#pragma unroll
    for (u32 i = 0; i < SORT_ITEMS; ++i) atomicAdd(&own[digit(word[i], pass)], 1u);
    __syncthreads();

    u32 code_flip = roles & ODD ? SUM : 0;
    u32 owned = threadIdx.x * OWN;
    u32 counts[OWN][WARPS], sums[OWN], all = 0;
#pragma unroll
    for (u32 k = 0; k < OWN; ++k) {
        sums[k] = 0;
        if (owned + k >= BINS) continue;
#pragma unroll
        for (u32 w = 0; w < WARPS; ++w) {
            counts[k][w] = counters[w * BINS + owned + k];
            sums[k] += counts[k][w];
        }
        all += sums[k];
        store_relaxed(&states[(u64)tile * BINS + owned + k],
                      ((tile ? OWN_COUNT : SUM) | sums[k]) ^ code_flip);
    }
    u32 total, from = exclusive_sum(all, totals, total);
    u32 starts[OWN];
#pragma unroll
    for (u32 k = 0; k < OWN; ++k) {
        if (owned + k >= BINS) continue;
        starts[k] = from;
#pragma unroll
        for (u32 w = 0; w < WARPS; ++w) {
            counters[w * BINS + owned + k] = from;
            from += counts[k][w];
        }
    }
    __syncthreads();

    u32 below = (1u << lane) - 1;
#pragma unroll
    for (u32 i = 0; i < SORT_ITEMS; ++i) {
        u32 d = digit(word[i], pass), lanes = same_digit(d);
        u32 rank = own[d] + __popc(lanes & below);
        __syncwarp();
        if (lanes <= 2 * below + 1) own[d] = rank + 1;
        __syncwarp();
        tile_keys[rank] = word[i];
        if (VALUES) tile_values[rank] = value[i];
    }

#pragma unroll
    for (u32 k = 0; k < OWN; ++k) {
        u32 b = owned + k;
        if (b >= BINS) continue;
        u64 base = bases[b];
        u32 before = 0;
        if (tile) {
            before = look_back(states + b, tile, code_flip);
            store_relaxed(&states[(u64)tile * BINS + b], (SUM | (before + sums[k])) ^ code_flip);
        }
        u64 at = base + before - starts[k];
        key_at[b] = (u64)keys_to + at * sizeof(Key);
        if (VALUES) value_at[b] = (u64)values_to + at * sizeof(Value);
        if (next && tile == gridDim.x - 1) next[b] = base + before + sums[k];
    }
    __syncthreads();

    auto write = [&](u32 i, bool as_keys) {
        Key w = tile_keys[i];
        u32 d = digit(w, pass);
        *(Key*)(key_at[d] + (u64)i * sizeof(Key)) = as_keys ? order.key(w) : w;
        if (VALUES) *(Value*)(value_at[d] + (u64)i * sizeof(Value)) = tile_values[i];
    };
    if (here < TILE) {
        for (u32 i = threadIdx.x; i < here; i += SORT_THREADS) write(i, roles & WRITES_KEYS);
    } else if (roles & WRITES_KEYS) {
#pragma unroll
        for (u32 i = 0; i < SORT_ITEMS; ++i) write(i * SORT_THREADS + threadIdx.x, true);
    } else {
#pragma unroll
        for (u32 i = 0; i < SORT_ITEMS; ++i) write(i * SORT_THREADS + threadIdx.x, false);
    }
}
