"""The call graph of a pipeline's Funcs, and counts of its calls."""

from __future__ import annotations

from tunepass.integrations.halide.description import Description

ASSUMED_EXTENT = 8  # of a reduction, in a count of calls


def users_of(description: Description) -> dict[str, set[str]]:
    """By Func the other Funcs that call it."""
    users: dict[str, set[str]] = {func.name: set() for func in description.funcs}
    for func in description.funcs:
        for stage in func.stages:
            for called in stage.calls:
                if called != func.name:
                    users[called].add(func.name)
    return users


def reached_from(description: Description, name: str) -> set[str]:
    """The Funcs that a Func uses, itself or through others."""
    reached: set[str] = set()
    due = [name]
    while due:
        for stage in description.by_name[due.pop()].stages:
            for called in stage.calls:
                if called not in reached:
                    reached.add(called)
                    due.append(called)
    return reached - {name}


def inlined_calls(description: Description) -> int:
    """Calls for a value of an output where every Func is inlined; the greatest of the outputs'."""
    counts: dict[str, int] = {}
    for func in description.funcs:  # producers first
        calls = 0
        for stage in func.stages:
            once = sum(count * (1 + counts.get(name, 0)) for name, count in stage.calls.items() if name != func.name)
            calls += once * ASSUMED_EXTENT ** len(stage.rvars)
        counts[func.name] = calls
    return max((counts[name] for name in description.output_names), default=0)
