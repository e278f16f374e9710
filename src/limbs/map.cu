// Operations in which every limb of the result depends on a fixed few limbs of the operands: logic,
// shift, fill, one bit.
//
// Bandwidth bound: each lane moves 16 bytes at a time, LINEAR_ITEMS limbs in flight. Operands are
// two's complement and sign-extended past their end. The result never overlaps an operand, except
// for limbs_change_bit.
//
// Grid: any number of blocks of LINEAR_BLOCK threads, which share the tiles in strides. Shared:
// none.

#if !defined(LINEAR_BLOCK) || !defined(LINEAR_ITEMS)
#error "LINEAR_BLOCK and LINEAR_ITEMS come from the tuning"
#endif

constexpr u32 PAIRS = LINEAR_ITEMS / 2;
constexpr u64 TILE = (u64)LINEAR_BLOCK * LINEAR_ITEMS;
static_assert(LINEAR_BLOCK % 32 == 0 && LINEAR_ITEMS % 2 == 0, "whole warps, limbs in pairs");

// Rows of a batch may begin at an odd limb; then limbs are loaded one by one.
static __device__ bool in_pairs(const u64* limbs) { return (u64)limbs % 16 == 0; }

static __device__ u64 sign_of(const u64* limbs, u64 len) {
    return (u64)((i64)limbs[len - 1] >> 63);
}

struct And {
    __device__ u64 operator()(u64 x, u64 y) const { return x & y; }
};
struct Or {
    __device__ u64 operator()(u64 x, u64 y) const { return x | y; }
};
struct Xor {
    __device__ u64 operator()(u64 x, u64 y) const { return x ^ y; }
};

template <class Op>
static __device__ void logic_tiles(u64* __restrict__ out, u64 n, const u64* __restrict__ a,
                                   u64 len_a, const u64* __restrict__ b, u64 len_b, Op op) {
    const u64 common = !in_pairs(a) || !in_pairs(b) ? 0 : len_a < len_b ? len_a : len_b;
    for (u64 base = (u64)blockIdx.x * TILE; base < n; base += (u64)gridDim.x * TILE) {
        const u64 first = base + 2 * threadIdx.x;
        if (base + TILE <= common && base + TILE <= n) {
            ulonglong2 x[PAIRS], y[PAIRS];
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) {
                x[r] = *(const ulonglong2*)(a + first + 2 * LINEAR_BLOCK * r);
                y[r] = *(const ulonglong2*)(b + first + 2 * LINEAR_BLOCK * r);
            }
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++)
                *(ulonglong2*)(out + first + 2 * LINEAR_BLOCK * r) =
                    make_ulonglong2(op(x[r].x, y[r].x), op(x[r].y, y[r].y));
        } else {
            const u64 fill_a = sign_of(a, len_a), fill_b = sign_of(b, len_b);
            for (u64 i = base + threadIdx.x; i < base + TILE && i < n; i += LINEAR_BLOCK)
                out[i] = op(i < len_a ? a[i] : fill_a, i < len_b ? b[i] : fill_b);
        }
    }
}

#define LOGIC_KERNEL(name, Op)                                                                    \
    KERNEL_BOUNDS(LINEAR_BLOCK, 1, name, u64* __restrict__ out, u64 n, const u64* __restrict__ a, \
                  u64 len_a, const u64* __restrict__ b, u64 len_b) {                              \
        logic_tiles(out, n, a, len_a, b, len_b, Op{});                                            \
    }

LOGIC_KERNEL(limbs_and, And)
LOGIC_KERNEL(limbs_or, Or)
LOGIC_KERNEL(limbs_xor, Xor)

// out[0..n) = a ^ flip; with flip = 0, a copy that extends or cuts a.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_flip, u64* __restrict__ out, u64 n, const u64* __restrict__ a,
              u64 len_a, u64 flip) {
    for (u64 base = (u64)blockIdx.x * TILE; base < n; base += (u64)gridDim.x * TILE) {
        const u64 first = base + 2 * threadIdx.x;
        if (base + TILE <= len_a && base + TILE <= n && in_pairs(a)) {
            ulonglong2 x[PAIRS];
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++)
                x[r] = *(const ulonglong2*)(a + first + 2 * LINEAR_BLOCK * r);
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++)
                *(ulonglong2*)(out + first + 2 * LINEAR_BLOCK * r) =
                    make_ulonglong2(x[r].x ^ flip, x[r].y ^ flip);
        } else {
            const u64 fill = sign_of(a, len_a);
            for (u64 i = base + threadIdx.x; i < base + TILE && i < n; i += LINEAR_BLOCK)
                out[i] = (i < len_a ? a[i] : fill) ^ flip;
        }
    }
}

// out[0..count) = pattern, out[count] = top, zero from there to n.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_fill, u64* __restrict__ out, u64 n, u64 pattern, u64 count,
              u64 top) {
    for (u64 base = (u64)blockIdx.x * TILE; base < n; base += (u64)gridDim.x * TILE) {
        const u64 first = base + 2 * threadIdx.x;
        if (base + TILE <= count && base + TILE <= n) {
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++)
                *(ulonglong2*)(out + first + 2 * LINEAR_BLOCK * r) =
                    make_ulonglong2(pattern, pattern);
        } else {
            for (u64 i = base + threadIdx.x; i < base + TILE && i < n; i += LINEAR_BLOCK)
                out[i] = i < count ? pattern : i == count ? top : 0;
        }
    }
}

// out[i] = bits [64(i + offset) + bits, ...+64) of a: zero below a's start, its sign past its end.
// 0 ≤ bits < 64. A right shift by 64q + r is offset = q, bits = r; a left shift by 64q + r is
// offset = −q − 1, bits = 64 − r (r > 0).
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_shift, u64* __restrict__ out, u64 n, const u64* __restrict__ a,
              u64 len_a, i64 offset, u32 bits) {
    const u32 lane = lane_id();
    for (u64 base = (u64)blockIdx.x * TILE; base < n; base += (u64)gridDim.x * TILE) {
        const u64 first = base + 2 * threadIdx.x;
        const i64 from = (i64)base + offset;
        // Inner tiles read only limbs of a: [from − 1, from + TILE + 1].
        if (base + TILE <= n && from >= 1 && (u64)from + TILE + 2 <= len_a) {
            ulonglong2 x[PAIRS];
            // Aligned pairs: with an odd offset each lane loads the pair that starts one limb
            // lower.
            const u32 odd = (u32)(offset & 1);
            const u64* source = a + ((i64)first + offset - odd);
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++)
                x[r] = *(const ulonglong2*)(source + 2 * LINEAR_BLOCK * r);
#pragma unroll
            for (u32 r = 0; r < PAIRS; r++) {
                // Three limbs in a row from this lane's pair and the next lane's; the last lane
                // loads them.
                u64 next_x = __shfl_down_sync(0xffffffffu, x[r].x, 1);
                u64 next_y = odd ? __shfl_down_sync(0xffffffffu, x[r].y, 1) : 0;
                if (lane == 31) {
                    next_x = source[2 * LINEAR_BLOCK * r + 2];
                    if (odd) next_y = source[2 * LINEAR_BLOCK * r + 3];
                }
                u64 w0 = odd ? x[r].y : x[r].x;
                u64 w1 = odd ? next_x : x[r].y;
                u64 w2 = odd ? next_y : next_x;
                if (bits) {
                    w0 = w0 >> bits | w1 << (64 - bits);
                    w1 = w1 >> bits | w2 << (64 - bits);
                }
                *(ulonglong2*)(out + first + 2 * LINEAR_BLOCK * r) = make_ulonglong2(w0, w1);
            }
        } else {
            const u64 fill = sign_of(a, len_a);
            for (u64 i = base + threadIdx.x; i < base + TILE && i < n; i += LINEAR_BLOCK) {
                i64 j = (i64)i + offset;
                u64 w0 = j < 0 ? 0 : (u64)j < len_a ? a[j] : fill;
                u64 w1 = j + 1 < 0 ? 0 : (u64)(j + 1) < len_a ? a[j + 1] : fill;
                out[i] = bits ? w0 >> bits | w1 << (64 - bits) : w0;
            }
        }
    }
}

// Rows of `width` limbs, each shifted by itself and filled with zeros at both ends.
KERNEL_BOUNDS(LINEAR_BLOCK, 1, limbs_shift_rows, u64* __restrict__ out, u64 n,
              const u64* __restrict__ a, u64 width, i64 offset, u32 bits) {
    for (u64 i = (u64)blockIdx.x * LINEAR_BLOCK + threadIdx.x; i < n;
         i += (u64)gridDim.x * LINEAR_BLOCK) {
        const u64 column = i % width;
        const u64* row = a + (i - column);
        i64 j = (i64)column + offset;
        u64 w0 = j < 0 || (u64)j >= width ? 0 : row[j];
        u64 w1 = j + 1 < 0 || (u64)(j + 1) >= width ? 0 : row[j + 1];
        out[i] = bits ? w0 >> bits | w1 << (64 - bits) : w0;
    }
}

// Sets (0), clears (1) or flips (2) bit `index` of each row of `width` limbs. One thread a row.
KERNEL(limbs_change_bit, u64* limbs, u64 rows, u64 width, u64 index, u32 change) {
    const u64 mask = (u64)1 << (index & 63);
    for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (u64)gridDim.x * blockDim.x) {
        u64* limb = limbs + row * width + index / 64;
        *limb = change == 0 ? *limb | mask : change == 1 ? *limb & ~mask : *limb ^ mask;
    }
}
