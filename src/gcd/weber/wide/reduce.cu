// weber_reduce for moduli of 33 to 62 bits, with residues of 64 bits. Blocks exchange two words
// instead of one. The module's documentation has the recurrences.
//
// A key is two words, which compare as one number of 128 bits. The lowest two bits of both words
// are used for tags, so each word of a slot states its round, and no fence is needed. A slot is
// used again two rounds later. Every block has read it by then, because each block has published
// its words of the round between.

constexpr u32 BLOCK = WIDE_BLOCK, ITEMS = WIDE_ITEMS;
// Copies of the slots. Each copy is read by some of the blocks.
constexpr u32 COPIES = WIDE_COPIES;
// One slot for each block, and the number of slots that each lane of the reading warp reads.
constexpr u32 SLOTS = WIDE_SLOTS, LOOKS = SLOTS / 32;
constexpr u64 INFINITE = ~0ull;
constexpr u64 NOTHING = ~3ull;

struct Key {
    u64 high, low;

    __device__ bool operator<(const Key& other) const {
        return high < other.high || (high == other.high && low < other.low);
    }
};

struct Meeting {
    Key warps[32];
    Key answer;
};

// Returns the smallest key of the warp, in every lane.
DEVICE Key warp_least(Key x) {
    u64 high = warp_least(x.high);
    return Key{high, warp_least(x.high == high ? x.low : ~0ull)};
}

// Returns the smallest `key` of the grid, in every thread. `meanwhile` is work that the exchange
// hides. All threads of all blocks must call it with the same round, counting from 0. Slots are 0
// before round 0.
template <class Work>
DEVICE Key grid_least(Key key, u64* slots, u32 round, Meeting& meeting, Work meanwhile) {
    key = warp_least(key);
    if (lane_id() == 0) meeting.warps[threadIdx.x / 32] = key;
    __syncthreads();
    if (threadIdx.x < 32) {
        u64* rows = slots + (u64)(round & 1) * COPIES * SLOTS * 2;
        u64 tag = 1 + (round >> 1 & 1);
        Key mine =
            threadIdx.x < blockDim.x / 32 ? meeting.warps[threadIdx.x] : Key{NOTHING, NOTHING};
        mine = warp_least(mine);
        for (u32 c = threadIdx.x; c < COPIES; c += 32) {
            u64* slot = rows + 2 * (c * SLOTS + blockIdx.x);
            store_relaxed(slot, mine.high | tag);
            store_relaxed(slot + 1, mine.low | tag);
        }
        meanwhile();
        const u64* row = rows + 2 * (blockIdx.x % COPIES * SLOTS + threadIdx.x);
        Key least{NOTHING, NOTHING};
#pragma unroll
        for (u32 j = 0; j < LOOKS; j += LOOKS / 2) {
            if (32 * j >= gridDim.x) break;
            u64 high[LOOKS / 2], low[LOOKS / 2];
            bool waiting;
#pragma unroll
            for (u32 i = 0; i < LOOKS / 2; i++)
                high[i] = low[i] = threadIdx.x + 32 * (j + i) < gridDim.x ? 0 : NOTHING | tag;
            do {
                waiting = false;
#pragma unroll
                for (u32 i = 0; i < LOOKS / 2; i++) {
                    if ((high[i] & 3) != tag) high[i] = load_relaxed(row + 64 * (j + i));
                    if ((low[i] & 3) != tag) low[i] = load_relaxed(row + 64 * (j + i) + 1);
                }
#pragma unroll
                for (u32 i = 0; i < LOOKS / 2; i++)
                    waiting |= (high[i] & 3) != tag || (low[i] & 3) != tag;
#ifdef BEZOUT_EXECUTOR
                if (waiting) pause();
#endif
            } while (waiting);
#pragma unroll
            for (u32 i = 0; i < LOOKS / 2; i++) {
                Key found{high[i] & ~3ull, low[i] & ~3ull};
                least = found < least ? found : least;
            }
        }
        __syncwarp();
        least = warp_least(least);
        if (threadIdx.x == 0) meeting.answer = least;
    } else {
        meanwhile();
    }
    __syncthreads();
    return meeting.answer;
}

// |t| < 2^61; then the prime of at most 62 bits without its lowest bit, which is 1, and the sign.
DEVICE Key step_key(const WideModulus& m, u64 t) {
    u64 size = min(t, m.p - t);
    return Key{size << 2, (m.p >> 1) << 3 | (u64)(size != t) << 2};
}
// The prime, then the digit, which has 62 bits with its sign.
DEVICE Key digit_key(u64 p, i64 digit) { return Key{p << 2, (u64)digit << 2}; }

struct Items {
    WideModulus m[ITEMS];
    u64 t[ITEMS], word[ITEMS], product[ITEMS], factor[ITEMS];
};

// residues: those of U, then those of V, `count` each. out: the numbers of steps and of digits,
// then `count` step keys, then `count` digit keys, two words each, without their tags. slots:
// 4·COPIES·SLOTS words, all 0. At most SLOTS blocks, cooperative, of whole warps of at most BLOCK
// threads; ITEMS times the threads are at least `count`.
KERNEL_BOUNDS(BLOCK, 1, weber_reduce_wide, const u64* primes, const u64* residues, u64 count,
              u64* slots, u64* out) {
    SHARED(Meeting, meeting);
    Items it;
    Key key{NOTHING, NOTHING};
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
    for (u32 j = 0; j < ITEMS; j++) {
        u64 i = ((u64)j * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        bool there = i < count;
        // A thread without a modulus gets one that has left Q: a word 0 and a product 0 stay 0.
        it.m[j] = wide_modulus_of(primes[there ? i : 0]);
        u64 u = there ? residues[i] : 0, v = there ? residues[count + i] : 0;
        it.word[j] = v ? v : u;
        it.product[j] = there;
        it.t[j] = INFINITE;
        if (v) {
            it.t[j] = it.m[j].mul_plain(u, it.m[j].inv(v));
            Key own = step_key(it.m[j], it.t[j]);
            key = own < key ? own : key;
        }
    }
    bool scribe = blockIdx.x == 0 && threadIdx.x == 0;
    u64* steps = out + 2;
    u64* digits = steps + 2 * count;
    u32 round = 0;
    u64 made = 0;
    auto nothing = [] {};
    Key best = grid_least(key, slots, round++, meeting, nothing);
    while (best.high != NOTHING) {
        if (scribe) {
            steps[2 * made] = best.high;
            steps[2 * made + 1] = best.low;
        }
        made++;
        u64 size = best.high >> 2, p = best.low >> 3 << 1 | 1;
        bool negative = best.low >> 2 & 1;
        key = Key{NOTHING, NOTHING};
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            const WideModulus& m = it.m[j];
            // All moduli have the same number of bits, so |b| <= (p − 1)/2 < q.
            u64 s = it.t[j] == INFINITE ? 1
                    : negative          ? m.add(it.t[j], size)
                                        : m.sub(it.t[j], size);
            it.factor[j] = s ? s : p;
            u64 next = INFINITE;
            if (it.t[j] == INFINITE) {
                if (it.word[j]) next = 0;
            } else if (s) {
                next = m.mul(m.mul(p, m.square), m.inv(s));
            }
            it.t[j] = next;
            if (next != INFINITE) {
                Key own = step_key(m, next);
                key = own < key ? own : key;
            }
        }
        // Each is multiplied by a Montgomery product, so words and products are scaled by the same
        // factor and their ratio is right.
        best = grid_least(key, slots, round++, meeting, [&] {
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
            for (u32 j = 0; j < ITEMS; j++) {
                it.word[j] = it.m[j].mul(it.word[j], it.factor[j]);
                it.product[j] = it.m[j].mul(it.product[j], p);
            }
        });
    }
    if (scribe) out[0] = made;
    // Digits: the smallest prime whose word is not 0 is found first, so that only one lane computes
    // an inverse.
    made = 0;
    while (true) {
        u64 least = ~0ull, word = 0, product = 0;
        WideModulus owner = it.m[0];
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            if (it.word[j] && it.m[j].p < least) {
                least = it.m[j].p;
                owner = it.m[j];
                word = it.word[j];
                product = it.product[j];
            }
        }
        key = Key{NOTHING, NOTHING};
        if (warp_least(least) == least && least != ~0ull) {
            key = digit_key(least, owner.symmetric(owner.mul_plain(word, owner.inv(product))));
        }
        best = grid_least(key, slots, round++, meeting, nothing);
        if (best.high == NOTHING) break;
        if (scribe) {
            digits[2 * made] = best.high;
            digits[2 * made + 1] = best.low;
        }
        made++;
        u64 p = best.high >> 2;
        i64 digit = (i64)best.low >> 2;
#pragma unroll(ITEMS <= 4 ? ITEMS : 1)
        for (u32 j = 0; j < ITEMS; j++) {
            const WideModulus& m = it.m[j];
            it.word[j] = m.sub(it.word[j], m.mul_plain(m.residue(digit), it.product[j]));
            it.product[j] = m.mul_plain(p, it.product[j]);
        }
    }
    if (scribe) out[1] = made;
}
