// A rank's part of the moduli of Weber's modular GCD: one launch for each step, as the least
// quotient of all ranks is found between two launches. The module's documentation has the
// recurrences.

constexpr u32 BLOCK = PART_BLOCK;
constexpr u32 INFINITE = ~0u;
constexpr u64 NOTHING = ~0ull;

// Size, modulus and sign of a quotient, of 31, 32 and one bit.
DEVICE u64 quotient_word(const Modulus& m, u32 t) {
    u32 size = min(t, m.p - t);
    return (u64)size << 33 | (u64)m.p << 1 | (u64)(size != t);
}

// Does `work` on every modulus, then finds the smallest word for the next step and writes its
// complement to best[turn], which must be 0 before. Sets best[1 − turn] to 0.
//   PART_BEGIN: starts from the residues of U and V; the next words are those of quotients.
//   PART_STEP: a step by p and b = value; the next words are those of quotients.
//   PART_WORDS: no change; the next words are those of digits.
//   PART_DIGIT: a digit, `value` at p; the next words are those of digits.
// The word of a quotient has its size, then its modulus, then its sign. The word of a digit has its
// modulus, then the digit.
//
// Grid: one thread for each modulus, blocks of BLOCK threads, no dynamic shared memory.
// residues: those of U, then those of V.
// state: the constants inverse and square, then t, word and product, `count` words each. A thread
// uses only those of its own modulus. PART_BEGIN writes all of it.
KERNEL_BOUNDS(BLOCK, 1, weber_part, const u32* primes, const u32* residues, u64 count, u32* state,
              u64* best, u32 turn, u32 work, u32 p, i32 value) {
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    bool there = i < count;
    if (i == 0) best[1 - turn] = 0;
    Modulus m;
    u32 t = INFINITE, word = 0, product = 0;
    if (there && work == PART_BEGIN) {
        m = modulus_of(primes[i]);
        state[i] = m.inverse;
        state[count + i] = m.square;
        u32 u = residues[i], v = residues[count + i];
        word = v ? v : u;
        product = 1;
        if (v) t = m.mul_plain(u, m.inv(v));
    } else if (there) {
        m.p = primes[i];
        m.inverse = state[i];
        m.square = state[count + i];
        m.one = 0;
        t = state[2 * count + i];
        word = state[3 * count + i];
        product = state[4 * count + i];
        if (work == PART_STEP) {
            u32 size = value < 0 ? 0u - (u32)value : (u32)value;
            u32 s = t == INFINITE ? 1 : value < 0 ? m.add(t, size) : m.sub(t, size);
            u32 next = INFINITE;
            if (t == INFINITE) {
                if (word) next = 0;
            } else if (s) {
                next = m.mul(m.mul(p, m.square), m.inv(s));
            }
            t = next;
            // Words and products are scaled alike, and their ratio is right.
            word = m.mul(word, s ? s : p);
            product = m.mul(product, p);
        } else if (work == PART_DIGIT) {
            word = m.sub(word, m.mul_plain(m.residue(value), product));
            product = m.mul_plain(p, product);
        }
    }
    if (there) {
        state[2 * count + i] = t;
        state[3 * count + i] = word;
        state[4 * count + i] = product;
    }
    u64 key = NOTHING;
    if (work == PART_BEGIN || work == PART_STEP) {
        if (t != INFINITE) key = quotient_word(m, t);
        key = warp_least(key);
    } else {
        // The least prime of the warp with a word that is not 0, so that one lane inverts.
        u64 own = there && word ? m.p : NOTHING, least = warp_least(own);
        if (least != NOTHING && own == least) {
            i32 digit = m.symmetric(m.mul_plain(word, m.inv(product)));
            key = (u64)m.p << 32 | (u32)digit;
        }
        key = warp_least(key);
    }
    if (lane_id() == 0 && key != NOTHING) atomicMax(best + turn, ~key);
}
