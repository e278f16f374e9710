// The passes over columns: the first levels of transforms whose rows do not fit one block, and the
// same levels back.
//
// A tile is R = 2^COLUMN_LOG rows by C = 32·COLUMN_THREADS / R adjacent columns; a thread holds
// pairs of adjacent columns. Block: COLUMN_THREADS threads, at most N / 32 and at least R / 16.
// Shared: 16·COLUMN_THREADS·9/8 cells of 8 bytes. In the grid the prime is fastest, so that the
// blocks which read the same limbs run together.

#if !defined(COLUMN_LOG) || !defined(COLUMN_THREADS)
#error "COLUMN_LOG and COLUMN_THREADS come from the plan"
#endif

static __device__ constexpr u32 log2_of(u32 x) { return x < 2 ? 0 : 1 + log2_of(x / 2); }
constexpr u32 LOG_PAIRS = log2_of(16 * COLUMN_THREADS) - COLUMN_LOG;
typedef Transform<2, COLUMN_THREADS, COLUMN_LOG, LOG_PAIRS, 3> Columns;

// The edges of a tile: points are at `first` + row·2^log_distance + 2·column. Transforms have at
// most 2^22 points, so indices fit 32 bits.
struct ColumnEdges {
    Field f;
    u32 first;
    u32 log_distance;
    u32* residues;

    __device__ u32 index(GroupIndex place) const {
        return first + (place.row << log_distance) + 2 * place.column;
    }
    __device__ u32 first_node(u32) const { return 0; }
    template <u32 RADIX>
    __device__ void weigh(u32 (&)[2][16], u32, GroupIndex) const {}
    template <u32 RADIX, u32 DISTANCE>
    __device__ void store(u32 (&x)[2][16], u32 at, GroupIndex place) const {
        u32 to = index(place);
        const u32 step = 1u << (DISTANCE + log_distance);
#pragma unroll
        for (u32 j = 0; j < RADIX; j++, to += step)
            *(u64*)(residues + to) = Exchange<2>::pack(x, at + j);
    }
};

// Reads limbs; those from `len` on are 0.
struct LimbColumns : ColumnEdges {
    const u64* limbs;
    u32 len;

    template <u32 RADIX, u32 DISTANCE, u32 FILLED>
    __device__ void load(u32 (&x)[2][16], u32 at, GroupIndex place) const {
        u32 from = index(place);
        const u32 step = 1u << (DISTANCE + log_distance);
#pragma unroll
        for (u32 j = 0; j < FILLED; j++, from += step) {
            ulonglong2 pair = make_ulonglong2(0, 0);
            if (from + 1 < len) pair = *(const ulonglong2*)(limbs + from);
            if (from + 1 == len) pair.x = limbs[from];
            x[0][at + j] = f.from_limb(pair.x);
            x[1][at + j] = f.from_limb(pair.y);
        }
#pragma unroll
        for (u32 j = FILLED; j < RADIX; j++) x[0][at + j] = x[1][at + j] = 0;
    }
};

struct ResidueColumns : ColumnEdges {
    template <u32 RADIX, u32 DISTANCE, u32 FILLED>
    __device__ void load(u32 (&x)[2][16], u32 at, GroupIndex place) const {
        u32 from = index(place);
        const u32 step = 1u << (DISTANCE + log_distance);
#pragma unroll
        for (u32 j = 0; j < RADIX; j++, from += step)
            Exchange<2>::unpack(x, at + j, *(const u64*)(residues + from));
    }
};

// Which transform a block works on: number `first` + which of all, of which each prime has `parts`.
struct Work {
    u32 which;
    u32 prime;
    u32 part;
    u32 rest; // of the block's index
};
static __device__ Work work_of(u32 first, u32 count, u32 parts) {
    const u32 which = blockIdx.x % count;
    const u32 transform = first + which;
    return Work{which, transform / parts, transform % parts, blockIdx.x / count};
}

// The first pass of `operands` operands (a, or a and b) for `count` transforms from `first` on.
// Part k of an operand is its `width` limbs from k·step on, or those that it has. Grid: count ×
// operands × (N / (32·COLUMN_THREADS)), in this order. Writes to_a and to_b, N residues a
// transform, in [0, 4p).
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_columns_forward, u32* to_a, u32* to_b, const u64* a, u64 len_a,
              const u64* b, u64 len_b, const u64* __restrict__ tables, u32 first, u32 count,
              u32 operands, u32 log_n, u32 parts, u32 step, u32 width) {
    DYNAMIC_SHARED(u64, cells);
    const Work work = work_of(first, count, parts);
    const bool second = operands == 2 && work.rest % 2 == 1;
    const u32 tile = operands == 2 ? work.rest / 2 : work.rest;
    const u64* table = tables + work.prime * TABLE;
    const u64 before = (u64)work.part * step;
    const u64 len = second ? len_b : len_a;
    LimbColumns edges;
    edges.f = load_field(table);
    edges.first = tile << (LOG_PAIRS + 1);
    edges.log_distance = log_n - COLUMN_LOG;
    edges.limbs = (second ? b : a) + before;
    edges.len = (u32)min(len - before, (u64)width);
    edges.residues = (second ? to_b : to_a) + ((u64)work.which << log_n);
    u32 x[2][16];
    if (edges.len <= 1u << (log_n - 1)) {
        Columns::forward<HALF_ZERO>(x, edges.f, table + ROOTS, cells, edges);
    } else {
        Columns::forward<ROOT>(x, edges.f, table + ROOTS, cells, edges);
    }
}

static __device__ ResidueColumns residue_columns(u32* values, const u64* table, Work work, u32 tile,
                                                 u32 log_n) {
    ResidueColumns edges;
    edges.f = load_field(table);
    edges.first = tile << (LOG_PAIRS + 1);
    edges.log_distance = log_n - COLUMN_LOG;
    edges.residues = values + ((u64)work.which << log_n);
    return edges;
}

// The first pass of `operands` operands (a, or a and b) for `count` transforms from `first` on, on
// residues in [0, 2p), in place. Grid: count × operands × (N / (32·COLUMN_THREADS)), in this order.
// Writes residues in [0, 4p).
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_columns_again, u32* a, u32* b, const u64* __restrict__ tables,
              u32 first, u32 count, u32 operands, u32 log_n, u32 parts) {
    DYNAMIC_SHARED(u64, cells);
    const Work work = work_of(first, count, parts);
    const bool second = operands == 2 && work.rest % 2 == 1;
    const u32 tile = operands == 2 ? work.rest / 2 : work.rest;
    const u64* table = tables + work.prime * TABLE;
    ResidueColumns edges = residue_columns(second ? b : a, table, work, tile, log_n);
    u32 x[2][16];
    Columns::forward<ROOT>(x, edges.f, table + ROOTS, cells, edges);
}

// The last pass, in place, from [0, 2p) to [0, 2p). Grid: count × (N / (32·COLUMN_THREADS)).
KERNEL_BOUNDS(BLOCK, RESIDENT, ntt_columns_inverse, u32* values, const u64* __restrict__ tables,
              u32 first, u32 count, u32 log_n, u32 parts) {
    DYNAMIC_SHARED(u64, cells);
    const Work work = work_of(first, count, parts);
    const u64* table = tables + work.prime * TABLE;
    ResidueColumns edges = residue_columns(values, table, work, work.rest, log_n);
    u32 x[2][16];
    Columns::inverse<ROOT>(x, edges.f, table + INVERSE_ROOTS, cells, edges);
}
