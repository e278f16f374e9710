// The executor: CUDA's execution model on one CPU thread, so that kernel sources run, and are
// searched for faults by sanitizers, where there is no GPU. fibers.hpp, threads.hpp, scheduler.hpp
// and names.hpp, then device.cuh, then a kernel source make one translation unit, compiled as C++17
// with BEZOUT_EXECUTOR=1 into a shared object that exports bezout_executor_launch and nothing else.
//
// Each CUDA thread is a fiber that runs until it must wait. Which warp runs next, and in which
// order its lanes do, is drawn at random (BEZOUT_EXECUTOR_SEED; the same seed and launch give the
// same order), and atomics and acquire/release accesses are now and then interrupted, so that a
// missing barrier shows. Up to three blocks run interleaved, started in order; in a cooperative
// launch, all. Stricter than CUDA: a lane named by a warp collective must not have exited, and the
// threads of a block meet at the same __syncthreads of the source. What would hang is reported.

// Fortified longjmp refuses to leave for another stack, which is what a fiber switch does.
#undef _FORTIFY_SOURCE
#include <climits>
#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <type_traits>
#include <ucontext.h>
#include <unistd.h>
#include <utility>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BEZOUT_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BEZOUT_ASAN 1
#endif
#ifdef BEZOUT_ASAN
extern "C" void __sanitizer_start_switch_fiber(void** fake, const void* bottom, size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void* fake, const void** bottom, size_t* size);
extern "C" void __asan_unpoison_memory_region(const volatile void* address, size_t size);
#endif

// Many such objects are loaded in one process: nothing but the launch function is visible.
#pragma GCC visibility push(hidden)

typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
struct uint3 {
    u32 x, y, z;
};
struct alignas(16) ulonglong2 {
    u64 x, y;
};

static uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace executor {
namespace {

// Where in the source a collective was called.
struct Site {
    const char* file;
    int line;
    static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
    bool operator==(const Site& o) const {
        return line == o.line && (file == o.file || !strcmp(file, o.file));
    }
};

// What a thread last waited for; the block barriers come first, the shuffles last.
enum class Wait : unsigned char {
    Nothing, Pause,
    Syncthreads, SyncthreadsOr, SyncthreadsAnd, SyncthreadsCount,
    Syncwarp, Ballot, Any, All, Shfl, ShflUp, ShflDown, ShflXor,
};
constexpr const char* WAIT_NAMES[] = {
    "run", "spin at pause",
    "wait at __syncthreads", "wait at __syncthreads_or", "wait at __syncthreads_and",
    "wait at __syncthreads_count", "wait at __syncwarp", "wait at __ballot_sync",
    "wait at __any_sync", "wait at __all_sync", "wait at __shfl_sync", "wait at __shfl_up_sync",
    "wait at __shfl_down_sync", "wait at __shfl_xor_sync",
};
static_assert(sizeof WAIT_NAMES / sizeof *WAIT_NAMES == int(Wait::ShflXor) + 1, "a name for each");

// ---- Fibers, and the switch between them, which makes no system call.

#ifdef BEZOUT_ASAN
constexpr size_t STACK_BYTES = 256 << 10;
#else
constexpr size_t STACK_BYTES = 64 << 10;
#endif
const size_t GUARD_BYTES = sysconf(_SC_PAGESIZE);
// Stacks of a module with a guard below them.
const size_t GUARDED = 16;

void fiber_main();

// Where a fiber stands. begin: at the start of fiber_main, on a stack that ends at `top`, a
// multiple of 16. swap: leaves `from` for `to`, until someone swaps to `from`.
#if defined(__x86_64__) && defined(__linux__)

// AddressSanitizer takes longjmp for an unwinding: it forgets what it knows of the stack, at the
// price of a system call. So the registers that a call preserves are kept here by hand.
typedef void* Context;
extern "C" void bezout_swap(Context* from, Context to);
asm(R"(
.pushsection .text
.type bezout_swap, @function
bezout_swap:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
.size bezout_swap, . - bezout_swap
.popsection
)");
inline void begin(Context& at, char*, char* top) {
    void** slots = reinterpret_cast<void**>(top);
    memset(slots - 8, 0, 64); // six registers, the address that ret takes, and no caller
    slots[-2] = reinterpret_cast<void*>(fiber_main);
    at = slots - 8;
}
inline void swap(Context& from, Context& to) { bezout_swap(&from, to); }

#else

struct Context {
    jmp_buf jump;
    char *stack, *top; // null once begun
};
inline void begin(Context& at, char* stack, char* top) {
    at.stack = stack;
    at.top = top;
}
inline void swap(Context& from, Context& to) {
    if (_setjmp(from.jump)) return;
    if (!to.top) _longjmp(to.jump, 1);
    static ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = to.stack;
    context.uc_stack.ss_size = to.top - to.stack;
    context.uc_link = nullptr;
    makecontext(&context, fiber_main, 0);
    to.top = nullptr;
    setcontext(&context);
}

#endif

struct Fiber {
    Context context;
    char* stack;
    void* fake; // AddressSanitizer's own stack
};

struct Warp;
struct Lane {
    Fiber* fiber; // null before the thread starts
    Warp* warp;
    Site site;
    u64 value; // what it brings to a warp collective, then what it takes from it
    u32 mask;
    u32 source; // the lane a shuffle reads
    u32 id;
    Wait wait;
};

Lane* current;
Context scheduler;
[[maybe_unused]] void* scheduler_fake;
[[maybe_unused]] const void* scheduler_stack;
[[maybe_unused]] size_t scheduler_bytes;

// A fault leaves its fibers where they stood; their stacks are then given back.
struct Fibers {
    std::vector<Fiber*> all, idle;

    Fiber* take() {
        if (idle.empty()) {
            void* memory = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED) return nullptr;
            // All threads run the same code, so a few guards find out a stack that is too short.
            // Each takes two of the mappings that a process may have, some ten thousand, and stacks
            // without one that lie side by side share theirs.
            if (all.size() < GUARDED) (void)mprotect(memory, GUARD_BYTES, PROT_NONE);
            Fiber* fiber = new Fiber{{}, static_cast<char*>(memory) + GUARD_BYTES, nullptr};
            // Stack tops that differ modulo a page do not fight for the same cache sets.
            size_t colour = all.size() % 32 * 128;
            begin(fiber->context, fiber->stack, fiber->stack + STACK_BYTES - colour);
            idle.push_back(fiber);
            all.push_back(fiber);
        }
        Fiber* fiber = idle.back();
        idle.pop_back();
        return fiber;
    }
    void clear() {
        for (Fiber* fiber : all) {
#ifdef BEZOUT_ASAN
            __asan_unpoison_memory_region(fiber->stack, STACK_BYTES);
#endif
            munmap(fiber->stack - GUARD_BYTES, GUARD_BYTES + STACK_BYTES);
            delete fiber;
        }
        all.clear();
        idle.clear();
    }
};
// Like all state below never destroyed: the process may exit while another thread launches.
Fibers& fibers = *new Fibers;

inline void arrived(void* fake, const void** bottom, size_t* bytes) {
#ifdef BEZOUT_ASAN
    __sanitizer_finish_switch_fiber(fake, bottom, bytes);
#else
    (void)fake, (void)bottom, (void)bytes;
#endif
    // Another thread has run: the compiler must not keep what it knew of these.
    asm volatile("" ::"r"(&threadIdx), "r"(&blockIdx), "r"(&current) : "memory");
}

void thread_main();

void fiber_main() {
    arrived(nullptr, &scheduler_stack, &scheduler_bytes);
    for (;;) thread_main();
}

__attribute__((noinline)) void enter(Fiber* fiber) {
#ifdef BEZOUT_ASAN
    __sanitizer_start_switch_fiber(&scheduler_fake, fiber->stack, STACK_BYTES);
#endif
    swap(scheduler, fiber->context);
    arrived(scheduler_fake, nullptr, nullptr);
}

// From the current fiber back to the scheduler, until it enters the fiber again.
__attribute__((noinline)) void leave() {
    Fiber* fiber = current->fiber;
#ifdef BEZOUT_ASAN
    __sanitizer_start_switch_fiber(&fiber->fake, scheduler_stack, scheduler_bytes);
#endif
    swap(fiber->context, scheduler);
    arrived(current->fiber->fake, &scheduler_stack, &scheduler_bytes);
}

