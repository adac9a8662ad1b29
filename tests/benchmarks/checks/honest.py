"""Kernels that did not choose a tolerance: every schedule of them is legal, and sums in another order are right.

Sizes are small, so that a schedule is checked in a moment. `OPT` reorders sums and contracts products by the compiler.
"""

from __future__ import annotations

REORDERING = "-funroll-loops -fassociative-math -fno-signed-zeros -fno-trapping-math"
OPT = (
    '#pragma tunepass param OPT: categorical("-O1", "-O2", "-O3", "-O3 -march=native", "-Ofast",'
    f' "-Ofast -march=native", "-O3 {REORDERING}", "-O3 -mfma") = "-O2" flag\n'
)
AUTO = "#pragma tunepass loop auto\n"


def _kernel(pragma: str, prototype: str, body: str, *, auto: bool = True, before: str = "") -> str:
    name = prototype.split("(")[0].split()[-1]
    marked = f"{AUTO}    {{\n{body}\n    }}" if auto else body
    return f"{OPT}{before}#pragma tunepass kernel {name}({pragma})\n{prototype}\n{{\n{marked}\n}}\n"


def _lanes(sum_of: str, result: str) -> str:
    """A sum of n terms in LANES partial sums, added in pairs or in turn."""
    return f"""
    double sums[16] = {{0}}, sum = 0;
    for (int i = 0; i < n; i++)
        sums[i % LANES] += {sum_of};
    for (int step = LANES / 2; PAIRS && step; step /= 2)
        for (int k = 0; k < step; k++)
            sums[k] += sums[k + step];
    for (int k = 0; k < (PAIRS ? 1 : LANES); k++)
        sum += sums[k];
    {result}"""


LANES = """#pragma tunepass param LANES: ordinal(1, 2, 4, 8, 16) = 1
#pragma tunepass param PAIRS: categorical(0, 1) = 0
#include <math.h>
#ifndef LANES
#define LANES 1
#endif
#ifndef PAIRS
#define PAIRS 0
#endif
"""
SQUARES = "n = 48, A: in double[n*n], B: in double[n*n], C: inout double[n*n]"
POINTERS = "int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n]"

HONEST: dict[str, str] = {
    "gemm": _kernel(
        SQUARES,
        f"void gemm({POINTERS})",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { C[i][j] *= 0.3;"
        " for (int k = 0; k < n; k++) C[i][j] += 1.5 * A[i][k] * B[k][j]; }",
    ),
    "gemm_float": _kernel(
        SQUARES.replace("double", "float"),
        f"void gemm_float({POINTERS.replace('double', 'float')})",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        " for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];",
    ),
    "syrk": _kernel(
        "n = 48, A: in double[n*n], C: inout double[n*n]",
        "void syrk(int n, double A[restrict n][n], double C[restrict n][n])",
        "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++)"
        " for (int k = 0; k < n; k++) C[i][j] += A[i][k] * A[j][k];",
    ),
    "atax": _kernel(
        "n = 60, m = 52, A: in double[n*m], x: in double[m], y: out double[m], t: out double[n]",
        "void atax(int n, int m, double A[restrict n][m], double x[restrict m], double y[restrict m],"
        " double t[restrict n])",
        "for (int j = 0; j < m; j++) y[j] = 0; for (int i = 0; i < n; i++) { t[i] = 0;"
        " for (int j = 0; j < m; j++) t[i] += A[i][j] * x[j]; for (int j = 0; j < m; j++) y[j] += A[i][j] * t[i]; }",
    ),
    "bicg": _kernel(
        "n = 60, A: in double[n*n], p: in double[n], r: in double[n], s: out double[n], q: out double[n]",
        "void bicg(int n, double A[restrict n][n], double p[restrict n], double r[restrict n], double s[restrict n],"
        " double q[restrict n])",
        "for (int i = 0; i < n; i++) s[i] = 0; for (int i = 0; i < n; i++) { q[i] = 0;"
        " for (int j = 0; j < n; j++) { s[j] += r[i] * A[i][j]; q[i] += A[i][j] * p[j]; } }",
    ),
    "gesummv": _kernel(
        "n = 60, A: in double[n*n], B: in double[n*n], x: in double[n], y: out double[n]",
        "void gesummv(int n, double A[restrict n][n], double B[restrict n][n], double x[restrict n],"
        " double y[restrict n])",
        "for (int i = 0; i < n; i++) { double t = 0; y[i] = 0; for (int j = 0; j < n; j++) {"
        " t += A[i][j] * x[j]; y[i] += B[i][j] * x[j]; } y[i] = 1.5 * t - 1.2 * y[i]; }",
    ),
    "mm2": _kernel(
        "n = 32, A: in double[n*n], B: in double[n*n], C: in double[n*n], T: out double[n*n], D: inout double[n*n]",
        "void mm2(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n],"
        " double T[restrict n][n], double D[restrict n][n])",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { T[i][j] = 0;"
        " for (int k = 0; k < n; k++) T[i][j] += 1.5 * A[i][k] * B[k][j]; }"
        " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { D[i][j] *= 1.2;"
        " for (int k = 0; k < n; k++) D[i][j] += T[i][k] * C[k][j]; }",
    ),
    "covariance": _kernel(
        "n = 50, m = 40, X: inout double[n*m], mean: out double[m], S: out double[m*m]",
        "void covariance(int n, int m, double X[restrict n][m], double mean[restrict m], double S[restrict m][m])",
        "for (int j = 0; j < m; j++) { mean[j] = 0.0; for (int i = 0; i < n; i++) mean[j] += X[i][j]; mean[j] /= n; }"
        " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) X[i][j] -= mean[j];"
        " for (int i = 0; i < m; i++) for (int j = i; j < m; j++) { S[i][j] = 0.0;"
        " for (int k = 0; k < n; k++) S[i][j] += X[k][i] * X[k][j]; S[i][j] /= n - 1; S[j][i] = S[i][j]; }",
    ),
    "correlation": _kernel(
        "n = 50, m = 40, X: inout double[n*m], mean: out double[m], dev: out double[m], S: out double[m*m]",
        "void correlation(int n, int m, double X[restrict n][m], double mean[restrict m], double dev[restrict m],"
        " double S[restrict m][m])",
        "for (int j = 0; j < m; j++) { mean[j] = 0.0; for (int i = 0; i < n; i++) mean[j] += X[i][j]; mean[j] /= n; }"
        " for (int j = 0; j < m; j++) { dev[j] = 0.1; for (int i = 0; i < n; i++)"
        " dev[j] += (X[i][j] - mean[j]) * (X[i][j] - mean[j]); dev[j] = sqrt(dev[j] / n); }"
        " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) X[i][j] = (X[i][j] - mean[j]) / dev[j];"
        " for (int i = 0; i < m; i++) for (int j = i; j < m; j++) { S[i][j] = 0.0;"
        " for (int k = 0; k < n; k++) S[i][j] += X[k][i] * X[k][j]; S[j][i] = S[i][j]; }",
        before="#include <math.h>\n",
    ),
    "trisolv": _kernel(
        "n = 100, L: in double[n*n], b: in double[n], x: out double[n]",
        "void trisolv(int n, double L[restrict n][n], double b[restrict n], double x[restrict n])",
        "for (int i = 0; i < n; i++) { x[i] = b[i]; for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j] / n;"
        " x[i] = x[i] / (2 + L[i][i]); }",
    ),
    "lu": _kernel(
        "n = 40, A: inout double[n*n] fill(if(i % (n + 1) == 0, n, 1.0 / (1 + (i * 7) % 13)))",
        "void lu(int n, double A[restrict n][n])",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { for (int k = 0; k < j; k++)"
        " A[i][j] -= A[i][k] * A[k][j]; A[i][j] /= A[j][j]; } for (int j = i; j < n; j++)"
        " for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }",
    ),
    "lu_random": _kernel(
        "n = 24, A: inout double[n*n]",
        "void lu_random(int n, double A[restrict n][n])",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { for (int k = 0; k < j; k++)"
        " A[i][j] -= A[i][k] * A[k][j]; A[i][j] /= A[j][j]; } for (int j = i; j < n; j++)"
        " for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }",
    ),
    "jacobi": _kernel(
        "n = 50, T = 6, A: inout double[n*n], B: inout double[n*n]",
        "void jacobi(int n, int T, double A[restrict n][n], double B[restrict n][n])",
        "for (int t = 0; t < T; t++) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
        " B[i][j] = 0.2 * (A[i][j] + A[i][j-1] + A[i][j+1] + A[i+1][j] + A[i-1][j]);"
        " for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
        " A[i][j] = 0.2 * (B[i][j] + B[i][j-1] + B[i][j+1] + B[i+1][j] + B[i-1][j]); }",
    ),
    "seidel": _kernel(
        "n = 40, T = 4, A: inout double[n*n]",
        "void seidel(int n, int T, double A[restrict n][n])",
        "for (int t = 0; t < T; t++) for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
        " A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1] + A[i][j-1] + A[i][j] + A[i][j+1] + A[i+1][j-1]"
        " + A[i+1][j] + A[i+1][j+1]) / 9.0;",
    ),
    "doitgen": _kernel(
        "r = 14, p = 16, A: inout double[r*r*p], C: in double[p*p], sum: out double[p]",
        "void doitgen(int r, int p, double A[restrict r][r][p], double C[restrict p][p], double sum[restrict p])",
        "for (int a = 0; a < r; a++) for (int q = 0; q < r; q++) { for (int k = 0; k < p; k++) { sum[k] = 0;"
        " for (int s = 0; s < p; s++) sum[k] += A[a][q][s] * C[s][k]; }"
        " for (int k = 0; k < p; k++) A[a][q][k] = sum[k]; }",
    ),
    "conv2d": _kernel(
        "n = 60, x: in double[n*n], w: in double[25], y: out double[n*n]",
        "void conv2d(int n, double x[restrict n][n], double w[restrict 5][5], double y[restrict n][n])",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i][j] = 0;"
        " for (int i = 2; i < n - 2; i++) for (int j = 2; j < n - 2; j++)"
        " for (int k = 0; k < 5; k++) for (int l = 0; l < 5; l++) y[i][j] += w[k][l] * x[i + k - 2][j + l - 2];",
    ),
    "dot": _kernel(
        "n = 5000, x: in double[n], y: in double[n], s: out double[1]",
        "void dot(int n, const double *x, const double *y, double *s)",
        _lanes("x[i] * y[i]", "s[0] = sum;"),
        auto=False,
        before=LANES,
    ),
    "norm": _kernel(
        "n = 3000, x: in double[n], s: out double[1]",
        "void norm(int n, const double *x, double *s)",
        _lanes("x[i] * x[i]", "s[0] = sqrt(sum);"),
        auto=False,
        before=LANES,
    ),
    "moments": _kernel(
        "n = 2000, x: in double[n], s: out double[2]",
        "void moments(int n, const double *x, double *s)",
        _lanes("x[i]", "s[0] = sum / n;")
        + _lanes("x[i] * x[i]", "s[1] = sum / n - s[0] * s[0];").replace(
            "double sums[16] = {0}, sum = 0;", "sum = 0; for (int k = 0; k < 16; k++) sums[k] = 0;"
        ),
        auto=False,
        before=LANES,
    ),
    "difference": _kernel(
        "n = 1000, x: in double[n], y: out double[n]",
        "void difference(int n, const double *x, double *y)",
        _lanes("x[i] * 100", "for (int i = 0; i < n; i++) y[i] = x[i]; y[0] = sum;")
        + _lanes("x[n - 1 - i] * 100", "y[0] -= sum;").replace(
            "double sums[16] = {0}, sum = 0;", "sum = 0; for (int k = 0; k < 16; k++) sums[k] = 0;"
        ),
        auto=False,
        before=LANES,
    ),
    "softmax": _kernel(
        "n = 800, x: in double[n], y: out double[n]",
        "void softmax(int n, const double *x, double *y)",
        "double most = x[0]; for (int i = 1; i < n; i++) most = x[i] > most ? x[i] : most;"
        + _lanes("exp(x[i] - most)", "for (int i = 0; i < n; i++) y[i] = exp(x[i] - most) / sum;"),
        auto=False,
        before=LANES,
    ),
    "layernorm": _kernel(
        "n = 30, m = 64, x: in float[n*m], y: out float[n*m]",
        "void layernorm(int n, int m, const float *x, float *y)",
        """for (int r = 0; r < n; r++) {
        float mean[16] = {0}, square[16] = {0}, a = 0, b = 0;
        for (int j = 0; j < m; j++) mean[j % LANES] += x[r * m + j], square[j % LANES] += x[r * m + j] * x[r * m + j];
        for (int l = 0; l < LANES; l++) a += mean[PAIRS ? LANES - 1 - l : l], b += square[PAIRS ? LANES - 1 - l : l];
        a /= m, b = b / m - a * a;
        for (int j = 0; j < m; j++) y[r * m + j] = (x[r * m + j] - a) / sqrtf(b + 1e-5f);
    }""",
        auto=False,
        before=LANES,
    ),
    "prefix": _kernel(
        "n = 1000, x: in double[n], y: out double[n]",
        "void prefix(int n, const double *x, double *y)",
        """double before = 0;
    for (int b = 0; b < n; b += LANES) {
        double sum = 0;
        for (int i = b; i < b + LANES && i < n; i++) sum += x[i], y[i] = PAIRS ? before + sum : sum + before;
        before += sum;
    }""",
        auto=False,
        before=LANES,
    ),
    "horner": _kernel(
        "n = 1000, x: in double[n], y: out double[n]",
        "void horner(int n, const double *x, double *y)",
        """for (int i = 0; i < n; i++) {
        const double t = x[i];
        y[i] = LANES > 1 ? (1 + t * t * (0.5 + t * t / 24)) + t * (1 + t * t / 6) - PAIRS * 0.0
                         : 1 + t * (1 + t * (0.5 + t * (1. / 6 + t / 24)));
    }""",
        auto=False,
        before=LANES,
    ),
    "forces": _kernel(
        "n = 120, x: in double[n], y: in double[n], f: out double[n]",
        "void forces(int n, const double *x, const double *y, double *f)",
        """for (int i = 0; i < n; i++) {
        double part[16] = {0}, sum = 0;
        for (int j = 0; j < n; j++) {
            const double dx = x[j] - x[i], dy = y[j] - y[i], d = dx * dx + dy * dy + 1e-4;
            part[j % LANES] += dx / (d * sqrt(d));
        }
        for (int k = 0; k < LANES; k++) sum += part[PAIRS ? LANES - 1 - k : k];
        f[i] = sum;
    }""",
        auto=False,
        before=LANES,
    ),
    "distances": _kernel(
        "n = 300, m = 8, p: in float[n*m], c: in float[12*m], d: out float[n*12]",
        "void distances(int n, int m, const float *p, const float *c, float *d)",
        """for (int i = 0; i < n; i++)
        for (int k = 0; k < 12; k++) {
            float part[16] = {0}, sum = 0;
            for (int j = 0; j < m; j++) {
                const float by = p[i * m + j] - c[k * m + j];
                part[j % LANES] += by * by;
            }
            for (int l = 0; l < LANES; l++) sum += part[PAIRS ? LANES - 1 - l : l];
            d[i * 12 + k] = sum;
        }""",
        auto=False,
        before=LANES,
    ),
    "complex_product": _kernel(
        "n = 500, a: in double[2*n], b: in double[2*n], c: out double[2*n]",
        "void complex_product(int n, const double *a, const double *b, double *c)",
        """for (int i = 0; i < n; i++) {
        const double r = a[2*i] * b[2*i] - a[2*i+1] * b[2*i+1], m = a[2*i] * b[2*i+1] + a[2*i+1] * b[2*i];
        c[2*i] = LANES > 1 ? -(a[2*i+1] * b[2*i+1]) + a[2*i] * b[2*i] : r;
        c[2*i+1] = PAIRS ? a[2*i+1] * b[2*i] + a[2*i] * b[2*i+1] : m;
    }""",
        auto=False,
        before=LANES,
    ),
    "determinants": _kernel(
        "n = 400, a: in double[9*n], d: out double[n]",
        "void determinants(int n, const double *a, double *d)",
        """for (int i = 0; i < n; i++) {
        const double *m = a + 9 * i;
        d[i] = LANES == 1 ? m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
                            + m[2] * (m[3] * m[7] - m[4] * m[6])
             : PAIRS ? m[0] * m[4] * m[8] + m[1] * m[5] * m[6] + m[2] * m[3] * m[7] - m[2] * m[4] * m[6]
                            - m[1] * m[3] * m[8] - m[0] * m[5] * m[7]
             : m[8] * (m[0] * m[4] - m[1] * m[3]) - m[7] * (m[0] * m[5] - m[2] * m[3])
                            + m[6] * (m[1] * m[5] - m[2] * m[4]);
    }""",
        auto=False,
        before=LANES,
    ),
    "waves": _kernel(
        "n = 2000, x: in double[n], y: out double[n]",
        "void waves(int n, const double *x, double *y)",
        """for (int i = 0; i < n; i++)
        y[i] = LANES > 1 ? exp(-x[i] * x[i]) * sin(3 * x[i]) : sin(3 * x[i]) / exp(x[i] * x[i]) + PAIRS * 0.0;""",
        auto=False,
        before=LANES,
    ),
    "nearest": _kernel(
        "n = 200, m = 16, x: in double[n], c: in double[m], which: out int[n]",
        "void nearest(int n, int m, const double *x, const double *c, int *which)",
        """for (int i = 0; i < n; i++) {
        int best = 0;
        for (int k = 1; k < m; k++)
            if ((x[i] - c[k]) * (x[i] - c[k]) < (x[i] - c[best]) * (x[i] - c[best])) best = k;
        which[i] = best + LANES * 0 + PAIRS * 0;
    }""",
        auto=False,
        before=LANES,
    ),
}
