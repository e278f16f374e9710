// ---- CUDA's own names.

#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __constant__ static
#define __align__(bytes) alignas(bytes)

using executor::Site;
using executor::Wait;

#define SITE Site site = Site::here()

inline void __syncthreads(SITE) { executor::block_barrier(Wait::Syncthreads, false, site); }
inline int __syncthreads_or(int p, SITE) {
    return executor::block_barrier(Wait::SyncthreadsOr, p, site);
}
inline int __syncthreads_and(int p, SITE) {
    return executor::block_barrier(Wait::SyncthreadsAnd, p, site);
}
inline int __syncthreads_count(int p, SITE) {
    return executor::block_barrier(Wait::SyncthreadsCount, p, site);
}

inline void __syncwarp(u32 mask = ~0u, SITE) {
    executor::warp_collective(Wait::Syncwarp, mask, 0, 0, site);
}
inline u32 __ballot_sync(u32 mask, int p, SITE) {
    return executor::warp_collective(Wait::Ballot, mask, p != 0, 0, site);
}
inline int __any_sync(u32 mask, int p, SITE) {
    return executor::warp_collective(Wait::Any, mask, p != 0, 0, site);
}
inline int __all_sync(u32 mask, int p, SITE) {
    return executor::warp_collective(Wait::All, mask, p != 0, 0, site);
}
// Which lanes run together is the scheduler's affair; it may be this one alone.
inline u32 __activemask() { return 1u << executor::current->id; }

// A warp is cut into segments of `width` lanes, a power of two. A lane whose source is outside its
// segment keeps its own value, except that xor may reach back into an earlier segment.
template <class T> T __shfl_sync(u32 mask, T v, int from, int width = 32, SITE) {
    u32 id = executor::current->id;
    return executor::shuffle(Wait::Shfl, mask, v, (id & -width) | (from & (width - 1)), site);
}
template <class T> T __shfl_up_sync(u32 mask, T v, u32 delta, int width = 32, SITE) {
    u32 id = executor::current->id, rank = id & (width - 1);
    return executor::shuffle(Wait::ShflUp, mask, v, rank >= delta ? id - delta : id, site);
}
template <class T> T __shfl_down_sync(u32 mask, T v, u32 delta, int width = 32, SITE) {
    u32 id = executor::current->id, rank = id & (width - 1);
    bool inside = delta < static_cast<u32>(width) - rank;
    return executor::shuffle(Wait::ShflDown, mask, v, inside ? id + delta : id, site);
}
template <class T> T __shfl_xor_sync(u32 mask, T v, int bits, int width = 32, SITE) {
    u32 id = executor::current->id, from = id ^ (bits & 31);
    return executor::shuffle(Wait::ShflXor, mask, v, from <= (id | (width - 1)) ? from : id, site);
}
#undef SITE

// Atomics of the types that CUDA has them for.
template <class T> struct Atomic {
    static_assert(std::is_same<T, u32>() || std::is_same<T, i32>() || std::is_same<T, u64>(),
                  "atomics take u32, i32 and u64");
    typedef T Value;
};
#define ATOMIC(name, access)                                                                       \
    template <class T> T name(T* p, typename Atomic<T>::Value v) {                                 \
        return executor::atomic(p, [=] { return access; });                                        \
    }
ATOMIC(atomicAdd, __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST))
ATOMIC(atomicAnd, __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST))
ATOMIC(atomicOr, __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST))
ATOMIC(atomicXor, __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST))
ATOMIC(atomicExch, __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST))
ATOMIC(atomicMin, std::exchange(*p, *p < v ? *p : v))
ATOMIC(atomicMax, std::exchange(*p, *p > v ? *p : v))
#undef ATOMIC
template <class T>
T atomicCAS(T* p, typename Atomic<T>::Value expected, typename Atomic<T>::Value v) {
    return executor::atomic(p, [=] { return std::exchange(*p, *p == expected ? v : *p); });
}
inline void __threadfence() { executor::interleave(); }
inline void __threadfence_block() { executor::interleave(); }
template <class T> T __ldg(const T* p) { return *p; }
template <class T> T __ldcs(const T* p) { return *p; }
template <class T> void __stcs(T* p, T v) { *p = v; }

inline ulonglong2 make_ulonglong2(u64 x, u64 y) { return {x, y}; }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }

inline int __popc(u32 x) { return __builtin_popcount(x); }
inline int __popcll(u64 x) { return __builtin_popcountll(x); }
inline int __clz(u32 x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(u64 x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(u32 x) { return __builtin_ffs(static_cast<int>(x)); }
inline int __ffsll(u64 x) { return __builtin_ffsll(static_cast<i64>(x)); }
inline u64 __brevll(u64 x) {
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}
inline u32 __brev(u32 x) { return static_cast<u32>(__brevll(x) >> 32); }
// Byte i of the result is byte (select >> 4 i & 7) of y:x; the sign bit of a selector is not used
// here.
inline u32 __byte_perm(u32 x, u32 y, u32 select) {
    u64 both = static_cast<u64>(y) << 32 | x;
    u32 bytes = 0;
    for (u32 i = 0; i < 4; ++i)
        bytes |= static_cast<u32>(both >> 8 * (select >> 4 * i & 7) & 0xff) << 8 * i;
    return bytes;
}
inline u32 __umulhi(u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); }
inline u64 __umul64hi(u64 a, u64 b) {
    u64 a0 = static_cast<u32>(a), a1 = a >> 32, b0 = static_cast<u32>(b), b1 = b >> 32;
    u64 low = a0 * b0, one = a1 * b0 + (low >> 32), two = a0 * b1 + static_cast<u32>(one);
    return a1 * b1 + (one >> 32) + (two >> 32);
}
inline u32 __funnelshift_l(u32 low, u32 high, u32 shift) {
    return static_cast<u32>((static_cast<u64>(high) << 32 | low) << (shift & 31) >> 32);
}
inline u32 __funnelshift_r(u32 low, u32 high, u32 shift) {
    return static_cast<u32>((static_cast<u64>(high) << 32 | low) >> (shift & 31));
}

inline float __fmaf_rn(float a, float b, float c) { return ::fmaf(a, b, c); }
inline float __fmul_rn(float a, float b) { volatile float r = a * b; return r; }
inline float __fadd_rn(float a, float b) { volatile float r = a + b; return r; }
inline i32 __float2int_rn(float x) { // saturates
    if (x >= 2147483648.0f) return INT_MAX;
    return x >= -2147483648.0f ? static_cast<i32>(lrintf(x)) : INT_MIN;
}
inline i64 __float2ll_rn(float x) { // saturates
    if (x >= 9223372036854775808.0f) return LLONG_MAX;
    return x >= -9223372036854775808.0f ? static_cast<i64>(llrintf(x)) : LLONG_MIN;
}
inline i32 __float_as_int(float x) { return executor::argument<i32>(&x); }

inline double __fma_rn(double a, double b, double c) { return ::fma(a, b, c); }
// The volatile product and sum are rounded by themselves.
inline double __dmul_rn(double a, double b) { volatile double r = a * b; return r; }
inline double __dadd_rn(double a, double b) { volatile double r = a + b; return r; }
inline double __dsub_rn(double a, double b) { volatile double r = a - b; return r; }
inline double __ll2double_rn(i64 x) { return static_cast<double>(x); }
inline double __ull2double_rn(u64 x) { return static_cast<double>(x); }
inline i64 __double2ll_rn(double x) { // saturates
    const double limit = 9223372036854775808.0;
    if (x >= limit) return LLONG_MAX;
    return x >= -limit ? llrint(x) : LLONG_MIN;
}
inline i64 __double_as_longlong(double x) { return executor::argument<i64>(&x); }
inline double __longlong_as_double(i64 x) { return executor::argument<double>(&x); }
