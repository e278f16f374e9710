// The least value of a warp, in every lane. All lanes of the warp call it.

DEVICE u32 warp_least(u32 x) {
#if !defined(BEZOUT_EXECUTOR) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(FULL_WARP, x);
#else
    for (u32 d = 16; d; d /= 2) {
        u32 other = __shfl_xor_sync(FULL_WARP, x, d);
        x = other < x ? other : x;
    }
    return x;
#endif
}

DEVICE u64 warp_least(u64 x) {
    u32 high = warp_least((u32)(x >> 32));
    u32 low = warp_least((u32)(x >> 32) == high ? (u32)x : ~0u);
    return (u64)high << 32 | low;
}
