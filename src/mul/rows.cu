// Products of short rows, without transforms: one launch computes a whole level of a tree.
//
// Row j of the result is a_j·b_j + c_j·d_j, or a_j·b_j alone: the `out_width` limbs from limb `low`
// on. Higher limbs are dropped. Operand j starts `step` limbs after operand j − 1, so that the even
// and the odd rows of one array can be two operands.
//
// A block computes R rows at a time. In words of 32 bits, column k of a product is the sum of all
// a[i]·b[k − i]. Four neighbouring columns are a group: one thread adds them up, with four words of
// b in registers. Long and short columns are evenly distributed: thread t of a row has groups t and
// G − 1 − t of the row's G groups.
//
// A column has at most 2·2^11 products below 2^64, so it is below 2^76 and has three words. A group
// is a number of 128 bits and an excess below 2^44, which the next group takes. That sum overflows,
// and is then below 2^127 + 2^44, or it is all ones, or neither: it generates a carry, or
// propagates one, or neither, and one addition finds all carries of the block (limbs/carry.cuh).

// Maximum groups of a block, two per thread.
constexpr u32 GROUPS = 2 * ROWS_BLOCK;
static_assert(ROWS_BLOCK % 32 == 0 && ROWS_BLOCK >= 32 && ROWS_BLOCK <= 1024, "whole warps");

// Words of zeros at both ends of b and d, which the first and the last columns read.
constexpr u32 PAD = 3;

// A column: three words.
struct Column {
    u32 w0, w1, w2;
};

// Adds x·y.
DEVICE void add_product(Column& sum, u32 x, u32 y) {
#ifdef BEZOUT_EXECUTOR
    u64 product = (u64)x * y, low = (u64)sum.w1 << 32 | sum.w0;
    low += product;
    sum.w0 = (u32)low;
    sum.w1 = (u32)(low >> 32);
    sum.w2 += low < product;
#else
    asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
        "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
        "addc.u32 %2, %2, 0;"
        : "+r"(sum.w0), "+r"(sum.w1), "+r"(sum.w2)
        : "r"(x), "r"(y));
#endif
}

// Adds columns first to first + 3 of a·b. b has PAD zeros at both ends.
DEVICE void add_columns(Column (&sum)[4], const u32* a, i32 words_a, const u32* b, i32 words_b,
                        i32 first) {
    i32 i = max(0, first - words_b + 1), last = min(first + 3, words_a - 1);
    u32 y1 = b[first - i + 1], y2 = b[first - i + 2], y3 = b[first - i + 3];
#pragma unroll 4
    for (; i <= last; i++) {
        u32 x = a[i], y0 = b[first - i];
        add_product(sum[0], x, y0);
        add_product(sum[1], x, y1);
        add_product(sum[2], x, y2);
        add_product(sum[3], x, y3);
        y3 = y2;
        y2 = y1;
        y1 = y0;
    }
}

// A group of four columns as one number.
struct Group {
    u64 low, high, excess;
};

DEVICE Group group_of(const Column (&v)[4]) {
    u64 t = v[0].w0;
    Group group;
    group.low = (u32)t;
    t = (t >> 32) + v[0].w1 + v[1].w0;
    group.low |= t << 32;
    t = (t >> 32) + v[0].w2 + v[1].w1 + v[2].w0;
    group.high = (u32)t;
    t = (t >> 32) + v[1].w2 + v[2].w1 + v[3].w0;
    group.high |= t << 32;
    group.excess = (t >> 32) + v[2].w2 + v[3].w1 + ((u64)v[3].w2 << 32);
    return group;
}

// Copies a row to shared memory as words, the lower one of a limb first.
DEVICE void load_row(u32* to, const u64* from, u32 width, u32 thread, u32 threads) {
    for (u32 i = thread; i < width; i += threads) {
        u64 limb = from[i];
        to[2 * i] = (u32)limb;
        to[2 * i + 1] = (u32)(limb >> 32);
    }
}

// Blocks of ROWS_BLOCK threads, any number of them. Dynamic shared memory: `rows` times
// 8·(a_width + b_width) + 24 bytes, and as much again where there is c; `rows` is ROWS_BLOCK over
// the threads of a row, which are (low + out_width + 3) / 4. c has the shape of a, and d that of b.
// With `round`, half a unit of limb `low` is added before the limbs below it are cut. Every block
// writes the rows of the result that it takes.
KERNEL_BOUNDS(ROWS_BLOCK, 1, mul_rows, u64* out, u64 out_step, u32 out_width, u32 low, u32 round,
              const u64* a, u64 a_step, u32 a_width, const u64* b, u64 b_step, u32 b_width,
              const u64* c, const u64* d, u64 count) {
    typedef Group Groups[GROUPS];
    SHARED(Groups, groups);
    typedef u32 Bits[GROUPS / 32];
    SHARED(Bits, generates);
    SHARED(Bits, passes_on);
    DYNAMIC_SHARED(u32, words);
    const u32 row_groups = (low + out_width + 1) / 2, row_threads = (row_groups + 1) / 2;
    const u32 rows = ROWS_BLOCK / row_threads, used = rows * row_groups;
    const u32 words_a = 2 * a_width, words_b = 2 * b_width;
    const u32 pair_words = words_a + words_b + 2 * PAD, row_words = (c ? 2 : 1) * pair_words;
    const u32 row = threadIdx.x / row_threads, thread = threadIdx.x % row_threads;
    for (u64 first = (u64)blockIdx.x * rows; first < count; first += (u64)gridDim.x * rows) {
        const u64 j = first + row;
        const bool live = row < rows && j < count;
        u32* x = words + row * row_words;
        u32* y = x + words_a + PAD;
        if (live) {
            load_row(x, a + j * a_step, a_width, thread, row_threads);
            load_row(y, b + j * b_step, b_width, thread, row_threads);
            if (c) {
                load_row(x + pair_words, c + j * a_step, a_width, thread, row_threads);
                load_row(y + pair_words, d + j * b_step, b_width, thread, row_threads);
            }
            for (u32 i = thread; i < 2 * PAD; i += row_threads) {
                u32 at = i < PAD ? i : words_b + i;
                y[(i32)at - (i32)PAD] = 0;
                if (c) y[(i32)(at + pair_words) - (i32)PAD] = 0;
            }
        }
        __syncthreads();
        if (live) {
#pragma unroll 1
            for (u32 half = 0; half < 2; half++) {
                const u32 g = half ? row_groups - 1 - thread : thread;
                if (half && g <= thread) break;
                Column sum[4] = {};
                add_columns(sum, x, words_a, y, words_b, 4 * g);
                if (c) add_columns(sum, x + pair_words, words_a, y + pair_words, words_b, 4 * g);
                groups[row * row_groups + g] = group_of(sum);
            }
        }
        __syncthreads();
        // From here on, thread t has groups t and t + ROWS_BLOCK of the block.
        u64 lows[2], highs[2];
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            const u32 at = threadIdx.x + half * ROWS_BLOCK, g = at % row_groups;
            bool overflows = false, is_full = false;
            if (at < used && first + at / row_groups < count) {
                const Group group = groups[at];
                u64 in = g == 0 ? 0 : groups[at - 1].excess;
                lows[half] = group.low + in;
                u64 carry = lows[half] < in;
                highs[half] = group.high + carry;
                overflows = highs[half] < carry;
                if (round && g == (low - 1) / 2) {
                    // The highest bit of limb low − 1.
                    const u64 bit = 1ull << 63;
                    if (low % 2 == 0) {
                        highs[half] += bit;
                        overflows |= highs[half] < bit;
                    } else {
                        lows[half] += bit;
                        carry = lows[half] < bit;
                        highs[half] += carry;
                        overflows |= highs[half] < carry;
                    }
                }
                is_full = (lows[half] & highs[half]) == ~0ull;
                // Nothing leaves a row.
                if (g == row_groups - 1) overflows = is_full = false;
            }
            const u32 generated = __ballot_sync(FULL_WARP, overflows);
            const u32 passed = __ballot_sync(FULL_WARP, is_full);
            if (lane_id() == 0) {
                generates[at / 32] = generated;
                passes_on[at / 32] = passed;
            }
        }
        __syncthreads();
        u32 carry = 0;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            const u32 at = threadIdx.x + half * ROWS_BLOCK;
            u32 into = 0;
            for (u32 i = half * (ROWS_BLOCK / 32); i < (half + 1) * (ROWS_BLOCK / 32); i++) {
                u32 carries = resolve_carries(generates[i], passes_on[i], carry);
                if (i == at / 32) into = carries >> (at % 32) & 1;
            }
            const u64 row_at = first + at / row_groups;
            if (at < used && row_at < count) {
                const u32 limb = 2 * (at % row_groups);
                u64* to = out + row_at * out_step;
                const u64 value = lows[half] + into;
                const u64 above = highs[half] + (value < into);
                if (limb >= low && limb < low + out_width) to[limb - low] = value;
                if (limb + 1 >= low && limb + 1 < low + out_width) to[limb + 1 - low] = above;
            }
        }
        __syncthreads();
    }
}

// Exchanges the odd rows of u and v: rows 2j + 1, j < pairs, of `width` limbs one after another.
// Any grid.
KERNEL(mul_rows_exchange, u64* u, u64* v, u64 width, u64 pairs) {
    const u64 all = pairs * width, step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        const u64 at = (2 * (i / width) + 1) * width + i % width;
        const u64 kept = u[at];
        u[at] = v[at];
        v[at] = kept;
    }
}
