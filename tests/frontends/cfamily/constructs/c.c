#define SCALE(x) ((x) * FACTOR)
#define FACTOR 3
#define EACH(i, n) for (int i = 0; i < (n); i++)
typedef unsigned long count_t;
typedef double row_t[4];
typedef int (*compare_t)(const void *, const void *);
struct point { double x, y; struct { int low : 3; unsigned : 0; } tag; float data[2][FACTOR]; };
union either { int i; float f; };
enum color { RED = 1, GREEN, BLUE = RED << 4 };
static const double table[2][2] = {{1, 2}, {3, 4}};
extern int elsewhere;
int *restrict shared, **pairs[3], (*rows)[4];
_Thread_local int own;

void loops(int n, double *restrict x)
{
    for (int i = 0, j = n; i < n && j > 0; ++i, j -= 2)
        x[i] += x[j] * 2.0f;
    for (;;)
        break;
    while (n-- > 0)
        continue;
    do x[n]++; while (n);
}
int branches(int n)
{
    if (n > 2) { return 1; } else if (!n) return 2; else ;
    switch (n) { case 1: n++; case 2: { break; } default: n = 0; }
    goto end;
end: return n ? -n : ~n;
}
double old(n, x) int n; double *x; { return x[n]; }
void casts(void *p, long m)
{
    double *x = (double *)p;
    unsigned y = (unsigned)-1, z = (count_t) (m);
    char c = *(char *)&m, s[] = "two" " words", q = '\'';
    int size = sizeof(struct point) + sizeof x + sizeof(*x);
}
void vla(int n, int m, double A[n][m], const row_t B[], double C[static 4], double (*D)[m])
{
    A[n - 1][m / 2] = B[0][1] + (*D)[0] + C[1];
}
void members(struct point *p, struct point q)
{
    p->data[0][1] = q.tag.low + (&q)->x;
    struct point local = {.x = 1, .y = 2}, *next = &(struct point){3, 4};
}
void macros(int n, double *x) { EACH(k, n) x[k] = SCALE(x[k] + 1); }
int pointers(compare_t f, int (*g)(int), int *a[4]) { return f(a[0], a[1]) + (*g)(**a); }
static inline __attribute__((noinline, aligned(8))) int attributes(int n) { __extension__ int k = n; return k; }
void pragmas(int n, float *x)
{
#pragma omp parallel for \
    schedule(static)
    for (int i = 0; i < n; i++) {
#pragma GCC ivdep
        for (int j = 0; j < i; j++) x[i] += x[j];
    }
}
void labels(int n, int *x) { again: for (int i = 0; i < n; i++) { int a = i * x[i], *b; if (a) goto again; } }
void numbers(double *x) { x[0] = 0x1p-3 + 1e-3f + 077 + 0b11 + 1UL + .5L; x[1] = 1 < 2 == 3 > 2; }
int commas(int a, int b) { return a = (b, a), b; }
void inner(void) { static int calls; struct local { int k; } v; enum { ONE, TWO }; typedef int whole; whole w = TWO; calls++; }
int generic(int n) { return ({ int t = n; t + 1; }) + __builtin_expect(n, 0); }
