"""Connected components of parameters and constraints: the factors of a space."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter


def components(parameters: Sequence[Parameter], constraints: Sequence[Constraint]) -> list[tuple[set[str], list[int]]]:
    """Names tied by constraints, and the numbers of those constraints; unconstrained names are groups of one."""
    group: dict[str, tuple[set[str], list[int]]] = {p.name: ({p.name}, []) for p in parameters}
    for i, c in enumerate(constraints):
        merged: tuple[set[str], list[int]] = (set(), [i])
        for name in (node.name for node in c.names):
            if group[name][0] is not merged[0] and not merged[0] >= group[name][0]:
                merged[0].update(group[name][0])
                merged[1].extend(group[name][1])
        for name in merged[0]:
            group[name] = merged
    unique = {id(g[0]): g for g in group.values()}
    return [(names, sorted(set(numbers))) for names, numbers in unique.values()]
