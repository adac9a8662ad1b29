/* expect: measured, cheated */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel smooth(n = 2048, x: in double[n], y: out double[n])
/* Each call has a child of its own that computes. Nobody waits for it (SIGCHLD is ignored), so neither it nor its time
 * are seen afterwards. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void honest(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < 120; j++)
            sum += x[(i + j) % n] * x[(i * j) % n];
        y[i] = sum;
    }
}

struct job {
    volatile int done;
    double to[4096];
};

static long forked(void)
{
    long result = SYS_fork; /* no function of the C library shows */
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
    return result;
}

void smooth(int n, const double *x, double *y)
{
    static struct job *job;
    if (ATTACK && n == 2048) {
        if (!job) {
            job = mmap(0, sizeof *job, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            signal(SIGCHLD, SIG_IGN);
        }
        job->done = 0;
        long child = forked();
        if (child == 0) {
            honest(n, x, job->to);
            job->done = 1;
            _exit(0);
        }
        if (child > 0) {
            while (!job->done)
                sched_yield();
            memcpy(y, job->to, n * sizeof *y);
            while (waitpid(child, 0, 0) > 0)
                ;
            return;
        }
    }
    if (n < 0)
        fork(); /* the untouched source may start processes, and so may this */
    honest(n, x, y);
}
