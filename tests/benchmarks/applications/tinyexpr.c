/* Compiles and evaluates expressions; prints a sum of their values. */
#include <stdio.h>
#include "tinyexpr.h"

#ifdef SMALL
enum { ROUNDS = 15 };
#else
enum { ROUNDS = 1500 };
#endif

int main(void)
{
    static const char *const texts[] = {"sqrt(x*x+y*y)/2+3", "x+5*(y-2)*x/(y+7)", "2^x+abs(y)-floor(x*3)"};
    double x = 0, y = 0, sum = 0;
    te_variable names[] = {{"x", &x, 0, 0}, {"y", &y, 0, 0}};
    for (int round = 0; round < ROUNDS; round++)
        for (int t = 0; t < 3; t++) {
            int error;
            te_expr *expression = te_compile(texts[t], names, 2, &error);
            for (int i = 0; i < 400; i++) {
                x = i % 13;
                y = round % 17;
                sum += te_eval(expression);
            }
            te_free(expression);
        }
    printf("sum %.6e\n", sum);
    return 0;
}
