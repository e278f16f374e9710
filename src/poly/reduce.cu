// From residues to coefficients: Chinese remainders, reduced modulo p. No carries, so every
// coefficient by itself.
//
// A coefficient c of a product is known modulo K primes p_k as y_k = c·(P/p_k)^-1 mod p_k, P the
// product of the primes, and c = Σ y_k·(P/p_k) − q·P with q = floor(Σ y_k / p_k), found as in
// mul/carry.cu because c ≤ P·(1 − 2^-26). Modulo p it is Σ y_k·C_k + q·D with C_k ≡ R²·P/p_k and
// D ≡ −R²·P, divided by R twice. y_k < 2^30, so a sum T of at most 4 products for p < 2^31, at most
// 6 otherwise, has T < 2^63 or T < 2^96; T/R is then below R after the first step and below p after
// the second.

#if !defined(NTT_PRIME_0) || !defined(NTT_PRIME_5)
#error "NTT_PRIME_0 to NTT_PRIME_5 come from the plan"
#endif

static __device__ constexpr u32 prime_of(u32 k) {
    const u32 primes[6] = {NTT_PRIME_0, NTT_PRIME_1, NTT_PRIME_2,
                           NTT_PRIME_3, NTT_PRIME_4, NTT_PRIME_5};
    return primes[k];
}
typedef Word Cofactors[7]; // C_k, and D in the place of number K

// Thread k makes C_k, thread K makes D.
template <u32 K>
static __device__ void make_cofactors(Cofactors& to, const Field& f) {
    if (threadIdx.x <= K) {
        Word product = f.one();
#pragma unroll
        for (u32 k = 0; k < K; k++) {
            if (k != threadIdx.x) product = f.mul(product, f.enter(prime_of(k)));
        }
        product = f.enter(product);
        to[threadIdx.x] = threadIdx.x == K ? f.neg(product) : product;
    }
    __syncthreads();
}

// Σ of words by 32-bit factors.
struct Total {
#if POLY_BITS == 64
    u64 low = 0, high = 0;
    __device__ void add(u32 y, Word c) {
        const u64 product = c * y;
        low += product;
        high += __umul64hi(c, y) + (low < product);
    }
    __device__ Word value(const Field& f) const {
        const u64 once = montgomery_reduce_lazy(high, low, f.p, f.inverse);
        return f.reduce(0, once);
    }
#else
    u64 sum = 0;
    __device__ void add(u32 y, Word c) { sum += (u64)c * y; }
    __device__ Word value(const Field& f) const {
#if POLY_BITS == 1
        return sum & 1;
#else
        const u32 once = montgomery_reduce_lazy((u32)(sum >> 32), (u32)sum, f.p, f.inverse);
        return f.reduce(0, once);
#endif
    }
#endif
};

// The layout of residues, as in mul/carry.cu: `stride` apart from prime to prime, in `pieces` of
// `length` that start `step` apart.
struct Residues {
    const u32* first;
    u64 stride;
    u32 pieces;
    u32 length;
    u32 step;
};

template <u32 K>
static __device__ Word coefficient(const Residues& from, u64 i, const Cofactors& cofactors,
                                   const Field& f) {
    constexpr u64 NONE = ~(u64)0;
    u64 at = i, below = NONE;
    if (from.pieces > 1) { // coefficients are fewer than 2^32 then
        const u32 piece = min((u32)i / from.step, from.pieces - 1);
        const u32 inside = (u32)i - piece * from.step;
        at = (u64)piece * from.length + inside;
        if (piece > 0 && inside < from.length - from.step) below = at - from.length + from.step;
    }
    u32 y[K];
#pragma unroll
    for (u32 k = 0; k < K; k++) {
        y[k] = from.first[k * from.stride + at];
        y[k] = min(y[k], y[k] - prime_of(k));
    }
    if (below != NONE) {
#pragma unroll
        for (u32 k = 0; k < K; k++) {
            const u32 other = from.first[k * from.stride + below];
            y[k] += min(other, other - prime_of(k));
            y[k] = min(y[k], y[k] - prime_of(k));
        }
    }
    u32 quotient = 8;
    Total total;
#pragma unroll
    for (u32 k = 0; k < K; k++) {
        quotient += __umulhi(y[k], (u32)(((u64)1 << 61) / prime_of(k)));
        total.add(y[k], cofactors[k]);
    }
    total.add(quotient >> 29, cofactors[K]);
    return total.value(f);
}

// out[i] = c[from + i] for i < n, or base[i] − c[from + i] where there is a base of `len`
// coefficients, zeros above it; those from `fold` on are added to the ones `fold` below.
// Coefficients from `count` on are 0. Grid: any; block: POLY_BLOCK threads.
#define RELEASE(K)                                                                                \
    KERNEL_BOUNDS(POLY_BLOCK, 1, poly_reduce_##K, u64* out, u64 n,                                \
                  const u32* __restrict__ residues, u64 stride, u32 pieces, u32 length, u32 step, \
                  u64 from, u64 count, const u64* base, u64 len, u64 fold, u64 p, u64 square) {   \
        SHARED(Cofactors, cofactors);                                                             \
        const Field f = field_of(p, square);                                                      \
        make_cofactors<K>(cofactors, f);                                                          \
        const Residues where = {residues, stride, pieces, length, step};                          \
        for (u64 i = (u64)blockIdx.x * POLY_BLOCK + threadIdx.x; i < n;                           \
             i += (u64)gridDim.x * POLY_BLOCK) {                                                  \
            Word c = from + i < count ? coefficient<K>(where, from + i, cofactors, f) : 0;        \
            c = base ? f.neg(c) : c;                                                              \
            for (u64 at = i; at < len; at += fold) c = f.add(c, (Word)base[at]);                  \
            out[i] = c;                                                                           \
        }                                                                                         \
    }
RELEASE(2)
RELEASE(3)
RELEASE(4)
#if POLY_BITS == 64
RELEASE(5)
RELEASE(6)
#endif
