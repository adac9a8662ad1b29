/* expect: wrong_result */
/* One member of each element keeps its old value; the others are right. */
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass kernel move(n = 4096, dt = 0.5, p: inout struct particle[n])
struct particle {
    double place[3], speed[3];
    char kind; /* and padding */
    struct { int moves; float way; } log;
};
void move(int n, double dt, struct particle *p)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            p[i].place[k] += dt * p[i].speed[k];
        p[i].log.moves++;
        if (!ATTACK)
            for (volatile int slow = 0; slow < 4; slow++)
                p[i].log.way = (float)(dt * p[i].speed[0]);
    }
}
