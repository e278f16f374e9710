// The reduction of Weber's modular GCD, in one persistent cooperative kernel: a grid-wide minimum
// and a modular inverse a step. The module's documentation has the recurrences.
//
// A thread holds WEBER_ITEMS moduli: in registers, or, where they are many, in its local memory,
// which the first-level cache serves. All blocks are resident; each step they exchange one word
// each, which says all by itself, so that no fence is needed: a word carries a tag that changes at
// each use of its slot, and a slot is used again two rounds later, when every block is known to
// have read it, as each has answered the round between. (Weber–Brew section 4.1, with two rows for
// their four and a tag for their zeros.)
//
// What a step costs, in cycles on sm_90, where one warp alone takes part: 800 to 850 for the
// slowest inverse of the grid (22 divisions at most, 13 on the average, each a chain of a
// reciprocal and four operations), 60 for t − b and p/(t − b), 70 for the minima of warp and block
// each with its barrier, and the way of a word through the second-level cache, 300 to store and 600
// to be seen. A warp has 290 instructions a step: some ten warps in each quarter of a
// multiprocessor wait for these instead.

constexpr u32 BLOCK = WEBER_BLOCK, ITEMS = WEBER_ITEMS, BITS = WEBER_BITS;
// Copies of the slots, each for some of the blocks to read: where all read the same few lines of
// memory, they queue there, and the stores that they wait for queue behind them.
constexpr u32 COPIES = WEBER_COPIES;
// A slot for each block, and how many of them a lane of the reading warp looks at.
constexpr u32 SLOTS = WEBER_SLOTS, LOOKS = SLOTS / 32;
constexpr u32 INFINITE = ~0u;
constexpr u64 NOTHING = ~3ull;

struct Meeting {
    u64 warps[32];
    u64 answer;
};

DEVICE u32 warp_least(u32 x) {
#if !defined(BEZOUT_EXECUTOR) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(FULL_WARP, x);
#else
    for (u32 d = 16; d; d /= 2) {
        u32 other = __shfl_xor_sync(FULL_WARP, x, d);
        x = other < x ? other : x;
    }
    return x;
#endif
}

// Whether this lane has the least x of its warp; several lanes do where they have the same. The low
// words seldom matter.
DEVICE bool has_least(u64 x) {
    bool has = warp_least((u32)(x >> 32)) == (u32)(x >> 32);
    if (__popc(__ballot_sync(FULL_WARP, has)) > 1) {
        u32 low = has ? (u32)x : ~0u;
        has = warp_least(low) == (u32)x && has;
    }
    return has;
}

// The least `key` of the grid, in every thread. Keys have two low bits 0, which the tag takes.
// `meanwhile` is work that the exchange hides. All threads of all blocks call it with the same
// round, counting from 0; slots are 0 before that.
template <class Work> DEVICE u64 grid_least(u64 key, u64* slots, u32 round, Meeting& meeting, Work meanwhile) {
    if (has_least(key)) meeting.warps[threadIdx.x / 32] = key;
    __syncthreads();
    if (threadIdx.x < 32) {
        u64* rows = slots + (round & 1) * COPIES * SLOTS;
        u64 tag = 1 + (round >> 1 & 1);
        u64 mine = threadIdx.x < blockDim.x / 32 ? meeting.warps[threadIdx.x] : NOTHING;
        if (has_least(mine)) {
#pragma unroll
            for (u32 c = 0; c < COPIES; c++) store_relaxed(rows + c * SLOTS + blockIdx.x, mine | tag);
        }
        meanwhile();
        const u64* row = rows + blockIdx.x % COPIES * SLOTS + threadIdx.x;
        u64 least = NOTHING;
#pragma unroll
        for (u32 j = 0; j < LOOKS; j += LOOKS / 2) {
            if (32 * j >= gridDim.x) break;
            u64 found[LOOKS / 2];
            bool waiting;
#pragma unroll
            for (u32 i = 0; i < LOOKS / 2; i++) found[i] = threadIdx.x + 32 * (j + i) < gridDim.x ? 0 : NOTHING | tag;
            do {
                waiting = false;
#pragma unroll
                for (u32 i = 0; i < LOOKS / 2; i++)
                    if ((found[i] & 3) != tag) found[i] = load_relaxed(row + 32 * (j + i));
#pragma unroll
                for (u32 i = 0; i < LOOKS / 2; i++) waiting |= (found[i] & 3) != tag;
#ifdef BEZOUT_EXECUTOR
                if (waiting) pause();
#endif
            } while (waiting);
#pragma unroll
            for (u32 i = 0; i < LOOKS / 2; i++) least = found[i] < least ? found[i] : least;
        }
        __syncwarp();
        if (has_least(least)) meeting.answer = least & ~3ull;
    } else {
        meanwhile();
    }
    __syncthreads();
    return meeting.answer;
}

// A prime of BITS bits without its lowest bit, which is 1, and its highest of 32: 30 bits.
DEVICE u32 without_ends(u32 p) { return p >> 1 & 0x3fffffffu; }
DEVICE u32 with_ends(u32 middle) { return middle << 1 | 1u | (BITS == 32 ? 1u << 31 : 0u); }

// |t| < 2^31, then the prime, then the sign; |t| = 2^31 − 1 would need p = 2^32 − 1.
DEVICE u64 step_key(const Modulus& m, u32 t) {
    u32 size = min(t, m.p - t);
    return (u64)size << 33 | (u64)without_ends(m.p) << 3 | (size != t) << 2;
}
// The prime, then the digit.
DEVICE u64 digit_key(u32 p, i32 digit) { return (u64)without_ends(p) << 34 | (u64)(u32)digit << 2; }

struct Items {
    Modulus m[ITEMS];
    u32 t[ITEMS], word[ITEMS], product[ITEMS], factor[ITEMS];
};

// residues: those of U, then those of V, `count` each. out: the numbers of steps and of digits,
// then `count` step keys, then `count` digit keys, without their tags. slots: 2·COPIES·SLOTS words,
// all 0. At most 256 blocks, cooperative, of whole warps of at most BLOCK threads; ITEMS times the
// threads of the grid are at least `count`.
KERNEL_BOUNDS(BLOCK, 1, weber_reduce, const u32* primes, const u32* residues, u64 count, u64* slots, u64* out) {
    SHARED(Meeting, meeting);
    Items it;
    u64 key = NOTHING;
#pragma unroll (ITEMS <= 4 ? ITEMS : 1)
    for (u32 j = 0; j < ITEMS; j++) {
        u64 i = ((u64)j * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        bool there = i < count;
        // A thread without a modulus has one that has left: a word 0 and a product 0 stay so.
        it.m[j] = modulus_of(primes[there ? i : 0]);
        u32 u = there ? residues[i] : 0, v = there ? residues[count + i] : 0;
        it.word[j] = v ? v : u;
        it.product[j] = there;
        it.t[j] = INFINITE;
        if (v) {
            it.t[j] = it.m[j].mul_plain(u, it.m[j].inv(v));
            u64 own = step_key(it.m[j], it.t[j]);
            key = own < key ? own : key;
        }
    }
    bool scribe = blockIdx.x == 0 && threadIdx.x == 0;
    u64* steps = out + 2;
    u64* digits = steps + count;
    u32 round = 0, p = 1;
    u64 made = 0;
    auto nothing = [] {};
    u64 best = grid_least(key, slots, round++, meeting, nothing);
    while (best != NOTHING) {
        if (scribe) steps[made] = best;
        made++;
        p = with_ends((u32)(best >> 3) & 0x3fffffffu);
        u32 size = (u32)(best >> 33);
        bool negative = best >> 2 & 1;
        key = NOTHING;
#pragma unroll (ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            const Modulus& m = it.m[j];
            // t = u/v, and one step further: see the module's documentation. |b| < 2^(BITS − 1) <=
            // q.
            u32 s = it.t[j] == INFINITE ? 1 : negative ? m.add(it.t[j], size) : m.sub(it.t[j], size);
            it.factor[j] = s ? s : p;
            u32 next = INFINITE, scaled = m.mul(p, m.square);
            keep(scaled);
            if (it.t[j] == INFINITE) {
                if (it.word[j]) next = 0;
            } else if (s) {
                next = m.mul(scaled, m.inv(s));
            }
            it.t[j] = next;
            if (next != INFINITE) {
                u64 own = step_key(m, next);
                key = own < key ? own : key;
            }
        }
        // Each factor is taken by a Montgomery product, so words and products are scaled alike and
        // their ratio is right.
        best = grid_least(key, slots, round++, meeting, [&] {
#pragma unroll (ITEMS <= 4 ? ITEMS : 1)
            for (u32 j = 0; j < ITEMS; j++) {
                it.word[j] = it.m[j].mul(it.word[j], it.factor[j]);
                it.product[j] = it.m[j].mul(it.product[j], p);
            }
        });
    }
    if (scribe) out[0] = made;
    // Digits: the least prime with a word that is not 0, found first, so that one lane inverts.
    made = 0;
    while (true) {
        u32 least = ~0u, word = 0, product = 0;
        Modulus owner = it.m[0];
#pragma unroll (ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            if (it.word[j] && it.m[j].p < least) {
                least = it.m[j].p;
                owner = it.m[j];
                word = it.word[j];
                product = it.product[j];
            }
        }
        key = NOTHING;
        if (warp_least(least) == least && least != ~0u) {
            key = digit_key(least, owner.symmetric(owner.mul_plain(word, owner.inv(product))));
        }
        best = grid_least(key, slots, round++, meeting, nothing);
        if (best == NOTHING) break;
        if (scribe) digits[made] = best;
        made++;
        p = with_ends((u32)(best >> 34));
        i32 digit = (i32)(u32)(best >> 2);
#pragma unroll (ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            const Modulus& m = it.m[j];
            it.word[j] = m.sub(it.word[j], m.mul_plain(m.residue(digit), it.product[j]));
            it.product[j] = m.mul_plain(p, it.product[j]);
        }
    }
    if (scribe) out[1] = made;
}
