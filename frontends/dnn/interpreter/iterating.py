"""Python's functions over items: what any or all of them say, orders and choices by a key, and those of itertools."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence

from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.arithmetic import LONGEST, arithmetic, truth
from tunepass.frontends.dnn.interpreter.machine import Caller
from tunepass.frontends.dnn.interpreter.values import ConditionalValue, Method, PyValue, Unknown, is_key

ITERTOOLS_KEYWORDS = frozenset({("repeat", "times"), ("product", "repeat"), ("zip_longest", "fillvalue")})


def iterated(calls: Caller, name: str, given: list[PyValue], node: ast.AST) -> PyValue:
    """`any`, `all`, `filter`, `next`, `divmod` and `slice`."""
    run = calls.interpreter
    match name:
        case "slice":
            ends = given if len(given) > 1 else [None, *given]
            return Method((*ends, None) if len(ends) == 2 else tuple(ends), "slice")
        case "divmod":
            return tuple(arithmetic(run, op, given[0], given[1], node) for op in (ast.FloorDiv, ast.Mod))
        case "next":
            held = given[0]
            if isinstance(held, list) and held:
                return held.pop(0)  # of a generator, or of what `iter` gave
            return given[1] if len(given) > 1 and isinstance(held, list) else Unknown("the next item")
    items = run.items(given[-1])
    if items is None:
        return Unknown("its items")
    if name == "filter":
        tests = [truth(item if given[0] is None else calls.apply(given[0], [item], {}, node)) for item in items]
        lost = next((test for test in tests if not isinstance(test, bool)), None)
        if lost is not None:
            return lost if isinstance(lost, Unknown) else Unknown("which items are left depends on a parameter")
        return [item for item, test in zip(items, tests) if test]
    tests = [truth(item) for item in items]
    if (name == "any") in tests:
        return name == "any"
    lost = next((test for test in tests if not isinstance(test, bool)), None)
    return (name == "all") if lost is None else lost if isinstance(lost, Unknown) else Unknown("a parameter decides it")


def ordered(calls: Caller, items: list[PyValue] | None, named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    """`sorted`, of numbers or of texts, or by a key."""
    keys = _keys(calls, items, named, node)
    if keys is None or items is None or not isinstance(named.get("reverse", False), (bool, int)):
        return Unknown("the order of its items")
    order = sorted(range(len(items)), key=lambda k: keys[k], reverse=bool(named.get("reverse")))  # type: ignore[arg-type, return-value]
    return [items[k] for k in order]


def chosen_by(
    calls: Caller, name: str, items: list[PyValue] | None, named: Mapping[str, PyValue], node: ast.AST
) -> PyValue:
    """`min` or `max` by a key, or what it gives for no items."""
    if not items:
        return named.get("default", Unknown("its items"))
    keys = _keys(calls, items, named, node)
    if keys is None:
        return Unknown("which of them is chosen")
    choose = min if name == "min" else max
    return items[choose(range(len(items)), key=lambda k: keys[k])]  # type: ignore[arg-type, return-value]


def _keys(
    calls: Caller, items: list[PyValue] | None, named: Mapping[str, PyValue], node: ast.AST
) -> list[PyValue] | None:
    """What items are ordered by; None: those are no plain values of one kind."""
    if items is None:
        return None
    key = named.get("key")
    keys = [item if key is None else calls.apply(key, [item], {}, node) for item in items]
    return keys if _comparable(keys) else None


def _comparable(keys: Sequence[PyValue]) -> bool:
    if all(isinstance(key, tuple) for key in keys):
        return all(_comparable(column) for column in zip(*keys))
    numbers = all(isinstance(key, (int, float)) for key in keys)
    return numbers or all(isinstance(key, str) for key in keys)


def of_itertools(calls: Caller, name: str, given: list[PyValue], named: Mapping[str, PyValue]) -> PyValue:
    """`itertools.NAME`: what it gives, as a list."""
    run = calls.interpreter
    odd = next((word for word in named if (name, word) not in ITERTOOLS_KEYWORDS), None)
    if odd is not None:
        return Unknown(f"`itertools.{name}` with `{odd}=` is not followed")
    if name == "repeat":
        times = given[1] if len(given) > 1 else named.get("times")
        if not isinstance(times, int) or isinstance(times, Expr) or not 0 <= times <= LONGEST:
            return times if isinstance(times, Unknown) else Unknown("how often `itertools.repeat` repeats is not known")
        return [given[0]] * times
    lists = [run.items(value) for value in given]
    if name == "from_iterable" and lists and lists[0] is not None:
        lists, name = [run.items(item) for item in lists[0]], "chain"
    if not lists or any(items is None for items in lists):
        return Unknown(f"what `itertools.{name}` goes over is not known")
    known = [items or [] for items in lists]
    match name:
        case "chain":
            return [item for items in known for item in items]
        case "product":
            times = named.get("repeat", 1)
            rows = known * times if isinstance(times, int) else []
            count = 1
            for items in rows:
                count *= len(items)
            return list(itertools.product(*rows)) if rows and count <= LONGEST else Unknown("too many pairs")
        case "accumulate" if len(known) == 1 and all(isinstance(item, (int, float)) for item in known[0]):
            return list(itertools.accumulate(known[0]))
        case "pairwise":
            return list(itertools.pairwise(known[0]))
        case "zip_longest":
            return list(itertools.zip_longest(*known, fillvalue=named.get("fillvalue")))
    return Unknown(f"`itertools.{name}` is not followed")


def distinct(items: list[PyValue]) -> PyValue:
    """A set's items, as a list; which of them are equal has to be known."""
    if any(isinstance(item, (Expr, ConditionalValue)) for item in items) and len(items) > 1:
        return Unknown("which of a set's items are equal depends on a parameter")
    found: list[PyValue] = []
    for item in items:
        if not any(item is other or (is_key(item) and item == other) for other in found):
            found.append(item)
    return found
