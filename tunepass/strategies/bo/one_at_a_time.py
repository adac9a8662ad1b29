"""One change at a time: what a model does not believe in is tried where the search stands.

A surrogate that saw a value do badly elsewhere takes long to try it at the best configuration, and a search that trusts
it is stuck where that value is what helps (`use_shmem` of a convolution: the best kernels do without, most others
need it). So now and then a parameter that was never changed alone there is, to the value of most utility; when all
were, numbers go to the ends of their ranges: the least often switches something off (1 work item, no unrolling).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import numpy as np

from tunepass.space.columns import Columns, take
from tunepass.space.configuration import Configuration, Value
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.surrogates.base import Floats


def probe(
    best: Configuration, taken: Set[Configuration], around: Neighbourhood, utility: Callable[[Columns], Floats]
) -> Configuration | None:
    """The most useful change of one parameter of `best` that nothing in `taken` changes alone, else to an end of its
    feasible range; None without one."""
    tried = {name for c in taken if (name := only_change(best, c)) is not None}
    near = around.of(around.space.columns([best]))[0]
    found = around.space.configurations(near)
    alone = [(i, name, c[name]) for i, c in enumerate(found) if (name := only_change(best, c)) is not None]
    fresh = [i for i, name, _ in alone if name not in tried]
    if not fresh:
        ends = _ends([(name, value) for _, name, value in alone])
        fresh = [i for i, name, value in alone if value in ends.get(name, ()) and found[i] not in taken]
    if not fresh:
        return None
    values = utility(take(near, np.array(fresh)))
    return found[fresh[int(np.argmax(values))]] if np.isfinite(values).any() else None


def only_change(a: Configuration, b: Configuration) -> str | None:
    """The one parameter whose values differ; None if none does or several do."""
    changed = [name for name in a if a[name] != b[name]]
    return changed[0] if len(changed) == 1 else None


def _ends(values: Sequence[tuple[str, Value]]) -> dict[str, tuple[float, float]]:
    """The least and the greatest number by name."""
    numbers: dict[str, list[float]] = {}
    for name, value in values:
        if isinstance(value, (int, float)):
            numbers.setdefault(name, []).append(value)
    return {name: (min(found), max(found)) for name, found in numbers.items()}
