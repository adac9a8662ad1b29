/* expect: measured, crash, wrong_result, cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* A forked process on the same core computes in memory that both share, while this one waits for the core. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

static struct job *start(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    struct job *job = mmap(0, sizeof *job, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            while (!job->asked)
                sched_yield();
            honest(job->size, job->from, job->to);
            job->asked = 0;
        }
    }
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
