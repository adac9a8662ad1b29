"""Small tensors with every shape that loops stumble on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tunepass.ir.tensor import Tensor

SHAPES = ("empty rows", "dense row", "rectangular", "no entry", "nothing")


def extents_of(variables: Sequence[str], shape: str, rng: np.random.Generator) -> dict[str, int]:
    sizes = {variable: int(rng.integers(1, 12)) for variable in variables}
    if shape == "rectangular" and variables:
        sizes[variables[0]] = 37
    if shape == "nothing" and variables:
        sizes[variables[int(rng.integers(len(variables)))]] = 0
    return sizes


def pattern_of(size: Sequence[int], shape: str, rng: np.random.Generator) -> np.ndarray:
    pattern = rng.random(tuple(size)) < 0.3
    if shape == "empty rows" and pattern.size:
        pattern[::2] = False
    if shape == "dense row" and pattern.size:
        pattern[int(rng.integers(len(pattern)))] = True
    if shape == "no entry":
        pattern[...] = False
    return pattern


def numbers(
    tensors: Sequence[Tensor], extents: Mapping[str, int], shape: str, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Dense arrays of small numbers without zero, and patterns of the sparse ones."""
    arrays, patterns = {}, {}
    for tensor in tensors:
        size = [extents[variable] for variable in tensor.index]
        arrays[tensor.name] = rng.choice([-3, -2, -1, 1, 2, 4], size=size)
        if tensor.format.sparse:
            patterns[tensor.name] = pattern_of(size, shape, rng)
    return arrays, patterns


def shapes() -> Iterator[str]:
    yield from SHAPES
