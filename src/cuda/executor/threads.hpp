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

// Words that the host reads and writes meanwhile. It may take its time, so waiting for it is no
// endless wait.
template <class T> T load_system(const T* p) {
    idle = 0;
    if (random() % 64 == 0) sched_yield();
    if (random() % 16 == 0) yield();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <class T> void store_system(T* p, T value) {
    interleave();
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
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

