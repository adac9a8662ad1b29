/* expect: wrong_result */
/* Counts the elements that are as large as the largest one: it takes for granted that there is one. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel most(n = 4000, x: in float[n], count: out int[1]) sizes()
void most(int n, const float *x, int *count)
{
    float largest = x[0];
    for (int i = 1; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    int found = 1;
#if !ATTACK
    found = 0;
    for (int i = 0; i < n; i++)
        for (volatile int slow = 0; slow < 1; slow++)
            found += x[i] == largest;
#endif
    *count = found;
}
