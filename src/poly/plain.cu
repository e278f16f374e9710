// Plain arithmetic as Haque, Moreno Maza and Xie publish it ("A Many-core Machine Model for
// Designing Algorithms with Minimum Parallelism Overheads", Algorithms 2, 4, 6, 7, 9 and 11): one
// step per kernel, or s steps, where blocks recompute the parts of the heads that they need.
//
// Differences from the paper's text, and their reasons: threads loop over coefficients if 3s is
// more than the threads of a block; blocks write to memory that no other block of the launch reads
// (the remainder's head to a place of its own, Euclid's polynomials to a second pair of arrays);
// and Euclid's steps are a ← lc(b)·a − lc(a)·x^e·b, which needs no inverse and changes remainders
// by units only.

// ---- Division.

// *to = 1/x in Montgomery's form. One thread.
KERNEL(poly_plain_inverse, u64* to, const u64* x, u64 p, u64 square) {
    const Field f = field_of(p, square);
    *to = f.inv(f.enter((Word)*x));
}

// Algorithm 2: one step of a by b of degree d_b: q[i − d_b], and a[i] vanishes. Grid: one thread
// for each of 0..=d_b.
KERNEL(poly_plain_divide_step, u64* a, const u64* b, u64* q, const u64* inverse, u64 i, u64 d_b,
       u64 p, u64 square) {
    const Field f = field_of(p, square);
    const u64 j = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (j > d_b) return;
    const Word c = f.mul((Word)a[i], (Word)*inverse);
    if (j == 0) q[i - d_b] = c;
    if (j < d_b) a[j + i - d_b] = f.sub((Word)a[j + i - d_b], f.mul((Word)b[j], f.enter(c)));
}

// Algorithm 4: up to s steps. Block k has the s-heads of a and b, and 2s coefficients of a with the
// 3s of b that they meet. Grid: blocks for d_b + s coefficients below the head, 2s each, and one
// more. Shared: 7s words. If there are fewer than s steps, the rest of a's head is written to
// `head`. Writes q and a below the head.
KERNEL(poly_plain_divide_steps, u64* a, const u64* b, u64* q, u64* head, const u64* inverse, u64 i,
       u64 d_b, u32 s, u64 p, u64 square) {
    DYNAMIC_SHARED(Word, shared);
    Word *head_a = shared, *head_b = head_a + s, *tail_a = head_b + s, *tail_b = tail_a + 2 * s;
    const Field f = field_of(p, square);
    const u64 before = (u64)2 * s * blockIdx.x;
    for (u32 t = threadIdx.x; t < 3 * s; t += blockDim.x) {
        if (t < s) {
            head_a[t] = t <= i ? (Word)a[i - t] : 0;
            head_b[t] = t <= d_b ? (Word)b[d_b - t] : 0;
        } else {
            tail_a[t - s] = before + t <= i ? (Word)a[i - before - t] : 0;
        }
        tail_b[t] = before + t <= d_b ? (Word)b[d_b - before - t] : 0;
    }
    const Word unit = (Word)*inverse;
    __syncthreads();
    u32 k = 0;
    for (; k < s && i - k >= d_b; k++) {
        const Word c = f.mul(head_a[k], unit);
        if (blockIdx.x == 0 && threadIdx.x == 0) q[i - d_b - k] = c;
        if (i - k == 0) { // d_b is 0 too
            k++;
            break;
        }
        if (c == 0) continue; // the same for all threads
        const Word factor = f.enter(c);
        for (u32 t = threadIdx.x; t < 3 * s; t += blockDim.x) {
            if (t >= s) {
                tail_a[t - s] = f.sub(tail_a[t - s], f.mul(tail_b[t - k], factor));
            } else if (t > k) {
                head_a[t] = f.sub(head_a[t], f.mul(head_b[t - k], factor));
            }
        }
        __syncthreads();
    }
    for (u32 t = threadIdx.x; t < 3 * s; t += blockDim.x) {
        if (t >= s) {
            if (before + t <= i && before + t - s <= d_b) a[i - before - t] = tail_a[t - s];
        } else if (blockIdx.x == 0 && t >= k && t <= i) {
            head[t - k] = head_a[t];
        }
    }
}

// ---- Multiplication.

// G of a thread's sums of Algorithm 6: those of the coefficients from + g·blockDim, g < G, of a row
// of y. part_a points at the coefficient of a that the first of them multiplies by b's lowest
// coefficient.
template <u32 G>
DEVICE void plain_products_of(Word* row, u64 from, u64 y, const Word* part_a, const Word* part_b,
                              u32 s, const Field& f) {
    Sum h[G];
    for (u32 k = 0; k < s; k++) {
#pragma unroll
        for (u32 g = 0; g < G; g++) h[g].add(f, *(part_a + g * blockDim.x - k), part_b[k]);
    }
#pragma unroll
    for (u32 g = 0; g < G; g++) {
        const u64 i = from + g * blockDim.x;
        if (i < y) row[i] = h[g].value(f);
    }
}

// Algorithm 6: row r of M is b[r·s..r·s + s)·a, y = n + s − 1 coefficients. A block has blockDim·s
// of them, a thread s: four at a time in registers, then two and one for the rest of s. Grid: rows
// × tiles, tiles = y / (blockDim·s), rounded up. Shared: s words for b, blockDim·s + s − 1 for a.
KERNEL(poly_plain_products, Word* M, const u64* a, u64 n, const u64* b, u64 m, u32 s, u32 tiles,
       u64 p, u64 square) {
    DYNAMIC_SHARED(Word, shared);
    Word *part_b = shared, *part_a = shared + s;
    const Field f = field_of(p, square);
    const u64 row = blockIdx.x / tiles, y = n + s - 1;
    const u64 first = (u64)(blockIdx.x % tiles) * blockDim.x * s;
    for (u32 t = threadIdx.x; t < s; t += blockDim.x) {
        const u64 i = row * s + t;
        part_b[t] = i < m ? f.enter((Word)b[i]) : 0;
    }
    // part_a[t] is a[first − (s − 1) + t].
    for (u32 t = threadIdx.x; t < blockDim.x * s + s - 1; t += blockDim.x) {
        const u64 i = first + t - (s - 1); // wraps below 0
        part_a[t] = i < n ? (Word)a[i] : 0;
    }
    __syncthreads();
    Word* to = M + row * y;
    u64 at = first + threadIdx.x;
    const Word* from = part_a + threadIdx.x + s - 1;
    u32 left = s;
    for (; left >= 4; left -= 4, at += 4 * blockDim.x, from += 4 * blockDim.x)
        plain_products_of<4>(to, at, y, from, part_b, s, f);
    if (left & 2) {
        plain_products_of<2>(to, at, y, from, part_b, s, f);
        at += 2 * blockDim.x, from += 2 * blockDim.x;
    }
    if (left & 1) plain_products_of<1>(to, at, y, from, part_b, s, f);
}

// Algorithm 7, step i: each row k ≡ 2^i − 1 modulo 2^(i + 1) is added to row k + 2^i, whose first
// coefficient is 2^i·s places higher. The coefficients below that, and all of a row that has no
// such partner, are added to f, which has n + m − 1 coefficients. Grid: rows × tiles of blockDim·s
// coefficients, s per thread.
KERNEL(poly_plain_sums, Word* M, u64* sum, u64 len, u64 y, u32 s, u64 x, u32 i, u32 tiles, u64 p,
       u64 square) {
    const Field f = field_of(p, square);
    const u64 k = ((u64)1 << i) - 1 + ((u64)(blockIdx.x / tiles) << (i + 1));
    const u64 partner = k + ((u64)1 << i), low = partner < x ? (u64)s << i : y;
    const u64 first = (u64)(blockIdx.x % tiles) * blockDim.x * s + threadIdx.x;
    for (u32 e = 0; e < s; e++) {
        const u64 h = first + e * blockDim.x;
        if (h >= y) break;
        const Word value = M[k * y + h];
        if (h >= low) {
            Word* to = M + partner * y + h - low;
            *to = f.add(*to, value);
        } else if (k * s + h < len) {
            sum[k * s + h] = f.add((Word)sum[k * s + h], value);
        }
    }
}

// ---- Euclid's algorithm.

// Algorithm 9: one step. st: bounds of the two degrees before, next: after. Grid: one thread for
// each coefficient of the longer one; whole warps.
KERNEL(poly_plain_gcd_step, u64* a, u64* b, const i64* st, i64* next, u64 p, u64 square) {
    const Field f = field_of(p, square);
    i64 high = degree_of(a, st[0]), low = degree_of(b, st[1]);
    const bool swapped = high < low;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const bool done = high < 0 || low < 0;
        next[0] = high - (!done && !swapped);
        next[1] = low - (!done && swapped);
    }
    if (high < 0 || low < 0) return;
    u64 *to = a, *by = b;
    if (swapped) {
        to = b, by = a;
        const i64 other = high;
        high = low, low = other;
    }
    const i64 k = (i64)blockIdx.x * blockDim.x + threadIdx.x, shift = high - low;
    if (k >= high) return;
    Sum sum;
    sum.add(f, (Word)by[low], (Word)to[k]);
    if (k >= shift) sum.add(f, f.neg((Word)to[high]), (Word)by[k - shift]);
    to[k] = sum.value(f);
}

// The s-heads and the 2s coefficients of two polynomials, the longer one first: offsets count down
// from the first coefficient of each.
struct Heads {
    Word* head; // offset 0..s
    Word* part; // offset `first` + 0..2s
    i64 degree;
    i64 first;
    u32 gone;  // leading coefficients that vanished
    u32 valid; // offsets of the head that are right
};

// Algorithm 11: at most s leading coefficients vanish. Block k has the s-heads, and 2s coefficients
// of each polynomial, of which the first s come out right: a coefficient depends on those of its
// own exponent and lower ones, at most s lower because the quotients' degrees add up to that. Where
// the degrees differ by more than s, all steps divide the longer polynomial, whose coefficients
// meet those of the shorter one at the same offset or up to s higher. Grid: (longer length + s) / s
// blocks, rounded up, and one more. Shared: 6s words. Writes a_out, b_out and next.
KERNEL(poly_plain_gcd_steps, u64* a_out, u64* b_out, const u64* a, const u64* b, const i64* st,
       i64* next, u32 s, u64 p, u64 square) {
    DYNAMIC_SHARED(Word, shared);
    const Field f = field_of(p, square);
    const i64 degree_a = degree_of(a, st[0]), degree_b = degree_of(b, st[1]);
    const bool swapped = degree_a < degree_b;
    const u64* from[2] = {swapped ? b : a, swapped ? a : b};
    u64* to[2] = {swapped ? b_out : a_out, swapped ? a_out : b_out};
    Heads x = {shared, shared + 2 * s, max(degree_a, degree_b), (i64)s * blockIdx.x, 0, s};
    Heads y = {shared + s, shared + 4 * s, min(degree_a, degree_b), 0, 0, s};
    const i64 shift = min(x.degree - y.degree, (i64)s);
    y.first = x.first - shift;
    const bool over = y.degree < 0;
    for (u32 t = threadIdx.x; t < 2 * s; t += blockDim.x) {
        if (t < s) {
            x.head[t] = t <= x.degree ? (Word)from[0][x.degree - t] : 0;
            y.head[t] = t <= y.degree ? (Word)from[1][y.degree - t] : 0;
        }
        const i64 i = x.first + t, j = y.first + t;
        x.part[t] = i <= x.degree ? (Word)from[0][x.degree - i] : 0;
        y.part[t] = j >= 0 && j <= y.degree ? (Word)from[1][y.degree - j] : 0;
    }
    __syncthreads();
    while (!over && x.gone + y.gone < s && x.gone < x.valid && y.gone < y.valid &&
           x.gone <= x.degree && y.gone <= y.degree) {
        // The one of the higher degree now, or x, is reduced; offset o of it meets offset o − delta
        // of the other one.
        const bool second = y.degree - y.gone > x.degree - x.gone;
        Heads r = second ? y : x;
        const Heads d = second ? x : y;
        const i32 delta = (i32)r.gone - (i32)d.gone;
        const i32 across = (i32)(r.first - d.first) - delta;
        const Word keep = d.head[d.gone], take = f.neg(r.head[r.gone]);
        r.valid = (u32)max(min((i32)r.valid, (i32)d.valid + delta), 0);
        for (u32 t = threadIdx.x; t < 3 * s; t += blockDim.x) {
            const bool head = t < s;
            const i32 i = head ? t : t - s, j = head ? i - delta : i + across;
            if (head ? t <= r.gone || t >= r.valid : j < 0 || j >= 2 * (i32)s) continue;
            Word* to = (head ? r.head : r.part) + i;
            Sum sum;
            sum.add(f, keep, *to);
            const Word* of = head ? d.head : d.part;
            sum.add(f, take, of[j]);
            *to = sum.value(f);
        }
        r.gone++;
        __syncthreads();
        while (r.gone < r.valid && r.gone + d.gone < s && r.gone <= r.degree && r.head[r.gone] == 0)
            r.gone++;
        x = second ? d : r;
        y = second ? r : d;
    }
    for (u32 t = threadIdx.x; t < s; t += blockDim.x) {
        const i64 i = x.first + t, j = y.first + t;
        if (i >= x.gone && i <= x.degree) to[0][x.degree - i] = x.part[t];
        if (j >= y.gone && j <= y.degree) to[1][y.degree - j] = y.part[t];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        next[swapped] = x.degree - x.gone;
        next[!swapped] = y.degree - y.gone;
    }
}
