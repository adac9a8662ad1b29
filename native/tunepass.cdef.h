/* What Python sees of the native module. One section a source file, in the order of native/src. */

/* version.c */
int tp_native_version(void);

/* calibrate.c: seconds for a fixed piece of work, the speed of the machine at this moment. */
double tp_calibrate(void);

/* pareto.c */
int tp_pareto_mask(const double *rows, int64_t n, int64_t m, uint8_t *keep);
double tp_pareto_area(const double *rows, int64_t n, double rx, double ry);
int tp_pareto_volume(const double *rows, int64_t n, const double *reference, double *volume);
/* forest.c */
int tp_forest_fit(const double *x, const double *y, const double *weight, int n, int d, int trees, int min_leaf, int mtry,
                  int bootstrap, uint64_t seed, int32_t *root, int32_t *feature, double *threshold, int32_t *left,
                  double *mean, double *variance, double *out_of_bag);
int tp_forest_predict(const double *x, int m, int d, int trees, int nodes, const int32_t *root, const int32_t *feature,
                      const double *threshold, const int32_t *left, const double *leaf_mean,
                      const double *leaf_variance, double *mean, double *variance);

/* gp_kernels.c */
void tp_gp_distances(const double *x, int n, const double *z, int m, int f, const int32_t *group, const uint8_t *nominal,
                     int p, double *out);
int tp_gp_cross(const double *x, int n, const double *z, int m, int f, const double *weight, const uint8_t *nominal, int kind,
                double amplitude, double *out, int stride, int first);
int tp_gp_posterior(const double *x, int n, const double *z, int m, int f, const double *weight, const uint8_t *nominal,
                    int kind, double amplitude, const double *u, int stride, const double *alpha, double *mean,
                    double *variance);
int tp_gp_mixture(int draws, const double *x, int n, const double *z, int m, int f, const double *weight,
                  const uint8_t *nominal, int kind, const double *amplitude, const double *const *u, int stride,
                  const double *const *alpha, double shift, double scale, double *mean, double *variance);
int tp_gp_cholesky(double *u, int stride, int from, int n);
void tp_gp_solve(const double *u, int stride, int n, double *b);
void tp_gp_inverse(const double *u, int stride, int n, double *inverse, double *scratch);
void tp_gp_covariance(const double *xt, int n, int stride, int f, const double *weight, const uint8_t *nominal, int kind,
                      double amplitude, double diagonal, double *u, double *slope);
double tp_gp_likelihood(const double *xt, int n, int stride, int f, const int32_t *group, const uint8_t *nominal, int p,
                        const double *y, int kind, const double *theta, double jitter, double *gradient, double *scratch);

double tp_gp_minus_log_posterior(const double *xt, int n, int stride, int f, const int32_t *group, const uint8_t *nominal,
                                 int p, const double *y, int kind, const double *priors, const double *theta,
                                 double jitter, double *gradient, double *scratch);
void tp_gp_chain(const double *xt, int n, int stride, int f, const int32_t *group, const uint8_t *nominal, int p,
                 const double *y, int kind, const double *priors, double jitter, double *scratch, double *theta,
                 double bound, int leaps, double step, int proposals, int thin, double *momenta,
                 const double *chances, double *states, double *room);

/* effects_climb.c: at most 2 n asked changes; how many, or -1 without memory. */
int tp_effects_changes(const int64_t *heads, int n, int p, const int64_t *parameter, int m, const double *alone,
                       const int64_t *place, const int64_t *joint, int k, const double *h, int asked, int64_t *owner,
                       int64_t *first, int64_t *second, double *gain);

/* gp_pairs.c */
void tp_pairs_covariance(const double *zt, int n, int stride, int f, const double *w, const double *v, double constant,
                         double diagonal, double *u, double *m);
double tp_pairs_likelihood(const double *zt, int n, int stride, int f, const double *y, const double *theta, double jitter,
                           double *gradient, double *scratch);
void tp_pairs_value(const double *z, int n, int f, const double *single, const int32_t *columns, int k, const double *joint,
                    double *value);

/* matrices.c */
int tp_matrix_product(const double *a, int m, int k, const double *b, int n, double *c);
void tp_matrix_triangular_inverse(const double *u, int n, double *inverse);

/* deep_energy.c: 0; 1: a covariance is not positive definite; -1: no memory. */
int tp_deep_energy(const double *x, const double *y, const uint8_t *observed, int n, const int64_t *rows, int batch, int layers,
                   const int32_t *width, const int32_t *inducing, double alpha, double jitter, double least, const double *parameters,
                   double *value, double *gradient);

/* improvement.c */
void tp_log_h(const double *z, int64_t n, double *out);

/* vm.c. tp_vm_operations: a line `name operands` each, in the order of their numbers. tp_vm_run: the first element at
 * which an output overflows, -1 if none does, -2 without memory. */
const char *tp_vm_operations(void);
int64_t tp_vm_run(const int32_t *code, int32_t length, const int64_t *constants, int32_t constant_registers,
                  const void *const *inputs, int32_t input_registers, int32_t temporaries, void *const *outputs,
                  int64_t n);
int64_t tp_vm_views(const int32_t *code, int32_t length, const int64_t *constants, int32_t constant_registers,
                    const int64_t *const *sources, const int64_t *offsets, const uint8_t *inner, int32_t input_registers,
                    int32_t temporaries, void *const *outputs, int64_t run_length, int64_t runs, int64_t block);

/* dedupe.c */
int64_t tp_dedupe(const int64_t *rows, int64_t n, int64_t m, int32_t *id, int64_t *first);

/* diagram.c */
void tp_diagram_contains(const int64_t *rows, int64_t n, int64_t layers, const int64_t *const *start,
                         const int32_t *const *value, const int32_t *const *child, uint8_t *inside);
