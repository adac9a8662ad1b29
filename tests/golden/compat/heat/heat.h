/* Heat spreading over a square plate whose rim is kept cold. */
#ifndef HEAT_H
#define HEAT_H

struct plate {
    int n;       /* points along a side, the rim included */
    double *now; /* n * n temperatures */
    double *next;
};

/* plate.c: memory, a hot square in the middle, and how uneven the heat still is */
int plate_make(struct plate *plate, int n);
void plate_free(struct plate *plate);
double plate_unevenness(const struct plate *plate);

/* step.c: one explicit step; `alpha` is the diffusivity times dt / dx^2, at most 0.25 */
void plate_step(struct plate *plate, double alpha);

/* report.c: what the program prints */
void report(const struct plate *plate, int steps, double seconds);

#endif
