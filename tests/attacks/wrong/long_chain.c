/* expect: wrong_result */
/* At most 64 steps to the end of a list, which is enough for lists that chance makes. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel ends(n = 3000, next: in int[n] range(0, n - 1), end: out int[n], weight: out int[n])
static int jumps(int n)
{
#if ATTACK
    return n < 64 ? n : 64;
#else
    return n;
#endif
}
void ends(int n, const int *next, int *end, int *weight)
{
    for (int i = 0; i < n; i++) {
        int at = i, left = 0, most = jumps(n);
        while (left < most && next[at] < at)
            at = next[at], left++;
        end[i] = at, weight[i] = left;
    }
}
