"""Pipelines of Halide that bench_halide compares schedules of."""
