"""Python's own functions and the methods of its lists, dictionaries and texts, as far as models need them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping

from tunepass.expr import algebra
from tunepass.expr.nodes import Binary, Expr, Name
from tunepass.frontends.dnn.interpreter.arithmetic import LONGEST, arithmetic, truth
from tunepass.frontends.dnn.interpreter.iterating import chosen_by, distinct, iterated, ordered
from tunepass.frontends.dnn.interpreter.kinds import has_attribute, is_instance, is_subclass, kind_of
from tunepass.frontends.dnn.interpreter.machine import Caller
from tunepass.frontends.dnn.interpreter.values import (
    LOST,
    ConditionalValue,
    Instance,
    LayerValue,
    Method,
    PyValue,
    SequentialValue,
    TensorValue,
    Unknown,
    is_key,
)

BUILTINS = frozenset({
    "range", "len", "int", "float", "str", "bool", "list", "tuple", "dict", "zip", "enumerate", "reversed",
    "sorted", "min", "max", "sum", "abs", "round", "print", "super", "isinstance", "issubclass", "hasattr",
    "getattr", "setattr", "callable", "map", "filter", "any", "all", "type", "divmod", "pow", "set", "frozenset",
    "id", "repr", "format", "iter", "next", "slice", "object",
})  # fmt: skip


TEXT_METHODS = frozenset(
    {
        *("lower", "upper", "strip", "lstrip", "rstrip", "startswith", "endswith", "split", "rsplit", "replace"),
        *("partition", "rpartition", "isdigit", "isalpha", "find", "count", "title", "capitalize", "removeprefix"),
        *("removesuffix", "isdecimal", "splitlines", "isupper", "islower"),
    }
)
MATH: Mapping[str, Callable[[float], int | float]] = {
    "math.ceil": math.ceil, "math.floor": math.floor, "math.sqrt": math.sqrt, "math.log2": math.log2,
    "math.log": math.log, "math.exp": math.exp, "math.log10": math.log10, "math.sin": math.sin, "math.cos": math.cos,
    "math.fabs": math.fabs, "math.trunc": math.trunc, "math.isqrt": lambda value: math.isqrt(int(value)),
    "math.tanh": math.tanh,
}  # fmt: skip


CONDITIONAL_ROUNDS = 10_000  # that a parameter may add to a loop; each is followed, in a third of a millisecond
PASSING = frozenset({"print", "super", "getattr", "hasattr", "isinstance", "setattr", "callable"})
KEYWORDS: dict[str, frozenset[str]] = {  # what a builtin is followed with; those not named here, with none
    "enumerate": frozenset({"start"}), "sum": frozenset({"start"}), "round": frozenset({"ndigits"}),
    "zip": frozenset({"strict"}), "sorted": frozenset({"key", "reverse"}),
    "min": frozenset({"key", "default"}), "max": frozenset({"key", "default"}), "math.prod": frozenset({"start"}),
}  # fmt: skip
ANY_KEYWORD = frozenset({"dict", "tuple of", "print", "super", "super()"})


def call_builtin(calls: Caller, name: str, given: list[PyValue], named: dict[str, PyValue], node: ast.AST) -> PyValue:
    unknown = next((value for value in given if isinstance(value, Unknown)), None)
    if unknown is not None and name not in PASSING:
        return unknown
    odd = next((word for word in named if word not in KEYWORDS.get(name, ())), None)
    if odd is not None and name not in ANY_KEYWORD:
        return Unknown(f"`{name}` with `{odd}=` is not followed")
    try:
        return _called(calls, name, given, named, node)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError, IndexError) as error:
        return Unknown(f"`{name}`: {error}")


def _called(calls: Caller, name: str, given: list[PyValue], named: dict[str, PyValue], node: ast.AST) -> PyValue:
    run = calls.interpreter
    match name:
        case "range":
            return _range(calls, given, node)
        case "len":
            if isinstance(given[0], TensorValue):
                return run.building.shape(given[0])[0]
            items = run.items(given[0])
            return len(items) if items is not None else Unknown("its length")
        case "list" | "tuple" | "reversed" | "set" | "frozenset" | "iter":
            items = run.items(given[0]) if given else []
            if items is None:
                return Unknown("its items")
            if "set" in name:
                return distinct(items)
            items = items[::-1] if name == "reversed" else items
            return tuple(items) if name == "tuple" else list(items)
        case "sorted":
            return ordered(calls, run.items(given[0]), named, node)
        case "any" | "all" | "filter" | "next" | "divmod" | "slice":
            return iterated(calls, name, given, node)
        case "dict":
            made: dict[object, PyValue] = dict(given[0]) if given and isinstance(given[0], dict) else {}
            if given and not isinstance(given[0], dict):
                pairs = run.items(given[0])
                if pairs is None or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs):
                    return Unknown("its pairs")
                made = {pair[0]: pair[1] for pair in pairs}  # type: ignore[index]
            return made | dict(named.items())
        case "zip" | "enumerate":
            return _paired(calls, name, given, named)
        case "getattr":
            there = has_attribute(given[0], given[1]) if len(given) > 2 else True
            if there is False:
                return given[2]
            found = calls.attribute(given[0], str(given[1]), node) if len(given) > 1 else None
            return given[2] if isinstance(found, Unknown) and len(given) > 2 else found
        case "setattr":
            if isinstance(given[0], Instance) and isinstance(given[1], str):
                given[0].fields[given[1]] = given[2]
            return None
        case "isinstance" | "hasattr":
            return (is_instance if name == "isinstance" else has_attribute)(given[0], given[1])
        case "issubclass":
            return is_subclass(given[0], given[1])
        case "type" if len(given) == 1:
            return kind_of(given[0])
        case "callable":
            return given[0] if isinstance(given[0], Unknown) else kind_of(given[0]) == Method(None, "function")
        case "super":
            return Method(None, "super()")
        case "tuple of":
            return tuple(given) + tuple(named.values())
        case "super()" | "print":
            return None
        case "map":
            items = run.items(given[1]) if len(given) > 1 else None
            return (
                [calls.apply(given[0], [item], {}, node) for item in items] if items is not None else Unknown("a map")
            )
    return _number(calls, name, given, named, node)


def _number(calls: Caller, name: str, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    """Functions of numbers and texts."""
    run = calls.interpreter
    match name:
        case "int" | "floor" | "math.floor" if isinstance(given[0], Expr):
            return given[0] if str(given[0].type) == "Integer" else algebra.apply("floor", given[0])
        case "float" if isinstance(given[0], Expr):
            return given[0]
        case "math.ceil" if isinstance(given[0], Expr):
            return algebra.apply("ceil", given[0])
        case "math.sqrt" | "math.log2" if isinstance(given[0], Expr):
            return algebra.apply(name.removeprefix("math."), given[0])
        case _ if name in MATH and isinstance(given[0], (int, float)):
            return math.log(*given) if len(given) == 2 else MATH[name](given[0])  # type: ignore[arg-type]
        case "math.gcd" | "math.pow" if all(isinstance(value, (int, float)) for value in given):
            return math.gcd(*given) if name == "math.gcd" else math.pow(*given)  # type: ignore[arg-type]
        case "math.prod":
            items = run.items(given[0])
            return Unknown("its items") if items is None else _folded(algebra.mul, math.prod, [*items, *named.values()])
        case "int":
            return int(*given)  # type: ignore[arg-type]
        case "float":
            return float(given[0])  # type: ignore[arg-type]
        case "str" | "repr" | "format":
            return str(given[0]) if given and isinstance(given[0], (str, int, float)) else "_"
        case "bool":
            return truth(given[0])
        case "min" | "max":
            items = run.items(given[0]) if len(given) == 1 else given
            if named.get("key") is not None or (not items and "default" in named):
                return chosen_by(calls, name, items, named, node)
            fold = algebra.minimum if name == "min" else algebra.maximum
            return _folded(fold, min if name == "min" else max, items or [])
        case "sum":
            items = run.items(given[0])
            return Unknown("its items") if items is None else _summed(calls, items, [*given[1:], *named.values()], node)
        case "abs" | "round":
            value, digits = given[0], [*given[1:], *named.values()]
            if isinstance(value, (int, float)):
                return abs(value) if name == "abs" else round(value, *digits)  # type: ignore[arg-type]
            known = isinstance(value, Expr) and not digits
            return algebra.apply(name, value) if known else Unknown("no number")  # type: ignore[arg-type]
        case "pow" if len(given) == 2:
            return arithmetic(run, ast.Pow, given[0], given[1], node)
    return Unknown(f"`{name}` is not followed")


def _folded(
    fold: Callable[..., Expr], plain: Callable[[list[int | float]], int | float], items: list[PyValue]
) -> PyValue:
    if any(isinstance(item, Expr) for item in items):
        if not all(isinstance(item, (bool, int, float, Expr)) for item in items):
            return Unknown("these are no numbers")
        return fold(*items)
    numbers = [item for item in items if isinstance(item, (int, float))]
    if len(numbers) != len(items) or (not items and plain is not sum):
        return Unknown("these are no numbers")
    return plain(numbers)


def _summed(calls: Caller, items: list[PyValue], start: list[PyValue], node: ast.AST) -> PyValue:
    """`sum`, of lists too: `sum([[1], [2]], [])`."""
    if start or any(isinstance(item, (TensorValue, list, tuple)) for item in items):
        total: PyValue = start[0] if start else 0
        for item in items:
            first = total == 0 and isinstance(item, TensorValue)
            total = item if first else arithmetic(calls.interpreter, ast.Add, total, item, node)
        return total
    return _folded(algebra.add, sum, items)


def _range(calls: Caller, given: list[PyValue], node: ast.AST) -> PyValue:
    """Numbers; up to what a parameter decides, each there under the condition that it is reached."""
    start, stop, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
    if isinstance(stop, Expr) and isinstance(start, int) and step == 1:
        most = _most(calls, stop)
        if most is None:
            raise calls.error("how often this runs is not bounded", node, "loop over a parameter itself")
        if most - start > CONDITIONAL_ROUNDS:
            return Unknown(f"the range is too long: up to {most - start} rounds")
        least = _least(calls, stop)
        return [k if k < least else ConditionalValue(algebra.compare(stop, ">", k), k) for k in range(start, most)]
    if not all(isinstance(value, int) for value in (start, stop, step)):
        return Unknown("the range depends on something that is not known")
    found = range(start, stop, step)  # type: ignore[arg-type]
    return list(found) if len(found) <= LONGEST else Unknown("the range is too long")


def _most(calls: Caller, stop: Expr) -> int | None:
    """The largest value of a parameter, or of a sum of one and a number."""
    if isinstance(stop, Name):
        return calls.interpreter.largest.get(stop.name)
    if isinstance(stop, Binary) and stop.op in ("+", "-"):
        left, right = _most(calls, stop.left), algebra.number(stop.right)
        if left is not None and isinstance(right, int):
            return left + right if stop.op == "+" else left - right
    return None


def _least(calls: Caller, stop: Expr) -> int:
    """What the number is at least; a loop runs that often whatever the parameters are."""
    if isinstance(stop, Name):
        return calls.interpreter.smallest.get(stop.name, 0)
    if isinstance(stop, Binary) and stop.op in ("+", "-"):
        right = algebra.number(stop.right)
        if isinstance(right, int):
            return _least(calls, stop.left) + (right if stop.op == "+" else -right)
    return 0


def range_items(value: PyValue) -> list[PyValue] | None:
    return None if not isinstance(value, str) else list(value)


def _paired(calls: Caller, name: str, given: list[PyValue], named: Mapping[str, PyValue]) -> PyValue:
    lists = [calls.interpreter.items(value) for value in (given[:1] if name == "enumerate" else given)]
    if any(items is None for items in lists):
        return Unknown("what is paired is not known")
    if name == "enumerate":
        first = given[1] if len(given) > 1 else named.get("start", 0)
        if not isinstance(first, int):
            return Unknown("where counting starts is not known")
        return [_indexed(k + first, item) for k, item in enumerate(lists[0] or [])]
    return [tuple(items) for items in zip(*(items or [] for items in lists))]


def _indexed(k: int, item: PyValue) -> PyValue:
    return ConditionalValue(item.condition, (k, item.value)) if isinstance(item, ConditionalValue) else (k, item)


def list_method(calls: Caller, owner: PyValue, name: str, given: list[PyValue], named: dict[str, PyValue]) -> PyValue:
    if isinstance(owner, list):
        return _of_list(calls, owner, name, given)
    if isinstance(owner, dict):
        return _of_dict(calls, owner, name, given, named)
    if isinstance(owner, str):
        if named and name != "format":
            return Unknown(f"`{name}` with `{next(iter(named))}=` is not followed")
        plain = all(isinstance(value, (str, int)) for value in given)
        if name == "join" and given and (parts := calls.interpreter.items(given[0])) is not None:
            return owner.join(str(part) if isinstance(part, (str, int)) else "_" for part in parts)
        if name in TEXT_METHODS and plain:
            return getattr(owner, name)(*given)  # type: ignore[no-any-return]
        return "_" if name == "format" else Unknown(f"`{name}` of a text is not followed")
    return Unknown(f"`{name}` is not followed")


def _of_list(calls: Caller, owner: list[PyValue], name: str, given: list[PyValue]) -> PyValue:
    def held(value: PyValue) -> PyValue:
        layer = isinstance(value, (LayerValue, SequentialValue, Instance, TensorValue))
        return ConditionalValue(algebra.both(*calls.conditions), value) if calls.conditions and layer else value

    match name:
        case "append" | "add":
            owner.append(held(given[0]))
        case "extend":
            items = calls.interpreter.items(given[0])
            lost = given[0] if isinstance(given[0], Unknown) else Unknown("what a list is extended by is not known")
            owner += [lost] if items is None else [held(value) for value in items]
        case "insert" if isinstance(given[0], int):
            owner.insert(given[0], held(given[1]))
        case "pop":
            at = given[0] if given and isinstance(given[0], int) else -1
            return owner.pop(at) if -len(owner) <= at < len(owner) else Unknown("the list is empty")
        case "copy":
            return list(owner)
        case "reverse":
            owner.reverse()
        case "index" if given and given[0] in owner:
            return owner.index(given[0])
        case _:
            return Unknown(f"`{name}` of a list is not followed")
    return None


def _of_dict(
    calls: Caller, owner: dict[object, PyValue], name: str, given: list[PyValue], named: dict[str, PyValue]
) -> PyValue:
    match name:
        case "items":
            return [(key, value) for key, value in owner.items() if is_key(key)]
        case "values":
            return list(owner.values())
        case "keys":
            return [key for key in owner if is_key(key)]
        case "get" | "pop" | "setdefault" if given and is_key(given[0]):
            lost = owner.get(LOST)
            otherwise = lost if isinstance(lost, Unknown) else given[1] if len(given) > 1 else None
            if name == "setdefault":
                return owner.setdefault(given[0], otherwise)
            stays = name == "get" or bool(calls.conditions)
            return owner.get(given[0], otherwise) if stays else owner.pop(given[0], otherwise)
        case "clear":
            owner.clear()
            return None
        case "update" if not given or isinstance(given[0], dict):
            owner.update(given[0] if given else {})  # type: ignore[arg-type]
            owner.update(named)
            return None
        case "copy":
            return dict(owner)
    lost = next((value for value in given if isinstance(value, Unknown)), None)
    return lost or Unknown(f"`{name}` of a dictionary is not followed")
