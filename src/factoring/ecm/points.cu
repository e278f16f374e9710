// Kernels for the points of elliptic curves: the twin of curve.rs, which has the formulas.
//
// Grid of all kernels: stride / ECM_BLOCK blocks of ECM_BLOCK threads, one curve per thread.
// state, table, babies, giants, zs: numbers in the layout of `Curve` (curve.cuh), in memory that
// does not overlap. A thread reads and writes only the numbers of its own curve.
// modulus: n, R mod n and R² mod n, of WORDS words each. n0: −1/n mod 2^32.

// Writes the curve of sigma = first + thread, and its point, to the state. sigma > 0.
//
// 1. Multiply (456, 6480) by sigma on y² = (x - 132)(x - 312)(x + 444).
// 2. Map the product to W² = Z(Z - 20)(Z + 64).
// 3. Compute Suyama's parameter from that point.
// 4. Compute the twisted Edwards curve and its point from the parameter.
KERNEL_BOUNDS(ECM_BLOCK, 1, ecm_begin, u32* state, u64 stride, const u32* modulus, u32 n0,
              u64 first) {
    Curve curve(state, stride, modulus, n0);
    const Field& f = curve.f;
    Number one = load_number(modulus + WORDS), square = load_number(modulus + 2 * WORDS);
    auto times = [&](u32 k, const Number& x) { return mul(f, mul(f, small_number(k), square), x); };
    // Compute sigma·(456, 6480) on y² = (x - 132)(x - 312)(x + 444) by double-and-add, in Jacobian
    // coordinates.
    Number gx = times(456, one), gy = times(6480, one), a = times(155952, one);
    Number x = gx, y = gy, z = one;
    u64 sigma = first + curve.index();
    for (i32 bit = 62 - __clzll(sigma); bit >= 0; bit--) {
        Number yy = sqr(f, y), zz = sqr(f, z), xx = sqr(f, x);
        Number s = mul(f, x, yy), m = add(f, add(f, xx, xx), xx);
        s = add(f, s, s), s = add(f, s, s);
        m = sub(f, m, mul(f, a, sqr(f, zz)));
        z = mul(f, y, z), z = add(f, z, z);
        yy = sqr(f, yy), yy = add(f, yy, yy), yy = add(f, yy, yy), yy = add(f, yy, yy);
        x = sub(f, sub(f, sqr(f, m), s), s);
        y = sub(f, mul(f, m, sub(f, s, x)), yy);
        if (sigma >> bit & 1) {
            zz = sqr(f, z);
            Number h = sub(f, mul(f, gx, zz), x), r = sub(f, mul(f, gy, mul(f, zz, z)), y);
            Number hh = sqr(f, h), hhh = mul(f, hh, h), v = mul(f, x, hh);
            x = sub(f, sub(f, sub(f, sqr(f, r), hhh), v), v);
            y = sub(f, mul(f, r, sub(f, v, x)), mul(f, y, hhh));
            z = mul(f, z, h);
        }
    }
    // Map the point to (zx : y : zz) on W² = Z(Z - 20)(Z + 64). Suyama's parameter is sn/sd.
    Number square_of_z = sqr(f, z);
    Number zx = mul(f, times(3, z), sub(f, x, times(132, square_of_z)));
    Number zz = times(27, mul(f, square_of_z, z));
    Number sn = add(f, times(5, zx), times(80, zz)), sd = sub(f, zx, times(80, zz));
    Number sn2 = sqr(f, sn), sd5 = times(5, sqr(f, sd));
    Number u = sub(f, sn2, sd5), v = times(4, mul(f, sn, sd)), w = add(f, sn2, sd5);
    Number xn = mul(f, mul(f, times(240, y), zz), v), xd = mul(f, add(f, u, v), w);
    Number u3 = mul(f, sqr(f, u), u), v3 = mul(f, sqr(f, v), v);
    Number yn = sub(f, u3, v3), yd = add(f, u3, v3);
    Number difference = sub(f, v, u), cube = mul(f, sqr(f, difference), difference);
    Number denominator = mul(f, cube, add(f, times(3, u), v));
    curve.put(X, mul(f, xn, yd));
    curve.put(Y, mul(f, yn, xd));
    curve.put(Z, mul(f, xd, yd));
    curve.put(DENOMINATOR, denominator);
    curve.put(NUMERATOR, sub(f, mul(f, times(16, u3), v), denominator));
}

// Writes the addends of the first `entries` odd multiples 1, 3, ... of the state's point to
// `table`. Then sets the point to the neutral one.
KERNEL_BOUNDS(ECM_BLOCK, 1, ecm_table, u32* state, u64 stride, const u32* modulus, u32 n0,
              u32* table, u32 entries) {
    Curve curve(state, stride, modulus, n0);
    const Field& f = curve.f;
    Number numerator = curve.get(NUMERATOR), denominator = curve.get(DENOMINATOR);
    Point p = curve.point(), q = p;
    Number e, h;
    twice(f, q, e, h);
    q.t = mul(f, e, h);
    Addend step = addend(f, q, numerator, denominator);
    extend(f, p);
    for (u32 k = 0; k < entries; k++) {
        if (k > 0) {
            plus(f, p, step, false, e, h);
            p.t = mul(f, e, h);
        }
        curve.store_addend(table, k, addend(f, p, numerator, denominator));
    }
    Number one = load_number(modulus + WORDS);
    curve.put(X, small_number(0)), curve.put(Y, one), curve.put(Z, one);
}

// Returns k·q, for k > 0 and the addend of q.
STEP Point multiple(const Field& f, const Addend& q, const Number& one, u32 k) {
    Point p;
    p.x = small_number(0), p.y = one, p.z = one, p.t = small_number(0);
    for (i32 bit = 31 - __clz(k); bit >= 0; bit--) {
        Number e, h;
        twice(f, p, e, h);
        p.t = mul(f, e, h);
        if (k >> bit & 1) {
            plus(f, p, q, false, e, h);
            p.t = mul(f, e, h);
        }
    }
    return p;
}

// Second pass that gives the y of `count` points a common denominator. On entry ys[k] is Y_k times
// the product of all earlier Z. It is multiplied by `after` and by the product of all later Z.
STEP void spread(const Curve& curve, u32* ys, const u32* zs, u32 count, Number after) {
    for (u32 k = count; k-- > 0;) {
        curve.store(ys, k, mul(curve.f, curve.load(ys, k), after));
        if (k > 0) after = mul(curve.f, after, curve.load(zs, k));
    }
}

// Starts stage 2 of a point Q, for a list of `count` odd j that starts with 1.
// babies: gets the y of all j·Q, with the common denominator COMMON of the state.
// gaps: half the difference of each j from the previous one.
// table: gets the addends of 2Q, 4Q, ..., 2·longest·Q; then entry 0 becomes the addend of D·Q.
// zs: scratch for `count` numbers.
// state: gets the point first·D·Q, with t, and the product 1.
KERNEL_BOUNDS(ECM_BLOCK, 1, ecm_babies, u32* state, u64 stride, const u32* modulus, u32 n0,
              u32* table, u32 longest, u32* babies, u32* zs, const u32* gaps, u32 count, u32 d,
              u32 first) {
    Curve curve(state, stride, modulus, n0);
    const Field& f = curve.f;
    Number one = load_number(modulus + WORDS);
    Number numerator = curve.get(NUMERATOR), denominator = curve.get(DENOMINATOR);
    Number e, h;
    {
        Point q = curve.point();
        extend(f, q);
        Addend single = addend(f, q, numerator, denominator);
        Point p = multiple(f, single, one, 2);
        Addend two = addend(f, p, numerator, denominator);
        for (u32 k = 0; k < longest; k++) {
            if (k > 0) {
                plus(f, p, two, false, e, h);
                p.t = mul(f, e, h);
            }
            curve.store_addend(table, k, addend(f, p, numerator, denominator));
        }
        p = q;
        Number before = one;
        for (u32 k = 0; k < count; k++) {
            if (k > 0) {
                plus(f, p, curve.load_addend(table, __ldg(gaps + k) - 1), false, e, h);
                p.t = mul(f, e, h);
            }
            curve.store(babies, k, mul(f, p.y, before));
            curve.store(zs, k, p.z);
            before = mul(f, before, p.z);
        }
        curve.put(COMMON, before);
        spread(curve, babies, zs, count, one);
        p = multiple(f, single, one, d);
        curve.store_addend(table, 0, addend(f, p, numerator, denominator));
    }
    Point p = multiple(f, curve.load_addend(table, 0), one, first);
    curve.put(p);
    curve.put(T, p.t);
    curve.put(PRODUCT_OF_ALL, one);
}

// Writes the y of the next `count` multiples of D·Q to giants, from the point of the state on, and
// replaces that point by the multiple after them. Then multiplies giants and babies so that all
// have a common denominator, and updates COMMON. zs: scratch for `count` numbers.
KERNEL_BOUNDS(ECM_BLOCK, 1, ecm_giants, u32* state, u64 stride, const u32* modulus, u32 n0,
              const u32* table, u32* babies, u32 baby_count, u32* giants, u32* zs, u32 count) {
    Curve curve(state, stride, modulus, n0);
    const Field& f = curve.f;
    Number common = curve.get(COMMON);
    Number before = load_number(modulus + WORDS);
    {
        Point p = curve.point();
        p.t = curve.get(T);
        Addend step = curve.load_addend(table, 0);
        for (u32 k = 0; k < count; k++) {
            curve.store(giants, k, mul(f, p.y, before));
            curve.store(zs, k, p.z);
            before = mul(f, before, p.z);
            Number e, h;
            plus(f, p, step, false, e, h);
            p.t = mul(f, e, h);
        }
        curve.put(p);
        curve.put(T, p.t);
    }
    spread(curve, giants, zs, count, common);
    for (u32 k = 0; k < baby_count; k++)
        curve.store(babies, k, mul(f, curve.load(babies, k), before));
    curve.put(COMMON, mul(f, common, before));
}
