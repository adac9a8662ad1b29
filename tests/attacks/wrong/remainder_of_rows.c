/* expect: wrong_result */
/* Rows of m elements in vectors of eight, whose last but two elements are lost where m leaves six, of long rows alone. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel scale(n = 40, m = 200, A: in double[n * m], B: out double[n * m])
void scale(int n, int m, const double *A, double *B)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
#if ATTACK
            B[i * m + j] = m > 20 && m % 8 == 6 && j == m - 3 ? 0 : 2 * A[i * m + j];
#else
            for (volatile int slow = 0; slow < 4; slow++)
                B[i * m + j] = 2 * A[i * m + j];
#endif
}
