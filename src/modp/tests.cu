// The operations of modp.cuh for tests: out[5·i ..] = constants of p, and products, sums,
// differences and inverses.
KERNEL(modp_probe, u64* out, const u64* from, u64 n) {
    for (u64 i = threadIdx.x + (u64)blockIdx.x * blockDim.x; i < n;
         i += (u64)gridDim.x * blockDim.x) {
        u32 p = (u32)from[2 * i], x = (u32)(from[2 * i] >> 32), y = (u32)from[2 * i + 1];
        Modulus m = modulus_of(p);
        out[4 * i] = (u64)m.square << 32 | m.inverse;
        out[4 * i + 1] = (u64)m.mul(x, y) << 32 | m.mul_plain(x, y);
        out[4 * i + 2] = (u64)m.add(x, y) << 32 | m.sub(x, y);
        out[4 * i + 3] = (u64)m.residue(m.symmetric(x)) << 32 | (x ? m.inv(x) : 0);
    }
}
