// The executor: CUDA's execution model on one CPU thread, so that kernel sources run, and are
// searched for faults by sanitizers, where there is no GPU. This text, then device.cuh, then a
// kernel source make one translation unit, compiled as C++17 with BEZOUT_EXECUTOR=1 into a shared
// object that exports bezout_executor_launch and nothing else.
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
            // Without its guard, when the process has too many mappings, the stack still serves.
            (void)mprotect(memory, GUARD_BYTES, PROT_NONE);
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

// ---- Kernels register themselves by name; args[i] points at the value of parameter i.

template <class T> T argument(void* from) {
    T value;
    memcpy(&value, from, sizeof value);
    return value;
}

struct Kernel {
    const char* name;
    void (*function)();
    void (*call)(void (*)(), void**);
    u32 threads; // most a block may have
    Kernel* next;
    static Kernel* first;

    template <class... A> Kernel(const char* name, void (*kernel)(A...), u32 threads)
        : name(name), function(reinterpret_cast<void (*)()>(kernel)), call(thunk<A...>),
          threads(threads), next(first) {
        first = this;
    }
    template <class... A> static void thunk(void (*function)(), void** args) {
        unpack(reinterpret_cast<void (*)(A...)>(function), args, std::index_sequence_for<A...>());
    }
    template <class... A, size_t... I>
    static void unpack(void (*function)(A...), [[maybe_unused]] void** args,
                       std::index_sequence<I...>) {
        function(argument<A>(args[I])...);
    }
};
Kernel* Kernel::first = nullptr;

// ---- The launch that runs.

struct Shared {
    const void* site;
    void* memory;
};

struct Block;
struct Warp {
    Block* block;
    u32 first;   // thread index of lane 0
    u32 ready;   // lanes that can run,
    u32 waiting; // that wait at a warp collective,
    u32 parked;  // that wait at a block barrier,
    u32 exited;  // that are done or never were
    bool queued; // in the run queue, or running
    bool spun;   // a lane paused since the last collective
    Lane lanes[32];
};

struct Block {
    u32 index;
    u32 alive;   // threads that have not exited
    u32 arrived; // threads at the barrier
    u32 count;   // of those, with a true predicate
    u32 result;  // of the last barrier
    Wait barrier;
    Site site;
    std::vector<Warp> warps;
    std::vector<Shared> shared;
};

// So many pauses and atomic accesses with no sign of progress are taken for an endless wait. Signs
// are a thread that exits, an atomic access that changes what it finds, and a collective that none
// of these accesses led up to (a loop that votes whether to go on waiting is none).
constexpr u64 LIVELOCK = 10000000;

const Kernel* kernel;
void** arguments;
u32 dynamic_bytes;
std::vector<Block>& blocks = *new std::vector<Block>;
std::vector<Warp*>& queue = *new std::vector<Warp*>;
u64 random_state, seed;
u64 idle;
bool failed;
char* error_text;
size_t error_room;

inline u64 random() { // splitmix64
    u64 z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// Appends to the error text, which is cut where its room ends.
void say_list(const char* format, va_list list) {
    int wrote = vsnprintf(error_text, error_room, format, list);
    size_t step = wrote < 0 || error_room == 0 ? 0 : static_cast<size_t>(wrote);
    if (step >= error_room && step) step = error_room - 1;
    error_text += step;
    error_room -= step;
}
__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
    va_list list;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

// "threads 0-31 wait at __syncthreads (file:7)", for each run of threads of each block at work.
void say_waits() {
    for (const Block& block : blocks) {
        if (!block.alive) continue;
        say("\n  block %u:", block.index);
        u32 threads = blockDim.x;
        for (u32 begin = 0, end; begin < threads; begin = end) {
            auto lane = [&](u32 i) -> const Lane& { return block.warps[i / 32].lanes[i % 32]; };
            auto gone = [&](u32 i) { return block.warps[i / 32].exited >> i % 32 & 1; };
            const Lane& one = lane(begin);
            for (end = begin + 1; end < threads; ++end) {
                const Lane& o = lane(end);
                if (gone(end) != gone(begin)) break;
                if (gone(end)) continue;
                if (o.wait != one.wait || o.mask != one.mask) break;
                if (o.wait != Wait::Nothing && !(o.site == one.site)) break;
            }
            say(end - begin > 1 ? "%s threads %u-%u " : "%s thread %u ", begin ? "," : "", begin,
                end - 1);
            if (gone(begin)) {
                say("have exited");
                continue;
            }
            say("%s", WAIT_NAMES[static_cast<int>(one.wait)]);
            if (one.wait >= Wait::Syncwarp) say(" mask 0x%08x", one.mask);
            if (one.wait != Wait::Nothing) say(" (%s:%d)", one.site.file, one.site.line);
        }
    }
}

// Ends the launch with an error, told of the current thread. Does not return.
[[noreturn]] __attribute__((format(printf, 1, 2))) void fail(const char* format, ...) {
    say("kernel %s, block %u, thread %u: ", kernel->name, blockIdx.x, threadIdx.x);
    va_list list;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
    say_waits();
    failed = true;
    leave();
    abort();
}

inline void wake(Warp& warp, u32 lanes) {
    warp.ready |= lanes;
    if (lanes && !warp.queued) {
        warp.queued = true;
        queue.push_back(&warp);
    }
}

inline void yield() {
    wake(*current->warp, 1u << current->id);
    leave();
}

inline void pause(Site site = Site::here()) {
    ++idle;
    current->warp->spun = true;
    current->wait = Wait::Pause;
    current->site = site;
    yield();
}

// ---- Accesses that other threads may observe, each now and then interrupted before.

inline void interleave() {
    ++idle;
    current->warp->spun = true;
    if (random() % 16 == 0) yield();
}

// access() is what is done to *p; gives what was there before.
template <class T, class F> T atomic(T* p, F access) {
    interleave();
    T old = access();
    if (*p != old) idle = 0;
    return old;
}
template <class T> T load_acquire(const T* p) {
    interleave();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <class T> void store_release(T* p, T value) {
    atomic(p, [&] {
        T old = *p;
        __atomic_store_n(p, value, __ATOMIC_RELEASE);
        return old;
    });
}

// ---- Barriers of a block. Threads that have exited are not waited for.

void release(Block& block) {
    bool spun = false;
    block.result = block.barrier == Wait::SyncthreadsOr    ? block.count != 0
                   : block.barrier == Wait::SyncthreadsAnd ? block.count == block.arrived
                                                           : block.count;
    block.arrived = 0;
    for (Warp& warp : block.warps) {
        spun |= warp.spun;
        warp.spun = false;
        wake(warp, warp.parked);
        warp.parked = 0;
    }
    if (!spun) idle = 0;
}

inline u32 block_barrier(Wait kind, bool predicate, Site site) {
    Warp& warp = *current->warp;
    Block& block = *warp.block;
    u32 bit = 1u << current->id;
    current->wait = kind;
    current->site = site;
    if (block.arrived == 0) {
        block.barrier = kind;
        block.site = site;
        block.count = 0;
    } else if (block.barrier != kind || !(block.site == site)) {
        fail("comes to another block barrier than the one where threads of its block wait");
    }
    block.count += predicate;
    warp.parked |= bit;
    if (++block.arrived == block.alive) {
        release(block);
        warp.ready &= ~bit;
    } else {
        leave();
    }
    current->wait = Wait::Nothing;
    return block.result;
}

// ---- Collectives of a warp: the last lane to come computes for all.

void complete(Warp& warp, u32 mask, Wait kind) {
    u64 values[32];
    u32 votes = 0;
    for (u32 lanes = mask; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        values[i] = warp.lanes[i].value;
        votes |= static_cast<u32>(values[i] & 1) << i;
    }
    for (u32 lanes = mask; lanes; lanes &= lanes - 1) {
        Lane& lane = warp.lanes[__builtin_ctz(lanes)];
        if (kind == Wait::Ballot) lane.value = votes;
        else if (kind == Wait::Any) lane.value = votes != 0;
        else if (kind == Wait::All) lane.value = votes == mask;
        // What a lane that takes no part would give is undefined.
        else if (kind >= Wait::Shfl)
            lane.value = mask >> lane.source & 1 ? values[lane.source] : 0xa5a5a5a5a5a5a5a5;
    }
    warp.waiting &= ~mask;
    wake(warp, mask);
    if (!warp.spun) idle = 0;
    warp.spun = false;
}

u64 warp_collective(Wait kind, u32 mask, u64 value, u32 source, Site site) {
    Lane& lane = *current;
    Warp& warp = *lane.warp;
    u32 bit = 1u << lane.id;
    lane.wait = kind;
    lane.mask = mask;
    lane.value = value;
    lane.source = source;
    lane.site = site;
    if (!(mask & bit)) fail("its mask does not name the lane itself");
    if (mask & warp.exited)
        fail("its mask names lanes that have exited or never were: 0x%08x", mask & warp.exited);
    warp.waiting |= bit;
    // Lanes may meet in a smaller group first. Two that wait for each other at different
    // collectives never meet.
    bool all = (warp.waiting & mask) == mask;
    for (u32 lanes = all ? mask : 0; lanes; lanes &= lanes - 1) {
        const Lane& other = warp.lanes[__builtin_ctz(lanes)];
        if (other.wait == kind && other.mask == mask) continue;
        if (other.mask & bit) fail("lane %u waits for it at another collective", other.id);
        all = false;
    }
    if (all) {
        complete(warp, mask, kind);
        warp.ready &= ~bit;
    } else {
        leave();
    }
    lane.wait = Wait::Nothing;
    return lane.value;
}

template <class T> T shuffle(Wait kind, u32 mask, T value, u32 source, Site site) {
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "shuffle");
    u64 word = 0;
    memcpy(&word, &value, sizeof value);
    word = warp_collective(kind, mask, word, source, site);
    memcpy(&value, &word, sizeof value);
    return value;
}

// ---- Shared memory: one heap block for each object, so that an overrun of any is seen.

void* shared(const void* site, size_t bytes, size_t align) {
    std::vector<Shared>& objects = current->warp->block->shared;
    for (const Shared& object : objects)
        if (object.site == site) return object.memory;
    void* memory = nullptr;
    if (posix_memalign(&memory, align < 16 ? 16 : align, bytes)) fail("no memory");
    memset(memory, 0xa5, bytes);
    objects.push_back({site, memory});
    return memory;
}

inline void* dynamic_shared() { return shared(nullptr, dynamic_bytes, 16); }

// ---- The scheduler.

void thread_main() {
    kernel->call(kernel->function, arguments);
    Lane& lane = *current;
    Warp& warp = *lane.warp;
    Block& block = *warp.block;
    for (u32 lanes = warp.waiting; lanes; lanes &= lanes - 1) {
        const Lane& other = warp.lanes[__builtin_ctz(lanes)];
        if (other.mask >> lane.id & 1) fail("exits while lane %u waits for it", other.id);
    }
    warp.exited |= 1u << lane.id;
    idle = 0;
    if (--block.alive && block.arrived == block.alive) release(block);
    fibers.idle.push_back(lane.fiber);
    leave();
}

void start(Block& block, u32 index) {
    block.index = index;
    block.alive = blockDim.x;
    block.arrived = 0;
    for (u32 w = 0; w < block.warps.size(); ++w) {
        Warp& warp = block.warps[w];
        u32 count = blockDim.x - 32 * w;
        u32 lanes = count >= 32 ? ~0u : (1u << count) - 1;
        warp.block = &block;
        warp.first = 32 * w;
        warp.ready = warp.waiting = warp.parked = 0;
        warp.exited = ~lanes;
        warp.queued = warp.spun = false;
        for (u32 i = 0; i < 32; ++i)
            warp.lanes[i] = {nullptr, &warp, {}, 0, 0, 0, i, Wait::Nothing};
        wake(warp, lanes);
    }
}

void end(Block& block) {
    for (const Shared& object : block.shared) free(object.memory);
    block.shared.clear();
}

// Runs the lanes of a warp that are ready, each until it waits: upwards or downwards from a random
// one, and now and then only some of them.
void run(Warp& warp) {
    u64 draw = random();
    u32 pass = warp.ready, some = pass & static_cast<u32>(draw >> 32);
    if (draw % 4 == 0 && some) pass = some;
    u32 from = draw >> 2 & 31, step = draw >> 7 & 1 ? 1 : 31;
    blockIdx.x = warp.block->index;
    for (u32 n = 0, i = from; n < 32 && !failed; ++n, i = (i + step) % 32) {
        if (!(pass >> i & 1)) continue;
        Lane& lane = warp.lanes[i];
        warp.ready &= ~(1u << i);
        if (!lane.fiber && !(lane.fiber = fibers.take())) {
            say("kernel %s: no memory for the stacks of its threads", kernel->name);
            failed = true;
            return;
        }
        current = &lane;
        threadIdx.x = warp.first + i;
        enter(lane.fiber);
    }
}

// `resident` blocks have started. Where one ends, one, two or three shall run, so that a block that
// waits for a later one is found out.
void run_all(u32 resident) {
    u32 next = resident, running = resident;
    while (!failed && !queue.empty()) {
        size_t pick = random() % queue.size();
        Warp& warp = *queue[pick];
        queue[pick] = queue.back();
        queue.pop_back();
        run(warp);
        warp.queued = false;
        wake(warp, warp.ready);
        if (!warp.block->alive && !failed) {
            end(*warp.block);
            --running;
            u32 wanted = 1 + random() % 3;
            for (Block& block : blocks) {
                if (block.alive || running >= wanted || next == gridDim.x) continue;
                start(block, next++);
                ++running;
            }
        }
        if (idle > LIVELOCK && !failed) {
            say("kernel %s: its threads spin without end:", kernel->name);
            say_waits();
            failed = true;
        }
    }
    for (const Block& block : blocks) {
        if (!block.alive || failed) continue;
        say("kernel %s: its threads wait for each other without end:", kernel->name);
        say_waits();
        failed = true;
    }
}

pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;

int launch(const char* name, u32 grid, u32 block, u32 shared_bytes, bool cooperative, void** args) {
    for (kernel = Kernel::first; kernel && strcmp(kernel->name, name); kernel = kernel->next) {}
    if (!kernel) return say("no kernel %s", name), 1;
    if (!grid || !block || block > kernel->threads)
        return say("kernel %s: bad launch of %u blocks of %u threads, at most %u threads a block",
                   name, grid, block, kernel->threads), 1;
    const char* text = getenv("BEZOUT_EXECUTOR_SEED");
    random_state = seed = text ? strtoull(text, nullptr, 0) : 1;
    for (const char* c = name; *c; ++c) random_state = random_state * 31 + *c;
    arguments = args;
    dynamic_bytes = shared_bytes;
    threadIdx = blockIdx = {0, 0, 0};
    blockDim = {block, 1, 1};
    gridDim = {grid, 1, 1};
    idle = 0;
    failed = false;
    u32 resident = cooperative || grid < 3 ? grid : 3;
    blocks.resize(resident);
    for (u32 i = 0; i < resident; ++i) {
        blocks[i].warps.resize((block + 31) / 32);
        start(blocks[i], i);
    }
    run_all(resident);
    if (!failed) return 0;
    say("\n  (BEZOUT_EXECUTOR_SEED=%llu)", seed);
    for (Block& b : blocks) end(b);
    queue.clear();
    fibers.clear();
    return 2;
}

} // namespace
} // namespace executor

// Runs a kernel to its end. 0: done; 1: no such kernel, or not with this shape; 2: a fault of the
// kernel. Unless 0, error holds the reason, a C string cut to error_len bytes.
extern "C" __attribute__((visibility("default"))) int
bezout_executor_launch(const char* kernel, unsigned grid, unsigned block, unsigned shared_bytes,
                       int cooperative, void** args, char* error, unsigned long error_len) {
    pthread_mutex_lock(&executor::launching);
    executor::error_text = error;
    executor::error_room = error_len;
    int code = executor::launch(kernel, grid, block, shared_bytes, cooperative != 0, args);
    pthread_mutex_unlock(&executor::launching);
    return code;
}

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
