// Followers of the gcd by lattices. Every thread has some moduli and applies every step to each of
// them. mailbox.rs describes the log of steps. -D values: LATTICE_BLOCK, the threads of a block;
// LATTICE_WORDS, the maximum of 32-bit words of an entry.
//
// Moduli are primes q of 31 bits, R = 2^32. A modulus's word is q | (−1/q mod R) << 32; its
// residues' word is u | v << 32, both in
// [0, q).

#if !defined(LATTICE_BLOCK) || !defined(LATTICE_WORDS)
#error "LATTICE_BLOCK and LATTICE_WORDS are set by the host"
#endif

#define THERE (1ull << 63)

struct Prime {
    u32 q;
    u32 ninv;

    // (x + w)/R modulo q, at most q + 1 for x <= q + 1.
    __device__ u32 step(u32 x, u32 w) const { return montgomery_reduce_up((u64)x + w, q, ninv); }
    __device__ u32 once(u32 x) const { return x >= q ? x - q : x; }
    // sum/R modulo q in [0, q), for sums up to 2q².
    __device__ u32 reduce(u64 sum) const { return once(montgomery_reduce_up(sum, q, ninv)); }
    // x·y/R modulo q in [0, q), for x <= q and y < 2^31.
    __device__ u32 mul(u32 x, u32 y) const { return reduce((u64)x * y); }
    // R modulo q.
    __device__ u32 one() const { return (0u - q) % q; }
};

DEVICE Prime prime(u64 word) {
    Prime p;
    p.q = (u32)word;
    p.ninv = (u32)(word >> 32);
    return p;
}

typedef u32 Partial[2][LATTICE_BLOCK];

// Computes the residues of two numbers of len_u and len_v limbs, times R^-(segments·length), modulo
// each of `count` primes.
//
// A number is cut into `segments` pieces of `length` words, an even number, with zeros above. Grid:
// blocks of LATTICE_BLOCK threads, each for LATTICE_BLOCK/segments primes. segments must divide
// LATTICE_BLOCK. Writes state[0, count).
KERNEL_BOUNDS(LATTICE_BLOCK, 1, lattice_convert, u64* state, const u64* primes, u64 count,
              const u64* u, u64 len_u, const u64* v, u64 len_v, u32 segments, u32 length) {
    SHARED(Partial, partial);
    u32 width = LATTICE_BLOCK / segments;
    u32 segment = threadIdx.x / width;
    u64 index = (u64)blockIdx.x * width + threadIdx.x % width;
    Prime p = prime(primes[index < count ? index : 0]);
    u32 x = 0, y = 0;
    u64 from = (u64)segment * (length / 2), to = from + length / 2;
    u64 both = len_u < len_v ? len_u : len_v;
    u64 middle = to < both ? to : both;
    u64 i = from;
    for (; i < middle; i++) {
        u64 a = __ldg(u + i), b = __ldg(v + i);
        x = p.step(p.step(x, (u32)a), (u32)(a >> 32));
        y = p.step(p.step(y, (u32)b), (u32)(b >> 32));
    }
    for (; i < to; i++) {
        u64 a = i < len_u ? __ldg(u + i) : 0, b = i < len_v ? __ldg(v + i) : 0;
        x = p.step(p.step(x, (u32)a), (u32)(a >> 32));
        y = p.step(p.step(y, (u32)b), (u32)(b >> 32));
    }
    partial[0][threadIdx.x] = p.once(x);
    partial[1][threadIdx.x] = p.once(y);
    __syncthreads();
    if (segment > 0 || index >= count) return;
    // R^-length in Montgomery's form, where 1/R is 1.
    u32 scale = p.one();
    for (u32 bit = 32 - __clz(length); bit-- > 0;) {
        scale = p.mul(scale, scale);
        if (length >> bit & 1) scale = p.mul(scale, 1);
    }
    x = y = 0;
    for (u32 s = 0; s < segments; s++) {
        x = p.once(p.mul(x, scale) + partial[0][s * width + threadIdx.x]);
        y = p.once(p.mul(y, scale) + partial[1][s * width + threadIdx.x]);
    }
    state[index] = (u64)y << 32 | x;
}

typedef ulonglong2 Words[LATTICE_WORDS];

// Applies the steps of the log to the residues as they arrive, until the log says stop. Publishes
// the residues of the first `soon` blocks of k primes at once, and later those of the blocks that
// the host requests.
//
// Grid: cooperative, any number of blocks of LATTICE_BLOCK threads. Only block 0 reads the log,
// which is in host memory. It forwards the log to the other blocks through `relay`: headers first,
// zeroed at launch, then payload. All blocks wait for block 0, and the host waits for some of them.
// Prime i belongs to thread i modulo the number of all threads. A thread updates its lowest primes
// first, because the host requests the lowest remaining block next. headers, payload, published:
// mapped host memory.
KERNEL_BOUNDS(LATTICE_BLOCK, 1, lattice_follow, u64* state, const u64* primes, u64 count, u32 k,
              u32 soon, const u64* headers, const u64* payload, u64* published, u64* relay,
              u64 relay_headers) {
    const bool relays = blockIdx.x == 0;
    u64* passed = relay + relay_headers;
    SHARED(Words, words);
    SHARED(u64, shared_header);
    u64 base = (u64)blockIdx.x * LATTICE_BLOCK, first = base + threadIdx.x;
    u64 stride = (u64)gridDim.x * LATTICE_BLOCK;
    for (u64 i = first; i < count && i < (u64)soon * k; i += stride) {
        u64 pair = state[i];
        store_system(published + i, THERE | (pair >> 32) << 31 | (u32)pair);
    }
    // No thread of the block has a prime from here on.
    u64 end = base < count ? base + (count - 1 - base) / stride * stride + LATTICE_BLOCK : 0;
    u64 active = 0;
    while (active < end || relays) {
        if (threadIdx.x == 0) {
            u64 header;
            while (!((header = relays ? load_system(headers) : load_acquire(relay)) >> 63)) pause();
            shared_header = header;
        }
        __syncthreads();
        u64 header = shared_header;
        if (header >> 62 & 1) {
            if (relays && threadIdx.x == 0) store_release(relay, header);
            return;
        }
        u32 length = header >> 48 & 1023, signs = header >> 58 & 15;
        for (u32 i = threadIdx.x; i < length; i += LATTICE_BLOCK) {
            ulonglong2 pair;
            if (relays) {
                pair = make_ulonglong2(load_system_relaxed(payload + 2 * i),
                                       load_system_relaxed(payload + 2 * i + 1));
                store_relaxed(passed + 2 * i, pair.x);
                store_relaxed(passed + 2 * i + 1, pair.y);
            } else {
                pair =
                    make_ulonglong2(load_relaxed(passed + 2 * i), load_relaxed(passed + 2 * i + 1));
            }
            words[i] = pair;
        }
        if (relays) __threadfence();
        __syncthreads();
        if (relays && threadIdx.x == 0) store_release(relay, header);
        headers++;
        relay++;
        payload += 2 * length;
        passed += 2 * length;
        active = (header >> 24 & 0xffffff) * k;
        u64 publish = (header & 0xffffff) * k;
        u64 i = first < active ? first + (active - first + stride - 1) / stride * stride : first;
        for (; i < count; i += stride) {
            Prime p = prime(primes[i]);
            u64 pair = state[i];
            u32 a1 = 0, b1 = 0, a2 = 0, b2 = 0;
            for (u32 j = 0; j < length; j++) {
                ulonglong2 w = words[j];
                a1 = p.step(a1, (u32)w.x);
                b1 = p.step(b1, (u32)(w.x >> 32));
                a2 = p.step(a2, (u32)w.y);
                b2 = p.step(b2, (u32)(w.y >> 32));
            }
            a1 = p.once(a1), b1 = p.once(b1), a2 = p.once(a2), b2 = p.once(b2);
            if (signs & 1) a1 = p.q - a1;
            if (signs & 2) b1 = p.q - b1;
            if (signs & 4) a2 = p.q - a2;
            if (signs & 8) b2 = p.q - b2;
            u32 u = (u32)pair, v = (u32)(pair >> 32);
            u32 x = p.reduce((u64)a1 * u + (u64)b1 * v);
            u32 y = p.reduce((u64)a2 * u + (u64)b2 * v);
            if (i - publish < k) store_system(published + i, THERE | (u64)y << 31 | x);
            state[i] = (u64)y << 32 | x;
        }
    }
}

// out[t] = u | R·Π p/R << 32 for each of `targets` primes q from `first` on: its residue, and the
// product modulo q of the first `end` primes p without q itself. Grid: one warp for each,
// LATTICE_BLOCK/32 warps per block.
KERNEL_BOUNDS(LATTICE_BLOCK, 1, lattice_products, u64* out, const u64* state, const u64* primes,
              u64 first, u64 targets, u64 end) {
    u64 target = (u64)blockIdx.x * (LATTICE_BLOCK / 32) + threadIdx.x / 32;
    if (target >= targets) return;
    u64 index = first + target;
    Prime p = prime(primes[index]);
    u32 product = p.one();
    for (u64 i = lane_id(); i < end; i += 32)
        if (i != index) product = p.mul(product, (u32)primes[i]);
    for (u32 apart = 16; apart > 0; apart /= 2)
        product = p.mul(product, __shfl_xor_sync(FULL_WARP, product, apart));
    if (lane_id() == 0) out[target] = (u64)product << 32 | (u32)state[index];
}
