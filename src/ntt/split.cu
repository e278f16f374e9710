// Products longer than a transform: a polynomial of at most m·N coefficients modulo x^N − c_j, c_j
// = g^(j·N), and back.
//
// Modulo x^N − c_j, coefficient i is Σ_t a[i + t·N]·c_j^t; with x = g^j·y it is that times g^(j·i),
// modulo y^N − 1. So columns (i + t·N, t < m) are multiplied by an m×m matrix and its rows by
// powers of g^i; back, first the powers of g^-i, then the inverse matrix. A thread has two adjacent
// columns in shared memory, which no other thread accesses, and processes four rows of the matrix
// at a time.
//
// Bounds: values and entries are below p < 2^30, so 8 products are below 2^63; the sum is brought
// below 2^63 (its high word below 2p < 2^31) before 8 more are added, so it stays below 2^64.
//
// Block: at most 128 threads. Shared: 8·(m rounded up to 4) bytes a thread.

static_assert(BLOCK >= 128, "threads of a block");

// Powers of g and of 1/g, times 2^32, one prime after another: g^i for i < 2^11, then g^(2^11·i),
// then the same for 1/g.
constexpr u32 TWIST_LOG = 11, TWISTS = 4u << TWIST_LOG;

struct Columns2 {
    Field f;
    u64* cells; // this thread's
    u32 m;
    u32 padded; // to a multiple of 4
    u32 column; // the first of the two

    // Where part t of the columns is kept.
    __device__ u64& cell(u32 t) const { return cells[t * blockDim.x]; }
    __device__ void keep(u32 t, u32 x, u32 y) const { cell(t) = (u64)y << 32 | x; }

    __device__ void powers(u32 (&step)[2], const u64* __restrict__ twists) const {
#pragma unroll
        for (u32 c = 0; c < 2; c++) {
            step[c] =
                f.montgomery((u32)__ldg(twists + (column + c) % (1u << TWIST_LOG)),
                             (u32)__ldg(twists + (1u << TWIST_LOG) + ((column + c) >> TWIST_LOG)));
        }
    }
    __device__ static u64 fold(const Field& f, u64 sum) {
        u32 high = (u32)(sum >> 32);
        high -= __umulhi(high, f.reciprocal) / (1u << 29) * f.p;
        return (u64)high << 32 | (u32)sum;
    }

    // Row `row` to row + 3 of the matrix times the columns' first `filled` parts, padded with zeros
    // to a multiple of 4; in [0, 2p).
    __device__ void rows(u32 (&y)[2][4], const u64* __restrict__ matrix, u32 row,
                         u32 filled) const {
        u64 sum[2][4] = {};
        for (u32 t = 0; t < filled; t += 4) {
            u32 x[2][4];
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                const u64 pair = cell(t + k);
                x[0][k] = (u32)pair;
                x[1][k] = (u32)(pair >> 32);
            }
#pragma unroll
            for (u32 r = 0; r < 4; r++) {
                const ulonglong2 entries =
                    __ldg((const ulonglong2*)(matrix + ((row + r) * padded + t) / 2));
                const u32 entry[4] = {(u32)entries.x, (u32)(entries.x >> 32), (u32)entries.y,
                                      (u32)(entries.y >> 32)};
#pragma unroll
                for (u32 c = 0; c < 2; c++) {
                    if (t % 8 == 0 && t > 0) sum[c][r] = fold(f, sum[c][r]);
#pragma unroll
                    for (u32 k = 0; k < 4; k++) sum[c][r] += (u64)x[c][k] * entry[k];
                }
            }
        }
#pragma unroll
        for (u32 c = 0; c < 2; c++) {
#pragma unroll
            for (u32 r = 0; r < 4; r++) y[c][r] = f.halve(f.from_limb(sum[c][r]));
        }
    }
};

static __device__ Columns2 columns_of(u64* cells, const u64* table, u32 tile, u32 m) {
    Columns2 columns;
    columns.f = load_field(table);
    columns.cells = cells + threadIdx.x;
    columns.m = m;
    columns.padded = (m + 3) / 4 * 4;
    columns.column = 2 * (tile * blockDim.x + threadIdx.x);
    return columns;
}

// A few parts stay in registers, with all loops unrolled.
constexpr u32 FEW = 8;
template <u32 M>
struct FewColumns {
    static constexpr u32 PADDED = (M + 3) / 4 * 4;
    u32 x[2][PADDED];

    __device__ u32 row(const Field& f, const u64* __restrict__ matrix, u32 row, u32 c) const {
        u64 sum = 0; // at most 8 products
#pragma unroll
        for (u32 t = 0; t < PADDED; t += 4) {
            const ulonglong2 entries = __ldg((const ulonglong2*)(matrix + (row * PADDED + t) / 2));
            const u32 entry[4] = {(u32)entries.x, (u32)(entries.x >> 32), (u32)entries.y,
                                  (u32)(entries.y >> 32)};
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                if (t + k < M) sum += (u64)x[c][t + k] * entry[k];
            }
        }
        return f.halve(f.from_limb(sum));
    }
};

template <u32 M>
static __device__ void split_few(const Columns2& columns, u32* out, const u64* limbs, u64 len,
                                 const u64* __restrict__ twist, const u64* __restrict__ matrix,
                                 u32 log_n) {
    const Field f = columns.f;
    FewColumns<M> few;
#pragma unroll
    for (u32 t = 0; t < M; t++) {
        const u64 from = ((u64)t << log_n) + columns.column;
        ulonglong2 pair = make_ulonglong2(0, 0);
        if (from + 1 < len) pair = *(const ulonglong2*)(limbs + from);
        if (from + 1 == len) pair.x = limbs[from];
        few.x[0][t] = f.settle(f.halve(f.from_limb(pair.x)));
        few.x[1][t] = f.settle(f.halve(f.from_limb(pair.y)));
    }
    u32 step[2];
    columns.powers(step, twist);
    u32 weight[2] = {(u32)__ldg(twist), (u32)__ldg(twist)};
#pragma unroll
    for (u32 row = 0; row < M; row++) {
        u32 y[2];
#pragma unroll
        for (u32 c = 0; c < 2; c++) {
            y[c] = f.montgomery(few.row(f, matrix, row, c), weight[c]);
            weight[c] = f.montgomery(weight[c], step[c]);
        }
        *(u64*)(out + ((u64)row << log_n)) = (u64)y[1] << 32 | y[0];
    }
}

template <u32 M>
static __device__ void merge_few(const Columns2& columns, u32* at, const u64* __restrict__ twist,
                                 const u64* __restrict__ matrix, u32 log_n) {
    const Field f = columns.f;
    FewColumns<M> few;
    u32 step[2];
    columns.powers(step, twist);
    u32 weight[2] = {(u32)__ldg(twist), (u32)__ldg(twist)};
#pragma unroll
    for (u32 t = 0; t < M; t++) {
        const u64 pair = *(const u64*)(at + ((u64)t << log_n));
        const u32 value[2] = {(u32)pair, (u32)(pair >> 32)};
#pragma unroll
        for (u32 c = 0; c < 2; c++) {
            few.x[c][t] = f.settle(f.montgomery(value[c], weight[c]));
            weight[c] = f.montgomery(weight[c], step[c]);
        }
    }
#pragma unroll
    for (u32 row = 0; row < M; row++)
        *(u64*)(at + ((u64)row << log_n)) =
            (u64)few.row(f, matrix, row, 1) << 32 | few.row(f, matrix, row, 0);
}

#define WITH_FEW(m, CALL) \
    switch (m) {          \
        case 2:           \
            CALL(2);      \
            return;       \
        case 3:           \
            CALL(3);      \
            return;       \
        case 4:           \
            CALL(4);      \
            return;       \
        case 5:           \
            CALL(5);      \
            return;       \
        case 6:           \
            CALL(6);      \
            return;       \
        case 7:           \
            CALL(7);      \
            return;       \
        case 8:           \
            CALL(8);      \
            return;       \
        default:          \
            break;        \
    }
static_assert(FEW == 8, "as many cases");

// Limbs to residues, for `primes` primes from `prime` on: m·N residues each in [0, 2p), part after
// part; limbs from len on, at most m·N, are
// 0. matrices: two a prime, each padded × padded 32-bit entries times 2^32. Grid: primes × (N /
//    (2·threads)).
KERNEL_BOUNDS(128, 8, ntt_split, u32* to, const u64* limbs, u64 len, const u64* __restrict__ tables,
              const u64* __restrict__ twists, const u64* __restrict__ matrices, u32 prime,
              u32 primes, u32 log_n, u32 m) {
    DYNAMIC_SHARED(u64, cells);
    const u32 which = blockIdx.x % primes;
    const Columns2 columns =
        columns_of(cells, tables + (prime + which) * TABLE, blockIdx.x / primes, m);
    const Field f = columns.f;
    const u64* twist = twists + (prime + which) * TWISTS;
    const u64* matrix = matrices + (u64)(prime + which) * columns.padded * columns.padded;
    u32* out = to + (((u64)which * m) << log_n) + columns.column;
#define SPLIT_FEW(M) split_few<M>(columns, out, limbs, len, twist, matrix, log_n)
    WITH_FEW(m, SPLIT_FEW)
    const u32 filled = (u32)((len + (1u << log_n) - 1) >> log_n);
    for (u32 t = 0; t < filled; t++) {
        const u64 from = ((u64)t << log_n) + columns.column;
        ulonglong2 pair = make_ulonglong2(0, 0);
        if (from + 1 < len) pair = *(const ulonglong2*)(limbs + from);
        if (from + 1 == len) pair.x = limbs[from];
        columns.keep(t, f.settle(f.halve(f.from_limb(pair.x))),
                     f.settle(f.halve(f.from_limb(pair.y))));
    }
    for (u32 t = filled; t % 4 != 0; t++) columns.keep(t, 0, 0);

    u32 step[2];
    columns.powers(step, twist);
    u32 weight[2] = {(u32)__ldg(twist), (u32)__ldg(twist)};
    for (u32 row = 0; row < m; row += 4) {
        u32 y[2][4];
        columns.rows(y, matrix, row, filled);
#pragma unroll
        for (u32 r = 0; r < 4; r++) {
            if (row + r < m) {
                *(u64*)(out + ((u64)(row + r) << log_n)) =
                    (u64)f.montgomery(y[1][r], weight[1]) << 32 | f.montgomery(y[0][r], weight[0]);
            }
#pragma unroll
            for (u32 c = 0; c < 2; c++) weight[c] = f.montgomery(weight[c], step[c]);
        }
    }
}

// Back, in place, from [0, 2p) to [0, 2p): coefficient i + t·N to place i of part t. Grid as above.
KERNEL_BOUNDS(128, 8, ntt_merge, u32* values, const u64* __restrict__ tables,
              const u64* __restrict__ twists, const u64* __restrict__ matrices, u32 prime,
              u32 primes, u32 log_n, u32 m) {
    DYNAMIC_SHARED(u64, cells);
    const u32 which = blockIdx.x % primes;
    const Columns2 columns =
        columns_of(cells, tables + (prime + which) * TABLE, blockIdx.x / primes, m);
    const Field f = columns.f;
    const u64* twist = twists + (prime + which) * TWISTS + TWISTS / 2;
    const u64* matrix =
        matrices + ((u64)(prime + which) * columns.padded + columns.padded / 2) * columns.padded;
    u32* at = values + (((u64)which * m) << log_n) + columns.column;
#define MERGE_FEW(M) merge_few<M>(columns, at, twist, matrix, log_n)
    WITH_FEW(m, MERGE_FEW)
    u32 step[2];
    columns.powers(step, twist);
    u32 weight[2] = {(u32)__ldg(twist), (u32)__ldg(twist)};
    for (u32 j = 0; j < m; j++) {
        const u64 pair = *(const u64*)(at + ((u64)j << log_n));
        columns.keep(j, f.settle(f.montgomery((u32)pair, weight[0])),
                     f.settle(f.montgomery((u32)(pair >> 32), weight[1])));
#pragma unroll
        for (u32 c = 0; c < 2; c++) weight[c] = f.montgomery(weight[c], step[c]);
    }
    for (u32 j = m; j < columns.padded; j++) columns.keep(j, 0, 0);
    for (u32 row = 0; row < m; row += 4) {
        u32 y[2][4];
        columns.rows(y, matrix, row, columns.padded);
#pragma unroll
        for (u32 r = 0; r < 4; r++) {
            if (row + r < m) *(u64*)(at + ((u64)(row + r) << log_n)) = (u64)y[1][r] << 32 | y[0][r];
        }
    }
}
