#pragma tunepass param ORDER: permutation(i, j, k)
#pragma tunepass param T: ordinal(1, 32)
#pragma tunepass param U: ordinal(1, 2, 4)
#pragma tunepass param V: categorical(false, true)
#pragma tunepass kernel f(n = 64, A: in double[n*n], B: in double[n*n], C: inout double[n*n])
void f(int n, const double *A, const double *B, double *C)
{
    // tunepass: loop(i, j, k) tile(k: T) order(ORDER) unroll_and_jam(i: U) unroll(k: U) vectorize(j: V) parallel(i: V)
    #line 11 "f.c"
    for (int k_tile = 0; k_tile < n; k_tile += 32) {
        const int i_split = 0 < n ? n / 2 * 2 : 0;
#line 9 "f.c"
        for (int i = 0; i < i_split; i += 2) {
#line 10 "f.c"
            for (int j = 1; j < n; j += 2) {
                const int k_end = n < k_tile + 32 ? n : k_tile + 32;
                const int k_split = k_tile < k_end ? k_tile + (k_end - k_tile) / 2 * 2 : k_tile;
#line 11 "f.c"
                for (int k = k_tile; k < k_split; k += 2) {
#line 12 "f.c"
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
#line 12 "f.c"
                    C[(i + 1)*n + j] += A[(i + 1)*n + k] * B[k*n + j];
#line 12 "f.c"
                    C[i*n + j] += A[i*n + (k + 1)] * B[(k + 1)*n + j];
#line 12 "f.c"
                    C[(i + 1)*n + j] += A[(i + 1)*n + (k + 1)] * B[(k + 1)*n + j];
                }
#line 11 "f.c"
                for (int k = k_split; k < k_end; k++) {
#line 12 "f.c"
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
#line 12 "f.c"
                    C[(i + 1)*n + j] += A[(i + 1)*n + k] * B[k*n + j];
                }
            }
        }
#line 9 "f.c"
        for (int i = i_split; i < n; i++) {
#line 10 "f.c"
            for (int j = 1; j < n; j += 2) {
                const int k_end = n < k_tile + 32 ? n : k_tile + 32;
                const int k_split = k_tile < k_end ? k_tile + (k_end - k_tile) / 2 * 2 : k_tile;
#line 11 "f.c"
                for (int k = k_tile; k < k_split; k += 2) {
#line 12 "f.c"
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
#line 12 "f.c"
                    C[i*n + j] += A[i*n + (k + 1)] * B[(k + 1)*n + j];
                }
#line 11 "f.c"
                for (int k = k_split; k < k_end; k++) {
#line 12 "f.c"
                    C[i*n + j] += A[i*n + k] * B[k*n + j];
                }
            }
        }
    }
#line 13 "f.c"
 // done
}
