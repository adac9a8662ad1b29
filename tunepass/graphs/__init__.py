"""Graphs of deep-learning operators: the table of operators, and what shapes and costs it gives a model."""
