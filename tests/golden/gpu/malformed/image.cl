#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 64, y: out image2d_t[n]) grid(1) block(BX)
__kernel void f(int n, __write_only image2d_t y) { n = BX; }
