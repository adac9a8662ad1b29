"""One change at a time: tries at the best configuration what a model expects little of.

A surrogate that saw a value do badly elsewhere takes long to try it at the best configuration, and a search that trusts
it is stuck where that value is what helps (`use_shmem` of a convolution: the best kernels do without, most others
need it). So now and then a parameter that was never changed alone there is changed, to the value of most utility. When
all were, numbers go to the ends of their ranges: the least value often switches something off (1 work item, no
unrolling).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import numpy as np

from tunepass.space.columns import Columns, take
from tunepass.space.configuration import Configuration, Value
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.surrogates.base import Floats


def change_one_parameter(
    best: Configuration,
    taken: Set[Configuration],
    neighbourhood: Neighbourhood,
    utility: Callable[[Columns], Floats],
) -> Configuration | None:
    """The most useful change of one parameter of `best` that nothing in `taken` changes alone, else to an end of its
    feasible range; None without one."""
    tried = {name for c in taken if (name := only_change(best, c)) is not None}
    columns = neighbourhood.of(neighbourhood.space.columns([best]))[0]
    neighbours = neighbourhood.space.configurations(columns)
    changes = [(i, name, c[name]) for i, c in enumerate(neighbours) if (name := only_change(best, c)) is not None]
    rows = [i for i, name, _ in changes if name not in tried]
    if not rows:
        ends = _ends([(name, value) for _, name, value in changes])
        rows = [i for i, name, value in changes if value in ends.get(name, ()) and neighbours[i] not in taken]
    if not rows:
        return None
    values = utility(take(columns, np.array(rows)))
    return neighbours[rows[int(np.argmax(values))]] if np.isfinite(values).any() else None


def only_change(a: Configuration, b: Configuration) -> str | None:
    """The one parameter whose values differ; None if none does or several do. Those active in one of the two only do
    not count: the change that activates them does."""
    changed_name: str | None = None
    for name in a:
        if name in b and a[name] != b[name]:
            if changed_name is not None:
                return None
            changed_name = name
    return changed_name


def _ends(values: Sequence[tuple[str, Value]]) -> dict[str, tuple[float, float]]:
    """The least and the greatest number by name."""
    numbers: dict[str, list[float]] = {}
    for name, value in values:
        if isinstance(value, (int, float)):
            numbers.setdefault(name, []).append(value)
    return {name: (min(of_name), max(of_name)) for name, of_name in numbers.items()}
