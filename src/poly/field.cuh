// Arithmetic in Z_p for polynomials, p any prime below 2^63, by Montgomery's products. Three kinds
// of one source: POLY_BITS 1 for p = 2, 32 for p < 2^31, 64 otherwise. R is 2^32 or 2^64, or 1 for
// p = 2.
//
// Coefficients in memory are ordinary residues in [0, p), 64 bits each. A product x·y/R of two of
// them is off by the unit 1/R. If results matter only up to a unit (Euclid's algorithm), this is
// not corrected. Otherwise one factor is converted to Montgomery form.

#if !defined(POLY_BITS) || !defined(POLY_BLOCK)
#error "POLY_BITS comes from the modulus, POLY_BLOCK from the tuning"
#endif

#if POLY_BITS == 64
typedef u64 Word;
#else
typedef u32 Word;
#endif

struct Field {
    Word p;
    Word inverse; // 1/p modulo R
    Word square;  // R² mod p

#if POLY_BITS == 1
    __device__ Word mul(Word x, Word y) const { return x & y; }
    __device__ Word add(Word x, Word y) const { return x ^ y; }
    __device__ Word sub(Word x, Word y) const { return x ^ y; }
    __device__ Word enter(Word x) const { return x; }
    __device__ Word one() const { return 1; }
#else
    // (high·R + low)/R in [0, p), for high < p.
    __device__ Word reduce(Word high, Word low) const {
        return montgomery_reduce_short(high, low, p, inverse);
    }
    // x·y/R in [0, p), for x·y < R·p.
    __device__ Word mul(Word x, Word y) const { return reduce(high_product(x, y), x * y); }
    // Both in [0, p), so is the result.
    __device__ Word add(Word x, Word y) const {
        const Word sum = x + y;
        return min(sum, sum - p);
    }
    __device__ Word sub(Word x, Word y) const {
        const Word difference = x - y;
        return min(difference, difference + p);
    }
    // x·R, Montgomery's form of any x below R.
    __device__ Word enter(Word x) const { return mul(x, square); }
    __device__ Word one() const { return enter(1); }
#endif
    __device__ Word neg(Word x) const { return sub(0, x); }
    // 1/x for x ≠ 0 in Montgomery's form, by Fermat's theorem.
    __device__ Word inv(Word x) const {
        Word power = one();
        for (u64 bit = (u64)1 << 62, e = p - 2; bit; bit >>= 1) {
            power = mul(power, power);
            if (e & bit) power = mul(power, x);
        }
        return power;
    }
};

DEVICE Field field_of(u64 p, u64 square) {
    Field f;
    f.p = (Word)p;
    f.square = (Word)square;
    f.inverse = inverse_modulo_r(f.p);
    return f;
}

// A sum of products, held below p·R: a product has a high word below p/2.
struct Sum {
    Word high = 0, low = 0;

    __device__ void add(const Field& f, Word x, Word y) {
#if POLY_BITS == 1
        low ^= x & y;
#elif POLY_BITS == 32
        const u64 sum = ((u64)high << 32 | low) + (u64)x * y;
        low = (u32)sum;
        high = (u32)(sum >> 32);
        high = min(high, high - f.p);
#else
        const u64 product = x * y;
        low += product;
        high += __umul64hi(x, y) + (low < product);
        high = min(high, high - f.p);
#endif
    }
    // The sum divided by R.
    __device__ Word value(const Field& f) const {
#if POLY_BITS == 1
        return low;
#else
        return f.reduce(high, low);
#endif
    }
};

// The degree of x, which is at most `most`; −1 for 0. All lanes of a warp call.
DEVICE i64 degree_of(const u64* x, i64 most) {
    for (; most >= 0; most -= 32) {
        const i64 i = most - lane_id();
        const u32 some = __ballot_sync(FULL_WARP, i >= 0 && x[i] != 0);
        if (some) return most - (__ffs(some) - 1);
    }
    return -1;
}
