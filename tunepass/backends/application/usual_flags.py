"""Seed configurations of a compiler's flags: those that are written for fast programs."""

from __future__ import annotations

import re

from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Value
from tunepass.space.opening import Opening

FAST = re.compile(r"-O3|-m(?:arch|cpu)=native")
MANY = 100  # values: those of a longer range are numbers, not words
WHOLE_PROGRAM = re.compile(r"-flto(?:=\S+)?")  # beside a profile; builds take longer


def usual_openings(kernel: Kernel) -> tuple[Opening, ...]:
    """The fastest level and this machine's instructions, as far as they are among the choices; then, where that built,
    ran and came near the best, the program as a whole and by its profile as well."""
    fast = _chosen(kernel, FAST)
    whole = {**_chosen(kernel, WHOLE_PROGRAM), **{b.parameter: True for b in kernel.bindings if b.role == "profile"}}
    openings = [Opening(tuple(fast.items()))] if fast else []
    if whole:
        openings.append(Opening(tuple({**fast, **whole}.items()), 0 if fast else None))
    return tuple(openings)


def _chosen(kernel: Kernel, words: re.Pattern[str]) -> dict[str, Value]:
    """By parameter, the first value that makes one of these words."""
    chosen: dict[str, Value] = {}
    values = {p.name: p.domain for p in kernel.parameters if p.size is not None and p.size <= MANY}
    for binding in kernel.bindings:
        if binding.role == "flag":
            for value in values.get(binding.parameter, ()):
                if words.fullmatch(binding.form.replace("{}", str(value)).strip()):
                    chosen[binding.parameter] = value
                    break
    return chosen
