// The common part of both radix sorts: the types of keys and values, and the order of keys as an
// order of unsigned words.
//
// The kernels sort words. A key is converted to a word when it is first read, and back when it is
// last written. The word of an unsigned key is the key. The word of a signed key has the sign bit
// flipped. The word of a floating-point key has all bits flipped if the key is negative, and else
// the sign bit, which gives the order of totalOrder in IEEE 754: -NaN < -inf < ... < -0.0 < +0.0 <
// ... < +inf < +NaN. A descending sort flips all bits once more. All of this is word = key ^
// (sign(key) & spread) ^ flip.

#if !defined(SORT_KEY_BYTES) || !defined(SORT_VALUE_BYTES) || !defined(SORT_BITS) || \
    !defined(SORT_THREADS)
#error \
    "SORT_KEY_BYTES, SORT_VALUE_BYTES (0 for none), SORT_BITS and SORT_THREADS are set by the launcher"
#endif

template <u32 BYTES>
struct Unsigned;
template <>
struct Unsigned<0> {
    typedef u32 Type;
}; // never moved
template <>
struct Unsigned<4> {
    typedef u32 Type;
};
template <>
struct Unsigned<8> {
    typedef u64 Type;
};
typedef Unsigned<SORT_KEY_BYTES>::Type Key;
typedef Unsigned<SORT_VALUE_BYTES>::Type Value;

constexpr bool VALUES = SORT_VALUE_BYTES != 0;
constexpr u32 KEY_BITS = 8 * SORT_KEY_BYTES;
constexpr u32 BINS = 1u << SORT_BITS;
constexpr u32 PASSES = (KEY_BITS + SORT_BITS - 1) / SORT_BITS;
constexpr u32 WARPS = SORT_THREADS / 32;
static_assert(SORT_BITS >= 1 && SORT_BITS <= 8, "digits of 1 to 8 bits");
static_assert(SORT_THREADS % 32 == 0 && WARPS >= 1 && WARPS <= 32,
              "whole warps, whose totals one warp can add");

struct Order {
    Key spread;
    Key flip;

    __device__ Key sign(Key bits) const { return (Key)0 - (bits >> (KEY_BITS - 1)); }
    __device__ Key word(Key key) const { return key ^ (sign(key) & spread) ^ flip; }
    __device__ Key key(Key word) const {
        Key bits = word ^ flip;
        return bits ^ (sign(bits) & spread);
    }
};

// Digit `pass` of a word. The topmost may have fewer bits.
DEVICE u32 digit(Key word, u32 pass) {
    if (SORT_BITS == 8 && SORT_KEY_BYTES == 4) return __byte_perm((u32)word, 0, 0x4440 | pass);
    return (u32)(word >> (pass * SORT_BITS)) & (BINS - 1);
}

// The sum of `value` over the threads before this one in its block; the block's sum in `total`. All
// threads call; `totals` is a word a warp, free again after the block's next barrier.
DEVICE u32 exclusive_sum(u32 value, u32* totals, u32& total) {
    u32 lane = lane_id(), warp = threadIdx.x / 32, sum = value;
    for (u32 d = 1; d < 32; d *= 2) {
        u32 other = __shfl_up_sync(FULL_WARP, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    u32 warps = lane < WARPS ? totals[lane] : 0;
    for (u32 d = 1; d < WARPS; d *= 2) {
        u32 other = __shfl_up_sync(FULL_WARP, warps, d);
        if (lane >= d) warps += other;
    }
    total = __shfl_sync(FULL_WARP, warps, WARPS - 1);
    u32 before = __shfl_sync(FULL_WARP, warps, warp ? warp - 1 : 0);
    return (warp ? before : 0) + sum - value;
}
