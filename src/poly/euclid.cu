// Euclid's algorithm for one block in shared memory: whole polynomials, or the leading coefficients
// of long ones with the matrix of the steps.
//
// Two rows (P, u, v) and (Q, u, v) satisfy P = u·A + v·B, except for the windows described below.
// If deg P = deg Q + 1, as nearly always, a quotient takes one step without inverses: with leading
// coefficients a, a' of P and b, b' of Q,
//     P ← b²·P − (a·b·x + (a'·b − a·b'))·Q,
// else one leading coefficient vanishes at a time: P ← b·P − a·x^e·Q. Every factor is divided by R
// on the way, so rows change by units; u and v of a row change with it. P is written to memory in
// which no thread reads a neighbour, so a step takes one barrier.
//
// A window has the coefficients from x^shift on. P comes out right from index `valid` on: max(valid
// of P, valid of Q + e) after each step. A quotient that is found from coefficients that are right
// is the quotient of the whole polynomials, and so is the matrix.

#if !defined(EUCLID_LEAD)
#error "EUCLID_LEAD comes from the tuning"
#endif

constexpr i32 LEAD = EUCLID_LEAD; // most that degrees drop in one matrix
constexpr i32 WINDOW = 2 * LEAD;  // coefficients that a matrix is found from
constexpr i32 ENTRY = LEAD + 2;   // room for an entry of the matrix
constexpr i32 WHOLE = -(1 << 30); // `valid` of a polynomial with all its coefficients

struct Row {
    Word* r; // index −1 is 0
    Word* u; // index −1 is 0
    Word* v; // index −1 is 0
    i32 degree;
    i32 valid;
    i32 grown; // most degree of u and v
    Word unit; // r over the remainder that it stands for, where steps are noted
    u32 used;  // whether it has been noted as a divisor

    __device__ i32 least() const { return max(valid, 0); }
};

// The highest index from `most` to `least` at which r is not 0, or least − 1. All lanes of a warp
// call.
static __device__ i32 leading(const Word* r, i32 most, i32 least) {
    if (most >= least && r[most] != 0) return most; // the same for all
    for (; most >= least; most -= 32) {
        const i32 i = most - (i32)lane_id();
        const u32 some = __ballot_sync(FULL_WARP, i >= least && r[i] != 0);
        if (some) return most - (__ffs(some) - 1);
    }
    return least - 1;
}

// Rows P and Q: divides while the divisor has a degree of at least `stop`; or once, if not
// `onward`, until P has a lower degree than Q. deg P ≥ deg Q, both leading coefficients other than
// 0. Afterwards Q is 0, has a degree below stop, or is not known well enough: its degree is then at
// most the given one. Each divisor that is new is noted: how much lower its degree is than that of
// what it divides (by `far` more than here), its leading coefficient, and its unit.
template <bool MATRIX, bool STEPS>
static __device__ void euclid(const Field& f, Row (&rows)[2], i32 stop, bool onward, u64* steps,
                              u64& count, i64 far) {
    Row p = rows[0], q = rows[1]; // in registers
    while (q.degree >= stop && q.degree >= q.valid && p.degree >= p.valid) {
        const Word a = p.r[p.degree], b = q.r[q.degree];
        const bool whole = p.degree == q.degree + 1 && q.degree > q.valid && p.degree > p.valid;
        const i32 e = p.degree - q.degree;
        Word keep = b, shifted = f.neg(a), straight = 0;
        if (whole) {
            Sum sum;
            sum.add(f, a, q.r[q.degree - 1]);
            sum.add(f, f.neg(b), p.r[p.degree - 1]);
            straight = sum.value(f);
            shifted = f.mul(shifted, b);
            keep = f.mul(b, b);
        }
        if (STEPS) {
            if (!q.used) {
                u64* step = steps + 3 * count++;
                if (threadIdx.x == 0) {
                    step[0] = e + far;
                    step[1] = b;
                    step[2] = q.unit;
                }
                q.used = 1;
            }
            p.unit = f.mul(keep, p.unit);
            p.used = 0;
        }
        p.valid = max(p.valid, q.valid == WHOLE ? WHOLE : q.valid + e);
        const i32 low = p.least(), top = whole ? q.degree - 1 : p.degree - 1;
        const i32 size = max(top - low + 1, 0);
        p.grown = max(p.grown, q.grown + e);
        const i32 cofactor = MATRIX ? p.grown + 1 : 0;
        for (i32 x = threadIdx.x; x < size + 2 * cofactor; x += blockDim.x) {
            Word* to = p.r + low;
            const Word* by = q.r + low;
            i32 i = x, before = low;
            if (MATRIX && x >= size) {
                i = x - size;
                before = 0;
                to = p.u, by = q.u;
                if (i >= cofactor) {
                    i -= cofactor;
                    to = p.v, by = q.v;
                }
            }
            Sum sum;
            sum.add(f, keep, to[i]);
            if (whole) {
                sum.add(f, straight, by[i]);
                sum.add(f, shifted, by[i - 1]);
            } else if (i + before >= e) {
                sum.add(f, shifted, by[i - e]);
            }
            to[i] = sum.value(f);
        }
        __syncthreads();
        p.degree = leading(p.r, top, p.least());
        if (p.degree >= q.degree) continue;
        if (!onward) break;
        const Row other = p;
        p = q;
        q = other;
    }
    rows[0] = p;
    rows[1] = q;
}

// Loads coefficient i + shift of a polynomial of this degree to index i < size; shift may be
// negative.
static __device__ void load_row(Word* to, i32 size, const u64* from, i64 shift, i64 degree) {
    for (i32 i = threadIdx.x; i < size; i += blockDim.x) {
        const i64 at = i + shift;
        to[i] = at >= 0 && at <= degree ? (Word)from[at] : 0;
    }
}

// The monic gcds of many pairs. list: for each pair a, its length, b, its length, none above
// `room`. Grid: a block a pair. Shared: 2·(room + 1) words. out: `room` coefficients a pair, of
// which those of the gcd are written; lengths: how many these are.
KERNEL(poly_gcd_blocks, u64* out, u64* lengths, const u64* list, u32 room, u64 p, u64 square) {
    DYNAMIC_SHARED(Word, shared);
    const Field f = field_of(p, square);
    const u64* mine = list + 4 * blockIdx.x;
    const u64* from[2] = {(const u64*)mine[0], (const u64*)mine[2]};
    const i64 degree[2] = {degree_of(from[0], (i64)mine[1] - 1),
                           degree_of(from[1], (i64)mine[3] - 1)};
    const u32 larger = degree[1] > degree[0];
    Row rows[2];
    for (u32 k = 0; k < 2; k++) {
        const u32 which = k ^ larger;
        rows[k] =
            Row{shared + k * (room + 1) + 1, nullptr, nullptr, (i32)degree[which], WHOLE, 0, 0, 0};
        load_row(rows[k].r, (i32)degree[which] + 1, from[which], 0, degree[which]);
        if (threadIdx.x == 0) rows[k].r[-1] = 0;
    }
    __syncthreads();
    u64 none = 0;
    euclid<false, false>(f, rows, 0, true, nullptr, none, 0);
    const Row& g = rows[0];
    if (threadIdx.x == 0) lengths[blockIdx.x] = g.degree + 1;
    if (g.degree < 0) return;
    const Word unit = f.inv(f.enter(g.r[g.degree]));
    for (i32 i = threadIdx.x; i <= g.degree; i += blockDim.x)
        out[(u64)blockIdx.x * room + i] = f.mul(g.r[i], unit);
}

// ---- Long polynomials: a leader finds matrices, all apply them (Lehmer's way).
//
// Rows 0 and 1 of remainders, and of their two cofactors, are in two sets of arrays. One is read
// while the other is written.

constexpr u32 ACTIVE = EUCLID_ACTIVE; // whether there is a matrix to apply
constexpr u32 SET = EUCLID_SET;       // the set that it is applied to
constexpr u32 FROM = 2;               // degrees of rows 0 and 1 before
constexpr u32 TO = EUCLID_TO;         // degrees after, or bounds of them
constexpr u32 FAR = 6;       // rows 0 and 1 of the matrix have x^FAR before their second entry
constexpr u32 EXCHANGED = 8; // whether the matrix is for row 1 and row 0, in this order
constexpr u32 LENGTH = 9;    // coefficients of the longest entry of the matrix
constexpr u32 COFACTOR = EUCLID_COFACTOR; // most degree of cofactors before and after
constexpr u32 MOST = EUCLID_MOST;         // most degree that a cofactor can have at all
constexpr u32 STOP = EUCLID_STOP;         // least degree of a divisor
constexpr u32 ROUNDS = 14;                // rounds with a matrix so far
constexpr u32 STEPS = EUCLID_STEPS;       // steps noted so far
constexpr u32 UNIT = EUCLID_UNIT;         // units of rows 0 and 1
constexpr u32 USED = 18;                  // whether they have been noted as divisors
static_assert(USED + 2 <= EUCLID_STATE, "the state that the host allocates");

// The next matrix: four entries of ENTRY words, for row 0 and row 1. One block. remainders: two
// rows of `room` coefficients, then the second set. Shared: 2·(WINDOW + 1 + 2·(ENTRY + 1)) words.
// NOTED: steps has room for three words for each divisor.
template <bool NOTED>
static __device__ void lead(i64* state, Word* matrix, const u64* remainders, u64 room, u64* steps,
                            Word* shared, const Field& f) {
    const i64 here = state[ACTIVE] ? 1 - state[SET] : state[SET];
    const u64* from[2] = {remainders + 2 * here * room, remainders + (2 * here + 1) * room};
    const i64 degree[2] = {degree_of(from[0], state[TO]), degree_of(from[1], state[TO + 1])};
    const i64 stop = state[STOP], cofactor = state[COFACTOR + 1], most = state[MOST];
    const u32 exchanged = degree[0] < degree[1];
    const i64 high = degree[exchanged], low = degree[1 - exchanged];
    const i64 shift = max(high + 1 - WINDOW, (i64)0), far = max(high - low - (LEAD - 1), (i64)0);
    const bool some = low >= max(stop, (i64)0);
    u64 count = state[STEPS];
    const u64 unit[2] = {(u64)state[UNIT + exchanged], (u64)state[UNIT + 1 - exchanged]};
    const u64 used[2] = {(u64)state[USED + exchanged], (u64)state[USED + 1 - exchanged]};
    __syncthreads(); // all have read the state
    if (threadIdx.x == 0) {
        state[ACTIVE] = some;
        state[SET] = here;
        state[FROM] = state[TO] = degree[0];
        state[FROM + 1] = state[TO + 1] = degree[1];
        state[EXCHANGED] = exchanged;
        state[COFACTOR] = cofactor;
        state[ROUNDS] += some;
    }
    if (!some) return;
    constexpr i32 SIZE = WINDOW + 1 + 2 * (ENTRY + 1);
    Row rows[2];
    for (u32 k = 0; k < 2; k++) {
        Word* mine = shared + k * SIZE;
        rows[k] = Row{mine + 1,      mine + WINDOW + 2, mine + WINDOW + ENTRY + 3, 0, WHOLE, 0,
                      (Word)unit[k], (u32)used[k]};
        for (i32 i = threadIdx.x; i < SIZE; i += blockDim.x) {
            if (i == 0 || i > WINDOW) mine[i] = 0;
        }
    }
    load_row(rows[0].r, WINDOW, from[exchanged], shift, high);
    load_row(rows[1].r, WINDOW, from[1 - exchanged], shift - far, low);
    rows[0].degree = (i32)(high - shift);
    rows[1].degree = (i32)(low + far - shift);
    if (shift > 0) rows[0].valid = 0;
    if (shift > far) rows[1].valid = 0;
    __syncthreads();
    if (threadIdx.x == 0) rows[0].u[0] = rows[1].v[0] = 1;
    __syncthreads();
    const i64 least = max(stop + far - shift, (i64)(rows[0].degree - (LEAD - 1)));
    euclid<true, NOTED>(f, rows, (i32)max(least, (i64)0), far == 0, steps, count, far);
    for (i32 i = threadIdx.x; i < 4 * ENTRY; i += blockDim.x) {
        const Row& row = rows[i / (2 * ENTRY)];
        const Word* entry = i / ENTRY % 2 ? row.v : row.u;
        matrix[i] = entry[i % ENTRY];
    }
    if (threadIdx.x == 0) {
        for (u32 k = 0; k < 2; k++) {
            // Far rows are not exchanged: the second one is still the divisor, without x^far.
            state[TO + k] = rows[k].degree + shift - (k ? far : 0);
            state[FAR + k] = k ? 0 : far;
        }
        const i32 grown = max(rows[0].grown, rows[1].grown);
        state[LENGTH] = grown + 1;
        state[COFACTOR + 1] = min(cofactor + grown + far, most);
        for (u32 k = 0; k < 2 && NOTED; k++) {
            state[UNIT + k] = f.mul(rows[k].unit, 1); // the matrix is applied with a division by R
            state[USED + k] = rows[k].used;
        }
        state[STEPS] = count;
    }
}
// The two forms of `lead`, which has the contract: without and with notes of the divisors.
// square: R² modulo p. steps is not used by poly_lead.
KERNEL(poly_lead, i64* state, Word* matrix, const u64* remainders, u64 room, u64* steps, u64 p,
       u64 square) {
    DYNAMIC_SHARED(Word, shared);
    lead<false>(state, matrix, remainders, room, steps, shared, field_of(p, square));
}
KERNEL(poly_lead_noted, i64* state, Word* matrix, const u64* remainders, u64 room, u64* steps,
       u64 p, u64 square) {
    DYNAMIC_SHARED(Word, shared);
    lead<true>(state, matrix, remainders, room, steps, shared, field_of(p, square));
}

// The matrix times the rows: of remainders in the first 2·tiles blocks, then of cofactors,
// `tiles_more` for each of four. A block has EACH·blockDim coefficients of one. remainders as
// above; cofactors: rows 0 and 1 of two of `room_more` each, then the second set. Shared: 2·ENTRY +
// 2·(EACH·blockDim + ENTRY) words.
template <u32 EACH>
static __device__ void apply_matrix(const i64* state, const Word* matrix, u64* remainders, u64 room,
                                    u32 tiles, u64* cofactors, u64 room_more, u32 tiles_more,
                                    const Field& f) {
    DYNAMIC_SHARED(Word, shared);
    if (!state[ACTIVE]) return;
    const i64 here = state[SET];
    const u32 exchanged = (u32)state[EXCHANGED];
    const u32 length = (u32)state[LENGTH];
    u32 block = blockIdx.x, row, tile;
    u64* base[2][2]; // of sets and rows
    i64 degree[2], bound;
    if (block < 2 * tiles) {
        row = block / tiles;
        tile = block % tiles;
        for (u32 k = 0; k < 4; k++) base[k / 2][k % 2] = remainders + k * room;
        for (u32 k = 0; k < 2; k++) degree[k] = state[FROM + k];
        bound = state[TO + row];
    } else {
        block -= 2 * tiles;
        row = block / (2 * tiles_more);
        tile = block % tiles_more;
        for (u32 k = 0; k < 4; k++)
            base[k / 2][k % 2] = cofactors + (2 * k + block / tiles_more % 2) * room_more;
        degree[0] = degree[1] = state[COFACTOR];
        bound = state[COFACTOR + 1];
    }
    const u32 size = EACH * blockDim.x;
    const i64 first = (i64)tile * size;
    if (first > bound) return;
    Word *entry = shared, *part[2] = {entry + 2 * ENTRY, entry + 2 * ENTRY + size + ENTRY};
    for (u32 i = threadIdx.x; i < 2 * ENTRY; i += blockDim.x)
        entry[i] = matrix[2 * row * ENTRY + i];
    for (u32 c = 0; c < 2; c++) { // part[c][i] is the coefficient of first − length + 1 + i
        const u32 which = c ^ exchanged;
        const i64 before = first - (length - 1) - (c ? state[FAR + row] : 0);
        load_row(part[c], (i32)(size + length - 1), base[here][which], before, degree[which]);
    }
    __syncthreads();
    Sum sum[EACH];
    for (u32 c = 0; c < 2; c++) {
        const Word* at = part[c] + length - 1 + threadIdx.x;
        for (u32 j = 0; j < length; j++) {
            const Word m = entry[c * ENTRY + j];
#pragma unroll
            for (u32 k = 0; k < EACH; k++) sum[k].add(f, m, *(at + k * blockDim.x - j));
        }
    }
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        const i64 i = first + k * blockDim.x + threadIdx.x;
        if (i <= bound) base[1 - here][row][i] = sum[k].value(f);
    }
}
#define APPLY(EACH)                                                                       \
    KERNEL_BOUNDS(POLY_BLOCK, 1, poly_apply_##EACH, const i64* state, const Word* matrix, \
                  u64* remainders, u64 room, u32 tiles, u64* cofactors, u64 room_more,    \
                  u32 tiles_more, u64 p, u64 square) {                                    \
        apply_matrix<EACH>(state, matrix, remainders, room, tiles, cofactors, room_more,  \
                           tiles_more, field_of(p, square));                              \
    }
APPLY(1)
APPLY(4)
