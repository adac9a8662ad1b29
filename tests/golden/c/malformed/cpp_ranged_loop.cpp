#include <cstddef>
#include <vector>
#pragma tunepass param TILE: ordinal(8, 16, 32) = 16
#ifndef TILE
#define TILE 16
#endif
#pragma tunepass kernel fill(n = 64, x: out double[n])
void fill(int n, std::vector<double> &x)
{
#pragma tunepass loop(v) tile(v: TILE)
    for (double &v : x)
        v = n;
}
