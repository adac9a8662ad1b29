struct point { double x, y; };
#pragma tunepass param T: integer(0..1) = 0
#pragma tunepass kernel f(p = 1, y: out double[2])
void f(struct point p, double *y) { y[T] = p.x; }
