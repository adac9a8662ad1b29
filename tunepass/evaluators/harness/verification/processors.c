/* Linked with a candidate by -Wl,--wrap: it is told that there are as many processors as TUNEPASS_PROCESSORS says. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wanted(void) {
    const char *text = getenv("TUNEPASS_PROCESSORS");
    return text ? atoi(text) : 1;
}

static int fill(size_t bytes, unsigned char *set) {
    memset(set, 0, bytes);
    for (int k = 0; k < wanted() && (size_t)k / 8 < bytes; k++) set[k / 8] |= (unsigned char)(1 << k % 8);
    return 0;
}

long __real_sysconf(int name);
long __wrap_sysconf(int name) {
    return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? wanted() : __real_sysconf(name);
}
int __wrap_get_nprocs(void) { return wanted(); }
int __wrap_get_nprocs_conf(void) { return wanted(); }
int __wrap_omp_get_num_procs(void) { return wanted(); }
unsigned __wrap__ZNSt6thread20hardware_concurrencyEv(void) { return (unsigned)wanted(); }
unsigned __wrap__ZNSt3__16thread20hardware_concurrencyEv(void) { return (unsigned)wanted(); } /* libc++ */
/* A thread that is put on a processor which this machine does not have stays where it is. */
int __wrap_sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set) {
    (void)process, (void)bytes, (void)set;
    return 0;
}
int __wrap_pthread_setaffinity_np(unsigned long thread, size_t bytes, const cpu_set_t *set) {
    (void)thread, (void)bytes, (void)set;
    return 0;
}
int __wrap_pthread_attr_setaffinity_np(void *attributes, size_t bytes, const cpu_set_t *set) {
    (void)attributes, (void)bytes, (void)set;
    return 0;
}
int __wrap_sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set) {
    (void)process;
    return fill(bytes, (unsigned char *)set);
}
int __wrap_pthread_getaffinity_np(unsigned long thread, size_t bytes, cpu_set_t *set) {
    (void)thread;
    return fill(bytes, (unsigned char *)set);
}
