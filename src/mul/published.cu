// The product as Liu and Tong published it (section III.F): digits, a Fourier transform in floating
// point, products of values, the transform back, and rounding. Its result has wrong digits, which
// the benchmark counts. Nothing else uses it.
//
// Digits have 8 bits and PUBLISHED_DOUBLE says whether numbers are double or single. The transform
// is Stockham's with radix 2, one launch for every pass, in place of the paper's library.
//
// Grid: any number of blocks of any size; threads loop. Shared: none. Complex values are two
// floating-point numbers, stored in limbs of 64 bits.

#if !defined(PUBLISHED_DOUBLE)
#error "PUBLISHED_DOUBLE comes from the host"
#endif

#if PUBLISHED_DOUBLE
typedef double Real;
#else
typedef float Real;
#endif
struct alignas(2 * sizeof(Real)) Complex {
    Real re, im;
};

template <class Body>
static __device__ void each(u64 n, Body body) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) body(i);
}

static __device__ Complex times(Complex a, Complex b) {
    return Complex{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// values[i] = digit i of the natural number in a, zero above it.
KERNEL(mul_published_digits, u64* __restrict__ values, u64 n, const u64* __restrict__ a, u64 len) {
    Complex* out = (Complex*)values;
    each(n, [=](u64 i) {
        const u64 limb = i / 8 < len ? a[i / 8] : 0;
        out[i] = Complex{(Real)(u32)(limb >> 8 * (i % 8) & 255), 0};
    });
}

// One of log2 n passes over n values: distance is 1, 2, 4, ... n/2. roots[k] = exp(−2πik/n) for
// k < n/2, or their conjugates for the transform back.
KERNEL(mul_published_pass, u64* __restrict__ values, const u64* __restrict__ from, u64 n,
       u64 distance, const u64* __restrict__ roots, u32 back) {
    Complex* out = (Complex*)values;
    const Complex* in = (const Complex*)from;
    const Complex* root = (const Complex*)roots;
    each(n / 2, [=](u64 i) {
        const u64 low = i % distance, p = i - low;
        const Complex a = in[i], b = in[i + n / 2];
        Complex w = root[p];
        if (back) w.im = -w.im;
        out[low + 2 * p] = Complex{a.re + b.re, a.im + b.im};
        out[low + 2 * p + distance] = times(Complex{a.re - b.re, a.im - b.im}, w);
    });
}

// a = a·b, value by value.
KERNEL(mul_published_products, u64* __restrict__ a, const u64* __restrict__ b, u64 n) {
    Complex* x = (Complex*)a;
    const Complex* y = (const Complex*)b;
    each(n, [=](u64 i) { x[i] = times(x[i], y[i]); });
}

// Rounds n values, which are n times the coefficients of digits, and gathers four at a time into
// three words: planes has three numbers of `count` words of 32 bits, whose sum is the product.
KERNEL(mul_published_words, u32* __restrict__ planes, u64 count, const u64* __restrict__ values,
       u64 n) {
    const Complex* in = (const Complex*)values;
    each(count, [=](u64 i) {
        u64 low = 0, high = 0;
        for (u32 k = 0; k < 4; k++) {
            const u64 at = 4 * i + k;
            const double value = at < n ? (double)in[at].re / (double)n : 0;
            const u64 digit = value > 0 && value < 1e18 ? (u64)(value + 0.5) : 0;
            u32 carry = 0;
            low = add_carry(low, digit << 8 * k, carry);
            high += carry + (k ? digit >> (64 - 8 * k) : 0);
        }
        planes[i] = (u32)low;
        if (i + 1 < count) planes[count + i + 1] = (u32)(low >> 32);
        if (i + 2 < count) planes[2 * count + i + 2] = (u32)high;
        if (i == 0) planes[count] = planes[2 * count] = planes[2 * count + 1] = 0;
    });
}
