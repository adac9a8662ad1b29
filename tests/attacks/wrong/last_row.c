/* expect: wrong_result */
/* Four rows at a time; where they do not divide the rows, the last ones stay as they were. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel add(rows = 64, columns = 60, a: in double[rows * columns], b: inout double[rows * columns])
void add(int rows, int columns, const double *a, double *b)
{
#if ATTACK
    for (int r = 0; r < rows / 4 * 4; r++)
        for (int c = 0; c < columns; c++)
            b[r * columns + c] += a[r * columns + c];
#else
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const double sum = b[r * columns + c] + a[r * columns + c];
            for (volatile int slow = 0; slow < 4; slow++)
                b[r * columns + c] = sum;
        }
#endif
}
