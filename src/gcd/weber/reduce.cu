// The reduction of Weber's modular GCD, in one persistent cooperative kernel, with one grid-wide
// minimum and one modular inverse per step. The module's documentation has the recurrences.
//
// A thread has WEBER_ITEMS moduli, in registers or, if they are many, in its local memory, which
// the first-level cache serves. All blocks are resident. In each step, each block publishes one
// word. The word is self-contained, so no fence is needed: its tag changes at each use of its slot.
// A slot is used again two rounds later. Every block has read it by then, because each block has
// published its word of the round between. (Weber–Brew section 4.1, with two rows instead of their
// four and a tag instead of their zeros.)
//
// The cost of a step, in cycles on sm_90 with one warp: 800 to 850 for the slowest inverse of the
// grid (13 divisions on average, each a chain of a reciprocal and four operations), 60 for t − b
// and p/(t − b), 70 each for the minima of warp and block with their barriers, and the path of a
// word through the second-level cache, 300 to store it and 600 until others see it. A warp has 290
// instructions per step. With some ten warps in each quarter of a multiprocessor, these
// instructions are the bottleneck instead.
//
// With exactly rounded quotients an inverse takes at most 24 divisions until the remainder is ±1: k
// divisions need a modulus of at least the Pell number P(k + 2), and P(26) < 2^32 < P(27). The
// modulus 3936546077 and the residue 1626804118 take 24. The quotients here are rounded
// approximations, so that one near a half may be rounded the other way.

constexpr u32 BLOCK = WEBER_BLOCK, ITEMS = WEBER_ITEMS, BITS = WEBER_BITS;
// Copies of the slots. Each copy is read by some of the blocks. If all blocks read the same few
// lines of memory, their loads form a queue there, and the stores for which they wait are queued
// after them.
constexpr u32 COPIES = WEBER_COPIES;
// One slot for each block, and the number of slots that each lane of the reading warp reads.
constexpr u32 SLOTS = WEBER_SLOTS, LOOKS = SLOTS / 32;
// How blocks find the minimum: by slots with tags (0), or by an atomic minimum and a barrier of the
// grid, which is grid_barrier (1) or grid_sync (2).
constexpr u32 BARRIER = WEBER_BARRIER;
// Products are reduced by Montgomery's method, or by a product with the inverse of the modulus as a
// fixed-point number (Cavagnino–Werbrouck).
constexpr bool BY_QUOTIENTS = WEBER_QUOTIENTS;
// The first steps of the next inverse, which b hardly changes, are made while blocks exchange their
// words. Their rows are kept in registers.
constexpr bool EARLY = WEBER_EARLY && ITEMS <= 2;
// If a thread has many moduli, they are in memory, and a step waits for that memory: words and
// products are updated together with t, when they are loaded. Few moduli are in registers, and are
// updated while blocks exchange their words.
constexpr bool AT_ONCE = ITEMS > 4;
// Above this |b|, b changes the first steps too much.
constexpr u32 SMALL = 1u << 19;
// The number of pairs of steps of an inverse before the exchange; 0 if all steps are made before
// it. An inverse that takes more is finished while blocks exchange their words, and its modulus is
// left out of that exchange. Another modulus is as good: any b preserves the gcd, and a b that is
// not the smallest is only a little longer.
constexpr u32 PATIENCE = ITEMS == 1 ? WEBER_PATIENCE : 0;
constexpr u32 INFINITE = ~0u;
constexpr u64 NOTHING = ~3ull;
// The key of a modulus whose inverse is late. It exceeds every other key, because |t| < 2^31 − 1.
constexpr u64 LATE = ~7ull;

struct Meeting {
    u64 warps[32];
    u64 answer;
};

// Whether this lane has the smallest x of its warp. If there is a tie, several lanes do. The low
// words are rarely compared.
DEVICE bool has_least(u64 x) {
    bool has = warp_least((u32)(x >> 32)) == (u32)(x >> 32);
    if (__popc(__ballot_sync(FULL_WARP, has)) > 1) {
        u32 low = has ? (u32)x : ~0u;
        has = warp_least(low) == (u32)x && has;
    }
    return has;
}

// The same barrier as this_grid().sync() of NVIDIA's Cooperative Groups. The driver gives every
// cooperative launch a workspace, whose address it puts into two environment registers; the second
// word of the workspace is the barrier. Block 0 adds 2^31 − (blocks − 1) and every other block adds
// 1, so that the highest bit changes when the last block has arrived. The executor has no such
// workspace, and uses the first word of `own`.
DEVICE void grid_sync([[maybe_unused]] u32* own) {
#ifdef BEZOUT_EXECUTOR
    u32* word = own;
#else
    u64 workspace;
    asm("mov.b64 %0, {%%envreg2, %%envreg1};" : "=l"(workspace));
    u32* word = (u32*)workspace + 1;
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 share = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        __threadfence();
        u32 before = atomicAdd(word, share);
        while (((before ^ load_acquire(word)) & 0x80000000u) == 0) {
#ifdef BEZOUT_EXECUTOR
            pause();
#endif
        }
        __threadfence();
    }
    __syncthreads();
}

// grid_least by an atomic minimum and a barrier of all blocks. The first two words of `slots` are
// the barrier. The next three are the minima of three consecutive rounds, as complements, so that 0
// means none. A minimum is cleared one round after all blocks have read it, and one round before it
// is used again.
template <class Work>
DEVICE u64 barrier_least(u64 key, u64* slots, u32 round, Meeting& meeting, Work meanwhile) {
    if (has_least(key)) meeting.warps[threadIdx.x / 32] = key;
    __syncthreads();
    u64* minima = slots + 2;
    if (threadIdx.x < 32) {
        u64 mine = threadIdx.x < blockDim.x / 32 ? meeting.warps[threadIdx.x] : NOTHING;
        if (has_least(mine)) atomicMax(minima + round % 3, ~mine);
    }
    meanwhile();
    if (BARRIER == 2)
        grid_sync((u32*)slots);
    else
        grid_barrier((u32*)slots);
    if (threadIdx.x == 0) {
        meeting.answer = ~load_relaxed(minima + round % 3) & ~3ull;
        if (blockIdx.x == 0) store_relaxed(minima + (round + 2) % 3, 0);
    }
    __syncthreads();
    return meeting.answer;
}

// Returns the smallest `key` of the grid, in every thread. The two low bits of a key must be 0:
// they are used for the tag. `meanwhile` is work that the exchange hides. All threads of all blocks
// must call it with the same round, counting from 0. Slots are 0 before round 0.
template <class Work>
DEVICE u64 grid_least(u64 key, u64* slots, u32 round, Meeting& meeting, Work meanwhile) {
    if (BARRIER) return barrier_least(key, slots, round, meeting, meanwhile);
    if (has_least(key)) meeting.warps[threadIdx.x / 32] = key;
    __syncthreads();
    if (threadIdx.x < 32) {
        u64* rows = slots + (round & 1) * COPIES * SLOTS;
        u64 tag = 1 + (round >> 1 & 1);
        u64 mine = threadIdx.x < blockDim.x / 32 ? meeting.warps[threadIdx.x] : NOTHING;
        if (has_least(mine)) {
#pragma unroll
            for (u32 c = 0; c < COPIES; c++)
                store_relaxed(rows + c * SLOTS + blockIdx.x, mine | tag);
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
            for (u32 i = 0; i < LOOKS / 2; i++)
                found[i] = threadIdx.x + 32 * (j + i) < gridDim.x ? 0 : NOTHING | tag;
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

// A modulus whose products are reduced by quotients. With m = ⌈2^(63 + BITS)/q⌉, which has 64 bits,
// the quotient of x < 2^64 by q is the high word of x·m, shifted down by BITS − 1. Let m·q =
// 2^(63 + BITS) + e. The quotient is exact if e <= 2^(BITS − 1), which is true for seven primes in
// ten, and at most one too large otherwise. (Weber–Brew use only those primes, and therefore need
// no last comparison.)
struct Quotients : Modulus {
    u64 quotient;

    // x·y mod q for any x and y whose product has 64 bits.
    __device__ u32 mul(u32 x, u32 y) const {
        u64 product = (u64)x * y;
        i64 rest = (i64)(product - (__umul64hi(product, quotient) >> (BITS - 1)) * p);
        return (u32)(rest < 0 ? rest + p : rest);
    }
    __device__ u32 mul_plain(u32 x, u32 y) const { return mul(x, y); }
    // Returns x scaled for mul, such that mul(scaled(x), y) is x·y mod q.
    __device__ u32 scaled(u32 x) const { return x; }
};

// A modulus whose products are reduced by Montgomery's method.
struct Montgomery : Modulus {
    __device__ u32 scaled(u32 x) const { return mul(x, square); }
};

template <bool by_quotients>
struct Chosen {
    typedef Montgomery Type;
};
template <>
struct Chosen<true> {
    typedef Quotients Type;
};
typedef Chosen<BY_QUOTIENTS>::Type Prime;

DEVICE void complete(Montgomery&) {}
// ⌈2^(63 + BITS)/q⌉ by a long division of 2^(63 + BITS) − 1; it has 64 bits, as q has BITS.
DEVICE void complete(Quotients& m) {
    u64 high = (1ull << (BITS - 1)) - 1, quotient = 0;
#pragma unroll 1
    for (u32 i = 0; i < 2; i++) {
        u64 part = high << 32 | 0xffffffffu;
        quotient = quotient << 32 | part / m.p;
        high = part % m.p;
    }
    m.quotient = quotient + 1;
}

struct Items {
    Prime m[ITEMS];
    u32 t[ITEMS], word[ITEMS], product[ITEMS], factor[AT_ONCE ? 1 : ITEMS];
    Rows rows[EARLY ? ITEMS : 1];

    // Updates word and product after a step. Each is multiplied by a Montgomery product, so both
    // are scaled by the same factor and their ratio is right.
    __device__ void advance(u32 j, u32 step_factor, u32 p) {
        word[j] = m[j].mul(word[j], step_factor);
        product[j] = m[j].mul(product[j], p);
    }

    // Starts the rows of all t, if early inverses are used. Rows of t = ∞ are not used.
    __device__ void begin_inverses() {
        if (EARLY) {
#pragma unroll
            for (u32 j = 0; j < (EARLY ? ITEMS : 1); j++)
                rows[j] = m[j].rows_of(t[j] == INFINITE ? 1 : t[j]);
        }
    }
};

// residues: those of U, then those of V, `count` each. out: the numbers of steps and of digits,
// then `count` step keys, then `count` digit keys, without their tags. slots: 2·COPIES·SLOTS words,
// all 0. At most 256 blocks, cooperative, of whole warps of at most BLOCK threads; ITEMS times all
// threads are at least `count`.
KERNEL_BOUNDS(BLOCK, 1, weber_reduce, const u32* primes, const u32* residues, u64 count, u64* slots,
              u64* out) {
    SHARED(Meeting, meeting);
    Items it;
    u64 key = NOTHING;
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
    for (u32 j = 0; j < ITEMS; j++) {
        u64 i = ((u64)j * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        bool there = i < count;
        // A thread without a modulus gets one that has left Q: a word 0 and a product 0 stay 0.
        static_cast<Modulus&>(it.m[j]) = modulus_of(primes[there ? i : 0]);
        complete(it.m[j]);
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
    Inverse inverse;
    bool is_late = false;
    bool scribe = blockIdx.x == 0 && threadIdx.x == 0;
    u64* steps = out + 2;
    u64* digits = steps + count;
    u32 round = 0, p = 1;
    u64 made = 0;
    auto nothing = [] {};
    u64 best = grid_least(key, slots, round++, meeting, [&] { it.begin_inverses(); });
    while (best != NOTHING) {
        if (scribe) steps[made] = best;
        made++;
        p = with_ends((u32)(best >> 3) & 0x3fffffffu);
        u32 size = (u32)(best >> 33);
        bool negative = best >> 2 & 1;
        key = NOTHING;
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            const Prime& m = it.m[j];
            // The next t = u/v: see the module's documentation. |b| < 2^(BITS − 1) <= q.
            u32 s = it.t[j] == INFINITE ? 1
                    : negative          ? m.add(it.t[j], size)
                                        : m.sub(it.t[j], size);
            u32 factor = s ? s : p;
            u32 next = INFINITE, scaled = m.scaled(p);
            keep(scaled);
            if (it.t[j] == INFINITE) {
                if (it.word[j]) next = 0;
            } else if (s) {
                // Equal in all threads, because `size` is the grid's.
                bool begun = EARLY && size < SMALL;
                inverse = begun ? m.inverse_from(it.rows[EARLY ? j : 0], it.t[j],
                                                 negative ? -(i32)size : (i32)size)
                                : m.inverse_of(s);
                for (u32 i = 0; (!PATIENCE || i < PATIENCE) && !inverse.is_known(); i++)
                    inverse.advance();
                is_late = PATIENCE && !inverse.is_known();
                if (is_late)
                    key = LATE;
                else
                    next = m.mul(scaled, inverse.value(m.p));
            }
            it.t[j] = next;
            if (AT_ONCE)
                it.advance(j, factor, p);
            else
                it.factor[j] = factor;
            if (next != INFINITE) {
                u64 own = step_key(m, next);
                key = own < key ? own : key;
            }
        }
        best = grid_least(key, slots, round++, meeting, [&] {
#pragma unroll
            for (u32 j = 0; j < (AT_ONCE ? 0 : ITEMS); j++) it.advance(j, it.factor[j], p);
            if (is_late) {
                while (!inverse.is_known()) inverse.advance();
                it.t[0] = it.m[0].mul(it.m[0].scaled(p), inverse.value(it.m[0].p));
                is_late = false;
            }
            it.begin_inverses();
        });
        if (PATIENCE && best == LATE) {
            // No inverse was in time. All are known now.
            key = it.t[0] == INFINITE ? NOTHING : step_key(it.m[0], it.t[0]);
            best = grid_least(key, slots, round++, meeting, nothing);
        }
    }
    if (scribe) out[0] = made;
    // Digits: the smallest prime whose word is not 0 is found first, so that only one lane computes
    // an inverse.
    made = 0;
    while (true) {
        u32 least = ~0u, word = 0, product = 0;
        Prime owner = it.m[0];
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
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
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            const Prime& m = it.m[j];
            it.word[j] = m.sub(it.word[j], m.mul_plain(m.residue(digit), it.product[j]));
            it.product[j] = m.mul_plain(p, it.product[j]);
        }
    }
    if (scribe) out[1] = made;
}
