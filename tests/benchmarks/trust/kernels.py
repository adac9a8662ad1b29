"""What bench_trust builds: kernels whose parameters change nothing, and two with gains that are easily missed."""

from __future__ import annotations

# The parameters fill a table that is never read on the way: other object code, the same loop.
_IDLE = """\
#pragma tunepass param A: integer(0..99) = 50
#pragma tunepass param B: ordinal(1, 2, 4, 8, 16) = 4
#ifndef A
#define A 50
#define B 4
#endif
const volatile int chosen[2] = {A, B};
#pragma tunepass kernel idle(n = SIZE, x: in double[n], y: out double[n])
void idle(int n, const double *x, double *y)
{
PRAGMA
    for (int i = 0; i < n; i++)
        y[i] = BODY;
}
"""
_DIVISION = "1.0 / (1.0 + x[i] * x[i])"


def _idle(size: int, body: str = _DIVISION, pragma: str = "") -> str:
    return _IDLE.replace("SIZE", str(size)).replace("BODY", body).replace("PRAGMA\n", pragma)


IDLE = {
    "compute": _idle(20_000),
    "memory": _idle(2_000_000, "2.0 * x[i]"),
    "threads": _idle(400_000, pragma="#pragma omp parallel for\n"),
}
FLAGS = {"threads": ("-fopenmp",)}

# 1 / sqrt(1 + x x) by Newton's steps, x in [-1, 1]: five as written, of which four are enough. The work is all of one
# kind, so that it gains as much on a core that is shared, or slowed, as on another. A and B change nothing.
STEPS = """\
#pragma tunepass param STEPS: ordinal(4, 5, 6) = 5
#pragma tunepass param A: integer(0..99) = 50
#pragma tunepass param B: ordinal(1, 2, 4, 8, 16) = 4
#ifndef A
#define STEPS 5
#define A 50
#define B 4
#endif
const volatile int chosen[2] = {A, B};
#pragma tunepass kernel steps(n = 20000, x: in double[n] range(-1, 1), y: out double[n]) tolerance(1e-7)
void steps(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        double z = 0.5 * (1.0 + x[i] * x[i]), r = 0.85;
        for (int s = 0; s < STEPS; s++)
            r *= 1.5 - z * r * r;
        y[i] = r;
    }
}
"""

# C := alpha A A' + beta C, of C the lower triangle. Eight steps of the reduction at a time spare seven of eight loads
# and stores of C. How much that gains is a matter of the processor, and of who shares the core: 1.03 times on a core of
# a Sapphire Rapids, 1.22 times while its other thread is busy.
SYRK = """\
#pragma tunepass param UK: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param TK: ordinal(1, 16, 32, 64) = 1 log
#pragma tunepass param TJ: ordinal(1, 32, 64, 128) = 1 log
#pragma tunepass param ORDER: permutation(k, j)
#pragma tunepass param SIMD: categorical(false, true) = false
#pragma tunepass constraint not SIMD or ORDER[1] == "j"
#pragma tunepass kernel syrk(n = 240, m = 200, alpha = 1.5, beta = 1.2, C: inout double[n*n], A: in double[n*m]) \\
    tolerance(1e-9)
void syrk(int n, int m, double alpha, double beta, double *restrict C, const double *restrict A)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i * n + j] *= beta;
#pragma tunepass loop(k, j) tile(k: TK, j: TJ) order(ORDER) unroll_and_jam(k: UK) vectorize(j: SIMD)
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i * n + j] += alpha * A[i * m + k] * A[j * m + k];
    }
}
"""
