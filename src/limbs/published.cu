// Sums, differences and shifts as Liu and Tong published them (sections III.D and III.E), for
// comparison and not for speed. As in their paper, limbs have 32 bits, and a thread processes one
// at a time.
//
// A sum is two launches. The first adds limbs and notes carries in a buffer. In the second every
// thread that finds a carry walks it up until a limb does not pass it on. A limb that made a carry
// is not all ones, so no two walks meet: a limb is changed by one thread at most.
//
// A shift is three: limbs shifted, the bits they lost in a carry buffer, and the sum of both.
//
// Grid: any number of blocks of any size; threads loop. Shared: none. Results overlap no operand.

template <class Body>
static __device__ void each(u64 n, Body body) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) body(i);
}

// Limb i of a sign-extended operand.
static __device__ u32 word_at(const u32* words, u64 len, u64 i) {
    return i < len ? words[i] : (u32)((i32)words[len - 1] >> 31);
}

// out = a ± b limb by limb, modulo 2^32; carries[i] = 1 where limb i carries or borrows.
KERNEL(limbs_published_sums, u32* __restrict__ out, u32* __restrict__ carries, u64 n,
       const u32* __restrict__ a, u64 len_a, const u32* __restrict__ b, u64 len_b, u32 subtract) {
    each(n, [=](u64 i) {
        const u32 x = word_at(a, len_a, i), y = word_at(b, len_b, i);
        const u32 result = subtract ? x - y : x + y;
        out[i] = result;
        carries[i] = subtract ? result > x : result < x;
    });
}

// Walks the carries or borrows of limbs_published_sums up.
KERNEL(limbs_published_carries, u32* out, const u32* __restrict__ carries, u64 n, u32 subtract) {
    each(n, [=](u64 i) {
        if (!carries[i]) return;
        for (u64 j = i + 1; j < n; j++) {
            const u32 limb = out[j];
            out[j] = subtract ? limb - 1 : limb + 1;
            if (limb != (subtract ? 0 : ~0u)) return;
        }
    });
}

// The limbs of a sign-extended operand, each shifted to the left by `bits` < 32 and moved up by
// `words` limbs; carries has the bits that limbs lose, one limb further up.
KERNEL(limbs_published_shift, u32* __restrict__ shifted, u32* __restrict__ carries, u64 n,
       const u32* __restrict__ a, u64 len, u64 words, u32 bits) {
    each(n, [=](u64 i) {
        const u32 x = i < words ? 0 : word_at(a, len, i - words);
        shifted[i] = x << bits;
        if (i == 0) carries[0] = 0;
        if (i + 1 < n) carries[i + 1] = bits ? x >> (32 - bits) : 0;
    });
}
