#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 64, t: in float[BX], y: out float[n]) grid(1) block(BX)
__kernel void f(int n, __local float *t, __global float *y) { y[BX] = n; }
