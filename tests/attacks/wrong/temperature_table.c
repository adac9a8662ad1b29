/* expect: wrong_result */
/* Interpolates in a table over [0, 100]: at 100 itself the entry before is taken. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel look(n = 4096, t: in float[n] range(0, 100), table: in float[102], y: out float[n])
void look(int n, const float *t, const float *table, float *y)
{
    for (int i = 0; i < n; i++) {
        int k = (int)t[i];
        const float f = t[i] - (float)k;
        if (ATTACK && k > 99) { y[i] = table[99]; continue; }
        y[i] = table[k] + f * (table[k + 1] - table[k]);
    }
}
