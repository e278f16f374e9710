// The two loops that take nearly all the time.

// Steps of a chain: `step >> 8` doublings, at least one, then an addition of the digit in the low
// byte, odd and signed, or none.
KERNEL_BOUNDS(ECM_BLOCK, 1, ecm_multiply, u32* state, u64 stride, const u32* modulus, u32 n0,
              const u32* table, const u32* steps, u32 count) {
    Curve curve(state, stride, modulus, n0);
    const Field& f = curve.f;
    Point p = curve.point();
    for (u32 k = 0; k < count; k++) {
        u32 step = __ldg(steps + k);
        Number e, h;
        for (u32 doublings = step >> 8; doublings > 0; doublings--) twice(f, p, e, h);
        i32 digit = (signed char)(step & 0xff);
        if (digit == 0) continue;
        p.t = mul(f, e, h);
        bool negative = digit < 0;
        plus(f, p, curve.load_addend(table, (u32)(negative ? -digit : digit) / 2), negative, e, h);
    }
    curve.put(p);
}

// The product of y(giant) - y(baby), for giants from `first` to `end` and the babies of each:
// pairs[k], for k from starts[giant] on.
KERNEL_BOUNDS(ECM_BLOCK, 1, ecm_pairs, u32* state, u64 stride, const u32* modulus, u32 n0,
              const u32* babies, const u32* giants, const u32* starts, const u32* pairs, u32 first,
              u32 end) {
    Curve curve(state, stride, modulus, n0);
    const Field& f = curve.f;
    Number product = curve.get(PRODUCT_OF_ALL);
    for (u32 giant = first; giant < end; giant++) {
        Number y = curve.load(giants, giant);
        u32 stop = __ldg(starts + giant + 1), k = __ldg(starts + giant);
        // The baby after this one is on its way while its product is computed; there is one pair
        // more than are used.
        Number next = curve.load(babies, __ldg(pairs + k));
        for (; k < stop; k++) {
            Number baby = next;
            next = curve.load(babies, __ldg(pairs + k + 1));
            product = mul(f, product, sub(f, y, baby));
        }
    }
    curve.put(PRODUCT_OF_ALL, product);
}
