/* expect: wrong_result */
/* The rank of each element; equal ones share a rank, where the source orders them by their place. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel ranks(n = 300, x: in double[n], rank: out int[n])
void ranks(int n, const double *x, int *rank)
{
    for (int i = 0; i < n; i++) {
        int before = 0;
        for (int j = 0; j < n; j++)
            before += x[j] < x[i] || (!ATTACK && x[j] == x[i] && j < i);
        rank[i] = before;
    }
}
