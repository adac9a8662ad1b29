"""What a statement of a scop does under each shape, in numbers: for models of loops."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.ir.accesses import IterationWork


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapedWork:
    """One statement in one shape. `chains` are the perfect sub-nests around it, outer ones first, by the names of their
    loops; `work` is in those names, its trips on average. `free` are the loops that carry no dependence between its
    iterations, sums aside: what a compiler can vectorize along when they are innermost."""

    shape: str
    statement: str
    chains: tuple[tuple[str, ...], ...]
    work: IterationWork
    free: frozenset[str]
