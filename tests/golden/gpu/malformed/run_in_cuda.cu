#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass run "./a.out"
#pragma tunepass kernel f(n = 1024, y: out float[n]) grid(n // BX) block(BX)
__global__ void f(int n, float *y) { y[BX] = n; }
