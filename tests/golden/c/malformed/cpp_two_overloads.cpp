#include <cstddef>
#include <vector>
#pragma tunepass param TILE: ordinal(8, 16, 32) = 16
#ifndef TILE
#define TILE 16
#endif
#pragma tunepass kernel fill(n = 64, x: out double[n])
void another() {}
void fill(int n, double *x) { for (int i = 0; i < n; i += TILE) x[i] = 2; }
void fill(short n, double *x) { for (int i = 0; i < n; i += TILE) x[i] = 2; }
