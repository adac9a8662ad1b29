"""Generators of tensors of the shape and skew of known ones."""
