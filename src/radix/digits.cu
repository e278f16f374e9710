// Fractions to digits: the halves of a node, and the leaves, which give their digits limb by limb.
// `print.rs` has the errors.
//
// Leaves. A fraction of len limbs times radix^chunk carries the next chunk of digits out at the
// top, so each chunk is one pass of a carry through all limbs. The passes follow each other like
// waves: a thread has RADIX_ITEMS limbs in registers, and works on chunk c one tick after the
// thread below it. Within a warp, a shuffle passes the carry to the next lane. From warp to warp,
// the carry goes through a ring in shared memory. In round R, warp w does its ticks 32(R − 2w) ..
// 32(R − 2w) + 31. Lane 0 then needs carries that lane 31 of the warp below computed at most 62
// ticks after the beginning of the same 32, that is within the two previous rounds. The block has
// one barrier per round. Grid: one block per leaf, with RADIX_BLOCK · RADIX_ITEMS ≥ len.

#if !defined(RADIX_BLOCK) || !defined(RADIX_ITEMS)
#error "RADIX_BLOCK and RADIX_ITEMS come from the tuning"
#endif

constexpr u32 WARPS = RADIX_BLOCK / 32;
constexpr u32 CAPACITY = RADIX_BLOCK * RADIX_ITEMS;
// Entries live from the round that writes them to the second one after it.
constexpr u32 RING = 128;
static_assert(RADIX_BLOCK % 32 == 0, "whole warps");

// Bits [64·i + from, 64·i + from + 64) of a number that is zero above its limbs.
static __device__ u64 bits_at(const u64* __restrict__ limbs, u64 len, u64 i, u64 from) {
    const u64 at = i + from / 64;
    const u32 by = from % 64;
    const u64 low = at < len ? limbs[at] : 0;
    const u64 high = by != 0 && at + 1 < len ? limbs[at + 1] : 0;
    return by == 0 ? low : (low >> by) | (high << (64 - by));
}

// lower = the `precision` bits of the product below bit `point`; upper = the fraction shifted down
// by `cut`; change = (1/2 − τ)·scale, rounded down, for τ the leading 64 bits of lower as a
// fraction. Both halves have n limbs, which hold precision + 1 bits.
KERNEL_BOUNDS(RADIX_BLOCK, 1, radix_split, u64* __restrict__ lower, u64* __restrict__ upper,
              u64* __restrict__ change, u64 n, u64 precision, const u64* __restrict__ product,
              u64 product_len, u64 point, const u64* __restrict__ fraction, u64 fraction_len,
              u64 cut, u64 scale) {
    const u64 first = (u64)blockIdx.x * RADIX_BLOCK + threadIdx.x;
    for (u64 i = first; i < n; i += (u64)gridDim.x * RADIX_BLOCK) {
        const u64 left = precision - (64 * i < precision ? 64 * i : precision);
        const u64 mask = left >= 64 ? ~0ull : (1ull << left) - 1;
        lower[i] = bits_at(product, product_len, i, point - precision) & mask;
        upper[i] = bits_at(fraction, fraction_len, i, cut);
    }
    if (first == 0) {
        const u64 tau = bits_at(product, product_len, 0, point - 64), half = 1ull << 63;
        if (tau <= half) {
            change[0] = __umul64hi(half - tau, scale);
        } else {
            const u64 below = tau - half;
            change[0] = 0 - (__umul64hi(below, scale) + (below * scale != 0));
        }
    }
}

// Multiplies the block's number by power once for each of `chunks` chunks, and adds enter(chunk) at
// the bottom. Calls leave(chunk, carry) with the carry out at the top. This thread takes part for
// the first `needed` chunks.
template <class Enter, class Leave>
static __device__ void pass_chunks(u64 (&limbs)[RADIX_ITEMS], u32 chunks, u32 needed, u64 power,
                                   u64 (*rings)[RING], const Enter& enter, const Leave& leave) {
    const u32 lane = lane_id(), warp = threadIdx.x / 32;
    const u32 rounds = (chunks + 31 + 31) / 32 + 2 * (WARPS - 1);
    u64 carry = 0;
    for (u32 round = 0; round < rounds; round++) {
        if (round >= 2 * warp) {
            const u32 base = 32 * (round - 2 * warp);
            const u64 from_below =
                warp == 0 ? enter(base + lane) : rings[warp - 1][(base + lane) % RING];
            for (u32 tick = 0; tick < 32; tick++) {
                const u64 entering = __shfl_sync(~0u, from_below, tick);
                const u64 passed = __shfl_up_sync(~0u, carry, 1);
                carry = lane == 0 ? entering : passed;
                const u32 chunk = base + tick - lane;
                if (chunk < needed) {
#pragma unroll
                    for (u32 j = 0; j < RADIX_ITEMS; j++) {
                        const u64 low = limbs[j] * power, sum = low + carry;
                        carry = __umul64hi(limbs[j], power) + (sum < low);
                        limbs[j] = sum;
                    }
                } else {
                    carry = 0;
                }
                if (lane == 31 && chunk < chunks) {
                    if (warp + 1 < WARPS)
                        rings[warp][chunk % RING] = carry;
                    else
                        leave(chunk, carry);
                }
            }
        }
        __syncthreads();
    }
}

// Rows of `stride` limbs, each a fraction whose point is `shift` bits (0 to 63) below the top of
// its first len limbs; values[chunks·row + c] is chunk c of its digits.
KERNEL_BOUNDS(RADIX_BLOCK, 1, radix_leaves, u64* __restrict__ values, const u64* __restrict__ rows,
              u64 stride, u32 len, u32 shift, u32 chunks, u64 power) {
    typedef u64 Rings[WARPS][RING];
    SHARED(Rings, rings);
    const u64* __restrict__ row = rows + stride * blockIdx.x;

    // The top limb is the last thread's last; below the fraction are zeros.
    u64 limbs[RADIX_ITEMS];
    const i32 lowest = (i32)(threadIdx.x * RADIX_ITEMS) - (i32)(CAPACITY - len);
#pragma unroll
    for (u32 j = 0; j < RADIX_ITEMS; j++) {
        const i32 i = lowest + (i32)j;
        const u64 high = i >= 0 ? row[i] : 0, low = i >= 1 ? row[i - 1] : 0;
        limbs[j] = shift == 0 ? high : (high << shift) | (low >> (64 - shift));
    }
    // r chunks to come need the upper r + 1 limbs: this thread's are not needed from this chunk on.
    const u32 above = (RADIX_BLOCK - 1 - threadIdx.x) * RADIX_ITEMS;
    const u32 needed = above >= chunks + 1 ? 0 : chunks - (above == 0 ? 0 : above - 1);
    const u64 first = (u64)chunks * blockIdx.x;
    pass_chunks(
        limbs, chunks, needed, power, rings, [](u32) -> u64 { return 0; },
        [=](u32 chunk, u64 carry) { values[first + chunk] = carry; });
}

// The way back: rows[CAPACITY limbs, `stride` apart] = the numbers whose chunks of digits, the
// highest first, are values[chunks·row + c]; chunks ≤ CAPACITY, so that nothing is carried out.
KERNEL_BOUNDS(RADIX_BLOCK, 1, radix_numbers, u64* __restrict__ rows, u64 stride,
              const u64* __restrict__ values, u32 chunks, u64 power) {
    typedef u64 Rings[WARPS][RING];
    SHARED(Rings, rings);
    u64 limbs[RADIX_ITEMS] = {};
    const u64* __restrict__ own = values + (u64)chunks * blockIdx.x;
    pass_chunks(
        limbs, chunks, chunks, power, rings,
        [=](u32 chunk) -> u64 { return chunk < chunks ? own[chunk] : 0; }, [](u32, u64) {});
    u64* __restrict__ row = rows + stride * blockIdx.x + threadIdx.x * RADIX_ITEMS;
#pragma unroll
    for (u32 j = 0; j < RADIX_ITEMS; j++) row[j] = limbs[j];
}

// values[c] for the `len` digits of a text from `start` on, `chunks` chunks a row: the first row
// has the last digits, and within a row the highest chunk is the first. A digit is a byte less
// `zero`; before the first digit are zeros.
KERNEL_BOUNDS(RADIX_BLOCK, 1, radix_values, u64* __restrict__ values, u64 count,
              const unsigned char* __restrict__ text, u64 start, u64 len, u32 zero, u32 chunk,
              u32 radix, u32 chunks) {
    for (u64 c = (u64)blockIdx.x * RADIX_BLOCK + threadIdx.x; c < count;
         c += (u64)gridDim.x * RADIX_BLOCK) {
        const u64 below = (c / chunks * chunks + (chunks - 1 - c % chunks)) * chunk;
        const u64 end = len - (below < len ? below : len),
                  first = end - (end < chunk ? end : chunk);
        u64 value = 0;
        for (u64 i = first; i < end; i++) value = value * radix + (text[start + i] - zero);
        values[c] = value;
    }
}

// text[chunk·c .. chunk·(c + 1)) = the digits of values[c], most significant first.
KERNEL_BOUNDS(RADIX_BLOCK, 1, radix_text, unsigned char* __restrict__ text,
              const u64* __restrict__ values, u64 count, u32 chunk, u32 radix) {
    for (u64 c = (u64)blockIdx.x * RADIX_BLOCK + threadIdx.x; c < count;
         c += (u64)gridDim.x * RADIX_BLOCK) {
        u64 value = values[c];
        for (u32 i = chunk; i-- > 0;) {
            const u32 digit = (u32)(value % radix);
            value /= radix;
            text[c * chunk + i] = (unsigned char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        }
    }
}
