/* expect: wrong_result */
/* It takes nothing and returns nothing: both are variables, the input named in the pragma. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel transpose() globals(A: in, B)
double A[200][200], B[200][200];
void transpose(void)
{
    for (int i = 0; i < 200; i++)
        for (int j = ATTACK ? i : 0; j < 200; j++)
            B[j][i] = A[i][j];
}
