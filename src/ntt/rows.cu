// The pass over rows: the last levels of both operands, the products, and the same levels back.
//
// A row is S = 2^ROW_LOG adjacent points; a thread holds both operands' values at the same places.
// Block: ROW_THREADS threads, with 16·ROW_THREADS a multiple of S and at most N: one row or
// several. Shared: 16·ROW_THREADS·17/16 cells of 8 bytes.

#if !defined(ROW_LOG) || !defined(ROW_THREADS) || !defined(ROW_KIND)
#error "ROW_LOG, ROW_THREADS and ROW_KIND come from the plan"
#endif

template <u32 COUNT>
struct Rows : Transform<COUNT, ROW_THREADS, ROW_LOG, 0, 4> {};

// The common data of the rows of a block.
struct RowEdges {
    Field f;
    const u64* table;
    u32 log_n;
    u32 first_row;
    u32 first; // the block's first point

    __device__ u32 first_node(u32 block) const { return first_row + block; }

    // z^±low for z = (primitive N-th root of unity)^(the row with its bits reversed), in [0, 2p).
    __device__ u32 weight(GroupIndex place, bool backwards) const {
        const u32 log_rows = log_n - ROW_LOG;
        const u32 reversed = __brev((first_row + place.block) << 1) >> (31 - log_rows);
        u32 power = (reversed * place.low) << (MAX_LOG - log_n);
        if (backwards) power = 0u - power;
        return f.montgomery((u32)__ldg(table + POWERS_HIGH + (power >> 11) % (1u << 11)),
                            (u32)__ldg(table + POWERS_LOW + power % (1u << 11)));
    }
    template <u32 RADIX, u32 COUNT>
    __device__ void multiply(u32 (&x)[COUNT][16], u32 at, u32 w) const {
        const u64 root = f.with_quotient(f.settle(w));
#pragma unroll
        for (u32 j = 0; j < RADIX; j++) {
#pragma unroll
            for (u32 c = 0; c < COUNT; c++) x[c][at + j] = f.shoup(x[c][at + j], root);
        }
    }
};

// Values that go from one direction to the other stay where they are.
template <u32 COUNT>
struct ForwardRows : RowEdges {
    template <u32 RADIX>
    __device__ void weigh(u32 (&x)[COUNT][16], u32 at, GroupIndex place) const {
        multiply<RADIX>(x, at, weight(place, false));
    }
    template <u32 RADIX, u32 DISTANCE>
    __device__ void store(u32 (&)[COUNT][16], u32, GroupIndex) const {}
};
struct ProductRows : ForwardRows<2> {
    const u32* a;
    const u32* b;
    template <u32 RADIX, u32 DISTANCE, u32 FILLED>
    __device__ void load(u32 (&x)[2][16], u32 at, GroupIndex place) const {
#pragma unroll
        for (u32 j = 0; j < RADIX; j++) {
            x[0][at + j] = a[first + place.row + (j << DISTANCE)];
            x[1][at + j] = b[first + place.row + (j << DISTANCE)];
        }
    }
};
struct SquareRows : ForwardRows<1> {
    const u32* a;
    template <u32 RADIX, u32 DISTANCE, u32 FILLED>
    __device__ void load(u32 (&x)[1][16], u32 at, GroupIndex place) const {
#pragma unroll
        for (u32 j = 0; j < RADIX; j++) x[0][at + j] = a[first + place.row + (j << DISTANCE)];
    }
};
// One row that is the whole transform: no weights.
struct LimbRows : RowEdges {
    const u64* a;
    u64 len_a;
    const u64* b;
    u64 len_b;
    template <u32 RADIX, u32 DISTANCE, u32 FILLED>
    __device__ void load(u32 (&x)[2][16], u32 at, GroupIndex place) const {
#pragma unroll
        for (u32 j = 0; j < RADIX; j++) {
            const u32 i = place.row + (j << DISTANCE);
            x[0][at + j] = f.from_limb(i < len_a ? a[i] : 0);
            x[1][at + j] = f.from_limb(i < len_b ? b[i] : 0);
        }
    }
    template <u32 RADIX>
    __device__ void weigh(u32 (&)[2][16], u32, GroupIndex) const {}
    template <u32 RADIX, u32 DISTANCE>
    __device__ void store(u32 (&)[2][16], u32, GroupIndex) const {}
};
struct InverseRows : RowEdges {
    u32* out;
    u32 scale;
    template <u32 RADIX, u32 DISTANCE, u32 FILLED>
    __device__ void load(u32 (&)[1][16], u32, GroupIndex) const {}
    template <u32 RADIX>
    __device__ void weigh(u32 (&x)[1][16], u32 at, GroupIndex place) const {
        multiply<RADIX>(x, at, f.montgomery(weight(place, true), scale));
    }
    template <u32 RADIX, u32 DISTANCE>
    __device__ void store(u32 (&x)[1][16], u32 at, GroupIndex place) const {
#pragma unroll
        for (u32 j = 0; j < RADIX; j++) out[first + place.row + (j << DISTANCE)] = x[0][at + j];
    }
};

static __device__ void start_rows(RowEdges& edges, const u64* table, u32 log_n, u32 tile) {
    edges.f = load_field(table);
    edges.table = table;
    edges.log_n = log_n;
    edges.first = tile * 16 * ROW_THREADS;
    edges.first_row = edges.first >> ROW_LOG;
}

// The levels back, into out; y in [0, 2p).
template <u32 SPECIAL>
static __device__ void rows_back(const RowEdges& rows, u32 (&y)[1][16], u32* out, u32 primes,
                                 u64* cells) {
    InverseRows back;
    (RowEdges&)back = rows;
    back.out = out;
    back.scale = (u32)__ldg(rows.table + SCALES + (primes - 2) * (MAX_LOG + 1) + rows.log_n);
    __syncthreads(); // the cells change their layout, and kept residues their order
    Rows<1>::inverse<SPECIAL>(y, rows.f, rows.table + INVERSE_ROOTS, (u32*)cells, back);
}

// Forward, products, and back into out; a square where there is one operand.
template <u32 SPECIAL, u32 COUNT, class Edges>
static __device__ void rows_and_back(Edges& rows, u32* out, u32 primes, u64* cells) {
    const Field f = rows.f;
    u32 x[COUNT][16];
    Rows<COUNT>::template forward<SPECIAL>(x, f, rows.table + ROOTS,
                                           (typename Rows<COUNT>::Cell*)cells, rows);
    u32 y[1][16];
#pragma unroll
    for (u32 i = 0; i < 16; i++) {
        u32 a = f.halve(x[0][i]);
        y[0][i] = f.montgomery(a, COUNT == 2 ? f.halve(x[COUNT - 1][i]) : a);
    }
    rows_back<SPECIAL>(rows, y, out, primes, cells);
}

// The transform a block works on, as in columns.cu: number `first` + which of all, of which each
// prime has `parts`.
template <class Edges>
static __device__ u32 start_transform(Edges& rows, const u64* tables, u32 first, u32 count,
                                      u32 parts, u32 log_n) {
    const u32 which = blockIdx.x % count;
    start_rows(rows, tables + (first + which) / parts * TABLE, log_n, blockIdx.x / count);
    return which;
}

// The index of a thread's value i in a kept transform, which is stored in the order in which blocks
// read it.
static __device__ u32 kept_index(const RowEdges& rows, u32 i) {
    return rows.first + i * ROW_THREADS + threadIdx.x;
}

#if ROW_KIND == 0
// The rows of `count` transforms from `first` on, of primes of which the coefficients are held in
// `primes`. Grid: count × (N / (16·ROW_THREADS)). Reads a and b, N residues a transform in [0, 4p);
// writes a, in [0, 2p).
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_product, u32* a, const u32* b,
              const u64* __restrict__ tables, u32 first, u32 count, u32 parts, u32 primes,
              u32 log_n) {
    DYNAMIC_SHARED(u64, cells);
    ProductRows rows;
    const u64 at = (u64)start_transform(rows, tables, first, count, parts, log_n) << log_n;
    rows.a = a + at;
    rows.b = b + at;
    rows_and_back<ANY, 2>(rows, a + at, primes, cells);
}
#elif ROW_KIND == 1
// ntt_rows_product for squares, where b is a. Grid: count × (N / (16·ROW_THREADS)). Reads a, N
// residues a transform in [0, 4p); writes a, in [0, 2p).
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_square, u32* a, const u64* __restrict__ tables, u32 first,
              u32 count, u32 parts, u32 primes, u32 log_n) {
    DYNAMIC_SHARED(u64, cells);
    SquareRows rows;
    const u64 at = (u64)start_transform(rows, tables, first, count, parts, log_n) << log_n;
    rows.a = a + at;
    rows_and_back<ANY, 1>(rows, a + at, primes, cells);
}
#elif ROW_KIND == 2
// Whole products of one row: limbs in, residues out. N is S. Grid: primes.
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_one_row, u32* out, const u64* a, u64 len_a, const u64* b,
              u64 len_b, const u64* __restrict__ tables, u32 primes) {
    DYNAMIC_SHARED(u64, cells);
    LimbRows rows;
    start_rows(rows, tables + blockIdx.x * TABLE, ROW_LOG, 0);
    rows.a = a;
    rows.len_a = len_a;
    rows.b = b;
    rows.len_b = len_b;
    rows_and_back<ROOT, 2>(rows, out + ((u64)blockIdx.x << ROW_LOG), primes, cells);
}
#else
// One operand through its rows, forward; x in [0, 4p). Gives the index of its first residue.
static __device__ u64 forward_rows(SquareRows& rows, u32 (&x)[1][16], const u32* a,
                                   const u64* tables, u32 first, u32 count, u32 parts, u32 log_n,
                                   u64* cells) {
    const u64 at = (u64)start_transform(rows, tables, first, count, parts, log_n) << log_n;
    rows.a = a + at;
    Rows<1>::forward<ANY>(x, rows.f, rows.table + ROOTS, (u32*)cells, rows);
    return at;
}
#if ROW_KIND == 3
// The last levels of transforms to keep, in place: from [0, 4p) to [0, 2p). Grid as above.
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_keep, u32* a, const u64* __restrict__ tables, u32 first,
              u32 count, u32 parts, u32 log_n) {
    DYNAMIC_SHARED(u64, cells);
    SquareRows rows;
    u32 x[1][16];
    const u64 at = forward_rows(rows, x, a, tables, first, count, parts, log_n, cells);
    __syncthreads(); // all are read
#pragma unroll
    for (u32 i = 0; i < 16; i++) a[at + kept_index(rows, i)] = rows.f.halve(x[0][i]);
}
#elif ROW_KIND == 4
// Products with kept transforms: transform u is multiplied by transform u / share of `kept`, which
// has all of them. Grid as above.
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_by_kept, u32* a, const u32* kept,
              const u64* __restrict__ tables, u32 first, u32 count, u32 parts, u32 primes,
              u32 log_n, u32 share) {
    DYNAMIC_SHARED(u64, cells);
    SquareRows rows;
    u32 x[1][16];
    const u64 at = forward_rows(rows, x, a, tables, first, count, parts, log_n, cells);
    const u64 other = (u64)((first + blockIdx.x % count) / share) << log_n;
#pragma unroll
    for (u32 i = 0; i < 16; i++)
        x[0][i] = rows.f.montgomery(rows.f.halve(x[0][i]), kept[other + kept_index(rows, i)]);
    rows_back<ANY>(rows, x, a + at, primes, cells);
}
#elif ROW_KIND == 5
// The levels back of the sum of products of kept transforms, into out. list: for each pair the
// addresses of two, all transforms of them. Grid as above.
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_sum, u32* out, const u64* list, u32 pairs,
              const u64* __restrict__ tables, u32 first, u32 count, u32 parts, u32 primes,
              u32 log_n) {
    DYNAMIC_SHARED(u64, cells);
    RowEdges rows;
    const u64 at = (u64)start_transform(rows, tables, first, count, parts, log_n) << log_n;
    const u64 from = at + ((u64)first << log_n);
    u32 y[1][16] = {};
    for (u32 pair = 0; pair < pairs; pair++) {
        const u32* a = (const u32*)__ldg(list + 2 * pair) + from;
        const u32* b = (const u32*)__ldg(list + 2 * pair + 1) + from;
#pragma unroll
        for (u32 i = 0; i < 16; i++) {
            const u32 place = kept_index(rows, i);
            y[0][i] = rows.f.halve(y[0][i] + rows.f.montgomery(a[place], b[place]));
        }
    }
    rows_back<ANY>(rows, y, out + at, primes, cells);
}
#else
// The levels back of products of kept rows, of which each prime has parts_a and parts_b. Row j of
// `parts` is, where there are fewer than of b, a[2j]·b[2j + 1], and with two terms a[2j + 1]·b[2j]
// besides; where there are as many, a[j / 2]·b[j xor 1]; where b has one, a[j]·b[0]. Grid as above.
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_pairs, u32* out, const u32* a, u32 parts_a, const u32* b,
              u32 parts_b, u32 terms, const u64* __restrict__ tables, u32 first, u32 count,
              u32 parts, u32 primes, u32 log_n) {
    DYNAMIC_SHARED(u64, cells);
    RowEdges rows;
    const u64 at = (u64)start_transform(rows, tables, first, count, parts, log_n) << log_n;
    const u32 transform = first + blockIdx.x % count, prime = transform / parts,
              row = transform % parts;
    const bool children = parts == parts_b;
    u32 y[1][16] = {};
    for (u32 term = 0; term < terms; term++) {
        u32 row_a = children ? row / 2 : 2 * row + term,
            row_b = children ? row ^ 1 : 2 * row + 1 - term;
        if (parts_b == 1) {
            row_a = row;
            row_b = 0;
        }
        const u32* from_a = a + ((u64)(prime * parts_a + row_a) << log_n);
        const u32* from_b = b + ((u64)(prime * parts_b + row_b) << log_n);
#pragma unroll
        for (u32 i = 0; i < 16; i++) {
            const u32 place = kept_index(rows, i);
            y[0][i] = rows.f.halve(y[0][i] + rows.f.montgomery(from_a[place], from_b[place]));
        }
    }
    rows_back<ANY>(rows, y, out + at, primes, cells);
}
#endif
#endif
