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
    u32 inverse; // 1/p modulo 2^32
    u32 one;     // 2^32 mod p
    u32 square;  // 2^64 mod p

    // x·y / 2^32 in [0, p), for x·y < 2^32·p.
    __device__ u32 mul(u32 x, u32 y) const {
        u64 product = (u64)x * y;
        return montgomery_reduce((u32)(product >> 32), (u32)product, p, inverse);
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
    __device__ struct Rows rows_of(u32 x) const;
    __device__ struct Inverse inverse_of(u32 x) const;
    __device__ struct Inverse inverse_from(struct Rows rows, u32 x, i32 shift) const;
    __device__ struct Inverse inverse_by(struct Rows rows, u32 near) const;
};

// Hides the origin of x from the compiler, which would otherwise recompute x in each iteration of a
// loop to save a register.
DEVICE void keep(u32& x) {
#ifndef BEZOUT_EXECUTOR
    asm volatile("" : "+r"(x));
#else
    (void)x;
#endif
}

// The constants of p.
DEVICE Modulus modulus_of(u32 p) {
    Modulus m;
    m.p = p;
    m.inverse = inverse_modulo_r(p);
    m.one = (0u - p) % p;
    m.square = (u32)((u64)m.one * m.one % p);
    keep(m.inverse);
    keep(m.square);
    return m;
}

// One step of Euclid's algorithm on floats: a −= k·b for k the integer nearest to a/b, about, and
// the same to the rows' cofactors.
// |a/b| <= 2^22, so that adding 1.5·2^23 rounds to an integer.
struct Euclid {
    float r, s, t;

    __device__ __forceinline__ void take(const Euclid& b) {
        const float ROUND = 12582912.0f;
        float k = __fadd_rn(ROUND, -__fmaf_rn(r, approximate_reciprocal(b.r), ROUND));
        r = __fmaf_rn(k, b.r, r);
        s = __fmaf_rn(k, b.s, s);
        t = __fmaf_rn(k, b.t, t);
    }
};

// Two rows in a row of Euclid's algorithm on p and a symmetric residue.
struct Rows {
    Euclid a, b;
};

// An inverse on its way: the third part of inv, from two rows whose cofactors are relative to y and
// next_y.
struct Inverse {
    Rows rows;
    i32 y;
    i64 next_y;

    __device__ __forceinline__ bool is_known() const { return fabsf(rows.b.r) <= 1.0f; }
    // Two steps.
    __device__ __forceinline__ void advance() {
        rows.a.take(rows.b);
        rows.b.take(rows.a);
    }
    // It in [0, p), once it is known.
    __device__ __forceinline__ u32 value(u32 p) const {
        Euclid b = rows.b.r == 0.0f ? rows.a : rows.b;
        i64 inverse = (i64)(i32)b.s * y + (i64)(i32)b.t * next_y;
        if (b.r < 0.0f) inverse = -inverse;
        return (u32)(inverse < 0 ? inverse + p : inverse);
    }
};

// 1/x mod p in [0, p), for 0 < x < p coprime to p, by Euclid's algorithm with rounded quotients:
// 2.47 bits a step.
//
// Rows keep r ≡ y·x modulo p. Any integer quotient keeps that and the rows' determinant ±p, so
// quotients may be approximate; they are at most 2^-21 of themselves off, so |a − k·b| <= (1/2 +
// |k|·2^-21)·|b|.
//
// 1. While |b| >= FAR, on floats near the true remainders p·t + x·s. The cofactors are exact: |s|
//    <= (4/3)·2^32/FAR < 2^11, |t| half of that. The remainders are off by at most 2^7·|t| +
//    2^6·|s| for p and x themselves, and by as much again for the roundings on the way (a remainder
//    of ulp 2^-23·p/|s| counts |s'/s|-fold in the end): by less than 2^19 < 2^22 − FAR. So |b| <
//    2^22.
// 2. One step on words, b by its true value and the quotient of any size.
// 3. On floats that hold all exactly, from |b| < 2^22 and |rest| <= 2^21 + 2^10 on, with cofactors
//    relative to those two. Two steps between tests: the second may find |a| = 1 and make b = 0. b
//    is not 0 before, as the rows are coprime.
//
// |y| < p at the end, for y·a − (old y)·b = ±p gives |y| <= (p + |old y|)/|a| with |a| >= 2, and so
// on back. (Weber–Brew section 3.2 has truncated quotients, which take more steps.)
__device__ __forceinline__ u32 Modulus::inv(u32 x) const {
    Inverse inverse = inverse_of(x);
    while (!inverse.is_known()) inverse.advance();
    return inverse.value(p);
}

// The first two parts of inv.
__device__ __forceinline__ Inverse Modulus::inverse_of(u32 x) const {
    i32 near = symmetric(x);
    return inverse_by(Rows{{(float)p, 0.0f, 1.0f}, {(float)near, 1.0f, 0.0f}}, (u32)near);
}

// The rows of x while |b| >= 2^26: two or three steps that inverse_from for a number near x need
// not make.
__device__ __forceinline__ Rows Modulus::rows_of(u32 x) const {
    const float EARLY = 67108864.0f;
    Euclid a{(float)p, 0.0f, 1.0f}, b{(float)symmetric(x), 1.0f, 0.0f};
    while (fabsf(b.r) >= EARLY) {
        a.take(b);
        if (fabsf(a.r) < EARLY) return Rows{b, a};
        b.take(a);
    }
    return Rows{a, b};
}

// The first two parts of 1/(x − shift) for the rows of x, where x − shift is not 0 modulo p and
// |shift| < 2^19.
//
// The rows have |s| <= (4/3)·2^32/2^26 < 86, and a has at most two thirds of that, so that b
// changes by less than 2^25.5 and a by less than 2^25: a stays above FAR. They keep their
// determinant ±p, so the next row c has |c.s| <= p/|b| + 43, and from there on the product of a
// cofactor with the remainder before it tends to (4/3)·p as ever: |s| < 2100 and |t| < 1050 at the
// end of inv's part 1, and the remainders there are off by less than 2·(2^7·1050 + 2^6·2100) < 2^22
// − FAR.
__device__ __forceinline__ Inverse Modulus::inverse_from(Rows rows, u32 x, i32 shift) const {
    rows.a.r = __fmaf_rn(-(float)shift, rows.a.s, rows.a.r);
    rows.b.r = __fmaf_rn(-(float)shift, rows.b.s, rows.b.r);
    return inverse_by(rows, (u32)symmetric(x) - (u32)shift);
}

// The first two parts of inv from these rows on, for a number that is `near` modulo 2^32, symmetric
// modulo p or almost. A row of 2^30 or more may exceed a word with its sign, and its float is near
// enough.
__device__ __forceinline__ Inverse Modulus::inverse_by(Rows rows, u32 near) const {
    const float FAR = 3500000.0f, LARGE = 1073741824.0f;
    Euclid a = rows.a, b = rows.b;
    while (fabsf(b.r) >= FAR) {
        a.take(b);
        if (fabsf(a.r) < FAR) {
            Euclid c = a;
            a = b, b = c;
            break;
        }
        b.take(a);
    }
    // The true remainders: b's fits a word with its sign; a's does too unless it is large.
    i32 y = (i32)b.s, old_y = (i32)a.s;
    i32 rest = (i32)((u32)y * near + (u32)(i32)b.t * p);
    Euclid last{(float)rest, 1.0f, 0.0f};
    if (rest == 1 || rest == -1) return Inverse{{a, last}, y, 0};
    u32 old = (u32)old_y * near + (u32)(i32)a.t * p;
    i32 k = __float2int_rn(
        __fmul_rn(fabsf(a.r) >= LARGE ? a.r : (float)(i32)old, approximate_reciprocal(last.r)));
    Euclid next{(float)(i32)(old - (u32)k * (u32)rest), 0.0f, 1.0f};
    return Inverse{{last, next}, y, old_y - (i64)k * y};
}
