// Pollard's rho as Beránek published it: many runners, each with its own x² + c, and a GCD after
// every step.
//
// A number is WORDS 32-bit words in loops over words: in registers while they are few, else in
// local memory. Residues modulo the odd n are Montgomery's, xR with R = 2^(32·WORDS), in [0, n); as
// R is a unit, gcd((x − y)R, n) is gcd(x − y, n).

#ifndef WORDS
#error "WORDS comes from the size of the number"
#endif
#ifndef RHO_COUNTS
#error "RHO_COUNTS is 1 in the build that counts active lanes, else 0"
#endif
static_assert(WORDS % 2 == 0 && WORDS >= 2, "whole limbs");

constexpr u32 UNROLL = WORDS <= 8 ? WORDS : 1;

struct Value {
    u32 w[WORDS];
};

// a − b modulo R; whether a < b.
static __device__ bool subtract(Value& difference, const Value& a, const Value& b) {
    u64 borrow = 0;
#pragma unroll UNROLL
    for (u32 i = 0; i < WORDS; i++) {
        const u64 d = (u64)a.w[i] - b.w[i] - borrow;
        difference.w[i] = (u32)d;
        borrow = d >> 63;
    }
    return borrow != 0;
}

// x + top·R modulo n, for x + top·R < 2n.
static __device__ Value reduce_once(const Value& x, u32 top, const Value& n) {
    Value less;
    const bool below = subtract(less, x, n);
    return below && top == 0 ? x : less;
}

// a·b/R modulo n, for a < R and b < n.
static __device__ Value mont_mul(const Value& a, const Value& b, const Value& n, u32 n0) {
    u32 t[WORDS + 2] = {};
#pragma unroll UNROLL
    for (u32 i = 0; i < WORDS; i++) {
        u64 s = 0;
#pragma unroll UNROLL
        for (u32 j = 0; j < WORDS; j++) {
            s = (s >> 32) + t[j] + (u64)a.w[j] * b.w[i];
            t[j] = (u32)s;
        }
        s = (s >> 32) + t[WORDS];
        t[WORDS] = (u32)s;
        t[WORDS + 1] = (u32)(s >> 32);
        const u32 m = t[0] * n0;
        s = t[0] + (u64)m * n.w[0];
#pragma unroll UNROLL
        for (u32 j = 1; j < WORDS; j++) {
            s = (s >> 32) + t[j] + (u64)m * n.w[j];
            t[j - 1] = (u32)s;
        }
        s = (s >> 32) + t[WORDS];
        t[WORDS - 1] = (u32)s;
        t[WORDS] = t[WORDS + 1] + (u32)(s >> 32);
    }
    Value x;
#pragma unroll UNROLL
    for (u32 i = 0; i < WORDS; i++) x.w[i] = t[i];
    return reduce_once(x, t[WORDS], n);
}

// x² + c modulo n.
static __device__ Value next(const Value& x, const Value& c, const Value& n, u32 n0) {
    const Value square = mont_mul(x, x, n, n0);
    Value sum;
    u64 s = 0;
#pragma unroll UNROLL
    for (u32 i = 0; i < WORDS; i++) {
        s = (s >> 32) + square.w[i] + c.w[i];
        sum.w[i] = (u32)s;
    }
    return reduce_once(sum, (u32)(s >> 32), n);
}

// How the lanes of a warp go through a loop together. In the build that counts, every lane stays in
// a loop until the last lane has finished, as a diverged warp does anyway, and each round adds the
// number of lanes that still have work. In the other build the loop condition is that of the lane.
struct Lanes {
    u64 steps = 0, stepping = 0; // rounds of the loop over steps, and lanes in them
    u64 rounds = 0, active = 0;  // rounds of the loop of the GCD, and lanes in them

    __device__ bool go_on(bool more, u64& of_warp, u64& of_lanes) {
#if RHO_COUNTS
        const u32 some = __ballot_sync(FULL_WARP, more);
        of_warp += some != 0;
        of_lanes += __popc(some);
        return some != 0;
#else
        return more;
#endif
    }
    // Whether a step is to be done.
    __device__ bool step(bool more) { return go_on(more, steps, stepping); }
    // Whether a round of the GCD is to be done.
    __device__ bool round(bool more) { return go_on(more, rounds, active); }
};

constexpr u32 NOTHING = 0, FACTOR = 1, ALL = 2;

#if WORDS == 2
static __device__ u32 kind_of(u64 g, u64 n) { return g == 1 ? NOTHING : g == n ? ALL : FACTOR; }

// What gcd(x − y, n) is, by shifts and differences. Means nothing for a lane that is not running.
static __device__ u32 compare_runners(const Value& x, const Value& y, const Value& n, bool running,
                                      Lanes& lanes) {
    const u64 p = (u64)x.w[1] << 32 | x.w[0], q = (u64)y.w[1] << 32 | y.w[0],
              odd = (u64)n.w[1] << 32 | n.w[0];
    u64 a = p > q ? p - q : q - p, b = odd;
    // gcd(0, n) = n, without a round.
    if (a == 0 || !running) a = odd;
    a >>= __ffsll(a) - 1;
    while (lanes.round(a != b)) {
        if (a == b) continue;
        const u64 d = a > b ? a - b : b - a;
        b = a > b ? b : a;
        a = d >> (__ffsll(d) - 1);
    }
    return kind_of(b, odd);
}
#else
// The order of two numbers of `len` words.
static __device__ i32 order(const Value& a, const Value& b, u32 len) {
    for (u32 i = len; i-- > 0;)
        if (a.w[i] != b.w[i]) return a.w[i] < b.w[i] ? -1 : 1;
    return 0;
}

// Takes all twos out of a > 0 of `len` words.
static __device__ void make_odd(Value& a, u32 len) {
    u32 words = 0;
    while (a.w[words] == 0) words++;
    const u32 bits = __ffs(a.w[words]) - 1;
    if (words == 0 && bits == 0) return;
    for (u32 i = 0; i < len; i++) {
        const u32 low = i + words < len ? a.w[i + words] : 0,
                  high = i + words + 1 < len ? a.w[i + words + 1] : 0;
        a.w[i] = __funnelshift_r(low, high, bits);
    }
}

static __device__ u32 compare_runners(const Value& x, const Value& y, const Value& n, bool running,
                                      Lanes& lanes) {
    Value a, b = n;
    if (subtract(a, x, y)) subtract(a, y, x);
    u32 any = 0;
    for (u32 i = 0; i < WORDS; i++) any |= a.w[i];
    bool more = running && any != 0;
    // Both odd, of `len` words at most.
    u32 len = WORDS;
    if (more) make_odd(a, len);
    while (lanes.round(more)) {
        if (!more) continue;
        while (len > 1 && (a.w[len - 1] | b.w[len - 1]) == 0) len--;
        const i32 way = order(a, b, len);
        if (way == 0) {
            more = false;
            continue;
        }
        u64 borrow = 0;
        if (way > 0) {
            for (u32 i = 0; i < len; i++) {
                const u64 d = (u64)a.w[i] - b.w[i] - borrow;
                a.w[i] = (u32)d;
                borrow = d >> 63;
            }
            make_odd(a, len);
        } else {
            for (u32 i = 0; i < len; i++) {
                const u64 d = (u64)b.w[i] - a.w[i] - borrow;
                b.w[i] = (u32)d;
                borrow = d >> 63;
            }
            make_odd(b, len);
        }
    }
    if (any == 0) return ALL;
    if (len == 1 && b.w[0] == 1) return NOTHING;
    for (u32 i = 0; i < WORDS; i++)
        if ((i < len ? b.w[i] : 0) != n.w[i]) return FACTOR;
    return ALL;
}
#endif

static __device__ Value load(const u32* from) {
    Value x;
#pragma unroll UNROLL
    for (u32 i = 0; i < WORDS; i++) x.w[i] = from[i];
    return x;
}
static __device__ void store(u32* to, const Value& x) {
#pragma unroll UNROLL
    for (u32 i = 0; i < WORDS; i++) to[i] = x.w[i];
}

// A word as a residue.
static __device__ Value residue_of(u64 word, const Value& square, const Value& n, u32 n0) {
    Value x = {};
    x.w[0] = (u32)word;
    x.w[1] = (u32)(word >> 32);
    return mont_mul(x, square, n, n0);
}

// Word i of the random words of a seed: SplitMix64.
static __device__ u64 random_word(u64 seed, u64 i) {
    u64 z = seed + (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

constexpr u32 NUMBERED = 0, AHEAD = 1, RANDOM = 2;

// `steps` more steps of every runner, after `done` of them. numbers: n and R² modulo n. state: x
// and y of every runner; y = n marks one that has met itself modulo n. found[0]: the smallest
// step·2^32 + thread with a factor, all ones if none. found[1]: the number of runners that have met
// themselves. A runner checks found[0] every `look` steps (never if that is 0) and stops if there
// is a factor of an earlier step.
//
// start: NUMBERED for x = y = c = i + 1 of runner i; AHEAD for x = 7, c = i + 1, y = x² + c; RANDOM
// for x = y and c from words 2i and 2i + 1 of `seed`. begin: 1 for the first steps, else 0.
//
// Grid: `runners` / `threads` blocks. Block: `threads` threads, runner i being thread i % threads
// of block i / threads. Where RHO_COUNTS is 1, `threads` rounded up to whole warps; counted then
// grows by the warps' steps, lanes in them, rounds of their GCDs, and lanes in those; else it is
// null.
KERNEL(rho_run, const u32* __restrict__ numbers, u32* state, u64* found, u64* counted, u32 n0,
       u32 runners, u32 threads, u32 done, u32 steps, u32 look, u32 start, u64 seed, u32 begin) {
    const u32 thread = blockIdx.x * threads + threadIdx.x;
    bool running = threadIdx.x < threads && thread < runners;
    if (!RHO_COUNTS && !running) return;
    const Value n = load(numbers), square = load(numbers + WORDS);
    u32* own = state + (u64)thread * 2 * WORDS;
    const u64 last = start == RANDOM ? random_word(seed, 2 * (u64)thread + 1) : thread + 1;
    const Value c = residue_of(last, square, n, n0);
    Value x = c, y = c;
    if (begin == 0 && running) {
        x = load(own);
        y = load(own + WORDS);
        u32 differs = 0;
        for (u32 i = 0; i < WORDS; i++) differs |= y.w[i] ^ n.w[i];
        running = differs != 0;
    } else if (start == AHEAD) {
        x = residue_of(7, square, n, n0);
        y = next(x, c, n, n0);
    } else if (start == RANDOM) {
        x = y = residue_of(random_word(seed, 2 * (u64)thread), square, n, n0);
    }
    const bool is_owner = running;
    Lanes lanes;
    for (u32 step = done; step < done + steps; step++) {
        if (running && look != 0 && step % look == 0 && load_relaxed(found) >> 32 < step)
            running = false;
        if (!lanes.step(running)) break;
        if (running) {
            x = next(x, c, n, n0);
            y = next(next(y, c, n, n0), c, n, n0);
        }
        const u32 kind = compare_runners(x, y, n, running, lanes);
        if (!running || kind == NOTHING) continue;
        if (kind == ALL) {
            y = n;
            atomicAdd(found + 1, (u64)1);
        } else {
            atomicMin(found, (u64)step << 32 | thread);
        }
        running = false;
    }
    if (is_owner) {
        store(own, x);
        store(own + WORDS, y);
    }
#if RHO_COUNTS
    if (lane_id() == 0) {
        atomicAdd(counted, lanes.steps);
        atomicAdd(counted + 1, lanes.stepping);
        atomicAdd(counted + 2, lanes.rounds);
        atomicAdd(counted + 3, lanes.active);
    }
#endif
}
