/* A libcuda whose device is this process: what the CUDA driver of tunepass calls, and how a real one fails.
 *
 * An "object" is a shared library; a kernel in it is
 *     int NAME(void **parameters, const unsigned *launch)       launch: grid x y z, block x y z, dynamic shared bytes
 * and returns the CUresult in which the launch ends. NAME_registers and NAME_shared (int) and NAME_sizes (size_t[], ended
 * by 0) say what the driver tells of it. An error of a launch is told by the next call that waits, and by every call after it; of a
 * launch that returns -1 nobody hears again.
 * FAKE_CUDA_LOG names a file that launches are noted in; FAKE_CUDA_MEMORY bounds the bytes allocated.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { OK = 0, INVALID = 1, NO_MEMORY = 2, BAD_IMAGE = 200, NOT_FOUND = 500, RESOURCES = 701, ENDLESS = -1 };
enum { REGISTERS = 65536, SHARED = 48 << 10, OPT_IN = 99 << 10 };

typedef int Kernel(void **, const unsigned *);
typedef struct { void *library; } Module;
typedef struct { Module *module; Kernel *run; char name[100]; unsigned dynamic; } Function;
typedef struct { struct timespec at; } Event;

static int sticky;
static size_t allocated;

static int waited(void)
{
    while (sticky == ENDLESS)
        pause();
    return sticky;
}

#define CHECK if (sticky) return sticky

int cuInit(unsigned flags) { (void)flags; return OK; }
int cuDriverGetVersion(int *version) { *version = 13000; return OK; }
int cuDeviceGetCount(int *count) { *count = 1; return OK; }
int cuDeviceGet(int *device, int number) { *device = number; return number ? 101 : OK; }
int cuDeviceGetName(char *name, int size, int device) { (void)device; snprintf(name, size, "Fake GPU"); return OK; }
int cuDeviceGetPCIBusId(char *name, int size, int device)
{
    (void)device;
    snprintf(name, size, "0000:01:00.0");
    return OK;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = (size_t)1 << 30; return OK; }

int cuDeviceGetAttribute(int *value, int which, int device)
{
    static const int known[][2] = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535},
                                   {8, SHARED}, {10, 32}, {13, 1410000}, {16, 4}, {36, 1215000}, {37, 5120},
                                   {38, 1 << 16}, {39, 2048}, {75, 8}, {76, 0}, {81, 164 << 10}, {82, REGISTERS},
                                   {97, OPT_IN}, {106, 32}};
    (void)device;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k][0] == which) {
            *value = known[k][1];
            return OK;
        }
    return INVALID;
}

int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = &sticky; return OK; }
int cuCtxSetCurrent(void *context) { return context == &sticky ? OK : INVALID; }
int cuCtxSynchronize(void) { return waited(); }

int cuMemAlloc_v2(uint64_t *address, size_t size)
{
    const char *most = getenv("FAKE_CUDA_MEMORY");
    CHECK;
    if (most && allocated + size > strtoull(most, NULL, 10))
        return NO_MEMORY;
    allocated += size;
    size_t *block = malloc(size + 64);
    *block = size;
    *address = (uintptr_t)block + 64;
    return OK;
}

int cuMemFree_v2(uint64_t address)
{
    CHECK;
    allocated -= *(size_t *)(uintptr_t)(address - 64);
    free((void *)(uintptr_t)(address - 64));
    return OK;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size)
{
    CHECK;
    memcpy((void *)(uintptr_t)to, from, size);
    return OK;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size)
{
    CHECK;
    memcpy(to, (void *)(uintptr_t)from, size);
    return OK;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *stream)
{
    (void)stream;
    return cuMemcpyHtoD_v2(to, (void *)(uintptr_t)from, size);
}

int cuMemsetD32Async(uint64_t address, unsigned value, size_t count, void *stream)
{
    (void)stream;
    CHECK;
    for (size_t k = 0; k < count; k++)
        ((uint32_t *)(uintptr_t)address)[k] = value;
    return OK;
}

int cuModuleLoadData(void **module, const void *image)
{
    const Elf64_Ehdr *head = image;
    CHECK;
    if (memcmp(image, ELFMAG, SELFMAG))
        return BAD_IMAGE;
    size_t size = head->e_shoff + (size_t)head->e_shentsize * head->e_shnum;
    int file = memfd_create("object", 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, image, size) != (ssize_t)size)
        return NO_MEMORY;
    Module *made = malloc(sizeof *made);
    made->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(file);
    *module = made;
    return made->library ? OK : BAD_IMAGE;
}

int cuModuleUnload(void *module)
{
    CHECK;
    dlclose(((Module *)module)->library);
    return OK;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    Function *made = calloc(1, sizeof *made);
    CHECK;
    made->module = module;
    made->run = (Kernel *)dlsym(made->module->library, name);
    snprintf(made->name, sizeof made->name, "%s", name);
    *function = made;
    return made->run ? OK : NOT_FOUND;
}

static void *of(Function *function, const char *suffix)
{
    char name[128];
    snprintf(name, sizeof name, "%s_%s", function->name, suffix);
    return dlsym(function->module->library, name);
}

static unsigned own_shared(Function *function)
{
    const int *told = of(function, "shared");
    return told ? (unsigned)*told : 0;
}

static int registers(Function *function)
{
    const int *told = of(function, "registers");
    return told ? *told : 16;
}

int cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *module, const char *name)
{
    char sized[128];
    CHECK;
    void *found = dlsym(((Module *)module)->library, name);
    snprintf(sized, sizeof sized, "%s_size", name);
    const size_t *told = dlsym(((Module *)module)->library, sized);
    if (!found || !told)
        return NOT_FOUND;
    *address = (uintptr_t)found;
    *size = *told;
    return OK;
}

int cuFuncGetAttribute(int *value, int which, void *function)
{
    CHECK;
    *value = which == 4 ? registers(function) : which == 1 ? (int)own_shared(function) : which == 0 ? 1024 : 0;
    return OK;
}

int cuFuncSetAttribute(void *function, int which, int value)
{
    CHECK;
    if (which != 8 || value > OPT_IN)
        return INVALID;
    ((Function *)function)->dynamic = value;
    return OK;
}

int cuFuncGetParamInfo(void *function, size_t which, size_t *offset, size_t *size)
{
    const size_t *told = of(function, "sizes");
    CHECK;
    for (size_t k = 0; told && told[k]; k++)
        if (k == which) {
            *offset = 8 * k;
            *size = told[k];
            return OK;
        }
    return INVALID;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra)
{
    Function *called = function;
    const unsigned launch[] = {gx, gy, gz, bx, by, bz, shared};
    const char *log = getenv("FAKE_CUDA_LOG");
    (void)stream, (void)extra;
    CHECK;
    if (!gx || !gy || !gz || !bx || !by || !bz || bx * by * bz > 1024)
        return INVALID;
    if (shared > called->dynamic && shared + own_shared(called) > SHARED)
        return INVALID;
    if (bx * by * bz * (unsigned)registers(called) > REGISTERS)
        return RESOURCES;
    FILE *file = log ? fopen(log, "a") : NULL;
    if (file) {
        fprintf(file, "%s grid %u %u %u block %u %u %u shared %u\n", called->name, gx, gy, gz, bx, by, bz, shared);
        fclose(file);
    }
    sticky = called->run(parameters, launch);
    return OK;
}

int cuEventCreate(void **event, unsigned flags) { (void)flags; *event = calloc(1, sizeof(Event)); return OK; }

int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &((Event *)event)->at);
    return OK;
}

int cuEventSynchronize(void *event) { (void)event; return waited(); }

int cuEventElapsedTime(float *milliseconds, void *first, void *last)
{
    CHECK;
    struct timespec a = ((Event *)first)->at, b = ((Event *)last)->at;
    *milliseconds = (b.tv_sec - a.tv_sec) * 1e3f + (b.tv_nsec - a.tv_nsec) * 1e-6f;
    return OK;
}

int cuGetErrorName(int code, const char **name)
{
    *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
    return OK;
}

int cuGetErrorString(int code, const char **text)
{
    *text = code == 700 ? "an illegal memory access was encountered" : "something else went wrong";
    return OK;
}
