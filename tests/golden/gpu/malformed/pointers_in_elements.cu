#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass kernel f(n = 1024, y: out node[n]) grid(n // BX) block(BX)
struct node { node *next; };
__global__ void f(int n, node *y) { y[BX].next = y; }
