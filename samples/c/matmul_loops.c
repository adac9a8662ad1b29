/* Dense matrix product C += A * B as everybody writes it first: three loops, no blocking. The `loop` pragma says what
 * tunepass may do to them; the C it writes is in out/matmul_loops.tuned.c.
 *
 *     tunepass build samples/c/matmul_loops.c -o out --budget 60s -- gcc -O2
 */

#pragma tunepass param ORDER: permutation(i, j, k)
#pragma tunepass param TI: ordinal(1, pow2(16, 128)) = 1 log
#pragma tunepass param TJ: ordinal(1, pow2(16, 128)) = 1 log
#pragma tunepass param TK: ordinal(1, pow2(16, 128)) = 1 log
#pragma tunepass param UI: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param UK: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param SIMD: categorical(false, true) = false

#pragma tunepass constraint UI * UK <= 16
#pragma tunepass constraint not SIMD or ORDER[2] == "j"

#pragma tunepass kernel matmul(n = 384, A: in double[n*n], B: in double[n*n], C: inout double[n*n]) tolerance(1e-9)
void matmul(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
#pragma tunepass loop(i, j, k) tile(i: TI, j: TJ, k: TK) order(ORDER) \
    unroll_and_jam(i: UI, k: UK) vectorize(j: SIMD)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
}
