// The quadratic sieve's polynomials on a device: roots, marks, candidates, and the primes that
// divide a candidate.
//
// A leading coefficient is a = q_0·…·q_(s−1), and its values of b are ±B_0 ± … ± B_(s−1), the last
// sign being plus. Modulo a prime p of the factor base, B_i/a ≡ g_i = γ_i/q_i, so that the roots of
// (ax + b)² − kn are ±t/a − Σ ±g_i with t² ≡ kn. The signs fall into two halves. For every choice
// of signs of the first half `low` has −Σ ±g_i, and for every choice of the second half `high` has
// the rest of the first root, counted from the left end of the interval. `apart` is the distance of
// the two roots. So the roots of any polynomial are two additions away, and blocks are independent
// of each other.
//
// Bit i of a polynomial's number says that B_i has the sign minus.

#ifndef SIEVE_FACTORS
#error "SIEVE_FACTORS: most primes of a leading coefficient"
#endif
// Words of a record: polynomial, place and sum of logarithms, number of primes, primes.
#ifndef SIEVE_RECORD
#error "SIEVE_RECORD: words of a record"
#endif
#define MOST_PRIMES (SIEVE_RECORD - 3)
// Maximum recorded candidates of one polynomial. Their numbers, counted from 1, fit in a byte.
#define MOST_CANDIDATES 128

// x·y mod p for x, y < p < 2^24. The quotient by floating point is off by at most one: the product
// is below 2^48, hence exact, and the error of the reciprocal and of the product is below 2^−28.
DEVICE u32 times(u32 x, u32 y, u32 p, double reciprocal) {
    const u64 product = u64(x) * y;
    const u64 quotient = u64(double(product) * reciprocal);
    const i64 rest = i64(product - quotient * p);
    return u32(rest < 0 ? rest + p : rest >= i64(p) ? rest - p : rest);
}

DEVICE u32 plus(u32 x, u32 y, u32 p) {
    const u32 sum = x + y;
    return sum >= p ? sum - p : sum;
}

DEVICE u32 minus(u32 x, u32 y, u32 p) { return x >= y ? x - y : x + p - y; }

// 1/x mod p for 0 < x < p, p prime, by Euclid's algorithm: u·x ≡ ±r at every step, |u| <= p.
DEVICE u32 inverse(u32 x, u32 p) {
    u32 r0 = p, r1 = x;
    i32 u0 = 0, u1 = 1;
    while (r1 > 1) {
        const u32 q = r0 / r1;
        const u32 r = r0 - q * r1;
        const i32 u = u0 - i32(q) * u1;
        r0 = r1, r1 = r;
        u0 = u1, u1 = u;
    }
    return u1 < 0 ? u32(u1 + i32(p)) : u32(u1);
}

// Writes start − Σ ±g_i for all choices of signs of the first `bits` of g, in rows of `count`. The
// choices are in Gray code order: each differs from the previous one in one sign.
DEVICE void all_signs(u32* to, u32 count, const u32* g, u32 bits, u32 start, u32 p) {
    u32 value = start;
    for (u32 i = 0; i < bits; i++) value = minus(value, g[i], p);
    to[0] = value;
    for (u32 i = 1; i < 1u << bits; i++) {
        const u32 code = i ^ (i >> 1);
        const u32 bit = 31 - __clz(i & (0u - i));
        const u32 twice = plus(g[bit], g[bit], p);
        value = (code >> bit) & 1 ? plus(value, twice, p) : minus(value, twice, p);
        to[u64(code) * count] = value;
    }
}

// The tables of `leadings` leading coefficients.
// Grid: leadings · ceil(count/blockDim) blocks. A thread has one prime of one leading coefficient.
// primes: p in the low 24 bits. roots: t. parts: SIEVE_FACTORS pairs q_i, γ_i per coefficient.
// A prime that divides a gets roots that mean nothing: they cost a few wrong candidates.
KERNEL(sieve_roots, const u32* primes, const u32* roots, u32 count, const u32* parts, u32 leadings,
       u32 factors, u32 low_bits, u32 half, u32* low, u32* high, u32* apart) {
    const u32 blocks = (count + blockDim.x - 1) / blockDim.x;
    const u32 leading = blockIdx.x / blocks;
    const u32 place = blockIdx.x % blocks * blockDim.x + threadIdx.x;
    if (place >= count || leading >= leadings) return;
    const u32 p = primes[place] & 0xffffff;
    const double reciprocal = 1.0 / p;
    parts += leading * 2 * SIEVE_FACTORS;
    u32 g[SIEVE_FACTORS];
    // g_i holds the product of the primes before q_i, then that of all others, then γ_i/q_i.
    u32 product = 1;
    for (u32 i = 0; i < factors; i++) {
        g[i] = product;
        product = times(product, parts[2 * i] % p, p, reciprocal);
    }
    const u32 inverted = product == 0 ? 0 : inverse(product, p);
    u32 after = inverted;
    for (u32 i = factors; i-- > 0;) {
        g[i] = times(times(g[i], after, p, reciprocal), parts[2 * i + 1] % p, p, reciprocal);
        after = times(after, parts[2 * i] % p, p, reciprocal);
    }
    const u32 root = times(roots[place], inverted, p, reciprocal);
    const u32 high_bits = factors - 1 - low_bits;
    const u32 last = minus(minus(half % p, root, p), g[factors - 1], p);
    all_signs(low + (u64(leading) << low_bits) * count + place, count, g, low_bits, 0, p);
    all_signs(high + (u64(leading) << high_bits) * count + place, count, g + low_bits, high_bits,
              last, p);
    apart[u64(leading) * count + place] = plus(root, root, p);
}

// The work on a prime at every place of the interval that it divides: the first pass marks the
// place (Mark), the second notes the prime (Note).
struct Mark {
    u32* words;
};
struct Note {
    const u32* words;
    u32* records;
    u32 room;
};

// Adds a prime's logarithm to a byte. Sums stay below 256 by the plan's choice of the unit.
DEVICE void visit(const Mark& mark, u32 at, u32 log, u32) {
    atomicAdd(&mark.words[at / 4], log << (8 * (at % 4)));
}

// Notes a prime with the candidate that it divides.
DEVICE void visit(const Note& note, u32 at, u32, u32 place) {
    const u32 candidate = (note.words[at / 4] >> (8 * (at % 4))) & 0xff;
    if (candidate == 0 || candidate > note.room) return;
    u32* record = note.records + (candidate - 1) * SIEVE_RECORD;
    const u32 known = atomicAdd(&record[2], 1);
    if (known < MOST_PRIMES) record[3 + known] = place;
}

// The primes of the base from `first` on, and where their roots are for one polynomial.
struct Roots {
    const u32* primes;
    const u32* low;
    const u32* high;
    const u32* apart;
    u32 first, middle, count, interval;
};

// Visits every prime and every place of the interval that it divides. A warp shares a prime before
// `middle`; a thread has a prime after it.
template <class Visit>
DEVICE void visit_all(const Roots& roots, const Visit& what) {
    const u32 lane = lane_id(), warps = blockDim.x / 32, interval = roots.interval;
    for (u32 i = roots.first + threadIdx.x / 32; i < roots.middle; i += warps) {
        const u32 p = roots.primes[i] & 0xffffff, log = roots.primes[i] >> 24;
        const u32 one = plus(roots.low[i], roots.high[i], p), two = plus(one, roots.apart[i], p);
        for (u32 at = one + lane * p; at < interval; at += 32 * p) visit(what, at, log, i);
        for (u32 at = two + lane * p; at < interval; at += 32 * p) visit(what, at, log, i);
    }
    for (u32 i = roots.middle + threadIdx.x; i < roots.count; i += blockDim.x) {
        const u32 p = roots.primes[i] & 0xffffff, log = roots.primes[i] >> 24;
        const u32 one = plus(roots.low[i], roots.high[i], p), two = plus(one, roots.apart[i], p);
        for (u32 at = one; at < interval; at += p) visit(what, at, log, i);
        for (u32 at = two; at < interval; at += p) visit(what, at, log, i);
    }
}

// Sieves polynomials, one per block, and writes a record for each candidate. Grid: any number of
// polynomials; number index is polynomial index mod 2^(low_bits + high_bits) of leading coefficient
// index >> (low_bits + high_bits). Block: a multiple of 32 threads. Dynamic shared memory: the
// interval, a byte for each place; it is at most 2^24 and a multiple of 4. primes: p in the low 24
// bits, its logarithm above; those before `first` are not sieved, those before `middle` are below
// the interval. state: the number of records so far, which may exceed capacity.
KERNEL_BOUNDS(SIEVE_BLOCK, 1, sieve_polynomials, const u32* primes, u32 count, u32 first,
              u32 middle, const u32* low, const u32* high, const u32* apart, u32 low_bits,
              u32 high_bits, u32 interval, u32 start, u32* records, u32 capacity, u32* state) {
    DYNAMIC_SHARED(u32, words);
    typedef u32 Places[MOST_CANDIDATES];
    SHARED(Places, places);
    typedef u32 Counts[2];
    SHARED(Counts, counts);
    const u32 leading = blockIdx.x >> (low_bits + high_bits);
    const u32 low_signs = blockIdx.x & ((1u << low_bits) - 1);
    const u32 high_signs = (blockIdx.x >> low_bits) & ((1u << high_bits) - 1);
    const Roots roots = {
        primes,
        low + ((u64(leading) << low_bits) + low_signs) * count,
        high + ((u64(leading) << high_bits) + high_signs) * count,
        apart + u64(leading) * count,
        first,
        middle,
        count,
        interval,
    };
    for (u32 i = threadIdx.x; i < interval / 4; i += blockDim.x) words[i] = start * 0x01010101u;
    if (threadIdx.x == 0) counts[0] = 0;
    __syncthreads();
    visit_all(roots, Mark{words});
    __syncthreads();
    for (u32 i = threadIdx.x; i < interval / 4; i += blockDim.x) {
        const u32 word = words[i];
        if ((word & 0x80808080u) == 0) continue;
        for (u32 byte = 0; byte < 4; byte++) {
            const u32 sum = (word >> (8 * byte)) & 0xff;
            if (sum < 128) continue;
            const u32 at = atomicAdd(&counts[0], 1);
            if (at < MOST_CANDIDATES) places[at] = (4 * i + byte) | sum << 24;
        }
    }
    __syncthreads();
    const u32 candidates = min(counts[0], u32(MOST_CANDIDATES));
    if (candidates == 0) return;
    // The bytes become the numbers of the candidates.
    for (u32 i = threadIdx.x; i < interval / 4; i += blockDim.x) words[i] = 0;
    if (threadIdx.x == 0) counts[1] = atomicAdd(state, candidates);
    __syncthreads();
    const u32 begin = counts[1];
    const u32 room = begin < capacity ? min(candidates, capacity - begin) : 0;
    records += u64(begin) * SIEVE_RECORD;
    for (u32 i = threadIdx.x; i < room; i += blockDim.x) {
        const u32 at = places[i] & 0xffffff;
        atomicOr(&words[at / 4], (i + 1) << (8 * (at % 4)));
        records[i * SIEVE_RECORD] = blockIdx.x;
        records[i * SIEVE_RECORD + 1] = places[i];
        records[i * SIEVE_RECORD + 2] = 0;
    }
    __syncthreads();
    visit_all(roots, Note{words, records, room});
}
