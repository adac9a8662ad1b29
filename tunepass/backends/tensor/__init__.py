"""Tensor kernels."""
