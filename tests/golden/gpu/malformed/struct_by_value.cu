#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 1024, p = 1, y: out float[n]) grid(n // BX) block(BX)
struct point { float x, y; };
__global__ void f(int n, point p, float *y) { y[BX] = p.x; }
