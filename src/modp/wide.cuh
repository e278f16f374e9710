// Arithmetic modulo an odd modulus p of two 32-bit words, 3 <= p < 2^63: Montgomery's, R = 2^64. A
// source that uses this header has montgomery.cuh and modp.cuh in front of it.

struct WideModulus {
    u64 p;
    u64 inverse; // 1/p modulo 2^64
    u64 one;     // 2^64 mod p
    u64 square;  // 2^128 mod p

    // x·y / 2^64 in [0, p), for x·y < 2^64·p.
    __device__ u64 mul(u64 x, u64 y) const {
        return montgomery_reduce(high_product(x, y), x * y, p, inverse);
    }
    // Both in [0, p), so is the result.
    __device__ u64 add(u64 x, u64 y) const {
        u64 sum = x + y;
        return sum >= p ? sum - p : sum;
    }
    __device__ u64 sub(u64 x, u64 y) const { return x < y ? x - y + p : x - y; }
    // x·y mod p for any x and y < p.
    __device__ u64 mul_plain(u64 x, u64 y) const { return mul(mul(x, square), y); }
    // The symmetric residue of x in [0, p), and back.
    __device__ i64 symmetric(u64 x) const { return (i64)(x > p / 2 ? x - p : x); }
    __device__ u64 residue(i64 x) const { return x < 0 ? (u64)x + p : (u64)x; }
    __device__ u64 inv(u64 x) const;
};

// The constants of p.
DEVICE WideModulus wide_modulus_of(u64 p) {
    WideModulus m;
    m.p = p;
    m.inverse = inverse_modulo_r(p);
    m.one = (0ull - p) % p;
    // 4·R, squared five times: (2^k·R)²/R = 2^(2k)·R.
    u64 x = m.add(m.one, m.one);
    x = m.add(x, x);
#pragma unroll 1
    for (u32 i = 0; i < 5; i++) x = m.mul(x, x);
    m.square = x;
    return m;
}

// 1/x mod p in [0, p), for 0 < x < p coprime to p, by Euclid's algorithm with rounded quotients on
// words with a sign: 2.47 bits a step.
//
// Quotients come from floats and are at most 2^-21 of themselves off: |a − k·b| <= |b|/2 +
// |a|·2^-21. Any integer k keeps the rows' relation r ≡ y·x and their determinant ±p. A quotient of
// 2^15 or more is followed by another for the same row, so a row ends with |a| <= (1/2 + 2^-6)·|b|.
//
// |y·b| <= 1.54·p for the y of a row and the b of the row before: the determinant gives |y·b| <= p
// +
// |(old y)·a|, and by induction that is at most p + 1.54·p·0.516². The row before the last has |b|
// >= 2, so |y| < p at the end, and every y fits a word with its sign.
__device__ __forceinline__ u64 WideModulus::inv(u64 x) const {
    i64 a = (i64)p, b = symmetric(x), old = 0, y = 1;
    while (b > 1 || b < -1) {
        float reciprocal = approximate_reciprocal((float)b);
        i64 k;
        do {
            k = __float2ll_rn(__fmul_rn((float)a, reciprocal));
            a = (i64)((u64)a - (u64)k * (u64)b);
            old = (i64)((u64)old - (u64)k * (u64)y);
        } while (k >= 32768 || k <= -32768);
        i64 rest = a, next = old;
        a = b, b = rest;
        old = y, y = next;
    }
    return residue(b < 0 ? -y : y);
}
