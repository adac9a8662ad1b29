#pragma tunepass param TILE: bool = false
#ifndef TILE
#define TILE 32
#endif
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i += TILE)
        for (int j = i; j < i + TILE && j < n; j++)
            y[j] = 2 * x[j];
}
