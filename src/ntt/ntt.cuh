// Exact transforms modulo word-size primes, whole products in two passes over memory.
//
// A transform of N = 2^log_n points evaluates a polynomial at the N-th roots of unity by repeated
// remainders: x^2L − w² = (x^L − w)(x^L + w), so a butterfly is X + wY, X − wY. The nodes of a
// level are numbered so that node v has the children 2v and 2v + 1; the root w of node v is then
// roots[v] whatever the level, with roots[0] = 1 and roots[v + 2^k] = roots[v]·(a primitive
// 2^(k+2)-th root of unity) for v < 2^k. The values come out in the order of the nodes, products
// are taken there, and the inverse walks back up: nothing is ever reordered (Harvey, "Faster
// arithmetic for number-theoretic transforms").
//
// Points are an array of R = 2^log_columns rows by S = N / R columns, row-major:
//
//   columns, forward   the first log_columns levels: R points at distance S, several adjacent
//                      columns a block; limbs are reduced modulo the prime while they are read
//   rows               all other levels of both operands, the products, and the same levels back: S
//                      adjacent points; node v of the first pass is row v
//   columns, inverse   the first levels back
//
// In row v every level t would need its own roots[(v << t) + u]. Only the first step uses those;
// with z = roots' value that has z^S = (root of node v), the rest of the weight, z^low, is the same
// for all values of a thread, so it is one product each, and the later steps use the roots of node
// 0 (Bailey's four-step twiddle, half of it absorbed).
//
// Bounds, for primes 2^29 < p < 2^30. Forward values are in [0, 4p), which fits 32 bits; a Shoup
// product by w < p with floor(w·2^32 / p) gives [0, 2p) for any 32-bit factor; X is brought to [0,
// 2p) first, so X + wY and X − wY + 2p are in [0, 4p) again. Backward values are in [0, 2p): X + Y
// is brought there by one conditional subtraction and (X − Y + 2p)·w by Shoup. A Montgomery product
// of x and y with x·y < 2^32·p is in [0, 2p).
//
// A thread holds 16 values (or 16 pairs: two adjacent columns, or both operands) and does 4 or 3
// levels on them; between such steps the block exchanges values through shared memory, in place, so
// one barrier each.
//
// All shapes are compile-time constants, so that the places of a thread's values in shared memory
// are one address and sixteen immediate offsets; a module is compiled for each length of a pass
// that is used.

#if !defined(NTT_RESIDENT)
#error "NTT_RESIDENT comes from the tuning"
#endif

// Maximum threads of a block, and the number of blocks of this size that are resident on a
// multiprocessor.
constexpr u32 BLOCK = 256, RESIDENT = NTT_RESIDENT;

// The tables of one prime, 64-bit words.
constexpr u32 PRIME = 0;      // p
constexpr u32 INVERSE = 1;    // 1/p modulo 2^32
constexpr u32 RECIPROCAL = 2; // floor(2^61 / p)
constexpr u32 TWICE =
    3; // 2p and 2^32 − p, loaded so that the compiler keeps them instead of making them again
constexpr u32 MINUS = 4;
constexpr u32 SCALES = 5; // [log_n]: the factor of the inverse of 2^log_n points, times 2^32; one
                          // such list for each number of primes from 2 to 6
constexpr u32 MAX_LOG = 22;
constexpr u32 ROOTS = SCALES + 5 * (MAX_LOG + 1); // roots[v] | floor(roots[v]·2^32 / p) << 32
constexpr u32 NODES = 1 << 13;
constexpr u32 INVERSE_ROOTS = ROOTS + NODES; // the same for 1/roots[v]
constexpr u32 POWERS_LOW =
    INVERSE_ROOTS + NODES; // z^i, z a primitive 2^22-th root of unity, i < 2^11
constexpr u32 POWERS_HIGH = POWERS_LOW + (1 << 11); // z^(2^11·i)·2^32
constexpr u32 TABLE = POWERS_HIGH + (1 << 11);
static_assert(ROOTS % 2 == 0 && TABLE % 2 == 0, "roots are loaded in pairs");

struct Field {
    u32 p;
    u32 inverse;
    u32 reciprocal;
    u32 twice;
    u32 minus;

    // x·y / 2^32 in [0, 2p), for x·y < 2^32·p.
    __device__ u32 montgomery(u32 x, u32 y) const {
        u64 product = (u64)x * y;
        return montgomery_reduce_lazy((u32)(product >> 32), (u32)product, p, inverse);
    }
    // x·w in [0, 2p) for any x, where root holds w < p and its quotient.
    __device__ u32 shoup(u32 x, u64 root) const {
        return x * (u32)root + __umulhi(x, (u32)(root >> 32)) * minus;
    }
    // From [0, 4p) to [0, 2p): the subtraction wraps to something larger where it must not be done.
    __device__ u32 halve(u32 x) const { return min(x, x - twice); }
    // From [0, 2p) to [0, p).
    __device__ u32 settle(u32 x) const { return min(x, x - p); }
    // w with its quotient, for w < p. floor(w·reciprocal / 2^29) is at most 2 below floor(w·2^32 /
    // p): the reciprocal is less than 1 too small and w < 2^30. The remainder then is below 3p <
    // 2^32.
    __device__ u64 with_quotient(u32 w) const {
        u32 quotient = (u32)(((u64)w * reciprocal) >> 29);
        u32 rest = 0u - quotient * p;
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
            if (rest >= p) {
                rest -= p;
                quotient++;
            }
        }
        return (u64)quotient << 32 | w;
    }
    // A limb times 2^-32, in [0, 3p): the high half is brought to [0, 2p), the low half is a
    // multiple of p away from 2^32 times something in (-p, 0].
    __device__ u32 from_limb(u64 limb) const {
        u32 high = (u32)(limb >> 32);
        high -= __umulhi(high, reciprocal) / (1u << 29) * p;
        return montgomery_reduce_lazy(high, (u32)limb, p, inverse);
    }
};

static __device__ Field load_field(const u64* __restrict__ table) {
    return Field{(u32)__ldg(table + PRIME), (u32)__ldg(table + INVERSE),
                 (u32)__ldg(table + RECIPROCAL), (u32)__ldg(table + TWICE),
                 (u32)__ldg(table + MINUS)};
}

// The position of a group of 2^log_radix values: rows `row`, row + 2^(level - log_radix), ... of
// one column. `block` counts blocks of 2^level rows.
struct GroupIndex {
    u32 row;
    u32 column;
    u32 block;
    u32 low;
};
template <u32 LOG_WIDTH, u32 LEVEL, u32 LOG_RADIX>
static __device__ GroupIndex group_index(u32 group) {
    const u32 rest = group >> LOG_WIDTH;
    const u32 low = rest % (1u << (LEVEL - LOG_RADIX));
    const u32 block = rest >> (LEVEL - LOG_RADIX);
    return GroupIndex{(block << LEVEL) + low, group % (1u << LOG_WIDTH), block, low};
}

// The exchanged data: one value or two.
template <u32 COUNT>
struct Exchange;
template <>
struct Exchange<1> {
    typedef u32 Cell;
    static __device__ Cell pack(u32 (&x)[1][16], u32 i) { return x[0][i]; }
    static __device__ void unpack(u32 (&x)[1][16], u32 i, Cell cell) { x[0][i] = cell; }
};
template <>
struct Exchange<2> {
    typedef u64 Cell;
    static __device__ Cell pack(u32 (&x)[2][16], u32 i) { return (u64)x[1][i] << 32 | x[0][i]; }
    static __device__ void unpack(u32 (&x)[2][16], u32 i, Cell cell) {
        x[0][i] = (u32)cell;
        x[1][i] = (u32)(cell >> 32);
    }
};

// roots[(node << t) + u] for u < 2^t.
template <u32 T>
static __device__ void load_roots(u64 (&root)[1u << T], const u64* __restrict__ roots, u32 node) {
    if constexpr (T == 0) {
        root[0] = __ldg(roots + node);
    } else {
        const ulonglong2* pairs = (const ulonglong2*)(roots + (node << T));
#pragma unroll
        for (u32 u = 0; u < (1u << T); u += 2) {
            const ulonglong2 pair = __ldg(pairs + u / 2);
            root[u] = pair.x;
            root[u + 1] = pair.y;
        }
    }
}

// How the values of a first step are known to be special.
constexpr u32 ANY = 0;       // not at all
constexpr u32 ROOT = 1;      // below node 0, whose first root at every level is 1
constexpr u32 HALF_ZERO = 2; // so, and the upper half of the values is 0

// Level T and those after it of one step on 2^LOG_RADIX values from `at` on, below `node`.
template <u32 LOG_RADIX, u32 T, u32 SPECIAL, u32 COUNT>
static __device__ void forward_radix(u32 (&x)[COUNT][16], u32 at, Field f,
                                     const u64* __restrict__ roots, u32 node) {
    if constexpr (T < LOG_RADIX) {
        constexpr u32 HALF = 1u << (LOG_RADIX - 1 - T);
        u64 root[1u << T];
        if constexpr (SPECIAL == ANY || T > 0) load_roots<T>(root, roots, node);
#pragma unroll
        for (u32 u = 0; u < (1u << T); u++) {
#pragma unroll
            for (u32 j = 0; j < HALF; j++) {
                const u32 i = at + u * 2 * HALF + j;
#pragma unroll
                for (u32 c = 0; c < COUNT; c++) {
                    if (SPECIAL == HALF_ZERO && T == 0) {
                        x[c][i + HALF] = x[c][i];
                    } else {
                        u32 a = f.halve(x[c][i]);
                        u32 b = SPECIAL != ANY && u == 0 ? f.halve(x[c][i + HALF])
                                                         : f.shoup(x[c][i + HALF], root[u]);
                        x[c][i] = a + b;
                        x[c][i + HALF] = a - b + f.twice;
                    }
                }
            }
        }
        forward_radix<LOG_RADIX, T + 1, SPECIAL>(x, at, f, roots, node);
    }
}

// Level T and those above it.
template <u32 LOG_RADIX, u32 T, u32 SPECIAL, u32 COUNT>
static __device__ void inverse_radix(u32 (&x)[COUNT][16], u32 at, Field f,
                                     const u64* __restrict__ roots, u32 node) {
    constexpr u32 HALF = 1u << (LOG_RADIX - 1 - T);
    u64 root[1u << T];
    if constexpr (SPECIAL == ANY || T > 0) load_roots<T>(root, roots, node);
#pragma unroll
    for (u32 u = 0; u < (1u << T); u++) {
#pragma unroll
        for (u32 j = 0; j < HALF; j++) {
            const u32 i = at + u * 2 * HALF + j;
#pragma unroll
            for (u32 c = 0; c < COUNT; c++) {
                u32 a = x[c][i], b = x[c][i + HALF];
                u32 difference = a - b + f.twice;
                x[c][i] = f.halve(a + b);
                x[c][i + HALF] =
                    SPECIAL != ANY && u == 0 ? f.halve(difference) : f.shoup(difference, root[u]);
            }
        }
    }
    if constexpr (T > 0) inverse_radix<LOG_RADIX, T - 1, SPECIAL>(x, at, f, roots, node);
}

// How a block of 16·THREADS cells transforms: 2^LOG_SIZE rows by 2^LOG_WIDTH columns, and again
// until all cells are used. Steps are of 4 levels, and as many of 3 as make the rest divisible by
// 4, which come last in the forward direction. One spare row in 2^PAD keeps lanes that are 8 or 16
// rows apart in different banks.
template <u32 COUNT, u32 THREADS, u32 LOG_SIZE, u32 LOG_WIDTH, u32 PAD>
struct Transform {
    static_assert(LOG_SIZE == 3 || LOG_SIZE == 4 || LOG_SIZE >= 6, "sums of 3 and 4");
    static constexpr u32 THREES = 3 * ((4 - LOG_SIZE % 4) % 4);
    typedef Exchange<COUNT> Cells;
    typedef typename Cells::Cell Cell;

    static __device__ constexpr u32 pad(u32 row) { return (row + (row >> PAD)) << LOG_WIDTH; }

    // The rows of a group have the bits of j where the first has zeros, so the padding of a sum is
    // the sum of the paddings.
    template <u32 LOG_RADIX, u32 LEVEL>
    static __device__ void get(u32 (&x)[COUNT][16], u32 at, const Cell* cells, GroupIndex place) {
        const Cell* from = cells + pad(place.row) + place.column;
#pragma unroll
        for (u32 j = 0; j < (1u << LOG_RADIX); j++)
            Cells::unpack(x, at + j, from[pad(j << (LEVEL - LOG_RADIX))]);
    }
    template <u32 LOG_RADIX, u32 LEVEL>
    static __device__ void put(u32 (&x)[COUNT][16], u32 at, Cell* cells, GroupIndex place) {
        Cell* to = cells + pad(place.row) + place.column;
#pragma unroll
        for (u32 j = 0; j < (1u << LOG_RADIX); j++)
            to[pad(j << (LEVEL - LOG_RADIX))] = Cells::pack(x, at + j);
    }

    template <u32 LOG_RADIX, u32 LEVEL, u32 SPECIAL, class Edges>
    static __device__ void forward_step(u32 (&x)[COUNT][16], Field f, const u64* roots, Cell* cells,
                                        Edges& edges) {
        constexpr u32 RADIX = 1u << LOG_RADIX, DISTANCE = LEVEL - LOG_RADIX,
                      DONE = LOG_SIZE - LEVEL;
#pragma unroll
        for (u32 g = 0; g < 16 / RADIX; g++) {
            const GroupIndex place =
                group_index<LOG_WIDTH, LEVEL, LOG_RADIX>(threadIdx.x + g * THREADS);
            if constexpr (DONE == 0) {
                edges.template load<RADIX, DISTANCE, SPECIAL == HALF_ZERO ? RADIX / 2 : RADIX>(
                    x, g * RADIX, place);
                forward_radix<LOG_RADIX, 0, SPECIAL>(x, g * RADIX, f, roots,
                                                     edges.first_node(place.block));
                edges.template weigh<RADIX>(x, g * RADIX, place);
            } else {
                get<LOG_RADIX, LEVEL>(x, g * RADIX, cells, place);
                forward_radix<LOG_RADIX, 0, ANY>(x, g * RADIX, f, roots,
                                                 place.block % (1u << DONE));
            }
            if constexpr (DISTANCE == 0) {
                edges.template store<RADIX, DISTANCE>(x, g * RADIX, place);
            } else {
                put<LOG_RADIX, LEVEL>(x, g * RADIX, cells, place);
            }
        }
        if constexpr (DISTANCE != 0) __syncthreads();
    }
    template <u32 SPECIAL, u32 LEVEL = LOG_SIZE, class Edges>
    static __device__ void forward(u32 (&x)[COUNT][16], Field f, const u64* roots, Cell* cells,
                                   Edges& edges) {
        if constexpr (LEVEL > 0) {
            constexpr u32 STEP = LEVEL > THREES ? 4 : 3;
            forward_step<STEP, LEVEL, SPECIAL>(x, f, roots, cells, edges);
            forward<SPECIAL, LEVEL - STEP>(x, f, roots, cells, edges);
        }
    }

    template <u32 LOG_RADIX, u32 LEVEL, u32 SPECIAL, class Edges>
    static __device__ void inverse_step(u32 (&x)[COUNT][16], Field f, const u64* roots, Cell* cells,
                                        Edges& edges) {
        constexpr u32 RADIX = 1u << LOG_RADIX, DISTANCE = LEVEL - LOG_RADIX,
                      LEFT = LOG_SIZE - LEVEL;
#pragma unroll
        for (u32 g = 0; g < 16 / RADIX; g++) {
            const GroupIndex place =
                group_index<LOG_WIDTH, LEVEL, LOG_RADIX>(threadIdx.x + g * THREADS);
            if constexpr (DISTANCE == 0) {
                edges.template load<RADIX, DISTANCE, RADIX>(x, g * RADIX, place);
            } else {
                get<LOG_RADIX, LEVEL>(x, g * RADIX, cells, place);
            }
            if constexpr (LEFT == 0) {
                edges.template weigh<RADIX>(x, g * RADIX, place);
                inverse_radix<LOG_RADIX, LOG_RADIX - 1, SPECIAL>(x, g * RADIX, f, roots,
                                                                 edges.first_node(place.block));
                edges.template store<RADIX, DISTANCE>(x, g * RADIX, place);
            } else {
                inverse_radix<LOG_RADIX, LOG_RADIX - 1, ANY>(x, g * RADIX, f, roots,
                                                             place.block % (1u << LEFT));
                put<LOG_RADIX, LEVEL>(x, g * RADIX, cells, place);
            }
        }
        if constexpr (LEFT != 0) __syncthreads();
    }
    template <u32 SPECIAL, u32 BELOW = 0, class Edges>
    static __device__ void inverse(u32 (&x)[COUNT][16], Field f, const u64* roots, Cell* cells,
                                   Edges& edges) {
        if constexpr (BELOW < LOG_SIZE) {
            constexpr u32 STEP = BELOW < THREES ? 3 : 4;
            inverse_step<STEP, BELOW + STEP, SPECIAL>(x, f, roots, cells, edges);
            inverse<SPECIAL, BELOW + STEP>(x, f, roots, cells, edges);
        }
    }
};
