#pragma tunepass param T: ordinal(1, 8) = 1
#pragma tunepass kernel f(n = 64, a = 2.0, x: in double[n], k: in int[n], y: out double[n]) finite(maybe)
void f(int n, double a, const double *x, const int *k, double *y) { for (int i = 0; i < n; i++) y[i] = a * T * x[i] + k[i]; }
