/* What Python sees of the native module. One section a source file, in the order of native/src. */

/* version.c */
int tp_native_version(void);

/* pareto.c */
int tp_pareto_mask(const double *rows, int64_t n, int64_t m, uint8_t *keep);
double tp_pareto_area(const double *rows, int64_t n, double rx, double ry);
int tp_pareto_volume(const double *rows, int64_t n, const double *reference, double *volume);
/* forest.c */
int tp_forest_fit(const double *x, const double *y, const double *weight, int n, int d, int trees, int min_leaf, int mtry,
                  int bootstrap, uint64_t seed, int32_t *root, int32_t *feature, double *threshold, int32_t *left,
                  double *mean, double *variance, double *out_of_bag);
void tp_forest_predict(const double *x, int m, int d, int trees, const int32_t *root, const int32_t *feature,
                       const double *threshold, const int32_t *left, const double *leaf_mean,
                       const double *leaf_variance, double *mean, double *variance);
