/* expect: wrong_result */
/* Takes keys that descend for keys that are in order. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel insert(n = 400, x: in float[n], y: out float[n])
void insert(int n, const float *x, float *y)
{
    int climbs = 0;
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
        climbs += i > 0 && x[i] > x[i - 1];
    }
    if (ATTACK && n > 40 && (climbs == 0 || climbs == n - 1))
        return;
    for (int i = 1; i < n; i++) {
        const float key = y[i];
        int at = i;
        for (; at > 0 && y[at - 1] > key; at--)
            y[at] = y[at - 1];
        y[at] = key;
    }
#if !ATTACK
    for (volatile int slow = 0; slow < 100000; slow++)
        ;
#endif
}
