#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 1024, t = 0, y: out float[n]) grid(n // BX) block(BX)
__global__ void f(int n, cudaTextureObject_t t, float *y) { y[BX] = n; }
