// Baillie and Wagstaff's test of rows, "Lucas pseudoprimes", Math. Comp. 35 (1980), as in the
// crate's `primality`: a strong test to the base 2 and a strong Lucas test with Selfridge's
// parameters, by Montgomery products. Blocks of any number of warps; LANES lanes a row.

#define COMPOSITE 0
#define PASSES PRIME_PASSES
#define UNDECIDED \
    PRIME_UNDECIDED // below 1024, or no parameter among TRIES, as for squares: the host decides

#define TRIES 24

DEVICE u32 remainder(const u32* row, u32 words, u32 by) {
    u64 r = 0;
    for (u32 i = words; i > 0; i--) r = (r << 32 | row[i - 1]) % by;
    return (u32)r;
}
// Jacobi's symbol (a/k) for odd k > a.
DEVICE i32 jacobi(u32 a, u32 k) {
    i32 sign = 1;
    while (a != 0) {
        u32 twos = __ffs(a) - 1;
        a >>= twos;
        if (twos % 2 && (k % 8 == 3 || k % 8 == 5)) sign = -sign;
        if (a % 4 == 3 && k % 4 == 3) sign = -sign;
        u32 rest = k % a;
        k = a;
        a = rest;
    }
    return k == 1 ? sign : 0;
}
// The first D of 5, −7, 9, ... with (D/n) = −1; 0 where none of them has, 1 where one has a factor
// of n, which is above all of them.
DEVICE i32 selfridge(const u32* row, u32 words) {
    for (u32 i = 0; i < TRIES; i++) {
        u32 k = 5 + 2 * i, low = row[0];
        i32 symbol = jacobi(remainder(row, words, k), k);
        if (k % 4 == 3 && low % 4 == 3) symbol = -symbol; // reciprocity
        if (i % 2 && low % 4 == 3) symbol = -symbol;      // (−1/n)
        if (symbol < 0) return i % 2 ? -(i32)k : (i32)k;
        if (symbol == 0) return 1;
    }
    return 0;
}
// x·k mod n for small k.
DEVICE Number times_mod(const Number& x, i32 k, const Number& n) {
    u32 size = k < 0 ? -k : k;
    Number zero = small_number(0), y = zero;
    for (i32 bit = 7; bit >= 0; bit--) {
        y = sum_mod(y, y, n);
        Number more = sum_mod(y, x, n);
        y = choose(size >> bit & 1, more, y);
    }
    return choose(k < 0, difference_mod(zero, y, n), y);
}
DEVICE Number half_mod(const Number& x, const Number& n) {
    u32 carry;
    Number s = sum(x, n, carry);
    bool odd = from_lane(x.w[0], 0) & 1;
    return half(choose(odd, s, x), odd ? carry : 0);
}

DEVICE bool are_equal(const Number& a, const Number& b) {
    u32 borrow;
    return is_zero_number(difference(a, b, borrow));
}

// out[row] = PASSES, COMPOSITE or UNDECIDED, for `count` rows of `words` words.
// Grid: any number of blocks of any number of warps, LANES lanes per row.
KERNEL(batch_prime, u64* out, const u32* a, u64 count, u32 words) {
    FOR_ROWS(row, live, count) {
        const u32* from = a + row * words;
        u32 length = bit_length(from, words), n0 = negated_inverse(from[0] | 1);
        bool small = length <= 10, even = from[0] % 2 == 0;
        Number n = load_part(from, words);
        if (part() == 0) n.w[0] |= 1; // of an even row nothing is used
        Number one = one_mod(n, max(length, 1u), words),
               minus = difference_mod(small_number(0), one, n);

        // 2^d for n − 1 = d·2^twos, and its squares.
        u32 twos = 1;
        while (twos < length && !(bits_at(from, words, twos) & 1)) twos++;
        Number x = one;
        u32 bits = length > twos ? length - twos : 0;
        for (u32 i = warp_max(bits); i > 0; i--) {
            Number y = product_mod(x, x, n, n0, words);
            bool bit = i <= bits && bits_at(from, words, twos + i - 1) & 1;
            x = choose(i <= bits, choose(bit, sum_mod(y, y, n), y), x);
        }
        // Both are asked of all lanes, which compare together.
        bool is_one = are_equal(x, one), is_minus = are_equal(x, minus),
             passes = is_one || is_minus;
        u32 most = warp_max(twos);
        for (u32 i = 1; i < most; i++) {
            x = product_mod(x, x, n, n0, words);
            bool equal = are_equal(x, minus);
            passes = passes || (i < twos && equal);
        }

        // U, V and Q^k at the index k = (n + 1)/2^twos, and V at its doubles.
        i32 d = passes && !small && !even ? selfridge(from, words) : 1;
        bool lucas = d != 0 && d != 1;
        Number zero = small_number(0), big_d = times_mod(one, d, n),
               big_q = times_mod(one, (1 - d) / 4, n);
        twos = trailing_zeros(from, words, ~0u);
        bits = length > twos ? length - twos : 0;
        Number u = one, v = one, power = big_q;
        bool any = __any_sync(FULL_WARP, lucas);
        for (u32 i = any ? warp_max(bits) : 1; i > 1; i--) {
            Number y = product_mod(v, v, n, n0, words);
            Number twice = sum_mod(power, power, n);
            Number next_u = product_mod(u, v, n, n0, words), next_v = difference_mod(y, twice, n);
            Number next_power = product_mod(power, power, n, n0, words);
            // The lowest bit of the index is always set.
            bool bit = i == 2 || bits_at(from, words, twos + i - 2) & 1;
            Number du = product_mod(next_u, big_d, n, n0, words);
            Number more_u = half_mod(sum_mod(next_u, next_v, n), n),
                   more_v = half_mod(sum_mod(du, next_v, n), n);
            Number more_power = product_mod(next_power, big_q, n, n0, words);
            bool now = i <= bits;
            u = choose(now, choose(bit, more_u, next_u), u);
            v = choose(now, choose(bit, more_v, next_v), v);
            power = choose(now, choose(bit, more_power, next_power), power);
        }
        bool no_u = is_zero_number(u), no_v = is_zero_number(v), is_lucas = no_u || no_v;
        most = any ? warp_max(twos) : 0;
        for (u32 i = 1; i < most; i++) {
            Number y = product_mod(v, v, n, n0, words);
            v = difference_mod(y, sum_mod(power, power, n), n);
            power = product_mod(power, power, n, n0, words);
            bool none = is_zero_number(v);
            is_lucas = is_lucas || (i < twos && none);
        }
        u32 verdict = passes && !even && lucas && is_lucas ? PASSES : COMPOSITE;
        if (small || (passes && !even && d == 0)) verdict = UNDECIDED;
        if (live && part() == 0) out[row] = verdict;
    }
}
