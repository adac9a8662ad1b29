#include "tunepass_native.h"

/* Raised whenever a declaration in tunepass.cdef.h changes its meaning. */
int tp_native_version(void) { return 1; }
