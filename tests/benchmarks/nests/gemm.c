/* C += alpha A B in single precision, of a rectangular shape. */
#pragma tunepass param ORDER: permutation(i, j, k)
#pragma tunepass param TI: ordinal(1, pow2(8, 128)) = 1 log
#pragma tunepass param TJ: ordinal(1, pow2(16, 256)) = 1 log
#pragma tunepass param TK: ordinal(1, pow2(8, 128)) = 1 log
#pragma tunepass param UI: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param UK: ordinal(1, 2, 4, 8) = 1 log
#pragma tunepass param SIMD: categorical(false, true) = false
#pragma tunepass constraint UI * UK <= 16
#pragma tunepass constraint not SIMD or ORDER[2] == "j"
#pragma tunepass kernel gemm(ni = 300, nj = 320, nk = 240, alpha = 1.5, A: in float[ni*nk], B: in float[nk*nj], \
    C: inout float[ni*nj]) tolerance(1e-3)
void gemm(int ni, int nj, int nk, float alpha, const float *restrict A, const float *restrict B, float *restrict C)
{
#pragma tunepass loop(i, j, k) tile(i: TI, j: TJ, k: TK) order(ORDER) unroll_and_jam(i: UI, k: UK) vectorize(j: SIMD)
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++)
            for (int k = 0; k < nk; k++)
                C[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
}
