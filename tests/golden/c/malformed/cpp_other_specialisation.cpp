enum class Level { NONE, WIDE };
template <Level L> void fill(int n, double *x);
template <> void fill<Level::NONE>(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }
#pragma tunepass param STEP: ordinal(1, 2) = 1 flag
#pragma tunepass kernel fill<Level::WIDE>(n = 64, x: out double[n])
