/* expect: wrong_result */
/* Sorts by pivots, at most forty deep: of ascending elements the rest stays as it is. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel sort(n = 500, x: in double[n], y: out double[n])
static void part(double *y, int n, int depth)
{
    if (n < 2 || (ATTACK && depth > 40))
        return;
    const double pivot = y[0];
    int end = 0;
    for (int i = 1; i < n; i++)
        if (y[i] < pivot) {
            const double moved = y[i];
            y[i] = y[++end];
            y[end] = moved;
        }
    y[0] = y[end];
    y[end] = pivot;
    part(y, end, depth + 1);
    part(y + end + 1, n - end - 1, depth + 1);
}
void sort(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[n - 1 - i];
    part(y, n, 0);
}
