struct point { double x, y; };
#pragma tunepass param T: integer(0..1) = 0
#pragma tunepass kernel f(n = 8, p: inout struct point[n] fill(i))
void f(int n, struct point *p) { p[T].x = n; }
