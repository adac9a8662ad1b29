#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass work flops(1)
__global__ void f(int n, float *y) { y[BX] = n; }
