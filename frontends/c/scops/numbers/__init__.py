"""Whole numbers in C text: affine values, polynomials, loop headers, and what their types and functions are."""
