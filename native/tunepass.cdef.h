/* What Python sees of the native module. One section a source file, in the order of native/src. */

/* version.c */
int tp_native_version(void);
