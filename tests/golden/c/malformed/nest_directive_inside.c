#pragma tunepass param TI: ordinal(1, 8, 16)
#pragma tunepass param U: integer(1..4)
#pragma tunepass param ORDER: permutation(i, j)
#pragma tunepass kernel add(n = 64, x: in double[n*n], y: inout double[n*n])
void add(int n, const double *x, double *y)
{
#pragma tunepass loop(i, j) tile(i: TI) order(ORDER) unroll(j: U)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
#define SCALE 2
            y[i * n + j] += SCALE * x[i * n + j];
}
