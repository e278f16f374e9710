// Factors many numbers of at most WORDS words without factors below the trial bound: tests which
// are prime, runs curves for the others, and splits them by the divisors found. One thread per
// number, or per curve of a number. The steps of a curve come from plan.rs and are the same for all
// threads of a launch.
//
// An item is a composite number with the place of the number it comes from. A launch of curves
// leaves a divisor with some items; the next launch sorts the pieces into primes, which are
// results, and composites, which are items again.

#define BABIES 24
#define GIANT 210
// Giant steps that are made affine together.
#define CHUNK 32

struct Point {
    Num x, z;
};

struct Curve {
    Ring ring;
    Num a24;
};

DEVICE Point twice(const Curve& curve, Point p) {
    const Ring& ring = curve.ring;
    Num sum = add(ring, p.x, p.z), difference = subtract(ring, p.x, p.z);
    sum = multiply(ring, sum, sum);
    difference = multiply(ring, difference, difference);
    Num t = subtract(ring, sum, difference);
    Num z = add(ring, difference, multiply(ring, curve.a24, t));
    return Point{multiply(ring, sum, difference), multiply(ring, t, z)};
}

// p + q, where apart is p - q or q - p.
DEVICE Point sum_of(const Curve& curve, Point p, Point q, Point apart) {
    const Ring& ring = curve.ring;
    Num u = multiply(ring, subtract(ring, p.x, p.z), add(ring, q.x, q.z));
    Num v = multiply(ring, add(ring, p.x, p.z), subtract(ring, q.x, q.z));
    Num sum = add(ring, u, v), difference = subtract(ring, u, v);
    sum = multiply(ring, sum, sum);
    difference = multiply(ring, difference, difference);
    return Point{multiply(ring, apart.z, sum), multiply(ring, apart.x, difference)};
}

// The steps of plan.rs.
DEVICE void first_stage(const Curve& curve, Point& start, const u64* steps, u32 count) {
    Point a = start, b = start, c = start;
    u64 word = 0;
#pragma unroll 1
    for (u32 i = 0; i < count; i++) {
        if (i % 8 == 0) word = __ldg(&steps[i / 8]);
        u32 step = u32(word) & 0xff;
        word >>= 8;
        if (step == 3) {
            Point sum = sum_of(curve, a, b, c);
            c = b;
            b = sum;
        } else if (step == 2) {
            Point t = a;
            a = b;
            b = t;
        } else if (step == 4) {
            b = sum_of(curve, a, b, c);
            a = twice(curve, a);
        } else if (step == 5) {
            c = sum_of(curve, c, a, b);
            a = twice(curve, a);
        } else if (step == 6) {
            c = sum_of(curve, c, b, a);
            b = twice(curve, b);
        } else if (step == 7) {
            a = sum_of(curve, a, b, c);
        } else {
            if (step == 1) b = c = a;
            a = twice(curve, a);
        }
    }
    start = a;
}

// Divides every x of points first..end by its z, with one inversion: a greatest common divisor
// above 1 is given back.
DEVICE Num make_affine(const Ring& ring, Num* x, Num* z, u32 first, u32 end) {
    Num product = ring.one;
#pragma unroll 1
    for (u32 i = first; i < end; i++) {
        x[i] = multiply(ring, x[i], product);
        product = multiply(ring, product, z[i]);
    }
    Num inverse = ring.one;
    Num divisor = invert(ring, product, inverse);
    if (divisor != number(1)) return divisor;
#pragma unroll 1
    for (u32 i = end; i-- > first;) {
        x[i] = multiply(ring, x[i], inverse);
        inverse = multiply(ring, inverse, z[i]);
    }
    return divisor;
}

// The greatest common divisor of n and the product over all pairs, or that which an inversion met.
DEVICE Num second_stage(const Curve& curve, Point q, const u32* pairs, u32 giants) {
    const Ring& ring = curve.ring;
    Num x[BABIES + CHUNK], z[BABIES + CHUNK];
    Point q2 = twice(curve, q);
    Point q3 = sum_of(curve, q2, q, q);
    Point q4 = twice(curve, q2);
    Point q6 = twice(curve, q3);
    // The multiples 6i - 1 and 6i + 1, each with its predecessor.
    Point low = sum_of(curve, q3, q2, q), low_before = q;
    Point high = sum_of(curve, q4, q3, q), high_before = q;
    x[0] = q.x;
    z[0] = q.z;
    u32 count = 1;
#pragma unroll 1
    for (u32 j = 5; j < GIANT / 2 + 1; j += 6) {
        if (j < GIANT / 2 && j % 5 != 0 && j % 7 != 0) {
            x[count] = low.x;
            z[count++] = low.z;
        }
        Point next = sum_of(curve, low, q6, low_before);
        low_before = low;
        low = next;
        if ((j + 2) % 5 != 0 && (j + 2) % 7 != 0) {
            x[count] = high.x;
            z[count++] = high.z;
        }
        if (j + 8 < GIANT / 2) {
            next = sum_of(curve, high, q6, high_before);
            high_before = high;
            high = next;
        }
    }
    // 107 and 103, 4 apart.
    Point giant = sum_of(curve, low, high, q4), at = giant, before = giant;
    Num product = ring.one;
    u32 first = 0;
#pragma unroll 1
    for (u32 k = 0; k < giants; k += CHUNK) {
        u32 some = min(giants - k, u32(CHUNK));
#pragma unroll 1
        for (u32 i = 0; i < some; i++) {
            x[BABIES + i] = at.x;
            z[BABIES + i] = at.z;
            Point next = k + i == 0 ? twice(curve, giant) : sum_of(curve, at, giant, before);
            before = at;
            at = next;
        }
        Num divisor = make_affine(ring, x, z, first, BABIES + some);
        if (divisor != number(1)) return divisor;
        first = BABIES;
#pragma unroll 1
        for (u32 i = 0; i < some; i++) {
#pragma unroll 1
            for (u32 bits = __ldg(&pairs[k + i]); bits != 0; bits &= bits - 1) {
                Num difference = subtract(ring, x[BABIES + i], x[__ffs(bits) - 1]);
                product = multiply(ring, product, difference);
            }
        }
    }
    Num unused;
    return invert(ring, product, unused);
}

DEVICE Num load(const u64* from, u32 i) {
#if WORDS == 1
    return from[i];
#else
    return Num{from[2 * u64(i)], from[2 * u64(i) + 1]};
#endif
}

DEVICE void store(u64* to, u32 i, Num value) {
#if WORDS == 1
    to[i] = value;
#else
    to[2 * u64(i)] = value.low;
    to[2 * u64(i) + 1] = value.high;
#endif
}

// Grid: one thread for each of `items` numbers and each of `replicas` curves from `sigma` on. If
// any curve of a number finds a divisor, one divisor is written to found[number]. claims[number],
// which must be 0 before, tells whether there is one.
KERNEL_BOUNDS(FACTOR_BLOCK, FACTOR_RESIDENT, factor_many_curves, const u64* values, u32 items,
              u32 replicas, u64 sigma, const u64* steps, u32 step_count, const u32* pairs,
              u32 giants, u64* found, u32* claims) {
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= items * replicas) return;
    u32 item = t % items;
    sigma += t / items;
    Curve curve;
    curve.ring = ring_of(load(values, item));
    const Ring& ring = curve.ring;
    // Suyama's curve: u = sigma^2 - 5, v = 4 sigma, the point (u^3 : v^3), (A + 2)/4 = (v - u)^3
    // (3u + v) / (16 u^3 v).
    Num s = residue(ring, sigma);
    Num u = subtract(ring, multiply(ring, s, s), residue(ring, 5));
    Num v = add(ring, s, s);
    v = add(ring, v, v);
    Num d = subtract(ring, v, u);
    Num above = multiply(ring, multiply(ring, d, d), d);
    Point q;
    q.x = multiply(ring, multiply(ring, u, u), u);
    q.z = multiply(ring, multiply(ring, v, v), v);
    above = multiply(ring, above, add(ring, add(ring, add(ring, u, u), u), v));
    Num inverse = ring.one;
    Num divisor = invert(ring, multiply(ring, multiply(ring, q.x, v), residue(ring, 16)), inverse);
    if (divisor == number(1)) {
        curve.a24 = multiply(ring, above, inverse);
        first_stage(curve, q, steps, step_count);
        divisor = second_stage(curve, q, pairs, giants);
    }
    if (divisor != number(1) && divisor != ring.n && atomicCAS(&claims[item], 0, 1) == 0) {
        store(found, item, divisor);
    }
}

// The strong test of odd n > 1 to the base.
DEVICE bool is_strong(const Ring& ring, u64 base) {
    Num below = ring.n - number(1), b = residue(ring, base);
    if (is_zero(b)) return true;
    Num minus_one = ring.n - ring.one, x = b;
    u32 twos = zeros(below);
#pragma unroll 1
    for (u32 i = top_bit(below); i-- > twos;) {
        x = multiply(ring, x, x);
        if (bit_of(below, i)) x = multiply(ring, x, b);
    }
    bool passed = x == ring.one || x == minus_one;
#pragma unroll 1
    for (u32 i = 1; i < twos && !passed; i++) {
        x = multiply(ring, x, x);
        passed = x == minus_one;
    }
    return passed;
}

// Whether odd n > 1 is prime: proved below 2^64, to the bases of small.rs; above, a strong probable
// prime to the base 2.
DEVICE bool is_prime(Num n) {
    Ring ring = ring_of(n);
    if (!is_strong(ring, 2)) return false;
    if (!is_single(n)) return true;
    if (low_word(n) >> 32 == 0) return is_strong(ring, 7) && is_strong(ring, 61);
    return is_strong(ring, 325) && is_strong(ring, 9375) && is_strong(ring, 28178) &&
           is_strong(ring, 450775) && is_strong(ring, 9780504) && is_strong(ring, 1795265022);
}

// A place in a list for each lane that wants one; all lanes of the warp call.
DEVICE u32 reserve(u32* count, bool wanted) {
    u32 mask = __ballot_sync(FULL_WARP, wanted), start = 0;
    if (lane_id() == 0 && mask != 0) start = atomicAdd(count, u32(__popc(mask)));
    start = __shfl_sync(FULL_WARP, start, 0);
    return start + __popc(mask & ((u32(1) << lane_id()) - 1));
}

// Sorts numbers into primes and composites. The k-th prime of place p goes to primes[k * stride +
// p], counted in taken[p]; state[0] is the maximum of taken. Composites are appended to a list with
// their places, counted in state[1]. There are *count numbers, or `most` if count is null. Grid:
// one thread per number, for `most` numbers. All threads of a warp stay to the end.
KERNEL_BOUNDS(FACTOR_BLOCK, 1, factor_many_sort, const u64* values, const u32* places, u32 most,
              const u32* count, u32 stride, u64* primes, u32* taken, u64* composites,
              u32* composite_places, u32* state) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    bool here = i < (count == nullptr ? most : *count), prime = false;
    if (!__any_sync(FULL_WARP, here)) return;
    Num n = number(0);
    u32 place = 0;
    if (here) {
        n = load(values, i);
        place = places[i];
        prime = is_prime(n);
    }
    if (prime) {
        u32 at = atomicAdd(&taken[place], 1u);
        store(primes, at * stride + place, n);
        atomicMax(&state[0], at + 1);
    }
    u32 at = reserve(&state[1], here && !prime);
    if (here && !prime) {
        store(composites, at, n);
        composite_places[at] = place;
    }
}

// Takes items apart: the two pieces of one with a divisor are added to a list with its place,
// counted in state[2], one without is added to the composites, counted in state[1]. Claims are 0
// afterwards. A thread an item; the grid covers `items`, all threads stay to the end.
KERNEL_BOUNDS(FACTOR_BLOCK, 1, factor_many_split, const u64* values, const u32* places, u32 items,
              const u64* found, u32* claims, u64* pieces, u32* piece_places, u64* composites,
              u32* composite_places, u32* state) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    bool here = i < items, split = false;
    Num n = number(0);
    u32 place = 0;
    if (here) {
        n = load(values, i);
        place = places[i];
        split = claims[i] != 0;
        claims[i] = 0;
    }
    u32 at = reserve(&state[1], here && !split);
    if (here && !split) {
        store(composites, at, n);
        composite_places[at] = place;
    }
    u32 first = reserve(&state[2], split), second = reserve(&state[2], split);
    if (split) {
        Num divisor = load(found, i);
        // The division is exact: by the inverse modulo 2^(64 WORDS).
        Num inverse = number((low_word(divisor) * 3) ^ 2);
#pragma unroll 1
        for (u32 step = 0; step < 3 + WORDS; step++) {
            inverse = multiply_low(inverse, number(2) - multiply_low(divisor, inverse));
        }
        store(pieces, first, divisor);
        store(pieces, second, multiply_low(n, inverse));
        piece_places[first] = piece_places[second] = place;
    }
}
