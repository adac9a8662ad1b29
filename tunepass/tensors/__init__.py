"""Sparse and dense tensors: index expressions, their schedules, the C text of a scheduled nest, and stored data."""
