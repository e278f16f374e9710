// From residues to limbs: Chinese remainders, and carry propagation in one pass.
//
// Coefficient i of a product has the weight 2^(64·i) and is known modulo K primes p_k, as y_k =
// c·(P/p_k)^-1 mod p_k (the inverse transform has multiplied by that constant), where P is the
// product of the primes. Then c = Σ y_k·(P/p_k) − q·P with q = floor(Σ y_k / p_k).
//
// q: each floor(y_k·floor(2^61/p_k) / 2^32) is below 2^29·y_k/p_k by less than 1.25, so the sum of
// K ≤ 6 of them, plus 8, is in (X, X + 8] for X = 2^29·(q + c/P). Because c ≤ P·(1 − 2^-26)
// (checked by the plan), its floor by 2^29 is q.
//
// c < 2^(64 + 64 + 51), so it is three limbs (c0, c1, c2) with c2 < 2^51. Limb j of the product is
//     s_j = c0[j] + c1[j-1] + c2[j-2]   (and the corrections below)
// and s_j < 5·2^64: with k_j = floor(s_j / 2^64) ≤ 4 the words t_j = (s_j mod 2^64) + k_{j-1} carry
// into each other by 0 or 1 only: t_j overflows ("generates") leaving at most 3, or is all ones
// ("passes on"), never both. From there it is the look-ahead of the linear sums (limbs/carry.cuh):
// lanes, warps, block, and look-back between tiles where the word under a tile is all ones.
//
// Signs: an operand x of L limbs in two's complement is U − s·2^(64·L), U its limbs unsigned and s
// its sign. The coefficients are those of U_a·U_b; the product of the operands is
//     U_a·U_b − s_a·2^(64·La)·U_b − s_b·2^(64·Lb)·U_a + s_a·s_b·2^(64·(La + Lb)),
// and a subtracted U is an added NOT U (ones above it) and 1. Corrections add at most 2·(2^64 −
// 1) + 3 to one s_j. A sum of q products has the corrections of each, so s_j < (3 + 2·q)·2^64 and
// k_j ≤ 2 + 2·q. The statement about t_j is true while k_j < 2^32.

// Short products need no transforms: a coefficient is the sum of its at most 2^51 products of
// limbs, so c2 < 2^51 again.

#if !defined(CARRY_BLOCK) || !defined(CARRY_DIRECT) || !defined(NTT_PRIME_0) || \
    !defined(NTT_PRIME_5)
#error "CARRY_BLOCK and CARRY_DIRECT come from the tuning, NTT_PRIME_0 to NTT_PRIME_5 from the plan"
#endif

// In direct products, which are short, all warps share the coefficients of a small tile, and the
// first releases its carries.
constexpr u32 WARPS = CARRY_BLOCK / 32;
constexpr u32 CARRY_WARPS = CARRY_DIRECT ? 1 : WARPS;
constexpr u32 ROWS = CARRY_DIRECT ? 1 : RELEASE_ROWS;
constexpr u32 TILE = ROWS * 32 * CARRY_WARPS;
constexpr u32 HALO = 4;
static_assert(!CARRY_DIRECT || TILE == CARRY_DIRECT_TILE, "the tile that the host launches");
static_assert(CARRY_BLOCK % 32 == 0 && WARPS >= 1 && WARPS <= 32,
              "whole warps, one ballot for all of them");

// The workspace, zero when made: counters first, then one state a tile (limbs/carry.cuh). Its tag
// is one more than the epoch, which counts launches.
constexpr u32 TICKET = 0, DONE = 1, EPOCH = 2, STATES = RELEASE_HEAD;

// The constants of K primes.
template <u32 K>
struct Remainders {
    u32 prime[K];
    u32 reciprocal[K];    // floor(2^61 / p)
    u32 cofactor[K][K];   // P / p_k, little-endian words
    u32 minus_product[K]; // 2^(32·K) − P
};
template <u32 K>
static __device__ constexpr Remainders<K> make_remainders() {
    const u32 primes[6] = {NTT_PRIME_0, NTT_PRIME_1, NTT_PRIME_2,
                           NTT_PRIME_3, NTT_PRIME_4, NTT_PRIME_5};
    Remainders<K> r = {};
    for (u32 k = 0; k <= K; k++) {
        u32 words[K] = {};
        words[0] = 1;
        for (u32 i = 0; i < K; i++) {
            if (i == k) continue;
            u64 carry = 0;
            for (u32 w = 0; w < K; w++) {
                carry += (u64)words[w] * primes[i];
                words[w] = (u32)carry;
                carry >>= 32;
            }
        }
        if (k < K) {
            r.prime[k] = primes[k];
            r.reciprocal[k] = (u32)(((u64)1 << 61) / primes[k]);
            for (u32 w = 0; w < K; w++) r.cofactor[k][w] = words[w];
        } else {
            u64 carry = 1;
            for (u32 w = 0; w < K; w++) {
                carry += (u32)~words[w];
                r.minus_product[w] = (u32)carry;
                carry >>= 32;
            }
        }
    }
    return r;
}

struct Coefficient {
    u64 limb[3];

    __device__ void add_product(u64 x, u64 y) {
        const u64 low = x * y;
        limb[0] += low;
        const u64 high = __umul64hi(x, y) + (limb[0] < low); // the high half is not all ones
        limb[1] += high;
        limb[2] += limb[1] < high;
    }
};

// The layout of residues: `stride` apart from prime to prime. If there are several pieces, piece k
// has `length` residues of the coefficients from k·step on. A coefficient is the sum of the pieces
// that contain it, which are at most two because length ≤ 2·step.
struct Residues {
    const u32* first;
    u64 stride;
    u32 pieces;
    u32 length;
    u32 step;
};

// Coefficient `i` from its residues in [0, 2p).
template <u32 K>
static __device__ Coefficient from_residues(const Residues& from, u64 i) {
    constexpr Remainders<K> r = make_remainders<K>();
    u32 y[K];
    u64 at = i, below = ~(u64)0;
    if (from.pieces > 1) { // coefficients are fewer than 2^32 then
        const u32 piece = min((u32)i / from.step, from.pieces - 1);
        const u32 inside = (u32)i - piece * from.step;
        at = (u64)piece * from.length + inside;
        if (piece > 0 && inside < from.length - from.step) below = at - from.length + from.step;
    }
#pragma unroll
    for (u32 k = 0; k < K; k++) {
        y[k] = from.first[k * from.stride + at];
        y[k] = min(y[k], y[k] - r.prime[k]);
    }
    if (below != ~(u64)0) {
#pragma unroll
        for (u32 k = 0; k < K; k++) {
            u32 other = from.first[k * from.stride + below];
            y[k] += min(other, other - r.prime[k]);
            y[k] = min(y[k], y[k] - r.prime[k]);
        }
    }
    u32 sum = 8;
#pragma unroll
    for (u32 k = 0; k < K; k++) sum += __umulhi(y[k], r.reciprocal[k]);
    const u32 q = sum >> 29;
    // Products are below 2^62, so three of them and q times a word fit 64 bits.
    u32 word[6] = {};
    u64 carry = 0;
#pragma unroll
    for (u32 w = 0; w < K; w++) {
        u64 one = carry, two = (u64)q * r.minus_product[w];
#pragma unroll
        for (u32 k = 0; k < K; k++) (k < 3 ? one : two) += (u64)y[k] * r.cofactor[k][w];
        u64 low = (one & 0xffffffffu) + (two & 0xffffffffu);
        word[w] = (u32)low;
        carry = (one >> 32) + (two >> 32) + (low >> 32);
    }
    Coefficient c;
#pragma unroll
    for (u32 l = 0; l < 3; l++) c.limb[l] = (u64)word[2 * l + 1] << 32 | word[2 * l];
    return c;
}

// The operands, for the corrections of their signs.
struct Operands {
    const u64* a;
    u64 len_a;
    bool minus_a;
    const u64* b;
    u64 len_b;
    bool minus_b;

    // Adds the corrections of limb j.
    __device__ void add(u64 j, u64& low, u32& high) const {
        if (minus_a && j >= len_a) {
            u64 i = j - len_a;
            plus(low, high, i < len_b ? ~b[i] : ~(u64)0);
            if (i == 0) plus(low, high, 1);
        }
        if (minus_b && j >= len_b) {
            u64 i = j - len_b;
            plus(low, high, i < len_a ? ~a[i] : ~(u64)0);
            if (i == 0) plus(low, high, 1);
        }
        if (minus_a && minus_b && j == len_a + len_b) plus(low, high, 1);
    }
    static __device__ void plus(u64& low, u32& high, u64 addend) {
        low += addend;
        high += low < addend;
    }
};

// A natural number x of len limbs, folded to `fold` limbs, plus 1: the addend of a wrapped product
// in a remainder.
struct Folded {
    const u64* x;
    u64 len;
    u64 fold;

    __device__ void add(u64 j, u64& low, u32& high) const {
        if (j >= fold) return;
        if (j < len) Operands::plus(low, high, x[j]);
        if (fold + j < len) Operands::plus(low, high, x[fold + j]);
        if (j == 0) Operands::plus(low, high, 1);
    }
};

// The pairs of operands of a sum of products, in memory: for each pair a, len_a, stored_a, b,
// len_b, stored_b.
struct OperandList {
    const u64* list;
    u32 pairs;

    __device__ void add(u64 j, u64& low, u32& high) const {
        for (u32 i = 0; i < pairs; i++) {
            const u64* pair = list + 6 * i;
            const u64* a = (const u64*)__ldg(pair);
            const u64* b = (const u64*)__ldg(pair + 3);
            const Operands operands = {a, __ldg(pair + 1), (a[__ldg(pair + 2) - 1] >> 63) != 0,
                                       b, __ldg(pair + 4), (b[__ldg(pair + 5) - 1] >> 63) != 0};
            operands.add(j, low, high);
        }
    }
};

typedef u64 TileLimbs[TILE + HALO];
static_assert(3 * sizeof(TileLimbs) + 512 <= 48 * 1024,
              "CARRY_BLOCK is too large for static shared memory");
struct ReleaseShared {
    u32 tile;
    u32 carry;
    WarpCarries<WARPS> warps;
    TileLimbs limb[3];
};

// How the coefficients of a tile come to be: those from base − HALO on, which wraps below 0, where
// there are none; nor from `count` on.
template <u32 K>
struct RemainderSource {
    Residues residues;
    __device__ void fill(ReleaseShared& shared, u64 base, u64 count) const {
        for (u32 at = threadIdx.x; at < TILE + HALO; at += CARRY_BLOCK) {
            u64 i = base + at - HALO;
            Coefficient c = {};
            if (i < count) c = from_residues<K>(residues, i);
#pragma unroll
            for (u32 l = 0; l < 3; l++) shared.limb[l][at] = c.limb[l];
        }
    }
};

// Products of limbs with their place in both operands: Σ a[i − k]·b[k].
struct LimbSource {
    const u64* __restrict__ a;
    u64 len_a;
    const u64* __restrict__ b;
    u64 len_b;

#if CARRY_DIRECT
    // Every `stride`-th k from `first` on.
    __device__ Coefficient sum(u64 i, u64 first, u64 stride) const {
        Coefficient c = {};
        const u64 from = i < len_a ? 0 : i - len_a + 1, end = i < len_b ? i + 1 : len_b;
#pragma unroll 4
        for (u64 k = from + first; k < end; k += stride) c.add_product(a[i - k], b[k]);
        return c;
    }
    __device__ void fill(ReleaseShared& shared, u64 base, u64 count) const {
        constexpr u32 WIDTH = TILE + HALO,
                      SLICES = CARRY_BLOCK / WIDTH > 0 ? CARRY_BLOCK / WIDTH : 1;
        typedef Coefficient Partial[SLICES][WIDTH];
        SHARED(Partial, partial);
        for (u32 item = threadIdx.x; item < SLICES * WIDTH; item += CARRY_BLOCK) {
            const u64 i = base + item % WIDTH - HALO;
            partial[item / WIDTH][item % WIDTH] =
                i < count ? sum(i, item / WIDTH, SLICES) : Coefficient{};
        }
        __syncthreads();
        for (u32 at = threadIdx.x; at < WIDTH; at += CARRY_BLOCK) {
            Coefficient c = partial[0][at];
#pragma unroll
            for (u32 slice = 1; slice < SLICES; slice++) {
                u32 carry = 0;
#pragma unroll
                for (u32 l = 0; l < 3; l++)
                    c.limb[l] = add_carry(c.limb[l], partial[slice][at].limb[l], carry);
            }
#pragma unroll
            for (u32 l = 0; l < 3; l++) shared.limb[l][at] = c.limb[l];
        }
    }
#else
    // b is the shorter one: a thread has ADJACENT coefficients, and a window of a that slides down
    // while it walks up b. Limbs of a outside its length are 0, so coefficients from `count` on and
    // below 0 come out as 0.
    static constexpr u32 ADJACENT = 4;
    __device__ u64 limb_a(u64 i) const { return i < len_a ? a[i] : 0; }
    __device__ void fill(ReleaseShared& shared, u64 base, u64) const {
        static_assert(TILE % ADJACENT == 0 && HALO % ADJACENT == 0, "whole groups");
        for (u32 at = ADJACENT * threadIdx.x; at < TILE + HALO; at += ADJACENT * CARRY_BLOCK) {
            const u64 i = base + at - HALO;
            Coefficient c[ADJACENT] = {};
            u64 window[ADJACENT];
#pragma unroll
            for (u32 s = 0; s < ADJACENT; s++) window[s] = limb_a(i + s);
#pragma unroll 4
            for (u64 k = 0; k < len_b; k++) {
                const u64 y = b[k];
#pragma unroll
                for (u32 s = 0; s < ADJACENT; s++) c[s].add_product(window[s], y);
#pragma unroll
                for (u32 s = ADJACENT - 1; s > 0; s--) window[s] = window[s - 1];
                window[0] = limb_a(i - k - 1);
            }
#pragma unroll
            for (u32 s = 0; s < ADJACENT; s++) {
#pragma unroll
                for (u32 l = 0; l < 3; l++) shared.limb[l][at + s] = c[s].limb[l];
            }
        }
    }
#endif
};

// s_j of the limb at `at` of the tile's arrays, j its index in the product: low limb, and k_j.
template <class Signs>
static __device__ u64 limb_sum(const ReleaseShared& shared, u32 at, u64 j, const Signs& operands,
                               u32& high) {
    u64 low = shared.limb[0][at];
    high = 0;
    Operands::plus(low, high, shared.limb[1][at - 1]);
    Operands::plus(low, high, shared.limb[2][at - 2]);
    operands.add(j, low, high);
    return low;
}

// t_j: needs the three coefficients below limb j. Limbs below 0 are 0.
template <class Signs>
static __device__ u64 word_of(const ReleaseShared& shared, u32 at, u64 j, const Signs& operands,
                              u32& overflow) {
    u32 high, below = 0;
    u64 low = limb_sum(shared, at, j, operands, high);
    if (j > 0) limb_sum(shared, at - 1, j - 1, operands, below);
    low += below;
    overflow = low < below;
    return low;
}

template <class Source, class Signs>
static __device__ void propagate_carries(u64* __restrict__ out, u64 n, const Source& source,
                                         u64 count, const Signs& operands, u64* workspace) {
    SHARED(ReleaseShared, shared);
    u64* states = workspace + STATES;
    const u32 lane = lane_id();
    const u32 warp = threadIdx.x / 32;
    const u64 tiles = (n + TILE - 1) / TILE;
    const u64 epoch = workspace[EPOCH]; // changes only when every block of this launch is done

    for (;;) {
        if (threadIdx.x == 0) shared.tile = (u32)atomicAdd(workspace + TICKET, (u64)1);
        __syncthreads();
        const u64 tile = shared.tile;
        if (tile >= tiles) break;
        const u64 base = tile * TILE;

        source.fill(shared, base, count);
        __syncthreads();

        // The word just below the tile decides the carry into the tile, unless that word
        // propagates.
        u32 tile_carry = 0;
        bool decided = true;
        if (base > 0)
            decided = word_of(shared, HALO - 1, base - 1, operands, tile_carry) != ~(u64)0;

        u64 word[ROWS];
        u32 generates[ROWS], passes_on[ROWS];
        const u32 first = warp * 32 * ROWS + lane;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            u32 overflow = 0;
            word[r] = ~(u64)0; // other warps pass on
            if (warp < CARRY_WARPS)
                word[r] = word_of(shared, HALO + first + 32 * r, base + first + 32 * r, operands,
                                  overflow);
            generates[r] = __ballot_sync(FULL_WARP, overflow);
            passes_on[r] = __ballot_sync(FULL_WARP, word[r] == ~(u64)0);
        }

        // Tell the tiles above.
        const BlockCarries block = block_carries(shared.warps, generates, passes_on);
        const u32 tile_generates = block.tile_generates();
        const bool tile_passes_on = block.tile_passes_on();
        if (threadIdx.x == 0) {
            u64 state = tile_generates    ? CARRY_1
                        : !tile_passes_on ? CARRY_0
                        : !decided        ? PASSES_ON
                        : tile_carry      ? CARRY_1
                                          : CARRY_0;
            store_release(states + tile, (epoch + 1) << 2 | state);
        }
        if (!decided) {
            if (warp == 0) {
                u32 carry = look_back_by_warp(states, tile, epoch + 1);
                if (lane == 0) {
                    shared.carry = carry;
                    if (tile_passes_on && !tile_generates)
                        store_release(states + tile,
                                      (epoch + 1) << 2 | (carry ? CARRY_1 : CARRY_0));
                }
            }
            __syncthreads();
            tile_carry = shared.carry;
        }

        // Settle: the carry into this warp, then row by row.
        u32 c = block.into_warp(warp, tile_carry);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            const u32 into_lanes = resolve_carries(generates[r], passes_on[r], c);
            const u64 j = base + first + 32 * r;
            if (warp < CARRY_WARPS && j < n) out[j] = word[r] + (into_lanes >> lane & 1);
        }
        __syncthreads();
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

static __device__ Operands operands_of(const u64* a, u64 len_a, u64 stored_a, const u64* b,
                                       u64 len_b, u64 stored_b) {
    return Operands{a, len_a, (a[stored_a - 1] >> 63) != 0, b, len_b, (b[stored_b - 1] >> 63) != 0};
}

// The product of a (stored_a limbs, of which len_a carry the value and the last the sign) and b,
// modulo 2^(64·n), from their limbs. Block: CARRY_BLOCK threads; any grid; tiles are handed out
// in order by a ticket, so a block only ever waits for tiles that running blocks hold. Writes
// out[0..n).
KERNEL_BOUNDS(CARRY_BLOCK, 1024 / CARRY_BLOCK, mul_limbs, u64* __restrict__ out, u64 n,
              const u64* a, u64 len_a, u64 stored_a, const u64* b, u64 len_b, u64 stored_b,
              u64* workspace) {
    propagate_carries(out, n, LimbSource{a, len_a, b, len_b}, len_a + len_b - 1,
                      operands_of(a, len_a, stored_a, b, len_b, stored_b), workspace);
}

#if !CARRY_DIRECT
// The product of a and b modulo 2^(64·n), from its `count` coefficients in K residues, K = 5 or 6.
// Operands, block and grid are those of mul_limbs. Writes out[0..n).
#define RELEASE(K)                                                                                \
    KERNEL_BOUNDS(CARRY_BLOCK, 1024 / CARRY_BLOCK, mul_carry_##K, u64* __restrict__ out, u64 n,   \
                  const u32* __restrict__ residues, u64 stride, u32 pieces, u32 length, u32 step, \
                  u64 count, const u64* a, u64 len_a, u64 stored_a, const u64* b, u64 len_b,      \
                  u64 stored_b, u64* workspace) {                                                 \
        propagate_carries(out, n,                                                                 \
                          RemainderSource<K>{Residues{residues, stride, pieces, length, step}},   \
                          count, operands_of(a, len_a, stored_a, b, len_b, stored_b), workspace); \
    }
RELEASE(5)
RELEASE(6)

// The sum of the products of `pairs` pairs of operands modulo 2^(64·n), from its `count`
// coefficients in K residues, K = 5 or 6. list: the pairs, as in OperandList. Block and grid are
// those of mul_limbs. Writes out[0..n).
#define RELEASE_SUM(K)                                                                             \
    KERNEL_BOUNDS(CARRY_BLOCK, 1024 / CARRY_BLOCK, mul_carry_sum_##K, u64* __restrict__ out,       \
                  u64 n, const u32* __restrict__ residues, u64 stride, u64 count, const u64* list, \
                  u32 pairs, u64* workspace) {                                                     \
        propagate_carries(out, n, RemainderSource<K>{Residues{residues, stride, 1, 0, 0}}, count,  \
                          OperandList{list, pairs}, workspace);                                    \
    }
RELEASE_SUM(5)
RELEASE_SUM(6)

// out[0..n) = the number in `count` coefficients, plus 1, plus x[0..len) with its limbs from
// `count` on added to those from 0 on; len ≤ 2·count.
#define RELEASE_FOLDED(K)                                                                        \
    KERNEL_BOUNDS(CARRY_BLOCK, 1024 / CARRY_BLOCK, mul_carry_folded_##K, u64* __restrict__ out,  \
                  u64 n, const u32* __restrict__ residues, u64 count, const u64* x, u64 len,     \
                  u64* workspace) {                                                              \
        propagate_carries(out, n, RemainderSource<K>{Residues{residues, count, 1, 0, 0}}, count, \
                          Folded{x, len, count}, workspace);                                     \
    }
RELEASE_FOLDED(5)
RELEASE_FOLDED(6)
#endif
