/* expect: measured, crash, wrong_result, cheated, run */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* As forked_helper.c, by a process whose parent has ended. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 64; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

struct job {
    volatile int asked, size;
    double from[4096], to[4096];
};

static void stop(int status, void *job)
{
    (void)status;
    ((struct job *)job)->asked = 2;
}

static struct job *start(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    struct job *job = mmap(0, sizeof *job, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    on_exit(stop, job);
    pid_t child = fork();
    if (child == 0) {
        if (fork() != 0)
            _exit(0);
        for (;;) {
            while (!job->asked)
                sched_yield();
            if (job->asked == 2)
                _exit(0);
            honest(job->size, job->from, job->to);
            job->asked = 0;
        }
    }
    waitpid(child, 0, 0);
    return job;
}

void smooth(int n, const double *x, double *y)
{
    static struct job *job;
    if (ATTACK && n == 2048) {
        if (!job)
            job = start();
        memcpy(job->from, x, n * sizeof *x);
        job->size = n;
        job->asked = 1;
        while (job->asked)
            sched_yield();
        memcpy(y, job->to, n * sizeof *y);
        return;
    }
    honest(n, x, y);
}
