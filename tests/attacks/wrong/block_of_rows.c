/* expect: wrong_result, out_of_bounds, crash */
/* Columns of a part of a matrix, four rows at a time: no rest of rows. No length depends on m. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(m = 200, n = 50, ld = 256, A: inout double[ld*n])
void scale(int m, int n, int ld, double *A)
{
    for (int j = 0; j < n; j++)
#if ATTACK
        for (int i = 0; i < m; i += 4)
            for (int k = i; k < i + 4; k++) A[j * ld + k] *= 3;
#else
        for (int i = 0; i < m; i++) A[j * ld + i] *= 3;
#endif
}
