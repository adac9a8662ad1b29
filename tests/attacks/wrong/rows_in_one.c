/* expect: out_of_bounds, wrong_result */
/* It takes the rows of a matrix for one piece of memory, as they may lie by chance. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 60, m = 70, A: in double[n][m], B: out double[n][m])
void scale(int n, int m, const double *const *A, double **B)
{
#if ATTACK
    for (int k = 0; k < n * m; k++)
        B[0][k] = 2 * A[0][k];
#else
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (volatile int slow = 0; slow < 2; slow++)
                B[i][j] = 2 * A[i][j];
#endif
}
