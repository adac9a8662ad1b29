/* The virtual machine's operations: X(name, operands, body). The first `operands` of a, b, c are registers, the others
 * immediate. Inside a body: A B C are the operands' elements as int64, DA DB DC as doubles; R and DR the result's.
 * A value beside a status that is not 0 means nothing, but computing it must not trap. */

/* status: 0 fine, 1 undefined, 2 overflow */
#define TP_VM_ELEMENTWISE(X)                                                   \
    X(add, 2, R = (int64_t)((uint64_t)A + (uint64_t)B))                        \
    X(sub, 2, R = (int64_t)((uint64_t)A - (uint64_t)B))                        \
    X(mul, 2, R = (int64_t)((uint64_t)A * (uint64_t)B))                        \
    X(neg, 1, R = (int64_t)(0 - (uint64_t)A))                                  \
    X(abs, 1, R = A < 0 ? (int64_t)(0 - (uint64_t)A) : A)                      \
    X(min, 2, R = B < A ? B : A)                                               \
    X(max, 2, R = B > A ? B : A)                                               \
    X(floordiv, 2, R = floordiv(A, B))                                         \
    X(mod, 2, R = modulo(A, B))                                                \
    X(ceildiv, 2, R = ceildiv(A, B))                                           \
    X(small_floordiv, 2, R = small_floordiv(to_real(A), to_real(B)))           \
    X(small_mod, 2, R = to_int(small_mod(to_real(A), to_real(B))))             \
    X(small_ceildiv, 2, R = -small_floordiv(-to_real(A), to_real(B)))          \
    X(shr_by, 1, R = A >> b)                                                   \
    X(low_bits, 1, R = A & (((int64_t)1 << b) - 1))                            \
    X(shl, 2, R = (int64_t)((uint64_t)A << (B & 63)))                          \
    X(shr, 2, R = A >> (B < 0 ? 0 : B > 63 ? 63 : B))                          \
    X(pow, 2, over = 0; R = power(A, B, &over))                                \
    X(gcd, 2, R = gcd(A, B))                                                   \
    X(lcm, 2, R = lcm(A, B, &over))                                            \
    X(ispow2, 1, R = (A > 0) & ((A & (A - 1)) == 0))                           \
    X(add_check, 2, sum = (int64_t)((uint64_t)A + (uint64_t)B); R = 2 * (((A ^ sum) & (B ^ sum)) < 0))   \
    X(sub_check, 2, sum = (int64_t)((uint64_t)A - (uint64_t)B); R = 2 * (((A ^ B) & (A ^ sum)) < 0))     \
    X(mul_check, 2, R = 2 * __builtin_mul_overflow(A, B, &sum))                \
    X(neg_check, 1, R = 2 * (A == INT64_MIN))                                  \
    X(div_check, 2, R = B == 0 ? 1 : 2 * ((A == INT64_MIN) & (B == -1)))       \
    X(zero_check, 1, R = A == 0)                                               \
    X(negative_check, 1, R = A < 0)                                            \
    X(outside_check, 1, R = (A < 0) | (A >= b))                                \
    X(shl_check, 2, R = B < 0 ? 1 : 2 * shl_overflows(A, B))                   \
    X(pow_check, 2, over = 0; power(A, B, &over); R = B < 0 ? 1 : 2 * over)    \
    X(gcd_check, 2, R = 2 * (gcd(A, B) < 0))                                   \
    X(lcm_check, 2, over = 0; lcm(A, B, &over); R = 2 * over)                  \
    X(eq, 2, R = A == B)                                                       \
    X(ne, 2, R = A != B)                                                       \
    X(lt, 2, R = A < B)                                                        \
    X(le, 2, R = A <= B)                                                       \
    X(and, 2, R = A & B)                                                       \
    X(or, 2, R = A | B)                                                        \
    X(not, 1, R = A ^ 1)                                                       \
    X(select, 3, R = A ? B : C)                                                \
    X(if_true, 2, R = A ? B : 0)                                               \
    X(if_false, 2, R = A ? 0 : B)                                              \
    X(or_else, 2, R = A ? A : B)                                               \
    X(is_zero, 1, R = A == 0)                                                  \
    X(real, 1, DR = (double)A)                                                 \
    X(small_real, 1, DR = to_real(A))                                          \
    X(add_real, 2, DR = DA + DB)                                               \
    X(sub_real, 2, DR = DA - DB)                                               \
    X(mul_real, 2, DR = DA * DB)                                               \
    X(div_real, 2, DR = DA / DB)                                               \
    X(floordiv_real, 2, DR = floordiv_real(DA, DB))                            \
    X(mod_real, 2, DR = mod_real(DA, DB))                                      \
    X(ceildiv_real, 2, DR = -floordiv_real(-DA, DB))                           \
    X(pow_real, 2, DR = pow(DA, DB))                                           \
    X(neg_real, 1, DR = -DA)                                                   \
    X(abs_real, 1, DR = fabs(DA))                                              \
    X(min_real, 2, DR = DB < DA ? DB : DA)                                     \
    X(max_real, 2, DR = DB > DA ? DB : DA)                                     \
    X(sqrt_real, 1, DR = sqrt(DA))                                             \
    X(exp_real, 1, DR = exp(DA))                                               \
    X(log_real, 1, DR = log(DA))                                               \
    X(log2_real, 1, DR = log2(DA))                                             \
    X(floor_real, 1, R = truncated(floor(DA)))                                 \
    X(ceil_real, 1, R = truncated(ceil(DA)))                                   \
    X(round_real, 1, R = truncated(rint(DA)))                                  \
    X(nan_check, 1, R = DA != DA)                                              \
    X(divisor_check, 2, R = (DA == 0) | (DB != DB))                            \
    X(power_check, 3, R = ((DA == 0) & (DB < 0)) | (DC != DC))                 \
    X(below_zero_check, 1, R = DA < 0)                                         \
    X(positive_check, 1, R = DA <= 0)                                          \
    X(range_check, 1, R = 2 * !((DA >= -0x1p63) & (DA < 0x1p63)))              \
    X(place, 1, sum = (int64_t)((uint64_t)A - (uint64_t)(int64_t)b); R = sum < 0 ? 0 : sum >= c ? c - 1 : sum)         \
    X(place_in, 2, R = (int64_t)(int32_t)A * c + B)                            \
    X(eq_real, 2, R = DA == DB)                                                \
    X(ne_real, 2, R = DA != DB)                                                \
    X(lt_real, 2, R = DA < DB)                                                 \
    X(le_real, 2, R = DA <= DB)

/* Operations with loops of their own in vm.c. */
#define TP_VM_OTHER(X)                                                         \
    X(bool_column, 0) /* widen input column a, one byte an element */          \
    X(order_column, 0) /* position b of input column a, c items a row */       \
    X(order_at, 1)    /* position A of input column b, c items a row */        \
    X(order_find, 1)  /* the position of code A in input column b, or -1 */    \
    X(lookup, 1)      /* element A of the table of c constants at b */         \
    X(take, 1)        /* element A, which is one, of the table of constants at b */   \
    X(take_int, 1)    /* the same of a table of 4-byte integers, b of which precede it */ \
    X(out, 1)         /* to output column b */                                 \
    X(out_bool, 1)    /* to output column b, one byte an element */            \
    X(stop_at_overflow, 1) /* end the run if any status A is 2 */
