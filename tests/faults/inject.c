/* Preloaded into a command and all that it starts: lets the n-th call of a kind fail. See injecting.py.
 *
 * FAULT is "call role nth times error", FAULT_RECORD a file of struct record, which all processes of a run share: the
 * calls are counted over all of them, by role and kind. What fails is the C library's function, as a program calls it:
 * allocations inside the C library, and programs that are linked statically, are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* As injecting.py lists them. */
static const char *const calls[] = {"open", "write", "fsync", "rename", "mkdir", "fork",    "exec",
                                    "mmap", "flock", "thread", "pipe",  "dup",   "unshare", "mount"};
static const char *const roles[] = {"tunepass", "supervisor", "tool"};
enum { CALLS = sizeof calls / sizeof *calls, ROLES = sizeof roles / sizeof *roles };
enum { TUNEPASS, SUPERVISOR, TOOL };

struct record {
    long failed;
    char what[240]; /* the first call that failed, and its argument */
    long made[ROLES][CALLS];
};

static struct record *record; /* null in a process without a role, and before tunepass begins */
static int own_role = -1;
static char call_name[16], role_name[16];
static long nth, times;
static int error_number;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

/* tunepass, its supervisor, or a tool such as a compiler; empty for all others. */
static void find_role(void) {
    char line[4096], exe[256];
    int file = ((int (*)(const char *, int, ...))next("open"))("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, line, sizeof line - 1);
    if (file >= 0) close(file);
    for (ssize_t i = 0; i < size; i++)
        if (!line[i]) line[i] = ' ';
    line[size > 0 ? size : 0] = 0;
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length > 0 ? length : 0] = 0;
    const char *name = strrchr(exe, '/') ? strrchr(exe, '/') + 1 : exe;
    if (strstr(line, "/supervisor/start.py"))
        own_role = SUPERVISOR;
    else if (strstr(name, "gcc") || strstr(name, "cc1") || strstr(name, "collect2") || strstr(name, "-as") ||
             strstr(name, "-ld") || !strcmp(name, "as") || !strcmp(name, "ld"))
        own_role = TOOL;
}

static void read_settings(void) {
    const char *fault = getenv("FAULT"), *path = getenv("FAULT_RECORD");
    if (!fault || !path || sscanf(fault, "%15s %15s %ld %ld %d", call_name, role_name, &nth, &times, &error_number) != 5)
        return;
    int file = ((int (*)(const char *, int, ...))next("open"))(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return; /* a candidate, which may write nowhere else */
    void *(*map)(void *, size_t, int, int, int, off_t) = next("mmap");
    void *memory = map(0, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return;
    record = memory;
}

__attribute__((constructor)) static void start(void) {
    find_role();
    if (own_role >= 0) read_settings();
}

/* This process is tunepass, and starts with its work now: called by whoever runs its command line. */
void fault_begin(void) {
    own_role = TUNEPASS;
    read_settings();
}

static int fails(const char *name, const char *argument) {
    if (!record) return 0;
    int kind = 0;
    while (strcmp(name, calls[kind])) kind++;
    long number = __atomic_add_fetch(&record->made[own_role][kind], 1, __ATOMIC_RELAXED);
    if (strcmp(name, call_name) || strcmp(roles[own_role], role_name)) return 0;
    if (number < nth || number - nth >= times) return 0;
    if (__atomic_fetch_add(&record->failed, 1, __ATOMIC_RELAXED) == 0)
        snprintf(record->what, sizeof record->what, "%s(%s)", name, argument ? argument : "");
    errno = error_number;
    return 1;
}

static int fails_of_descriptor(const char *name, int descriptor) {
    char argument[32];
    if (!record) return 0;
    snprintf(argument, sizeof argument, "%d", descriptor);
    return fails(name, argument);
}

/* Python waits for ever for a thread whose first Python frame found no memory, so only the main thread finds none. */
static int mmap_fails(int descriptor) { return getpid() == gettid() && fails_of_descriptor("mmap", descriptor); }

/* A disk is full, a pipe is not. */
static int write_fails(int descriptor) {
    struct stat status;
    return record && descriptor != STDERR_FILENO && !fstat(descriptor, &status) &&
           S_ISREG(status.st_mode) && fails_of_descriptor("write", descriptor);
}

/* A full or read-only disk refuses only what is to be written. */
static int open_fails(const char *path, int flags) {
    int writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    return ((error_number != ENOSPC && error_number != EROFS) || writes) && fails("open", path);
}

#define MODE(flags)                                         \
    mode_t mode = 0;                                        \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                  \
        va_list rest;                                       \
        va_start(rest, flags);                              \
        mode = va_arg(rest, mode_t);                        \
        va_end(rest);                                       \
    }

#define OPEN(NAME)                                                                        \
    int NAME(const char *path, int flags, ...) {                                          \
        MODE(flags)                                                                       \
        if (open_fails(path, flags)) return -1;                                           \
        return ((int (*)(const char *, int, ...))next(#NAME))(path, flags, mode);         \
    }
#define OPENAT(NAME)                                                                              \
    int NAME(int folder, const char *path, int flags, ...) {                                      \
        MODE(flags)                                                                               \
        if (open_fails(path, flags)) return -1;                                                   \
        return ((int (*)(int, const char *, int, ...))next(#NAME))(folder, path, flags, mode);    \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* TYPE NAME PARAMETERS: fails with FAILURE where CONDITION holds, else calls on with ARGUMENTS. */
#define WRAP(TYPE, NAME, PARAMETERS, ARGUMENTS, CONDITION, FAILURE) \
    TYPE NAME PARAMETERS {                                          \
        static TYPE(*real) PARAMETERS;                              \
        if (!real) real = next(#NAME);                              \
        if (CONDITION) return FAILURE;                              \
        return real ARGUMENTS;                                      \
    }

WRAP(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size),
     write_fails(fd), -1)
WRAP(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at),
     write_fails(fd), -1)
WRAP(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at),
     write_fails(fd), -1)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), write_fails(fd), -1)
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), write_fails(fd), -1)
WRAP(int, fsync, (int fd), (fd), fails_of_descriptor("fsync", fd), -1)
WRAP(int, fdatasync, (int fd), (fd), fails_of_descriptor("fsync", fd), -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), fails("rename", to), -1)
WRAP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), fails("rename", to), -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), fails("mkdir", path), -1)
WRAP(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), fails("mkdir", path), -1)
WRAP(int, flock, (int fd, int operation), (fd, operation), fails_of_descriptor("flock", fd), -1)
WRAP(int, pipe, (int ends[2]), (ends), fails("pipe", ""), -1)
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), fails("pipe", ""), -1)
WRAP(int, socketpair, (int family, int type, int protocol, int ends[2]), (family, type, protocol, ends),
     fails("pipe", ""), -1)
WRAP(int, dup2, (int from, int to), (from, to), fails_of_descriptor("dup", from), -1)
WRAP(int, unshare, (int flags), (flags), fails("unshare", ""), -1)
WRAP(int, mount, (const char *source, const char *target, const char *type, unsigned long flags, const void *data),
     (source, target, type, flags, data), fails("mount", target), -1)
WRAP(pid_t, fork, (void), (), fails("fork", ""), -1)
WRAP(int, execve, (const char *path, char *const words[], char *const environment[]), (path, words, environment),
     fails("exec", path), -1)
WRAP(int, execv, (const char *path, char *const words[]), (path, words), fails("exec", path), -1)
WRAP(int, execvp, (const char *path, char *const words[]), (path, words), fails("exec", path), -1)
WRAP(int, posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const words[], char *const environment[]),
     (pid, path, actions, attributes, words, environment), fails("fork", path), error_number)
WRAP(int, posix_spawnp,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const words[], char *const environment[]),
     (pid, path, actions, attributes, words, environment), fails("fork", path), error_number)
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *argument),
     (thread, attributes, begin, argument), fails("thread", ""), error_number)
WRAP(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset), mmap_fails(fd), MAP_FAILED)
WRAP(void *, mmap64, (void *at, size_t size, int protection, int flags, int fd, off64_t offset),
     (at, size, protection, flags, fd, offset), mmap_fails(fd), MAP_FAILED)

/* gcc waits 1, 2, 4 and 8 seconds for room before it gives up a process: minutes, where each of its programs is refused. */
unsigned sleep(unsigned seconds) {
    if (record && own_role == TOOL) return 0;
    return ((unsigned (*)(unsigned))next("sleep"))(seconds);
}

/* A child of vfork borrows its caller's stack frame, which a wrapper cannot keep for it; a fork does as well. */
pid_t vfork(void) { return fork(); }
