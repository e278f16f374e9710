// Arithmetic modulo an odd word-size modulus p, 3 <= p < 2^32: the twin of modp/montgomery.rs.

// 1/x to about 22 bits.
DEVICE float approximate_reciprocal(float x) {
#ifdef BEZOUT_EXECUTOR
    return 1.0f / x;
#else
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
}

struct Modulus {
    u32 p;
    u32 inverse;  // 1/p modulo 2^32
    u32 one;      // 2^32 mod p
    u32 square;   // 2^64 mod p

    // x·y / 2^32 in [0, p), for x·y < 2^32·p.
    __device__ u32 mul(u32 x, u32 y) const {
        u64 product = (u64)x * y;
        u32 high = (u32)(product >> 32), multiple = __umulhi((u32)product * inverse, p);
        u32 difference = high - multiple;
        return high < multiple ? difference + p : difference;
    }
    // Both in [0, p), so is the result.
    __device__ u32 add(u32 x, u32 y) const {
        u32 sum = x + y;
        return sum < x || sum >= p ? sum - p : sum;
    }
    __device__ u32 sub(u32 x, u32 y) const { return x < y ? x - y + p : x - y; }
    // x·y mod p for any x and y < p.
    __device__ u32 mul_plain(u32 x, u32 y) const { return mul(mul(x, square), y); }
    // The symmetric residue of x in [0, p), and back.
    __device__ i32 symmetric(u32 x) const { return (i32)(x > p / 2 ? x - p : x); }
    __device__ u32 residue(i32 x) const { return x < 0 ? (u32)x + p : (u32)x; }
    __device__ u32 inv(u32 x) const;
};

// The constants of p.
DEVICE Modulus modulus_of(u32 p) {
    Modulus m;
    m.p = p;
    m.inverse = p;
    for (u32 i = 0; i < 4; i++) m.inverse *= 2u - p * m.inverse;
    m.one = (0u - p) % p;
    m.square = (u32)((u64)m.one * m.one % p);
    return m;
}

// 1/x mod p in [0, p), for 0 < x < p coprime to p, by Euclid's algorithm with rounded quotients.
//
// Rows (r, y) keep r ≡ y·x modulo p. Any integer quotient keeps that and the rows' determinant ±p, so quotients may be
// approximate: a float's, at most 2^-21 of themselves off. That leaves |a − k·b| ≤ (1/2 + |k|·2^-21)·|b|, or something below
// 2^-21·|a| where the quotient is huge and the next step then exchanges the rows. There are two phases: words, and, once both
// remainders are below 2^22, floats, which hold them exactly and need no conversion; there |k| < 2^22 from b >= 2 on, so adding
// 1.5·2^23 rounds it to an integer in the low bits. It ends at |b| = 1, which comes before 0 as the rows are coprime.
//
// Cofactors are kept modulo 2^32 and their signs as floats: |y| < p at the end, for y·a − (old y)·b = ±p gives
// |y| <= (p + |old y|)/|a| with |a| >= 2, and so on back. (Weber–Brew section 3.2 uses the truncated quotient instead.)
__device__ __forceinline__ u32 Modulus::inv(u32 x) const {
    const float ROUND = 12582912.0f;
    const i32 SMALL = 1 << 22;
    // The symmetric residue halves the first remainder and makes it fit a signed word.
    i32 b = symmetric(x);
    float fb = (float)b;
    u32 old_y = 0, y = 1;
    float old_sign = 0.0f, sign = 1.0f;
    if (b != 1 && b != -1) {
        // The first step has p, which may need 32 bits unsigned; the remainder fits a signed word again.
        i32 k = __float2int_rn((float)p * approximate_reciprocal(fb));
        i32 a = b;
        float fa = fb;
        b = (i32)(p - (u32)k * (u32)b);
        old_y = 1;
        y = 0u - (u32)k;
        old_sign = 1.0f;
        sign = -(float)k;
        while ((a >= SMALL || a <= -SMALL || b >= SMALL || b <= -SMALL) && b != 1 && b != -1) {
            fb = (float)b;
            float fk = __fmul_rn(fa, approximate_reciprocal(fb));
            k = __float2int_rn(fk);
            i32 rest = (i32)((u32)a - (u32)k * (u32)b);
            u32 next = old_y - (u32)k * y;
            float next_sign = __fmaf_rn(-(float)k, sign, old_sign);
            a = b, b = rest, fa = fb;
            old_y = y, y = next;
            old_sign = sign, sign = next_sign;
        }
        fa = (float)a;
        fb = (float)b;
        while (fb != 1.0f && fb != -1.0f) {
            float shifted = __fmaf_rn(fa, approximate_reciprocal(fb), ROUND);
            float fk = __fadd_rn(shifted, -ROUND);
            u32 quotient = (u32)__float_as_int(shifted) - 0x4b400000u;
            float rest = __fmaf_rn(-fk, fb, fa);
            u32 next = old_y - quotient * y;
            float next_sign = __fmaf_rn(-fk, sign, old_sign);
            fa = fb, fb = rest;
            old_y = y, y = next;
            old_sign = sign, sign = next_sign;
        }
    }
    // y·x ≡ fb, which is ±1.
    if (fb < 0.0f) {
        y = 0u - y;
        sign = -sign;
    }
    return sign < 0.0f ? y + p : y;
}
