"""Comparisons of configurations: the final round, and races over instances."""
