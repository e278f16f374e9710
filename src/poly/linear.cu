// Operations that read each coefficient once: sums, scalings, derivative, reversal, degree, values.
//
// Blocks have POLY_BLOCK threads; grids are of any size. An operand of len coefficients has zeros
// above.

#define EACH(i, n)                                      \
    u64 i = (u64)blockIdx.x * POLY_BLOCK + threadIdx.x; \
    i < (n);                                            \
    i += (u64)gridDim.x * POLY_BLOCK

static __device__ Word at(const u64* a, u64 len, u64 i) { return i < len ? (Word)a[i] : 0; }

// out[0..n) = a + b, or a − b.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_add, u64* out, u64 n, const u64* a, u64 len_a, const u64* b,
              u64 len_b, u32 minus, u64 p, u64 square) {
    const Field f = field_of(p, square);
    for (EACH(i, n)) {
        const Word x = at(a, len_a, i), y = at(b, len_b, i);
        out[i] = minus ? f.sub(x, y) : f.add(x, y);
    }
}

// out[0..n) = a times the scalar, which is *factor or its inverse where there is one.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_scale, u64* out, u64 n, const u64* a, u64 scalar,
              const u64* factor, u32 invert, u64 p, u64 square) {
    const Field f = field_of(p, square);
    Word c = f.enter((Word)(factor ? *factor : scalar));
    if (invert) c = f.inv(c);
    for (EACH(i, n)) out[i] = f.mul((Word)a[i], c);
}

// out[i] = (i + 1)·a[i + 1] for i < n.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_derivative, u64* out, u64 n, const u64* a, u64 p, u64 square) {
    const Field f = field_of(p, square);
    for (EACH(i, n)) out[i] = f.mul(f.enter((Word)((i + 1) % p)), (Word)a[i + 1]);
}

// out[i] = a[len − 1 − i] for i < n, zeros from len on.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_reverse, u64* out, u64 n, const u64* a, u64 len) {
    for (EACH(i, n)) out[i] = i < len ? a[len - 1 - i] : 0;
}

// Raises *length, 0 before, to the length of each of `count` operands of `n` coefficients `stride`
// apart without their leading zeros.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_length, u64* length, const u64* a, u64 n, u64 stride, u64 count) {
    for (u64 which = 0; which < count; which++) {
        u64 most = 0;
        for (EACH(i, n)) {
            if (a[which * stride + i]) most = i + 1;
        }
        for (u32 distance = 16; distance; distance /= 2)
            most = max(most, __shfl_xor_sync(FULL_WARP, most, distance));
        if (lane_id() == 0 && most) atomicMax(length + which, most);
    }
}

// rows[c·stride + i] = Σ a[c·chunk + t]·powers[t·stride + i] over t < chunk, for c < count and i <
// stride.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_rows, u64* rows, u64 count, u64 stride, const u64* a, u64 len,
              u32 chunk, const u64* powers, u64 p, u64 square) {
    const Field f = field_of(p, square);
    for (EACH(i, count * stride)) {
        const u64 first = i / stride * chunk, column = i % stride;
        Sum sum;
        for (u32 t = 0; t < chunk; t++)
            sum.add(f, at(a, len, first + t), (Word)powers[t * stride + column]);
        rows[i] = f.enter(sum.value(f));
    }
}

// values[j] = a(points[j]) for j < count: a warp a point, each lane Horner's scheme in point^32 on
// its 32nd of the coefficients. Grid: count warps.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_values, u64* values, const u64* points, u64 count, const u64* a,
              u64 len, u64 p, u64 square) {
    const Field f = field_of(p, square);
    const u64 j = ((u64)blockIdx.x * POLY_BLOCK + threadIdx.x) / 32;
    if (j >= count) return;
    const Word x = f.enter((Word)points[j]);
    Word power = f.one(), step = x;
    for (u32 bits = lane_id(); bits; bits >>= 1) {
        if (bits & 1) power = f.mul(power, step);
        step = f.mul(step, step);
    }
    step = x;
    for (u32 i = 0; i < 5; i++) step = f.mul(step, step);
    Word sum = 0;
    for (u64 i = (len + 31) / 32; i-- > 0;)
        sum = f.add(f.mul(sum, step), at(a, len, 32 * i + lane_id()));
    sum = f.mul(sum, power);
    for (u32 distance = 16; distance; distance /= 2)
        sum = f.add(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
    if (lane_id() == 0) values[j] = sum;
}

// out[0..n) = 1/a modulo x^n, a[0] ≠ 0: the division of 1 from the lowest coefficient up, one
// barrier each. One block. Shared: 2n words.
KERNEL_BOUNDS(POLY_BLOCK, 1, poly_series_inverse, u64* out, u32 n, const u64* a, u64 len, u64 p,
              u64 square) {
    DYNAMIC_SHARED(Word, shared);
    Word *rest = shared, *by = shared + n;
    const Field f = field_of(p, square);
    for (u32 i = threadIdx.x; i < n; i += POLY_BLOCK) {
        rest[i] = i == 0 ? f.one() : 0;
        by[i] = f.enter(at(a, len, i));
    }
    const Word unit = f.inv(f.enter(at(a, len, 0)));
    __syncthreads();
    for (u32 k = 0; k < n; k++) {
        const Word c = f.mul(rest[k], unit); // in Montgomery's form, as the rest is
        for (u32 i = k + 1 + threadIdx.x; i < n; i += POLY_BLOCK)
            rest[i] = f.sub(rest[i], f.mul(c, by[i - k]));
        if (threadIdx.x == 0) out[k] = f.mul(c, 1);
        __syncthreads();
    }
}
