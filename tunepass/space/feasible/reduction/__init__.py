"""Reduction of long integers to fewer and shorter parameters."""
