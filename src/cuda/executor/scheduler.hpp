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
    random_state = seed = text && *text ? strtoull(text, nullptr, 0) : 1;
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

