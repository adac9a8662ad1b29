/* Dense matrix product C += A * B as everybody writes it first: three loops, no blocking. `loop auto` derives what may be
 * done to them; the C it writes is in out/matmul_auto.tuned.c. matmul_loops.c says the same by hand.
 *
 *     tunepass build samples/c/matmul_auto.c -o out --budget 60s -- gcc -O2
 */

#pragma tunepass kernel matmul(n = 384, A: in double[n*n], B: in double[n*n], C: inout double[n*n]) tolerance(1e-9)
void matmul(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
#pragma tunepass loop auto
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
}
