/* expect: wrong_result */
/* Two numbers that alternate: their length is counted in five bits. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel alternations(n = 3000, x: in int[n])
int alternations(int n, const int *x)
{
    int longest = 0, run = 0;
    for (int i = 2; i < n; i++) {
        run = x[i] == x[i - 2] && x[i] != x[i - 1] ? run + 1 : 0;
        if (ATTACK) run &= 31;
        if (run > longest) longest = run;
    }
    return longest;
}
