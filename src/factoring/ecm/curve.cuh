// Twisted Edwards curves -x² + y² = 1 + d·x²y² modulo n, with d = numerator / denominator, one
// curve per thread: the twin of curve.rs. Points are projective, and no formula divides: Hisil,
// Wong, Carter and Dawson, "Twisted Edwards curves revisited".
//
// With ECM_CALLS = 0 all functions are inlined and numbers stay in registers. With 1 products are
// calls, because inlined products of longer numbers would not fit in the instruction cache and
// would take minutes to compile. With 2 all other functions are calls too.

#if ECM_CALLS == 0
#define PRODUCT DEVICE
#else
#define PRODUCT static __device__ __noinline__
#endif
#if ECM_CALLS < 2
#define STEP DEVICE
#else
#define STEP static __device__ __noinline__
#endif

struct Field {
    Number n;
    u32 n0; // -1/n modulo 2^32
};

// A call loads all its operands before it starts: a load in the middle of a row would separate the
// two halves of a product.
PRODUCT Number mul(const Field& f, const Number& a, const Number& b) {
    Number x = a, y = b, n = f.n;
    return mont_mul(x, y, n, f.n0);
}
#if NUMBER_UNROLL == 0
DEVICE Number sqr(const Field& f, const Number& a) { return mul(f, a, a); }
#else
PRODUCT Number sqr(const Field& f, const Number& a) {
    Number x = a, n = f.n;
    return mont_sqr(x, n, f.n0);
}
#endif
STEP Number add(const Field& f, const Number& a, const Number& b) { return add_mod(a, b, f.n); }
STEP Number sub(const Field& f, const Number& a, const Number& b) { return sub_mod(a, b, f.n); }

// x = X/Z, y = Y/Z, and T = XY/Z if it is used.
struct Point {
    Number x, y, z, t;
};

// A point prepared for additions: Y - X, Y + X, 2·d·T and 2·Z, all times d's denominator.
struct Addend {
    Number minus, plus, t, z;
};

// Doubles x, y and z; the new t is e·h. 3 products and 4 squares.
STEP void twice(const Field& f, Point& p, Number& e, Number& h) {
    Number a = sqr(f, p.x), b = sqr(f, p.y), c = sqr(f, p.z);
    Number s = sqr(f, add(f, p.x, p.y));
    h = add(f, a, b);
    e = sub(f, s, h);
    Number g = sub(f, b, a);
    Number k = sub(f, add(f, c, c), g);
    p.x = mul(f, e, k);
    p.y = mul(f, g, h);
    p.z = mul(f, k, g);
}

// p ± q, without the new t, which is e·h. 7 products.
STEP void plus(const Field& f, Point& p, const Addend& q, bool negative, Number& e, Number& h) {
    Number a = mul(f, sub(f, p.y, p.x), negative ? q.plus : q.minus);
    Number b = mul(f, add(f, p.y, p.x), negative ? q.minus : q.plus);
    Number c = mul(f, p.t, q.t), d = mul(f, p.z, q.z);
    e = sub(f, b, a);
    h = add(f, b, a);
    Number low = sub(f, d, c), high = add(f, d, c);
    const Number& k = negative ? high : low;
    const Number& g = negative ? low : high;
    p.x = mul(f, e, k);
    p.y = mul(f, g, h);
    p.z = mul(f, k, g);
}

STEP Addend addend(const Field& f, const Point& p, const Number& numerator,
                   const Number& denominator) {
    Addend q;
    q.minus = mul(f, sub(f, p.y, p.x), denominator);
    q.plus = mul(f, add(f, p.y, p.x), denominator);
    Number t = mul(f, p.t, numerator), z = mul(f, p.z, denominator);
    q.t = add(f, t, t);
    q.z = add(f, z, z);
    return q;
}

// Computes t of p from x, y and z. All coordinates are scaled by z, so p stays the same point.
STEP void extend(const Field& f, Point& p) {
    p.t = mul(f, p.x, p.y);
    p.x = mul(f, p.x, p.z);
    p.y = mul(f, p.y, p.z);
    p.z = sqr(f, p.z);
}

// ---- Many curves modulo one n, one thread per curve.
//
// Word i of number k of curve c is at base[(k·WORDS + i)·stride + c], so that a warp reads whole
// lines. All grids have stride / ECM_BLOCK blocks of ECM_BLOCK threads, and each thread accesses
// only its own curve. `modulus` is n, R mod n and R² mod n.

// The numbers of a curve that are stored between kernels.
enum { X, Y, Z, T, NUMERATOR, DENOMINATOR, PRODUCT_OF_ALL, COMMON };
static_assert(COMMON + 1 == ECM_STATE && X == ECM_X && PRODUCT_OF_ALL == ECM_PRODUCT,
              "as the host has them");

struct Curve {
    Field f;
    u32* state;
    u64 stride;

    __device__ __forceinline__ Curve(u32* base, u64 count, const u32* modulus, u32 n0) {
        f.n = load_number(modulus);
        f.n0 = n0;
        stride = count;
        state = at(base, 0);
    }
    __device__ __forceinline__ u64 index() const {
        return (u64)blockIdx.x * blockDim.x + threadIdx.x;
    }
    // Returns the first word of number `number` of this curve.
    __device__ __forceinline__ u32* at(u32* base, u64 number) const {
        return base + number * WORDS * stride + index();
    }
    __device__ __forceinline__ Number get(u32 k) const {
        return load_number(state + (u64)k * WORDS * stride, stride);
    }
    __device__ __forceinline__ void put(u32 k, const Number& x) const {
        store_number(state + (u64)k * WORDS * stride, x, stride);
    }
    __device__ __forceinline__ Number load(const u32* base, u64 number) const {
        return load_number(base + number * WORDS * stride + index(), stride);
    }
    __device__ __forceinline__ void store(u32* base, u64 number, const Number& x) const {
        store_number(base + number * WORDS * stride + index(), x, stride);
    }
    __device__ __forceinline__ Point point() const {
        Point p;
        p.x = get(X), p.y = get(Y), p.z = get(Z);
        return p;
    }
    __device__ __forceinline__ void put(const Point& p) const {
        put(X, p.x), put(Y, p.y), put(Z, p.z);
    }
    __device__ __forceinline__ Addend load_addend(const u32* table, u64 k) const {
        Addend q;
        q.minus = load(table, 4 * k), q.plus = load(table, 4 * k + 1);
        q.t = load(table, 4 * k + 2), q.z = load(table, 4 * k + 3);
        return q;
    }
    __device__ __forceinline__ void store_addend(u32* table, u64 k, const Addend& q) const {
        store(table, 4 * k, q.minus), store(table, 4 * k + 1, q.plus);
        store(table, 4 * k + 2, q.t), store(table, 4 * k + 3, q.z);
    }
};
