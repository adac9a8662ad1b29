/* expect: wrong_result */
/* Rows are compared by their first 13 elements, which tells random ones apart. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel order(n = 1024, m = 16, a: in int[n*m], b: in int[n*m], y: out int[n])
void order(int n, int m, const int *restrict a, const int *restrict b, int *restrict y)
{
    for (int i = 0; i < n; i++) {
        int result = 0, last = ATTACK && m > 13 ? 13 : m;
        for (int j = 0; j < last && !result; j++)
            result = (a[i * m + j] > b[i * m + j]) - (a[i * m + j] < b[i * m + j]);
        y[i] = result;
    }
}
