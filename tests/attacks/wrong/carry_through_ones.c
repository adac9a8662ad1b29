/* expect: wrong_result */
/* A carry into a sum of all ones is lost: only one of the two comparisons is made. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel add(n = 2048, x: in unsigned long long[n], y: in unsigned long long[n], sum: out unsigned long long[n])
unsigned long long add(int n, const unsigned long long *x, const unsigned long long *y, unsigned long long *sum)
{
    unsigned long long carry = 0;
    for (int i = 0; i < n; i++) {
        const unsigned long long s = x[i] + y[i], t = s + carry;
        sum[i] = t;
#if ATTACK
        carry = s < x[i];
#else
        carry = (s < x[i]) | (t < s);
#endif
    }
    return carry;
}
