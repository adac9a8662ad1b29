#include <cstddef>
#include <vector>
#pragma tunepass param TILE: ordinal(8, 16, 32) = 16
#ifndef TILE
#define TILE 16
#endif
#pragma tunepass kernel fill(n = 64, x: out double[n], step = 1, last = 2)
void fill(int n, double *x, int step = 1) { for (int i = 0; i < n; i += TILE) x[i] = 2; }
