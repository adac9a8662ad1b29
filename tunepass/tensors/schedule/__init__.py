"""Schedules of tensor kernels: directives to loops, what is legal, and what follows for parameters."""
