// Residues of two numbers modulo many primes of at most 32 bits, or of at most 63.

// Limbs of each number that a block holds in shared memory at a time, and threads of a block.
constexpr u32 TILE = MODP_TILE, BLOCK = MODP_BLOCK;

struct Tiles {
    u64 u[TILE], v[TILE];
};

// (s + word)/2^32 modulo p, for s <= p: z = s + word has 33 bits, and the multiple of p that ends
// like z takes it to a multiple of 2^32 whose high part is carry − hi, above −p.
DEVICE u32 take_word(u32 s, u32 word, const Modulus& m) {
    u32 low = s + word, carry = low < s;
    u32 hi = __umulhi(low * m.inverse, m.p);
    return carry - hi + (hi > carry ? m.p : 0);
}

// out[i] = u mod primes[i] and out[count + i] = v mod primes[i], for u and v >= 0 of n_u and n_v
// limbs. Words are taken from the low end, one Montgomery step each, which leaves the numbers over
// 2^(32·words); a power of 2^32 sets that right.
//
// One thread for each modulus, blocks of BLOCK threads, no dynamic shared memory.
KERNEL_BOUNDS(BLOCK, 1, modp_residues, u32* out, const u32* primes, u64 count, const u64* u,
              u64 n_u, const u64* v, u64 n_v) {
    SHARED(Tiles, tiles);
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    Modulus m = modulus_of(primes[i < count ? i : 0]);
    u64 n = n_u > n_v ? n_u : n_v;
    u32 x = 0, y = 0;
    for (u64 start = 0; start < n; start += TILE) {
        __syncthreads();
        for (u32 k = threadIdx.x; k < TILE; k += BLOCK) {
            tiles.u[k] = start + k < n_u ? u[start + k] : 0;
            tiles.v[k] = start + k < n_v ? v[start + k] : 0;
        }
        __syncthreads();
        u32 end = n - start < TILE ? (u32)(n - start) : TILE;
#pragma unroll 4
        for (u32 k = 0; k < end; k++) {
            u64 a = tiles.u[k], b = tiles.v[k];
            x = take_word(x, (u32)a, m);
            y = take_word(y, (u32)b, m);
            x = take_word(x, (u32)(a >> 32), m);
            y = take_word(y, (u32)(b >> 32), m);
        }
    }
    if (i >= count) return;
    // 2^(64·n) in Montgomery's form, from that of 2^64, which is mul(2^64, 2^64).
    u32 power = m.one, base = m.mul(m.square, m.square);
    for (u64 k = n; k; k >>= 1) {
        if (k & 1) power = m.mul(power, base);
        base = m.mul(base, base);
    }
    // take_word may leave p itself for 0: a product is below p.
    out[i] = m.mul(x, power);
    out[count + i] = m.mul(y, power);
}

// (s + limb)/2^64 modulo p, for s <= p < 2^63: take_word for limbs.
DEVICE u64 take_limb(u64 s, u64 limb, const WideModulus& m) {
    u64 low = s + limb, carry = low < s;
    u64 hi = __umul64hi(low * m.inverse, m.p);
    return carry - hi + (hi > carry ? m.p : 0);
}

// modp_residues for primes of 63 bits at most, a limb each.
//
// One thread for each modulus, blocks of BLOCK threads, no dynamic shared memory.
KERNEL_BOUNDS(BLOCK, 1, modp_residues_wide, u64* out, const u64* primes, u64 count, const u64* u,
              u64 n_u, const u64* v, u64 n_v) {
    SHARED(Tiles, tiles);
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    WideModulus m = wide_modulus_of(primes[i < count ? i : 0]);
    u64 n = n_u > n_v ? n_u : n_v;
    u64 x = 0, y = 0;
    for (u64 start = 0; start < n; start += TILE) {
        __syncthreads();
        for (u32 k = threadIdx.x; k < TILE; k += BLOCK) {
            tiles.u[k] = start + k < n_u ? u[start + k] : 0;
            tiles.v[k] = start + k < n_v ? v[start + k] : 0;
        }
        __syncthreads();
        u32 end = n - start < TILE ? (u32)(n - start) : TILE;
#pragma unroll 4
        for (u32 k = 0; k < end; k++) {
            x = take_limb(x, tiles.u[k], m);
            y = take_limb(y, tiles.v[k], m);
        }
    }
    if (i >= count) return;
    // 2^(64·n) in Montgomery's form; that of 2^64 is 2^128.
    u64 power = m.one, base = m.square;
    for (u64 k = n; k; k >>= 1) {
        if (k & 1) power = m.mul(power, base);
        base = m.mul(base, base);
    }
    out[i] = m.mul(x, power);
    out[count + i] = m.mul(y, power);
}
