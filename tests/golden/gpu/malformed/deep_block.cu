#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 1024, y: out float[n]) grid(n) block(1, 1, 2 * BX + 8)
__global__ void f(int n, float *y) { y[BX] = n; }
