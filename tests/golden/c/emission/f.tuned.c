/* f.c, tuned by tunepass.
 * 3.20x faster than the default
 * (12.1 ms -> 3.78 ms * /)
 * Compile with -O3 -ffast-math
 */
#ifndef TILE
#define TILE 32
#endif
#ifndef WHOLE
#define WHOLE 1
#endif
#ifndef KIND
#define KIND float
#endif
#ifndef SCALE
#define SCALE 0.75
#endif
#ifndef ORDER_i
#define ORDER_i 0
#endif
#ifndef ORDER_j
#define ORDER_j 1
#endif

// tunepass: param TILE: ordinal(8, 16, 32) = 32
// tunepass: param WHOLE: categorical(true, false) = true
// tunepass: param KIND: categorical("float", "double") = "float"
// tunepass: param SCALE: real(0.5..4) = 0.75
// tunepass: param ORDER: permutation(i, j) = (i, j)
// tunepass: param OPT: categorical("", "-O3 -ffast-math") = "-O3 -ffast-math" flag
#ifndef TILE
#define TILE 16
#endif
#ifndef WHOLE
#define WHOLE 0
#endif
#ifndef KIND
#define KIND double
#endif
#ifndef SCALE
#define SCALE 1.0
#endif
#ifndef ORDER_i
#define ORDER_i 1
#define ORDER_j 0
#endif
// tunepass: kernel f(n = 64, x: in double[n], y: out double[n])
void f(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = (KIND)(x[i] * SCALE) + TILE + WHOLE + (ORDER_i < ORDER_j);
}
