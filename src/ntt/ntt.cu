// Exact transforms modulo word-size primes, whole products in two passes over memory.
//
// A transform of N = 2^log_n points evaluates a polynomial at the N-th roots of unity by repeated
// remainders: x^2L − w² = (x^L − w)(x^L + w), so a butterfly is X + wY, X − wY. The nodes of a level are
// numbered so that node v has the children 2v and 2v + 1; the root w of node v is then roots[v] whatever
// the level, with roots[0] = 1 and roots[v + 2^k] = roots[v]·(a primitive 2^(k+2)-th root of unity) for
// v < 2^k. The values come out in the order of the nodes, products are taken there, and the inverse
// walks back up: nothing is ever reordered (Harvey, "Faster arithmetic for number-theoretic transforms").
//
// Points are an array of R = 2^log_columns rows by S = N / R columns, row-major:
//
//   columns, forward   the first log_columns levels: R points at distance S, several adjacent columns a block;
//                      limbs are reduced modulo the prime while they are read
//   rows               all other levels of both operands, the products, and the same levels back: S adjacent
//                      points; node v of the first pass is row v
//   columns, inverse   the first levels back
//
// In row v every level t would need its own roots[(v << t) + u]. Only the first step uses those; with
// z = roots' value that has z^S = (root of node v), the rest of the weight, z^low, is the same for all values
// of a thread, so it is one product each, and the later steps use the roots of node 0 (Bailey's four-step
// twiddle, half of it absorbed).
//
// Bounds, for primes 2^29 < p < 2^30. Forward values are in [0, 4p), which fits 32 bits; a Shoup product
// by w < p with floor(w·2^32 / p) gives [0, 2p) for any 32-bit factor; X is brought to [0, 2p) first, so
// X + wY and X − wY + 2p are in [0, 4p) again. Backward values are in [0, 2p): X + Y is brought there by one
// conditional subtraction and (X − Y + 2p)·w by Shoup. A Montgomery product of x and y with x·y < 2^32·p is in [0, 2p).
//
// A thread holds 16 values (or 16 pairs: two adjacent columns, or both operands) and does 4 or 3 levels on
// them; between such steps the block exchanges values through shared memory, in place, so one barrier each.
//
// Grids are one-dimensional: prime fastest, so that the blocks which read the same limbs run together.

// Most threads of a block, and blocks that a multiprocessor holds: 64 registers a thread.
constexpr u32 BLOCK = 256, RESIDENT = 4;

// The tables of one prime, 64-bit words.
constexpr u32 PRIME = 0;         // p
constexpr u32 INVERSE = 1;       // 1/p modulo 2^32
constexpr u32 RECIPROCAL = 2;    // floor(2^61 / p)
constexpr u32 SCALES = 3;        // [log_n]: the factor of the inverse of 2^log_n points, times 2^32; one such
                                 // list for 5 primes, one for 6
constexpr u32 MAX_LOG = 22;
constexpr u32 ROOTS = SCALES + 2 * (MAX_LOG + 1) + 3;  // roots[v] | floor(roots[v]·2^32 / p) << 32
constexpr u32 NODES = 1 << 13;
constexpr u32 INVERSE_ROOTS = ROOTS + NODES;           // the same for 1/roots[v]
constexpr u32 POWERS_LOW = INVERSE_ROOTS + NODES;      // z^i, z a primitive 2^22-th root of unity, i < 2^11
constexpr u32 POWERS_HIGH = POWERS_LOW + (1 << 11);    // z^(2^11·i)·2^32
constexpr u32 TABLE = POWERS_HIGH + (1 << 11);
static_assert(ROOTS % 2 == 0 && TABLE % 2 == 0, "roots are loaded in pairs");

struct Field {
    u32 p;
    u32 inverse;
    u32 reciprocal;

    // x·y / 2^32 in [0, 2p), for x·y < 2^32·p.
    __device__ u32 montgomery(u32 x, u32 y) const {
        u64 product = (u64)x * y;
        return (u32)(product >> 32) - __umulhi((u32)product * inverse, p) + p;
    }
    // x·w in [0, 2p) for any x, where root holds w < p and its quotient.
    __device__ u32 shoup(u32 x, u64 root) const {
        return x * (u32)root - __umulhi(x, (u32)(root >> 32)) * p;
    }
    // From [0, 4p) to [0, 2p): the subtraction wraps to something larger where it must not be done.
    __device__ u32 halve(u32 x) const { return min(x, x - 2 * p); }
    // From [0, 2p) to [0, p).
    __device__ u32 settle(u32 x) const { return min(x, x - p); }
    // w with its quotient, for w < p. floor(w·reciprocal / 2^29) is at most 2 below floor(w·2^32 / p): the
    // reciprocal is less than 1 too small and w < 2^30. The remainder then is below 3p < 2^32.
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
    // A limb times 2^-32, in [0, 3p): the high half is brought to [0, 2p), the low half is a multiple of p away
    // from 2^32 times something in (-p, 0].
    __device__ u32 from_limb(u64 limb) const {
        u32 high = (u32)(limb >> 32);
        high -= __umulhi(high, reciprocal) / (1u << 29) * p;
        return high - __umulhi((u32)limb * inverse, p) + p;
    }
};

static __device__ Field load_field(const u64* __restrict__ table) {
    return Field{(u32)__ldg(table + PRIME), (u32)__ldg(table + INVERSE), (u32)__ldg(table + RECIPROCAL)};
}

// Where a group of 2^log_radix values lies: rows `row`, row + 2^(level - log_radix), ... of one column.
// `block` counts blocks of 2^level rows.
struct Place {
    u32 row;
    u32 column;
    u32 block;
    u32 low;
};
static __device__ Place place_of(u32 group, u32 log_width, u32 level, u32 log_radix) {
    u32 rest = group >> log_width;
    u32 distance = level - log_radix;
    u32 low = rest & ((1u << distance) - 1);
    u32 block = rest >> distance;
    return Place{(block << level) + low, group & ((1u << log_width) - 1), block, low};
}

// What is exchanged: one value or two.
template <u32 COUNT> struct Exchange;
template <> struct Exchange<1> {
    typedef u32 Cell;
    static __device__ Cell pack(u32 (&x)[1][16], u32 i) { return x[0][i]; }
    static __device__ void unpack(u32 (&x)[1][16], u32 i, Cell cell) { x[0][i] = cell; }
};
template <> struct Exchange<2> {
    typedef u64 Cell;
    static __device__ Cell pack(u32 (&x)[2][16], u32 i) { return (u64)x[1][i] << 32 | x[0][i]; }
    static __device__ void unpack(u32 (&x)[2][16], u32 i, Cell cell) {
        x[0][i] = (u32)cell;
        x[1][i] = (u32)(cell >> 32);
    }
};

// The shared cell of a row and column. One spare row in 2^PAD keeps lanes that are 8 or 16 rows apart in different banks.
template <u32 PAD> static __device__ u32 cell_of(u32 row, u32 column, u32 log_width) {
    return ((row + (row >> PAD)) << log_width) + column;
}

// The levels of one step on 2^LOG_RADIX values from `at` on, below `node`.
template <u32 LOG_RADIX, u32 COUNT>
static __device__ void forward_radix(u32 (&x)[COUNT][16], u32 at, Field f, const u64* __restrict__ roots, u32 node) {
#pragma unroll
    for (u32 t = 0; t < LOG_RADIX; t++) {
        const u32 half = 1u << (LOG_RADIX - 1 - t);
#pragma unroll
        for (u32 u = 0; u < (1u << t); u++) {
            const u64 root = __ldg(roots + (node << t) + u);
#pragma unroll
            for (u32 j = 0; j < half; j++) {
                const u32 i = at + u * 2 * half + j;
#pragma unroll
                for (u32 c = 0; c < COUNT; c++) {
                    u32 a = f.halve(x[c][i]);
                    u32 b = f.shoup(x[c][i + half], root);
                    x[c][i] = a + b;
                    x[c][i + half] = a - b + 2 * f.p;
                }
            }
        }
    }
}
template <u32 LOG_RADIX, u32 COUNT>
static __device__ void inverse_radix(u32 (&x)[COUNT][16], u32 at, Field f, const u64* __restrict__ roots, u32 node) {
#pragma unroll
    for (u32 t = LOG_RADIX; t-- > 0;) {
        const u32 half = 1u << (LOG_RADIX - 1 - t);
#pragma unroll
        for (u32 u = 0; u < (1u << t); u++) {
            const u64 root = __ldg(roots + (node << t) + u);
#pragma unroll
            for (u32 j = 0; j < half; j++) {
                const u32 i = at + u * 2 * half + j;
#pragma unroll
                for (u32 c = 0; c < COUNT; c++) {
                    u32 a = x[c][i], b = x[c][i + half];
                    x[c][i] = f.halve(a + b);
                    x[c][i + half] = f.shoup(a - b + 2 * f.p, root);
                }
            }
        }
    }
}

// Steps of 4 levels, and as many of 3 as make the rest divisible by 4; those come last in the forward direction.
// log_size is 3, 4 or at least 6.
static __device__ u32 levels_by_three(u32 log_size) { return 3 * ((4 - log_size % 4) % 4); }

// How a block transforms: `threads`·16 cells, as transforms of 2^log_size rows and 2^log_width columns.
struct Shape {
    u32 log_size;
    u32 log_width;
};

template <u32 LOG_RADIX, u32 COUNT, u32 PAD, class Edges>
static __device__ void forward_step(u32 (&x)[COUNT][16], u32 level, Shape shape, Field f, const u64* roots,
                                    typename Exchange<COUNT>::Cell* cells, Edges& edges) {
    typedef Exchange<COUNT> Cells;
    constexpr u32 RADIX = 1u << LOG_RADIX;
    const u32 distance = level - LOG_RADIX;
    const u32 done = shape.log_size - level;
    const bool first = done == 0, last = distance == 0;
#pragma unroll
    for (u32 g = 0; g < 16 / RADIX; g++) {
        const Place place = place_of(threadIdx.x + g * blockDim.x, shape.log_width, level, LOG_RADIX);
        if (first) {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) edges.load(x, g * RADIX + j, place.row + (j << distance), place.column);
        } else {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) {
                u32 cell = cell_of<PAD>(place.row + (j << distance), place.column, shape.log_width);
                Cells::unpack(x, g * RADIX + j, cells[cell]);
            }
        }
        const u32 node = first ? edges.first_node(place.block) : place.block & ((1u << done) - 1);
        forward_radix<LOG_RADIX>(x, g * RADIX, f, roots, node);
        if (first) edges.template weigh<RADIX>(x, g * RADIX, place);
        if (last) {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) edges.store(x, g * RADIX + j, place.row + (j << distance), place.column);
        } else {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) {
                u32 cell = cell_of<PAD>(place.row + (j << distance), place.column, shape.log_width);
                cells[cell] = Cells::pack(x, g * RADIX + j);
            }
        }
    }
    if (!last) __syncthreads();
}

template <u32 COUNT, u32 PAD, class Edges>
static __device__ void forward(u32 (&x)[COUNT][16], Shape shape, Field f, const u64* roots,
                               typename Exchange<COUNT>::Cell* cells, Edges& edges) {
    const u32 threes = levels_by_three(shape.log_size);
    for (u32 level = shape.log_size; level > 0;) {
        if (level > threes) {
            forward_step<4, COUNT, PAD>(x, level, shape, f, roots, cells, edges);
            level -= 4;
        } else {
            forward_step<3, COUNT, PAD>(x, level, shape, f, roots, cells, edges);
            level -= 3;
        }
    }
}

template <u32 LOG_RADIX, u32 COUNT, u32 PAD, class Edges>
static __device__ void inverse_step(u32 (&x)[COUNT][16], u32 level, Shape shape, Field f, const u64* roots,
                                    typename Exchange<COUNT>::Cell* cells, Edges& edges) {
    typedef Exchange<COUNT> Cells;
    constexpr u32 RADIX = 1u << LOG_RADIX;
    const u32 distance = level - LOG_RADIX;
    const u32 left = shape.log_size - level;
    const bool first = distance == 0, last = left == 0;
#pragma unroll
    for (u32 g = 0; g < 16 / RADIX; g++) {
        const Place place = place_of(threadIdx.x + g * blockDim.x, shape.log_width, level, LOG_RADIX);
        if (first) {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) edges.load(x, g * RADIX + j, place.row + (j << distance), place.column);
        } else {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) {
                u32 cell = cell_of<PAD>(place.row + (j << distance), place.column, shape.log_width);
                Cells::unpack(x, g * RADIX + j, cells[cell]);
            }
        }
        const u32 node = last ? edges.first_node(place.block) : place.block & ((1u << left) - 1);
        if (last) edges.template weigh<RADIX>(x, g * RADIX, place);
        inverse_radix<LOG_RADIX>(x, g * RADIX, f, roots, node);
        if (last) {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) edges.store(x, g * RADIX + j, place.row + (j << distance), place.column);
        } else {
#pragma unroll
            for (u32 j = 0; j < RADIX; j++) {
                u32 cell = cell_of<PAD>(place.row + (j << distance), place.column, shape.log_width);
                cells[cell] = Cells::pack(x, g * RADIX + j);
            }
        }
    }
    if (!last) __syncthreads();
}

template <u32 COUNT, u32 PAD, class Edges>
static __device__ void inverse(u32 (&x)[COUNT][16], Shape shape, Field f, const u64* roots,
                               typename Exchange<COUNT>::Cell* cells, Edges& edges) {
    const u32 threes = levels_by_three(shape.log_size);
    for (u32 level = 0; level < shape.log_size;) {
        if (level < threes) {
            level += 3;
            inverse_step<3, COUNT, PAD>(x, level, shape, f, roots, cells, edges);
        } else {
            level += 4;
            inverse_step<4, COUNT, PAD>(x, level, shape, f, roots, cells, edges);
        }
    }
}

constexpr u32 COLUMN_PAD = 3, PAIR_PAD = 4, VALUE_PAD = 4;

// A tile of columns: pairs of adjacent columns, read from limbs or residues, written as residues.
struct ColumnEdges {
    Field f;
    u64 first;       // index of the tile's first point in row 0
    u32 log_columns; // log2 of the distance of rows
    const u64* limbs;
    u64 len;
    u32* residues;

    __device__ u64 index(u32 row, u32 column) const { return first + ((u64)row << log_columns) + 2 * column; }
    __device__ u32 first_node(u32) const { return 0; }
    template <u32 RADIX> __device__ void weigh(u32 (&)[2][16], u32, Place) const {}
    __device__ void store(u32 (&x)[2][16], u32 i, u32 row, u32 column) const {
        *(u64*)(residues + index(row, column)) = (u64)x[1][i] << 32 | x[0][i];
    }
};
struct LimbColumns : ColumnEdges {
    __device__ void load(u32 (&x)[2][16], u32 i, u32 row, u32 column) const {
        u64 at = index(row, column);
        ulonglong2 pair = make_ulonglong2(0, 0);
        if (at + 1 < len) {
            pair = *(const ulonglong2*)(limbs + at);
        } else if (at < len) {
            pair.x = limbs[at];
        }
        x[0][i] = f.from_limb(pair.x);
        x[1][i] = f.from_limb(pair.y);
    }
};
struct ResidueColumns : ColumnEdges {
    __device__ void load(u32 (&x)[2][16], u32 i, u32 row, u32 column) const {
        Exchange<2>::unpack(x, i, *(const u64*)(residues + index(row, column)));
    }
};

// The first pass of both operands (of one, where b is null) for `primes` primes from `prime` on.
// Block: threads with 16·threads a multiple of R, at most 8·N. Grid: primes × operands × (N / (32·threads)), in
// this order. Shared: 16·threads·9/8 cells of 8 bytes. Writes to_a and to_b, N residues a prime, in [0, 4p).
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_columns_forward, u32* to_a, u32* to_b, const u64* a, u64 len_a,
              const u64* b, u64 len_b, const u64* __restrict__ tables, u32 prime, u32 primes, u32 operands,
              u32 log_n, u32 log_rows) {
    DYNAMIC_SHARED(u64, cells);
    const u32 which = blockIdx.x % primes;
    const u32 operand = blockIdx.x / primes % operands;
    const u32 tile = blockIdx.x / (primes * operands);
    const u64* table = tables + (u64)(prime + which) * TABLE;
    const u32 log_width = 31 - __clz(16 * blockDim.x) - log_rows;
    LimbColumns edges;
    edges.f = load_field(table);
    edges.first = (u64)tile << (log_width + 1);
    edges.log_columns = log_n - log_rows;
    edges.limbs = operand ? b : a;
    edges.len = operand ? len_b : len_a;
    edges.residues = (operand ? to_b : to_a) + ((u64)which << log_n);
    u32 x[2][16];
    forward<2, COLUMN_PAD>(x, Shape{log_rows, log_width}, edges.f, table + ROOTS, cells, edges);
}

// The last pass, in place, from [0, 2p) to [0, 2p). Grid: primes × (N / (32·threads)); the rest as above.
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_columns_inverse, u32* values, const u64* __restrict__ tables, u32 prime,
              u32 primes, u32 log_n, u32 log_rows) {
    DYNAMIC_SHARED(u64, cells);
    const u32 which = blockIdx.x % primes;
    const u32 tile = blockIdx.x / primes;
    const u64* table = tables + (u64)(prime + which) * TABLE;
    const u32 log_width = 31 - __clz(16 * blockDim.x) - log_rows;
    ResidueColumns edges;
    edges.f = load_field(table);
    edges.first = (u64)tile << (log_width + 1);
    edges.log_columns = log_n - log_rows;
    edges.residues = values + ((u64)which << log_n);
    u32 x[2][16];
    inverse<2, COLUMN_PAD>(x, Shape{log_rows, log_width}, edges.f, table + INVERSE_ROOTS, cells, edges);
}

// Rows of both operands, or of one. `first_row` is the block's first row, `first` its first point.
template <u32 COUNT> struct RowEdges {
    Field f;
    const u64* table;
    u32 log_n;
    u32 log_rows;
    u32 first_row;
    u64 first;
    u64 scale;       // of the inverse direction, times 2^32
    bool backwards;

    __device__ u32 first_node(u32 block) const { return first_row + block; }
    // z^low for the row's z = (primitive N-th root)^(row, its bits reversed), or scale / z^low.
    template <u32 RADIX> __device__ void weigh(u32 (&x)[COUNT][16], u32 at, Place place) const {
        if (log_rows == 0 && !backwards) return;
        u32 reversed = log_rows == 0 ? 0 : __brev(first_row + place.block) >> (32 - log_rows);
        u32 power = (reversed * place.low) << (MAX_LOG - log_n);
        if (backwards) power = 0u - power;
        power &= (1u << MAX_LOG) - 1;
        u32 w = f.montgomery((u32)__ldg(table + POWERS_HIGH + (power >> 11)),
                             (u32)__ldg(table + POWERS_LOW + (power & ((1u << 11) - 1))));
        if (backwards) w = f.montgomery(w, (u32)scale);
        const u64 root = f.with_quotient(f.settle(w));
#pragma unroll
        for (u32 j = 0; j < RADIX; j++) {
#pragma unroll
            for (u32 c = 0; c < COUNT; c++) x[c][at + j] = f.shoup(x[c][at + j], root);
        }
    }
};
struct ResidueRows : RowEdges<2> {
    const u32* a;
    const u32* b;
    __device__ void load(u32 (&x)[2][16], u32 i, u32 row, u32) const {
        x[0][i] = a[first + row];
        x[1][i] = b[first + row];
    }
    __device__ void store(u32 (&)[2][16], u32, u32, u32) const {}
};
struct SquareRows : RowEdges<1> {
    const u32* a;
    __device__ void load(u32 (&x)[1][16], u32 i, u32 row, u32) const { x[0][i] = a[first + row]; }
    __device__ void store(u32 (&)[1][16], u32, u32, u32) const {}
};
struct LimbRows : RowEdges<2> {
    const u64* a;
    u64 len_a;
    const u64* b;
    u64 len_b;
    __device__ void load(u32 (&x)[2][16], u32 i, u32 row, u32) const {
        x[0][i] = f.from_limb(row < len_a ? a[row] : 0);
        x[1][i] = f.from_limb(row < len_b ? b[row] : 0);
    }
    __device__ void store(u32 (&)[2][16], u32, u32, u32) const {}
};
// The products on their way back: already in registers, written as residues.
struct ProductRows : RowEdges<1> {
    u32* out;
    __device__ void load(u32 (&)[1][16], u32, u32, u32) const {}
    __device__ void store(u32 (&x)[1][16], u32 i, u32 row, u32) const { out[first + row] = x[0][i]; }
};

template <u32 COUNT> static __device__ void start_rows(RowEdges<COUNT>& edges, const u64* table, u32 log_n, u32 log_rows,
                                                       u32 tile, u32 primes) {
    edges.f = load_field(table);
    edges.table = table;
    edges.log_n = log_n;
    edges.log_rows = log_rows;
    edges.first = (u64)tile * 16 * blockDim.x;
    edges.first_row = (u32)(edges.first >> (log_n - log_rows));
    edges.scale = __ldg(table + SCALES + (primes - 5) * (MAX_LOG + 1) + log_n);
}

// Forward over the rows, products, and back; a square where the rows are of one operand.
template <u32 COUNT, class Rows>
static __device__ void rows_and_back(Rows& rows, u32* out, u64* cells) {
    const Shape shape = {rows.log_n - rows.log_rows, 0};
    const u64* table = rows.table;
    u32 x[COUNT][16];
    rows.backwards = false;
    forward<COUNT, COUNT == 2 ? PAIR_PAD : VALUE_PAD>(x, shape, rows.f, table + ROOTS,
                                                      (typename Exchange<COUNT>::Cell*)cells, rows);
    ProductRows back;
    back.f = rows.f;
    back.table = table;
    back.log_n = rows.log_n;
    back.log_rows = rows.log_rows;
    back.first = rows.first;
    back.first_row = rows.first_row;
    back.scale = rows.scale;
    back.backwards = true;
    back.out = out;
    u32 y[1][16];
#pragma unroll
    for (u32 i = 0; i < 16; i++) {
        u32 a = rows.f.halve(x[0][i]);
        y[0][i] = rows.f.montgomery(a, COUNT == 2 ? rows.f.halve(x[COUNT - 1][i]) : a);
    }
    __syncthreads(); // the cells change their layout
    inverse<1, VALUE_PAD>(y, shape, rows.f, table + INVERSE_ROOTS, (u32*)cells, back);
}

// The rows of `count` primes from `prime` on, of the `primes` that the coefficients are held in.
// Block: threads with 16·threads a multiple of S, at most N. Grid: count × (N / (16·threads)). Shared:
// 16·threads·17/16 cells of 8 bytes. Reads a and b, N residues a prime in [0, 4p); writes a, in [0, 2p).
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_product, u32* a, const u32* b, const u64* __restrict__ tables,
              u32 prime, u32 count, u32 primes, u32 log_n, u32 log_rows) {
    DYNAMIC_SHARED(u64, cells);
    const u32 which = blockIdx.x % count;
    ResidueRows rows;
    start_rows(rows, tables + (u64)(prime + which) * TABLE, log_n, log_rows, blockIdx.x / count, primes);
    rows.a = a + ((u64)which << log_n);
    rows.b = b + ((u64)which << log_n);
    rows_and_back<2>(rows, a + ((u64)which << log_n), cells);
}

KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_rows_square, u32* a, const u64* __restrict__ tables, u32 prime,
              u32 count, u32 primes, u32 log_n, u32 log_rows) {
    DYNAMIC_SHARED(u64, cells);
    const u32 which = blockIdx.x % count;
    SquareRows rows;
    start_rows(rows, tables + (u64)(prime + which) * TABLE, log_n, log_rows, blockIdx.x / count, primes);
    rows.a = a + ((u64)which << log_n);
    rows_and_back<1>(rows, a + ((u64)which << log_n), cells);
}

// Whole products of one row: limbs in, residues out. Block: N / 16 threads. Grid: primes. Shared: as for the rows.
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_one_row, u32* out, const u64* a, u64 len_a, const u64* b, u64 len_b,
              const u64* __restrict__ tables, u32 primes, u32 log_n) {
    DYNAMIC_SHARED(u64, cells);
    LimbRows rows;
    start_rows(rows, tables + (u64)blockIdx.x * TABLE, log_n, 0, 0, primes);
    rows.a = a;
    rows.len_a = len_a;
    rows.b = b;
    rows.len_b = len_b;
    rows_and_back<2>(rows, out + ((u64)blockIdx.x << log_n), cells);
}
