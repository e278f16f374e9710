// Montgomery arithmetic modulo an odd number of WORDS = 1 or 2 words of 64 bits, as in
// word/montgomery/word.rs: any modulus of that size, residues below it, products reduced by
// subtraction. It does not use modp/montgomery.cuh: its products are spelled in instructions of 32
// bits, which is faster where all operands are in registers.

#if WORDS != 1 && WORDS != 2
#error "WORDS must be 1 or 2"
#endif

// (high : low) = ab: four wide products of 32 bits.
DEVICE u64 wide(u64 a, u64 b, u64& high) {
#ifdef BEZOUT_EXECUTOR
    high = __umul64hi(a, b);
    return a * b;
#else
    // Each pair of a low and a high product becomes one instruction; left to itself the compiler
    // makes the low word a second time, from three more.
    u32 a0 = u32(a), a1 = u32(a >> 32), b0 = u32(b), b1 = u32(b >> 32), r0, r1, r2, r3;
    asm("{\n\t"
        "mul.lo.u32 %0, %4, %6;\n\t"
        "mul.hi.u32 %1, %4, %6;\n\t"
        "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
        "madc.hi.u32 %2, %5, %6, 0;\n\t"
        "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
        "madc.hi.cc.u32 %2, %4, %7, %2;\n\t"
        "addc.u32 %3, 0, 0;\n\t"
        "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
        "madc.hi.u32 %3, %5, %7, %3;\n\t"
        "}"
        : "=&r"(r0), "=&r"(r1), "=&r"(r2), "=&r"(r3)
        : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
    high = (u64(r3) << 32) | r2;
    return (u64(r1) << 32) | r0;
#endif
}

#if WORDS == 1

typedef u64 Num;

DEVICE Num number(u64 low) { return low; }
DEVICE bool is_zero(Num a) { return a == 0; }
DEVICE u64 low_word(Num a) { return a; }
DEVICE bool is_single(Num) { return true; }
DEVICE u32 zeros(Num a) { return __ffsll(i64(a)) - 1; }
DEVICE Num power_of_two(u32 bit) { return u64(1) << bit; }
DEVICE u32 bit_of(Num a, u32 i) { return u32(a >> i) & 1; }
DEVICE u32 top_bit(Num a) { return 63 - __clzll(i64(a)); }
DEVICE Num multiply_low(Num a, Num b) { return a * b; }

#else

struct Num {
    u64 low, high;
};

DEVICE Num number(u64 low) { return Num{low, 0}; }
DEVICE bool is_zero(Num a) { return (a.low | a.high) == 0; }
DEVICE u64 low_word(Num a) { return a.low; }
DEVICE bool is_single(Num a) { return a.high == 0; }
DEVICE u32 zeros(Num a) { return a.low != 0 ? __ffsll(i64(a.low)) - 1 : 63 + __ffsll(i64(a.high)); }
DEVICE Num power_of_two(u32 bit) {
    return bit < 64 ? Num{u64(1) << bit, 0} : Num{0, u64(1) << (bit - 64)};
}
DEVICE u32 bit_of(Num a, u32 i) { return (i < 64 ? u32(a.low >> i) : u32(a.high >> (i - 64))) & 1; }
DEVICE u32 top_bit(Num a) {
    return a.high != 0 ? 127 - __clzll(i64(a.high)) : 63 - __clzll(i64(a.low));
}
DEVICE bool operator==(Num a, Num b) { return a.low == b.low && a.high == b.high; }
DEVICE bool operator!=(Num a, Num b) { return !(a == b); }
DEVICE bool operator<(Num a, Num b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}
DEVICE bool operator>(Num a, Num b) { return b < a; }
#ifdef BEZOUT_EXECUTOR
DEVICE Num operator+(Num a, Num b) {
    u64 low = a.low + b.low;
    return Num{low, a.high + b.high + (low < a.low)};
}
DEVICE Num operator-(Num a, Num b) { return Num{a.low - b.low, a.high - b.high - (a.low < b.low)}; }
#else
DEVICE Num operator+(Num a, Num b) {
    asm("add.cc.u64 %0, %0, %2;\n\t"
        "addc.u64 %1, %1, %3;"
        : "+l"(a.low), "+l"(a.high)
        : "l"(b.low), "l"(b.high));
    return a;
}
DEVICE Num operator-(Num a, Num b) {
    asm("sub.cc.u64 %0, %0, %2;\n\t"
        "subc.u64 %1, %1, %3;"
        : "+l"(a.low), "+l"(a.high)
        : "l"(b.low), "l"(b.high));
    return a;
}
#endif
// Shifts by fewer than 128 bits.
DEVICE Num operator>>(Num a, u32 by) {
    if (by >= 64) return Num{a.high >> (by - 64), 0};
    if (by == 0) return a;
    return Num{(a.low >> by) | (a.high << (64 - by)), a.high >> by};
}
DEVICE Num operator<<(Num a, u32 by) {
    if (by >= 64) return Num{0, a.low << (by - 64)};
    if (by == 0) return a;
    return Num{a.low << by, (a.high << by) | (a.low >> (64 - by))};
}
DEVICE Num multiply_low(Num a, Num b) {
    return Num{a.low * b.low, __umul64hi(a.low, b.low) + a.low * b.high + a.high * b.low};
}

#endif

struct Ring {
    Num n;
    u64 inverse; // 1/n modulo 2^64
    Num one;     // R mod n
    Num square;  // R^2 mod n
};

DEVICE Num subtract(const Ring& ring, Num a, Num b) {
#if WORDS == 1 || defined(BEZOUT_EXECUTOR)
    Num r = a - b;
    return a < b ? r + ring.n : r;
#else
    // All ones if there was a borrow.
    u64 borrow;
    asm("sub.cc.u64 %0, %0, %3;\n\t"
        "subc.cc.u64 %1, %1, %4;\n\t"
        "subc.u64 %2, 0, 0;"
        : "+l"(a.low), "+l"(a.high), "=l"(borrow)
        : "l"(b.low), "l"(b.high));
    return a + Num{ring.n.low & borrow, ring.n.high & borrow};
#endif
}

DEVICE Num add(const Ring& ring, Num a, Num b) { return subtract(ring, a, ring.n - b); }

#if WORDS == 1

DEVICE Num multiply(const Ring& ring, Num a, Num b) {
    u64 high, low = wide(a, b, high), reduced;
#ifdef BEZOUT_EXECUTOR
    reduced = __umul64hi(low * ring.inverse, ring.n);
#else
    // m n / 2^64 with m = m1 2^32 + m0, word by word, so that only the low word of the inverse is
    // needed: m0 cancels the low word of ab, m1 the next. (y1 : y0) = m0 n / 2^32.
    u32 n0 = u32(ring.n), n1 = u32(ring.n >> 32), w = u32(ring.inverse);
    u32 m0 = u32(low) * w, y0, y1, r0, r1;
    asm("{\n\t"
        "mul.hi.u32 %0, %2, %3;\n\t"
        "mad.lo.cc.u32 %0, %2, %4, %0;\n\t"
        "madc.hi.u32 %1, %2, %4, 0;\n\t"
        "}"
        : "=&r"(y0), "=&r"(y1)
        : "r"(m0), "r"(n0), "r"(n1));
    u32 m1 = (u32(low >> 32) - y0) * w;
    asm("{\n\t"
        ".reg .u32 gone;\n\t"
        "mad.lo.cc.u32 gone, %4, %5, %2;\n\t"
        "madc.hi.cc.u32 %0, %4, %5, %3;\n\t"
        "addc.u32 %1, 0, 0;\n\t"
        "mad.lo.cc.u32 %0, %4, %6, %0;\n\t"
        "madc.hi.u32 %1, %4, %6, %1;\n\t"
        "}"
        : "=&r"(r0), "=&r"(r1)
        : "r"(y0), "r"(y1), "r"(m1), "r"(n0), "r"(n1));
    reduced = (u64(r1) << 32) | r0;
#endif
    return subtract(ring, high, reduced);
}

#else

// (c : b : a) += (y : x); the sum fits.
DEVICE void add_pair(u64& a, u64& b, u64& c, u64 x, u64 y) {
#ifdef BEZOUT_EXECUTOR
    u32 carry = 0;
    a = add_carry(a, x, carry);
    b = add_carry(b, y, carry);
    c += carry;
#else
    asm("add.cc.u64 %0, %0, %3;\n\t"
        "addc.cc.u64 %1, %1, %4;\n\t"
        "addc.u64 %2, %2, 0;"
        : "+l"(a), "+l"(b), "+l"(c)
        : "l"(x), "l"(y));
#endif
}

DEVICE Num multiply(const Ring& ring, Num a, Num b) {
    // (t3 : t2 : t1 : t0) = ab.
    u64 t1, t2, t3, x, y;
    u64 t0 = wide(a.low, b.low, t1);
    t2 = wide(a.high, b.high, t3);
    u64 low = wide(a.low, b.high, x);
    add_pair(t1, t2, t3, low, x);
    low = wide(a.high, b.low, x);
    add_pair(t1, t2, t3, low, x);
    // (h1 : h0) = m n / 2^128, word by word: each word of m cancels one of ab. (y : x) = m0 n /
    // 2^64.
    u64 m = t0 * ring.inverse, gone = 0;
    x = __umul64hi(m, ring.n.low);
    low = wide(m, ring.n.high, y);
    add_pair(x, y, gone, low, 0);
    m = (t1 - x) * ring.inverse;
    u64 h0, h1 = 0, middle;
    low = wide(m, ring.n.low, middle);
    h0 = y;
    add_pair(x, h0, h1, low, middle);
    low = wide(m, ring.n.high, middle);
    add_pair(h0, h1, gone, low, middle);
    return subtract(ring, Num{t2, t3}, Num{h0, h1});
}

#endif

#define RING_BITS (64 * WORDS)

// n is odd and above 1.
DEVICE Ring ring_of(Num n) {
    Ring ring;
    ring.n = n;
    u64 word = low_word(n), inverse = (word * 3) ^ 2;
#pragma unroll 1
    for (u32 i = 0; i < 4; i++) inverse *= 2 - word * inverse;
    ring.inverse = inverse;
    // The least power of two above n is below 2n.
    u32 bits = top_bit(n) + 1;
    Num x = number(0) - n;
    if (bits < RING_BITS) x = power_of_two(bits) - n;
#pragma unroll 1
    for (u32 i = bits; i < RING_BITS; i++) x = add(ring, x, x);
    ring.one = x;
    // (2^k R)^2 / R = 2^2k R.
#pragma unroll 1
    for (u32 i = 0; i < RING_BITS / 32; i++) x = add(ring, x, x);
#pragma unroll 1
    for (u32 i = 0; i < 5; i++) x = multiply(ring, x, x);
    ring.square = x;
    return ring;
}

DEVICE Num residue(const Ring& ring, u64 x) { return multiply(ring, number(x), ring.square); }

// The greatest common divisor of a and n, n for a = 0; where it is 1, inverse becomes that of a.
// Kaliski's almost inverse: us + vr = n throughout, so r and s stay below n.
DEVICE Num invert(const Ring& ring, Num a, Num& inverse) {
    if (is_zero(a)) return ring.n;
    Num u = ring.n, r = number(0), s = number(1);
    u32 k = zeros(a);
    Num v = a >> k;
#pragma unroll 1
    while (u != v) {
        bool first = u > v;
        Num difference = first ? u - v : v - u;
        Num sum = r + s;
        u32 by = zeros(difference);
        k += by;
        difference = difference >> by;
        Num kept = first ? s : r;
        kept = kept << by;
        u = first ? difference : u;
        v = first ? v : difference;
        r = first ? sum : kept;
        s = first ? kept : sum;
    }
    if (u != number(1)) return u;
    u32 left = 2 * RING_BITS - k;
#pragma unroll 1
    for (; left >= RING_BITS; left -= RING_BITS) s = multiply(ring, s, ring.square);
    inverse = multiply(ring, multiply(ring, s, power_of_two(left)), ring.square);
    return u;
}
