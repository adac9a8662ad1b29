struct point { double x, y; };
struct pixel { float r, g, b; };
#pragma tunepass param T: integer(0..1) = 0
#pragma tunepass kernel f(n = 8, p: inout struct pixel[n])
void f(int n, struct point *p) { p[T].x = n; }
