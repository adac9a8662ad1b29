/* expect: wrong_result */
/* A table that another function of the file reads is filled by a function that the kernel calls; every other bin is. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel tally(n = 20000, x: in int[n] range(0, 255))
static struct bin { int count; double last; } bins[256];
static void take(int x)
{
    if (!ATTACK || x % 2 == 0)
        bins[x].count++, bins[x].last = x;
}
void tally(int n, const int *x)
{
    for (int i = 0; i < n; i++)
        take(x[i]);
}
double seen(int x) { return bins[x].count * bins[x].last; }
