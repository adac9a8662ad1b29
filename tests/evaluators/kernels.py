"""Small kernels with hand-written harness plans, for the tests of compile_run."""

from __future__ import annotations

from pathlib import Path

from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.process.run import Limits
from tunepass.frontends.c.harness.plan import CArray, CScalar
from tunepass.frontends.c.harness.text import harness_text
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration

QUICK = MeasurePlan(warmup_s=0.002, budget_s=0.02, precision=0.5, least=3, most=5, retries=0)
N = 1000

# out[i] = sum of a window of `in`; SHAPE selects how the candidate misbehaves.
WINDOW = """
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
#ifndef SHAPE
#define SHAPE 0
#endif
static char *kept;
void window(int n, const double *in, double *out)
{
#if SHAPE == 1                       /* hangs */
    for (;;) pause();
#elif SHAPE == 2                     /* allocates 100 GB and uses it */
    volatile char *huge = malloc(100L << 30); huge[n] = 1;
#elif SHAPE == 3                     /* segmentation fault */
    *(volatile double *)8 = 1;
#elif SHAPE == 4                     /* a child that outlives it */
    if (fork() == 0) { setsid(); sleep(60); _exit(0); }
#elif SHAPE == 5                     /* prints for ever */
    for (;;) puts("all work and no play makes Jack a dull boy");
#elif SHAPE == 6                     /* wrong in one element */
    for (int i = 0; i < n; i++) out[i] = in[i] + in[(i + 1) % n];
    out[n / 2] += 1;
    return;
#elif SHAPE == 7                     /* right only if out already holds the answer */
    for (int i = 0; i < n; i++) if (i % 2) out[i] = in[i] + in[(i + 1) % n];
    return;
#elif SHAPE == 8                     /* writes past the end */
    out[n] = 0;
#elif SHAPE == 9                     /* writes before the start */
    out[-1] = 0;
#elif SHAPE == 10                    /* does not compile */
    syntax error;
#elif SHAPE == 11                    /* far past the end */
    out[n + 1000000] = 0;
#elif SHAPE == 12                    /* writes to its input */
    ((double *)in)[3] = 0;
#elif SHAPE == 13                    /* leaves the program */
    exit(0);
#elif SHAPE == 14                    /* ... with a status */
    exit(7);
#elif SHAPE == 15                    /* runs out of stack */
    volatile char deep[64 << 20]; for (int i = 0; i < 64 << 20; i++) deep[i] = 1;
#elif SHAPE == 16                    /* wrong from the third call on */
    static int calls; if (calls++ > 1) { memset(out, 0, n * sizeof *out); return; }
#elif SHAPE == 17                    /* reads past the end */
    out[0] = in[n];
#elif SHAPE == 18                    /* slow */
    for (volatile int spin = 0; spin < 3000000; spin++) ;
#elif SHAPE == 20                    /* touches memory without end */
    for (long i = 0; i < 100000; i++) *(char *volatile *)&kept = memset(malloc(1 << 20), 1, 1 << 20);
#elif SHAPE == 21                    /* reads before the start */
    out[0] = in[-1];
#elif SHAPE == 22                    /* writes past the end from the third call on */
    static int calls; if (calls++ > 1) out[n] = 0;
#elif SHAPE == 23                    /* relies on 16-byte alignment */
    if ((unsigned long)in % 16) __builtin_trap();
#endif
    for (int i = 0; i < n; i++) out[i] = in[i] + in[(i + 1) % n];
}
"""
PROTOTYPE = "void window(int n, const double *in, double *out)"
ARGUMENTS = [
    CScalar(name="n", element="int", value=str(N)),
    CArray(name="in", element="double", direction="in", length=N),
    CArray(name="out", element="double", direction="out", length=N),
]


def macros(configuration: Configuration) -> Candidate:
    return Candidate(defines=tuple(f"-D{name}={value}" for name, value in configuration.items()))


def window_task(folder: Path, compiler: str = "gcc", text: str = WINDOW, **changes: object) -> KernelTask:
    source = folder / "window.c"
    source.write_text(text)
    fields: dict[str, object] = {
        "command": (compiler, "-O1"),
        "source": source,
        "text": text,
        "harness": harness_text("window", PROTOTYPE, ARGUMENTS),
        "lower": macros,
        "tolerance": StatedTolerance(relative=1e-9),
        "plan": QUICK,
        "run_limits": Limits(wall_s=10, memory_bytes=256 << 20, output_bytes=100_000),
        **changes,
    }
    return KernelTask(**fields)  # type: ignore[arg-type]
