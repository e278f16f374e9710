// Unsigned integers shared by LANES lanes of a warp, a power of two from 1 to 32: lane i of the
// group has words i·WORDS to (i + 1)·WORDS − 1 in registers, in a Number of number.cuh. A row in
// memory has `words` words, an even number of at most LANES·WORDS; the words above are zero. All
// lanes of a warp must call the functions of this file together.
//
// The carry out of a lane goes into the next lane. A lane whose sum is all ones propagates its
// carry in. Let g have a bit for each lane that generates a carry, and p a bit for each lane that
// propagates one. Then the carries into the lanes are those of the addition p + 2g, which the
// hardware does for 32 lanes in one instruction.

#if LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32
#error "LANES is a power of two of at most 32"
#endif

// Pairs of words of a factor modulo n that are written out one after the other. Then registers are
// not moved at each of them, but the code is as many times as long.
#ifndef UNROLL
#define UNROLL 1
#endif

#define FIRST_LANES (0xffffffffu / (LANES == 32 ? 0xffffffffu : (1u << (LANES % 32)) - 1u))
#define LAST_LANES (FIRST_LANES << (LANES - 1))

// The rows of a grid: a group takes row `row` of `count`, `live` unless it only keeps the others of
// its warp company.
#define FOR_ROWS(row, live, count)                                                                 \
    for (u64 first_row = (u64)blockIdx.x * (blockDim.x / LANES), row, live = 1; first_row < count; \
         first_row += (u64)gridDim.x * (blockDim.x / LANES))                                       \
        if (row = first_row + threadIdx.x / LANES, live = row < count,                             \
            row = live ? row : count - 1, true)

// Returns which part of its number this thread has.
DEVICE u32 part() { return threadIdx.x % LANES; }

DEVICE u32 from_lane(u32 x, u32 lane) {
    return LANES == 1 ? x : __shfl_sync(FULL_WARP, x, lane, LANES);
}
// The value of the lane above, 0 for the last; of the lane below, 0 for the first.
DEVICE u32 from_above(u32 x) {
    if (LANES == 1) return 0;
    u32 y = __shfl_down_sync(FULL_WARP, x, 1, LANES);
    return part() == LANES - 1 ? 0 : y;
}
DEVICE u32 from_below(u32 x) {
    if (LANES == 1) return 0;
    u32 y = __shfl_up_sync(FULL_WARP, x, 1, LANES);
    return part() == 0 ? 0 : y;
}
DEVICE bool any_part(bool x) {
    if (LANES == 1) return x;
    u32 mask = __ballot_sync(FULL_WARP, x) >> (lane_id() - part());
    return (mask & (FULL_WARP >> (32 - LANES))) != 0;
}
// The largest value in the warp.
DEVICE u32 warp_max(u32 x) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(FULL_WARP, x, step));
    return x;
}

// ---- Rows in memory.

DEVICE u32 word_at(const u32* row, u32 words, i32 i) { return (u32)i < words ? row[i] : 0; }
// 32 bits of a row from bit `bit` on; zero outside.
DEVICE u32 bits_at(const u32* row, u32 words, i32 bit) {
    return __funnelshift_r(word_at(row, words, bit >> 5), word_at(row, words, (bit >> 5) + 1),
                           bit & 31);
}
DEVICE u32 bit_length(const u32* row, u32 words) {
    u32 i = words;
    while (i > 0 && row[i - 1] == 0) i--;
    return i == 0 ? 0 : 32 * i - __clz(row[i - 1]);
}
// Low bits that are 0, or with flip ~0 those that are 1; 32·words where all are.
DEVICE u32 trailing_zeros(const u32* row, u32 words, u32 flip = 0) {
    u32 i = 0;
    while (i < words && row[i] == flip) i++;
    return i == words ? 32 * i : 32 * i + __ffs(row[i] ^ flip) - 1;
}

DEVICE Number load_part(const u32* row, u32 words) {
    Number x;
    u32 first = part() * WORDS;
    if (WORDS % 4 == 0 && words % 4 == 0) {
#pragma unroll
        for (u32 i = 0; i < WORDS; i += 4) {
            ulonglong2 two = make_ulonglong2(0, 0);
            if (first + i < words) two = *(const ulonglong2*)(row + first + i);
            x.w[i] = (u32)two.x;
            x.w[i + 1] = (u32)(two.x >> 32);
            if (WORDS % 4 == 0) {
                x.w[i + 2] = (u32)two.y;
                x.w[i + 3] = (u32)(two.y >> 32);
            }
        }
        return x;
    }
#pragma unroll
    for (u32 i = 0; i < WORDS; i += 2) {
        u64 pair = first + i < words ? *(const u64*)(row + first + i) : 0;
        x.w[i] = (u32)pair;
        x.w[i + 1] = (u32)(pair >> 32);
    }
    return x;
}
DEVICE void store_part(u32* row, u32 words, const Number& x) {
    u32 first = part() * WORDS;
    if (WORDS % 4 == 0 && words % 4 == 0) {
#pragma unroll
        for (u32 i = 0; i + 3 < WORDS; i += 4) {
            u64 low = (u64)x.w[i + 1] << 32 | x.w[i], high = (u64)x.w[i + 3] << 32 | x.w[i + 2];
            if (first + i < words) *(ulonglong2*)(row + first + i) = make_ulonglong2(low, high);
        }
        return;
    }
#pragma unroll
    for (u32 i = 0; i < WORDS; i += 2) {
        if (first + i < words) *(u64*)(row + first + i) = (u64)x.w[i + 1] << 32 | x.w[i];
    }
}

// 2^bit, or 0 where it is beyond the number.
DEVICE Number power_of_two(u32 bit) {
    Number x;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) x.w[i] = bit / 32 == part() * WORDS + i ? 1u << bit % 32 : 0;
    return x;
}

// ---- Sums.

// x + word on this lane alone, for its carry.
DEVICE u32 add_word(Number& x, u32 word) {
    Carry c;
    x.w[0] = add_cc(c, x.w[0], word);
#pragma unroll
    for (u32 i = 1; i < WORDS; i++) x.w[i] = addc_cc(c, x.w[i], 0);
    return addc(c, 0, 0);
}
DEVICE u32 subtract_word(Number& x, u32 word) {
    Carry c;
    x.w[0] = sub_cc(c, x.w[0], word);
#pragma unroll
    for (u32 i = 1; i < WORDS; i++) x.w[i] = subc_cc(c, x.w[i], 0);
    return subc(c, 0, 0) & 1;
}
DEVICE bool is_all(const Number& x, u32 word) {
    u32 other = 0;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) other |= x.w[i] ^ word;
    return other == 0;
}
// Returns the carry into this lane. carry: on entry whether the lane generates a carry, on exit
// whether the number has a carry out. full: whether the lane propagates a carry in and generates
// none.
DEVICE u32 ripple(u32& carry, bool full) {
    u32 g = __ballot_sync(FULL_WARP, carry != 0), p = __ballot_sync(FULL_WARP, full);
    u32 inner = p & ~LAST_LANES;
    u32 in = (((g & ~LAST_LANES) << 1) + inner) ^ inner;
    carry = (g | (in & p)) >> (lane_id() | (LANES - 1)) & 1;
    return in >> lane_id() & 1;
}
// a + b; carry becomes 1 or 0 on all lanes.
DEVICE Number sum(const Number& a, const Number& b, u32& carry) {
    Number s = add(a, b, carry);
    if (LANES > 1) {
        u32 in = ripple(carry, is_all(s, ~0u));
        add_word(s, in);
    }
    return s;
}
DEVICE Number difference(const Number& a, const Number& b, u32& borrow) {
    Number d = subtract(a, b, borrow);
    if (LANES > 1) {
        u32 in = ripple(borrow, is_all(d, 0));
        subtract_word(d, in);
    }
    return d;
}
DEVICE bool is_zero_number(const Number& x) { return !any_part(!is_zero(x)); }
DEVICE Number choose(bool first, const Number& a, const Number& b) {
    Number x;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) x.w[i] = first ? a.w[i] : b.w[i];
    return x;
}
// x + carry·2^(32·LANES·WORDS) − n where that is not negative, else x; less than 2n.
DEVICE Number below(const Number& x, u32 carry, const Number& n) {
    u32 borrow;
    Number d = difference(x, n, borrow);
    return choose(carry < borrow, x, d);
}
DEVICE Number sum_mod(const Number& a, const Number& b, const Number& n) {
    u32 carry;
    Number s = sum(a, b, carry);
    return below(s, carry, n);
}
DEVICE Number difference_mod(const Number& a, const Number& b, const Number& n) {
    u32 borrow, carry;
    Number d = difference(a, b, borrow);
    Number s = sum(d, n, carry);
    return choose(borrow, s, d);
}
// (x + 2^(32·LANES·WORDS)·carry) / 2, rounded down.
DEVICE Number half(const Number& x, u32 carry) {
    Number h;
    u32 above = from_above(x.w[0]);
    if (part() == LANES - 1) above = carry;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++)
        h.w[i] = __funnelshift_r(x.w[i], i + 1 < WORDS ? x.w[(i + 1) % WORDS] : above, 1);
    return h;
}

// ---- Products, a word of one factor at a time.
//
// The sum so far is Σ even[i]·2^(32 i) + Σ odd[i]·2^(32 (i+1)) + top·2^(32 (WORDS+1)) on each lane.
// After each word it goes down by a word: what was odd is even then, and what was even is odd and
// goes down by two; its lowest word, even[0], leaves the lane, for the lane below or as a word of
// the result. Lanes do not wait for each other's carries: on a lane the sum is less than
// 4·2^(32·WORDS) between two words, and with a·b and n·q for words b and q less than
// 2^(32·(WORDS+2)), so that top has room.

// even, odd: the parts as they were called for the word before, exchanged. in: the word from the
// lane above.
DEVICE void add_product(u32* even, u32* odd, u32& top, u32 in, const Number& a, u32 b) {
    Carry c;
    even[0] = add_cc(c, even[0], odd[1]);
#pragma unroll
    for (u32 i = 0; i + 2 < WORDS; i += 2) {
        odd[i] = madc_lo_cc(c, a.w[i + 1], b, odd[i + 2]);
        odd[i + 1] = madc_hi_cc(c, a.w[i + 1], b, odd[i + 3]);
    }
    odd[WORDS - 2] = madc_lo_cc(c, a.w[WORDS - 1], b, in);
    odd[WORDS - 1] = madc_hi_cc(c, a.w[WORDS - 1], b, top);
    top = addc(c, 0, 0);
    even[0] = mad_lo_cc(c, a.w[0], b, even[0]);
    even[1] = madc_hi_cc(c, a.w[0], b, even[1]);
#pragma unroll
    for (u32 i = 2; i < WORDS; i += 2) {
        even[i] = madc_lo_cc(c, a.w[i], b, even[i]);
        even[i + 1] = madc_hi_cc(c, a.w[i], b, even[i + 1]);
    }
    odd[WORDS - 1] = addc_cc(c, odd[WORDS - 1], 0);
    top = addc(c, top, 0);
}
DEVICE void add_multiple(u32* even, u32* odd, u32& top, const Number& n, u32 q) {
    Carry c;
    odd[0] = mad_lo_cc(c, n.w[1], q, odd[0]);
    odd[1] = madc_hi_cc(c, n.w[1], q, odd[1]);
#pragma unroll
    for (u32 i = 2; i < WORDS; i += 2) {
        odd[i] = madc_lo_cc(c, n.w[i + 1], q, odd[i]);
        odd[i + 1] = madc_hi_cc(c, n.w[i + 1], q, odd[i + 1]);
    }
    top = addc(c, top, 0);
    even[0] = mad_lo_cc(c, n.w[0], q, even[0]);
    even[1] = madc_hi_cc(c, n.w[0], q, even[1]);
#pragma unroll
    for (u32 i = 2; i < WORDS; i += 2) {
        even[i] = madc_lo_cc(c, n.w[i], q, even[i]);
        even[i + 1] = madc_hi_cc(c, n.w[i], q, even[i + 1]);
    }
    odd[WORDS - 1] = addc_cc(c, odd[WORDS - 1], 0);
    top = addc(c, top, 0);
}
// Combines the parts of the sum after the last word. Sets over to the carry out of the number, on
// all lanes, which is 0 or 1 by the caller's bound.
DEVICE Number gather(const u32* even, const u32* odd, u32 top, u32& over) {
    Number x;
    u32 in = from_above(even[0]);
    Carry c;
    x.w[0] = add_cc(c, odd[0], even[1]);
#pragma unroll
    for (u32 i = 1; i + 1 < WORDS; i++) x.w[i] = addc_cc(c, odd[i], even[i + 1]);
    x.w[WORDS - 1] = addc_cc(c, odd[WORDS - 1], in);
    over = addc(c, top, 0);
    if (LANES > 1) {
        u32 carry = add_word(x, from_below(over));
        over = from_lane(over, LANES - 1);
        u32 more = ripple(carry, is_all(x, ~0u));
        add_word(x, more);
        over += carry;
    }
    return x;
}
// a·b of 2·words words: the high half, and the low half into low.
DEVICE Number product(const Number& a, const Number& b, u32 words, Number& low) {
    u32 even[WORDS] = {}, odd[WORDS] = {}, top = 0, in = 0, over;
    // In memory, so that words can be called by a number; as registers they would have to be
    // written out.
    u32 digits[WORDS], out[WORDS] = {};
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) digits[i] = b.w[i];
    for (u32 lane = 0; lane * WORDS < words; lane++) {
#pragma unroll 1
        for (u32 i = 0; i < WORDS && lane * WORDS + i < words; i += 2) {
            add_product(even, odd, top, in, a, from_lane(digits[i], lane));
            in = from_above(even[0]);
            u32 first = from_lane(even[0], 0);
            add_product(odd, even, top, in, a, from_lane(digits[i + 1], lane));
            in = from_above(odd[0]);
            u32 second = from_lane(odd[0], 0);
            if (part() == lane) {
                out[i] = first;
                out[i + 1] = second;
            }
        }
    }
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) low.w[i] = out[i];
    return gather(odd, even, top, over);
}
// a·b/R mod n, less than n, for R = 2^(32·words), odd n, n0 = −1/n modulo 2^32, and a·b < n·R:
// before the last subtraction it is less than (a·b + R·n)/R < 2n.
DEVICE Number product_mod(const Number& a, const Number& b, const Number& n, u32 n0, u32 words) {
    u32 even[WORDS] = {}, odd[WORDS] = {}, top = 0, in = 0, over;
    u32 digits[WORDS];
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) digits[i] = b.w[i];
    for (u32 lane = 0; lane * WORDS < words; lane++) {
#pragma unroll UNROLL
        for (u32 i = 0; i < WORDS && lane * WORDS + i < words; i += 2) {
            add_product(even, odd, top, in, a, from_lane(digits[i], lane));
            add_multiple(even, odd, top, n, from_lane(even[0] * n0, 0));
            in = from_above(even[0]);
            add_product(odd, even, top, in, a, from_lane(digits[i + 1], lane));
            add_multiple(odd, even, top, n, from_lane(odd[0] * n0, 0));
            in = from_above(odd[0]);
        }
    }
    Number x = gather(odd, even, top, over);
    return below(x, over, n);
}
#if LANES == 2 && WORDS % 4 == 0
// a·a of 4·WORDS words: the high half, and the low half into low.
//
// Let a = a0 + a1·X for X = 2^(32·WORDS). Each lane has the square of its half, and the product of
// a0 and half of the words of a1: lane 0 the low ones, lane 1 the high ones. So a lane multiplies
// about WORDS² words, half as many as in a product. Lane 1 adds up all but the low half of a0².
DEVICE Number square(const Number& a, Number& low) {
    const u32 HALF = WORDS / 2, CROSS = WORDS + HALF;
    bool is_upper = part() == 1;
    u32 a0[WORDS], some[HALF], cross[CROSS + 2] = {}, odd[CROSS] = {};
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) a0[i] = from_lane(a.w[i], 0);
#pragma unroll
    for (u32 i = 0; i < HALF; i++) {
        u32 word = from_lane(a.w[i], 1);
        some[i] = is_upper ? a.w[HALF + i] : word;
    }
#pragma unroll
    for (u32 i = 0; i < HALF; i += 2) {
        add_row(cross + i, a0, some[i], WORDS);
        add_row(odd + i, a0 + 1, some[i], WORDS);
        add_row(cross + i + 2, a0 + 1, some[i + 1], WORDS);
        add_row(odd + i, a0, some[i + 1], WORDS);
    }
    merge(cross, odd, CROSS);
    // Lane 1: a0·a1 from word HALF on. Lane 0 has the words below that.
    u32 from_lower[WORDS];
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) {
        u32 word = from_lane(cross[HALF + i], 0);
        from_lower[i] = is_upper ? word : 0;
    }
    Carry c;
    cross[0] = add_cc(c, cross[0], from_lower[0]);
#pragma unroll
    for (u32 i = 1; i < CROSS; i++)
        cross[i] = addc_cc(c, cross[i], i < WORDS ? from_lower[i % WORDS] : 0);
    u32 bit = from_lane(cross[HALF - 1], 0) >> 31;
    u32 last = twice(cross, is_upper ? bit : 0, CROSS);
    u32 own[2 * WORDS + 2], middle[WORDS], others[HALF];
    square_words(own, a.w);
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) middle[i] = from_lane(own[WORDS + i], 0);
#pragma unroll
    for (u32 i = 0; i < HALF; i++) others[i] = from_lane(cross[i], 0);
    // Lane 1: words WORDS to 4·WORDS - 1 of a·a, less than 2^(32·4·WORDS), so that no carry is
    // left.
    middle[0] = add_cc(c, middle[0], others[0]);
#pragma unroll
    for (u32 i = 1; i < WORDS; i++)
        middle[i] = addc_cc(c, middle[i], i < HALF ? others[i % HALF] : cross[i - HALF]);
    u32 carry = addc(c, 0, 0);
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) low.w[i] = is_upper ? middle[i] : own[i];
    add_cc(c, carry, ~0u);
#pragma unroll
    for (u32 i = 0; i < 2 * WORDS; i++)
        own[i] = addc_cc(c, own[i], i < WORDS ? cross[HALF + i % WORDS] : i == WORDS ? last : 0);
    Number high;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) {
        u32 word = from_lane(own[i], 1);
        high.w[i] = is_upper ? own[WORDS + i] : word;
    }
    return high;
}
#endif
// (low + R·high)/R mod n in [0, n), for low + R·high < n·R and R = 2^(32·LANES·WORDS): as
// mont_reduce, low ends at most at n, and with high, below n, that is less than 2n.
DEVICE Number reduce(const Number& low, const Number& high, const Number& n, u32 n0) {
    u32 even[WORDS], odd[WORDS] = {}, top = 0, in = 0, over;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) even[i] = low.w[i];
#pragma unroll UNROLL
    for (u32 i = 0; i < LANES * WORDS; i += 2) {
        add_product(even, odd, top, in, n, from_lane((even[0] + odd[1]) * n0, 0));
        in = from_above(even[0]);
        add_product(odd, even, top, in, n, from_lane((odd[0] + even[1]) * n0, 0));
        in = from_above(odd[0]);
    }
    Number x = gather(odd, even, top, over);
    x = sum(x, high, over);
    return below(x, over, n);
}
// −1/n modulo 2^32 for odd n, from its lowest word.
DEVICE u32 negated_inverse(u32 n) { return 0 - inverse_modulo_r(n); }
// R mod n for n of `length` bits: from 2^(length−1), which is below n unless n is 1, by doubling.
DEVICE Number one_mod(const Number& n, u32 length, u32 words) {
    Number x = below(power_of_two(length - 1), 0, n);
    u32 doublings = 32 * words + 1 - length;
    for (u32 i = warp_max(doublings); i > 0; i--) x = choose(i <= doublings, sum_mod(x, x, n), x);
    return x;
}
// R² mod n from R mod n: the power of two to 32·words, each in its Montgomery form.
DEVICE Number square_mod_of_r(const Number& one, const Number& n, u32 n0, u32 words) {
    Number x = one;
    for (i32 bit = 31 - __clz(32 * words); bit >= 0; bit--) {
        x = product_mod(x, x, n, n0, words);
        if (32 * words >> bit & 1) x = sum_mod(x, x, n);
    }
    return x;
}
