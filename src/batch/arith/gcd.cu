// Greatest common divisors and inverses of rows by division steps: Bernstein and Yang, "Fast
// constant-time gcd computation and modular inversion", TCHES 2019 (3), with the half-delta step of
// Wuille and others (the documentation of libsecp256k1).
//
// A step takes (ζ, f, g) with odd f to (−ζ−2, g, (g−f)/2) if ζ < 0 and g is odd, else to (ζ−1, f,
// (g + (g mod 2)·f)/2). The first ζ is −1. A step preserves gcd(f, g) and never increases the
// larger of |f| and |g|. After at most (45907 b + 26313)/19929 steps for numbers of b bits, g is 0
// and f is the gcd or its negative. Thirty steps depend only on the lowest thirty bits and are one
// matrix with entries of |u| + |v| <= 2^30. The matrix is then applied to all of f and g at once,
// which are divided by 2^30.
//
// Lehmer's and Pornin's (eprint 2020/972) rounds need the leading bits of both numbers, which in
// registers is a search through all of them, and quotients that differ from row to row. Division
// steps read only the lowest word and do the same in every row of a warp. On average 2.07 b of them
// are needed: 69 rounds for 1024 bits, each of 30 steps of some 15 instructions and, for each of 35
// limbs of 30 bits, four multiply-adds, two shifts and a mask. Limbs of 30 bits make the division
// by 2^30 a move by one limb, and leave room for carries in the sums of products: |u f + v g| <=
// 2^30·(2^30 + 2) + 2^31 < 2^61.
//
// A number is shared by LANES lanes, LIMBS limbs on each. Limbs are at least 0 and less than 2^30,
// but for the last, which has the sign, and the first of a lane, to which the lane below adds −2 to
// 2 in each round instead of carrying to the end.

#define MASK 0x3fffffff

// The limbs of a number on this lane, of 30 bits each.
struct ShortLimbs {
    i32 l[LIMBS];
};
struct Matrix {
    i32 u, v, q, r;
};

// 30 bits of a row from bit `bit` on.
DEVICE i32 limb_at(const u32* row, u32 words, u32 bit) { return bits_at(row, words, bit) & MASK; }
DEVICE ShortLimbs load_limbs(const u32* row, u32 words, u32 bit) {
    ShortLimbs x;
#pragma unroll
    for (u32 i = 0; i < LIMBS; i++) x.l[i] = limb_at(row, words, 30 * (part() * LIMBS + i) + bit);
    return x;
}

// Makes thirty division steps, which need only the low thirty bits of f and g. Returns their
// matrix, times 2^30, and updates zeta.
DEVICE Matrix thirty_steps(i32& zeta, u32 f, u32 g) {
    u32 u = 1, v = 0, q = 0, r = 1;
#pragma unroll
    for (u32 i = 0; i < 30; i++) {
        bool odd = g & 1, swap = odd && zeta < 0;
        u32 sign = odd ? (swap ? ~0u : 1u) : 0;
        u32 next_g = g + sign * f, next_q = q + sign * u, next_r = r + sign * v;
        f = swap ? g : f;
        u = (swap ? q : u) << 1;
        v = (swap ? r : v) << 1;
        zeta = (swap ? ~zeta : zeta) - 1;
        g = next_g >> 1;
        q = next_q;
        r = next_r;
    }
    return {(i32)u, (i32)v, (i32)q, (i32)r};
}

// The lowest limb that leaves a lane is the highest of the lane below, on top of that lane's carry;
// what then is too much for it goes up to the lowest limb of the lane that it came from.
DEVICE void pass(ShortLimbs& x, i64 carry, i32 lowest) {
    if (LANES == 1) {
        x.l[LIMBS - 1] = (i32)carry;
        return;
    }
    bool last = part() == LANES - 1;
    i32 high = (i32)carry + (i32)from_above((u32)lowest);
    x.l[LIMBS - 1] = last ? high : high & MASK;
    x.l[0] += (i32)from_below(last ? 0 : high >> 30);
}
// f, g ← (u f + v g)/2^30, (q f + r g)/2^30.
DEVICE void apply(const Matrix& m, ShortLimbs& f, ShortLimbs& g) {
    i64 cf = 0, cg = 0;
    i32 lowest_f = 0, lowest_g = 0;
#pragma unroll
    for (u32 i = 0; i < LIMBS; i++) {
        i32 a = f.l[i], b = g.l[i];
        cf += (i64)m.u * a + (i64)m.v * b;
        cg += (i64)m.q * a + (i64)m.r * b;
        i32 x = (i32)cf & MASK, y = (i32)cg & MASK;
        if (i == 0) {
            lowest_f = x;
            lowest_g = y;
        } else {
            f.l[(i + LIMBS - 1) % LIMBS] = x;
            g.l[(i + LIMBS - 1) % LIMBS] = y;
        }
        cf >>= 30;
        cg >>= 30;
    }
    pass(f, cf, lowest_f);
    pass(g, cg, lowest_g);
}
// Whether any limb of this lane is not 0.
DEVICE bool is_nonzero(const ShortLimbs& x) {
    i32 any = 0;
#pragma unroll
    for (u32 i = 0; i < LIMBS; i++) any |= x.l[i];
    return any != 0;
}
// x + y·factor with every limb in its range, for |factor| < 2^30 and a sum that fits: the carries
// go from lane to lane.
DEVICE ShortLimbs plus(const ShortLimbs& x, const ShortLimbs& y, i32 factor) {
    ShortLimbs s;
    i64 carry = 0;
    bool last = part() == LANES - 1;
#pragma unroll
    for (u32 i = 0; i < LIMBS; i++) {
        carry += x.l[i] + (i64)y.l[i] * factor;
        bool top = i == LIMBS - 1 && last;
        s.l[i] = top ? (i32)carry : (i32)carry & MASK;
        carry = top ? 0 : carry >> 30;
    }
    for (u32 lane = 1; lane < LANES; lane++) {
        carry = (i32)from_below((u32)(i32)carry);
#pragma unroll
        for (u32 i = 0; i < LIMBS; i++) {
            carry += s.l[i];
            bool top = i == LIMBS - 1 && last;
            s.l[i] = top ? (i32)carry : (i32)carry & MASK;
            carry = top ? 0 : carry >> 30;
        }
    }
    return s;
}
// Whether the number is negative, on all of its lanes. Its limbs must be in their ranges.
DEVICE bool is_negative(const ShortLimbs& x) {
    return (i32)from_lane((u32)x.l[LIMBS - 1], LANES - 1) < 0;
}

// The rows' results go through shared memory, where lanes find the limbs of a word.
typedef u32 Scratch[BLOCK / LANES][LANES * LIMBS];

// out ← x·2^bits for 0 <= x, of which `words` words are written.
DEVICE void store_limbs(u32* out, u32 words, const ShortLimbs& x, u32 bits, u32* scratch,
                        bool live) {
#pragma unroll
    for (u32 i = 0; i < LIMBS; i++) scratch[part() * LIMBS + i] = (u32)x.l[i];
    __syncwarp();
    for (u32 i = part(); i < words; i += LANES) {
        u32 word = 0;
        // Bit 0 of the word is bit 32·i − bits of x: up to three limbs have a part of it.
        i32 low = (i32)(32 * i) - (i32)bits;
        i32 limb = low >= 0 ? low / 30 : -1;
        for (i32 k = limb; k <= limb + 2; k++) {
            i32 at = 30 * k - low;
            if (k < 0 || k >= LANES * LIMBS || at <= -32 || at >= 32) continue;
            word |= at >= 0 ? scratch[k] << at : scratch[k] >> -at;
        }
        if (live) out[i] = word;
    }
    __syncwarp();
}

// The gcd of rows x and y without its power of two, at least 0 and with every limb in its range;
// 2^zeros is that power.
DEVICE ShortLimbs odd_gcd(const u32* x, const u32* y, u32 words, u32& zeros) {
    // Common powers of two go away, and f is a number that is odd then (or both are 0).
    u32 zeros_x = trailing_zeros(x, words), zeros_y = trailing_zeros(y, words);
    zeros = min(zeros_x, zeros_y);
    bool first = zeros_x == zeros;
    ShortLimbs f = load_limbs(first ? x : y, words, zeros),
               g = load_limbs(first ? y : x, words, zeros);
    i32 zeta = -1;
#pragma unroll 1
    while (__any_sync(FULL_WARP, is_nonzero(g))) {
        Matrix m = thirty_steps(zeta, from_lane((u32)f.l[0], 0), from_lane((u32)g.l[0], 0));
        apply(m, f, g);
    }
    ShortLimbs none = {};
    f = plus(none, f, 1);
    return plus(none, f, is_negative(f) ? -1 : 1);
}

// out = the greatest common divisors of rows a and b, `count` rows of `words` words; gcd(0, x) = x.
// Grid: any number of blocks of BLOCK threads, LANES lanes per row.
KERNEL_BOUNDS(BLOCK, RESIDENT, batch_gcd, u32* out, const u32* a, const u32* b, u64 count,
              u32 words) {
    SHARED(Scratch, scratch);
    FOR_ROWS(row, live, count) {
        u32 zeros;
        ShortLimbs f = odd_gcd(a + row * words, b + row * words, words, zeros);
        store_limbs(out + row * words, words, f, zeros, scratch[threadIdx.x / LANES], live);
    }
}

// Every two of `rows` rows, none of them 0: pair p is of row p mod rows and the one 1 + p / rows
// places after it, in a circle, so that rows·(rows − 1)/2 of them are all there are. Those with a
// common divisor are counted in found[0], and the first `most` of them follow: one row's number in
// the upper half, the other's in the lower.
KERNEL_BOUNDS(BLOCK, RESIDENT, batch_gcd_pairs, u64* found, u64 most, const u32* all, u64 rows,
              u32 words) {
    u64 count = rows * (rows - 1) / 2;
    FOR_ROWS(pair, live, count) {
        u64 i = pair % rows, j = (i + 1 + pair / rows) % rows;
        u32 zeros;
        ShortLimbs f = odd_gcd(all + i * words, all + j * words, words, zeros), one = {};
        one.l[0] = part() == 0;
        // All lanes of a warp ask, whether they know already or not.
        bool not_one = any_part(is_nonzero(plus(f, one, -1)));
        if ((zeros > 0 || not_one) && live && part() == 0) {
            u64 at = atomicAdd(found, (u64)1);
            if (at < most) found[1 + at] = i << 32 | j;
        }
    }
}

// d, e ← (u d + v e)/2^30, (q d + r e)/2^30 modulo n: a multiple of n that is at most n·2^29 makes
// each divisible, so that the larger of |d| and |e| grows by at most n/2. inverse: 1/n modulo 2^30.
DEVICE void apply_mod(const Matrix& m, ShortLimbs& d, ShortLimbs& e, const ShortLimbs& n,
                      u32 inverse) {
    u32 low_d = from_lane((u32)d.l[0], 0), low_e = from_lane((u32)e.l[0], 0);
    u32 times_d = 0 - ((u32)m.u * low_d + (u32)m.v * low_e) * inverse;
    u32 times_e = 0 - ((u32)m.q * low_d + (u32)m.r * low_e) * inverse;
    // The residue between −2^29 and 2^29 − 1.
    i32 x = (i32)(times_d << 2) >> 2, y = (i32)(times_e << 2) >> 2;
    i64 cd = 0, ce = 0;
    i32 lowest_d = 0, lowest_e = 0;
#pragma unroll
    for (u32 i = 0; i < LIMBS; i++) {
        i32 a = d.l[i], b = e.l[i], c = n.l[i];
        cd += (i64)m.u * a + (i64)m.v * b + (i64)x * c;
        ce += (i64)m.q * a + (i64)m.r * b + (i64)y * c;
        i32 s = (i32)cd & MASK, t = (i32)ce & MASK;
        if (i == 0) {
            lowest_d = s;
            lowest_e = t;
        } else {
            d.l[(i + LIMBS - 1) % LIMBS] = s;
            e.l[(i + LIMBS - 1) % LIMBS] = t;
        }
        cd >>= 30;
        ce >>= 30;
    }
    pass(d, cd, lowest_d);
    pass(e, ce, lowest_e);
}

// 1/a modulo odd n, from 0 to n − 1, and found ← 1; 0 and 0 where there is none.
//
// The most bits there are, 32768, take 2517 rounds: |d| <= (2517/2 + 1)·n < 2^11·n at the end, for
// which the limbs have room, and d + 2^11·n is not negative.
KERNEL_BOUNDS(BLOCK, 1, batch_inverse, u32* out, u64* found, const u32* a, const u32* moduli,
              u64 count, u32 words) {
    SHARED(Scratch, scratch);
    FOR_ROWS(row, live, count) {
        ShortLimbs f = load_limbs(moduli + row * words, words, 0),
                   g = load_limbs(a + row * words, words, 0);
        ShortLimbs n = f, d = {}, e = {};
        e.l[0] = part() == 0;
        u32 inverse = 0 - negated_inverse(moduli[row * words]);
        i32 zeta = -1;
#pragma unroll 1
        while (__any_sync(FULL_WARP, is_nonzero(g))) {
            Matrix m = thirty_steps(zeta, from_lane((u32)f.l[0], 0), from_lane((u32)g.l[0], 0));
            apply(m, f, g);
            apply_mod(m, d, e, n, inverse);
        }
        ShortLimbs none = {}, one = {};
        one.l[0] = part() == 0;
        f = plus(none, f, 1);
        bool negative = is_negative(f);
        ShortLimbs rest = plus(f, one, negative ? 1 : -1);
        bool exists = !any_part(is_nonzero(rest));
        d = plus(plus(none, d, negative ? -1 : 1), n, 1 << 11);
#pragma unroll 1
        for (i32 times = 1 << 11; times > 0; times /= 2) {
            ShortLimbs less = plus(d, n, -times);
            bool keep = is_negative(less);
#pragma unroll
            for (u32 i = 0; i < LIMBS; i++) d.l[i] = keep ? d.l[i] : less.l[i];
        }
#pragma unroll
        for (u32 i = 0; i < LIMBS; i++) d.l[i] = exists ? d.l[i] : 0;
        store_limbs(out + row * words, words, d, 0, scratch[threadIdx.x / LANES], live);
        if (live && part() == 0) found[row] = exists;
    }
}
