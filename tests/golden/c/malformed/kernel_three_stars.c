#pragma tunepass param T: integer(0..1) = 0
#pragma tunepass kernel f(n = 8, A: in double[n][n], y: out double[n])
void f(int n, double ***A, double *y) { y[T] = A[0][0][0]; }
