#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 10.5, y: out float[64]) grid(1) block(BX)
__global__ void f(int n, float *y) { y[BX] = n; }
