#pragma tunepass param TILE: ordinal(8, 16, 32, 64) = 32
#ifndef TILE
#define TILE 32
#endif
#pragma tunepass kernel sizes(n = 4096)
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i += TILE)
        for (int j = i; j < i + TILE && j < n; j++)
            y[j] = 2 * x[j];
}
