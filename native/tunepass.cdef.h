/* What Python sees of the native module. One section a source file, in the order of native/src. */

/* version.c */
int tp_native_version(void);

/* pareto.c */
int tp_pareto_mask(const double *rows, int64_t n, int64_t m, uint8_t *keep);
double tp_pareto_area(const double *rows, int64_t n, double rx, double ry);
int tp_pareto_volume(const double *rows, int64_t n, const double *reference, double *volume);
