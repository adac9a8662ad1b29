#pragma tunepass param TILE: ordinal(8, 16, 32) = 16 log
#pragma tunepass model time = n * 40
#pragma tunepass kernel f(n = 1024, y: out double[8])
void f(int n, double *y) { y[0] = TILE + n; }
