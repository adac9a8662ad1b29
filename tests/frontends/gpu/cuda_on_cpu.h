/* Enough of CUDA to run a kernel on a processor, one block after the other: each thread is a context of its own that runs until
 * it waits for others. Threads run in order, so that results do not depend on the machine; what waits for ever is told. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <functional>
#include <vector>

#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define __shared__ static

struct uint3 {
    unsigned x, y, z;
};
struct __align__(16) float4 {
    float x, y, z, w;
};

static uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace on_cpu {
enum Waits { READY, FOR_WARP, FOR_BLOCK, ENDED };
struct Thread {
    ucontext_t context;
    std::vector<char> stack;
    Waits waits;
    float given; /* to a shuffle */
};
static std::vector<Thread> threads;
static std::function<void()> body;
static ucontext_t scheduler;
static unsigned running;

static void run()
{
    body();
    threads[running].waits = ENDED;
}

static void wait(Waits waits)
{
    threads[running].waits = waits;
    swapcontext(&threads[running].context, &scheduler);
}

static uint3 place(unsigned number, uint3 extent)
{
    return {number % extent.x, number / extent.x % extent.y, number / extent.x / extent.y};
}

/* Whether all threads from `first` up to `end` that have not ended wait like this; they are then let go. */
static bool release(unsigned first, unsigned end, Waits waits)
{
    bool any = false;
    for (unsigned t = first; t < end; t++) {
        if (threads[t].waits != waits && threads[t].waits != ENDED)
            return false;
        any = any || threads[t].waits == waits;
    }
    for (unsigned t = first; t < end; t++)
        if (threads[t].waits == waits)
            threads[t].waits = READY;
    return any;
}

static void run_block()
{
    const unsigned count = threads.size();
    for (bool alive = true; alive;) {
        for (running = 0; running < count; running++)
            if (threads[running].waits == READY) {
                threadIdx = place(running, blockDim);
                swapcontext(&scheduler, &threads[running].context);
            }
        alive = release(0, count, FOR_BLOCK);
        for (unsigned warp = 0; warp < count; warp += 32)
            alive = release(warp, warp + 32 < count ? warp + 32 : count, FOR_WARP) || alive;
    }
    for (Thread &thread : threads)
        if (thread.waits != ENDED) {
            fprintf(stderr, "threads wait for ever\n");
            exit(3);
        }
}

static void launch(const unsigned *grid, const unsigned *block, std::function<void()> kernel)
{
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    body = kernel;
    threads = std::vector<Thread>(block[0] * block[1] * block[2]);
    for (Thread &thread : threads)
        thread.stack.resize(64 << 10);
    for (unsigned b = 0; b < grid[0] * grid[1] * grid[2]; b++) {
        blockIdx = place(b, gridDim);
        for (Thread &thread : threads) {
            getcontext(&thread.context);
            thread.context.uc_stack.ss_sp = thread.stack.data();
            thread.context.uc_stack.ss_size = thread.stack.size();
            thread.context.uc_link = &scheduler;
            thread.waits = READY;
            makecontext(&thread.context, run, 0);
        }
        run_block();
    }
}
} // namespace on_cpu

static void __syncthreads()
{
    on_cpu::wait(on_cpu::FOR_BLOCK);
}

static float __shfl_down_sync(unsigned, float value, unsigned distance)
{
    const unsigned own = on_cpu::running, other = own % 32 + distance < 32 ? own + distance : own;
    on_cpu::threads[own].given = value;
    on_cpu::wait(on_cpu::FOR_WARP);
    const float taken = on_cpu::threads[other].given;
    on_cpu::wait(on_cpu::FOR_WARP);
    return taken;
}

static float atomicAdd(float *place, float value)
{
    const float before = *place;
    *place += value;
    return before;
}

static float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}

static float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

template <class T> static T __ldg(const T *place)
{
    return *place;
}
