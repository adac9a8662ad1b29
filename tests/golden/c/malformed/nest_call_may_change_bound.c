#pragma tunepass param U: integer(1..4)
#pragma tunepass kernel add(y: inout double[64])
int count = 64;
void grow(double *);
void add(double *y)
{
    #pragma tunepass loop(i) unroll(i: U)
    for (int i = 0; i < count; i++)
        grow(y + i);
}
