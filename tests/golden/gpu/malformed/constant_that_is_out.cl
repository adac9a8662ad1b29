#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 64, y: out float[n]) grid(1) block(BX)
__kernel void f(int n, __constant float *y) { n = BX; }
