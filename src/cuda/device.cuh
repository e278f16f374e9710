// The prelude of every kernel source: types, kernel heads, shared memory, ordered and streaming
// accesses and barriers. It compiles under NVRTC with no header at all, and under a host
// C++17 compiler after executor/*.hpp (BEZOUT_EXECUTOR=1), where each CUDA line has its plain twin.
//
// A kernel head says, in a comment above it: the grid and block shape it expects (all launches are
// one-dimensional), its dynamic shared bytes, and who writes what. Warp collectives name every lane
// of the warp, so blocks are multiples of 32 threads and no thread returns before the last of them.
// A floating-point kernel that must round the same everywhere spells its products as __fma_rn,
// __dmul_rn and __dadd_rn, which the compiler never fuses.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

#define FULL_WARP 0xffffffffu

#ifdef BEZOUT_EXECUTOR

#define DEVICE inline
// KERNEL(name, params...) { body }: a kernel that the host finds by its name.
#define KERNEL(name, ...) KERNEL_BOUNDS(1024, 1, name, __VA_ARGS__)
#define KERNEL_BOUNDS(threads, min_blocks, name, ...)             \
    static void name(__VA_ARGS__);                                \
    static executor::Kernel name##_kernel(#name, &name, threads); \
    static void name(__VA_ARGS__)
// One uninitialised object per block. A Type with a comma needs a typedef first.
#define SHARED(Type, name)   \
    static char name##_site; \
    Type& name = *static_cast<Type*>(executor::shared(&name##_site, sizeof(Type), alignof(Type)))
// A Type* to the dynamic shared memory of the launch, 16-byte aligned, the same bytes at each use.
#define DYNAMIC_SHARED(Type, name) Type* name = static_cast<Type*>(executor::dynamic_shared())
// Every spin loop calls pause().
#define pause() executor::pause()

#else

#define DEVICE static __device__ __forceinline__
// One kernel is compiled at a time, that for which ONLY_name is defined as a comma. The others are
// templates that nobody instantiates. A defined ONLY_name moves the head of a kernel to the second
// place of the choice.
#define KERNEL_SECOND(first, second, ...) second
#define KERNEL_CHOICE(...) KERNEL_SECOND(__VA_ARGS__)
#define KERNEL(name, ...)                                                                \
    KERNEL_CHOICE(ONLY_##name extern "C" __global__, template <int> static __device__, ) \
    void name(__VA_ARGS__)
#define KERNEL_BOUNDS(threads, min_blocks, name, ...)                                       \
    KERNEL_CHOICE(ONLY_##name extern "C" __global__ __launch_bounds__(threads, min_blocks), \
                  template <int> static __device__, )                                       \
    void name(__VA_ARGS__)
#define SHARED(Type, name) __shared__ Type name
#define DYNAMIC_SHARED(Type, name)                                         \
    extern __shared__ __align__(16) unsigned char bezout_dynamic_shared[]; \
    Type* name = reinterpret_cast<Type*>(bezout_dynamic_shared)

DEVICE void pause() { __nanosleep(32); }

#endif

DEVICE u32 lane_id() { return threadIdx.x % 32; }

// Loads and stores that order the accesses around them, at device scope: what was written before a
// store_release is seen after a load_acquire that reads it. Relaxed ones order nothing: they are
// for words that say everything by themselves. load_system (acquire), load_system_relaxed and
// store_system (relaxed) are for words of memory that the host reads and writes while the kernel
// runs.
#ifdef BEZOUT_EXECUTOR

DEVICE u32 load_acquire(const u32* from) { return executor::load_acquire(from); }
DEVICE u64 load_acquire(const u64* from) { return executor::load_acquire(from); }
DEVICE void store_release(u32* to, u32 value) { executor::store_release(to, value); }
DEVICE void store_release(u64* to, u64 value) { executor::store_release(to, value); }
DEVICE u32 load_relaxed(const u32* from) { return executor::load_acquire(from); }
DEVICE u64 load_relaxed(const u64* from) { return executor::load_acquire(from); }
DEVICE void store_relaxed(u32* to, u32 value) { executor::store_release(to, value); }
DEVICE void store_relaxed(u64* to, u64 value) { executor::store_release(to, value); }
DEVICE u64 load_system(const u64* from) { return executor::load_system(from); }
DEVICE u64 load_system_relaxed(const u64* from) { return executor::load_system(from); }
DEVICE void store_system(u64* to, u64 value) { executor::store_system(to, value); }

#else

DEVICE u32 load_acquire(const u32* from) {
    u32 value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
DEVICE u64 load_acquire(const u64* from) {
    u64 value;
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
DEVICE void store_release(u32* to, u32 value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
DEVICE void store_release(u64* to, u64 value) {
    asm volatile("st.release.gpu.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

DEVICE u32 load_relaxed(const u32* from) {
    u32 value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
DEVICE void store_relaxed(u32* to, u32 value) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
DEVICE u64 load_relaxed(const u64* from) {
    u64 value;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
DEVICE void store_relaxed(u64* to, u64 value) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

DEVICE u64 load_system(const u64* from) {
    u64 value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
DEVICE u64 load_system_relaxed(const u64* from) {
    u64 value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
DEVICE void store_system(u64* to, u64 value) {
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

#endif

// Accesses to data used once, which need not stay in the caches.
DEVICE u32 load_stream(const u32* from) { return __ldcs(from); }
DEVICE u64 load_stream(const u64* from) { return __ldcs(from); }
DEVICE ulonglong2 load_stream(const ulonglong2* from) { return __ldcs(from); }
DEVICE void store_stream(u64* to, u64 value) { __stcs(to, value); }
DEVICE void store_stream(ulonglong2* to, ulonglong2 value) { __stcs(to, value); }

// a + b + carry; carry, 0 or 1, becomes the carry out.
DEVICE u64 add_carry(u64 a, u64 b, u32& carry) {
    u64 partial = a + b;
    u64 sum = partial + carry;
    carry = (partial < a) | (sum < partial);
    return sum;
}

// Waits until every block of a cooperative launch has come here; what was written before is seen
// after. All threads of the block call. state: two words, zero before the first launch that uses
// them: arrivals in this round, and the round; they are ready for reuse afterwards.
DEVICE void grid_barrier(u32* state) {
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 round = load_acquire(&state[1]);
        __threadfence();
        if (atomicAdd(&state[0], 1) == gridDim.x - 1) {
            atomicExch(&state[0], 0);
            store_release(&state[1], round + 1);
        } else {
            while (load_acquire(&state[1]) == round) pause();
        }
        __threadfence();
    }
    __syncthreads();
}
