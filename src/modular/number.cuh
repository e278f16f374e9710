// Unsigned integers of WORDS 32-bit words, one in the registers of one thread, and arithmetic
// modulo an odd n: WORDS is even and comes from the compiler's command line. Products are
// Montgomery's, mont_mul(a, b) = a·b/R mod n for R = 2^(32·WORDS), and every residue is in [0, n);
// n may use all its bits.
//
// Products of words are added up in two rows, one whose products begin at even words and one at odd
// words, so that the chain of carries of a row goes through a product's low and high half in turn
// (Emmart, Zheng and Weems, "Faster modular exponentiation using double precision floating point
// arithmetic on the GPU", section III): the compiler makes one IMAD.WIDE of each pair.

// NUMBER_UNROLL: 2 for products without loops, the fastest; 1 with loops except for the products of
// a square, for numbers whose products would be thousands of instructions; 0 with loops everywhere,
// for kernels that need not be fast and should compile soon.

#if WORDS < 2 || WORDS % 2
#error "WORDS is even"
#endif
#ifndef NUMBER_UNROLL
#define NUMBER_UNROLL (WORDS <= 16 ? 2 : WORDS <= 32 ? 1 : 0)
#endif

// Aligned for code that stores it in memory.
struct __align__(WORDS % 4 ? 8 : 16) Number {
    u32 w[WORDS];
};

// ---- One instruction each, with a carry that it reads (addc, subc, madc) or writes (_cc). On CUDA
// the carry is the hardware's flag, so no other instruction may come between two of them. The
// executor stores it in a variable.
#ifdef BEZOUT_EXECUTOR

struct Carry {
    u32 flag = 0;
    u32 take(u64 sum) {
        flag = (u32)(sum >> 32);
        return (u32)sum;
    }
    u32 take_borrow(u64 difference) {
        flag = (u32)(difference >> 63);
        return (u32)difference;
    }
};
DEVICE u32 add_cc(Carry& c, u32 x, u32 y) { return c.take((u64)x + y); }
DEVICE u32 addc_cc(Carry& c, u32 x, u32 y) { return c.take((u64)x + y + c.flag); }
DEVICE u32 addc(Carry& c, u32 x, u32 y) { return x + y + c.flag; }
DEVICE u32 sub_cc(Carry& c, u32 x, u32 y) { return c.take_borrow((u64)x - y); }
DEVICE u32 subc_cc(Carry& c, u32 x, u32 y) { return c.take_borrow((u64)x - y - c.flag); }
DEVICE u32 subc(Carry& c, u32 x, u32 y) { return x - y - c.flag; }
DEVICE u32 mad_lo_cc(Carry& c, u32 x, u32 y, u32 z) { return c.take((u64)(x * y) + z); }
DEVICE u32 madc_lo_cc(Carry& c, u32 x, u32 y, u32 z) { return c.take((u64)(x * y) + z + c.flag); }
DEVICE u32 madc_hi_cc(Carry& c, u32 x, u32 y, u32 z) {
    return c.take((u64)__umulhi(x, y) + z + c.flag);
}

#else

struct Carry {};
#define WITH_CARRY_2(name, instruction)                                      \
    DEVICE u32 name(Carry&, u32 x, u32 y) {                                  \
        u32 r;                                                               \
        asm volatile(instruction " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); \
        return r;                                                            \
    }
#define WITH_CARRY_3(name, instruction)                                                  \
    DEVICE u32 name(Carry&, u32 x, u32 y, u32 z) {                                       \
        u32 r;                                                                           \
        asm volatile(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z)); \
        return r;                                                                        \
    }
WITH_CARRY_2(add_cc, "add.cc.u32")
WITH_CARRY_2(addc_cc, "addc.cc.u32")
WITH_CARRY_2(addc, "addc.u32")
WITH_CARRY_2(sub_cc, "sub.cc.u32")
WITH_CARRY_2(subc_cc, "subc.cc.u32")
WITH_CARRY_2(subc, "subc.u32")
WITH_CARRY_3(mad_lo_cc, "mad.lo.cc.u32")
WITH_CARRY_3(madc_lo_cc, "madc.lo.cc.u32")
WITH_CARRY_3(madc_hi_cc, "madc.hi.cc.u32")
#undef WITH_CARRY_2
#undef WITH_CARRY_3

#endif

// ---- Moves and comparisons.

// Word i is at from[i·stride].
DEVICE Number load_number(const u32* from, u64 stride = 1) {
    Number x;
#if NUMBER_UNROLL == 0
#pragma unroll 2
#else
#pragma unroll
#endif
    for (u32 i = 0; i < WORDS; i++) x.w[i] = from[i * stride];
    return x;
}
DEVICE void store_number(u32* to, const Number& x, u64 stride = 1) {
#if NUMBER_UNROLL == 0
#pragma unroll 2
#else
#pragma unroll
#endif
    for (u32 i = 0; i < WORDS; i++) to[i * stride] = x.w[i];
}
DEVICE Number small_number(u32 value) {
    Number x;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) x.w[i] = i == 0 ? value : 0;
    return x;
}
DEVICE bool is_zero(const Number& x) {
    u32 any = 0;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) any |= x.w[i];
    return any == 0;
}
// a − b modulo R; borrow is set to 1 if a < b, else to 0.
DEVICE Number subtract(const Number& a, const Number& b, u32& borrow) {
    Number d;
    Carry c;
    d.w[0] = sub_cc(c, a.w[0], b.w[0]);
#pragma unroll
    for (u32 i = 1; i < WORDS; i++) d.w[i] = subc_cc(c, a.w[i], b.w[i]);
    borrow = subc(c, 0, 0) & 1;
    return d;
}
// a + b modulo R; carry is set to 1 if the sum is at least R, else to 0.
DEVICE Number add(const Number& a, const Number& b, u32& carry) {
    Number s;
    Carry c;
    s.w[0] = add_cc(c, a.w[0], b.w[0]);
#pragma unroll
    for (u32 i = 1; i < WORDS; i++) s.w[i] = addc_cc(c, a.w[i], b.w[i]);
    carry = addc(c, 0, 0);
    return s;
}
// −1, 0 or 1 as a < b, a = b or a > b.
DEVICE i32 compare(const Number& a, const Number& b) {
    u32 borrow;
    Number d = subtract(a, b, borrow);
    return borrow ? -1 : !is_zero(d);
}

// ---- Residues modulo n.

// x + carry·R − n where that is not negative, else x; for x + carry·R < 2n.
DEVICE Number reduce_once(const Number& x, u32 carry, const Number& n) {
    u32 borrow;
    Number d = subtract(x, n, borrow);
    bool keep = carry < borrow;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) d.w[i] = keep ? x.w[i] : d.w[i];
    return d;
}
DEVICE Number add_mod(const Number& a, const Number& b, const Number& n) {
    u32 carry;
    Number s = add(a, b, carry);
    return reduce_once(s, carry, n);
}
DEVICE Number sub_mod(const Number& a, const Number& b, const Number& n) {
    u32 borrow, carry;
    Number d = subtract(a, b, borrow), back;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) back.w[i] = borrow ? n.w[i] : 0;
    return add(d, back, carry);
}

// sum[i] += word i of x·y, for x of the words x[0], x[2], ... of the count / 2 that are meant, and
// the carry to sum[count].
DEVICE void add_row(u32* sum, const u32* x, u32 y, u32 count) {
    if (count == 0) return;
    Carry c;
    sum[0] = mad_lo_cc(c, x[0], y, sum[0]);
    sum[1] = madc_hi_cc(c, x[0], y, sum[1]);
#pragma unroll
    for (u32 i = 2; i < count; i += 2) {
        sum[i] = madc_lo_cc(c, x[i], y, sum[i]);
        sum[i + 1] = madc_hi_cc(c, x[i], y, sum[i + 1]);
    }
    sum[count] = addc(c, sum[count], 0);
}

// low + 2^32·odd, of `count` words.
DEVICE void merge(u32* low, const u32* odd, u32 count) {
    Carry c;
    low[1] = add_cc(c, low[1], odd[0]);
#pragma unroll
    for (u32 i = 2; i < count; i++) low[i] = addc_cc(c, low[i], odd[i - 1]);
}
// 2·low + bit, of `count` words. Returns the bit above them.
DEVICE u32 twice(u32* low, u32 bit, u32 count) {
    u32 out = low[count - 1] >> 31;
#pragma unroll
    for (u32 i = count - 1; i > 0; i--) low[i] = low[i] << 1 | low[i - 1] >> 31;
    low[0] = low[0] << 1 | bit;
    return out;
}
// a·a of 2·WORDS words: the products of different words once, doubled, and the squares. low has two
// words more.
DEVICE void square_words(u32* low, const u32* a) {
    u32 odd[2 * WORDS] = {};
#pragma unroll
    for (u32 i = 0; i < 2 * WORDS + 2; i++) low[i] = 0;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) {
        add_row(odd + 2 * i, a + i + 1, a[i], (WORDS - i) / 2 * 2);
        add_row(low + 2 * i + 2, a + i + 2, a[i], (WORDS - i - 1) / 2 * 2);
    }
    merge(low, odd, 2 * WORDS);
    twice(low, 0, 2 * WORDS);
    Carry c;
    low[0] = mad_lo_cc(c, a[0], a[0], low[0]);
    low[1] = madc_hi_cc(c, a[0], a[0], low[1]);
#pragma unroll
    for (u32 i = 1; i < WORDS; i++) {
        low[2 * i] = madc_lo_cc(c, a[i], a[i], low[2 * i]);
        low[2 * i + 1] = madc_hi_cc(c, a[i], a[i], low[2 * i + 1]);
    }
}

// The words of a sum are those of `even` and, one further up, those of `odd`, except that the
// lowest word of `odd` has been used up: its next one belongs to the lowest of `even`. Adds x·y;
// then `odd` is one further up than `even`, and the lowest word of `even` is that of the sum.
DEVICE void add_product(u32* even, u32* odd, const u32* x, u32 y) {
    Carry c;
    even[0] = add_cc(c, even[0], odd[1]);
#pragma unroll
    for (u32 i = 0; i < WORDS; i += 2) {
        odd[i] = madc_lo_cc(c, x[i + 1], y, i + 2 < WORDS ? odd[i + 2] : 0);
        odd[i + 1] = madc_hi_cc(c, x[i + 1], y, i + 2 < WORDS ? odd[i + 3] : 0);
    }
    even[0] = mad_lo_cc(c, x[0], y, even[0]);
    even[1] = madc_hi_cc(c, x[0], y, even[1]);
#pragma unroll
    for (u32 i = 2; i < WORDS; i += 2) {
        even[i] = madc_lo_cc(c, x[i], y, even[i]);
        even[i + 1] = madc_hi_cc(c, x[i], y, even[i + 1]);
    }
    odd[WORDS - 1] = addc(c, odd[WORDS - 1], 0);
}

// (low + R·high)/R mod n in [0, n), for low + R·high < n·R. n0 = -1/n modulo 2^32. `low` is lost.
//
// Each step adds the multiple of n that clears the lowest word of low and drops that word. low <= R
// - 1 stays so, as (R - 1 + (2^32 - 1)·n) / 2^32 <= R - 1, and ends at most at n; with high, below
// n, that is less than 2n.
DEVICE Number mont_reduce(u32* low, const Number& high, const Number& n, u32 n0) {
    u32 other[WORDS] = {};
#if NUMBER_UNROLL == 2
#pragma unroll
#else
#pragma unroll 1
#endif
    for (u32 step = 0; step < WORDS; step += 2) {
        add_product(low, other, n.w, (low[0] + other[1]) * n0);
        add_product(other, low, n.w, (other[0] + low[1]) * n0);
    }
    Number x;
    Carry c;
    x.w[0] = add_cc(c, low[0], other[1]);
#pragma unroll
    for (u32 i = 1; i < WORDS - 1; i++) x.w[i] = addc_cc(c, low[i], other[i + 1]);
    x.w[WORDS - 1] = addc(c, low[WORDS - 1], 0);
    x.w[0] = add_cc(c, x.w[0], high.w[0]);
#pragma unroll
    for (u32 i = 1; i < WORDS; i++) x.w[i] = addc_cc(c, x.w[i], high.w[i]);
    u32 carry = addc(c, 0, 0);
    return reduce_once(x, carry, n);
}

// a·b/R mod n.
DEVICE Number mont_mul(const Number& a, const Number& b, const Number& n, u32 n0) {
#if NUMBER_UNROLL == 2
    u32 low[2 * WORDS + 2] = {}, odd[2 * WORDS] = {};
#pragma unroll
    for (u32 i = 0; i < WORDS; i += 2) {
        add_row(low + i, a.w, b.w[i], WORDS);
        add_row(odd + i, a.w + 1, b.w[i], WORDS);
        add_row(low + i + 2, a.w + 1, b.w[i + 1], WORDS);
        add_row(odd + i, a.w, b.w[i + 1], WORDS);
    }
    merge(low, odd, 2 * WORDS);
    Number high;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) high.w[i] = low[WORDS + i];
#else
    // Word by word: sums stay below R as they lose their lowest word, since R - 1 + (R - 1)·(2^32 -
    // 1) < R·2^32.
    u32 low[WORDS], even[WORDS] = {}, odd[WORDS] = {};
#pragma unroll 1
    for (u32 i = 0; i < WORDS; i += 2) {
        add_product(even, odd, a.w, b.w[i]);
        low[i] = even[0];
        add_product(odd, even, a.w, b.w[i + 1]);
        low[i + 1] = odd[0];
    }
    Number high;
    Carry c;
    high.w[0] = add_cc(c, even[0], odd[1]);
#pragma unroll
    for (u32 i = 1; i < WORDS - 1; i++) high.w[i] = addc_cc(c, even[i], odd[i + 1]);
    high.w[WORDS - 1] = addc(c, even[WORDS - 1], 0);
#endif
    return mont_reduce(low, high, n, n0);
}

// a·a/R mod n.
DEVICE Number mont_sqr(const Number& a, const Number& n, u32 n0) {
#if NUMBER_UNROLL == 0
    return mont_mul(a, a, n, n0);
#else
    u32 low[2 * WORDS + 2];
    square_words(low, a.w);
    Number high;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) high.w[i] = low[WORDS + i];
    return mont_reduce(low, high, n, n0);
#endif
}
