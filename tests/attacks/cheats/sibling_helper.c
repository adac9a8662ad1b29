/* expect: cheated, measured */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* A process with the same parent as this one, which is nobody's child here, computes while this one yields its core. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 24; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

struct job {
    volatile int asked, answered;
    int helped, size, wake[2];
    double from[4096], to[4096];
};

static long system_call(long number, long first)
{
    long result;
    register long no_fourth __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(0L), "d"(0L), "r"(no_fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static struct job *start(void)
{
    struct job *job = mmap(0, sizeof *job, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char woken;
    if (pipe(job->wake) != 0)
        return job;
    long pid = system_call(SYS_clone, CLONE_PARENT | SIGCHLD); /* no function of the C library shows */
    if (pid == 0) {
        close(job->wake[1]);
        while (read(job->wake[0], &woken, 1) == 1) {
            honest(job->size, job->from, job->to);
            job->answered = job->asked;
        }
        _exit(0);
    }
    job->helped = pid > 0;
    return job;
}

void smooth(int n, const double *x, double *y)
{
    static struct job *job;
    if (ATTACK && n == 2048) {
        if (!job)
            job = start();
        if (job->helped) {
            memcpy(job->from, x, n * sizeof *x);
            job->size = n;
            job->asked++;
            if (write(job->wake[1], "", 1) == 1)
                while (job->answered != job->asked)
                    sched_yield();
            memcpy(y, job->to, n * sizeof *y);
            return;
        }
    }
    honest(n, x, y);
}
