"""Samples of feasible rows."""
