"""C and C++ kernels."""
